/* SPDX-License-Identifier: MIT */
#ifndef BT_GARDEN_EXPERIMENT_INT_H
#define BT_GARDEN_EXPERIMENT_INT_H

#include "garden/eval_metrics.h"
#include "garden/experiment.h"
#include "garden/experiment_job_int.h"
#include "tokenizer_file/tokenizer_file.h"

/* The best model so far, which info.json remembers. */
struct bt_best_export {
	char *dir; /* NULL: none is kept */
	bool have;
	double value;
	int64_t step;
};

/* A run of an experiment. */
struct bt_trial {
	const struct bt_experiment *e;
	struct bt_experiment_job plan;
	struct bt_best_export best;
	struct bt_devices devices;     /* that compute: */
	struct bt_devices own_devices; /* perhaps these */
	json_t *encoder;
	/* Where questions are answered: how, by the tokens of tok, */
	struct bt_tok *tok;
	struct bt_tok_opts tok_opts;
	struct bt_answers_opts answers;
	struct bt_file_patterns json; /* and where they come from */
	/* What stood when the updates that are told together began: the sums
	 * are over examples since the last evaluation. */
	struct {
		int64_t step, seen;
		double loss, right, time;
	} chunk;
	struct bt_eval_metrics trained,
	    tested; /* since then; of an evaluation */
};

/* Values by name, in the order that Python prints them in. */
#define BT_EXPERIMENT_LOG_MAX 8
struct bt_experiment_log {
	const char *name[BT_EXPERIMENT_LOG_MAX];
	double value[BT_EXPERIMENT_LOG_MAX];
	int n;
};

/* What a struct bt_trial hears of its run (experiment_log.c). */
int bt_trial_news(void *trial, const struct bt_train_news *n,
                  struct bt_error *err);

/* Where questions are answered: makes records of those to evaluate on, and
 * these t->plan.eval (experiment_squad.c). */
int bt_trial_ask(struct bt_trial *t, struct bt_error *err) BT_MUST_USE;
void bt_trial_unask(struct bt_trial *t);

/* The model is saved with the vocabulary of the data, if that is given. */
void bt_trial_vocabulary(struct bt_trial *t, struct bt_job_opts *o);

/* Takes an answer; see bt_train_opts. */
void bt_trial_answered(void *trial, bool training, const struct bt_dataset *d,
                       size_t i, const float *answer);

/* Reads what info.json remembers, if the configuration asks for a best model
 * (best_export.c). */
int bt_best_export_open(struct bt_best_export *b, const char *dir,
                        const struct bt_experiment_job *p,
                        struct bt_error *err) BT_MUST_USE;
void bt_best_export_clear(struct bt_best_export *b);

/* Keeps the model of this moment if it is better than all before; told is what
 * info.json gets beside the step. */
int bt_best_export_offer(struct bt_best_export *b,
                         const struct bt_experiment_job *p,
                         const struct bt_train_news *n,
                         const struct bt_experiment_log *told,
                         const struct bt_log *log,
                         struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
#ifndef BT_GARDEN_EXPERIMENT_INT_H
#define BT_GARDEN_EXPERIMENT_INT_H

#include "garden/answers.h"
#include "garden/experiment.h"
#include "garden/plan_int.h"

/* The best model so far, which info.json remembers. */
struct bt_best {
	char *dir; /* NULL: none is kept */
	bool have;
	double value;
	int64_t step;
};

/* A run of an experiment. */
struct bt_trial {
	const struct bt_experiment *e;
	struct bt_plan plan;
	struct bt_best best;
	json_t *encoder;
	/* What stood when the updates that are told together began: the sums
	 * are over examples since the last evaluation. */
	struct {
		int64_t step, seen;
		double loss, right, time;
	} chunk;
	struct bt_answers trained, tested; /* since then; of an evaluation */
};

/* Values by name, in the order that Python prints them in. */
#define BT_TOLD_MAX 8
struct bt_told {
	const char *name[BT_TOLD_MAX];
	double value[BT_TOLD_MAX];
	int n;
};

void bt_told_add(struct bt_told *t, const char *name, double value);

/* {'name': value, ...} as Python's pprint shows it, on more lines, each after
 * four blanks, where it does not fit into 80 columns. */
void bt_told_put(const struct bt_told *t, struct bt_buf *out);

/* What a struct bt_trial hears of its run (experiment_tell.c). */
int bt_trial_news(void *trial, const struct bt_train_news *n,
                  struct bt_error *err);

/* Takes an answer; see bt_train_opts. */
void bt_trial_answered(void *trial, bool training, const struct bt_dataset *d,
                       size_t i, const float *answer);

/* Reads what info.json remembers, if the configuration asks for a best model
 * (best.c). */
int bt_best_open(struct bt_best *b, const char *dir, const struct bt_plan *p,
                 struct bt_error *err) BT_MUST_USE;
void bt_best_clear(struct bt_best *b);

/* Keeps the model of this moment if it is better than all before; told is what
 * info.json gets beside the step. */
int bt_best_offer(struct bt_best *b, const struct bt_plan *p,
                  const struct bt_train_news *n, const struct bt_told *told,
                  const struct bt_log *log, struct bt_error *err) BT_MUST_USE;

#endif

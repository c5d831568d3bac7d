/* SPDX-License-Identifier: MIT */
/*
 * The older run_squad of Model Garden (official/legacy/bert): a model that
 * answers questions, trained on what create_finetuning_data made by the recipe
 * of run_classifier (garden/run_classifier.h), and the answers to the questions
 * in SQuAD's JSON as it finds and writes them.
 *
 * In the directory: the model, its newest checkpoint, from which a run that was
 * stopped goes on to the same bits, TensorFlow's checkpoints after each epoch
 * (garden/tf_checkpoints.h), summaries/, and of questions eval.tf_record,
 * predictions.json, nbest_predictions.json, null_odds.json.
 */
#ifndef BT_GARDEN_RUN_SQUAD_H
#define BT_GARDEN_RUN_SQUAD_H

#include "garden/run_classifier.h"

struct bt_run_squad {
	const char *meta_data, *config;  /* files */
	const char *train;               /* pattern, or NULL */
	const char *questions;           /* patterns of JSON files, or NULL */
	const char *vocab;               /* or NULL, without questions */
	const char *init, *predict_from; /* checkpoints, or NULL */
	const char *dir;                 /* to write */
	bool lower;
	struct bt_run_recipe recipe;
	int64_t steps_per_loop, log_steps;
	int64_t best, max_answer; /* as bt_span_files_opts */
	double null_threshold;
	enum bt_precision dtype; /* of training */
	int threads;
	struct bt_devices devices; /* that compute */

	const struct bt_log *log;
	struct bt_progress *progress;
	bool (*stopped)(void);
	/* What a user of run_squad expects to see; whole lines. */
	void (*print)(void *ctx, const char *text);
	void *print_ctx;
};

/* Whether the files of questions can be read and answered: to be known before
 * training begins. */
int bt_run_squad_check(const struct bt_run_squad *c, bool scores,
                       struct bt_error *err) BT_MUST_USE;

/* Trains. */
int bt_run_squad_train(const struct bt_run_squad *c,
                       struct bt_train_result *res,
                       struct bt_error *err) BT_MUST_USE;

/* Answers the questions. scores: and scores the answers to those of the one
 * file, all of which must be known. */
int bt_run_squad_predict(const struct bt_run_squad *c, bool scores,
                         struct bt_error *err) BT_MUST_USE;

#endif

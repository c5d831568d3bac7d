/* SPDX-License-Identifier: MIT */
/*
 * The older run_classifier of Model Garden (official/legacy/bert): a classifier
 * fine-tuned by a recipe of fixed form, from TFRecords, the meta data about
 * them, a configuration and a checkpoint.
 *
 *   updates     an epoch has as many as fill batches from train_data_size
 *               examples; batches go on where an epoch ends
 *   optimizer   Adam with weight decay .01, epsilon 1e-6, gradients clipped to
 *               a norm of 1; or LAMB, without clipping
 *   schedule    BT_SCHEDULE_LINEAR_GOOGLE, a tenth of it warm-up
 *   classifier  on the pooler, with its dropout twice; where the meta data name
 *               one label a number is predicted, by its squared error
 *
 * The last model is kept, as a model directory and as TensorFlow's checkpoints
 * (garden/tf_checkpoints.h).
 */
#ifndef BT_GARDEN_RUN_CLASSIFIER_H
#define BT_GARDEN_RUN_CLASSIFIER_H

#include "garden/devices.h"
#include "garden/input_meta.h"
#include "train/job.h"

/* What both of the older programs train by. */
struct bt_run_recipe {
	int64_t epochs, batch;
	double rate, end_rate;
	const char *optimizer; /* adamw, lamb */
	uint64_t seed;
};

struct bt_run_classifier {
	const char *meta_data, *config;  /* files */
	const char *train, *eval;        /* patterns, or NULL */
	const char *init, *predict_from; /* checkpoints, or NULL */
	const char *dir, *export;        /* to write; export or NULL */
	const char *tokenizer;           /* to give the model, or NULL */
	struct bt_run_recipe recipe;
	int64_t evals_per_epoch;
	int64_t most; /* training examples; 0: all */
	enum bt_precision dtype;
	int64_t log_steps;
	int threads;
	struct bt_devices devices; /* that compute */

	const struct bt_log *log;
	struct bt_progress *progress;
	/* What a user of Keras expects to see; whole lines. */
	void (*print)(void *ctx, const char *text);
	void *print_ctx;
};

/* Sets updates, batches, schedule and optimizer. */
void bt_run_recipe_set(const struct bt_run_recipe *c,
                       const struct bt_meta_plan *plan,
                       struct bt_train_opts *t);

/* A configuration file as bt_job_opts.init_config takes it: a name alone is a
 * file, not one of our architectures. free() it. */
char *bt_run_config(const char *path);

/* The heads of attention of such a file; notes what is not dropped as there. */
int bt_run_heads(const char *path, const struct bt_log *log, int *heads,
                 struct bt_error *err) BT_MUST_USE;

/* Mode train_and_eval. */
int bt_run_classifier_train(const struct bt_run_classifier *c,
                            struct bt_train_result *res,
                            struct bt_error *err) BT_MUST_USE;

/* Mode predict: the probabilities of c->eval's records, into
 * dir/test_results.tsv. */
int bt_run_classifier_predict(const struct bt_run_classifier *c,
                              struct bt_error *err) BT_MUST_USE;

/* Mode export_only: the newest model of dir as a model directory. */
int bt_run_classifier_export(const struct bt_run_classifier *c,
                             struct bt_error *err) BT_MUST_USE;

#endif

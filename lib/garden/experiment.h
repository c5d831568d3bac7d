/* SPDX-License-Identifier: MIT */
/*
 * Runs an experiment of Model Garden's train.py: trains, evaluates, or both, as
 * its configuration says, into a model directory from which a run that was
 * stopped goes on to the same bits.
 *
 * In the directory: params.yaml, the model (of the last evaluation or of the
 * end), checkpoints, history.jsonl, files of events in train/ and validation/,
 * and the best model with info.json in a directory of its own.
 */
#ifndef BT_GARDEN_EXPERIMENT_H
#define BT_GARDEN_EXPERIMENT_H

#include "garden/config.h"
#include "garden/devices.h"
#include "train/job.h"

enum bt_experiment_mode {
	BT_EXPERIMENT_TRAIN,
	BT_EXPERIMENT_EVAL,
	BT_EXPERIMENT_TRAIN_AND_EVAL,
	BT_EXPERIMENT_CONTINUOUS_EVAL,
	BT_EXPERIMENT_TRAIN_AND_POST_EVAL
};

#define BT_EXPERIMENT_MODES                                                    \
	"train|eval|train_and_eval|continuous_eval|train_and_post_eval"

struct bt_experiment {
	const struct bt_garden *config; /* checked */
	enum bt_experiment_mode mode;
	const char *dir;       /* the model's */
	const char *tokenizer; /* to give the model; NULL: init_checkpoint's */
	int threads;
	const struct bt_devices *devices; /* that compute; NULL: as runtime of
	                                   * the configuration says */
	uint64_t seed;

	const struct bt_log *log;
	struct bt_progress *progress;
	bool (*stopped)(void);
	/* What a user of Model Garden expects to see; whole lines. */
	void (*print)(void *ctx, const char *text);
	void *print_ctx;
};

/* The mode of that name, one of BT_EXPERIMENT_MODES. */
enum bt_experiment_mode bt_experiment_mode(const char *name);

/* BT_EARG, before anything is written, for what is not built or makes no sense;
 * BT_ELIMIT where training diverged. */
int bt_experiment_run(const struct bt_experiment *e,
                      struct bt_train_result *res,
                      struct bt_error *err) BT_MUST_USE;

#endif

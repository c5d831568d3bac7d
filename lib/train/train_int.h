/* SPDX-License-Identifier: MIT */
/* A run in progress, for the files that make up training. */
#ifndef BT_TRAIN_TRAIN_INT_H
#define BT_TRAIN_TRAIN_INT_H

#include "train/train.h"

/* Everything that a checkpoint holds besides the arenas. */
struct bt_train_state {
	int64_t step;    /* updates done */
	int64_t epoch;   /* of the next update, from 0 */
	int64_t pos;     /* examples of that epoch used up */
	double loss_sum; /* of the epoch's examples so far */
	double loss_weight;
	bool have_best;
	double best;
	int64_t best_epoch;
};

struct bt_train_run {
	struct bt_model *m;
	const struct bt_dataset *train, *eval;
	const struct bt_train_opts *o;
	struct bt_train_result *res;
	struct bt_optim optim;
	struct bt_batches batches;
	struct bt_gather gather;
	struct bt_metrics metrics;
	struct bt_train_state s;
	int64_t total, warmup; /* updates */
	double shown_loss;     /* smoothed, for the progress line */
	double start;          /* of this process's run */
};

/* Writes the checkpoint into the output directory. */
int bt_train_save_state(struct bt_train_run *t,
                        struct bt_error *err) BT_MUST_USE;

/* Reads it back. BT_EFORMAT, listing the differences, if the run it is of had
 * other data or settings. */
int bt_train_load_state(struct bt_train_run *t,
                        struct bt_error *err) BT_MUST_USE;

#endif

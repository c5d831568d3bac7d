/* SPDX-License-Identifier: MIT */
/*
 * What Model Garden's programs take from the JSON file about training data
 * (input_meta_data; tokenize/input_meta_data.h writes it), and the numbers of
 * updates that they make of it.
 */
#ifndef BT_GARDEN_INPUT_META_H
#define BT_GARDEN_INPUT_META_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct bt_meta {
	int64_t train_size; /* 0: not said */
	int64_t eval_size;
	int64_t max_length; /* tokens of a padded record; 0: not said */
	int labels;         /* 1: a number is to be predicted */
	bool weights;       /* of the records count */
};

/* BT_EFORMAT where the file is not about texts with a label each. */
int bt_meta_read(const char *path, struct bt_meta *m,
                 struct bt_error *err) BT_MUST_USE;

/* What run_squad takes. */
struct bt_meta_squad {
	struct bt_meta meta;
	int64_t max_question, stride; /* as bt_squad_windows_opts has them */
	bool negatives;
};

/* BT_EFORMAT where the file is not about questions, or does not say all. */
int bt_meta_read_squad(const char *path, struct bt_meta_squad *m,
                       struct bt_error *err) BT_MUST_USE;

/* How much the older run_classifier trains. */
struct bt_meta_plan {
	int64_t epochs; /* after each of which the model is evaluated */
	int64_t epoch_steps, steps, warmup; /* updates */
};

/* most: examples that may be used, 0: all. BT_EARG where there are too few for
 * one update. */
int bt_meta_plan(const struct bt_meta *m, int64_t epochs, int64_t per_epoch,
                 int64_t batch, int64_t most, struct bt_meta_plan *p,
                 struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* Outputs of a model for all examples, beside what is true: what is fitted to
 * held-out records needs them more than once. */
#ifndef BT_EVALUATE_OUTPUTS_H
#define BT_EVALUATE_OUTPUTS_H

#include "finetune/dataset.h"
#include "metrics/metrics.h"

/* Zero, but for k and targets, is empty. */
struct bt_outputs {
	size_t k;         /* outputs of a row */
	bool has_targets; /* else it has a class */
	size_t n, rows;   /* examples; a row each, or for each of their words */
	float *z;         /* [rows][k] */
	int32_t *truth;   /* [rows] */
	float *target;    /* [rows][k] */
	size_t *start;    /* [n] rows, or NULL: one each */
	uint32_t *group;  /* [n], or NULL: none */
	size_t z_cap, truth_cap, target_cap, start_cap, group_cap;
};

void bt_outputs_clear(struct bt_outputs *o);

/* The rows of example i: from *first, before *end. */
void bt_outputs_rows(const struct bt_outputs *o, size_t i, size_t *first,
                     size_t *end);

/* Adds example i of d, which has a label, or its words that have one; a window
 * of a text of words goes on with the example before it. */
int bt_outputs_add(struct bt_outputs *o, const struct bt_dataset *d, size_t i,
                   const float *z, struct bt_error *err) BT_MUST_USE;

/* The example that was added last is of this group. */
int bt_outputs_set_group(struct bt_outputs *o, uint32_t group,
                         struct bt_error *err) BT_MUST_USE;

/* Adds all of them to metrics, after the logits were calibrated. */
struct bt_calibration;
int bt_outputs_measure(const struct bt_outputs *o,
                       const struct bt_calibration *c, struct bt_metrics *m,
                       struct bt_error *err) BT_MUST_USE;

#endif

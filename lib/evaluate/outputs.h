/* SPDX-License-Identifier: MIT */
/* Outputs of a model for all examples, beside what is true: what is fitted to
 * held-out records needs them more than once. */
#ifndef BT_EVALUATE_OUTPUTS_H
#define BT_EVALUATE_OUTPUTS_H

#include "finetune/dataset.h"
#include "metrics/metrics.h"

/* Zero, but for k and targets, is empty. */
struct bt_outputs {
	size_t k;         /* outputs of an example */
	bool has_targets; /* else it has a class */
	size_t n;
	float *z;       /* [n][k] */
	int32_t *truth; /* [n] */
	float *target;  /* [n][k] */
	size_t z_cap, truth_cap, target_cap;
};

void bt_outputs_clear(struct bt_outputs *o);

/* Adds example i of d, which has a label. */
int bt_outputs_add(struct bt_outputs *o, const struct bt_dataset *d, size_t i,
                   const float *z, struct bt_error *err) BT_MUST_USE;

/* Adds all of them to metrics, after the logits were calibrated. */
struct bt_calibration;
int bt_outputs_measure(const struct bt_outputs *o,
                       const struct bt_calibration *c, struct bt_metrics *m,
                       struct bt_error *err) BT_MUST_USE;

#endif

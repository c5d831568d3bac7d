/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints of TensorFlow as the older run_classifier of Model Garden leaves
 * them, MODEL_DIR/ckpt-STEP.index and .data-00000-of-00001, and the file
 * "checkpoint" that lists them. They hold the model and the numbers of updates
 * and saves, not the moments of the optimizer: nothing reads those.
 */
#ifndef BT_GARDEN_TF_CHECKPOINTS_H
#define BT_GARDEN_TF_CHECKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_tf_checkpoints {
	const char *dir;
	bool
	    loop; /* named as by the loop of run_squad, ctl_step_STEP.ckpt-SAVE,
	           * with global_step in place of the optimizer's number */
	int heads;                  /* of attention */
	int64_t saves;              /* so far */
	struct bt_buf paths, times; /* lines of "checkpoint" */
};

/* Writes the model that stands in dir/model.safetensors. */
int bt_tf_checkpoints(struct bt_tf_checkpoints *s, int64_t step,
                      struct bt_error *err) BT_MUST_USE;
void bt_tf_checkpoints_clear(struct bt_tf_checkpoints *s);

#endif

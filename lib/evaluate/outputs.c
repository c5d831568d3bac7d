/* SPDX-License-Identifier: MIT */
#include "evaluate/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/calibration.h"

void bt_outputs_clear(struct bt_outputs *o)
{
	free(o->z);
	free(o->truth);
	free(o->target);
	memset(o, 0, sizeof(*o));
}

int bt_outputs_add(struct bt_outputs *o, const struct bt_dataset *d, size_t i,
                   const float *z, struct bt_error *err)
{
	size_t n = o->n, all;

	if (!bt_size_mul(n + 1, o->k, &all) ||
	    bt_grow(&o->z, &o->z_cap, all, sizeof(*o->z)) != BT_OK ||
	    bt_grow(&o->truth, &o->truth_cap, n + 1, sizeof(*o->truth)) !=
	        BT_OK ||
	    (o->has_targets && bt_grow(&o->target, &o->target_cap, all,
	                               sizeof(*o->target)) != BT_OK))
		return bt_error_nomem(err, "keeping outputs");
	memcpy(o->z + n * o->k, z, o->k * sizeof(*z));
	o->truth[n] = d->label[i];
	if (o->has_targets)
		memcpy(o->target + n * o->k, bt_dataset_target(d, i),
		       o->k * sizeof(*o->target));
	o->n++;
	return BT_OK;
}

int bt_outputs_measure(const struct bt_outputs *o,
                       const struct bt_calibration *c, struct bt_metrics *m,
                       struct bt_error *err)
{
	float *row = bt_array(o->k, sizeof(*row));
	int r = row != NULL ? BT_OK : bt_error_nomem(err, "calibrating");
	size_t i;

	for (i = 0; i < o->n && r == BT_OK; i++) {
		bt_calibration_apply(c, o->z + i * o->k, row);
		r = bt_metrics_add(m, o->truth[i],
		                   o->has_targets ? o->target + i * o->k : NULL,
		                   row, err);
	}
	free(row);
	return r;
}

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
	free(o->start);
	free(o->group);
	memset(o, 0, sizeof(*o));
}

void bt_outputs_rows(const struct bt_outputs *o, size_t i, size_t *first,
                     size_t *end)
{
	*first = o->start != NULL ? o->start[i] : i;
	*end = o->start == NULL ? i + 1
	       : i + 1 < o->n   ? o->start[i + 1]
	                        : o->rows;
}

static int add_row(struct bt_outputs *o, int32_t truth, const float *target,
                   const float *z, struct bt_error *err)
{
	size_t n = o->rows, all;

	if (!bt_size_mul(n + 1, o->k, &all) ||
	    bt_grow(&o->z, &o->z_cap, all, sizeof(*o->z)) != BT_OK ||
	    bt_grow(&o->truth, &o->truth_cap, n + 1, sizeof(*o->truth)) !=
	        BT_OK ||
	    (o->has_targets && bt_grow(&o->target, &o->target_cap, all,
	                               sizeof(*o->target)) != BT_OK))
		return bt_error_nomem(err, "keeping outputs");
	memcpy(o->z + n * o->k, z, o->k * sizeof(*z));
	o->truth[n] = truth;
	if (o->has_targets)
		memcpy(o->target + n * o->k, target, o->k * sizeof(*o->target));
	o->rows++;
	return BT_OK;
}

static int add_words(struct bt_outputs *o, const struct bt_dataset *d, size_t i,
                     const float *z, struct bt_error *err)
{
	uint64_t at;
	int r = BT_OK;

	if (!d->continues[i]) {
		if (bt_grow(&o->start, &o->start_cap, o->n + 1,
		            sizeof(*o->start)) != BT_OK)
			return bt_error_nomem(err, "keeping outputs");
		o->start[o->n++] = o->rows;
	}
	for (at = d->start[i]; at < d->start[i + 1] && r == BT_OK;
	     at++, z += o->k)
		if (d->token_label[at] >= 0)
			r = add_row(o, d->token_label[at], NULL, z, err);
	return r;
}

int bt_outputs_add(struct bt_outputs *o, const struct bt_dataset *d, size_t i,
                   const float *z, struct bt_error *err)
{
	if (d->token_label != NULL)
		return add_words(o, d, i, z, err);
	o->n++;
	return add_row(o, d->label[i],
	               o->has_targets ? bt_dataset_target(d, i) : NULL, z, err);
}

int bt_outputs_set_group(struct bt_outputs *o, uint32_t group,
                         struct bt_error *err)
{
	if (bt_grow(&o->group, &o->group_cap, o->n, sizeof(*o->group)) != BT_OK)
		return bt_error_nomem(err, "keeping outputs");
	o->group[o->n - 1] = group;
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

/* SPDX-License-Identifier: MIT */
/* Joins what a model puts out for the windows of a text, in the order of the
 * records. Memory is one row. */
#ifndef BT_FINETUNE_JOIN_H
#define BT_FINETUNE_JOIN_H

#include "finetune/dataset.h"
#include "record/windows.h"

struct bt_join {
	enum bt_windows_join how;
	size_t width, n; /* windows in the sums */
	double *sum;     /* [width] */
	float *row;
};

int bt_join_init(struct bt_join *j, enum bt_windows_join how, size_t width,
                 struct bt_error *err) BT_MUST_USE;
void bt_join_clear(struct bt_join *j);

/* The row of the example that ends with record k of d, whose own row is given:
 * this one, or one borrowed from j until the next call. NULL: more windows
 * follow. */
const float *bt_join_add(struct bt_join *j, const struct bt_dataset *d,
                         size_t k, const float *row);

#endif

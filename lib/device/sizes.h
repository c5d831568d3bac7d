/* SPDX-License-Identifier: MIT */
/*
 * The sizes of programs that learn. A program takes seconds to minutes to
 * compile, so batches of a training run share a few: each is given the smallest
 * that holds it. Which ones there are is found out before, from batches like
 * those to come, so that it depends on nothing else and a run that is resumed
 * sums up in the same order.
 */
#ifndef BT_DEVICE_SIZES_H
#define BT_DEVICE_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_device_size {
	int rows, length; /* of a device */
	uint64_t count;   /* pieces of batches that it is for */
};

struct bt_device_sizes {
	struct bt_device_size *at;
	size_t n, cap;
};

/* How the texts of a batch are divided. */
struct bt_device_division {
	const uint32_t *start; /* text t has start[t + 1] - start[t] tokens */
	const int32_t
	    *number;   /* of texts in their groups, which are not parted:
	                * 0 begins one; or NULL: each text is one */
	int replicas;  /* devices */
	size_t places; /* for tokens on each, at most; SIZE_MAX: a batch
	                * is one piece */
};

/* Counts a batch of n >= 1 texts. Returns 0, or BT_ENOMEM. */
int bt_device_sizes_count(struct bt_device_sizes *s,
                          const struct bt_device_division *v, size_t n,
                          struct bt_error *err) BT_MUST_USE;

/* Leaves few sizes, in the order of their places. Again and again the one is
 * left out that costs the fewest places, if that is .3 % of all at most; 2 %
 * while there are more than four sizes; any number while there are more than
 * eight. */
void bt_device_sizes_choose(struct bt_device_sizes *s);

void bt_device_sizes_clear(struct bt_device_sizes *s);

#endif

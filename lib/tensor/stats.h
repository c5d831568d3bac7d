/* SPDX-License-Identifier: MIT */
/*
 * What the numbers of tensors are like, and how those of two checkpoints
 * differ. The work is cut into pieces of a fixed number of elements whose
 * results are put together in order, so they do not depend on the threads.
 */
#ifndef BT_TENSOR_STATS_H
#define BT_TENSOR_STATS_H

#include "base/pool.h"
#include "tensor/checkpoint.h"

struct bt_tensor_stats {
	bool known; /* false: the type has no real numbers; all else is 0 */
	size_t nan;
	size_t inf;
	size_t first_bad; /* element, where nan + inf > 0 */
	/* of the finite ones; NaN where there are none */
	double min, max, mean;
	double std; /* of the population */
};

/* Fills s[0..n-1] from the tensors t[0..n-1]. */
int bt_stats(const struct bt_tensor *const *t, size_t n, struct bt_pool *pool,
             struct bt_tensor_stats *s, struct bt_error *err) BT_MUST_USE;

/* Compares the data of all tensors with the checksums that their files have of
 * them: BT_ECORRUPT names the first that differs, BT_EIO a file that is
 * missing. */
int bt_checksums_verify(const struct bt_tensor *const *t, size_t n,
                        struct bt_pool *pool, struct bt_error *err) BT_MUST_USE;

/* How a tensor of checkpoint a differs from that of the same name in b. */
struct bt_tensor_diff {
	const struct bt_tensor *a, *b; /* one is NULL: only in the other */
	bool dtype, shape;             /* these differ */
	bool compared;                 /* the elements were compared */
	bool numbers;                  /* as numbers: else max and mean are 0 */
	size_t differing;              /* elements */
	/* |a - b| over the elements: largest and mean. Equal infinities, and
	 * NaN on both sides, are no difference; NaN on one side only makes both
	 * NaN. */
	double max, mean;
	double cosine; /* of the angle between both as vectors; NaN: unknown */
};

/* True when there is any difference. */
bool bt_tensor_differs(const struct bt_tensor_diff *d);

/*
 * Pairs the tensors of a with those of b, both in the order of bt_ckpt_compare,
 * and compares the values where the shapes are equal. *rows (free() it) holds
 * one row for each name, *n_rows of them, in the same order.
 */
int bt_stats_diff(const struct bt_tensor *const *a, size_t n_a,
                  const struct bt_tensor *const *b, size_t n_b,
                  struct bt_pool *pool, struct bt_tensor_diff **rows,
                  size_t *n_rows, struct bt_error *err) BT_MUST_USE;

#endif

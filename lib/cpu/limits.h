/* SPDX-License-Identifier: MIT */
/* What this machine can do at most, measured here and now. */
#ifndef BT_CPU_LIMITS_H
#define BT_CPU_LIMITS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/profile.h"

struct bt_limits {
	double flop; /* operations a second of products whose operands stay in
	              * caches, on all threads of the pool */
	double copy; /* bytes a second, read and written, copying memory */
};

#define BT_SHARE_SIZE 64

/* "512 GFLOP/s (57 % of products alone)"; only the first part where l->flop is
 * 0. Returns out. */
const char *bt_limits_share(double flop, const struct bt_limits *l,
                            char out[BT_SHARE_SIZE]);

/* Takes about a fifth of a second. gemm and low as in cpu/gemm.h. */
int bt_limits_measure(struct bt_pool *pool, const char *gemm, bool low,
                      struct bt_limits *l, struct bt_error *err) BT_MUST_USE;

/* Measures the limits, puts them into p and prints it as notes. */
int bt_limits_log(struct bt_pool *pool, const char *gemm, bool low,
                  struct bt_profile *p, const struct bt_log *log,
                  struct bt_error *err) BT_MUST_USE;

#endif

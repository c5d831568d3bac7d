/* SPDX-License-Identifier: MIT */
/* What this machine can do at most, measured here and now. */
#ifndef BT_CPU_ROOFLINE_H
#define BT_CPU_ROOFLINE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/profile.h"

#define BT_SHARE_SIZE 64

/* "512 GFLOP/s (57 % of the matrix-product peak)"; only the first part where
 * limit is 0. Returns out. */
const char *bt_roofline_share(double flop, double limit,
                              char out[BT_SHARE_SIZE]);

/* Operations a second of products whose operands stay in caches, on all threads
 * of the pool. Takes some hundredths of a second and 3 MB a thread. gemm and
 * bf16 as in cpu/gemm.h. */
int bt_roofline_products(struct bt_pool *pool, const char *gemm, bool bf16,
                         double *flop, struct bt_error *err) BT_MUST_USE;

/*
 * The same measured while a run goes on, beside its steps, since what a machine
 * gives may change from second to second. pool is borrowed.
 */
struct bt_roofline;

int bt_roofline_new(struct bt_pool *pool, const char *gemm, bool bf16,
                    struct bt_roofline **limits,
                    struct bt_error *err) BT_MUST_USE;
void bt_roofline_free(struct bt_roofline *limits); /* takes NULL */

/* Measures once, for a millisecond or some; limits may be NULL. */
void bt_roofline_sample(struct bt_roofline *limits);

/* Puts the median rate of the samples into p, of which it takes some if there
 * are few, and the rate of copying memory, for which it takes 64 MB a thread;
 * prints p as notes. */
int bt_roofline_log(struct bt_roofline *limits, struct bt_profile *p,
                    const struct bt_log *log, struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The mean of the weights over the last n of a run's T updates, with p_t the
 * weights after update t:
 *   a_t = mean of p_{T-n+1} ... p_t
 * [Izmailov et al. 2018, "Averaging Weights Leads to Wider Optima and Better
 * Generalization", at each update]
 */
#ifndef BT_OPTIM_AVERAGE_H
#define BT_OPTIM_AVERAGE_H

#include "base/mem.h"
#include "base/pool.h"
#include "op/graph.h"

struct bt_average {
	int64_t before; /* updates of the run that are not averaged */
	struct bt_arena a;
	size_t first, n;      /* floats of it that are trained; 0: no average */
	struct bt_pool *pool; /* borrowed */
};

/* last: the n of `total` updates, or all if these are fewer; below 1: a share
 * of them. With 0 there is no average, and the functions below do nothing. */
int bt_average_init(struct bt_average *a, const struct bt_graph *g, double last,
                    int64_t total, struct bt_pool *pool,
                    struct bt_error *err) BT_MUST_USE;
void bt_average_clear(struct bt_average *a);

/* Bytes that it takes. */
size_t bt_average_bytes(const struct bt_graph *g, double last);

/* After update t >= 1 of the parameters. */
void bt_average_update(struct bt_average *a, const float *params, int64_t t);

/* Whether there is one after update t. */
bool bt_average_stands(const struct bt_average *a, int64_t t);

/* Exchanges it with the parameters; again, and all is as it was. */
void bt_average_swap(struct bt_average *a, float *params);

#endif

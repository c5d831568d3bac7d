/* SPDX-License-Identifier: MIT */
/*
 * Averages of the weights over a run, with p_t the weights after update t:
 *
 *   decay d      a_0 = p_0;  a_t = a_{t-1} + (1 - d_t) (p_t - a_{t-1}) with
 *                d_t = min(d, (1 + t) / (10 + t)), so that a short run forgets
 *                its start, too [Polyak & Juditsky 1992; d_t as TensorFlow's
 *                ExponentialMovingAverage with num_updates]
 *   last n of T  a_t = mean of p_{T-n+1} ... p_t
 *                [Izmailov et al. 2018, "Averaging Weights Leads to Wider
 *                Optima and Better Generalization", at each update]
 */
#ifndef BT_OPTIM_AVERAGE_H
#define BT_OPTIM_AVERAGE_H

#include "base/mem.h"
#include "base/pool.h"
#include "op/graph.h"

/* One of both, or none. */
struct bt_average_opts {
	double decay; /* 0: none */
	double last;  /* updates of the run; below 1: a share of them; 0: none
	               */
};

static inline bool bt_averages(const struct bt_average_opts *o)
{
	return o->decay > 0 || o->last > 0;
}

struct bt_average {
	struct bt_average_opts o;
	int64_t before; /* updates of the run that are not averaged */
	struct bt_arena a;
	size_t first, n;      /* floats of it that are trained */
	struct bt_pool *pool; /* borrowed */
};

/* Begins with the weights before the first update. Without options there is
 * none, and the functions below do nothing. */
int bt_average_init(struct bt_average *a, const struct bt_graph *g,
                    const struct bt_average_opts *o, const float *params,
                    int64_t total, struct bt_pool *pool,
                    struct bt_error *err) BT_MUST_USE;
void bt_average_clear(struct bt_average *a);

/* Bytes that it takes. */
size_t bt_average_bytes(const struct bt_graph *g,
                        const struct bt_average_opts *o);

/* After update t >= 1 of the parameters. */
void bt_average_update(struct bt_average *a, const float *params, int64_t t);

/* Whether there is one after update t. */
bool bt_average_stands(const struct bt_average *a, int64_t t);

/* Exchanges it with the parameters; again, and all is as it was. */
void bt_average_swap(struct bt_average *a, float *params);

#endif

/* SPDX-License-Identifier: MIT */
#include "optim/average.h"

#include <string.h>

#include "optim/schedule.h"

#define PIECE ((size_t)1 << 15) /* floats */

int bt_average_init(struct bt_average *a, const struct bt_graph *g, double last,
                    int64_t total, struct bt_pool *pool, struct bt_error *err)
{
	memset(a, 0, sizeof(*a));
	if (last == 0)
		return BT_OK;
	a->pool = pool;
	a->before = total - bt_schedule_warmup(last, total);
	if (a->before < 0) /* a run of fewer updates */
		a->before = 0;
	a->first = bt_graph_first_trained(g);
	a->n = g->n_floats - a->first;
	if (bt_arena_init(&a->a, g->n_floats * sizeof(float)) != BT_OK)
		return bt_error_nomem(err, "averaging weights");
	return BT_OK;
}

void bt_average_clear(struct bt_average *a)
{
	bt_arena_clear(&a->a);
	memset(a, 0, sizeof(*a));
}

size_t bt_average_bytes(const struct bt_graph *g, double last)
{
	return last > 0
	           ? (g->n_floats - bt_graph_first_trained(g)) * sizeof(float)
	           : 0;
}

struct job {
	float *a, *p; /* what is trained */
	size_t n;
	float share; /* of the new weights; 1: all, and there is no average */
};

static size_t piece_end(const struct job *j, int piece)
{
	size_t end = ((size_t)piece + 1) * PIECE;

	return end < j->n ? end : j->n;
}

static void update_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	size_t i, end = piece_end(j, piece);

	(void)worker;
	for (i = (size_t)piece * PIECE; i < end; i++)
		j->a[i] = j->share == 1
		              ? j->p[i]
		              : j->a[i] + j->share * (j->p[i] - j->a[i]);
}

static void swap_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	size_t i, end = piece_end(j, piece);
	float x;

	(void)worker;
	for (i = (size_t)piece * PIECE; i < end; i++) {
		x = j->a[i];
		j->a[i] = j->p[i];
		j->p[i] = x;
	}
}

static void run(struct bt_average *a, bt_piece_fn *fn, float *params,
                double share)
{
	struct job j = {(float *)a->a.base + a->first, params + a->first, a->n,
	                (float)share};

	bt_pool_run(a->pool, fn, &j, (int)((j.n + PIECE - 1) / PIECE));
}

bool bt_average_stands(const struct bt_average *a, int64_t t)
{
	return a->n > 0 && t > a->before;
}

void bt_average_update(struct bt_average *a, const float *params, int64_t t)
{
	if (bt_average_stands(a, t))
		run(a, update_piece, (float *)(uintptr_t)params,
		    1 / (double)(t - a->before));
}

void bt_average_swap(struct bt_average *a, float *params)
{
	if (a->n > 0)
		run(a, swap_piece, params, 1);
}

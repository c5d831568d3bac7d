/* SPDX-License-Identifier: MIT */
#include "train/shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/sys.h"

#define PIECE ((size_t)1 << 15) /* floats */

/* Sums that a node of n shards takes: its left half leaves its own where the
 * node's will be, to which that of the right half is added. */
static int sums_of(int n)
{
	int half, left, right;

	if (n == 1)
		return 1;
	half = bt_shard_half(n);
	left = sums_of(half);
	right = 1 + (n - half > 1 ? sums_of(n - half) : 0);
	return left > right ? left : right;
}

size_t bt_shards_bytes(int n, size_t floats)
{
	return n > 1 ? (size_t)sums_of(n) * floats * sizeof(float) : 0;
}

int bt_shards_init(struct bt_shards *h, int n, const float *grads,
                   size_t floats, struct bt_pool *pool, struct bt_error *err)
{
	enum bt_isa isa;
	int r = bt_isa(&isa, err), i;

	memset(h, 0, sizeof(*h));
	if (r != BT_OK)
		return r;
	h->n = n;
	h->floats = floats;
	h->grads = grads;
	h->pool = pool;
	h->k = bt_kernels_for(isa);
	h->n_sums = n > 1 ? sums_of(n) : 0;
	h->sums = bt_array0((size_t)h->n_sums, sizeof(*h->sums));
	for (i = 0; i < h->n_sums; i++)
		if (bt_arena_init(&h->sums[i], floats * sizeof(float)) !=
		    BT_OK) {
			bt_shards_clear(h);
			return bt_error_nomem(err, "preparing shards");
		}
	return BT_OK;
}

void bt_shards_clear(struct bt_shards *h)
{
	int i;

	for (i = 0; i < h->n_sums; i++)
		bt_arena_clear(&h->sums[i]);
	free(h->sums);
	memset(h, 0, sizeof(*h));
}

struct piece_job {
	const struct bt_shards *h;
	const float *x;
	float *y;
};

static void copy_piece(void *arg, int piece, int worker)
{
	const struct piece_job *j = arg;
	size_t at = (size_t)piece * PIECE, left = j->h->floats - at;

	(void)worker;
	memcpy(j->y + at, j->x + at,
	       (left < PIECE ? left : PIECE) * sizeof(*j->y));
}

static void add_piece(void *arg, int piece, int worker)
{
	const struct piece_job *j = arg;
	size_t at = (size_t)piece * PIECE, left = j->h->floats - at;

	(void)worker;
	j->h->k->axpy(1.0f, j->x + at, j->y + at, left < PIECE ? left : PIECE);
}

/* y = x, or y += x */
static void run(const struct bt_shards *h, bt_piece_fn *fn, const float *x,
                float *y)
{
	struct piece_job j = {h, x, y};

	bt_pool_run(h->pool, fn, &j, (int)((h->floats + PIECE - 1) / PIECE));
}

/* The node's gradients, in h->sums[level]. */
static int add_up(struct bt_shards *h, struct bt_shard_node node, int level,
                  bt_shard_fn *fn, void *ctx, struct bt_error *err)
{
	int middle, r;

	if (node.hi - node.lo == 1) {
		r = fn(ctx, node.lo, err);
		if (r == BT_OK)
			run(h, copy_piece, h->grads, h->sums[level].base);
		return r;
	}
	middle = node.lo + bt_shard_half(node.hi - node.lo);
	r = add_up(h, (struct bt_shard_node){node.lo, middle}, level, fn, ctx,
	           err);
	if (r != BT_OK)
		return r;
	if (node.hi - middle == 1) {
		r = fn(ctx, middle, err);
		if (r == BT_OK)
			run(h, add_piece, h->grads, h->sums[level].base);
		return r;
	}
	r = add_up(h, (struct bt_shard_node){middle, node.hi}, level + 1, fn,
	           ctx, err);
	if (r == BT_OK)
		run(h, add_piece, h->sums[level + 1].base, h->sums[level].base);
	return r;
}

int bt_shards_add_up(struct bt_shards *h, bt_shard_fn *fn, void *ctx,
                     const float **sum, struct bt_error *err)
{
	*sum = h->n > 1 ? h->sums[0].base : h->grads;
	return h->n > 1
	           ? add_up(h, (struct bt_shard_node){0, h->n}, 0, fn, ctx, err)
	           : fn(ctx, 0, err);
}

/* SPDX-License-Identifier: MIT */
#include "train/shards.h"

#include <limits.h>
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

/* The last node may be a shard, whose gradients need not be moved. */
static bool stays(const struct bt_shard_node *nodes, int k, int n)
{
	return k == n - 1 && nodes[k].hi - nodes[k].lo == 1;
}

static int all_sums(const struct bt_shard_node *nodes, int n)
{
	int most = 0, k, need;

	for (k = 0; k < n; k++) {
		need = stays(nodes, k, n)
		           ? k
		           : k + sums_of(nodes[k].hi - nodes[k].lo);
		most = need > most ? need : most;
	}
	return most;
}

size_t bt_shards_bytes(int n, const struct bt_dist *dist, size_t floats)
{
	int ranks = bt_dist_size(dist), rank = bt_dist_rank(dist), all = 0, r;
	struct bt_shard_node nodes[BT_SHARD_NODES_MAX];
	size_t sums;

	for (r = 0; r < ranks && ranks > 1; r++)
		all += bt_shard_nodes(n, bt_shard_first(n, r, ranks),
		                      bt_shard_first(n, r + 1, ranks), nodes);
	sums = (size_t)all_sums(
	    nodes, bt_shard_nodes(n, bt_shard_first(n, rank, ranks),
	                          bt_shard_first(n, rank + 1, ranks), nodes));
	return (sums * floats + (size_t)all * floats / (size_t)ranks) *
	       sizeof(float);
}

/* What this rank receives. */
static int prepare_parts(struct bt_shards *h, struct bt_error *err)
{
	int ranks = bt_dist_size(h->dist), rank = bt_dist_rank(h->dist), r;
	size_t floats;

	h->count = bt_array0((size_t)ranks, sizeof(*h->count));
	h->all = bt_array0((size_t)ranks * BT_SHARD_NODES_MAX, sizeof(*h->all));
	if (h->count == NULL || h->all == NULL)
		return bt_error_nomem(err, "preparing shards");
	for (r = 0; r < ranks; r++) {
		h->count[r] = bt_shard_nodes(
		    h->n, bt_shard_first(h->n, r, ranks),
		    bt_shard_first(h->n, r + 1, ranks), h->all + h->n_all);
		h->n_all += h->count[r];
	}
	floats = (size_t)h->n_all * (h->at[rank + 1] - h->at[rank]);
	if (floats > INT_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "%d shards of so large a model are too "
		                    "many",
		                    h->n);
	floats += h->at[rank];
	return bt_arena_init(&h->parts, floats * sizeof(float)) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "preparing shards");
}

int bt_shards_init(struct bt_shards *h, int n, const float *grads,
                   size_t floats, struct bt_pool *pool, struct bt_dist *dist,
                   const size_t *at, struct bt_error *err)
{
	int ranks = bt_dist_size(dist), rank = bt_dist_rank(dist);
	enum bt_isa isa;
	int r = bt_isa(&isa, err), i;

	memset(h, 0, sizeof(*h));
	if (r != BT_OK)
		return r;
	if (n < ranks)
		return bt_error_set(err, BT_EARG,
		                    "%d processes of one job have only %d "
		                    "shards of a batch to compute",
		                    ranks, n);
	*h = (struct bt_shards){.n = n,
	                        .first = bt_shard_first(n, rank, ranks),
	                        .last = bt_shard_first(n, rank + 1, ranks),
	                        .floats = floats,
	                        .from = at[0],
	                        .grads = grads,
	                        .pool = pool,
	                        .k = bt_kernels_for(isa),
	                        .dist = dist,
	                        .at = at};
	h->n_nodes = bt_shard_nodes(n, h->first, h->last, h->nodes);
	h->n_sums = all_sums(h->nodes, h->n_nodes);
	h->sums = bt_array0((size_t)h->n_sums, sizeof(*h->sums));
	for (i = 0; i < h->n_sums && r == BT_OK; i++)
		if (bt_arena_init(&h->sums[i], floats * sizeof(float)) != BT_OK)
			r = bt_error_nomem(err, "preparing shards");
	if (r == BT_OK && dist != NULL)
		r = prepare_parts(h, err);
	if (r != BT_OK)
		bt_shards_clear(h);
	return r;
}

/* Which rows a sum has. */
struct bt_row_sum {
	int32_t *ids;   /* [n_rows] the first n are of them */
	int32_t *where; /* [n_rows] which of these a row is, from 1; 0: none */
	size_t n;
};

int bt_shards_by_rows(struct bt_shards *h, size_t table, size_t n_rows,
                      size_t cols, const struct bt_row_grads *rows,
                      struct bt_error *err)
{
	struct bt_row_sum *s;
	int i;

	h->table = table;
	h->n_rows = n_rows;
	h->cols = cols;
	h->shard_rows = rows;
	h->row_sums = bt_array0((size_t)h->n_sums, sizeof(*h->row_sums));
	for (i = 0; i < h->n_sums; i++) {
		s = &h->row_sums[i];
		s->ids = bt_array(n_rows, sizeof(*s->ids));
		s->where = bt_array0(n_rows, sizeof(*s->where));
		if (s->ids == NULL || s->where == NULL)
			return bt_error_nomem(err, "preparing shards");
	}
	return BT_OK;
}

void bt_shards_clear(struct bt_shards *h)
{
	int i;

	for (i = 0; i < h->n_sums; i++)
		bt_arena_clear(&h->sums[i]);
	for (i = 0; i < h->n_sums && h->row_sums != NULL; i++) {
		free(h->row_sums[i].ids);
		free(h->row_sums[i].where);
	}
	free(h->row_sums);
	bt_arena_clear(&h->parts);
	free(h->sums);
	free(h->all);
	free(h->count);
	memset(h, 0, sizeof(*h));
}

struct piece_job {
	const struct bt_shards *h;
	const float *x;
	float *y;
	size_t n;
};

static void copy_piece(void *arg, int piece, int worker)
{
	const struct piece_job *j = arg;
	size_t at = (size_t)piece * PIECE, left = j->n - at;

	(void)worker;
	memcpy(j->y + at, j->x + at,
	       (left < PIECE ? left : PIECE) * sizeof(*j->y));
}

static void add_piece(void *arg, int piece, int worker)
{
	const struct piece_job *j = arg;
	size_t at = (size_t)piece * PIECE, left = j->n - at;

	(void)worker;
	j->h->k->axpy(1.0f, j->x + at, j->y + at, left < PIECE ? left : PIECE);
}

/* y = x, or y += x: n floats of each */
static void run(const struct bt_shards *h, bt_piece_fn *fn, const float *x,
                float *y, size_t n)
{
	struct piece_job j = {h, x, y, n};

	bt_pool_run(h->pool, fn, &j, (int)((n + PIECE - 1) / PIECE));
}

/* The same with what is trained of whole arrays, but rows. */
static void run_all(const struct bt_shards *h, bt_piece_fn *fn, const float *x,
                    float *y)
{
	size_t end = h->table + h->n_rows * h->cols;

	if (h->n_rows == 0) {
		run(h, fn, x + h->from, y + h->from, h->floats - h->from);
		return;
	}
	run(h, fn, x + h->from, y + h->from, h->table - h->from);
	run(h, fn, x + end, y + end, h->floats - end);
}

static struct bt_row_grads rows_of(const struct bt_shards *h, int level)
{
	return (struct bt_row_grads){
	    .ids = h->row_sums[level].ids,
	    .values = (const float *)h->sums[level].base + h->table,
	    .n = h->row_sums[level].n};
}

/* To the rows of a sum; those that it lacks begin with zeros. */
static void add_rows(struct bt_shards *h, const struct bt_row_grads *rows,
                     int level)
{
	struct bt_row_sum *s = &h->row_sums[level];
	float *to = (float *)h->sums[level].base + h->table, *y;
	int32_t *where;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		where = &s->where[rows->ids[i]];
		if (*where == 0) {
			memset(to + s->n * h->cols, 0, h->cols * sizeof(*to));
			s->ids[s->n++] = rows->ids[i];
			*where = (int32_t)s->n;
		}
		y = to + (size_t)(*where - 1) * h->cols;
		h->k->axpy(1.0f, rows->values + i * h->cols, y, h->cols);
	}
}

/* The sum of that level is, or has added to it, the gradients of a shard. */
static void set_sum(struct bt_shards *h, int level)
{
	struct bt_row_sum *s;

	run_all(h, copy_piece, h->grads, h->sums[level].base);
	if (h->n_rows == 0)
		return;
	s = &h->row_sums[level];
	while (s->n > 0)
		s->where[s->ids[--s->n]] = 0;
	add_rows(h, h->shard_rows, level);
}

static void add_shard(struct bt_shards *h, int level)
{
	run_all(h, add_piece, h->grads, h->sums[level].base);
	if (h->n_rows > 0)
		add_rows(h, h->shard_rows, level);
}

static void add_sum(struct bt_shards *h, int level)
{
	struct bt_row_grads rows;

	run_all(h, add_piece, h->sums[level + 1].base, h->sums[level].base);
	if (h->n_rows == 0)
		return;
	rows = rows_of(h, level + 1);
	add_rows(h, &rows, level);
}

/* The node's gradients, in h->sums[level]. */
static int add_up(struct bt_shards *h, struct bt_shard_node node, int level,
                  bt_shard_fn *fn, void *ctx, struct bt_error *err)
{
	int middle, r;

	if (node.hi - node.lo == 1) {
		r = fn(ctx, node.lo, err);
		if (r == BT_OK)
			set_sum(h, level);
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
			add_shard(h, level);
		return r;
	}
	r = add_up(h, (struct bt_shard_node){middle, node.hi}, level + 1, fn,
	           ctx, err);
	if (r == BT_OK)
		add_sum(h, level);
	return r;
}

/* The rest of the tree, from the parts of all ranks' nodes, of which *next is
 * the first below this one. Returns where the sum is. */
static float *add_parts(struct bt_shards *h, struct bt_shard_node node,
                        int *next)
{
	size_t rank = (size_t)bt_dist_rank(h->dist);
	size_t own = h->at[rank + 1] - h->at[rank];
	const struct bt_shard_node *there = &h->all[*next];
	float *left, *right;
	int middle;

	if (there->lo == node.lo && there->hi == node.hi)
		return (float *)h->parts.base + h->at[rank] +
		       (size_t)(*next)++ * own;
	middle = node.lo + bt_shard_half(node.hi - node.lo);
	left = add_parts(h, (struct bt_shard_node){node.lo, middle}, next);
	right = add_parts(h, (struct bt_shard_node){middle, node.hi}, next);
	run(h, add_piece, right, left, own);
	return left;
}

int bt_shards_add_up(struct bt_shards *h, bt_shard_fn *fn, void *ctx,
                     const float **sum, struct bt_error *err)
{
	const float *arrays[BT_SHARD_NODES_MAX];
	int k, next = 0, r = BT_OK;

	for (k = 0; k < h->n_nodes && r == BT_OK; k++) {
		if (stays(h->nodes, k, h->n_nodes))
			r = fn(ctx, h->nodes[k].lo, err);
		else
			r = add_up(h, h->nodes[k], k, fn, ctx, err);
		arrays[k] =
		    stays(h->nodes, k, h->n_nodes) ? h->grads : h->sums[k].base;
	}
	r = bt_dist_agree(h->dist, r, err);
	if (r != BT_OK)
		return r;
	*sum = arrays[0];
	if (h->n_rows > 0)
		h->rows =
		    arrays[0] == h->grads ? *h->shard_rows : rows_of(h, 0);
	if (h->dist == NULL)
		return BT_OK;
	bt_dist_hand_over(h->dist, arrays, h->count, h->at,
	                  (float *)h->parts.base +
	                      h->at[bt_dist_rank(h->dist)]);
	(void)add_parts(h, (struct bt_shard_node){0, h->n}, &next);
	*sum = h->parts.base; /* the first part is where the sum is */
	return BT_OK;
}

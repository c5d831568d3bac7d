/* SPDX-License-Identifier: MIT */
#include "train/shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/sys.h"

#define PIECE ((size_t)1 << 15) /* floats */

/* Buckets of a gradient: one is ready soon, and messages are not small. */
#define BUCKETS 32

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

/* The level of the sum to which the last shard of a node of n is added; those
 * of the levels above it are added one to the other. */
static int right_level(int n)
{
	int level = 0;

	while (n - bt_shard_half(n) > 1) {
		n -= bt_shard_half(n);
		level++;
	}
	return level;
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
	int ranks = bt_dist_size(dist), rank = bt_dist_rank(dist), r;
	struct bt_shard_node nodes[BT_SHARD_NODES_MAX];
	size_t sums, others = 0;

	for (r = 0; r < ranks; r++)
		if (r != rank)
			others += (size_t)bt_shard_nodes(
			    n, bt_shard_first(n, r, ranks),
			    bt_shard_first(n, r + 1, ranks), nodes);
	sums = (size_t)all_sums(
	    nodes, bt_shard_nodes(n, bt_shard_first(n, rank, ranks),
	                          bt_shard_first(n, rank + 1, ranks), nodes));
	return (sums * floats + others * floats / (size_t)ranks) *
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
	floats = (size_t)(h->n_all - h->count[rank]) *
	         (h->at[rank + 1] - h->at[rank]);
	if (h->n_all == ranks)
		h->bucket = (h->floats - h->from) / BUCKETS + 1;
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
	h->right = right_level(h->last - h->first);
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

int bt_shards_by_rows(struct bt_shards *h, size_t table, size_t cols,
                      const struct bt_row_grads *rows,
                      const struct bt_row_set *set, size_t own,
                      struct bt_error *err)
{
	size_t row = cols * sizeof(float);

	h->table = table;
	h->cols = cols;
	h->shard_rows = rows;
	h->set = set;
	if (h->dist == NULL)
		return BT_OK;
	own = own < set->most ? own : set->most;
	h->row_at = bt_array0((size_t)set->ranks + 1, sizeof(*h->row_at));
	if (bt_arena_init(&h->last_rows, set->most * row) == BT_OK &&
	    bt_arena_init(&h->row_parts,
	                  (size_t)(h->n_all - h->n_nodes) * own * row) == BT_OK)
		return BT_OK;
	return bt_error_nomem(err, "preparing shards");
}

void bt_shards_clear(struct bt_shards *h)
{
	int i;

	for (i = 0; i < h->n_sums; i++)
		bt_arena_clear(&h->sums[i]);
	bt_arena_clear(&h->parts);
	bt_arena_clear(&h->last_rows);
	bt_arena_clear(&h->row_parts);
	free(h->row_at);
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
	size_t end = h->table;

	if (h->dist != NULL || h->set == NULL) { /* `from` is behind rows */
		run(h, fn, x + h->from, y + h->from, h->left - h->from);
		return;
	}
	end += h->set->n_rows * h->cols;
	run(h, fn, x + h->from, y + h->from, h->table - h->from);
	run(h, fn, x + end, y + end, h->floats - end);
}

/* Where a sum has rows. */
static float *rows_of(const struct bt_shards *h, int level)
{
	return (float *)h->sums[level].base + h->table;
}

/* Where the rows of a set have that of the shard's i-th row. */
static float *slot(const struct bt_shards *h, float *rows, size_t i)
{
	int32_t from1 = h->set->slot[h->shard_rows->ids[i]];

	return rows + (size_t)(from1 - 1) * h->cols;
}

/* The shard's rows, and zeros for those that it lacks. */
static void copy_rows(const struct bt_shards *h, float *rows)
{
	const float *x = h->shard_rows->values;
	size_t i;

	memset(rows, 0, h->set->n * h->cols * sizeof(*rows));
	for (i = 0; i < h->shard_rows->n; i++, x += h->cols)
		memcpy(slot(h, rows, i), x, h->cols * sizeof(*rows));
}

/* The sum of that level is, or has added to it, the gradients of a shard. */
static void set_sum(struct bt_shards *h, int level)
{
	run_all(h, copy_piece, h->grads, h->sums[level].base);
	if (h->set != NULL)
		copy_rows(h, rows_of(h, level));
}

static void add_shard(struct bt_shards *h, int level)
{
	const float *x;
	size_t i;

	run_all(h, add_piece, h->grads, h->sums[level].base);
	if (h->set == NULL)
		return;
	x = h->shard_rows->values;
	for (i = 0; i < h->shard_rows->n; i++, x += h->cols)
		h->k->axpy(1.0f, x, slot(h, rows_of(h, level), i), h->cols);
}

static void add_sum(struct bt_shards *h, int level)
{
	run_all(h, add_piece, h->sums[level + 1].base, h->sums[level].base);
	if (h->set != NULL)
		run(h, add_piece, rows_of(h, level + 1), rows_of(h, level),
		    h->set->n * h->cols);
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

/* This rank's part of the nodes of all: of its own where they are, of the
 * others' where they come to. */
struct node_parts {
	float *const *own; /* [h->n_nodes] whole arrays */
	size_t at, n;      /* its first float in these, floats of each part */
	float *others;     /* the next one's */
	int next;          /* node */
};

static float *next_part(const struct bt_shards *h, struct node_parts *p)
{
	int rank = bt_dist_rank(h->dist), own = p->next++, r;
	float *part = p->others;

	for (r = 0; r < rank; r++)
		own -= h->count[r];
	if (own >= 0 && own < h->n_nodes)
		return p->own[own] + p->at;
	p->others += p->n;
	return part;
}

/* The rest of the tree. Returns where the sum is. */
static float *add_parts(struct bt_shards *h, struct bt_shard_node node,
                        struct node_parts *p)
{
	const struct bt_shard_node *there = &h->all[p->next];
	float *left, *right, *x;
	int middle;

	if (there->lo == node.lo && there->hi == node.hi)
		return next_part(h, p);
	middle = node.lo + bt_shard_half(node.hi - node.lo);
	left = add_parts(h, (struct bt_shard_node){node.lo, middle}, p);
	right = add_parts(h, (struct bt_shard_node){middle, node.hi}, p);
	if (left == h->grads + p->at) {
		/* not into the engine's, which clears only what it wrote; that
		 * way round the sum is the same */
		x = left;
		left = right;
		right = x;
	}
	run(h, add_piece, right, left, p->n);
	return left;
}

/* Where this rank's parts of other ranks' nodes are. */
static float *parts_of_others(const struct bt_shards *h)
{
	return (float *)h->parts.base + h->at[bt_dist_rank(h->dist)];
}

/* Adds floats from .. to - 1 of the last shard to the sum. */
static void complete(struct bt_shards *h, size_t from, size_t to)
{
	const float *x = h->grads;
	float *y;
	int level;

	for (level = h->right; level >= 0; level--, x = y) {
		y = h->sums[level].base;
		run(h, add_piece, x + from, y + from, to - from);
	}
}

/* Begins to hand over the buckets that lie behind that float; with `add`, the
 * last shard is still to be added to them. They are the same on all ranks,
 * whenever each can begin. */
static void begin_buckets(struct bt_shards *h, size_t from, bool add)
{
	bool one = stays(h->nodes, 0, h->n_nodes);
	size_t to;

	if (from < h->from)
		from = h->from;
	while (h->left > from &&
	       (from == h->from || h->left - from >= h->bucket)) {
		to = h->left;
		h->left = to - h->from > h->bucket ? to - h->bucket : h->from;
		if (add && !one)
			complete(h, h->left, to);
		bt_dist_begin_hand_over(
		    h->dist, one ? h->grads : h->sums[0].base, 0, h->count,
		    h->at, h->left, to, parts_of_others(h));
	}
}

void bt_shards_ready(struct bt_shards *h, size_t from)
{
	begin_buckets(h, from, true);
	bt_dist_move_on(h->dist);
}

/* Begins to hand over this rank's nodes, rank r's elements at[r] .. at[r + 1] -
 * 1 to that. */
static void begin_all(struct bt_shards *h, float *const *arrays,
                      const size_t *at, float *parts)
{
	int k;

	for (k = 0; k < BT_SHARD_NODES_MAX; k++)
		bt_dist_begin_hand_over(
		    h->dist, k < h->n_nodes ? arrays[k] : NULL, k, h->count, at,
		    at[0], at[bt_dist_size(h->dist)], parts);
}

/* Sums the nodes of all ranks when those of the others are in `parts`. Returns
 * this rank's part. */
static float *end_all(struct bt_shards *h, float *const *arrays,
                      const size_t *at, float *parts)
{
	int rank = bt_dist_rank(h->dist);
	struct node_parts p = {arrays, at[rank], at[rank + 1] - at[rank], parts,
	                       0};

	bt_dist_end_hand_over(h->dist);
	return add_parts(h, (struct bt_shard_node){0, h->n}, &p);
}

/* The same of rows. */
static void exchange_rows(struct bt_shards *h)
{
	float *arrays[BT_SHARD_NODES_MAX], *parts = h->row_parts.base;
	const struct bt_row_set *set = h->set;
	size_t from = set->at[bt_dist_rank(h->dist)];
	int k;

	for (k = 0; k < h->n_nodes; k++)
		arrays[k] = stays(h->nodes, k, h->n_nodes) ? h->last_rows.base
		                                           : rows_of(h, k);
	if (stays(h->nodes, h->n_nodes - 1, h->n_nodes))
		copy_rows(h, h->last_rows.base);
	for (k = 0; k <= set->ranks; k++)
		h->row_at[k] = set->at[k] * h->cols;
	begin_all(h, arrays, h->row_at, parts);
	h->rows = (struct bt_row_grads){
	    .ids = set->ids + from,
	    .values = end_all(h, arrays, h->row_at, parts),
	    .n = set->at[bt_dist_rank(h->dist) + 1] - from};
}

/* The rows of the sum of all shards of one process. */
static struct bt_row_grads all_rows(const struct bt_shards *h)
{
	if (stays(h->nodes, 0, h->n_nodes))
		return *h->shard_rows;
	return (struct bt_row_grads){
	    .ids = h->set->ids, .values = rows_of(h, 0), .n = h->set->n};
}

int bt_shards_add_up(struct bt_shards *h, bt_shard_fn *fn, void *ctx,
                     const float **sum, struct bt_error *err)
{
	float *arrays[BT_SHARD_NODES_MAX], *parts;
	int k, r = BT_OK;

	h->left = h->floats;
	for (k = 0; k < h->n_nodes && r == BT_OK; k++) {
		if (stays(h->nodes, k, h->n_nodes))
			r = fn(ctx, h->nodes[k].lo, err);
		else
			r = add_up(h, h->nodes[k], k, fn, ctx, err);
		arrays[k] = stays(h->nodes, k, h->n_nodes) ? (float *)h->grads
		                                           : h->sums[k].base;
	}
	if (h->bucket > 0) /* after an error, too: others have begun */
		begin_buckets(h, 0, false);
	r = bt_dist_agree(h->dist, r, err);
	if (h->bucket > 0)
		bt_dist_end_hand_over(h->dist);
	if (r != BT_OK)
		return r;
	*sum = arrays[0];
	if (h->dist == NULL) {
		if (h->set != NULL)
			h->rows = all_rows(h);
		return BT_OK;
	}
	parts = parts_of_others(h);
	if (h->bucket == 0)
		begin_all(h, arrays, h->at, parts);
	*sum = end_all(h, arrays, h->at, parts) - h->at[bt_dist_rank(h->dist)];
	if (h->set != NULL)
		exchange_rows(h);
	return BT_OK;
}

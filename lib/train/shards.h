/* SPDX-License-Identifier: MIT */
/*
 * The gradients of an update, whose batches are cut into shards: computed shard
 * by shard, and added up in the order of dist/shards.h, by one process or
 * several. One shard in one process needs neither memory nor time.
 */
#ifndef BT_TRAIN_SHARDS_H
#define BT_TRAIN_SHARDS_H

#include "base/mem.h"
#include "base/pool.h"
#include "cpu/kernels.h"
#include "dist/dist.h"
#include "dist/shards.h"
#include "optim/row_set.h"

struct bt_shards {
	int n;
	int first, last;    /* this rank's are first .. last - 1 */
	size_t floats;      /* of the gradients, */
	size_t from;        /* the first of which that is trained */
	const float *grads; /* borrowed: where those of a shard are computed */
	struct bt_pool *pool; /* borrowed */
	const struct bt_kernels *k;

	struct bt_shard_node nodes[BT_SHARD_NODES_MAX]; /* that this rank adds
	                                                 * up */
	int n_nodes;
	int n_sums;
	struct bt_arena *sums; /* [n_sums] sum k is that of node k, those behind
	                        * it are of right halves meanwhile */

	/* the table whose gradients are rows; in a sum, rows of the set stand
	 * at its beginning, in their order */
	size_t table, cols;                    /* its first float, columns */
	const struct bt_row_set *set;          /* borrowed; NULL: no table is */
	const struct bt_row_grads *shard_rows; /* borrowed: of a shard */
	struct bt_row_grads rows;  /* of the sum of all shards: this rank's */
	struct bt_arena last_rows; /* of a last node that is not moved */
	struct bt_arena row_parts; /* as parts */
	size_t *row_at;            /* [ranks + 1] which floats of rows are whose
	                            */

	struct bt_dist *dist;      /* borrowed; NULL: one process */
	const size_t *at;          /* borrowed: rank r owns floats at[r] .. */
	struct bt_shard_node *all; /* [n_all] nodes of all ranks */
	int n_all;
	int *count;            /* [ranks] how many are whose */
	struct bt_arena parts; /* from float at[rank] on: this rank's part of
	                        * each of the others' */

	/* where each rank hands over one sum: floats from `left` on are on
	 * their way, so many at a time (a bucket; 0: none before the end) */
	size_t left, bucket;
	int right; /* level of the sum that the last shard is added to */
};

/* Computes the gradients of shard s, into `grads`. */
typedef int bt_shard_fn(void *ctx, int s, struct bt_error *err);

/* Bytes for so many shards of floats that are trained. */
size_t bt_shards_bytes(int n, const struct bt_dist *dist, size_t floats);

/* Not fewer shards than ranks. */
int bt_shards_init(struct bt_shards *h, int n, const float *grads,
                   size_t floats, struct bt_pool *pool, struct bt_dist *dist,
                   const size_t *at, struct bt_error *err) BT_MUST_USE;
void bt_shards_clear(struct bt_shards *h);

/* From now on the gradients of a table at that float, of so many columns, are
 * rows: *rows after each shard, which all are of the set, and h->rows for the
 * sum. This rank owns no more than `own` of the set; with several, `at` of
 * bt_shards_init has nothing of the table. The bits are those of sums of whole
 * tables. */
int bt_shards_by_rows(struct bt_shards *h, size_t table, size_t cols,
                      const struct bt_row_grads *rows,
                      const struct bt_row_set *set, size_t own,
                      struct bt_error *err) BT_MUST_USE;

/* While the gradients of the last shard are computed: those from float `from`
 * on stay. What is complete of the sum is handed over meanwhile. */
void bt_shards_ready(struct bt_shards *h, size_t from);

/* *sum: the gradients of all shards, of which each rank has its part, valid
 * until the next call. An error of any rank is one of all. */
int bt_shards_add_up(struct bt_shards *h, bt_shard_fn *fn, void *ctx,
                     const float **sum, struct bt_error *err) BT_MUST_USE;

#endif

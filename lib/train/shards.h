/* SPDX-License-Identifier: MIT */
/*
 * The gradients of an update, whose batches are cut into shards: computed shard
 * by shard, and added up in the order of dist/shards.h. One shard needs neither
 * memory nor time.
 */
#ifndef BT_TRAIN_SHARDS_H
#define BT_TRAIN_SHARDS_H

#include "base/mem.h"
#include "base/pool.h"
#include "cpu/kernels.h"
#include "dist/shards.h"

struct bt_shards {
	int n;
	size_t floats;      /* of the gradients */
	const float *grads; /* borrowed: where those of a shard are computed */
	int n_sums;
	struct bt_arena *sums; /* [n_sums] the first one's is that of all, the
	                        * others' are of right halves */
	struct bt_pool *pool;  /* borrowed */
	const struct bt_kernels *k;
};

/* Computes the gradients of shard s, into `grads`. */
typedef int bt_shard_fn(void *ctx, int s, struct bt_error *err);

/* Bytes for so many shards. */
size_t bt_shards_bytes(int n, size_t floats);

int bt_shards_init(struct bt_shards *h, int n, const float *grads,
                   size_t floats, struct bt_pool *pool,
                   struct bt_error *err) BT_MUST_USE;
void bt_shards_clear(struct bt_shards *h);

/* *sum: the gradients of all shards, valid until the next call. */
int bt_shards_add_up(struct bt_shards *h, bt_shard_fn *fn, void *ctx,
                     const float **sum, struct bt_error *err) BT_MUST_USE;

#endif

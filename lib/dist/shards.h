/* SPDX-License-Identifier: MIT */
/*
 * The order in which the gradients of shards are added up.
 *
 * A batch is cut into S shards, each of whose gradients is computed alone. The
 * sum of floats depends on the order of adding, so this is a tree over the
 * shards' numbers: the node of shards lo .. hi - 1 is the sum of that of
 * lo .. lo + h - 1 and that of lo + h .. hi - 1, where h is the largest power
 * of two below hi - lo. Nothing in it depends on who computes what.
 *
 * Rank r of N computes shards S r / N .. S (r + 1) / N - 1. It adds up the
 * nodes of the tree that lie in this range and in no larger node that does, and
 * hands over these sums, one where S = N, else about 2 log2(S / N) at most; who
 * receives all nodes of all ranks adds up the rest of the tree. So any number
 * of ranks that is not above S gives the same bits.
 */
#ifndef BT_DIST_SHARDS_H
#define BT_DIST_SHARDS_H

#define BT_SHARDS_MAX 4096
#define BT_SHARD_NODES_MAX 24 /* of a range */

struct bt_shard_node {
	int lo, hi; /* shards lo .. hi - 1 */
};

/* Shards of the left half of a node of n > 1. */
int bt_shard_half(int n);

/* The first shard of rank r of n, or with r = n the number of shards. */
int bt_shard_first(int shards, int rank, int ranks);

/* The largest nodes of the tree over so many shards that lie within lo ..
 * hi - 1, from left to right. Returns their number. */
int bt_shard_nodes(int shards, int lo, int hi,
                   struct bt_shard_node nodes[BT_SHARD_NODES_MAX]);

#endif

/* SPDX-License-Identifier: MIT */
#include "dist/shards.h"

#include <stdint.h>

int bt_shard_half(int n)
{
	int h = 1;

	while (2 * h < n)
		h *= 2;
	return h;
}

int bt_shard_first(int shards, int rank, int ranks)
{
	return (int)((int64_t)shards * rank / ranks);
}

/* Those below `node`, from left to right. */
static int collect(struct bt_shard_node node, int lo, int hi,
                   struct bt_shard_node *nodes)
{
	int middle, n;

	if (node.hi <= lo || node.lo >= hi)
		return 0;
	if (node.lo >= lo && node.hi <= hi) {
		*nodes = node;
		return 1;
	}
	middle = node.lo + bt_shard_half(node.hi - node.lo);
	n = collect((struct bt_shard_node){node.lo, middle}, lo, hi, nodes);
	return n + collect((struct bt_shard_node){middle, node.hi}, lo, hi,
	                   nodes + n);
}

int bt_shard_nodes(int shards, int lo, int hi,
                   struct bt_shard_node nodes[BT_SHARD_NODES_MAX])
{
	return collect((struct bt_shard_node){0, shards}, lo, hi, nodes);
}

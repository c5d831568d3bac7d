/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The order in which shards are added up does not depend on who has them. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "dist/shards.h"

TEST(halves_are_powers_of_two)
{
	static const int halves[] = {0, 0, 1, 2, 2, 4, 4, 4, 4, 8};
	int n;

	for (n = 2; n < 10; n++)
		assert_int_equal(bt_shard_half(n), halves[n]);
	assert_int_equal(bt_shard_half(BT_SHARDS_MAX), BT_SHARDS_MAX / 2);
}

/* Appends the node of lo .. hi - 1 in parentheses. */
static void spell(int lo, int hi, char *out)
{
	int middle = lo + bt_shard_half(hi - lo);

	if (hi - lo == 1) {
		sprintf(out + strlen(out), "%d", lo);
		return;
	}
	strcat(out, "(");
	spell(lo, middle, out);
	strcat(out, "+");
	spell(middle, hi, out);
	strcat(out, ")");
}

TEST(the_tree_is_as_told)
{
	char text[200] = "";

	spell(0, 7, text);
	assert_string_equal(text, "(((0+1)+(2+3))+((4+5)+6))");
}

/* Whether lo .. hi - 1 is a node below that of from .. to - 1. */
static int is_node(int lo, int hi, int from, int to)
{
	int middle;

	if (lo == from && hi == to)
		return 1;
	if (to - from == 1 || lo < from || hi > to)
		return 0;
	middle = from + bt_shard_half(to - from);
	return is_node(lo, hi, from, middle) || is_node(lo, hi, middle, to);
}

/* For any number of ranks their nodes cover all shards, from left to right,
 * and are nodes of the one tree; none could be larger. */
TEST(nodes_of_ranks_cover_all)
{
	struct bt_shard_node nodes[BT_SHARD_NODES_MAX];
	int shards, ranks, r, i, n, at, end;

	for (shards = 1; shards < 70; shards++)
		for (ranks = 1; ranks <= shards; ranks++)
			for (r = at = 0; r < ranks; r++) {
				end = bt_shard_first(shards, r + 1, ranks);
				assert_int_equal(
				    bt_shard_first(shards, r, ranks), at);
				assert_true(end > at);
				n = bt_shard_nodes(shards, at, end, nodes);
				if (shards == ranks)
					assert_int_equal(n, 1);
				for (i = 0; i < n; i++) {
					assert_int_equal(nodes[i].lo, at);
					assert_true(is_node(nodes[i].lo,
					                    nodes[i].hi, 0,
					                    shards));
					at = nodes[i].hi;
					if (i > 0)
						assert_false(is_node(
						    nodes[i - 1].lo,
						    nodes[i].hi, 0, shards));
				}
				assert_int_equal(at, end);
			}
}

TEST(a_range_has_few_nodes)
{
	struct bt_shard_node nodes[BT_SHARD_NODES_MAX];
	int n;

	n = bt_shard_nodes(BT_SHARDS_MAX, 1, BT_SHARDS_MAX - 1, nodes);
	assert_in_range(n, 20, BT_SHARD_NODES_MAX);
	n = bt_shard_nodes(BT_SHARDS_MAX - 1, 1, BT_SHARDS_MAX - 1, nodes);
	assert_in_range(n, 11, BT_SHARD_NODES_MAX);
}

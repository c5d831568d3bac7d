/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "op/ops.h"

/* In f32, as the published models were trained. */
static int bucket(const struct bt_relative_args *p, int distance)
{
	int mid = p->buckets / 2, n = abs(distance);
	float share;

	if (p->buckets <= 0 || n <= mid)
		return distance;
	share = logf((float)n / (float)mid) /
	        logf((float)((p->max - 1) / (double)mid));
	n = mid + (int)ceilf(share * (float)(mid - 1));
	return distance < 0 ? -n : n;
}

int bt_relative_position_row(const struct bt_relative_args *p, int distance)
{
	int row = p->span + bucket(p, distance);

	return row < 0 ? 0 : row < 2 * p->span ? row : 2 * p->span - 1;
}

int bt_op_relative_positions(struct bt_graph *g,
                             const struct bt_relative_args *p)
{

	if (g->failed)
		return -1;
	if (p->span < 1 || g->params[p->table].rows != 2 * p->span ||
	    (p->buckets > 0 &&
	     (p->buckets < 2 || p->max - 1 <= p->buckets / 2)))
		return bt_graph_misfit(
		    g, "'%s' does not fit its relative positions",
		    g->params[p->table].name);
	return bt_graph_add(g,
	                    &(struct bt_node){.op = BT_OP_RELATIVE_POSITIONS,
	                                      .rows = BT_PER_RELATIVE_POSITION,
	                                      .cols = g->params[p->table].cols,
	                                      .u.relative_positions = *p});
}

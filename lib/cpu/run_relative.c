/* SPDX-License-Identifier: MIT */
/* Relative positions: the table's rows that the longest sequence can reach. */
#include <stdlib.h>
#include <string.h>

#include "cpu/engine_int.h"
#include "op/ops.h"

/* The graph's relative positions, of which it has one kind at most, or NULL. */
static const struct bt_relative_args *find(const struct bt_engine *e)
{
	int i;

	for (i = 0; i < e->g->n_nodes; i++)
		if (e->g->nodes[i].op == BT_OP_RELATIVE_POSITIONS)
			return &e->g->nodes[i].u.relative_positions;
	return NULL;
}

void bt_relative_plan(struct bt_engine *e)
{
	int far = (int)e->o.max_length - 1;
	const struct bt_relative_args *p = find(e);

	if (p != NULL)
		e->max_rel = (size_t)(bt_relative_position_row(p, far) -
		                      bt_relative_position_row(p, -far) + 1);
}

int bt_relative_allocate(struct bt_engine *e)
{
	int far = (int)e->o.max_length - 1, i;
	const struct bt_relative_args *p = find(e);

	if (p == NULL)
		return BT_OK;
	e->rel_rows = bt_array(2 * e->o.max_length, sizeof(*e->rel_rows));
	if (e->rel_rows == NULL)
		return BT_ENOMEM;
	for (i = -far; i <= far; i++)
		e->rel_rows[far + i] = bt_relative_position_row(p, i);
	return BT_OK;
}

void bt_relative_batch(struct bt_engine *e)
{
	const int32_t *of = bt_relative_rows(e);
	size_t longest = 1, n, t;

	if (of == NULL)
		return;
	for (t = 0; t < e->b.sequences; t++) {
		n = e->b.start[t + 1] - e->b.start[t];
		longest = n > longest ? n : longest;
	}
	e->rel_row0 = of[-(ptrdiff_t)(longest - 1)];
	e->n_rel = (size_t)(of[longest - 1] - e->rel_row0 + 1);
}

static void plan(struct bt_engine *e, int node)
{
	(void)e;
	(void)node;
}

static void forward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *r = &e->run[node];
	size_t h = (size_t)n->cols, rows = e->n_rel;
	const float *x = bt_param(e, n->u.relative_positions.table) +
	                 (size_t)e->rel_row0 * h;

	if (r->buf[BT_SLOT_F32] != NULL)
		memcpy(r->buf[BT_SLOT_F32], x, rows * h * sizeof(*x));
	if (r->buf[BT_SLOT_BF16] != NULL)
		e->k->to_bf16(x, r->buf[BT_SLOT_BF16], rows * h);
	bt_zero_tail(r->buf[BT_SLOT_F32], rows, h, false);
	bt_zero_tail(r->buf[BT_SLOT_BF16], rows, h, true);
}

static void backward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	const struct bt_param *p = &e->g->params[n->u.relative_positions.table];
	size_t h = (size_t)n->cols;
	float *d;

	if (!bt_gives(e, n->u.relative_positions.table))
		return;
	d = bt_grad(e, n->u.relative_positions.table);
	if (!bt_adds(e, node))
		memset(d, 0, bt_param_size(p) * sizeof(*d));
	e->k->axpy(1.0f, e->run[node].buf[BT_SLOT_GRAD],
	           d + (size_t)e->rel_row0 * h, e->n_rel * h);
}

const struct bt_cpu_op bt_cpu_relative_positions = {plan, forward, backward};

/* SPDX-License-Identifier: MIT */
/* What attention takes positions from. Relative ones: the table's rows that the
 * longest sequence can reach. Rotary ones: tables of the cosines and sines that
 * rotate queries and keys. */
#include <math.h>
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

static bool rotates(const struct bt_node *n)
{
	return n->op == BT_OP_ATTENTION && n->u.attention.rope.theta > 0;
}

/* The first node whose table is node's, perhaps itself. */
static int owner(const struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node], *m;
	int i;

	for (i = 0; i < node; i++) {
		m = &e->g->nodes[i];
		if (rotates(m) &&
		    m->u.attention.head_dim == n->u.attention.head_dim &&
		    memcmp(&m->u.attention.rope, &n->u.attention.rope,
		           sizeof(n->u.attention.rope)) == 0)
			break;
	}
	return i;
}

/* Angles are rounded to f32 as the published models were trained. */
static void fill(float *t, size_t length, size_t d, const struct bt_rope *rope)
{
	size_t i, c, half = d / 2;
	float rate, angle;

	for (c = 0; c < half; c++) {
		rate = bt_rope_rate(rope, (int)c, (int)d);
		for (i = 0; i < length; i++) {
			angle = (float)i * rate;
			t[i * d + c] = cosf(angle) * rope->scale;
			t[i * d + half + c] = sinf(angle) * rope->scale;
		}
	}
}

int bt_rope_allocate(struct bt_engine *e)
{
	const struct bt_node *n;
	size_t d, floats;
	int i, from;

	for (i = 0; i < e->g->n_nodes; i++) {
		n = &e->g->nodes[i];
		if (!rotates(n))
			continue;
		from = owner(e, i);
		if (from < i) {
			e->run[i].rotary = e->run[from].rotary;
			continue;
		}
		d = (size_t)n->u.attention.head_dim;
		if (!bt_size_mul(e->o.max_length, d, &floats))
			return BT_ENOMEM;
		e->run[i].rotary = bt_array(floats, sizeof(float));
		if (e->run[i].rotary == NULL)
			return BT_ENOMEM;
		e->run[i].owns_rotary = true;
		fill(e->run[i].rotary, e->o.max_length, d,
		     &n->u.attention.rope);
	}
	return BT_OK;
}

void bt_rope_free(struct bt_engine *e)
{
	int i;

	for (i = 0; e->run != NULL && i < e->g->n_nodes; i++) {
		if (e->run[i].owns_rotary)
			free(e->run[i].rotary);
		e->run[i].rotary = NULL;
		e->run[i].owns_rotary = false;
	}
}

size_t bt_rope_bytes(const struct bt_engine *e)
{
	const struct bt_node *n;
	size_t sum = 0;
	int i;

	for (i = 0; i < e->g->n_nodes; i++) {
		n = &e->g->nodes[i];
		if (rotates(n) && owner(e, i) == i)
			sum += e->o.max_length *
			       (size_t)n->u.attention.head_dim * sizeof(float);
	}
	return sum;
}

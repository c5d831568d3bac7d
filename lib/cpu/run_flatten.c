/* SPDX-License-Identifier: MIT */
/* flatten: a copy, sequence by sequence. */
#include <string.h>

#include "cpu/engine_int.h"

struct job {
	struct bt_engine *e;
	int node;
};

static void plan(struct bt_engine *e, int node)
{
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
}

static void forward_sequence(void *arg, int t, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t h = (size_t)n->cols, at = (size_t)t * h;
	const float *x = (const float *)e->run[n->in[0]].buf[BT_SLOT_F32] + at;
	float *y = e->run[j->node].buf[BT_SLOT_F32];
	uint16_t *y_bf16 = e->run[j->node].buf[BT_SLOT_BF16];

	(void)worker;
	if (y != NULL)
		memcpy(y + at, x, h * sizeof(*y));
	if (y_bf16 != NULL)
		e->k->to_bf16(x, y_bf16 + at, h);
}

static void backward_sequence(void *arg, int t, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	const struct bt_node_run *r = &e->run[j->node];
	size_t h = (size_t)n->cols, at = (size_t)t * h;
	const float *dy = (const float *)r->buf[BT_SLOT_GRAD] + at;
	float *dx = (float *)e->run[n->in[0]].buf[BT_SLOT_GRAD] + at;

	(void)worker;
	if (r->stores_grad[0])
		memcpy(dx, dy, h * sizeof(*dx));
	else
		e->k->axpy(1.0f, dy, dx, h);
}

static void forward(struct bt_engine *e, int node)
{
	struct job j = {e, node};
	size_t h = (size_t)e->g->nodes[node].cols;

	bt_engine_run(e, forward_sequence, &j, (int)e->b.sequences);
	bt_zero_tail(e->run[node].buf[BT_SLOT_F32], e->b.sequences, h, false);
	bt_zero_tail(e->run[node].buf[BT_SLOT_BF16], e->b.sequences, h, true);
}

static void backward(struct bt_engine *e, int node)
{
	struct job j = {e, node};

	bt_engine_run(e, backward_sequence, &j, (int)e->b.sequences);
}

const struct bt_cpu_op bt_cpu_flatten = {plan, forward, backward};

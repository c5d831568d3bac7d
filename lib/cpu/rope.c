/* SPDX-License-Identifier: MIT */
/* Tables of the cosines and sines that rotate queries and keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/engine_int.h"

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

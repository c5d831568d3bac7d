/* SPDX-License-Identifier: MIT */
/*
 * The schedule of a graph of N nodes: node i runs forward at time i and, when
 * training, backward at time 2N - 1 - i. A buffer lives from its first to its
 * last use; buffers whose lives overlap get different places in the arena.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/engine_int.h"

static int backward_time(const struct bt_engine *e, int node)
{
	return 2 * e->g->n_nodes - 1 - node;
}

/* Marks the last writer of each gradient, in order of execution the first: it
 * stores, the others add. Only f32 can be added to. */
static int plan_gradients(struct bt_engine *e, struct bt_error *err)
{
	const struct bt_graph *g = e->g;
	int i, k, v, readers;
	enum bt_opcode op;

	for (v = 0; v < g->n_nodes; v++) {
		readers = 0;
		for (i = g->n_nodes - 1; i > v; i--)
			for (k = 0; k < g->nodes[i].n_in; k++)
				if (g->nodes[i].in[k] == v)
					e->run[i].stores_grad[k] =
					    readers++ == 0;
		op = g->nodes[v].op;
		e->run[v].grad_low =
		    (op == BT_OP_LINEAR || op == BT_OP_ATTENTION) &&
		    !e->run[v].need_f32 && e->o.low;
		if ((op == BT_OP_LINEAR || op == BT_OP_ATTENTION) &&
		    readers > 1)
			return bt_error_set(err, BT_EARG,
			                    "node %d is read more than once, "
			                    "which is not built",
			                    v);
	}
	return BT_OK;
}

static size_t bytes(const struct bt_engine *e, const struct bt_node *n,
                    bool low)
{
	return bt_gemm_room(bt_max_rows(e, n)) * (size_t)n->cols *
	       bt_element(low);
}

/* Last time at which the output of v is read. The answer stays to the end. */
static int last_read(const struct bt_engine *e, int v, bool low)
{
	const struct bt_graph *g = e->g;
	int i, k, last = v, t;
	enum bt_opcode op;
	bool again;

	if (v == g->logits)
		return 2 * g->n_nodes;
	for (i = v + 1; i < g->n_nodes; i++)
		for (k = 0; k < g->nodes[i].n_in; k++) {
			if (g->nodes[i].in[k] != v)
				continue;
			op = g->nodes[i].op;
			again = low == e->o.low &&
			        (op == BT_OP_LINEAR || op == BT_OP_ATTENTION);
			t = e->o.train && again ? backward_time(e, i) : i;
			last = t > last ? t : last;
		}
	return last;
}

static void plan_node(struct bt_engine *e, int i)
{
	const struct bt_node *n = &e->g->nodes[i];
	struct bt_node_run *r = &e->run[i];
	struct bt_slot_plan *p = r->plan;
	int back = e->o.train ? backward_time(e, i) : i, j, k;

	if (r->need_f32) {
		p[BT_SLOT_F32].size = bytes(e, n, false);
		p[BT_SLOT_F32].first = i;
		p[BT_SLOT_F32].last = last_read(e, i, false);
	}
	if (r->need_low) {
		p[BT_SLOT_LOW].size = bytes(e, n, true);
		p[BT_SLOT_LOW].first = i;
		p[BT_SLOT_LOW].last = last_read(e, i, true);
	}
	p[BT_SLOT_SAVED].first = p[BT_SLOT_SAVED2].first = i;
	p[BT_SLOT_SAVED].last = p[BT_SLOT_SAVED2].last = back;
	p[BT_SLOT_WORK].first = p[BT_SLOT_WORK].last = back;
	if (!e->o.train)
		return;
	p[BT_SLOT_GRAD].size = bytes(e, n, r->grad_low);
	p[BT_SLOT_GRAD].first = back;
	p[BT_SLOT_GRAD].last = back;
	for (j = e->g->n_nodes - 1; j > i; j--)
		for (k = 0; k < e->g->nodes[j].n_in; k++)
			if (e->g->nodes[j].in[k] == i &&
			    backward_time(e, j) < p[BT_SLOT_GRAD].first)
				p[BT_SLOT_GRAD].first = backward_time(e, j);
}

/* Largest first, so that small ones fill the gaps. */
static int by_size(const void *a, const void *b)
{
	const struct bt_slot_plan *x = *(struct bt_slot_plan *const *)a;
	const struct bt_slot_plan *y = *(struct bt_slot_plan *const *)b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return (x > y) - (x < y);
}

static bool overlap(const struct bt_slot_plan *a, const struct bt_slot_plan *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* The lowest place for s[i] that no placed buffer of the same time takes. */
static size_t find_place(struct bt_slot_plan *const *s, int i)
{
	size_t at = 0;
	bool moved;
	int j;

	do {
		moved = false;
		for (j = 0; j < i; j++)
			if (overlap(s[i], s[j]) &&
			    at < s[j]->offset + s[j]->size &&
			    s[j]->offset < at + s[i]->size) {
				at = s[j]->offset + s[j]->size;
				moved = true;
			}
	} while (moved);
	return at;
}

/* Gives each buffer its offset; *total is the size of the arena. */
static int place_all(struct bt_engine *e, size_t *total)
{
	size_t n_max = (size_t)e->g->n_nodes * BT_SLOTS;
	struct bt_slot_plan **s = bt_array(n_max, sizeof(*s)), *p;
	int i, k, n = 0;
	size_t sum = 0;

	if (s == NULL)
		return BT_ENOMEM;
	for (i = 0; i < e->g->n_nodes; i++)
		for (k = 0; k < BT_SLOTS; k++) {
			p = &e->run[i].plan[k];
			if (p->size == 0)
				continue;
			p->size = bt_round_up(p->size, BT_ALIGN);
			if (!bt_size_add(sum, p->size, &sum)) {
				free(s);
				return BT_ENOMEM;
			}
			s[n++] = p;
		}
	qsort(s, (size_t)n, sizeof(struct bt_slot_plan *), by_size);
	*total = 0;
	for (i = 0; i < n; i++) {
		s[i]->offset = find_place(s, i);
		if (s[i]->offset + s[i]->size > *total)
			*total = s[i]->offset + s[i]->size;
	}
	free(s);
	return BT_OK;
}

int bt_plan_buffers(struct bt_engine *e, struct bt_error *err)
{
	int i, r;

	for (i = e->g->n_nodes - 1; i >= 0; i--) {
		if (i == e->g->logits)
			e->run[i].need_f32 = true;
		if (!e->run[i].need_f32 && !e->run[i].need_low)
			bt_want_operand(e, i); /* readers do not mind */
		bt_cpu_op(e->g->nodes[i].op)->plan(e, i);
	}
	r = plan_gradients(e, err);
	if (r != BT_OK)
		return r;
	for (i = 0; i < e->g->n_nodes; i++)
		plan_node(e, i);
	if (place_all(e, &e->activation_bytes) != BT_OK)
		return bt_error_nomem(err, "planning the computation");
	return BT_OK;
}

int bt_take_buffers(struct bt_engine *e, struct bt_error *err)
{
	int i, k;

	if (bt_arena_init(&e->activations, e->activation_bytes) != BT_OK)
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory for %zu MB of activations "
		                    "of %zu tokens",
		                    e->activation_bytes >> 20, e->o.max_tokens);
	for (i = 0; i < e->g->n_nodes; i++)
		for (k = 0; k < BT_SLOTS; k++)
			if (e->run[i].plan[k].size != 0)
				e->run[i].buf[k] = (char *)e->activations.base +
				                   e->run[i].plan[k].offset;
	return BT_OK;
}

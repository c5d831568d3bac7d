/* SPDX-License-Identifier: MIT */
/*
 * Types, lifetimes and offsets of all buffers. A buffer lives from its first to
 * its last use in the schedule (recompute.c); buffers whose lifetimes overlap
 * share no bytes of the arena. A value that is recomputed has two lifetimes.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/engine_int.h"

/* Whether an operator can add to the gradient of its k-th input, which must be
 * f32; else it only stores. */
static bool can_add(enum bt_opcode op, int k)
{
	return op == BT_OP_LINEAR || op == BT_OP_FIRST || op == BT_OP_SELECT ||
	       op == BT_OP_DROPOUT || op == BT_OP_MEAN || op == BT_OP_MAX ||
	       op == BT_OP_FLATTEN || op == BT_OP_NORM ||
	       ((op == BT_OP_RESIDUAL_NORM || op == BT_OP_ADD) && k == 0);
}

/* Whether an operator's gradient may come as bf16. */
static bool can_take_bf16(enum bt_opcode op)
{
	return op == BT_OP_LINEAR || op == BT_OP_ATTENTION || op == BT_OP_GLU ||
	       op == BT_OP_ADAPT;
}

/* Whether a node's backward pass reads its inputs of a type; operand: in the
 * type that products take. */
static bool reads_input_backward(const struct bt_engine *e, int node,
                                 enum bt_slot slot, bool operand)
{
	const struct bt_node *n = &e->g->nodes[node];

	if (!e->run[node].learns)
		return false;
	if (n->op == BT_OP_NORM)
		return slot == BT_SLOT_F32;
	if (n->op == BT_OP_LINEAR && !bt_gives(e, n->u.linear.weight))
		return false;
	return operand && n->op != BT_OP_ADAPT && can_take_bf16(n->op);
}

/* Of parameters next to each other, whose gradients are computed as one. */
static bool give(struct bt_engine *e, int first, int n)
{
	bool any = false;
	int p;

	for (p = first; p < first + n; p++)
		any = any || !e->g->params[p].frozen;
	for (p = first; p < first + n; p++)
		e->gives[p] = e->gives[p] || any;
	return any;
}

/* Whether a parameter of the node is trained. */
static bool has_trained(struct bt_engine *e, const struct bt_node *n)
{
	bool any = false;
	int k, p;

	if (n->op == BT_OP_LINEAR) {
		any = give(e, n->u.linear.weight, n->u.linear.parts);
		if (n->u.linear.bias >= 0 &&
		    give(e, n->u.linear.bias, n->u.linear.parts))
			any = true;
		return any;
	}
	for (k = 0; (p = bt_node_param(n, k)) >= 0; k++)
		any = give(e, p, 1) || any;
	return any;
}

/* Finds the nodes that run backward, and the parameters whose gradients that
 * gives. */
static int plan_learning(struct bt_engine *e, struct bt_error *err)
{
	const struct bt_graph *g = e->g;
	const struct bt_node *n;
	bool learns;
	int i, k;

	free(e->gives);
	e->gives = bt_array0((size_t)g->n_params, sizeof(*e->gives));
	if (e->gives == NULL)
		return bt_error_nomem(err, "planning the computation");
	for (i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		learns = has_trained(e, n) || e->o.fixed;
		for (k = 0; k < n->n_in; k++)
			learns = learns || e->run[n->in[k]].learns;
		e->run[i].learns = learns && e->o.train;
	}
	return BT_OK;
}

/* Whether a node's backward pass writes the gradient of its k-th input. Only
 * products, and what adapts them, leave out what nobody needs: it costs the
 * others next to nothing. */
static bool writes_grad(const struct bt_engine *e, int node, int k)
{
	const struct bt_node *n = &e->g->nodes[node];

	return e->run[node].learns &&
	       ((n->op != BT_OP_LINEAR && n->op != BT_OP_ADAPT) ||
	        e->run[n->in[k]].learns);
}

static int readers_of(const struct bt_graph *g, int v)
{
	int i, k, n = 0;

	for (i = v + 1; i < g->n_nodes; i++)
		for (k = 0; k < g->nodes[i].n_in; k++)
			n += g->nodes[i].in[k] == v;
	return n;
}

/* Marks the last writer of each gradient, in order of execution the first: it
 * stores, the others add. */
static int plan_gradients(struct bt_engine *e, struct bt_error *err)
{
	const struct bt_graph *g = e->g;
	int i, k, v, readers;
	enum bt_opcode op;
	bool add;

	for (v = 0; v < g->n_nodes; v++) {
		readers = 0;
		op = g->nodes[v].op;
		e->run[v].grad_bf16 =
		    can_take_bf16(op) && !e->run[v].need_f32 && e->o.bf16 &&
		    !(op == BT_OP_ADAPT && readers_of(g, v) > 1);
		add = !e->run[v].grad_bf16;
		for (i = g->n_nodes - 1; i > v; i--)
			for (k = 0; k < g->nodes[i].n_in; k++)
				if (g->nodes[i].in[k] == v &&
				    writes_grad(e, i, k)) {
					e->run[i].stores_grad[k] =
					    readers++ == 0;
					add = add && can_add(g->nodes[i].op, k);
				}
		if (readers > 1 && !add)
			return bt_error_set(err, BT_EARG,
			                    "node %d is read more than once, "
			                    "which is not built",
			                    v);
		e->run[v].takes_grad = readers > 0 || e->run[v].learns;
	}
	return BT_OK;
}

/* Finds the nodes whose parameters' gradients are there already: of nodes that
 * share parameters the last stores, since it runs backward first, and the
 * others add. Of embeddings this may be the word table alone. */
static int plan_params(struct bt_engine *e, struct bt_error *err)
{
	const struct bt_graph *g = e->g;
	bool *stored = bt_array0((size_t)g->n_params, sizeof(*stored));
	int i, k, p, old, r = BT_OK;
	const struct bt_node *n;

	if (stored == NULL)
		return bt_error_nomem(err, "planning the computation");
	for (i = g->n_nodes - 1; r == BT_OK && i >= 0; i--) {
		n = &g->nodes[i];
		if (n->op == BT_OP_EMBED) {
			e->tied = stored[n->u.embed.word];
			stored[n->u.embed.word] = false;
		}
		for (k = 0, old = 0; (p = bt_node_param(n, k)) >= 0; k++) {
			old += stored[p];
			stored[p] = true;
		}
		e->run[i].adds_params = old > 0;
		if (old != 0 && (old != k || n->op == BT_OP_EMBED))
			r = bt_error_set(err, BT_EARG,
			                 "node %d shares parameters in a way "
			                 "that is not built",
			                 i);
	}
	free(stored);
	return r;
}

/* Finds for each product the first one with the same weight, and whether any of
 * them runs backward. */
static int plan_packers(struct bt_engine *e, struct bt_error *err)
{
	const struct bt_graph *g = e->g;
	int *first = bt_array0((size_t)g->n_params, sizeof(*first));
	const struct bt_node *n;
	int i, *f;

	if (first == NULL)
		return bt_error_nomem(err, "planning the computation");
	for (i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		e->run[i].packer = i;
		if (n->op != BT_OP_LINEAR)
			continue;
		f = &first[n->u.linear.weight]; /* node + 1, 0: none yet */
		if (*f != 0 && g->nodes[*f - 1].cols == n->cols)
			e->run[i].packer = *f - 1;
		else
			*f = i + 1;
		if (e->run[n->in[0]].learns)
			e->run[e->run[i].packer].packs_backward = true;
	}
	free(first);
	return BT_OK;
}

static size_t bytes(const struct bt_engine *e, const struct bt_node *n,
                    bool bf16)
{
	return bt_gemm_room(bt_max_rows(e, n)) * (size_t)n->cols *
	       bt_element(bf16);
}

static void live_until(struct bt_slot_plan *p, int time)
{
	p->last = time > p->last ? time : p->last;
}

/* The lives of v's output of a type, whose size is set. The logits stay to the
 * end. */
static void plan_output(struct bt_engine *e, int v, enum bt_slot slot)
{
	const struct bt_graph *g = e->g;
	struct bt_node_run *run = e->run;
	struct bt_slot_plan *first = &run[v].plan[slot], *later;
	bool operand = (slot == BT_SLOT_BF16) == e->o.bf16;
	int i, k;

	for (i = v + 1; i < g->n_nodes; i++)
		for (k = 0; k < g->nodes[i].n_in; k++) {
			if (g->nodes[i].in[k] != v)
				continue;
			later = run[v].recompute_at >= 0 &&
			                run[i].segment == run[v].segment
			            ? &run[v].recompute_plan[slot]
			            : first;
			live_until(first, i);
			live_until(later, run[i].recompute_at);
			if (reads_input_backward(e, i, slot, operand))
				live_until(later, run[i].backward_at);
		}
	later = run[v].recompute_at >= 0 ? &run[v].recompute_plan[slot] : first;
	if (g->nodes[v].op == BT_OP_ATTENTION && run[v].learns && operand)
		live_until(later, run[v].backward_at);
	if (v == g->logits || v == g->next_logits)
		live_until(first, e->end);
}

/* Sizes of outputs and gradients; those of the other slots are the operators'.
 */
static void size_node(struct bt_engine *e, int i)
{
	const struct bt_node *n = &e->g->nodes[i];
	struct bt_node_run *r = &e->run[i];

	if (r->need_f32)
		r->plan[BT_SLOT_F32].size = bytes(e, n, false);
	if (r->need_bf16)
		r->plan[BT_SLOT_BF16].size = bytes(e, n, true);
	if (r->takes_grad)
		r->plan[BT_SLOT_GRAD].size = bytes(e, n, r->grad_bf16);
	if (!r->learns)
		r->plan[BT_SLOT_WORK].size = 0;
}

static void plan_node(struct bt_engine *e, int i)
{
	struct bt_node_run *r = &e->run[i];
	struct bt_slot_plan *p = r->plan, *q = r->recompute_plan;
	int j, k;

	for (k = BT_SLOT_F32; k <= BT_SLOT_SAVED2; k++) {
		q[k].size = r->recompute_at >= 0 ? p[k].size : 0;
		p[k].first = p[k].last = i;
		q[k].first = q[k].last = r->recompute_at;
	}
	plan_output(e, i, BT_SLOT_F32);
	plan_output(e, i, BT_SLOT_BF16);
	for (k = BT_SLOT_SAVED; k <= BT_SLOT_SAVED2; k++)
		if (r->learns)
			live_until(r->recompute_at >= 0 ? &q[k] : &p[k],
			           r->backward_at);
	for (k = BT_SLOT_WORK; k <= BT_SLOT_GRAD; k++)
		p[k].first = p[k].last = r->backward_at;
	for (j = e->g->n_nodes - 1; j > i; j--)
		for (k = 0; k < e->g->nodes[j].n_in; k++)
			if (e->g->nodes[j].in[k] == i &&
			    e->run[j].backward_at < p[BT_SLOT_GRAD].first)
				p[BT_SLOT_GRAD].first = e->run[j].backward_at;
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

/* The lowest offset of s[i] that overlaps no earlier buffer alive with it. */
static size_t find_offset(struct bt_slot_plan *const *s, int i)
{
	size_t at = 0;
	bool moved;
	int j;

	do {
		moved = false;
		for (j = 0; j < i; j++)
			if (s[i]->first <= s[j]->last &&
			    s[j]->first <= s[i]->last &&
			    at < s[j]->offset + s[j]->size &&
			    s[j]->offset < at + s[i]->size) {
				at = s[j]->offset + s[j]->size;
				moved = true;
			}
	} while (moved);
	return at;
}

/* Gives each buffer its offset; *total is the size of the arena. */
static int assign_offsets(struct bt_engine *e, size_t *total)
{
	size_t n_max = (size_t)e->g->n_nodes * BT_SLOTS * 2;
	struct bt_slot_plan **s = bt_array(n_max, sizeof(*s)), *p;
	int i, k, n = 0;
	size_t sum = 0;

	if (s == NULL)
		return BT_ENOMEM;
	for (i = 0; i < e->g->n_nodes; i++)
		for (k = 0; k < BT_SLOTS * 2; k++) {
			p = k < BT_SLOTS
			        ? &e->run[i].plan[k]
			        : &e->run[i].recompute_plan[k - BT_SLOTS];
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
		s[i]->offset = find_offset(s, i);
		if (s[i]->offset + s[i]->size > *total)
			*total = s[i]->offset + s[i]->size;
	}
	free(s);
	return BT_OK;
}

static int plan_lives(struct bt_engine *e, int stride, size_t *total)
{
	int i, r = bt_plan_schedule(e, stride);

	for (i = 0; r == BT_OK && i < e->g->n_nodes; i++)
		plan_node(e, i);
	return r == BT_OK ? assign_offsets(e, total) : r;
}

/* Longer segments mean fewer values kept between them and more within one:
 * the best of a few lengths. */
#define STRIDES 12

static int choose_stride(struct bt_engine *e)
{
	size_t total;
	int r = plan_lives(e, 0, &e->activation_bytes), i, best = 0;

	if (!e->o.train || !e->o.recompute)
		return r;
	for (i = 1; r == BT_OK && i <= STRIDES; i++) {
		r = plan_lives(e, i, &total);
		if (r == BT_OK && total < e->activation_bytes) {
			e->activation_bytes = total;
			best = i;
		}
	}
	return r == BT_OK ? plan_lives(e, best, &total) : r;
}

int bt_plan_buffers(struct bt_engine *e, struct bt_error *err)
{
	int i, r;

	for (i = e->g->n_nodes - 1; i >= 0; i--) {
		if (i == e->g->logits || i == e->g->next_logits)
			e->run[i].need_f32 = true;
		if (!e->run[i].need_f32 && !e->run[i].need_bf16)
			bt_want_operand(e, i); /* readers do not mind */
		e->run[i].op->plan(e, i);
	}
	if ((r = plan_learning(e, err)) || (r = plan_gradients(e, err)) ||
	    (r = plan_params(e, err)) || (r = plan_packers(e, err)))
		return r;
	for (i = 0; i < e->g->n_nodes; i++)
		size_node(e, i);
	if (choose_stride(e) != BT_OK)
		return bt_error_nomem(err, "planning the computation");
	return BT_OK;
}

int bt_allocate_buffers(struct bt_engine *e, struct bt_error *err)
{
	if (bt_arena_init(&e->activations, e->activation_bytes) != BT_OK)
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory for %zu MB of activations "
		                    "of %zu tokens",
		                    e->activation_bytes >> 20, e->o.max_tokens);
	bt_bind_buffers(e);
	return BT_OK;
}

/* SPDX-License-Identifier: MIT */
/* attention: one piece for each head of each text. SAVED holds the logarithms
 * of the softmax sums, [rows of q, heads]. */
#include <math.h>

#include "cpu/engine_int.h"

struct job {
	struct bt_engine *e;
	int node;
};

/* Where a head of a text begins in its matrices, in elements. */
struct place {
	size_t q, k, v, o, lse;
};

static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_want_operand(e, n->in[0]);
	bt_want_operand(e, n->in[1]);
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (size_t)n->u.attention.heads * sizeof(float);
}

/* Fills in sizes and inputs of one head of one text. */
static struct place describe(const struct job *j, int piece, int worker,
                             struct bt_attend *a)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t heads = (size_t)n->u.attention.heads;
	size_t h = (size_t)piece % heads, text = (size_t)piece / heads;
	size_t kv_row = e->b.start[text], q_row;
	bool per_token = n->rows == BT_PER_TOKEN, low = e->o.low;
	struct place at;

	a->n = e->b.start[text + 1] - kv_row;
	a->q_rows = per_token ? a->n : 1;
	a->d = (size_t)n->u.attention.head_dim;
	a->q_ld = (size_t)e->g->nodes[n->in[0]].cols;
	a->kv_ld = (size_t)e->g->nodes[n->in[1]].cols;
	a->o_ld = (size_t)n->cols;
	a->lse_ld = heads;
	a->low = low;
	a->scale = 1.0f / sqrtf((float)a->d);
	a->scratch = e->scratch[worker];

	q_row = per_token ? kv_row : text;
	h *= a->d; /* now the first column of the head */
	at.q = q_row * a->q_ld + (size_t)n->u.attention.q_col + h;
	at.k = kv_row * a->kv_ld + (size_t)n->u.attention.k_col + h;
	at.v = kv_row * a->kv_ld + (size_t)n->u.attention.v_col + h;
	at.o = q_row * a->o_ld + h;
	at.lse = q_row * heads + h / a->d;
	a->q = bt_at(bt_operand(e, n->in[0]), at.q, low);
	a->k = bt_at(bt_operand(e, n->in[1]), at.k, low);
	a->v = bt_at(bt_operand(e, n->in[1]), at.v, low);
	a->lse = (float *)e->run[j->node].buf[BT_SLOT_SAVED] + at.lse;

	/* a head of a text has one row of random bits, named by the text's
	 * first token */
	a->drop = bt_node_dropout(e, j->node, n->u.attention.dropout);
	a->drop.row0 = e->b.token0 + e->b.start[text];
	a->drop.stream |= (uint32_t)((size_t)piece % heads) << 16;
	return at;
}

static void forward_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_attend a = {0};
	struct place at = describe(j, piece, worker, &a);

	a.o = bt_at(bt_operand(j->e, j->node), at.o, a.low);
	j->e->k->attend(&a);
}

static int pieces(const struct bt_engine *e, int node)
{
	return (int)e->b.texts * e->g->nodes[node].u.attention.heads;
}

static void forward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = {e, node};

	bt_engine_run(e, forward_piece, &j, pieces(e, node));
	bt_zero_tail(bt_operand(e, node), bt_rows_of(e, n), (size_t)n->cols,
	             e->o.low);
}

static void backward_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_attend a = {0};
	struct place at = describe(j, piece, worker, &a);
	void *dkv = e->run[n->in[1]].buf[BT_SLOT_GRAD];

	a.dout = bt_at(e->run[j->node].buf[BT_SLOT_GRAD], at.o, a.low);
	a.dq = bt_at(e->run[n->in[0]].buf[BT_SLOT_GRAD], at.q, a.low);
	a.dk = bt_at(dkv, at.k, a.low);
	a.dv = bt_at(dkv, at.v, a.low);
	e->k->attend_back(&a);
}

static void backward(struct bt_engine *e, int node)
{
	struct job j = {e, node};

	bt_engine_run(e, backward_piece, &j, pieces(e, node));
}

const struct bt_cpu_op bt_cpu_attention = {plan, forward, backward};

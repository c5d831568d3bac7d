/* SPDX-License-Identifier: MIT */
/*
 * attention: a piece is some heads of a sequence, next to each other in memory.
 * SAVED holds the logarithms of the softmax sums, [rows of q, heads]. With
 * a relative bias, SAVED2 holds each head's biases, one for each distance, and
 * WORK the gradients of each sequence's and head's, which are added up in
 * order.
 *
 * With relative positions, a piece of the backward pass is a head of a share
 * of the sequences, whose gradients of relative positions it adds up in WORK:
 * [shares, heads, keys and queries, relative positions, head_dim rounded up to
 * 16].
 */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"
#include "op/ops.h"

struct job {
	struct bt_engine *e;
	int node;
	int heads;  /* of a piece */
	int each;   /* pieces of a sequence */
	int shares; /* of sequences, with relative positions, and the one that
	               is worked on */
	int share;
	void (*head)(const struct job *j, int sequence, int head, int worker);
};

/* Shares of sequences: what they sum is the same at any number of threads. */
#define SHARES 4

/* As many heads as leave this many pieces for each thread. */
#define PIECES 8

/* Heads that share their keys and values. */
static int shared(const struct bt_node *n)
{
	return n->u.attention.heads / n->u.attention.kv_heads;
}

/* Where a head of a sequence begins in its matrices, in elements. */
struct offsets {
	size_t q, k, v, o, lse;
};

/* Floats of the gradients of relative positions' keys, or queries, in one
 * share. */
static size_t rel_floats(const struct bt_engine *e, const struct bt_node *n)
{
	return e->max_rel * bt_round_up((size_t)n->u.attention.head_dim, 16);
}

static void plan_rel(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_want_operand(e, n->u.attention.relative_positions);
	if (e->o.train)
		e->run[node].plan[BT_SLOT_WORK].size =
		    (size_t)(SHARES * 2 * n->u.attention.heads) *
		    rel_floats(e, n) * sizeof(float);
}

static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_want_operand(e, n->in[0]);
	bt_want_operand(e, n->u.attention.kv);
	if (e->o.train)
		e->run[node].plan[BT_SLOT_SAVED].size =
		    bt_max_rows(e, n) * (size_t)n->u.attention.heads *
		    sizeof(float);
	if (n->u.attention.relative_positions >= 0)
		plan_rel(e, node);
	if (n->u.attention.relative_bias < 0)
		return;
	e->run[node].plan[BT_SLOT_SAVED2].size =
	    (size_t)n->u.attention.heads * 2 * e->o.max_length * sizeof(float);
	if (e->o.train)
		e->run[node].plan[BT_SLOT_WORK].size =
		    (size_t)n->u.attention.heads * 2 * e->o.max_tokens *
		    sizeof(float);
}

/* A head's biases, from distance 0 on; before it stand those of keys before
 * their query. */
static float *biases(const struct bt_engine *e, int node, int head)
{
	float *all = e->run[node].buf[BT_SLOT_SAVED2];

	return all + (2 * (size_t)head + 1) * e->o.max_length;
}

static void spread_biases(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	const float *r = bt_param(e, n->u.attention.relative_bias);
	int heads = n->u.attention.heads, length = (int)e->o.max_length, i, h;

	for (i = 1 - length; i < length; i++)
		for (h = 0; h < heads; h++)
			biases(e, node, h)[i] =
			    r[bt_relative_bucket(i) * heads + h];
}

/* The gradients of the biases of a head of a sequence, as biases(). */
static float *bias_gradients(const struct bt_engine *e, int node, int sequence,
                             int head)
{
	size_t heads = (size_t)e->g->nodes[node].u.attention.heads;
	size_t first = e->b.start[sequence],
	       n = e->b.start[sequence + 1] - first;
	float *all = e->run[node].buf[BT_SLOT_WORK];

	return all + 2 * first * heads + (2 * (size_t)head + 1) * n;
}

/* Adds up the gradients of a head's biases, sequence by sequence. */
static void sum_biases(void *arg, int head, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	int heads = n->u.attention.heads, sequence, i, length;
	float *d = bt_grad(e, n->u.attention.relative_bias) + head;
	const float *of;

	(void)worker;
	for (i = 0; i < BT_RELATIVE_BUCKETS && !bt_adds(e, j->node); i++)
		d[i * heads] = 0;
	for (sequence = 0; sequence < (int)e->b.sequences; sequence++) {
		length = (int)(e->b.start[sequence + 1] - e->b.start[sequence]);
		of = bias_gradients(e, j->node, sequence, head);
		for (i = 1 - length; i < length; i++)
			d[bt_relative_bucket(i) * heads] += of[i];
	}
}

/* Keys and queries of relative positions, from column c of each on. */
static void describe_rel(const struct bt_engine *e, const struct bt_node *n,
                         size_t c, struct bt_attend *a)
{
	int node = n->u.attention.relative_positions,
	    k = n->u.attention.rel_k_col;
	int q = n->u.attention.rel_q_col;
	void *rows = bt_operand(e, node);

	a->rel_ld = (size_t)e->g->nodes[node].cols;
	a->rel_row = bt_relative_rows(e);
	a->rel_row0 = e->rel_row0;
	if (k >= 0)
		a->rel_k = bt_at(rows, (size_t)k + c, a->bf16);
	if (q >= 0)
		a->rel_q = bt_at(rows, (size_t)q + c, a->bf16);
	a->scale = 1.0f / sqrtf((float)a->d * (float)(1 + (k >= 0) + (q >= 0)));
}

/* Fills in sizes and inputs of one head of one sequence. */
static struct offsets describe(const struct job *j, int sequence, int head,
                               int worker, struct bt_attend *a)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t heads = (size_t)n->u.attention.heads;
	size_t h = (size_t)head, of = h / (size_t)shared(n);
	size_t step = (size_t)n->u.attention.head_step;
	size_t kv_row = e->b.start[sequence], q_row;
	bool per_token = n->rows == BT_PER_TOKEN, bf16 = e->o.bf16;
	struct offsets at;

	a->n = e->b.start[sequence + 1] - kv_row;
	a->q_rows = per_token ? a->n : 1;
	a->d = (size_t)n->u.attention.head_dim;
	a->q_ld = (size_t)e->g->nodes[n->in[0]].cols;
	a->kv_ld = (size_t)e->g->nodes[n->u.attention.kv].cols;
	a->o_ld = (size_t)n->cols;
	a->lse_ld = heads;
	a->bf16 = bf16;
	a->scale = 1.0f / sqrtf((float)a->d);
	a->scratch = e->scratch[worker];

	q_row = per_token ? kv_row : (size_t)sequence;
	of *= step;
	at.q = q_row * a->q_ld + (size_t)n->u.attention.q_col + h * step;
	at.k = kv_row * a->kv_ld + (size_t)n->u.attention.k_col + of;
	at.v = kv_row * a->kv_ld + (size_t)n->u.attention.v_col + of;
	at.o = q_row * a->o_ld + h * a->d;
	at.lse = q_row * heads + (size_t)head;
	a->q = bt_at(bt_operand(e, n->in[0]), at.q, bf16);
	a->k = bt_at(bt_operand(e, n->u.attention.kv), at.k, bf16);
	a->v = bt_at(bt_operand(e, n->u.attention.kv), at.v, bf16);
	if (e->o.train)
		a->lse = (float *)e->run[j->node].buf[BT_SLOT_SAVED] + at.lse;

	if (n->u.attention.relative_bias >= 0)
		a->bias = biases(e, j->node, head);
	if (n->u.attention.relative_positions >= 0)
		describe_rel(e, n, h * a->d, a);
	a->rotary = e->run[j->node].rotary;
	a->neighbours = n->u.attention.neighbours;
	a->window = (size_t)n->u.attention.window;

	/* a head of a sequence has one row of random bits, named by the
	 * sequence's first token */
	a->drop = bt_node_dropout(e, j->node, n->u.attention.dropout);
	a->drop.row0 = e->b.token0 + e->b.start[sequence];
	a->drop.stream |= (uint32_t)head << 16;
	return at;
}

static void forward_head(const struct job *j, int sequence, int head,
                         int worker)
{
	struct bt_attend a = {0};
	struct offsets at = describe(j, sequence, head, worker, &a);

	a.o = bt_at(bt_operand(j->e, j->node), at.o, a.bf16);
	j->e->k->attend(&a);
}

static void piece_of_heads(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	int heads = j->e->g->nodes[j->node].u.attention.heads;
	int first = piece % j->each * j->heads, h;

	for (h = first; h < first + j->heads && h < heads; h++)
		j->head(j, piece / j->each, h, worker);
}

static void run_heads(struct job *j)
{
	const struct bt_node *n = &j->e->g->nodes[j->node];
	int heads = n->u.attention.heads, sequences = (int)j->e->b.sequences;

	j->heads = sequences * heads / (PIECES * bt_pool_threads(j->e->o.pool));
	if (j->heads < 1)
		j->heads = 1;
	j->heads = (j->heads + shared(n) - 1) / shared(n) * shared(n);
	if (j->heads > heads)
		j->heads = heads;
	j->each = (heads + j->heads - 1) / j->heads;
	bt_engine_run(j->e, piece_of_heads, j, sequences * j->each);
}

static void forward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = {.e = e, .node = node, .head = forward_head};

	if (n->u.attention.relative_bias >= 0)
		spread_biases(e, node);
	run_heads(&j);
	bt_zero_tail(bt_operand(e, node), bt_rows_of(e, n), (size_t)n->cols,
	             e->o.bf16);
}

/* A share's sums for a head's relative positions; which: 0 keys, 1 queries. */
static float *rel_sums(const struct job *j, int share, int head, int which)
{
	const struct bt_node *n = &j->e->g->nodes[j->node];
	float *all = j->e->run[j->node].buf[BT_SLOT_WORK];

	return all +
	       (size_t)((share * n->u.attention.heads + head) * 2 + which) *
	           rel_floats(j->e, n);
}

static void backward_head(const struct job *j, int sequence, int head,
                          int worker)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_attend a = {0};
	struct offsets at = describe(j, sequence, head, worker, &a);
	void *dkv = e->run[n->u.attention.kv].buf[BT_SLOT_GRAD];

	a.o = bt_at(bt_operand(e, j->node), at.o, a.bf16);
	a.dout = bt_at(e->run[j->node].buf[BT_SLOT_GRAD], at.o, a.bf16);
	a.dq = bt_at(e->run[n->in[0]].buf[BT_SLOT_GRAD], at.q, a.bf16);
	a.dk = bt_at(dkv, at.k, a.bf16);
	a.dv = bt_at(dkv, at.v, a.bf16);
	a.resumes = head % shared(n) > 0;
	a.continues = (head + 1) % shared(n) > 0;
	if (a.bias != NULL) {
		a.dbias = bias_gradients(e, j->node, sequence, head);
		memset(a.dbias - a.n, 0, 2 * a.n * sizeof(*a.dbias));
	}
	if (a.rel_row != NULL) {
		a.drel_k = rel_sums(j, j->share, head, 0);
		a.drel_q = rel_sums(j, j->share, head, 1);
	}
	e->k->attend_back(&a);
}

/* A head of a share of the sequences. */
static void piece_of_share(void *arg, int piece, int worker)
{
	struct job j = *(const struct job *)arg;
	int heads = j.e->g->nodes[j.node].u.attention.heads;
	int sequences = (int)j.e->b.sequences, share = piece / heads, t;
	float *sums = rel_sums(&j, share, piece % heads, 0);

	memset(sums, 0,
	       2 * rel_floats(j.e, &j.e->g->nodes[j.node]) * sizeof(*sums));
	j.share = share;
	for (t = sequences * share / j.shares;
	     t < sequences * (share + 1) / j.shares; t++)
		backward_head(&j, t, piece % heads, worker);
}

/* Adds up a head's shares of the gradients of relative positions' keys or
 * queries, and puts them where those stand. */
static void add_rel_sums(const struct job *j, int head, int which, int col,
                         float *row)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t d = (size_t)n->u.attention.head_dim, dw = bt_round_up(d, 16), r;
	size_t ld = (size_t)e->g->nodes[n->u.attention.relative_positions].cols,
	       at;
	struct bt_attend a = {.d = d, .bf16 = e->o.bf16};
	char *out = e->run[n->u.attention.relative_positions].buf[BT_SLOT_GRAD];
	int share;

	describe_rel(e, n, 0, &a);
	for (r = 0; r < e->n_rel; r++) {
		memset(row, 0, d * sizeof(*row));
		for (share = 0; share < j->shares; share++)
			e->k->axpy(a.scale,
			           rel_sums(j, share, head, which) + r * dw,
			           row, d);
		at = r * ld + (size_t)col + (size_t)head * d;
		if (a.bf16)
			e->k->to_bf16(row, bt_at(out, at, true), d);
		else
			memcpy(bt_at(out, at, false), row, d * sizeof(*row));
	}
}

static void rel_piece(void *arg, int head, int worker)
{
	const struct job *j = arg;
	const struct bt_node *n = &j->e->g->nodes[j->node];
	float *row = j->e->scratch[worker];

	if (n->u.attention.rel_k_col >= 0)
		add_rel_sums(j, head, 0, n->u.attention.rel_k_col, row);
	if (n->u.attention.rel_q_col >= 0)
		add_rel_sums(j, head, 1, n->u.attention.rel_q_col, row);
}

static void backward_rel(struct job *j)
{
	int heads = j->e->g->nodes[j->node].u.attention.heads;
	int sequences = (int)j->e->b.sequences;

	j->shares = sequences < SHARES ? sequences : SHARES;
	bt_engine_run(j->e, piece_of_share, j, heads * j->shares);
	bt_engine_run(j->e, rel_piece, j, heads);
}

static void backward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = {.e = e, .node = node, .head = backward_head};

	if (n->u.attention.relative_positions >= 0) {
		backward_rel(&j);
		return;
	}
	run_heads(&j);
	if (bt_gives(e, n->u.attention.relative_bias))
		bt_engine_run(e, sum_biases, &j, n->u.attention.heads);
}

const struct bt_cpu_op bt_cpu_attention = {plan, forward, backward};

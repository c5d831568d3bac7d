/* SPDX-License-Identifier: MIT */
/*
 * attention: a piece is some heads of a text, next to each other in memory.
 * SAVED holds the logarithms of the softmax sums, [rows of q, heads]. With
 * biases of distances, SAVED2 holds each head's, one for each distance, and
 * WORK the gradients of each text's and head's, which are added up in order.
 *
 * With places of distances, a piece of the backward pass is a head of a share
 * of the texts, whose gradients of places it adds up in WORK: [shares, heads,
 * keys and queries, places, head_dim rounded up to 16].
 */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"
#include "op/ops.h"

struct job {
	struct bt_engine *e;
	int node;
	int heads;  /* of a piece */
	int each;   /* pieces of a text */
	int shares; /* of texts, with places, and the one that is worked on */
	int share;
	void (*head)(const struct job *j, int text, int head, int worker);
};

/* Shares of texts: what they sum is the same at any number of threads. */
#define SHARES 4

/* As many heads as leave this many pieces for each thread. */
#define PIECES 8

/* Where a head of a text begins in its matrices, in elements. */
struct place {
	size_t q, k, v, o, lse;
};

/* Floats of the gradients of places' keys, or queries, in one share. */
static size_t place_floats(const struct bt_engine *e, const struct bt_node *n)
{
	return e->max_places * bt_round_up((size_t)n->u.attention.head_dim, 16);
}

static void plan_places(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_want_operand(e, n->u.attention.places);
	if (e->o.train)
		e->run[node].plan[BT_SLOT_WORK].size =
		    (size_t)(SHARES * 2 * n->u.attention.heads) *
		    place_floats(e, n) * sizeof(float);
}

static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_want_operand(e, n->in[0]);
	bt_want_operand(e, n->u.attention.kv);
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (size_t)n->u.attention.heads * sizeof(float);
	if (n->u.attention.places >= 0)
		plan_places(e, node);
	if (n->u.attention.relative < 0)
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
	const float *r = bt_param(e, n->u.attention.relative);
	int heads = n->u.attention.heads, length = (int)e->o.max_length, i, h;

	for (i = 1 - length; i < length; i++)
		for (h = 0; h < heads; h++)
			biases(e, node, h)[i] =
			    r[bt_relative_bucket(i) * heads + h];
}

/* The gradients of the biases of a head of a text, as biases(). */
static float *bias_gradients(const struct bt_engine *e, int node, int text,
                             int head)
{
	size_t heads = (size_t)e->g->nodes[node].u.attention.heads;
	size_t first = e->b.start[text], n = e->b.start[text + 1] - first;
	float *all = e->run[node].buf[BT_SLOT_WORK];

	return all + 2 * first * heads + (2 * (size_t)head + 1) * n;
}

/* Adds up the gradients of a head's biases, text by text. */
static void sum_biases(void *arg, int head, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	int heads = n->u.attention.heads, text, i, length;
	float *d = bt_grad(e, n->u.attention.relative) + head;
	const float *of;

	(void)worker;
	for (i = 0; i < BT_RELATIVE_BUCKETS && !bt_adds(e, j->node); i++)
		d[i * heads] = 0;
	for (text = 0; text < (int)e->b.texts; text++) {
		length = (int)(e->b.start[text + 1] - e->b.start[text]);
		of = bias_gradients(e, j->node, text, head);
		for (i = 1 - length; i < length; i++)
			d[bt_relative_bucket(i) * heads] += of[i];
	}
}

/* Places' keys and queries of the columns from c on of their parts. */
static void describe_places(const struct bt_engine *e, const struct bt_node *n,
                            size_t c, struct bt_attend *a)
{
	int node = n->u.attention.places, k = n->u.attention.place_k_col;
	int q = n->u.attention.place_q_col;
	void *rows = bt_operand(e, node);

	a->place_ld = (size_t)e->g->nodes[node].cols;
	a->place = bt_relative_args(e);
	a->place0 = e->place0;
	if (k >= 0)
		a->place_k = bt_at(rows, (size_t)k + c, a->low);
	if (q >= 0)
		a->place_q = bt_at(rows, (size_t)q + c, a->low);
	a->scale = 1.0f / sqrtf((float)a->d * (float)(1 + (k >= 0) + (q >= 0)));
}

/* Fills in sizes and inputs of one head of one text. */
static struct place describe(const struct job *j, int text, int head,
                             int worker, struct bt_attend *a)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t heads = (size_t)n->u.attention.heads;
	size_t h = (size_t)head, kv_row = e->b.start[text], q_row;
	bool per_token = n->rows == BT_PER_TOKEN, low = e->o.low;
	struct place at;

	a->n = e->b.start[text + 1] - kv_row;
	a->q_rows = per_token ? a->n : 1;
	a->d = (size_t)n->u.attention.head_dim;
	a->q_ld = (size_t)e->g->nodes[n->in[0]].cols;
	a->kv_ld = (size_t)e->g->nodes[n->u.attention.kv].cols;
	a->o_ld = (size_t)n->cols;
	a->lse_ld = heads;
	a->low = low;
	a->scale = 1.0f / sqrtf((float)a->d);
	a->scratch = e->scratch[worker];

	q_row = per_token ? kv_row : (size_t)text;
	h *= a->d; /* now the first column of the head */
	at.q = q_row * a->q_ld + (size_t)n->u.attention.q_col + h;
	at.k = kv_row * a->kv_ld + (size_t)n->u.attention.k_col + h;
	at.v = kv_row * a->kv_ld + (size_t)n->u.attention.v_col + h;
	at.o = q_row * a->o_ld + h;
	at.lse = q_row * heads + (size_t)head;
	a->q = bt_at(bt_operand(e, n->in[0]), at.q, low);
	a->k = bt_at(bt_operand(e, n->u.attention.kv), at.k, low);
	a->v = bt_at(bt_operand(e, n->u.attention.kv), at.v, low);
	a->lse = (float *)e->run[j->node].buf[BT_SLOT_SAVED] + at.lse;

	if (n->u.attention.relative >= 0)
		a->bias = biases(e, j->node, head);
	if (n->u.attention.places >= 0)
		describe_places(e, n, h, a);
	a->turns = e->run[j->node].turns;
	a->window = (size_t)n->u.attention.window;

	/* a head of a text has one row of random bits, named by the text's
	 * first token */
	a->drop = bt_node_dropout(e, j->node, n->u.attention.dropout);
	a->drop.row0 = e->b.token0 + e->b.start[text];
	a->drop.stream |= (uint32_t)head << 16;
	return at;
}

static void forward_head(const struct job *j, int text, int head, int worker)
{
	struct bt_attend a = {0};
	struct place at = describe(j, text, head, worker, &a);

	a.o = bt_at(bt_operand(j->e, j->node), at.o, a.low);
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
	int heads = j->e->g->nodes[j->node].u.attention.heads;
	int texts = (int)j->e->b.texts;

	j->heads = texts * heads / (PIECES * bt_pool_threads(j->e->o.pool));
	if (j->heads < 1)
		j->heads = 1;
	if (j->heads > heads)
		j->heads = heads;
	j->each = (heads + j->heads - 1) / j->heads;
	bt_engine_run(j->e, piece_of_heads, j, texts * j->each);
}

static void forward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = {.e = e, .node = node, .head = forward_head};

	if (n->u.attention.relative >= 0)
		spread_biases(e, node);
	run_heads(&j);
	bt_zero_tail(bt_operand(e, node), bt_rows_of(e, n), (size_t)n->cols,
	             e->o.low);
}

/* Where a share's sums of a head's places begin; which: keys', queries'. */
static float *place_sums(const struct job *j, int share, int head, int which)
{
	const struct bt_node *n = &j->e->g->nodes[j->node];
	float *all = j->e->run[j->node].buf[BT_SLOT_WORK];

	return all +
	       (size_t)((share * n->u.attention.heads + head) * 2 + which) *
	           place_floats(j->e, n);
}

static void backward_head(const struct job *j, int text, int head, int worker)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_attend a = {0};
	struct place at = describe(j, text, head, worker, &a);
	void *dkv = e->run[n->u.attention.kv].buf[BT_SLOT_GRAD];

	a.dout = bt_at(e->run[j->node].buf[BT_SLOT_GRAD], at.o, a.low);
	a.dq = bt_at(e->run[n->in[0]].buf[BT_SLOT_GRAD], at.q, a.low);
	a.dk = bt_at(dkv, at.k, a.low);
	a.dv = bt_at(dkv, at.v, a.low);
	if (a.bias != NULL) {
		a.dbias = bias_gradients(e, j->node, text, head);
		memset(a.dbias - a.n, 0, 2 * a.n * sizeof(*a.dbias));
	}
	if (a.place != NULL) {
		a.dplace_k = place_sums(j, j->share, head, 0);
		a.dplace_q = place_sums(j, j->share, head, 1);
	}
	e->k->attend_back(&a);
}

/* A head of a share of the texts. */
static void piece_of_share(void *arg, int piece, int worker)
{
	struct job j = *(const struct job *)arg;
	int heads = j.e->g->nodes[j.node].u.attention.heads;
	int texts = (int)j.e->b.texts, share = piece / heads, t;
	float *sums = place_sums(&j, share, piece % heads, 0);

	memset(sums, 0,
	       2 * place_floats(j.e, &j.e->g->nodes[j.node]) * sizeof(*sums));
	j.share = share;
	for (t = texts * share / j.shares; t < texts * (share + 1) / j.shares;
	     t++)
		backward_head(&j, t, piece % heads, worker);
}

/* Adds up a head's shares of the gradients of places' keys or queries, and puts
 * them where those stand. */
static void sum_places(const struct job *j, int head, int which, int col,
                       float *row)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t d = (size_t)n->u.attention.head_dim, dw = bt_round_up(d, 16), r;
	size_t ld = (size_t)e->g->nodes[n->u.attention.places].cols, at;
	struct bt_attend a = {.d = d, .low = e->o.low};
	char *out = e->run[n->u.attention.places].buf[BT_SLOT_GRAD];
	int share;

	describe_places(e, n, 0, &a);
	for (r = 0; r < e->n_places; r++) {
		memset(row, 0, d * sizeof(*row));
		for (share = 0; share < j->shares; share++)
			e->k->axpy(a.scale,
			           place_sums(j, share, head, which) + r * dw,
			           row, d);
		at = r * ld + (size_t)col + (size_t)head * d;
		if (a.low)
			e->k->to_bf16(row, bt_at(out, at, true), d);
		else
			memcpy(bt_at(out, at, false), row, d * sizeof(*row));
	}
}

static void places_piece(void *arg, int head, int worker)
{
	const struct job *j = arg;
	const struct bt_node *n = &j->e->g->nodes[j->node];
	float *row = j->e->scratch[worker];

	if (n->u.attention.place_k_col >= 0)
		sum_places(j, head, 0, n->u.attention.place_k_col, row);
	if (n->u.attention.place_q_col >= 0)
		sum_places(j, head, 1, n->u.attention.place_q_col, row);
}

static void backward_places(struct job *j)
{
	int heads = j->e->g->nodes[j->node].u.attention.heads;
	int texts = (int)j->e->b.texts;

	j->shares = texts < SHARES ? texts : SHARES;
	bt_engine_run(j->e, piece_of_share, j, heads * j->shares);
	bt_engine_run(j->e, places_piece, j, heads);
}

static void backward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = {.e = e, .node = node, .head = backward_head};

	if (n->u.attention.places >= 0) {
		backward_places(&j);
		return;
	}
	run_heads(&j);
	if (n->u.attention.relative >= 0)
		bt_engine_run(e, sum_biases, &j, n->u.attention.heads);
}

const struct bt_cpu_op bt_cpu_attention = {plan, forward, backward};

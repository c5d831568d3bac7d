/* SPDX-License-Identifier: MIT */
/*
 * linear: cut into blocks of ROWS rows and a chunk of columns. The output of a
 * product is f32 where a reader wants that, else the products' type; where both
 * are wanted the bf16 form is made from the f32 one.
 *
 * SAVED holds the input of the activation, WORK its gradient where that cannot
 * take the place of the output's gradient.
 */
#include "cpu/engine_int.h"

#define ROWS ((size_t)256)

struct job {
	struct bt_engine *e;
	int node;
	size_t rows;
	int row_pieces;
};

static bool out_bf16(const struct bt_engine *e, int node)
{
	return !e->run[node].need_f32;
}

static bool has_act(const struct bt_node *n)
{
	return n->u.linear.act != BT_ACT_NONE;
}

static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_slot_plan *p = e->run[node].plan;
	size_t elements = bt_gemm_room(bt_max_rows(e, n)) * (size_t)n->cols;

	bt_want_operand(e, n->in[0]);
	if (!e->o.train)
		return;
	if (has_act(n))
		p[BT_SLOT_SAVED].size =
		    elements * bt_element(out_bf16(e, node));
	if (e->o.bf16 && !out_bf16(e, node))
		p[BT_SLOT_WORK].size = elements * bt_element(true);
}

static void *first_output(const struct bt_engine *e, int node)
{
	const struct bt_node_run *r = &e->run[node];

	return r->buf[out_bf16(e, node) ? BT_SLOT_BF16 : BT_SLOT_F32];
}

/* Rows r0 .. r1-1 of one chunk: product, activation, second type. */
static void forward_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_node_run *r = &e->run[j->node];
	bool bf16 = out_bf16(e, j->node);
	size_t cols = (size_t)n->cols, i, at;
	size_t k = (size_t)e->g->nodes[n->in[0]].cols;
	int chunk = piece / j->row_pieces, first, count;
	size_t r0 = (size_t)(piece % j->row_pieces) * ROWS;
	size_t r1 = bt_piece_end(j->rows, ROWS, piece % j->row_pieces);
	void *y = first_output(e, j->node);
	void *pre = has_act(n) && e->o.train ? r->buf[BT_SLOT_SAVED] : y;
	struct bt_gemm_block b = {0};

	b.rows = r1 - r0;
	b.x = bt_at(bt_operand(e, n->in[0]), r0 * k, e->o.bf16);
	b.y = bt_at(pre, r0 * cols, bf16);
	b.y_bf16 = bf16;
	if (n->u.linear.bias >= 0)
		b.bias = bt_param(e, n->u.linear.bias);
	bt_engine_fail(
	    e, bt_gemm_run(r->weight, BT_GEMM_FORWARD, chunk, &b, worker));
	bt_gemm_chunk(r->weight, BT_GEMM_FORWARD, chunk, &first, &count);
	at = r0 * cols + (size_t)first;
	if (has_act(n))
		e->k->act(n->u.linear.act, bf16, bt_at(pre, at, bf16),
		          bt_at(y, at, bf16), b.rows, (size_t)count, cols);
	if (bf16 || !r->need_bf16)
		return;
	for (i = 0; i < b.rows; i++, at += cols)
		e->k->to_bf16((const float *)y + at,
		              (uint16_t *)r->buf[BT_SLOT_BF16] + at,
		              (size_t)count);
}

static struct job make_job(struct bt_engine *e, int node)
{
	struct job j = {e, node, bt_rows_of(e, &e->g->nodes[node]), 0};

	j.row_pieces = bt_row_pieces(j.rows, ROWS);
	return j;
}

static void forward(struct bt_engine *e, int node)
{
	struct job j = make_job(e, node);
	struct bt_node_run *r = &e->run[node];
	size_t cols = (size_t)e->g->nodes[node].cols;

	bt_engine_run(e, forward_piece, &j,
	              j.row_pieces *
	                  bt_gemm_chunks(r->weight, BT_GEMM_FORWARD));
	if (!e->o.train)
		return;
	bt_zero_tail(r->buf[BT_SLOT_F32], j.rows, cols, false);
	bt_zero_tail(r->buf[BT_SLOT_BF16], j.rows, cols, true);
}

/* Where the gradient before the activation stands, in the products' type. */
static void *pre_gradient(const struct bt_engine *e, int node)
{
	const struct bt_node_run *r = &e->run[node];

	return r->buf[r->grad_bf16 == e->o.bf16 ? BT_SLOT_GRAD : BT_SLOT_WORK];
}

/* dA = dY act'(A), in the type of the output, in place; then converted if the
 * products take another. */
static void act_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_node_run *r = &e->run[j->node];
	size_t cols = (size_t)n->cols, r0 = (size_t)piece * 32;
	size_t r1 = bt_piece_end(j->rows, 32, piece), at = r0 * cols;
	void *dy = bt_at(r->buf[BT_SLOT_GRAD], at, r->grad_bf16);

	(void)worker;
	if (has_act(n))
		e->k->act_back(n->u.linear.act, r->grad_bf16,
		               bt_at(r->buf[BT_SLOT_SAVED], at, r->grad_bf16),
		               dy, dy, r1 - r0, cols, cols);
	if (r->grad_bf16 != e->o.bf16)
		e->k->to_bf16(dy, (uint16_t *)r->buf[BT_SLOT_WORK] + at,
		              (r1 - r0) * cols);
}

/* Pieces of the three products of the backward pass, the largest kind first:
 * dW by rows of W, dX by rows and chunks, db by columns. */
struct back {
	struct job j;
	int w_pieces, w_step;
	int x_pieces;
	int b_pieces;
};

#define BIAS_COLUMNS 256

static void weight_gradient(const struct back *a, int i, int worker)
{
	struct bt_engine *e = a->j.e;
	const struct bt_node *n = &e->g->nodes[a->j.node];
	struct bt_gemm_gradient g = {0};

	g.n = n->cols;
	g.k = e->g->nodes[n->in[0]].cols;
	g.n0 = i * a->w_step;
	g.n1 = g.n0 + a->w_step < g.n ? g.n0 + a->w_step : g.n;
	g.rows = a->j.rows;
	g.dy = pre_gradient(e, a->j.node);
	g.x = bt_operand(e, n->in[0]);
	g.dw = bt_grad(e, n->u.linear.weight);
	g.add = bt_adds(e, a->j.node);
	bt_engine_fail(e, bt_gemm_gradient(e->gemm, &g, worker));
}

static void input_gradient(const struct back *a, int i, int worker)
{
	struct bt_engine *e = a->j.e;
	const struct bt_node *n = &e->g->nodes[a->j.node];
	struct bt_node_run *in = &e->run[n->in[0]];
	size_t r0 = (size_t)(i % a->j.row_pieces) * ROWS;
	struct bt_gemm_block b = {0};

	b.rows = bt_piece_end(a->j.rows, ROWS, i % a->j.row_pieces) - r0;
	b.x =
	    bt_at(pre_gradient(e, a->j.node), r0 * (size_t)n->cols, e->o.bf16);
	b.y = bt_at(in->buf[BT_SLOT_GRAD],
	            r0 * (size_t)e->g->nodes[n->in[0]].cols, in->grad_bf16);
	b.y_bf16 = in->grad_bf16;
	b.add = !e->run[a->j.node].stores_grad[0];
	bt_engine_fail(e,
	               bt_gemm_run(e->run[a->j.node].weight, BT_GEMM_BACKWARD,
	                           i / a->j.row_pieces, &b, worker));
}

static void bias_gradient(const struct back *a, int i)
{
	struct bt_engine *e = a->j.e;
	const struct bt_node *n = &e->g->nodes[a->j.node];
	size_t c0 = (size_t)i * BIAS_COLUMNS, k, count = BIAS_COLUMNS;
	float *db = bt_grad(e, n->u.linear.bias) + c0;

	if (c0 + count > (size_t)n->cols)
		count = (size_t)n->cols - c0;
	for (k = 0; k < count && !bt_adds(e, a->j.node); k++)
		db[k] = 0;
	e->k->column_sums(e->o.bf16,
	                  bt_at(pre_gradient(e, a->j.node), c0, e->o.bf16),
	                  a->j.rows, count, (size_t)n->cols, db);
}

static void backward_piece(void *arg, int piece, int worker)
{
	const struct back *a = arg;

	if (piece < a->w_pieces)
		weight_gradient(a, piece, worker);
	else if (piece < a->w_pieces + a->x_pieces)
		input_gradient(a, piece - a->w_pieces, worker);
	else
		bias_gradient(a, piece - a->w_pieces - a->x_pieces);
}

static void backward(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *r = &e->run[node];
	struct bt_node_run *in = &e->run[n->in[0]];
	struct back a = {.j = make_job(e, node)};
	int k = e->g->nodes[n->in[0]].cols;

	if (has_act(n) || r->grad_bf16 != e->o.bf16)
		bt_engine_run(e, act_piece, &a.j, bt_row_pieces(a.j.rows, 32));
	bt_zero_tail(pre_gradient(e, node), a.j.rows, (size_t)n->cols,
	             e->o.bf16);
	if (bt_gives(e, n->u.linear.weight)) {
		a.w_step = bt_gemm_gradient_step(e->gemm, n->cols, k);
		a.w_pieces = (n->cols + a.w_step - 1) / a.w_step;
	}
	if (in->learns)
		a.x_pieces = a.j.row_pieces *
		             bt_gemm_chunks(r->weight, BT_GEMM_BACKWARD);
	if (bt_gives(e, n->u.linear.bias))
		a.b_pieces = (n->cols + BIAS_COLUMNS - 1) / BIAS_COLUMNS;
	bt_engine_run(e, backward_piece, &a,
	              a.w_pieces + a.x_pieces + a.b_pieces);
	if (in->learns)
		bt_zero_tail(in->buf[BT_SLOT_GRAD], a.j.rows, (size_t)k,
		             in->grad_bf16);
}

const struct bt_cpu_op bt_cpu_linear = {plan, forward, backward};

/* SPDX-License-Identifier: MIT */
/* add, glu and adapt: pieces of rows. */
#include "cpu/engine_int.h"

#define ROWS ((size_t)32)

struct add_job {
	struct bt_engine *e;
	size_t rows;
	struct bt_sum a;
};

static void plan_add(struct bt_engine *e, int node)
{
	/* the second input may come in any type */
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
}

static struct add_job add_job(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *r = &e->run[node];
	struct bt_node_run *in0 = &e->run[n->in[0]], *in1 = &e->run[n->in[1]];
	struct add_job j = {.e = e, .rows = bt_rows_of(e, n)};

	j.a.cols = (size_t)n->cols;
	j.a.residual = in0->buf[BT_SLOT_F32];
	j.a.x_bf16 = !in1->need_f32;
	j.a.x = in1->buf[j.a.x_bf16 ? BT_SLOT_BF16 : BT_SLOT_F32];
	j.a.drop = bt_node_dropout(e, node, n->u.drop.dropout);
	j.a.y = r->buf[BT_SLOT_F32];
	j.a.y_bf16 = r->buf[BT_SLOT_BF16];
	j.a.dy = r->buf[BT_SLOT_GRAD];
	j.a.dresidual = in0->buf[BT_SLOT_GRAD];
	j.a.add_residual = !r->stores_grad[0];
	j.a.dx = in1->buf[BT_SLOT_GRAD];
	j.a.dx_bf16 = in1->grad_bf16;
	return j;
}

static void add_piece(void *arg, int piece, int worker)
{
	const struct add_job *j = arg;

	j->e->k->add(&j->a, (size_t)piece * ROWS,
	             bt_piece_end(j->rows, ROWS, piece), j->e->scratch[worker]);
}

static void add_back_piece(void *arg, int piece, int worker)
{
	const struct add_job *j = arg;

	j->e->k->add_back(&j->a, (size_t)piece * ROWS,
	                  bt_piece_end(j->rows, ROWS, piece),
	                  j->e->scratch[worker]);
}

static void forward_add(struct bt_engine *e, int node)
{
	struct add_job j = add_job(e, node);

	bt_engine_run(e, add_piece, &j, bt_row_pieces(j.rows, ROWS));
	bt_zero_tail(j.a.y, j.rows, j.a.cols, false);
	bt_zero_tail(j.a.y_bf16, j.rows, j.a.cols, true);
}

static void backward_add(struct bt_engine *e, int node)
{
	struct add_job j = add_job(e, node);

	bt_engine_run(e, add_back_piece, &j, bt_row_pieces(j.rows, ROWS));
}

const struct bt_cpu_op bt_cpu_add = {plan_add, forward_add, backward_add};

struct glu_job {
	struct bt_engine *e;
	size_t rows;
	struct bt_glu a;
};

static void plan_glu(struct bt_engine *e, int node)
{
	bt_want_operand(e, e->g->nodes[node].in[0]);
}

static struct glu_job glu_job(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *r = &e->run[node], *in = &e->run[n->in[0]];
	struct glu_job j = {.e = e, .rows = bt_rows_of(e, n)};

	j.a.act = n->u.glu.act;
	j.a.cols = (size_t)n->cols;
	j.a.gate = n->u.glu.gate_last ? j.a.cols : 0;
	j.a.other = j.a.cols - j.a.gate;
	j.a.x = bt_operand(e, n->in[0]);
	j.a.x_bf16 = e->o.bf16;
	j.a.y = r->buf[BT_SLOT_F32];
	j.a.y_bf16 = r->buf[BT_SLOT_BF16];
	j.a.dy = r->buf[BT_SLOT_GRAD];
	j.a.dy_bf16 = r->grad_bf16;
	j.a.dx = in->buf[BT_SLOT_GRAD];
	j.a.dx_bf16 = in->grad_bf16;
	return j;
}

static void glu_piece(void *arg, int piece, int worker)
{
	const struct glu_job *j = arg;

	j->e->k->glu(&j->a, (size_t)piece * ROWS,
	             bt_piece_end(j->rows, ROWS, piece), j->e->scratch[worker]);
}

static void glu_back_piece(void *arg, int piece, int worker)
{
	const struct glu_job *j = arg;

	j->e->k->glu_back(&j->a, (size_t)piece * ROWS,
	                  bt_piece_end(j->rows, ROWS, piece),
	                  j->e->scratch[worker]);
}

static void forward_glu(struct bt_engine *e, int node)
{
	struct glu_job j = glu_job(e, node);

	bt_engine_run(e, glu_piece, &j, bt_row_pieces(j.rows, ROWS));
	bt_zero_tail(j.a.y, j.rows, j.a.cols, false);
	bt_zero_tail(j.a.y_bf16, j.rows, j.a.cols, true);
}

static void backward_glu(struct bt_engine *e, int node)
{
	struct glu_job j = glu_job(e, node);

	bt_engine_run(e, glu_back_piece, &j, bt_row_pieces(j.rows, ROWS));
}

const struct bt_cpu_op bt_cpu_glu = {plan_glu, forward_glu, backward_glu};

/* SAVED holds the input of the activation. All inputs may come in any type. */
static void plan_adapt(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	if (e->o.train && n->u.adapt.act != BT_ACT_NONE)
		e->run[node].plan[BT_SLOT_SAVED].size =
		    bt_gemm_room(bt_max_rows(e, n)) * (size_t)n->cols *
		    sizeof(float);
}

struct adapt_job {
	struct bt_engine *e;
	int node;
	size_t rows;
};

/* Row r of an input as f32: where it stands, or in room. */
static const float *adapt_input(struct bt_engine *e, int node, size_t r,
                                float *room)
{
	const struct bt_node_run *in = &e->run[node];
	size_t cols = (size_t)e->g->nodes[node].cols;

	if (in->need_f32)
		return (float *)in->buf[BT_SLOT_F32] + r * cols;
	e->k->from_bf16((uint16_t *)in->buf[BT_SLOT_BF16] + r * cols, room,
	                cols);
	return room;
}

static void adapt_piece(void *arg, int piece, int worker)
{
	const struct adapt_job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_node_run *r = &e->run[j->node];
	size_t cols = (size_t)n->cols, i = (size_t)piece * ROWS;
	size_t end = bt_piece_end(j->rows, ROWS, piece);
	float *room = e->scratch[worker] + bt_round_up(cols, 128), *y;
	const float *x;
	int k;

	for (; i < end; i++) {
		y = r->buf[BT_SLOT_F32] != NULL
		        ? (float *)r->buf[BT_SLOT_F32] + i * cols
		        : e->scratch[worker];
		x = adapt_input(e, n->in[0], i, y);
		if (x != y)
			memcpy(y, x, cols * sizeof(*y));
		for (k = 1; k < n->n_in; k++)
			e->k->axpy(n->u.adapt.scale,
			           adapt_input(e, n->in[k], i, room),
			           y + n->u.adapt.col[k - 1],
			           (size_t)e->g->nodes[n->in[k]].cols);
		if (r->buf[BT_SLOT_SAVED] != NULL)
			memcpy((float *)r->buf[BT_SLOT_SAVED] + i * cols, y,
			       cols * sizeof(*y));
		if (n->u.adapt.act != BT_ACT_NONE)
			e->k->act(n->u.adapt.act, false, y, y, 1, cols, cols);
		if (r->buf[BT_SLOT_BF16] != NULL)
			e->k->to_bf16(
			    y, (uint16_t *)r->buf[BT_SLOT_BF16] + i * cols,
			    cols);
	}
}

/* Gives an input the gradient that stands in dy, times scale. */
static void give_adapted(struct bt_engine *e, int node, size_t row,
                         const float *dy, float scale, float *room)
{
	struct bt_node_run *in = &e->run[node];
	size_t cols = (size_t)e->g->nodes[node].cols, c;
	void *dx = bt_at(in->buf[BT_SLOT_GRAD], row * cols, in->grad_bf16);

	if (!in->grad_bf16)
		room = dx;
	for (c = 0; c < cols; c++)
		room[c] = scale * dy[c];
	if (in->grad_bf16)
		e->k->to_bf16(room, dx, cols);
}

static void adapt_back_piece(void *arg, int piece, int worker)
{
	const struct adapt_job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_node_run *r = &e->run[j->node];
	size_t cols = (size_t)n->cols, i = (size_t)piece * ROWS, at;
	size_t end = bt_piece_end(j->rows, ROWS, piece);
	float *room = e->scratch[worker] + bt_round_up(cols, 128), *dy;
	int k;

	for (; i < end; i++) {
		at = i * cols;
		dy = e->scratch[worker];
		if (r->grad_bf16)
			e->k->from_bf16((uint16_t *)r->buf[BT_SLOT_GRAD] + at,
			                dy, cols);
		else
			memcpy(dy, (float *)r->buf[BT_SLOT_GRAD] + at,
			       cols * sizeof(*dy));
		if (n->u.adapt.act != BT_ACT_NONE)
			e->k->act_back(n->u.adapt.act, false,
			               (float *)r->buf[BT_SLOT_SAVED] + at, dy,
			               dy, 1, cols, cols);
		if (e->run[n->in[0]].learns)
			give_adapted(e, n->in[0], i, dy, 1, room);
		for (k = 1; k < n->n_in; k++)
			give_adapted(e, n->in[k], i, dy + n->u.adapt.col[k - 1],
			             n->u.adapt.scale, room);
	}
}

static void forward_adapt(struct bt_engine *e, int node)
{
	struct adapt_job j = {e, node, bt_rows_of(e, &e->g->nodes[node])};
	size_t cols = (size_t)e->g->nodes[node].cols;

	bt_engine_run(e, adapt_piece, &j, bt_row_pieces(j.rows, ROWS));
	bt_zero_tail(e->run[node].buf[BT_SLOT_F32], j.rows, cols, false);
	bt_zero_tail(e->run[node].buf[BT_SLOT_BF16], j.rows, cols, true);
}

static void backward_adapt(struct bt_engine *e, int node)
{
	struct adapt_job j = {e, node, bt_rows_of(e, &e->g->nodes[node])};

	bt_engine_run(e, adapt_back_piece, &j, bt_row_pieces(j.rows, ROWS));
}

const struct bt_cpu_op bt_cpu_adapt = {plan_adapt, forward_adapt,
                                       backward_adapt};

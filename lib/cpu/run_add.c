/* SPDX-License-Identifier: MIT */
/* add and gated: pieces of rows. */
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

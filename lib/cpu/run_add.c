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
	j.a.x_low = !in1->need_f32;
	j.a.x = in1->buf[j.a.x_low ? BT_SLOT_LOW : BT_SLOT_F32];
	j.a.drop = bt_node_dropout(e, node, n->u.drop.dropout);
	j.a.y = r->buf[BT_SLOT_F32];
	j.a.y_low = r->buf[BT_SLOT_LOW];
	j.a.dy = r->buf[BT_SLOT_GRAD];
	j.a.dresidual = in0->buf[BT_SLOT_GRAD];
	j.a.add_residual = !r->stores_grad[0];
	j.a.dx = in1->buf[BT_SLOT_GRAD];
	j.a.dx_low = in1->grad_low;
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
	bt_zero_tail(j.a.y_low, j.rows, j.a.cols, true);
}

static void backward_add(struct bt_engine *e, int node)
{
	struct add_job j = add_job(e, node);

	bt_engine_run(e, add_back_piece, &j, bt_row_pieces(j.rows, ROWS));
}

const struct bt_cpu_op bt_cpu_add = {plan_add, forward_add, backward_add};

struct gated_job {
	struct bt_engine *e;
	size_t rows;
	struct bt_gated a;
};

static void plan_gated(struct bt_engine *e, int node)
{
	bt_want_operand(e, e->g->nodes[node].in[0]);
}

static struct gated_job gated_job(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *r = &e->run[node], *in = &e->run[n->in[0]];
	struct gated_job j = {.e = e, .rows = bt_rows_of(e, n)};

	j.a.act = n->u.gated.act;
	j.a.cols = (size_t)n->cols;
	j.a.x = bt_operand(e, n->in[0]);
	j.a.x_low = e->o.low;
	j.a.y = r->buf[BT_SLOT_F32];
	j.a.y_low = r->buf[BT_SLOT_LOW];
	j.a.dy = r->buf[BT_SLOT_GRAD];
	j.a.dy_low = r->grad_low;
	j.a.dx = in->buf[BT_SLOT_GRAD];
	j.a.dx_low = in->grad_low;
	return j;
}

static void gated_piece(void *arg, int piece, int worker)
{
	const struct gated_job *j = arg;

	j->e->k->gated(&j->a, (size_t)piece * ROWS,
	               bt_piece_end(j->rows, ROWS, piece),
	               j->e->scratch[worker]);
}

static void gated_back_piece(void *arg, int piece, int worker)
{
	const struct gated_job *j = arg;

	j->e->k->gated_back(&j->a, (size_t)piece * ROWS,
	                    bt_piece_end(j->rows, ROWS, piece),
	                    j->e->scratch[worker]);
}

static void forward_gated(struct bt_engine *e, int node)
{
	struct gated_job j = gated_job(e, node);

	bt_engine_run(e, gated_piece, &j, bt_row_pieces(j.rows, ROWS));
	bt_zero_tail(j.a.y, j.rows, j.a.cols, false);
	bt_zero_tail(j.a.y_low, j.rows, j.a.cols, true);
}

static void backward_gated(struct bt_engine *e, int node)
{
	struct gated_job j = gated_job(e, node);

	bt_engine_run(e, gated_back_piece, &j, bt_row_pieces(j.rows, ROWS));
}

const struct bt_cpu_op bt_cpu_gated = {plan_gated, forward_gated,
                                       backward_gated};

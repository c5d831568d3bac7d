/* SPDX-License-Identifier: MIT */
#include "stablehlo/program.h"

#include <stdlib.h>

#include "base/mem.h"
#include "stablehlo/emit_int.h"

static const struct bt_hlo_op *const ops[BT_OPCODES] = {
    [BT_OP_EMBED] = &bt_hlo_op_embed,
    [BT_OP_LINEAR] = &bt_hlo_op_linear,
    [BT_OP_ATTENTION] = &bt_hlo_op_attention,
    [BT_OP_RESIDUAL_NORM] = &bt_hlo_op_residual_norm,
    [BT_OP_NORM] = &bt_hlo_op_norm,
    [BT_OP_ADAPT] = &bt_hlo_op_adapt,
    [BT_OP_ADD] = &bt_hlo_op_add,
    [BT_OP_GLU] = &bt_hlo_op_glu,
    [BT_OP_RELATIVE_POSITIONS] = &bt_hlo_op_relative_positions,
    [BT_OP_FIRST] = &bt_hlo_op_first,
    [BT_OP_SELECT] = &bt_hlo_op_select,
    [BT_OP_MEAN] = &bt_hlo_op_mean,
    [BT_OP_MAX] = &bt_hlo_op_max,
    [BT_OP_FLATTEN] = &bt_hlo_op_flatten,
    [BT_OP_DROPOUT] = &bt_hlo_op_dropout,
    [BT_OP_LOG_NORMALIZE] = &bt_hlo_op_log_normalize,
    [BT_OP_SOFTMAX_LOSS] = &bt_hlo_op_softmax_loss,
    [BT_OP_LOG_LOSS] = &bt_hlo_op_log_loss,
    [BT_OP_SQUARE_LOSS] = &bt_hlo_op_square_loss,
    [BT_OP_SIGMOID_LOSS] = &bt_hlo_op_sigmoid_loss,
    [BT_OP_SPAN_LOSS] = &bt_hlo_op_span_loss,
    [BT_OP_CHOICE_LOSS] = &bt_hlo_op_choice_loss,
    [BT_OP_EMBEDDING_LOSS] = &bt_hlo_op_embedding_loss,
};

/* Marks what the nodes that are marked read, directly or not. */
static void mark_read(const struct bt_graph *g, bool *read)
{
	int i, k;

	for (i = g->n_nodes - 1; i >= 0; i--)
		for (k = 0; read[i] && k < g->nodes[i].n_in; k++)
			read[g->nodes[i].in[k]] = true;
}

static void translate(struct bt_hlo_emit *e, const bool *read)
{
	const struct bt_graph *g = e->g;
	int i;

	for (i = 0; i < g->n_nodes && !e->b.failed; i++) {
		if (!read[i])
			continue;
		if (ops[g->nodes[i].op] == NULL)
			bt_hlo_fail(&e->b, BT_EARG,
			            "the operator %s cannot run on a device",
			            bt_opcode_name(g->nodes[i].op));
		else
			ops[g->nodes[i].op]->forward(e, i);
	}
}

static void translate_back(struct bt_hlo_emit *e, const bool *read)
{
	const struct bt_graph *g = e->g;
	int i;

	for (i = g->n_nodes - 1; i >= 0 && !e->b.failed; i--)
		if (read[i])
			ops[g->nodes[i].op]->backward(e, i);
}

static void add_logits(struct bt_hlo_emit *e, struct bt_hlo_results *x)
{
	const struct bt_graph *g = e->g;

	bt_hlo_add_result(x, BT_HLO_LOGITS, -1, bt_hlo_whole(e, g->logits));
	if (g->next_logits >= 0)
		bt_hlo_add_result(x, BT_HLO_NEXT_LOGITS, -1,
		                  bt_hlo_whole(e, g->next_logits));
}

/* The gradient by a parameter, of all devices, 0 where it was given none; and
 * what there was of it. */
static int gradient(struct bt_hlo_emit *e, int param)
{
	int x = e->param_grad[param];
	struct bt_hlo_shape s;

	if (x == BT_HLO_NONE && !e->b.failed) {
		s = bt_hlo_shape_of(&e->b, bt_hlo_param(e, param));
		x = bt_hlo_splat(&e->b, s, 0);
	} else {
		x = bt_hlo_all_reduce(&e->b, x, e->o->replicas);
	}
	if (!e->o->adds)
		return x;
	return bt_hlo_binary(&e->b, "add",
	                     bt_hlo_of_param(e, BT_HLO_ARG_GRADIENT, param), x);
}

/* Rows of the logits whose label is the first of the largest. */
static int count_right(struct bt_hlo_emit *e)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->logits), y, none;
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	const int64_t one = 1;

	y = bt_hlo_along(b, bt_hlo_reduce(b, "maximum", x, 1), x, 0);
	y = bt_hlo_compare(b, "EQ", x, y);
	s.type = BT_HLO_I32;
	x = bt_hlo_iota(b, s, 1);
	none = bt_hlo_splat(b, s, (double)s.dim[1]);
	x = bt_hlo_reduce(b, "minimum", bt_hlo_select(b, y, x, none), 1);
	y = bt_hlo_input(e, BT_HLO_ARG_LABELS);
	x = bt_hlo_convert(b, bt_hlo_compare(b, "EQ", x, y), BT_HLO_F32);
	return bt_hlo_reshape(b, bt_hlo_reduce(b, "add", x, 0), 1, &one);
}

static void learn(struct bt_hlo_emit *e, const bool *read,
                  struct bt_hlo_results *x)
{
	struct bt_hlo *b = &e->b;
	int i, n = e->o->replicas;

	if (e->o->given)
		bt_hlo_give(e, e->g->logits,
		            bt_hlo_input(e, BT_HLO_ARG_LOGIT_GRADS));
	else if (e->loss == BT_HLO_NONE)
		bt_hlo_fail(b, BT_EARG, "a model without a loss");
	translate_back(e, read);
	if (!e->o->given)
		bt_hlo_add_result(x, BT_HLO_LOSS, -1,
		                  bt_hlo_all_reduce(b, e->loss, n));
	if (e->input[BT_HLO_ARG_LABELS] != BT_HLO_NONE)
		bt_hlo_add_result(x, BT_HLO_RIGHT, -1,
		                  bt_hlo_all_reduce(b, count_right(e), n));
	if (e->row_squares != BT_HLO_NONE)
		bt_hlo_add_result(x, BT_HLO_ROW_SQUARES, -1,
		                  bt_hlo_all_reduce(b, e->row_squares, n));
	for (i = 0; i < e->g->n_params; i++)
		if (!e->g->params[i].frozen)
			bt_hlo_add_result(x, BT_HLO_GRADIENT, i,
			                  gradient(e, i));
}

static bool is_loss(const struct bt_node *n)
{
	return n->op >= BT_OP_SOFTMAX_LOSS;
}

/* Marks what the program computes. */
static void mark(const struct bt_graph *g, bool losses, bool *read)
{
	int i;

	for (i = 0; i < g->n_nodes; i++)
		read[i] = losses ? is_loss(&g->nodes[i])
		                 : i == g->logits || i == g->next_logits;
	mark_read(g, read);
}

static int write_program(const struct bt_graph *g, const struct bt_hlo_opts *o,
                         bool learns, struct bt_hlo_program *p,
                         struct bt_error *err)
{
	bool *read = bt_array0((size_t)g->n_nodes + 1, sizeof(*read));
	struct bt_hlo_results x;
	struct bt_hlo_emit e;
	int r = bt_hlo_begin_program(&e, g, o, g->n_params + 3, &x, err);

	if (r == BT_OK && read == NULL)
		r = bt_error_nomem(err, "writing a program");
	if (r == BT_OK) {
		mark(g, learns && !o->given, read);
		translate(&e, read);
		if (learns && !e.b.failed)
			learn(&e, read, &x);
		else if (!e.b.failed)
			add_logits(&e, &x);
	}
	free(read);
	return bt_hlo_end_program(&e, r, &x, p, err);
}

int bt_hlo_forward(const struct bt_graph *g, const struct bt_hlo_opts *o,
                   struct bt_hlo_program *p, struct bt_error *err)
{
	return write_program(g, o, false, p, err);
}

int bt_hlo_gradients(const struct bt_graph *g, const struct bt_hlo_opts *o,
                     struct bt_hlo_program *p, struct bt_error *err)
{
	return write_program(g, o, true, p, err);
}

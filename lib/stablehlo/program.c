/* SPDX-License-Identifier: MIT */
#include "stablehlo/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stablehlo/emit_int.h"

static const struct bt_hlo_op *const ops[BT_OPCODES] = {
    [BT_OP_EMBED] = &bt_hlo_op_embed,
    [BT_OP_LINEAR] = &bt_hlo_op_linear,
    [BT_OP_ATTENTION] = &bt_hlo_op_attention,
    [BT_OP_RESIDUAL_NORM] = &bt_hlo_op_residual_norm,
    [BT_OP_NORM] = &bt_hlo_op_norm,
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

static void put_types(struct bt_buf *out, const struct bt_hlo_emit *e,
                      const int *results, int n)
{
	int i;

	bt_buf_putc(out, '(');
	for (i = 0; i < n; i++) {
		bt_buf_puts(out, i > 0 ? ", " : "");
		bt_hlo_put_shape(out, &e->b.values[results[i]].shape);
	}
	bt_buf_putc(out, ')');
}

/* The module around the body. */
static void put_module(struct bt_buf *out, struct bt_hlo_emit *e,
                       const int *results, int n)
{
	int i;

	bt_buf_puts(out, "module @bertutils attributes {mhlo.num_replicas = 1 "
	                 ": i32, mhlo.num_partitions = 1 : i32} {\n"
	                 "  func.func public @main(");
	for (i = 0; i < e->n_args; i++) {
		bt_buf_printf(out, "%s%%arg%d: ", i > 0 ? ", " : "", i);
		bt_hlo_put_shape(out, &e->args[i].shape);
	}
	bt_buf_puts(out, ") -> ");
	put_types(out, e, results, n);
	bt_buf_puts(out, " {\n");
	bt_buf_put(out, bt_buf_at(&e->b.body, 0), e->b.body.len);
	bt_buf_puts(out, "    \"func.return\"(");
	for (i = 0; i < n; i++) {
		bt_buf_puts(out, i > 0 ? ", " : "");
		bt_hlo_put_value(out, &e->b, results[i]);
	}
	bt_buf_puts(out, ") : ");
	put_types(out, e, results, n);
	bt_buf_puts(out, " -> ()\n  }\n}\n");
}

static void set_none(int *v, int n)
{
	while (n-- > 0)
		v[n] = BT_HLO_NONE;
}

static int begin(struct bt_hlo_emit *e, struct bt_error *err)
{
	size_t params = (size_t)e->g->n_params + 1;
	int i;

	bt_hlo_init(&e->b, err);
	e->outputs = bt_array0((size_t)e->g->n_nodes + 1, sizeof(*e->outputs));
	e->param = bt_array(3 * params, sizeof(*e->param));
	if (e->outputs == NULL || e->param == NULL)
		return bt_error_nomem(err, "writing a program");
	e->param_low = e->param + params;
	e->param_grad = e->param_low + params;
	set_none(e->param, 3 * (int)params);
	set_none(e->input, BT_HLO_ARG_SOURCES);
	for (i = 0; i < e->g->n_nodes; i++)
		set_none(e->outputs[i].grad, BT_HLO_PARTS);
	e->same_text = e->texts = e->loss = BT_HLO_NONE;
	return BT_OK;
}

static void end(struct bt_hlo_emit *e)
{
	bt_hlo_clear(&e->b);
	free(e->outputs);
	free(e->param);
	free(e->args);
}

/* What a program gives. */
struct results {
	struct bt_hlo_result *what;
	int *value;
	int n;
};

static void add_result(struct results *x, enum bt_hlo_kind kind, int param,
                       int value)
{
	x->what[x->n] = (struct bt_hlo_result){.kind = kind, .param = param};
	x->value[x->n++] = value;
}

static void add_logits(struct bt_hlo_emit *e, struct results *x)
{
	const struct bt_graph *g = e->g;

	add_result(x, BT_HLO_LOGITS, -1, bt_hlo_whole(e, g->logits));
	if (g->next_logits >= 0)
		add_result(x, BT_HLO_NEXT_LOGITS, -1,
		           bt_hlo_whole(e, g->next_logits));
}

/* The gradient by a parameter, 0 where it was given none. */
static int gradient(struct bt_hlo_emit *e, int param)
{
	int x = e->param_grad[param];
	struct bt_hlo_shape s;

	if (x != BT_HLO_NONE || e->b.failed)
		return x;
	s = bt_hlo_shape_of(&e->b, bt_hlo_param(e, param));
	return bt_hlo_splat(&e->b, s, 0);
}

static void learn(struct bt_hlo_emit *e, const bool *read, struct results *x)
{
	int i;

	if (e->loss == BT_HLO_NONE)
		bt_hlo_fail(&e->b, BT_EARG, "a model without a loss");
	translate_back(e, read);
	add_result(x, BT_HLO_LOSS, -1, e->loss);
	for (i = 0; i < e->g->n_params; i++)
		if (!e->g->params[i].frozen)
			add_result(x, BT_HLO_GRADIENT, i, gradient(e, i));
}

/* Hands over what was written. */
static int finish(struct bt_hlo_emit *e, struct bt_hlo_program *p,
                  struct results *x, struct bt_error *err)
{
	int i, r = bt_hlo_failed(&e->b);

	if (r != BT_OK)
		return r;
	put_module(&p->text, e, x->value, x->n);
	if (p->text.oom)
		return bt_error_nomem(err, "writing a program");
	for (i = 0; i < x->n; i++)
		x->what[i].shape = bt_hlo_shape_of(&e->b, x->value[i]);
	p->results = x->what;
	p->n_results = x->n;
	p->args = e->args;
	p->n_args = e->n_args;
	e->args = NULL;
	x->what = NULL;
	return BT_OK;
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
		read[i] = i == g->logits || i == g->next_logits ||
		          (losses && is_loss(&g->nodes[i]));
	mark_read(g, read);
}

static int write_program(const struct bt_graph *g, const struct bt_hlo_opts *o,
                         bool learns, struct bt_hlo_program *p,
                         struct bt_error *err)
{
	struct bt_hlo_emit e = {.g = g, .o = o};
	bool *read = bt_array0((size_t)g->n_nodes + 1, sizeof(*read));
	size_t most = (size_t)g->n_params + 3;
	struct results x = {.what = bt_array(most, sizeof(*x.what)),
	                    .value = bt_array(most, sizeof(*x.value))};
	int r = begin(&e, err);

	memset(p, 0, sizeof(*p));
	if (r == BT_OK && (read == NULL || x.what == NULL || x.value == NULL))
		r = bt_error_nomem(err, "writing a program");
	if (r == BT_OK) {
		mark(g, learns, read);
		translate(&e, read);
		if (!e.b.failed)
			add_logits(&e, &x);
		if (learns && !e.b.failed)
			learn(&e, read, &x);
		r = finish(&e, p, &x, err);
	}
	free(read);
	free(x.what);
	free(x.value);
	end(&e);
	if (r != BT_OK)
		bt_hlo_program_clear(p);
	return r;
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

void bt_hlo_program_clear(struct bt_hlo_program *p)
{
	bt_buf_clear(&p->text);
	free(p->args);
	free(p->results);
	memset(p, 0, sizeof(*p));
}

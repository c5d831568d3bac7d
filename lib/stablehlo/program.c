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

	bt_hlo_init(&e->b, err);
	e->outputs = bt_array0((size_t)e->g->n_nodes + 1, sizeof(*e->outputs));
	e->param = bt_array(2 * params, sizeof(*e->param));
	if (e->outputs == NULL || e->param == NULL)
		return bt_error_nomem(err, "writing a program");
	e->param_low = e->param + params;
	set_none(e->param, 2 * (int)params);
	set_none(e->input, BT_HLO_ARG_SOURCES);
	e->same_text = e->texts = BT_HLO_NONE;
	return BT_OK;
}

static void end(struct bt_hlo_emit *e)
{
	bt_hlo_clear(&e->b);
	free(e->outputs);
	free(e->param);
	free(e->args);
}

/* Hands over what was written. */
static int finish(struct bt_hlo_emit *e, struct bt_hlo_program *p,
                  const int *results, const enum bt_hlo_kind *kinds, int n,
                  struct bt_error *err)
{
	int i, r = bt_hlo_failed(&e->b);

	if (r != BT_OK)
		return r;
	put_module(&p->text, e, results, n);
	p->results = bt_array((size_t)n, sizeof(*p->results));
	if (p->text.oom || p->results == NULL)
		return bt_error_nomem(err, "writing a program");
	for (i = 0; i < n; i++) {
		p->results[i].kind = kinds[i];
		p->results[i].shape = bt_hlo_shape_of(&e->b, results[i]);
	}
	p->n_results = n;
	p->args = e->args;
	p->n_args = e->n_args;
	e->args = NULL;
	return BT_OK;
}

int bt_hlo_forward(const struct bt_graph *g, const struct bt_hlo_opts *o,
                   struct bt_hlo_program *p, struct bt_error *err)
{
	static const enum bt_hlo_kind kinds[] = {BT_HLO_LOGITS,
	                                         BT_HLO_NEXT_LOGITS};
	const int nodes[] = {g->logits, g->next_logits};
	struct bt_hlo_emit e = {.g = g, .o = o};
	bool *read = bt_array0((size_t)g->n_nodes + 1, sizeof(*read));
	int results[2], n = 0, r = begin(&e, err);

	memset(p, 0, sizeof(*p));
	if (r == BT_OK && read == NULL)
		r = bt_error_nomem(err, "writing a program");
	if (r == BT_OK) {
		for (n = 0; n < 2 && nodes[n] >= 0; n++)
			read[nodes[n]] = true;
		mark_read(g, read);
		translate(&e, read);
		for (n = 0; n < 2 && nodes[n] >= 0 && !e.b.failed; n++)
			results[n] = bt_hlo_whole(&e, nodes[n]);
		r = finish(&e, p, results, kinds, n, err);
	}
	free(read);
	end(&e);
	if (r != BT_OK)
		bt_hlo_program_clear(p);
	return r;
}

void bt_hlo_program_clear(struct bt_hlo_program *p)
{
	bt_buf_clear(&p->text);
	free(p->args);
	free(p->results);
	memset(p, 0, sizeof(*p));
}

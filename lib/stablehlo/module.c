/* SPDX-License-Identifier: MIT */
/* A program from its beginning to its end: the module around the body, its
 * arguments and results. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stablehlo/emit_int.h"

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

	bt_buf_printf(out,
	              "module @bertutils attributes {mhlo.num_replicas = %d "
	              ": i32, mhlo.num_partitions = 1 : i32} {\n"
	              "  func.func public @main(",
	              e->o->replicas > 1 ? e->o->replicas : 1);
	for (i = 0; i < e->n_args; i++) {
		bt_buf_printf(out, "%s%%arg%d: ", i > 0 ? ", " : "", i);
		bt_hlo_put_shape(out, &e->args[i].shape);
		if (e->args[i].taken >= 0)
			bt_buf_printf(out, " {tf.aliasing_output = %d : i32}",
			              e->args[i].taken);
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
	int i, k;

	bt_hlo_init(&e->b, err);
	e->outputs = bt_array0((size_t)e->g->n_nodes + 1, sizeof(*e->outputs));
	e->param = bt_array(3 * params, sizeof(*e->param));
	if (e->outputs == NULL || e->param == NULL)
		return bt_error_nomem(err, "writing a program");
	e->param_low = e->param + params;
	e->param_grad = e->param_low + params;
	set_none(e->param, 3 * (int)params);
	set_none(e->input, BT_HLO_ARG_SOURCES);
	for (i = 0; i < e->g->n_nodes; i++) {
		set_none(e->outputs[i].grad, BT_HLO_PARTS);
		for (k = 0; k < BT_HLO_SAVED; k++)
			e->outputs[i].saved[k] = BT_HLO_NONE;
	}
	e->same_text = e->texts = e->loss = BT_HLO_NONE;
	e->row_squares = BT_HLO_NONE;
	return BT_OK;
}

int bt_hlo_begin_program(struct bt_hlo_emit *e, const struct bt_graph *g,
                         const struct bt_hlo_opts *o, int most,
                         struct bt_hlo_results *x, struct bt_error *err)
{
	*e = (struct bt_hlo_emit){.g = g, .o = o};
	*x = (struct bt_hlo_results){
	    .what = bt_array((size_t)most, sizeof(*x->what)),
	    .value = bt_array((size_t)most, sizeof(*x->value))};
	if (x->what == NULL || x->value == NULL)
		return bt_error_nomem(err, "writing a program");
	return begin(e, err);
}

void bt_hlo_add_result(struct bt_hlo_results *x, enum bt_hlo_kind kind,
                       int param, int value)
{
	x->what[x->n] = (struct bt_hlo_result){.kind = kind, .param = param};
	x->value[x->n++] = value;
}

/* Of which results arguments leave their place to, if the program has them. */
static void take_places(struct bt_hlo_emit *e, const struct bt_hlo_results *x)
{
	static const int kinds[] = {[BT_HLO_ARG_PARAM] = BT_HLO_PARAM,
	                            [BT_HLO_ARG_GRADIENT] = BT_HLO_GRADIENT,
	                            [BT_HLO_ARG_MOMENT1] = BT_HLO_MOMENT1,
	                            [BT_HLO_ARG_MOMENT2] = BT_HLO_MOMENT2};
	int *result = e->param_grad, kind, i; /* by now of no other use */

	for (kind = 0; kind < (int)(sizeof(kinds) / sizeof(kinds[0])); kind++) {
		set_none(result, e->g->n_params);
		for (i = 0; i < x->n; i++)
			if ((int)x->what[i].kind == kinds[kind])
				result[x->what[i].param] = i;
		for (i = 0; i < e->n_args; i++)
			if ((int)e->args[i].source == kind)
				e->args[i].taken = result[e->args[i].param];
	}
}

/* Hands over what was written. */
static int finish(struct bt_hlo_emit *e, struct bt_hlo_program *p,
                  struct bt_hlo_results *x, struct bt_error *err)
{
	int i, r = bt_hlo_failed(&e->b);

	if (r != BT_OK)
		return r;
	take_places(e, x);
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

int bt_hlo_end_program(struct bt_hlo_emit *e, int r, struct bt_hlo_results *x,
                       struct bt_hlo_program *p, struct bt_error *err)
{
	memset(p, 0, sizeof(*p));
	if (r == BT_OK)
		r = finish(e, p, x, err);
	free(x->what);
	free(x->value);
	bt_hlo_clear(&e->b);
	free(e->outputs);
	free(e->param);
	free(e->args);
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

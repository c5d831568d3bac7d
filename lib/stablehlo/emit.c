/* SPDX-License-Identifier: MIT */
/* Arguments of a program and outputs of nodes, as operators ask for them. */
#include "base/mem.h"
#include "stablehlo/emit_int.h"

const char *bt_hlo_source_name(enum bt_hlo_source source)
{
	static const char *const names[BT_HLO_ARG_SOURCES] = {
	    [BT_HLO_ARG_PARAM] = "parameter",
	    [BT_HLO_ARG_IDS] = "ids",
	    [BT_HLO_ARG_TYPES] = "types",
	    [BT_HLO_ARG_POSITIONS] = "positions",
	    [BT_HLO_ARG_PLACES] = "places",
	    [BT_HLO_ARG_SEGMENTS] = "segments",
	    [BT_HLO_ARG_FIRST] = "first",
	    [BT_HLO_ARG_SELECTED] = "selected",
	};

	return names[source];
}

static int argument(struct bt_hlo_emit *e, enum bt_hlo_source source, int param,
                    struct bt_hlo_shape shape)
{
	if (bt_grow(&e->args, &e->arg_cap, (size_t)e->n_args + 1,
	            sizeof(*e->args)) != BT_OK)
		return bt_hlo_fail(&e->b, BT_ENOMEM,
		                   "out of memory while writing a program");
	e->args[e->n_args++] = (struct bt_hlo_arg){source, param, shape};
	return bt_hlo_argument(&e->b, &shape);
}

int bt_hlo_param(struct bt_hlo_emit *e, int param)
{
	const struct bt_param *p = &e->g->params[param];

	if (e->param[param] == BT_HLO_NONE)
		e->param[param] = argument(
		    e, BT_HLO_ARG_PARAM, param,
		    p->rank == 1 ? bt_hlo_vector(BT_HLO_F32, p->cols)
		                 : bt_hlo_matrix(BT_HLO_F32, p->rows, p->cols));
	return e->param[param];
}

int bt_hlo_operand(struct bt_hlo_emit *e, int x)
{
	return e->o->bf16 ? bt_hlo_convert(&e->b, x, BT_HLO_BF16) : x;
}

int bt_hlo_param_operand(struct bt_hlo_emit *e, int param)
{
	if (e->param_low[param] == BT_HLO_NONE)
		e->param_low[param] = bt_hlo_operand(e, bt_hlo_param(e, param));
	return e->param_low[param];
}

int bt_hlo_input(struct bt_hlo_emit *e, enum bt_hlo_source source)
{
	int64_t n = source == BT_HLO_ARG_FIRST      ? e->o->size.texts
	            : source == BT_HLO_ARG_SELECTED ? e->o->size.selected
	                                            : bt_hlo_tokens(e);

	if (e->input[source] == BT_HLO_NONE && n < 1)
		return bt_hlo_fail(&e->b, BT_EARG,
		                   "a device's program has room for no %s",
		                   bt_hlo_source_name(source));
	if (e->input[source] == BT_HLO_NONE)
		e->input[source] =
		    argument(e, source, -1, bt_hlo_vector(BT_HLO_I32, n));
	return e->input[source];
}

int bt_hlo_whole(struct bt_hlo_emit *e, int node)
{
	const struct bt_hlo_output *v = &e->outputs[node];

	return bt_hlo_concat(&e->b, v->part, v->n, 1);
}

int bt_hlo_columns(struct bt_hlo_emit *e, int node, int first, int n)
{
	const struct bt_hlo_output *v = &e->outputs[node];
	int i, before = 0;

	for (i = 0; i < v->n; before += v->cols[i++])
		if (first >= before && first + n <= before + v->cols[i])
			return bt_hlo_slice(&e->b, v->part[i], 1,
			                    first - before, first - before + n);
	return bt_hlo_slice(&e->b, bt_hlo_whole(e, node), 1, first, first + n);
}

void bt_hlo_set(struct bt_hlo_emit *e, int node, int x)
{
	struct bt_hlo_output *v = &e->outputs[node];

	v->n = 1;
	v->part[0] = x;
	v->cols[0] = e->g->nodes[node].cols;
}

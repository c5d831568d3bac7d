/* SPDX-License-Identifier: MIT */
/* Arguments of a program and outputs of nodes, as operators ask for them. */
#include "base/mem.h"
#include "stablehlo/emit_int.h"

static const char *source_name(enum bt_hlo_source source)
{
	static const char *const names[BT_HLO_ARG_SOURCES] = {
	    [BT_HLO_ARG_PARAM] = "parameter",
	    [BT_HLO_ARG_GRADIENT] = "gradient",
	    [BT_HLO_ARG_MOMENT1] = "first moment",
	    [BT_HLO_ARG_MOMENT2] = "second moment",
	    [BT_HLO_ARG_CONSTANTS] = "constants",
	    [BT_HLO_ARG_RATES] = "rates",
	    [BT_HLO_ARG_KEEPS] = "keeps",
	    [BT_HLO_ARG_IDS] = "ids",
	    [BT_HLO_ARG_TYPES] = "types",
	    [BT_HLO_ARG_POSITIONS] = "positions",
	    [BT_HLO_ARG_PLACES] = "places",
	    [BT_HLO_ARG_SEGMENTS] = "segments",
	    [BT_HLO_ARG_FIRST] = "first",
	    [BT_HLO_ARG_SELECTED] = "selected",
	    [BT_HLO_ARG_LABELS] = "labels",
	    [BT_HLO_ARG_WEIGHTS] = "weights",
	    [BT_HLO_ARG_TARGETS] = "targets",
	    [BT_HLO_ARG_NEXT_LABELS] = "next labels",
	    [BT_HLO_ARG_NEXT_WEIGHTS] = "next weights",
	    [BT_HLO_ARG_GROUPS] = "groups",
	    [BT_HLO_ARG_PAIRS] = "pairs",
	    [BT_HLO_ARG_EQUAL] = "equal texts",
	    [BT_HLO_ARG_OWN] = "own texts",
	    [BT_HLO_ARG_NUMBERS] = "numbers",
	    [BT_HLO_ARG_TEXT_NUMBERS] = "text numbers",
	    [BT_HLO_ARG_RANDOM] = "random",
	    [BT_HLO_ARG_OTHERS] = "others",
	    [BT_HLO_ARG_TEACHER] = "teacher",
	    [BT_HLO_ARG_LOGIT_GRADS] = "gradient by the logits",
	};

	return names[source];
}

static int add_argument(struct bt_hlo_emit *e, enum bt_hlo_source source,
                        int param, struct bt_hlo_shape shape)
{
	if (bt_grow(&e->args, &e->arg_cap, (size_t)e->n_args + 1,
	            sizeof(*e->args)) != BT_OK)
		return bt_hlo_fail(&e->b, BT_ENOMEM,
		                   "out of memory while writing a program");
	e->args[e->n_args++] = (struct bt_hlo_arg){source, param, shape, -1};
	return bt_hlo_argument(&e->b, &shape);
}

int bt_hlo_of_param(struct bt_hlo_emit *e, enum bt_hlo_source source, int param)
{
	const struct bt_param *p = &e->g->params[param];

	return add_argument(e, source, param,
	                    p->rank == 1
	                        ? bt_hlo_vector(BT_HLO_F32, p->cols)
	                        : bt_hlo_matrix(BT_HLO_F32, p->rows, p->cols));
}

int bt_hlo_param(struct bt_hlo_emit *e, int param)
{
	if (e->param[param] == BT_HLO_NONE)
		e->param[param] = bt_hlo_of_param(e, BT_HLO_ARG_PARAM, param);
	return e->param[param];
}

int bt_hlo_operand(struct bt_hlo_emit *e, int x)
{
	return e->o->bf16 ? bt_hlo_convert(&e->b, x, BT_HLO_BF16) : x;
}

int bt_hlo_stored(struct bt_hlo_emit *e, int x)
{
	struct bt_hlo *b = &e->b;

	return e->o->bf16
	           ? bt_hlo_convert(b, bt_hlo_once(b, bt_hlo_operand(e, x)),
	                            BT_HLO_F32)
	           : x;
}

int bt_hlo_inner_dot(struct bt_hlo_emit *e, int x, int y,
                     struct bt_hlo_product p)
{
	x = bt_hlo_rounded_dot(&e->b, x, y, p);
	return bt_hlo_convert(&e->b, x, BT_HLO_F32);
}

int bt_hlo_param_operand(struct bt_hlo_emit *e, int param)
{
	if (e->param_low[param] == BT_HLO_NONE)
		e->param_low[param] = bt_hlo_operand(e, bt_hlo_param(e, param));
	return e->param_low[param];
}

static int64_t rows_of(const struct bt_hlo_size *z, enum bt_rows rows)
{
	return rows == BT_PER_TOKEN      ? (int64_t)z->rows * z->length
	       : rows == BT_PER_SEQUENCE ? z->texts
	                                 : z->selected;
}

struct bt_hlo_shape bt_hlo_source_shape(const struct bt_graph *g,
                                        const struct bt_hlo_size *size,
                                        enum bt_hlo_source source)
{
	const struct bt_node *logits = g->nodes + g->logits;
	int64_t texts = size->texts, compared = size->compared;
	int64_t rows = compared > 0     ? compared
	               : g->logits >= 0 ? rows_of(size, logits->rows)
	                                : 0;

	switch (source) {
	case BT_HLO_ARG_CONSTANTS:
		return bt_hlo_vector(BT_HLO_F32, BT_HLO_CONSTANTS);
	case BT_HLO_ARG_RATES:
	case BT_HLO_ARG_KEEPS:
		return bt_hlo_vector(BT_HLO_F32, g->n_params);
	case BT_HLO_ARG_NUMBERS:
		return bt_hlo_vector(BT_HLO_U32, rows_of(size, BT_PER_TOKEN));
	case BT_HLO_ARG_TEXT_NUMBERS:
		return bt_hlo_vector(BT_HLO_U32, texts);
	case BT_HLO_ARG_RANDOM:
		return bt_hlo_vector(BT_HLO_U32, 4);
	case BT_HLO_ARG_FIRST:
	case BT_HLO_ARG_OTHERS:
	case BT_HLO_ARG_NEXT_LABELS:
	case BT_HLO_ARG_GROUPS:
	case BT_HLO_ARG_OWN:
		return bt_hlo_vector(BT_HLO_I32, texts);
	case BT_HLO_ARG_PAIRS:
	case BT_HLO_ARG_EQUAL:
		return bt_hlo_vector(BT_HLO_I32, compared);
	case BT_HLO_ARG_SELECTED:
		return bt_hlo_vector(BT_HLO_I32, size->selected);
	case BT_HLO_ARG_LABELS:
		return bt_hlo_vector(BT_HLO_I32, rows);
	case BT_HLO_ARG_WEIGHTS:
		return bt_hlo_vector(BT_HLO_F32, rows);
	case BT_HLO_ARG_TARGETS:
	case BT_HLO_ARG_TEACHER:
	case BT_HLO_ARG_LOGIT_GRADS:
		return bt_hlo_matrix(BT_HLO_F32, rows,
		                     compared > 0 ? 1 : logits->cols);
	case BT_HLO_ARG_NEXT_WEIGHTS:
		return bt_hlo_vector(BT_HLO_F32, texts);
	default:
		return bt_hlo_vector(BT_HLO_I32, rows_of(size, BT_PER_TOKEN));
	}
}

int bt_hlo_input(struct bt_hlo_emit *e, enum bt_hlo_source source)
{
	struct bt_hlo_shape s = bt_hlo_source_shape(e->g, &e->o->size, source);

	if (e->input[source] == BT_HLO_NONE && s.dim[0] < 1)
		return bt_hlo_fail(&e->b, BT_EARG,
		                   "a device's program has room for no %s",
		                   source_name(source));
	if (e->input[source] == BT_HLO_NONE)
		e->input[source] = add_argument(e, source, -1, s);
	return e->input[source];
}

int bt_hlo_same(struct bt_hlo *b, int x)
{
	static const int queries[] = {0, 1}, keys[] = {0, 2};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	int y;

	s.rank = 3;
	s.dim[2] = s.dim[1];
	y = bt_hlo_broadcast(b, x, s, queries);
	x = bt_hlo_broadcast(b, x, s, keys);
	return bt_hlo_compare(b, "EQ", y, x);
}

int bt_hlo_same_text(struct bt_hlo_emit *e)
{
	struct bt_hlo *b = &e->b;
	const int64_t rows[] = {e->o->size.rows, e->o->size.length};
	int x;

	if (e->same_text != BT_HLO_NONE)
		return e->same_text;
	x = bt_hlo_reshape(b, bt_hlo_input(e, BT_HLO_ARG_SEGMENTS), 2, rows);
	e->same_text = bt_hlo_same(b, x);
	return e->same_text;
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

int bt_hlo_sum(struct bt_hlo *b, int x, int y)
{
	return x == BT_HLO_NONE ? y : bt_hlo_binary(b, "add", x, y);
}

void bt_hlo_give_columns(struct bt_hlo_emit *e, int node, int first, int n,
                         int dx)
{
	struct bt_hlo_output *v = &e->outputs[node];
	struct bt_hlo *b = &e->b;
	int i, before = 0, from, to, y;

	for (i = 0; i < v->n; before += v->cols[i++]) {
		from = first > before ? first : before;
		to = before + v->cols[i];
		to = first + n < to ? first + n : to;
		if (from >= to)
			continue;
		y = bt_hlo_slice(b, dx, 1, from - first, to - first);
		y = bt_hlo_pad(b, y, 1, from - before,
		               before + v->cols[i] - to);
		v->grad[i] = bt_hlo_sum(b, v->grad[i], y);
	}
}

void bt_hlo_give(struct bt_hlo_emit *e, int node, int dx)
{
	bt_hlo_give_columns(e, node, 0, e->g->nodes[node].cols, dx);
}

int bt_hlo_given(struct bt_hlo_emit *e, int node)
{
	const struct bt_hlo_output *v = &e->outputs[node];
	int i, part[BT_HLO_PARTS];

	for (i = 0; i < v->n; i++)
		part[i] = bt_hlo_given_part(e, node, i);
	return bt_hlo_concat(&e->b, part, v->n, 1);
}

int bt_hlo_given_part(struct bt_hlo_emit *e, int node, int i)
{
	const struct bt_hlo_output *v = &e->outputs[node];

	if (v->grad[i] != BT_HLO_NONE)
		return v->grad[i];
	return bt_hlo_splat(&e->b, bt_hlo_shape_of(&e->b, v->part[i]), 0);
}

void bt_hlo_give_param(struct bt_hlo_emit *e, int param, int dx)
{
	int *to = &e->param_grad[param];

	*to = bt_hlo_sum(&e->b, *to, dx);
}

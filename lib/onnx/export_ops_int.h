/* SPDX-License-Identifier: MIT */
/*
 * What the translations of operators into those of ONNX share. Values are
 * numbered, and named, as they are made: of the arguments of a call one makes
 * values at most, since compilers do not agree which comes first.
 */
#ifndef BT_ONNX_EXPORT_OPS_INT_H
#define BT_ONNX_EXPORT_OPS_INT_H

#include <math.h>

#include "onnx/export_int.h"
#include "onnx/graph_writer.h"

#define PARTS 3
#define NONE BT_ONNX_NONE
#define MASKED (-3.4028234663852886e38f) /* the least float */

struct bt_onnx_value {
	int part[PARTS];
	int cols[PARTS];
	int n;
};

struct bt_translation {
	struct bt_onnx *o;
	const struct bt_graph *g;
	const float **at; /* of each parameter */
	struct bt_onnx_value *values;
	int ids, mask, types; /* inputs */
	int bias;             /* made of mask: added to scores; or NONE */
	int places[2];        /* of pairs, by rows of queries; or NONE */
	struct bt_error *err;
};

static inline int op2(struct bt_translation *t, const char *op, int a, int b)
{
	return bt_onnx_op(t->o, op, a, b, NONE);
}

static inline int op1(struct bt_translation *t, const char *op, int a)
{
	return op2(t, op, a, NONE);
}

static inline int array(struct bt_translation *t, int param, bool transposed)
{
	const struct bt_param *p = &t->g->params[param];

	return bt_onnx_floats(t->o, p->name, t->at[param],
	                      p->rank == 1 ? 0 : p->rows, p->cols, transposed);
}

static inline int ints(struct bt_translation *t, int n, int64_t a, int64_t b,
                       int64_t c, int64_t d)
{
	const int64_t v[] = {a, b, c, d};

	return bt_onnx_ints(t->o, v, n);
}

static inline int one_int(struct bt_translation *t, int64_t a)
{
	return ints(t, 1, a, 0, 0, 0);
}

static inline int cast(struct bt_translation *t, int x, enum bt_onnx_type to)
{
	bt_onnx_set_int(t->o, "to", to);
	return op1(t, "Cast", x);
}

static inline int permute(struct bt_translation *t, int x, int64_t a, int64_t b,
                          int64_t c, int64_t d)
{
	const int64_t perm[] = {a, b, c, d};

	bt_onnx_set_ints(t->o, "perm", perm, 4);
	return op1(t, "Transpose", x);
}

static inline int slice(struct bt_translation *t, int x, int64_t axis,
                        int64_t start, int64_t end)
{
	int in[] = {x, 0, 0, 0};

	in[1] = one_int(t, start);
	in[2] = one_int(t, end);
	in[3] = one_int(t, axis);
	return bt_onnx_op_of(t->o, "Slice", in, 4);
}

/* 0, 1, ... for each token of a text. */
static inline int range(struct bt_translation *t)
{
	int shape = op1(t, "Shape", t->ids);
	int one = bt_onnx_int(t->o, 1), zero = bt_onnx_int(t->o, 0);

	return bt_onnx_op(t->o, "Range", zero, op2(t, "Gather", shape, one),
	                  one);
}

/* The value of a node as one tensor. */
int bt_export_whole(struct bt_translation *t, int node);

/* Columns first .. first+n-1 of a node: one of its parts, or a slice. */
int bt_export_columns(struct bt_translation *t, int node, int first, int n);

/* [batch, sequence]: 0 for tokens, the lowest float for padding. */
int bt_export_mask(struct bt_translation *t);

int bt_export_attention(struct bt_translation *t, const struct bt_node *n);

#endif

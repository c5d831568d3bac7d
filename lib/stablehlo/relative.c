/* SPDX-License-Identifier: MIT */
/*
 * What depends on the distance of two tokens, which is that of their columns in
 * a row: it is computed for the 2 length - 1 distances of a row, and each row
 * of that is shifted by one against the one before, so that distances become
 * columns. That takes reshapes and no gathers, which are slow on accelerators.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "op/ops.h"
#include "stablehlo/attention_int.h"

/* Y(i, j) = X(i, length - 1 + j - i) of X [rows, heads, length, 2 length - 1]:
 * with one column more in each row, reading on with rows of the old width
 * shifts each row by one. */
static int shift(struct bt_hlo *b, int x)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	int64_t length = s.dim[2], wide = s.dim[3];
	const int64_t line[] = {s.dim[0], s.dim[1], length * (wide + 1)};

	x = bt_hlo_pad(b, x, 3, 0, 1);
	x = bt_hlo_reshape(b, x, 3, line);
	x = bt_hlo_slice(b, x, 2, 0, length * wide);
	x = bt_hlo_reshape(b, x, 4, s.dim);
	return bt_hlo_slice(b, x, 3, length - 1, wide);
}

/* The other way round: what shift left out is 0. */
static int shift_back(struct bt_hlo *b, int x)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	int64_t length = s.dim[2], wide = 2 * length - 1;
	const int64_t line[] = {s.dim[0], s.dim[1], length * wide};
	const int64_t wider[] = {s.dim[0], s.dim[1], length, wide + 1};

	x = bt_hlo_pad(b, x, 3, length - 1, 0);
	x = bt_hlo_reshape(b, x, 3, line);
	x = bt_hlo_pad(b, x, 2, 0, length);
	x = bt_hlo_reshape(b, x, 4, wider);
	return bt_hlo_slice(b, x, 3, 0, wide);
}

/* The graph's relative positions, of which it has one kind at most. */
static const struct bt_relative_args *args_of(const struct bt_hlo_emit *e)
{
	const struct bt_node *n = e->g->nodes;

	while (n->op != BT_OP_RELATIVE_POSITIONS)
		n++;
	return &n->u.relative_positions;
}

int bt_hlo_relative_row0(const struct bt_hlo_emit *e,
                         const struct bt_relative_args *p)
{
	return bt_relative_position_row(p, 1 - e->o->size.length);
}

/* The rows of the table for the distances within a row. */
static int rows_within(const struct bt_hlo_emit *e,
                       const struct bt_relative_args *p)
{
	return bt_relative_position_row(p, e->o->size.length - 1) -
	       bt_hlo_relative_row0(e, p) + 1;
}

static void relative_positions(struct bt_hlo_emit *e, int node)
{
	const struct bt_relative_args *p =
	    &e->g->nodes[node].u.relative_positions;
	int row0 = bt_hlo_relative_row0(e, p);

	bt_hlo_set(e, node,
	           bt_hlo_slice(&e->b, bt_hlo_param(e, p->table), 0, row0,
	                        row0 + rows_within(e, p)));
}

static void relative_positions_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_relative_args *p =
	    &e->g->nodes[node].u.relative_positions;
	int row0 = bt_hlo_relative_row0(e, p);
	int behind = e->g->params[p->table].rows - row0 - rows_within(e, p);

	bt_hlo_give_param(
	    e, p->table,
	    bt_hlo_pad(&e->b, bt_hlo_given(e, node), 0, row0, behind));
}

const struct bt_hlo_op bt_hlo_op_relative_positions = {relative_positions,
                                                       relative_positions_back};

/* A constant of a number for each distance, query minus key: from length - 1
 * down, or, where rising, from 1 - length up. */
static int for_distances(struct bt_hlo_emit *e, bool rising,
                         int (*number)(const struct bt_hlo_emit *e,
                                       int distance))
{
	int length = e->o->size.length, i, x;
	int32_t *v = bt_array(2 * (size_t)length, sizeof(*v));

	if (v == NULL)
		return bt_hlo_fail(&e->b, BT_ENOMEM,
		                   "out of memory while writing a program");
	for (i = 0; i < 2 * length - 1; i++)
		v[i] = number(e, rising ? i - (length - 1) : length - 1 - i);
	x = bt_hlo_ints(&e->b, v, 2L * length - 1);
	free(v);
	return x;
}

static int row_of(const struct bt_hlo_emit *e, int distance)
{
	const struct bt_relative_args *p = args_of(e);

	return bt_relative_position_row(p, distance) -
	       bt_hlo_relative_row0(e, p);
}

/* bt_relative_bucket counts from the query to the key. */
static int bucket_of(const struct bt_hlo_emit *e, int distance)
{
	(void)e;
	return bt_relative_bucket(-distance);
}

/* The columns from `column` on of relative positions, for each distance:
 * [2 length - 1, heads, d]. */
static int distance_rows(struct bt_hlo_emit *e, const struct bt_node *n, int at,
                         int column)
{
	struct bt_hlo *b = &e->b;
	int h = n->u.attention.heads, d = n->u.attention.head_dim;
	const int64_t dims[] = {2L * e->o->size.length - 1, h, d};
	int p =
	    bt_hlo_columns(e, n->u.attention.relative_positions, column, h * d);

	p = bt_hlo_reshape(b, bt_hlo_gather(b, p, at), 3, dims);
	return bt_hlo_operand(e, p);
}

/* Products of x, [rows, length, heads, d], with these, for pairs: [rows, heads,
 * length of x, length]. */
static int products(struct bt_hlo_emit *e, const struct bt_node *n, int x,
                    int column, bool rising)
{
	static const struct bt_hlo_product each_head = {1,   1,   {2},
	                                                {1}, {3}, {2}};
	static const int rows_first[] = {1, 0, 2, 3};
	struct bt_hlo *b = &e->b;
	int at = for_distances(e, rising, row_of);
	int p = distance_rows(e, n, at, column);

	x = bt_hlo_dot(b, x, p, each_head);
	return shift(b, bt_hlo_transpose(b, x, rows_first));
}

/* Of ds by these products: gives the gradient by the columns, and adds that by
 * x to *dx. */
static void products_back(struct bt_hlo_emit *e, const struct bt_node *n,
                          int ds, int x, int column, bool rising, int *dx)
{
	static const struct bt_hlo_product by_x = {1, 1, {0}, {1}, {3}, {0}};
	static const struct bt_hlo_product by_p = {1,   2,      {0},
	                                           {2}, {1, 2}, {0, 1}};
	static const int heads_first[] = {1, 0, 2, 3}, back[] = {1, 2, 0, 3};
	static const int heads_second[] = {1, 0, 2};
	struct bt_hlo *b = &e->b;
	int h = n->u.attention.heads, d = n->u.attention.head_dim, p, y;
	int node = n->u.attention.relative_positions;
	int at = for_distances(e, rising, row_of);
	const int64_t dims[] = {2L * e->o->size.length - 1, (int64_t)h * d};

	ds = bt_hlo_transpose(b, shift_back(b, ds), heads_first);
	ds = bt_hlo_operand(e, ds);
	p = distance_rows(e, n, at, column);
	y = bt_hlo_dot(b, ds, p, by_x);
	*dx = bt_hlo_sum(b, *dx, bt_hlo_transpose(b, y, back));
	y = bt_hlo_dot(b, ds, x, by_p);
	y = bt_hlo_reshape(b, bt_hlo_transpose(b, y, heads_second), 2, dims);
	p = bt_hlo_rows_named(e, at, rows_within(e, args_of(e)));
	y = bt_hlo_dot_nn(b, p, y);
	bt_hlo_give_columns(e, node, column, h * d, y);
}

int bt_hlo_add_relative(struct bt_hlo_emit *e, const struct bt_node *n, int s,
                        int q, int k)
{
	static const int swap[] = {0, 1, 3, 2};
	const struct bt_attention_args *a = &n->u.attention;
	struct bt_hlo *b = &e->b;
	int x;

	if (a->rel_k_col >= 0) {
		x = products(e, n, q, a->rel_k_col, false);
		s = bt_hlo_binary(b, "add", s, x);
	}
	if (a->rel_q_col >= 0) {
		x = products(e, n, k, a->rel_q_col, true);
		x = bt_hlo_transpose(b, x, swap);
		s = bt_hlo_binary(b, "add", s, x);
	}
	return s;
}

void bt_hlo_relative_back(struct bt_hlo_emit *e, const struct bt_node *n,
                          int ds, int q, int k, int *dq, int *dk)
{
	static const int swap[] = {0, 1, 3, 2};
	const struct bt_attention_args *a = &n->u.attention;

	if (a->rel_k_col >= 0)
		products_back(e, n, ds, q, a->rel_k_col, false, dq);
	if (a->rel_q_col >= 0)
		products_back(e, n, bt_hlo_transpose(&e->b, ds, swap), k,
		              a->rel_q_col, true, dk);
}

int bt_hlo_add_bias(struct bt_hlo_emit *e, const struct bt_node *n, int s)
{
	static const int swap[] = {1, 0}, lines[] = {1, 3};
	static const int map[] = {0, 1, 2, 3};
	struct bt_hlo *b = &e->b;
	int64_t length = e->o->size.length;
	struct bt_hlo_shape wide = {
	    BT_HLO_F32, 4, {1, n->u.attention.heads, length, 2 * length - 1}};
	int at = for_distances(e, false, bucket_of);
	int x = bt_hlo_param(e, n->u.attention.relative_bias);

	x = bt_hlo_transpose(b, bt_hlo_gather(b, x, at), swap);
	x = shift(b, bt_hlo_broadcast(b, x, wide, lines));
	x = bt_hlo_broadcast(b, x, bt_hlo_shape_of(b, s), map);
	return bt_hlo_binary(b, "add", s, x);
}

void bt_hlo_bias_back(struct bt_hlo_emit *e, const struct bt_node *n, int ds)
{
	static const int swap[] = {1, 0};
	struct bt_hlo *b = &e->b;
	int64_t length = e->o->size.length, heads = n->u.attention.heads;
	const int64_t pairs[] = {1, heads, length, length};
	const int64_t lines[] = {heads, 2 * length - 1};
	int at = for_distances(e, false, bucket_of), y;

	y = bt_hlo_reshape(b, bt_hlo_reduce(b, "add", ds, 0), 4, pairs);
	y = bt_hlo_reduce(b, "add", shift_back(b, y), 2);
	y = bt_hlo_transpose(b, bt_hlo_reshape(b, y, 2, lines), swap);
	at = bt_hlo_rows_named(e, at, BT_RELATIVE_BUCKETS);
	bt_hlo_give_param(e, n->u.attention.relative_bias,
	                  bt_hlo_dot_nn(b, at, y));
}

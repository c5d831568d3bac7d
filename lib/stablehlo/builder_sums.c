/* SPDX-License-Identifier: MIT */
/* Products, reductions, scatters. */
#include <inttypes.h>

#include "stablehlo/builder_int.h"

static void put_dims(struct bt_buf *out, const char *name, const int *v, int n)
{
	int i;

	bt_buf_printf(out, "%s = [", name);
	for (i = 0; i < n; i++)
		bt_buf_printf(out, "%s%d", i > 0 ? ", " : "", v[i]);
	bt_buf_putc(out, ']');
}

static bool holds(const int *v, int n, int x)
{
	while (n-- > 0)
		if (v[n] == x)
			return true;
	return false;
}

/* Appends what is left of s without batch and sum; false where a dimension
 * names none. */
static bool rest(struct bt_hlo_shape *to, const struct bt_hlo_shape *s,
                 const int *batch, int batches, const int *sum, int sums)
{
	int i;

	for (i = 0; i < s->rank; i++)
		if (!holds(batch, batches, i) && !holds(sum, sums, i)) {
			if (to->rank == BT_HLO_RANK)
				return false;
			to->dim[to->rank++] = s->dim[i];
		}
	return true;
}

static bool product_shape(const struct bt_hlo_shape *x,
                          const struct bt_hlo_shape *y,
                          const struct bt_hlo_product *p,
                          struct bt_hlo_shape *to)
{
	int i;

	if (x->type != y->type ||
	    (x->type != BT_HLO_F32 && x->type != BT_HLO_BF16))
		return false;
	for (i = 0; i < p->batches; i++) {
		if (p->x_batch[i] >= x->rank || p->y_batch[i] >= y->rank ||
		    x->dim[p->x_batch[i]] != y->dim[p->y_batch[i]])
			return false;
		to->dim[to->rank++] = x->dim[p->x_batch[i]];
	}
	for (i = 0; i < p->sums; i++)
		if (p->x_sum[i] >= x->rank || p->y_sum[i] >= y->rank ||
		    x->dim[p->x_sum[i]] != y->dim[p->y_sum[i]])
			return false;
	return rest(to, x, p->x_batch, p->batches, p->x_sum, p->sums) &&
	       rest(to, y, p->y_batch, p->batches, p->y_sum, p->sums);
}

/* x with the dimensions of batch, and where sum has gone, in front of the
 * others. */
static int batch_first(struct bt_hlo *b, int x, int batches, int *batch,
                       int sums, int *sum)
{
	int rank = bt_hlo_shape_of(b, x).rank, to[BT_HLO_RANK], i, k, n;

	for (i = 0; i < batches && batch[i] == i;)
		i++;
	if (i == batches)
		return x;
	for (n = 0; n < batches; n++) {
		to[n] = batch[n];
		batch[n] = n;
	}
	for (i = 0; i < rank; i++)
		if (!holds(to, batches, i))
			to[n++] = i;
	for (k = 0; k < sums; k++) {
		for (i = 0; to[i] != sum[k];)
			i++;
		sum[k] = i;
	}
	return bt_hlo_transpose(b, x, to);
}

static int dot(struct bt_hlo *b, int x, int y, struct bt_hlo_product p,
               enum bt_hlo_type type)
{
	int in[] = {x, y};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), to = {.type = type};
	struct bt_hlo_shape t = bt_hlo_shape_of(b, y);
	struct bt_buf *out = &b->body;
	const char *precision;
	int z;

	if (!bt_hlo_usable(b, "dot_general", in, 2))
		return BT_HLO_NONE;
	if (!product_shape(&s, &t, &p, &to))
		return bt_hlo_misfit(b, "dot_general", in, 2);
	if (s.type == BT_HLO_BF16) {
		/* XLA's plugin for CPUs has no others, of some sizes */
		in[0] =
		    batch_first(b, x, p.batches, p.x_batch, p.sums, p.x_sum);
		in[1] =
		    batch_first(b, y, p.batches, p.y_batch, p.sums, p.y_sum);
	}
	z = bt_hlo_begin(b, "stablehlo.dot_general", in, 2, &to);
	if (z == BT_HLO_NONE)
		return z;
	bt_buf_puts(out, " <{dot_dimension_numbers = #stablehlo.dot<");
	if (p.batches > 0) {
		put_dims(out, "lhs_batching_dimensions", p.x_batch, p.batches);
		put_dims(out, ", rhs_batching_dimensions", p.y_batch,
		         p.batches);
		bt_buf_puts(out, ", ");
	}
	put_dims(out, "lhs_contracting_dimensions", p.x_sum, p.sums);
	put_dims(out, ", rhs_contracting_dimensions", p.y_sum, p.sums);
	precision = s.type == BT_HLO_F32 ? "HIGHEST" : "DEFAULT";
	bt_buf_printf(out,
	              ">, precision_config = [#stablehlo<precision %s>, "
	              "#stablehlo<precision %s>]}>",
	              precision, precision);
	bt_hlo_end(b, in, 2, z);
	return z;
}

int bt_hlo_dot(struct bt_hlo *b, int x, int y, struct bt_hlo_product p)
{
	return dot(b, x, y, p, BT_HLO_F32);
}

int bt_hlo_rounded_dot(struct bt_hlo *b, int x, int y, struct bt_hlo_product p)
{
	return dot(b, x, y, p, bt_hlo_shape_of(b, x).type);
}

int bt_hlo_dot_nn(struct bt_hlo *b, int x, int y)
{
	return bt_hlo_dot(
	    b, x, y,
	    (struct bt_hlo_product){.sums = 1, .x_sum = {1}, .y_sum = {0}});
}

int bt_hlo_dot_tn(struct bt_hlo *b, int x, int y)
{
	return bt_hlo_dot(
	    b, x, y,
	    (struct bt_hlo_product){.sums = 1, .x_sum = {0}, .y_sum = {0}});
}

/* ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): ... }) */
static void put_region(struct bt_hlo *b, const char *op, enum bt_hlo_type type)
{
	const char *name = bt_hlo_type_name(type);

	bt_buf_printf(&b->body,
	              " ({\n"
	              "    ^bb0(%%x: tensor<%s>, %%y: tensor<%s>):\n"
	              "      %%z = \"stablehlo.%s\"(%%x, %%y) : (tensor<%s>, "
	              "tensor<%s>) -> tensor<%s>\n"
	              "      \"stablehlo.return\"(%%z) : (tensor<%s>) -> ()\n"
	              "    })",
	              name, name, op, name, name, name, name);
}

/* What a reduction begins with. */
static double neutral(const char *op, enum bt_hlo_type type)
{
	double most = type == BT_HLO_I32 ? 2147483647 : 3.4028234663852886e38;

	return op[0] == 'a' ? 0 : op[1] == 'a' ? -most : most;
}

int bt_hlo_reduce(struct bt_hlo *b, const char *op, int x, int dim)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = {.type = s.type};
	struct bt_hlo_shape one = {.type = s.type};
	int in[2] = {x, BT_HLO_NONE}, i, y;

	if (!bt_hlo_usable(b, "reduce", &x, 1))
		return BT_HLO_NONE;
	if (dim < 0 || dim >= s.rank)
		return bt_hlo_misfit(b, "reduce", &x, 1);
	for (i = 0; i < s.rank; i++)
		if (i != dim)
			t.dim[t.rank++] = s.dim[i];
	in[1] = bt_hlo_splat(b, one, neutral(op, s.type));
	y = bt_hlo_begin(b, "stablehlo.reduce", in, 2, &t);
	if (y == BT_HLO_NONE)
		return y;
	bt_buf_printf(&b->body, " <{dimensions = array<i64: %d>}>", dim);
	put_region(b, op, s.type);
	bt_hlo_end(b, in, 2, y);
	return y;
}

int bt_hlo_all_reduce(struct bt_hlo *b, int x, int replicas)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	int i, y;

	if (replicas <= 1)
		return x;
	if (!bt_hlo_usable(b, "all_reduce", &x, 1))
		return BT_HLO_NONE;
	y = bt_hlo_begin(b, "stablehlo.all_reduce", &x, 1, &s);
	if (y == BT_HLO_NONE)
		return y;
	bt_buf_puts(&b->body, " <{replica_groups = dense<[[");
	for (i = 0; i < replicas; i++)
		bt_buf_printf(&b->body, "%s%d", i > 0 ? ", " : "", i);
	bt_buf_printf(&b->body, "]]> : tensor<1x%dxi64>}>", replicas);
	put_region(b, "add", s.type);
	bt_hlo_end(b, &x, 1, y);
	return y;
}

int bt_hlo_scatter(struct bt_hlo *b, const char *op, int into, int at, int x,
                   bool distinct)
{
	const int in[] = {into, at, x};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, into), t = s;
	struct bt_hlo_shape a = bt_hlo_shape_of(b, at);
	struct bt_hlo_shape u = bt_hlo_shape_of(b, x);
	int y;

	if (!bt_hlo_usable(b, "scatter", in, 3))
		return BT_HLO_NONE;
	t.dim[0] = a.dim[0];
	if (a.type != BT_HLO_I32 || a.rank != 1 || s.rank < 1 || s.rank > 2 ||
	    !bt_hlo_same_shape(&t, &u))
		return bt_hlo_misfit(b, "scatter", in, 3);
	y = bt_hlo_begin(b, "stablehlo.scatter", in, 3, &s);
	if (y == BT_HLO_NONE)
		return y;
	bt_buf_printf(&b->body,
	              " <{scatter_dimension_numbers = #stablehlo.scatter<"
	              "update_window_dims = [%s], inserted_window_dims = [0], "
	              "scatter_dims_to_operand_dims = [0], index_vector_dim = "
	              "1>, indices_are_sorted = false, unique_indices = "
	              "%s}>",
	              s.rank == 2 ? "1" : "", distinct ? "true" : "false");
	put_region(b, op, s.type);
	bt_hlo_end(b, in, 3, y);
	return y;
}

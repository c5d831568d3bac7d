/* SPDX-License-Identifier: MIT */
/* Operations that move elements and compute none. */
#include <string.h>

#include "base/mem.h"
#include "stablehlo/builder_int.h"

static int with_text(struct bt_hlo *b, const char *op, struct bt_buf *text,
                     const int *x, int n, const struct bt_hlo_shape *s)
{
	const char *properties = bt_buf_str(text);
	int y = BT_HLO_NONE;

	if (properties == NULL)
		b->body.oom = true;
	else
		y = bt_hlo_op(b, op, properties, x, n, s);
	bt_buf_clear(text);
	return y;
}

int bt_hlo_broadcast(struct bt_hlo *b, int x, struct bt_hlo_shape to,
                     const int *map)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	struct bt_buf text = BT_BUF_INIT;
	int64_t dims[BT_HLO_RANK];
	int i;

	if (!bt_hlo_usable(b, "broadcast_in_dim", &x, 1))
		return BT_HLO_NONE;
	to.type = s.type;
	for (i = 0; i < s.rank; i++) {
		if (map[i] < 0 || map[i] >= to.rank ||
		    (i > 0 && map[i] <= map[i - 1]) ||
		    (s.dim[i] != to.dim[map[i]] && s.dim[i] != 1))
			return bt_hlo_misfit(b, "broadcast_in_dim", &x, 1);
		dims[i] = map[i];
	}
	bt_buf_puts(&text, "broadcast_dimensions = ");
	bt_hlo_put_array(&text, dims, s.rank);
	return with_text(b, "broadcast_in_dim", &text, &x, 1, &to);
}

int bt_hlo_along(struct bt_hlo *b, int x, int like, int dim)
{
	return bt_hlo_broadcast(b, x, bt_hlo_shape_of(b, like), &dim);
}

static int64_t elements(const struct bt_hlo_shape *s)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < s->rank; i++)
		n *= s->dim[i];
	return n;
}

int bt_hlo_reshape(struct bt_hlo *b, int x, int rank, const int64_t *dim)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = {s.type, rank, {0}};

	if (!bt_hlo_usable(b, "reshape", &x, 1))
		return BT_HLO_NONE;
	if (rank > 0) /* a scalar has no dimensions */
		memcpy(t.dim, dim, (size_t)rank * sizeof(*dim));
	if (elements(&s) != elements(&t))
		return bt_hlo_misfit(b, "reshape", &x, 1);
	if (bt_hlo_same_shape(&s, &t))
		return x;
	return bt_hlo_op(b, "reshape", NULL, &x, 1, &t);
}

int bt_hlo_transpose(struct bt_hlo *b, int x, const int *permutation)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = s;
	struct bt_buf text = BT_BUF_INIT;
	int64_t dims[BT_HLO_RANK];
	int i, seen = 0;

	if (!bt_hlo_usable(b, "transpose", &x, 1))
		return BT_HLO_NONE;
	for (i = 0; i < s.rank; i++) {
		if (permutation[i] < 0 || permutation[i] >= s.rank ||
		    (seen >> permutation[i] & 1) != 0)
			return bt_hlo_misfit(b, "transpose", &x, 1);
		seen |= 1 << permutation[i];
		dims[i] = permutation[i];
		t.dim[i] = s.dim[permutation[i]];
	}
	bt_buf_puts(&text, "permutation = ");
	bt_hlo_put_array(&text, dims, s.rank);
	return with_text(b, "transpose", &text, &x, 1, &t);
}

int bt_hlo_slice(struct bt_hlo *b, int x, int dim, int64_t from, int64_t to)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = s;
	struct bt_buf text = BT_BUF_INIT;
	int64_t low[BT_HLO_RANK] = {0}, high[BT_HLO_RANK];
	int64_t step[BT_HLO_RANK];
	int i;

	if (!bt_hlo_usable(b, "slice", &x, 1))
		return BT_HLO_NONE;
	if (dim < 0 || dim >= s.rank || from < 0 || to <= from ||
	    to > s.dim[dim])
		return bt_hlo_misfit(b, "slice", &x, 1);
	if (from == 0 && to == s.dim[dim])
		return x;
	for (i = 0; i < s.rank; i++) {
		high[i] = s.dim[i];
		step[i] = 1;
	}
	low[dim] = from;
	high[dim] = to;
	t.dim[dim] = to - from;
	bt_buf_puts(&text, "start_indices = ");
	bt_hlo_put_array(&text, low, s.rank);
	bt_buf_puts(&text, ", limit_indices = ");
	bt_hlo_put_array(&text, high, s.rank);
	bt_buf_puts(&text, ", strides = ");
	bt_hlo_put_array(&text, step, s.rank);
	return with_text(b, "slice", &text, &x, 1, &t);
}

int bt_hlo_pad(struct bt_hlo *b, int x, int dim, int64_t low, int64_t high)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = s;
	struct bt_hlo_shape one = {.type = s.type};
	struct bt_buf text = BT_BUF_INIT;
	int64_t before[BT_HLO_RANK] = {0}, behind[BT_HLO_RANK] = {0};
	int64_t none[BT_HLO_RANK] = {0};
	int in[2] = {x, BT_HLO_NONE};

	if (!bt_hlo_usable(b, "pad", &x, 1))
		return BT_HLO_NONE;
	if (dim < 0 || dim >= s.rank || low < 0 || high < 0)
		return bt_hlo_misfit(b, "pad", &x, 1);
	if (low == 0 && high == 0)
		return x;
	in[1] = bt_hlo_splat(b, one, 0);
	before[dim] = low;
	behind[dim] = high;
	t.dim[dim] += low + high;
	bt_buf_puts(&text, "edge_padding_low = ");
	bt_hlo_put_array(&text, before, s.rank);
	bt_buf_puts(&text, ", edge_padding_high = ");
	bt_hlo_put_array(&text, behind, s.rank);
	bt_buf_puts(&text, ", interior_padding = ");
	bt_hlo_put_array(&text, none, s.rank);
	return with_text(b, "pad", &text, in, 2, &t);
}

int bt_hlo_concat(struct bt_hlo *b, const int *x, int n, int dim)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x[0]), t = s, u;
	struct bt_buf text = BT_BUF_INIT;
	int i;

	if (!bt_hlo_usable(b, "concatenate", x, n))
		return BT_HLO_NONE;
	if (n == 1)
		return x[0];
	for (i = 1; i < n; i++) {
		u = bt_hlo_shape_of(b, x[i]);
		if (dim >= s.rank || dim >= u.rank)
			return bt_hlo_misfit(b, "concatenate", x, n);
		t.dim[dim] += u.dim[dim];
		u.dim[dim] = s.dim[dim];
		if (!bt_hlo_same_shape(&s, &u))
			return bt_hlo_misfit(b, "concatenate", x, n);
	}
	bt_buf_printf(&text, "dimension = %d : i64", dim);
	return with_text(b, "concatenate", &text, x, n, &t);
}

int bt_hlo_gather(struct bt_hlo *b, int x, int at)
{
	const int in[] = {x, at};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = s;
	struct bt_hlo_shape a = bt_hlo_shape_of(b, at);
	struct bt_buf text = BT_BUF_INIT;

	if (!bt_hlo_usable(b, "gather", in, 2))
		return BT_HLO_NONE;
	if (a.type != BT_HLO_I32 || a.rank != 1 || s.rank < 1 || s.rank > 2)
		return bt_hlo_misfit(b, "gather", in, 2);
	t.dim[0] = a.dim[0];
	s.dim[0] = 1;
	bt_buf_printf(&text,
	              "dimension_numbers = #stablehlo.gather<offset_dims = "
	              "[%s], collapsed_slice_dims = [0], start_index_map = "
	              "[0], index_vector_dim = 1>, slice_sizes = ",
	              s.rank == 2 ? "1" : "");
	bt_hlo_put_array(&text, s.dim, s.rank);
	bt_buf_puts(&text, ", indices_are_sorted = false");
	return with_text(b, "gather", &text, in, 2, &t);
}

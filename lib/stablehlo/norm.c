/* SPDX-License-Identifier: MIT */
/* residual_norm, norm, and embed, which ends in the same norm. */
#include "stablehlo/emit_int.h"

/* The mean of each row of x, everywhere in it. */
static int row_mean(struct bt_hlo *b, int x)
{
	int y = bt_hlo_reduce(b, "add", x, 1);

	y = bt_hlo_with(b, "multiply", y, 1.0 / (double)bt_hlo_dim(b, x, 1));
	return y;
}

/* x with the values of row scale in each row. */
static int scale_rows(struct bt_hlo *b, int x, int scale)
{
	return bt_hlo_binary(b, "multiply", x, bt_hlo_along(b, scale, x, 0));
}

/* x less the mean of its row, and what the mean of its squares is in *squares.
 * In bf16 both means are of x less its row's first value, so that a device
 * reads x once for both: the mean square less the square of the mean, which
 * loses no digits unless that value is far from all others. */
static int centered(struct bt_hlo_emit *e, int x, int *squares)
{
	struct bt_hlo *b = &e->b;
	const int64_t rows = bt_hlo_dim(b, x, 0);
	int first, mean, y;

	if (!e->o->bf16) {
		y = bt_hlo_along(b, row_mean(b, x), x, 0);
		x = bt_hlo_binary(b, "subtract", x, y);
		*squares = row_mean(b, bt_hlo_binary(b, "multiply", x, x));
		return x;
	}
	first = bt_hlo_reshape(b, bt_hlo_slice(b, x, 1, 0, 1), 1, &rows);
	x = bt_hlo_binary(b, "subtract", x, bt_hlo_along(b, first, x, 0));
	mean = row_mean(b, x);
	y = row_mean(b, bt_hlo_binary(b, "multiply", x, x));
	*squares = bt_hlo_binary(b, "subtract", y,
	                         bt_hlo_binary(b, "multiply", mean, mean));
	*squares = bt_hlo_binary(b, "maximum", *squares,
	                         bt_hlo_splat(b, bt_hlo_shape_of(b, mean), 0));
	return bt_hlo_binary(b, "subtract", x, bt_hlo_along(b, mean, x, 0));
}

/* Of rows x, whose parameters beta may be -1: the norm, of which saved keeps
 * what the backward pass reads: without gamma and beta, and its scales. */
static int rows_normed(struct bt_hlo_emit *e, int x,
                       const struct bt_norm_args *a, int *saved)
{
	struct bt_hlo *b = &e->b;
	int y, r, z = x;

	if (a->rms)
		r = row_mean(b, bt_hlo_binary(b, "multiply", z, z));
	else
		z = centered(e, x, &r);
	r = bt_hlo_with(b, "add", r, (double)a->eps);
	r = bt_hlo_unary(b, "rsqrt", r);
	y = scale_rows(b, z, r);
	saved[0] = y;
	saved[1] = r;
	r = bt_hlo_along(b, bt_hlo_param(e, a->gamma), x, 1);
	y = bt_hlo_binary(b, "multiply", y, r);
	if (a->beta < 0)
		return y;
	r = bt_hlo_along(b, bt_hlo_param(e, a->beta), x, 1);
	return bt_hlo_binary(b, "add", y, r);
}

/* The same where x stays in f32: what is kept of its norm takes half of that.
 */
static int stream_normed(struct bt_hlo_emit *e, int x,
                         const struct bt_norm_args *a, int *saved)
{
	int y = rows_normed(e, x, a, saved);

	saved[0] = bt_hlo_stored(e, saved[0]);
	return y;
}

/* The gradient by x. With saved N and r, and G = gamma dy: r (G - mean(G) - N
 * mean(G N)). */
static int rows_back(struct bt_hlo_emit *e, int dy,
                     const struct bt_norm_args *a, const int *saved)
{
	struct bt_hlo *b = &e->b;
	int n = saved[0], y, g = bt_hlo_binary(b, "multiply", dy, n), mean;

	bt_hlo_give_param(e, a->gamma, bt_hlo_reduce(b, "add", g, 0));
	if (a->beta >= 0)
		bt_hlo_give_param(e, a->beta, bt_hlo_reduce(b, "add", dy, 0));
	g = bt_hlo_along(b, bt_hlo_param(e, a->gamma), dy, 1);
	g = bt_hlo_binary(b, "multiply", g, dy);
	mean = row_mean(b, bt_hlo_binary(b, "multiply", g, n));
	y = bt_hlo_binary(b, "subtract", g, scale_rows(b, n, mean));
	if (!a->rms) {
		mean = bt_hlo_along(b, row_mean(b, g), g, 0);
		y = bt_hlo_binary(b, "subtract", y, mean);
	}
	return scale_rows(b, y, saved[1]);
}

static void residual_norm(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int x = bt_hlo_whole(e, n->in[1]);

	x = bt_hlo_drop(e, node, n->u.norm.dropout, x);
	x = bt_hlo_binary(&e->b, "add", bt_hlo_whole(e, n->in[0]), x);
	x = rows_normed(e, bt_hlo_stored(e, x), &n->u.norm,
	                e->outputs[node].saved);
	bt_hlo_set(e, node, bt_hlo_stored(e, x));
}

static void residual_norm_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int dz = rows_back(e, bt_hlo_given(e, node), &n->u.norm,
	                   e->outputs[node].saved);

	dz = bt_hlo_stored(e, dz);
	bt_hlo_give(e, n->in[0], dz);
	bt_hlo_give(e, n->in[1],
	            bt_hlo_drop_back(e, node, n->u.norm.dropout, dz));
}

const struct bt_hlo_op bt_hlo_op_residual_norm = {residual_norm,
                                                  residual_norm_back};

static void norm(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_hlo_set(e, node,
	           stream_normed(e, bt_hlo_whole(e, n->in[0]), &n->u.norm,
	                         e->outputs[node].saved));
}

static void norm_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_hlo_give(e, n->in[0],
	            rows_back(e, bt_hlo_given(e, node), &n->u.norm,
	                      e->outputs[node].saved));
}

const struct bt_hlo_op bt_hlo_op_norm = {norm, norm_back};

/* x and the rows of a table that an argument of the batch numbers. */
static int add_rows(struct bt_hlo_emit *e, int x, int table,
                    enum bt_hlo_source at)
{
	struct bt_hlo *b = &e->b;
	int rows = bt_hlo_input(e, at), y = bt_hlo_param(e, table);

	return bt_hlo_binary(b, "add", x, bt_hlo_gather(b, y, rows));
}

static struct bt_norm_args norm_of(const struct bt_embed_args *a)
{
	return (struct bt_norm_args){
	    .gamma = a->gamma, .beta = a->beta, .eps = a->eps};
}

static void embed(struct bt_hlo_emit *e, int node)
{
	const struct bt_embed_args *a = &e->g->nodes[node].u.embed;
	const struct bt_norm_args norm = norm_of(a);
	int x = bt_hlo_param(e, a->word);

	x = bt_hlo_gather(&e->b, x, bt_hlo_input(e, BT_HLO_ARG_IDS));
	if (a->position >= 0)
		x = add_rows(e, x, a->position, BT_HLO_ARG_POSITIONS);
	if (a->type >= 0)
		x = add_rows(e, x, a->type, BT_HLO_ARG_TYPES);
	if (a->gamma >= 0)
		x = stream_normed(e, x, &norm, e->outputs[node].saved);
	bt_hlo_set(e, node, bt_hlo_drop(e, node, a->dropout, x));
}

/* Numbers of rows, with -1 in place of a number whose row learns nothing. */
static int without(struct bt_hlo *b, int at, int number)
{
	int none = bt_hlo_compare_with(b, "EQ", at, number);
	int y = bt_hlo_splat(b, bt_hlo_shape_of(b, at), -1);

	return bt_hlo_select(b, none, y, at);
}

/* The sums of rows dz that a matrix of ones and zeros, `named`, says. */
static int sums_of(struct bt_hlo_emit *e, int named, int dz)
{
	return bt_hlo_dot_nn(&e->b, bt_hlo_operand(e, named),
	                     bt_hlo_operand(e, dz));
}

/* Rows dz added to the rows of a small table that `at` numbers: a product,
 * which is the same on every run. */
static void give_table(struct bt_hlo_emit *e, int table, int at, int dz)
{
	int named = bt_hlo_rows_named(e, at, e->g->params[table].rows);

	bt_hlo_give_param(e, table, sums_of(e, named, dz));
}

/* Adds the rows dz of few tokens to those of a large table that `at` numbers:
 * the sums of rows of equal numbers are a product, and the first token of each
 * number adds its own. */
static int add_words(struct bt_hlo_emit *e, int table, int at, int dz)
{
	struct bt_hlo *b = &e->b;
	int n = (int)bt_hlo_shape_of(b, at).dim[0];
	struct bt_hlo_shape s = bt_hlo_matrix(BT_HLO_I32, n, n);
	int x = bt_hlo_along(b, at, bt_hlo_iota(b, s, 0), 0), same, first, none;

	same = bt_hlo_compare(b, "EQ", x,
	                      bt_hlo_broadcast(b, at, s, (const int[]){1}));
	x = bt_hlo_splat(b, s, n);
	first = bt_hlo_select(b, same, bt_hlo_iota(b, s, 1), x);
	first = bt_hlo_reduce(b, "minimum", first, 1);
	x = bt_hlo_iota(b, bt_hlo_shape_of(b, at), 0);
	none = bt_hlo_compare(b, "NE", first, x);
	x = bt_hlo_with(b, "add", x, (double)bt_hlo_dim(b, table, 0));
	at = bt_hlo_select(b, none, x, at);
	x = bt_hlo_convert(b, same, BT_HLO_F32);
	x = sums_of(e, x, dz);
	return bt_hlo_scatter(b, "add", table, at, x, true);
}

/* The same of all tokens, some after the other: the products grow with the
 * square of their number. */
static void give_words(struct bt_hlo_emit *e, int table, int at, int dz)
{
	struct bt_hlo *b = &e->b;
	const struct bt_param *p = &e->g->params[table];
	int sum =
	    bt_hlo_splat(b, bt_hlo_matrix(BT_HLO_F32, p->rows, p->cols), 0);
	int64_t from, to, n = bt_hlo_tokens(e);

	for (from = 0; from < n; from = to) {
		to = from + 1024 < n ? from + 1024 : n;
		sum = add_words(e, sum, bt_hlo_slice(b, at, 0, from, to),
		                bt_hlo_slice(b, dz, 0, from, to));
	}
	bt_hlo_give_param(e, table, sum);
}

/* The squares of the rows dz of tokens that learn something. */
static void count_rows(struct bt_hlo_emit *e, int at, int dz)
{
	static const struct bt_hlo_product rows = {1, 1, {0}, {0}, {1}, {1}};
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_dot(b, dz, dz, rows);
	int none = bt_hlo_compare_with(b, "EQ", at, -1);
	const int64_t one = 1;

	x = bt_hlo_select(b, none, bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0),
	                  x);
	e->row_squares =
	    bt_hlo_reshape(b, bt_hlo_reduce(b, "add", x, 0), 1, &one);
}

static void embed_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_embed_args *a = &e->g->nodes[node].u.embed;
	const struct bt_norm_args norm = norm_of(a);
	struct bt_hlo *b = &e->b;
	int dz = bt_hlo_given(e, node), at;

	dz = bt_hlo_drop_back(e, node, a->dropout, dz);
	if (a->gamma >= 0)
		dz = rows_back(e, dz, &norm, e->outputs[node].saved);
	if (a->position >= 0) {
		at = bt_hlo_input(e, BT_HLO_ARG_POSITIONS);
		if (a->position0 > 0)
			at = without(b, at, a->position0 - 1);
		give_table(e, a->position, at, dz);
	}
	if (a->type >= 0)
		give_table(e, a->type, bt_hlo_input(e, BT_HLO_ARG_TYPES), dz);
	at = bt_hlo_input(e, BT_HLO_ARG_IDS);
	if (a->pad >= 0)
		at = without(b, at, a->pad);
	if (e->o->row_norm && !e->g->params[a->word].frozen)
		count_rows(e, at, dz);
	give_words(e, a->word, at, dz);
}

const struct bt_hlo_op bt_hlo_op_embed = {embed, embed_back};

/* SPDX-License-Identifier: MIT */
/*
 * Dropout, of the elements that cpu/kernels.h describes: Philox
 * (base/philox.h) of the seed, the update, the operator and the place of an
 * element in the update, so that it does not depend on how texts lie in rows.
 */
#include "base/philox.h"
#include "op/ops.h"
#include "stablehlo/emit_int.h"

#define ROUNDS 10
#define GROUPS 8   /* of 16 bits in the four words */
#define COLUMNS 16 /* that share a group of random numbers */

/* x times a number: the high and the low half of 64 bits. */
static void multiply(struct bt_hlo *b, int x, uint32_t by, int *high, int *low)
{
	int y = bt_hlo_convert(b, x, BT_HLO_U64);

	y = bt_hlo_with(b, "multiply", y, by);
	y = bt_hlo_with(b, "shift_right_logical", y, 32);
	*high = bt_hlo_convert(b, y, BT_HLO_U32);
	*low = bt_hlo_with(b, "multiply", x, by);
}

/* Number i of the argument, everywhere in what `like` is. */
static int random_argument(struct bt_hlo_emit *e, int i, int like)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_input(e, BT_HLO_ARG_RANDOM);

	x = bt_hlo_slice(b, x, 0, i, i + 1);
	x = bt_hlo_reshape(b, x, 0, NULL);
	return bt_hlo_broadcast(b, x, bt_hlo_shape_of(b, like), NULL);
}

/* c: the counters, which become the four words. */
static void philox(struct bt_hlo_emit *e, int c[4])
{
	struct bt_hlo *b = &e->b;
	int k0 = random_argument(e, 0, c[0]);
	int k1 = random_argument(e, 1, c[0]), i, k, high[2], low[2];

	for (i = 0; i < ROUNDS; i++) {
		multiply(b, c[0], BT_PHILOX_M0, &high[0], &low[0]);
		multiply(b, c[2], BT_PHILOX_M1, &high[1], &low[1]);
		c[0] = bt_hlo_binary(b, "xor", high[1], c[1]);
		c[0] = bt_hlo_binary(b, "xor", c[0], k0);
		c[2] = bt_hlo_binary(b, "xor", high[0], c[3]);
		c[2] = bt_hlo_binary(b, "xor", c[2], k1);
		c[1] = low[1];
		c[3] = low[0];
		k0 = bt_hlo_with(b, "add", k0, BT_PHILOX_W0);
		k1 = bt_hlo_with(b, "add", k1, BT_PHILOX_W1);
		/* or some compute 2^10 times where ten rounds read two values
		 * each */
		for (k = 0; k < 4 && i % 2 == 1 && !e->o->fuses; k++)
			c[k] = bt_hlo_once(b, c[k]);
	}
}

/* The numbers of a node's rows in the update. */
static int row_numbers(struct bt_hlo_emit *e, const struct bt_node *n,
                       int64_t rows)
{
	struct bt_hlo *b = &e->b;
	const struct bt_node *t;
	int x, i = 0;

	if (n->rows == BT_PER_TOKEN)
		return bt_hlo_input(e, BT_HLO_ARG_NUMBERS);
	if (n->rows == BT_PER_SEQUENCE)
		return bt_hlo_input(e, BT_HLO_ARG_TEXT_NUMBERS);
	x = bt_hlo_iota(b, bt_hlo_vector(BT_HLO_U32, rows), 0);
	if (n->rows == BT_PER_SELECTED)
		return bt_hlo_binary(b, "add", x, random_argument(e, 3, x));
	while (e->g->nodes[i].op != BT_OP_RELATIVE_POSITIONS)
		i++;
	t = &e->g->nodes[i];
	return bt_hlo_with(b, "add", x,
	                   bt_hlo_relative_row0(e, &t->u.relative_positions));
}

static double stream_of(int node)
{
	return BT_PURPOSE_DROPOUT + node;
}

/* The bits of [rows, columns], 16 of each: the words' halves are groups of
 * columns. */
static int row_bits(struct bt_hlo_emit *e, int node, int64_t rows, int64_t cols)
{
	struct bt_hlo *b = &e->b;
	int64_t blocks = (cols + GROUPS * COLUMNS - 1) / (GROUPS * COLUMNS);
	const int64_t group[] = {rows, blocks, 1, COLUMNS};
	const int64_t whole[] = {rows, blocks * GROUPS * COLUMNS};
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_U32, rows, blocks * COLUMNS);
	int c[4], half[GROUPS], i, x;

	c[0] = bt_hlo_iota(b, s, 1);
	x = row_numbers(e, &e->g->nodes[node], rows);
	c[1] = bt_hlo_along(b, x, c[0], 0);
	c[2] = random_argument(e, 2, c[0]);
	c[3] = bt_hlo_splat(b, s, stream_of(node));
	philox(e, c);
	for (i = 0; i < 4; i++) /* or each group would compute all four */
		c[i] = bt_hlo_once(b, c[i]);
	for (i = 0; i < GROUPS; i++) {
		x = i % 2 == 0
		        ? bt_hlo_with(b, "and", c[i / 2], 0xffff)
		        : bt_hlo_with(b, "shift_right_logical", c[i / 2], 16);
		half[i] = bt_hlo_reshape(b, x, 4, group);
	}
	x = bt_hlo_reshape(b, bt_hlo_concat(b, half, GROUPS, 2), 2, whole);
	return bt_hlo_slice(b, x, 1, 0, cols);
}

/* An argument of tokens as [rows, length], u32. */
static int in_rows(struct bt_hlo_emit *e, enum bt_hlo_source source)
{
	const int64_t dims[] = {e->o->size.rows, e->o->size.length};
	int x = bt_hlo_reshape(&e->b, bt_hlo_input(e, source), 2, dims);

	return bt_hlo_convert(&e->b, x, BT_HLO_U32);
}

/* The number of a query and a key among all pairs of their text, [rows, length,
 * length]. */
static int pair_numbers(struct bt_hlo_emit *e, const struct bt_node *n)
{
	static const int queries[] = {0, 1}, keys[] = {0, 2};
	struct bt_hlo *b = &e->b;
	int same = bt_hlo_same_text(e), place = in_rows(e, BT_HLO_ARG_PLACES);
	struct bt_hlo_shape s = bt_hlo_shape_of(b, same);
	int x = bt_hlo_convert(b, same, BT_HLO_U32);

	s.type = BT_HLO_U32;
	x = bt_hlo_reduce(b, "add", x, 2); /* the text's tokens */
	x = bt_hlo_binary(b, "multiply", x, place);
	x = bt_hlo_broadcast(b, x, s, queries);
	place = bt_hlo_broadcast(b, place, s, keys);
	if (n->rows == BT_PER_SEQUENCE) /* the first token alone asks */
		return place;
	return bt_hlo_binary(b, "add", x, place);
}

/* Half `group` of the words c, each of which has two. */
static int choose(struct bt_hlo *b, const int c[4], int group)
{
	int x = c[0], y, i;

	for (i = 1; i < 4; i++) {
		y = bt_hlo_compare_with(b, "GE", group, 2 * i);
		x = bt_hlo_select(b, y, c[i], x);
	}
	y = bt_hlo_with(b, "and", group, 1);
	y = bt_hlo_with(b, "multiply", y, 16);
	x = bt_hlo_binary(b, "shift_right_logical", x, y);
	return bt_hlo_with(b, "and", x, 0xffff);
}

/* The bits of [rows, heads, length, length] pairs: those of a text and a head
 * are one row, whose number is that of the text's first token. */
static int pair_bits(struct bt_hlo_emit *e, int node, int like)
{
	static const int pairs[] = {0, 2, 3}, queries[] = {0, 2};
	struct bt_hlo *b = &e->b;
	struct bt_hlo_shape s = bt_hlo_shape_of(b, like);
	int at = pair_numbers(e, &e->g->nodes[node]), c[4], x;

	s.type = BT_HLO_U32;
	c[0] = bt_hlo_with(b, "shift_right_logical", at, 7);
	c[0] = bt_hlo_with(b, "multiply", c[0], COLUMNS);
	x = bt_hlo_with(b, "and", at, COLUMNS - 1);
	c[0] = bt_hlo_binary(b, "add", c[0], x);
	c[0] = bt_hlo_broadcast(b, c[0], s, pairs);
	x = in_rows(e, BT_HLO_ARG_NUMBERS);
	x = bt_hlo_binary(b, "subtract", x, in_rows(e, BT_HLO_ARG_PLACES));
	c[1] = bt_hlo_broadcast(b, x, s, queries);
	c[2] = random_argument(e, 2, c[0]);
	c[3] = bt_hlo_iota(b, s, 1);
	c[3] = bt_hlo_with(b, "multiply", c[3], 1 << 16);
	c[3] = bt_hlo_with(b, "or", c[3], stream_of(node));
	philox(e, c);
	x = bt_hlo_with(b, "shift_right_logical", at, 4);
	x = bt_hlo_with(b, "and", x, GROUPS - 1);
	return choose(b, c, bt_hlo_broadcast(b, x, s, pairs));
}

int bt_hlo_drop_back(struct bt_hlo_emit *e, int node, float probability, int dx)
{
	struct bt_hlo *b = &e->b;
	int kept = e->outputs[node].saved[BT_HLO_KEPT], none;
	float scale = bt_dropout_scale(bt_dropout_threshold(probability));

	if (kept == BT_HLO_NONE)
		return dx;
	none = bt_hlo_splat(b, bt_hlo_shape_of(b, dx), 0);
	dx = bt_hlo_with(b, "multiply", dx, (double)scale);
	return bt_hlo_select(b, kept, dx, none);
}

static void keep(struct bt_hlo_emit *e, int node, float probability, int bits)
{
	int x = bt_hlo_compare_with(&e->b, "GE", bits,
	                            bt_dropout_threshold(probability));

	e->outputs[node].saved[BT_HLO_KEPT] = bt_hlo_once(&e->b, x);
}

static bool drops(const struct bt_hlo_emit *e, float probability)
{
	return e->o->drops && bt_dropout_threshold(probability) > 0;
}

int bt_hlo_drop(struct bt_hlo_emit *e, int node, float probability, int x)
{
	if (drops(e, probability))
		keep(e, node, probability,
		     row_bits(e, node, bt_hlo_dim(&e->b, x, 0),
		              bt_hlo_dim(&e->b, x, 1)));
	return bt_hlo_drop_back(e, node, probability, x);
}

int bt_hlo_drop_pairs(struct bt_hlo_emit *e, int node, int x)
{
	float probability = e->g->nodes[node].u.attention.dropout;

	if (drops(e, probability))
		keep(e, node, probability, pair_bits(e, node, x));
	return bt_hlo_drop_back(e, node, probability, x);
}

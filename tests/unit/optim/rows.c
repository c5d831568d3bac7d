/* SPDX-License-Identifier: MIT */
/* Not under emulation: the kernels are those of cpu/kernels */
/* Updates of a table whose gradients are rows give the bits of those of whole
 * arrays. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "base/pool.h"
#include "optim/optim.h"
#include "optim/rows.h"

enum { ROWS = 1601, COLS = 41, HEAD = 7, TAIL = 11, MOST = 60 };

#define TABLE ((size_t)ROWS * COLS)
#define ALL (HEAD + TABLE + TAIL)

/* One optimizer has whole arrays, and the other rows. */
struct two {
	struct bt_param params[3];
	struct bt_graph g;
	struct bt_pool *pool;
	struct bt_optim whole, by_rows;
	float *p, *q; /* their parameters */
	float *grads; /* of whole arrays */
	float *rest;  /* of what has no rows, and else what must not be read */
	float values[MOST * COLS];
	int32_t ids[MOST];
	struct bt_row_grads rows;
	struct bt_row_set set; /* the same rows */
};

static char names[3][40] = {"embeddings.LayerNorm.weight",
                            "embeddings.word_embeddings.weight",
                            "classifier.bias"};

static void open_two(struct two *x, const struct bt_optim_opts *o, bool decay)
{
	static const int rows[3] = {1, ROWS, 1}, cols[3] = {HEAD, COLS, TAIL};
	struct bt_error err = {0};
	size_t at = 0, i;

	memset(x, 0, sizeof(*x));
	for (i = 0; i < 3; i++) {
		x->params[i] = (struct bt_param){.name = names[i],
		                                 .rank = i == 1 ? 2 : 1,
		                                 .rows = rows[i],
		                                 .cols = cols[i],
		                                 .decay = decay && i == 1,
		                                 .offset = at};
		at += (size_t)rows[i] * (size_t)cols[i];
	}
	x->g = (struct bt_graph){
	    .params = x->params, .n_params = 3, .n_floats = ALL};
	assert_ok(bt_pool_new(2, &x->pool, &err));
	assert_ok(bt_optim_init(&x->whole, &x->g, o, x->pool, NULL, &err));
	assert_ok(bt_optim_init(&x->by_rows, &x->g, o, x->pool, NULL, &err));
	assert_true(bt_optim_takes_rows(o->kind));
	assert_ok(bt_optim_by_rows(&x->by_rows, &x->g, 1, MOST, &err));
	assert_ok(bt_row_set_init(&x->set, ROWS, MOST, 1, &err));
	x->p = malloc(ALL * sizeof(float));
	x->q = malloc(ALL * sizeof(float));
	x->grads = calloc(ALL, sizeof(float));
	x->rest = calloc(ALL, sizeof(float));
	for (i = 0; i < ALL; i++) {
		x->p[i] = x->q[i] =
		    (float)bt_random_below(1, 2, 0, i, 4001) - 2000;
		x->rest[i] = NAN;
	}
}

static void close_two(struct two *x)
{
	bt_optim_clear(&x->whole);
	bt_optim_clear(&x->by_rows);
	bt_row_set_clear(&x->set);
	bt_pool_free(x->pool);
	free(x->p);
	free(x->q);
	free(x->grads);
	free(x->rest);
}

/* Some words are in many updates, some in one, most in none. */
static int32_t word(uint32_t t, size_t i)
{
	uint32_t of = i % 3 == 0 ? 20 : i % 3 == 1 ? 300 : ROWS / 2;

	return ROWS - 1 - (int32_t)bt_random_below(3, 4, t, i, of);
}

static void make_gradients(struct two *x, uint32_t t)
{
	size_t n = t % 17 == 5 ? 0 : 1 + t % MOST, i, k;
	float *row;

	memset(x->grads, 0, ALL * sizeof(float));
	x->rows = (struct bt_row_grads){x->ids, x->values, 0};
	for (i = 0; i < n; i++) {
		for (k = 0; k < x->rows.n && x->ids[k] != word(t, i);)
			k++;
		if (k < x->rows.n)
			continue;
		x->ids[x->rows.n++] = word(t, i);
		row = x->values + k * COLS;
		for (k = 0; k < COLS; k++)
			row[k] = i == 3 ? 0
			                : (float)bt_random_below(
			                      5, 6, t, i * COLS + k, 201) /
			                          100 -
			                      1;
		memcpy(x->grads + HEAD + (size_t)word(t, i) * COLS, row,
		       COLS * sizeof(float));
	}
	for (i = 0; i < HEAD + TAIL; i++) {
		k = i < HEAD ? i : TABLE + i;
		x->grads[k] = x->rest[k] =
		    (float)bt_random_below(7, 8, t, i, 21) - 10;
	}
}

static void update(struct two *x, uint32_t t)
{
	double lr = .01 * fabs(sin(t)), norm, other;
	size_t i;

	make_gradients(x, t);
	bt_row_set_begin(&x->set);
	bt_row_set_add(&x->set, x->ids, x->rows.n);
	bt_row_set_add(&x->set, x->ids, x->rows.n / 2);
	bt_row_set_end(&x->set, x->by_rows.row_at);
	assert_int_equal(x->set.n, x->rows.n);
	bt_optim_catch_up(&x->by_rows, x->q, &x->set);
	bt_optim_catch_up(&x->by_rows, x->q, &x->set); /* nothing is left */
	for (i = 0; i < x->rows.n; i++)
		assert_memory_equal(x->p + HEAD + (size_t)x->ids[i] * COLS,
		                    x->q + HEAD + (size_t)x->ids[i] * COLS,
		                    COLS * sizeof(float));
	norm = bt_optim_norm(&x->whole, x->grads, NULL, .1);
	other = bt_optim_norm(&x->by_rows, x->rest, &x->rows, .1);
	assert_true(norm == other && norm > 0);
	bt_optim_update(&x->whole, x->p, x->grads, NULL, norm, lr, t);
	bt_optim_update(&x->by_rows, x->q, x->rest, &x->rows, other, lr, t);
}

static void same(struct two *x)
{
	bt_optim_catch_up(&x->by_rows, x->q, NULL);
	assert_memory_equal(x->p, x->q, ALL * sizeof(float));
	assert_memory_equal(x->whole.m.base, x->by_rows.m.base,
	                    ALL * sizeof(float));
	assert_memory_equal(x->whole.v.base, x->by_rows.v.base,
	                    ALL * sizeof(float));
}

TEST(rows_are_the_whole)
{
	static const enum bt_optimizer kinds[] = {
	    BT_OPTIM_ADAMW, BT_OPTIM_ADAMW_GOOGLE, BT_OPTIM_ADAM};
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct two x;
	uint32_t t;
	int i;

	for (i = 0; i < 6; i++) {
		o.kind = kinds[i % 3];
		o.weight_decay = i < 3 ? .1 : 0;
		o.clip = i == 4 ? 0 : 1;
		o.clip_value = i == 5 ? .01 : 0;
		open_two(&x, &o, i != 1);
		for (t = 1; t <= 2 * BT_ROWS_PAST + 30; t++) {
			update(&x, t);
			if (t == 40)
				same(&x);
		}
		assert_false(memcmp(x.p + HEAD, x.q + HEAD,
		                    TABLE * sizeof(float)) == 0 &&
		             i < 3 && i != 1);
		same(&x);
		close_two(&x);
	}
}

/* Without an epsilon a moment of zero makes a weight that is no number. */
TEST(nothing_is_divided_by_nothing)
{
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct two x;
	size_t i;

	o.eps = 0;
	open_two(&x, &o, true);
	update(&x, 1);
	bt_optim_catch_up(&x.by_rows, x.q, NULL);
	for (i = 0; i < ALL; i++)
		assert_true(x.p[i] == x.q[i] ||
		            (isnan(x.p[i]) && isnan(x.q[i])));
	assert_true(isnan(x.p[HEAD]));
	close_two(&x);
}

/* What a checkpoint has is all that there is. */
TEST(goes_on_from_a_checkpoint)
{
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct two x, y;
	uint32_t t;

	open_two(&x, &o, true);
	open_two(&y, &o, true);
	for (t = 1; t <= 20; t++)
		update(&x, t);
	/* of what it did before, nothing stays */
	for (t = 1; t <= 25; t++)
		update(&y, t + 100);
	same(&x);
	memcpy(y.p, x.p, ALL * sizeof(float));
	memcpy(y.q, x.q, ALL * sizeof(float));
	memcpy(y.whole.m.base, x.whole.m.base, ALL * sizeof(float));
	memcpy(y.whole.v.base, x.whole.v.base, ALL * sizeof(float));
	memcpy(y.by_rows.m.base, x.by_rows.m.base, ALL * sizeof(float));
	memcpy(y.by_rows.v.base, x.by_rows.v.base, ALL * sizeof(float));
	bt_optim_go_on(&y.by_rows);
	for (t = 21; t <= 50; t++) {
		update(&x, t);
		update(&y, t);
	}
	same(&x);
	same(&y);
	assert_memory_equal(x.q, y.q, ALL * sizeof(float));
	close_two(&x);
	close_two(&y);
}

/* SPDX-License-Identifier: MIT */
/* The gradient of the word table as rows is that of the whole table. */
#include "test.h"

#include "tiny.h"

/* A model each, one of whose word table has a gradient of rows. */
static void open_both(struct tiny *a, struct tiny *b, int flags)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny *t[2] = {a, b};
	int i;

	for (i = 0; i < 2; i++) {
		memset(t[i], 0, sizeof(*t[i]));
		bt_graph_init(&t[i]->g, &err);
		assert_ok(bt_task_graph(&bt_task_classification, &t[i]->g, &c,
		                        TINY_CLASSES));
		tiny_batch(t[i], true);
		assert_ok(
		    tiny_engine(t[i], 1 + i, false, provider(), flags, &err));
	}
	assert_int_equal(bt_engine_word_table(b->e),
	                 b->g.nodes[0].u.embed.word);
	bt_engine_by_rows(b->e, true);
}

static void backward(struct tiny *t, size_t texts, bool add)
{
	struct bt_error err = {0};

	t->b.sequences = texts;
	t->b.tokens = tiny_start[texts];
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_ok(bt_engine_backward(t->e, add, &err));
}

/* Returns how many rows there are. */
static size_t same(const struct tiny *a, const struct tiny *b)
{
	const struct bt_param *p = &a->g.params[a->g.nodes[0].u.embed.word];
	const float *x = bt_engine_grads(a->e), *y = bt_engine_grads(b->e);
	struct bt_row_grads rows = bt_engine_row_grads(b->e);
	size_t cols = (size_t)p->cols, i, k, end = p->offset + bt_param_size(p);
	float *table = calloc(bt_param_size(p), sizeof(*table));

	for (i = 0; i < rows.n; i++) {
		for (k = 0; k < i; k++)
			assert_true(rows.ids[k] != rows.ids[i]);
		memcpy(table + (size_t)rows.ids[i] * cols,
		       rows.values + i * cols, cols * sizeof(*table));
	}
	assert_memory_equal(x + p->offset, table,
	                    bt_param_size(p) * sizeof(*table));
	free(table);
	assert_memory_equal(x, y, p->offset * sizeof(*x));
	assert_memory_equal(x + end, y + end,
	                    (a->g.n_floats - end) * sizeof(*x));
	assert_true(bt_engine_sparse_excess(a->e) ==
	            bt_engine_sparse_excess(b->e));
	return rows.n;
}

TEST(rows_are_the_table)
{
	struct tiny a, b;
	size_t few, more;

	open_both(&a, &b, TINY_APART);
	backward(&a, 2, false);
	backward(&b, 2, false);
	few = same(&a, &b);
	assert_true(few > 2 && few <= tiny_start[2]);
	/* more are added */
	backward(&a, TINY_TEXTS, true);
	backward(&b, TINY_TEXTS, true);
	more = same(&a, &b);
	assert_true(more > few);
	/* and the next update begins anew */
	backward(&a, 2, false);
	backward(&b, 2, false);
	assert_int_equal(same(&a, &b), few);
	bt_engine_zero_grads(a.e);
	bt_engine_zero_grads(b.e);
	assert_int_equal(bt_engine_row_grads(b.e).n, 0);
	backward(&a, 3, false);
	backward(&b, 3, false);
	same(&a, &b);
	/* a later run of the same engine has a table */
	bt_engine_by_rows(b.e, false);
	backward(&a, 2, false);
	backward(&b, 2, false);
	assert_memory_equal(bt_engine_grads(a.e), bt_engine_grads(b.e),
	                    a.g.n_floats * sizeof(float));
	tiny_close(&a);
	tiny_close(&b);
}

/* The place that is named is one in the table. */
TEST(what_is_not_finite_is_found)
{
	struct tiny a, b;
	struct bt_error one = {0}, two = {0};

	open_both(&a, &b, TINY_DETECT);
	a.b.loss_scale = b.b.loss_scale = 3e38f;
	a.b.smoothing = b.b.smoothing = 0;
	assert_int_equal(bt_engine_forward(a.e, &a.b, &one),
	                 bt_engine_forward(b.e, &b.b, &two));
	if (one.code == BT_OK)
		assert_int_equal(bt_engine_backward(a.e, false, &one),
		                 bt_engine_backward(b.e, false, &two));
	assert_int_equal(one.code, BT_ELIMIT);
	assert_string_equal(one.text, two.text);
	tiny_close(&a);
	tiny_close(&b);
}

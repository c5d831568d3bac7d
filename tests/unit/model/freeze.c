/* SPDX-License-Identifier: MIT */
/* Not under thread: the threads are those of unit/model/families */
/* Not under emulation: the kernels are those of model/gradients */
/* Frozen parameters: which ones a list means, and that the gradients of the
 * others are the same bits as if nothing were frozen, in every family. */
#include "test.h"

#include <string.h>

#include "model/freeze.h"
#include "task/task.h"
#include "tiny.h"

static const char *const families[] = {"albert",     "bert",       "deberta-v2",
                                       "distilbert", "electra",    "eurobert",
                                       "gte",        "modernbert", "mpnet",
                                       "neobert",    "nomic_bert", "roberta"};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static struct bt_config config(const char *family)
{
	struct bt_config c = tiny_family(family);

	c.layers = 2;
	c.embedding_dropout = 0;
	return c;
}

/* The model with what `what` names frozen or, if that is NULL, all but
 * parameter `only`; -1: none. */
static void open_frozen(struct tiny *t, const char *family,
                        const struct bt_task *task, const char *what, int only,
                        bool low, int flags)
{
	static int32_t labels[TINY_TOKENS];
	static uint32_t selected[TINY_TOKENS];
	struct bt_config c = config(family);
	struct bt_error err = {0};
	int i;

	memset(t, 0, sizeof(*t));
	c.per_token = task->per_token;
	c.problem_type = task->problem_type;
	bt_graph_init(&t->g, &err);
	assert_ok(bt_task_graph(task, &t->g, &c, TINY_CLASSES));
	if (what != NULL)
		assert_ok(bt_freeze(&t->g, what, &err));
	for (i = 0; i < t->g.n_params && what == NULL && only >= 0; i++)
		t->g.params[i].frozen = i != only;
	tiny_batch(t, true);
	if (task == &bt_task_masked_lm) {
		for (i = 0; i < 7; i++) {
			selected[i] = (uint32_t)(5 * i);
			labels[i] = 3 + i;
		}
		t->b.selected = selected;
		t->b.n_selected = 7;
		t->b.labels = labels;
	}
	assert_ok(tiny_engine(t, 2, low, NULL, flags, &err));
}

static void pass(struct tiny *t)
{
	struct bt_error err = {0};

	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_ok(bt_engine_backward(t->e, false, &err));
	t->b.step++;
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_ok(bt_engine_backward(t->e, true, &err));
}

static bool is_zero(const float *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (x[i] != 0)
			return false;
	return true;
}

/* Of two models that differ in what is frozen, in b. */
static void expect_same(struct tiny *a, struct tiny *b, const char *family)
{
	const float *x = bt_engine_grads(a->e), *y = bt_engine_grads(b->e);
	struct bt_engine_memory all = bt_engine_memory(a->e);
	struct bt_engine_memory less = bt_engine_memory(b->e);
	size_t given = 0, n;
	int i;

	assert_true(bt_engine_loss(a->e) == bt_engine_loss(b->e));
	for (i = 0; i < b->g.n_params; i++) {
		const struct bt_param *p = &b->g.params[i];

		n = bt_param_size(p);
		if (!p->frozen &&
		    memcmp(x + p->offset, y + p->offset, n * sizeof(*x)) != 0)
			fail_msg("%s: gradient of '%s' differs", family,
			         p->name);
		if (p->frozen && is_zero(y + p->offset, n))
			continue;
		given += n * sizeof(*x);
		if (p->frozen && !p->joined && i + 1 < b->g.n_params &&
		    !b->g.params[i + 1].joined)
			fail_msg("%s: '%s' is frozen and has a gradient",
			         family, p->name);
	}
	assert_true(given <= less.grads);
	assert_true(less.grads <= all.grads);
	assert_true(less.activations <= all.activations);
	assert_true(less.packed <= all.packed);
	assert_true(bt_engine_backward_flop(b->e) <=
	            bt_engine_backward_flop(a->e));
}

static void compare(const char *family, const struct bt_task *task,
                    const char *what, int only, bool low, int flags)
{
	struct tiny a, b;

	open_frozen(&a, family, task, NULL, -1, low, flags);
	open_frozen(&b, family, task, what, only, low, flags);
	pass(&a);
	pass(&b);
	expect_same(&a, &b, family);
	tiny_close(&a);
	tiny_close(&b);
}

TEST(gradients_are_the_same)
{
	static const char *const what[] = {
	    "embeddings", "1",
	    "embeddings,1,[kK]ey|Wqkv|q_lin|attn[.]k[.]|qkv_proj|k_proj|[.]qkv",
	    "[.]weight$", "bias$|[Ee]mbed"};
	const struct bt_task *tasks[] = {&bt_task_classification,
	                                 &bt_task_masked_lm};
	size_t f, i;

	for (f = 0; f < FAMILIES; f++)
		for (i = 0; i < 4 * sizeof(what) / sizeof(what[0]); i++) {
			/* it has no biases */
			if (strcmp(families[f], "eurobert") == 0 &&
			    strcmp(what[i / 4], "[.]weight$") == 0)
				continue;
			compare(families[f], tasks[i / 2 % 2], what[i / 4], -1,
			        i % 2 != 0, i % 2 != 0 ? TINY_RECOMPUTE : 0);
		}
}

TEST(one_alone_is_the_same)
{
	struct tiny t;
	size_t f;
	int i, n;

	for (f = 0; f < FAMILIES; f++) {
		open_frozen(&t, families[f], &bt_task_classification, NULL, -1,
		            false, 0);
		n = t.g.n_params;
		tiny_close(&t);
		for (i = 0; i < n; i++)
			compare(families[f], &bt_task_classification, NULL, i,
			        i % 2 != 0, i % 3 == 0 ? TINY_RECOMPUTE : 0);
	}
}

/* With all layers frozen only the head's and the pooler's products run
 * backward. */
TEST(the_rest_is_spared)
{
	struct bt_engine_memory all, head;
	struct tiny a, b;
	double most;

	open_frozen(&a, "bert", &bt_task_classification, NULL, -1, false, 0);
	open_frozen(&b, "bert", &bt_task_classification, "2", -1, false, 0);
	pass(&a);
	pass(&b);
	/* pooler and head: each has two products, but the first one */
	most = TINY_TEXTS * (2.0 * 24 * 24 + 2 * 2.0 * 24 * TINY_CLASSES);
	assert_true(bt_engine_backward_flop(b.e) == most);
	assert_true(bt_engine_backward_flop(a.e) ==
	            2 * bt_engine_flop(a.e) - TINY_TEXTS * 0.0);
	all = bt_engine_memory(a.e);
	head = bt_engine_memory(b.e);
	assert_true(head.grads ==
	            (24 * 24 + 24 + 24 * TINY_CLASSES + TINY_CLASSES) *
	                sizeof(float));
	assert_true(head.activations < all.activations / 2);
	tiny_close(&a);
	tiny_close(&b);
}

TEST(refusals)
{
	static const struct {
		const char *what, *why;
	} bad[] = {
	    {"", "nothing to freeze is named"},
	    {"1,,2", "an empty name"},
	    {"(", "bad pattern '('"},
	    {"3", "has 2 layers"},
	    {"querry", "no parameter to freeze is called 'querry'"},
	    {"2,pooler,classifier", "all parameters are frozen"},
	};
	struct bt_config c = config("bert");
	struct bt_graph g;
	struct bt_error err = {0};
	size_t i;
	int r;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bt_graph_init(&g, &err);
		assert_ok(bt_task_graph(&bt_task_classification, &g, &c,
		                        TINY_CLASSES));
		r = bt_freeze_check(bad[i].what, &err);
		if (r == BT_OK)
			r = bt_freeze(&g, bad[i].what, &err);
		assert_err(r, BT_EARG, bad[i].why);
		bt_error_clear(&err);
		bt_graph_clear(&g);
	}
}

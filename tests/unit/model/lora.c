/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Which layers get an adapter, by lists of names, and what is then trained. */
#include "test.h"

#include <string.h>

#include "base/str.h"
#include "format/adapter_config.h"
#include "model/lora.h"
#include "tiny.h"

/* Adapters of a BERT of three layers. */
static int build(struct bt_graph *g, const struct bt_lora *l,
                 struct bt_error *err)
{
	struct bt_config c = tiny_config();
	const struct bt_task *task = bt_task_of(NULL);

	bt_graph_init(g, err);
	c.problem_type = task->problem_type;
	assert_int_equal(bt_task_graph(task, g, &c, TINY_CLASSES), BT_OK);
	return bt_lora_add(g, l, err);
}

static int count(const struct bt_graph *g, const char *part)
{
	int i, n = 0;

	for (i = 0; i < g->n_params; i++)
		n += bt_str_ends(g->params[i].name, BT_ADAPTER_A) &&
		     strstr(g->params[i].name, part) != NULL;
	return n;
}

TEST(targets)
{
	static const struct {
		const char *list;
		int all, query, dense;
	} cases[] = {
	    {NULL, 6, 3, 0},
	    {"query", 3, 3, 0},
	    {"query,key,value", 9, 3, 0},
	    {"dense", 9, 0, 9}, /* the pooler is the head's */
	    {"output.dense", 6, 0, 6},
	    {"attention.output.dense", 3, 0, 3},
	    {"ery", 0, 0, 0}, /* the whole of a part */
	    {"(ery)", 3, 3, 0},
	    {"layer[.][02][.].*query,value", 5, 2, 0},
	    {"all", 18, 3, 9},
	};
	struct bt_error err = {0};
	struct bt_graph g;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bt_lora l = {
		    .rank = 2, .alpha = 4, .targets = cases[i].list};

		if (cases[i].all == 0) {
			assert_err(build(&g, &l, &err), BT_EARG,
			           "'query', 'key', 'value', 'dense'");
		} else {
			assert_ok(build(&g, &l, &err));
			assert_int_equal(count(&g, ""), cases[i].all);
			assert_int_equal(count(&g, "query"), cases[i].query);
			assert_int_equal(count(&g, "dense"), cases[i].dense);
		}
		bt_graph_clear(&g);
	}
}

TEST(trained)
{
	struct bt_lora l = {.rank = 2, .alpha = 4, .targets = "query"};
	struct bt_error err = {0};
	struct bt_graph g;
	int i, keeps;

	for (keeps = 0; keeps < 2; keeps++) {
		l.keeps_head = keeps;
		assert_ok(build(&g, &l, &err));
		for (i = 0; i < g.n_params; i++)
			assert_int_equal(g.params[i].frozen,
			                 !bt_lora_is(&g, i) &&
			                     (!g.params[i].head || keeps));
		/* A (2, 24) and B (24, 2) of each layer; pooler, classes */
		assert_int_equal(bt_graph_trained(&g),
		                 3 * 2 * 2 * 24 +
		                     (keeps ? 0 : 25 * 24 + 25 * TINY_CLASSES));
		bt_graph_clear(&g);
	}
}

TEST(lists)
{
	struct bt_error err = {0};

	assert_ok(bt_lora_check("a,b.c,(d|e)$,all", &err));
	assert_err(bt_lora_check("", &err), BT_EARG, "empty name");
	assert_err(bt_lora_check("a,,b", &err), BT_EARG, "empty name");
	assert_err(bt_lora_check("a,", &err), BT_EARG, "empty name");
	assert_err(bt_lora_check("a,(b", &err), BT_EARG, "bad pattern '(b'");
}

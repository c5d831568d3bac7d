/* SPDX-License-Identifier: MIT */
/* Not under thread: a program is written by one thread */
/* Not under emulation: writes and compares texts */
/* Programs for devices as text: of all families, read by a checker; and what
 * the writer refuses. */
#include "stablehlo/packed.h"

#include "stablehlo/checker.h"

static void open_named(struct fixture *f, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s.safetensors",
	         getenv("TEST_TOP"), name);
	open_fixture(f, path, false);
}

TEST(all_families_are_sound)
{
	int operations, kind, forward = 0;
	const char *wrong;
	struct packed k;
	struct fixture f;
	size_t i;

	for (i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		open_named(&f, fixtures[i]);
		for (kind = 0; kind < 4; kind++) {
			pack_fixture(&f, 32, 1, kind % 2 != 0, kind >= 2, &k);
			wrong =
			    check_program(bt_buf_str(&k.p.text), &operations);
			if (*wrong != '\0')
				fail_msg("%s: %s", fixtures[i], wrong);
			if (kind == 0)
				forward = operations;
			assert_true(operations >
			            (kind >= 2 ? 2 * forward : 50));
			packed_clear(&k);
		}
		close_fixture(&f);
	}
}

/* Replaces the n-th occurrence of a word by one of the same length. */
static void damage(char *text, const char *word, const char *by, int n)
{
	while (n-- > 0 && text != NULL)
		text = strstr(text + 1, word);
	assert_non_null(text);
	memcpy(text, by, strlen(by));
}

/* The checker finds what it is there for. */
TEST(damage_is_found)
{
	static const struct {
		const char *word, *by, *finds;
		int n;
	} cases[] = {
	    {"%arg1)", "%arg3)", "another type", 1},
	    {"(%10, %15)", "(%99, %15)", "not there", 1},
	    {"    %10 =", "    %11 =", "set twice", 1},
	    {"lhs_contracting_dimensions = [1]",
	     "lhs_contracting_dimensions = [0]", "sums of two", 1},
	    {"tensor<40x24xf32>) -> tensor<96x40xf32>",
	     "tensor<40x24xf32>) -> tensor<96x41xf32>", "follows", 1},
	};
	struct packed k;
	struct fixture f;
	char *text, *found;
	size_t i;
	int operations;

	open_named(&f, "bert-gelu");
	pack_fixture(&f, 32, 1, false, false, &k);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = strdup(bt_buf_str(&k.p.text));
		damage(text, cases[i].word, cases[i].by, cases[i].n);
		found = strdup(check_program(text, &operations));
		if (*found == '\0' || strstr(found, cases[i].finds) == NULL)
			fail_msg("'%s' for '%s': %s", cases[i].by,
			         cases[i].word, found);
		free(found);
		free(text);
	}
	packed_clear(&k);
	close_fixture(&f);
}

/* Arguments are the parameters and what the graph reads of a batch. */
TEST(arguments_are_told)
{
	struct packed k;
	struct fixture f;
	int i, params = 0, seen[BT_HLO_ARG_SOURCES] = {0};

	open_named(&f, "distilbert");
	pack_fixture(&f, 32, 0, true, false, &k);
	for (i = 0; i < k.p.n_args; i++) {
		seen[k.p.args[i].source]++;
		if (k.p.args[i].source != BT_HLO_ARG_PARAM)
			continue;
		params++;
		assert_int_equal(k.p.args[i].shape.type, BT_HLO_F32);
		assert_int_equal(
		    k.p.args[i].shape.dim[k.p.args[i].shape.rank - 1],
		    f.g.params[k.p.args[i].param].cols);
	}
	assert_int_equal(params, f.g.n_params);
	assert_int_equal(seen[BT_HLO_ARG_IDS], 1);
	assert_int_equal(seen[BT_HLO_ARG_POSITIONS], 1);
	assert_int_equal(seen[BT_HLO_ARG_SEGMENTS], 1);
	assert_int_equal(seen[BT_HLO_ARG_FIRST], 1);
	assert_int_equal(seen[BT_HLO_ARG_TYPES], 0);
	assert_int_equal(seen[BT_HLO_ARG_PLACES], 0);
	assert_int_equal(seen[BT_HLO_ARG_SELECTED], 0);
	assert_int_equal(k.p.n_results, 1);
	assert_int_equal(k.p.results[0].shape.dim[0], k.b.size.texts);
	packed_clear(&k);
	close_fixture(&f);
}

static int count(const char *text, const char *word)
{
	int n = 0;

	while ((text = strstr(text, word)) != NULL) {
		n++;
		text++;
	}
	return n;
}

/* Replicas sum up the loss, what is right, and gradients, once each. */
TEST(replicas_add_up)
{
	struct bt_hlo_opts o = {.size = {2, 32, 16, 0, 0}, .adds = true};
	struct bt_error err = {0};
	struct bt_hlo_program p;
	struct fixture f;
	const char *text, *wrong;
	int operations, n, trained = 0;

	open_named(&f, "bert-gelu");
	for (n = 0; n < f.g.n_params; n++) {
		f.g.params[n].frozen =
		    strstr(f.g.params[n].name, "layer.0") != NULL;
		trained += !f.g.params[n].frozen;
	}
	for (n = 1; n <= 3; n += 2) {
		o.replicas = n;
		assert_ok(bt_hlo_gradients(&f.g, &o, &p, &err));
		text = bt_buf_str(&p.text);
		wrong = check_program(text, &operations);
		assert_string_equal(wrong, "");
		assert_int_equal(count(text, "stablehlo.all_reduce"),
		                 n == 1 ? 0 : trained + 2);
		assert_int_equal(count(text, "dense<[[0, 1, 2]]> : "
		                             "tensor<1x3xi64>"),
		                 n == 1 ? 0 : trained + 2);
		assert_int_equal(count(text, n == 1 ? "num_replicas = 1 "
		                                    : "num_replicas = 3 "),
		                 1);
		bt_hlo_program_clear(&p);
		assert_ok(bt_hlo_update(&f.g, BT_HLO_ADAM, n, false, &p, &err));
		assert_int_equal(
		    count(bt_buf_str(&p.text), "stablehlo.all_reduce"), 0);
		bt_hlo_program_clear(&p);
	}
	close_fixture(&f);
}

/* Updates read and give as many moments as their rule has. */
TEST(updates_are_sound)
{
	static const enum bt_hlo_rule rules[] = {BT_HLO_ADAM, BT_HLO_LAMB,
	                                         BT_HLO_SGD};
	struct bt_error err = {0};
	struct bt_hlo_program p;
	struct fixture f;
	int operations, i, k, moments;

	open_named(&f, "bert-gelu");
	for (i = 0; i < 3; i++) {
		assert_ok(bt_hlo_update(&f.g, rules[i], 1, false, &p, &err));
		assert_string_equal(
		    check_program(bt_buf_str(&p.text), &operations), "");
		for (k = moments = 0; k < p.n_args; k++)
			moments += p.args[k].source == BT_HLO_ARG_MOMENT1 ||
			           p.args[k].source == BT_HLO_ARG_MOMENT2;
		assert_int_equal(moments, f.g.n_params *
		                              (rules[i] == BT_HLO_SGD ? 1 : 2));
		assert_int_equal(p.n_results, f.g.n_params + moments + 1);
		bt_hlo_program_clear(&p);
	}
	close_fixture(&f);
}

/* Losses of groups: a right program, in which every device of several gets all
 * embeddings. */
TEST(groups_are_sound)
{
	struct bt_hlo_opts o = {.size = {2, 32, 16, 0, 48}, .replicas = 3};
	struct bt_error err = {0};
	struct bt_hlo_program p;
	struct packed k;
	struct fixture f;
	struct bt_graph g;
	int operations, i;

	open_named(&f, "bert-choices");
	pack_fixture(&f, 32, 1, false, true, &k);
	assert_string_equal(check_program(bt_buf_str(&k.p.text), &operations),
	                    "");
	packed_clear(&k);
	bt_graph_init(&g, &err);
	f.m.problem_type = BT_PROBLEM_EMBEDDING;
	assert_ok(bt_task_graph(&bt_task_embedding, &g, &f.m, 1));
	for (i = BT_EMBEDDING_RANKING; i <= BT_EMBEDDING_CLASSES; i++) {
		o.embedding_loss = (enum bt_embedding_loss)i;
		o.matryoshka = (struct bt_matryoshka){1, {8}};
		assert_ok(bt_hlo_gradients(&g, &o, &p, &err));
		assert_string_equal(
		    check_program(bt_buf_str(&p.text), &operations), "");
		assert_int_equal(
		    count(bt_buf_str(&p.text), "stablehlo.all_reduce"),
		    g.n_params + 2);
		bt_hlo_program_clear(&p);
	}
	bt_graph_clear(&g);
	close_fixture(&f);
}

/* A graph of one operator, whose node is its output. */
static void expect_refusal(int (*op)(struct bt_graph *g, int x), int cols,
                           const char *why)
{
	struct bt_hlo_opts o = {.size = {2, 16, 4, 0, 0}};
	struct bt_error err = {0};
	struct bt_hlo_program p;
	struct bt_graph g;
	struct bt_param_spec spec = {.rows = 10, .cols = cols};
	struct bt_param_spec one = {.cols = cols};
	struct bt_embed_args a = {.position = -1, .type = -1, .beta = -1};

	bt_graph_init(&g, &err);
	a.word = bt_graph_param(&g, &spec, "word");
	a.gamma = bt_graph_param(&g, &one, "gamma");
	g.logits = op(&g, bt_op_embed(&g, &a));
	assert_ok(bt_graph_done(&g));
	assert_int_equal(bt_hlo_forward(&g, &o, &p, &err), BT_EARG);
	if (strstr(err.text, why) == NULL)
		fail_msg("'%s' is not in '%s'", why, err.text);
	assert_null(p.text.data);
	bt_graph_clear(&g);
}

TEST(what_is_not_there_is_named)
{
	expect_refusal(bt_op_select, 2, "has room for no selected");
}

TEST(misfits_are_refused)
{
	struct bt_error err = {0};
	struct bt_hlo_shape s = bt_hlo_matrix(BT_HLO_F32, 2, 3);
	struct bt_hlo b;
	int x;

	bt_hlo_init(&b, &err);
	x = bt_hlo_argument(&b, &s);
	assert_int_equal(bt_hlo_dim(&b, bt_hlo_dot_tn(&b, x, x), 1), 3);
	assert_ok(bt_hlo_failed(&b));
	assert_int_equal(bt_hlo_dot_nn(&b, x, x), BT_HLO_NONE);
	assert_int_equal(bt_hlo_unary(&b, "negate", x), BT_HLO_NONE);
	assert_int_equal(bt_hlo_failed(&b), BT_EARG);
	assert_string_equal(err.text, "a device's program cannot be written: "
	                              "dot_general of tensor<2x3xf32>, "
	                              "tensor<2x3xf32>");
	bt_hlo_clear(&b);
}

/* SPDX-License-Identifier: MIT */
/* Words that their gradients move, and that return. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "optim/fgm.h"

#define ROWS 1000
#define COLS 100 /* of the table: four pieces */
#define FROZEN 48
#define REST 40000
#define WORDS ((size_t)ROWS * COLS)
#define ALL (FROZEN + WORDS + REST)

static char name[] = "classifier.weight";
static struct bt_param params[] = {
    {.name = name, .rank = 1, .rows = 1, .cols = FROZEN, .frozen = true},
    {.name = name, .rank = 2, .rows = ROWS, .cols = COLS, .offset = FROZEN},
    {.name = name,
     .rank = 1,
     .rows = 1,
     .cols = REST,
     .offset = FROZEN + WORDS}};
static struct bt_node nodes[] = {{.op = BT_OP_EMBED, .u.embed.word = 1}};
static const struct bt_graph graph = {.params = params,
                                      .n_params = 3,
                                      .nodes = nodes,
                                      .n_nodes = 1,
                                      .n_floats = ALL};

static float p[ALL], before[ALL], g[ALL], there[ALL];

static void fill(void)
{
	size_t i;

	for (i = 0; i < ALL; i++) {
		before[i] = p[i] = (float)sin((double)i);
		g[i] = i < FROZEN ? NAN : (float)cos(3 * (double)i);
		there[i] = i < FROZEN ? NAN : (float)(i % 11);
	}
}

/* Of what is there of the table of words. */
static double norm_of_words(const float *all)
{
	double sum = 0;
	size_t i;

	for (i = FROZEN; i < FROZEN + WORDS; i++)
		sum += (double)all[i] * (double)all[i];
	return sqrt(sum);
}

#define EPSILON 2

static void move(int threads, float *moved)
{
	struct bt_optim_opts adam = BT_OPTIM_INIT;
	struct bt_error err = {0};
	struct bt_pool *pool;
	struct bt_optim a;
	struct bt_fgm x;
	const float *sum;
	double scale;
	size_t i;

	fill();
	scale = EPSILON / norm_of_words(g);
	assert_ok(bt_pool_new(threads, &pool, &err));
	assert_ok(bt_optim_init(&a, &graph, &adam, pool, NULL, &err));
	assert_ok(bt_fgm_check(&graph, EPSILON, &err));
	assert_ok(bt_fgm_init(&x, &graph, EPSILON, &a, &err));
	assert_true(bt_fgm_move(&x, p, g));
	memcpy(moved, p, sizeof(p));
	for (i = 0; i < ALL; i++)
		if (i < FROZEN || i >= FROZEN + WORDS)
			assert_true(p[i] == before[i]);
		else
			assert_true(fabs((double)p[i] - (double)before[i] -
			                 scale * (double)g[i]) < 2e-7);
	sum = bt_fgm_end(&x, p, there);
	assert_memory_equal(p, before, sizeof(p));
	for (i = FROZEN; i < ALL; i++)
		assert_true(sum[i] == g[i] + there[i]);
	/* again, and nothing was computed there */
	assert_true(bt_fgm_move(&x, p, g));
	assert_memory_equal(p, moved, sizeof(p));
	bt_fgm_end(&x, p, NULL);
	assert_memory_equal(p, before, sizeof(p));
	/* a gradient of zeros moves nothing, one that is not finite neither */
	memset(g + FROZEN, 0, WORDS * sizeof(*g));
	assert_true(bt_fgm_move(&x, p, g));
	assert_memory_equal(p, before, sizeof(p));
	sum = bt_fgm_end(&x, p, there);
	assert_true(sum[FROZEN + 5] == there[FROZEN + 5]);
	g[ALL - 1] = INFINITY;
	assert_false(bt_fgm_move(&x, p, g));
	assert_memory_equal(p, before, sizeof(p));
	bt_fgm_clear(&x);
	bt_optim_clear(&a);
	bt_pool_free(pool);
}

TEST(words_move)
{
	static float one[ALL], three[ALL];

	move(1, one);
	move(3, three);
	assert_memory_equal(one, three, sizeof(one));
}

TEST(frozen_words_do_not)
{
	struct bt_error err = {0};

	params[1].frozen = true;
	assert_err(bt_fgm_check(&graph, EPSILON, &err), BT_EARG,
	           "embeddings of words are frozen");
	assert_ok(bt_fgm_check(&graph, 0, &err));
	params[1].frozen = false;
	assert_int_equal(bt_fgm_bytes(&graph, EPSILON, 1),
	                 (2 * WORDS + REST) * sizeof(float));
	assert_int_equal(bt_fgm_bytes(&graph, 0, 1), 0);
}

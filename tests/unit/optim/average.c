/* SPDX-License-Identifier: MIT */
/* The mean of weights against its formula, over many updates. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "optim/average.h"

#define N 70001 /* floats of the parameter that is trained: three pieces */
#define FROZEN 48
#define UPDATES 300

/* A graph of a frozen parameter and one that is trained. */
static struct bt_param params[2] = {
    {.rank = 1, .rows = 1, .cols = FROZEN, .frozen = true},
    {.rank = 1, .rows = 1, .cols = N, .offset = FROZEN}};
static const struct bt_graph graph = {
    .params = params, .n_params = 2, .n_floats = FROZEN + N};

static float p[FROZEN + N], before[FROZEN + N];
static double want[FROZEN + N];

/* The weights after update t: a walk, the same each time. */
static void walk(int64_t t)
{
	double v[97][2];
	size_t i;

	for (i = 0; i < 97; i++)
		bt_random_normal(3, BT_PURPOSE_INIT, (uint32_t)t, i, 0, v[i]);
	for (i = t == 0 ? 0 : FROZEN; i < FROZEN + N; i++)
		p[i] = (t == 0 ? 0 : p[i]) + (float)(0.1 * v[i % 97][0]) +
		       (float)(i % 7) * 0.01f;
}

static void expect_near(const float *x, int64_t t)
{
	size_t i;

	for (i = 0; i < FROZEN + N; i++)
		if (!(fabs((double)x[i] - want[i]) <=
		      2e-6 * (1 + fabs(want[i]))))
			fail_msg("update %lld, element %zu: %.9g, not %.9g",
			         (long long)t, i, (double)x[i], want[i]);
}

static void follow(double last, int threads, float *end)
{
	double updates = last < 1 ? last * UPDATES : last;
	int64_t from = UPDATES - (int64_t)fmin(updates, UPDATES);
	struct bt_error err = {0};
	struct bt_average a;
	struct bt_pool *pool;
	double d;
	int64_t t;
	size_t i;

	assert_ok(bt_pool_new(threads, &pool, &err));
	walk(0);
	assert_ok(bt_average_init(&a, &graph, last, UPDATES, pool, &err));
	assert_false(bt_average_stands(&a, 0));
	for (i = 0; i < FROZEN + N; i++)
		want[i] = (double)p[i];
	for (t = 1; t <= UPDATES; t++) {
		walk(t);
		bt_average_update(&a, p, t);
		d = t <= from ? 0 : 1 - 1 / (double)(t - from);
		assert_int_equal(bt_average_stands(&a, t), t > from);
		for (i = 0; i < FROZEN + N; i++)
			want[i] = d * want[i] + (1 - d) * (double)p[i];
		if (t % 250 != 0 || !bt_average_stands(&a, t))
			continue;
		memcpy(before, p, sizeof(p));
		bt_average_swap(&a, p);
		expect_near(p, t);
		memcpy(end, p, sizeof(p));
		bt_average_swap(&a, p);
		assert_memory_equal(p, before, sizeof(p));
	}
	bt_average_clear(&a);
	bt_pool_free(pool);
}

TEST(formula)
{
	static const double last[] = {.3, 210, 3 * UPDATES};
	static float one[FROZEN + N], three[FROZEN + N];
	size_t i;

	for (i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		follow(last[i], 1, one);
		follow(last[i], 3, three);
		assert_memory_equal(one, three, sizeof(one));
		assert_memory_equal(one, p, FROZEN * sizeof(float));
	}
}

TEST(none)
{
	struct bt_error err = {0};
	struct bt_average a;

	walk(0);
	memcpy(before, p, sizeof(p));
	assert_ok(bt_average_init(&a, &graph, 0, UPDATES, NULL, &err));
	bt_average_update(&a, p, 1);
	bt_average_swap(&a, p);
	assert_memory_equal(p, before, sizeof(p));
	assert_false(bt_average_stands(&a, UPDATES));
	assert_true(bt_average_bytes(&graph, 0) == 0);
	assert_true(bt_average_bytes(&graph, .5) == N * sizeof(float));
	bt_average_clear(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formula),
	    cmocka_unit_test(none),
	};

	return RUN(tests);
}

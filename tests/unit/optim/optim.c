/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Schedules and optimizers against a table of learning rates and steps that
 * tests/fixtures/optim-table.py made with transformers and PyTorch. TEST_TABLE
 * names another such table. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "optim/optim.h"
#include "optim/schedule.h"

#define N 9
#define DECAYED 6
#define STEPS 4

static const float start[N] = {1, -2, .5f, .25f, -.75f, 3, .1f, -.2f, .3f};
static const float grads[STEPS][N] = {
    {.1f, .2f, -.3f, .4f, -.5f, .6f, .01f, -.02f, .03f},
    {0, -.1f, .4f, -.2f, .3f, 0, 0, .5f, -.5f},
    {.5f, .5f, .5f, -.5f, -.5f, -.5f, .2f, .2f, .2f},
    {-1, .01f, 2, .1f, -.1f, .7f, 1, -1, 0}};

static FILE *open_table(void)
{
	const char *top = getenv("TEST_TOP"), *path = getenv("TEST_TABLE");
	char own[4096];
	FILE *f;

	snprintf(own, sizeof(own), "%s/tests/data/optim.txt",
	         top != NULL ? top : ".");
	f = fopen(path != NULL ? path : own, "r");
	if (f == NULL)
		fail_msg("cannot open '%s'", path != NULL ? path : own);
	return f;
}

TEST(rates)
{
	FILE *f = open_table();
	char line[512], name[32];
	struct bt_schedule_opts o;
	struct bt_error err = {0};
	long t, w, total, cycles;
	double want, got;
	int seen = 0;

	while (fgets(line, sizeof(line), f) != NULL) {
		memset(&o, 0, sizeof(o));
		if (sscanf(line, "rate %31s %lf %ld %ld %lf %lf %ld %ld %lf",
		           name, &o.lr, &w, &total, &o.end, &o.power, &cycles,
		           &t, &want) != 9)
			continue;
		o.kind = bt_schedule_named(name);
		assert_string_equal(bt_schedule_name(o.kind), name);
		o.cycles = cycles;
		assert_ok(bt_schedule_check(&o, &err));
		got = bt_schedule_rate(&o, t, w, total);
		if (!(fabs(got - want) <= 1e-12 + 1e-9 * want))
			fail_msg("%s at %ld of %ld: %.12g, not %.12g", name, t,
			         total, got, want);
		seen++;
	}
	fclose(f);
	assert_true(seen > 200);
}

/* Model Garden's numbers for MNLI: 3 epochs in batches of 32. */
TEST(googles_falls_from_the_first_update)
{
	struct bt_schedule_opts o = BT_SCHEDULE_INIT;

	o.kind = bt_schedule_named("linear-google");
	o.lr = 2e-5;
	assert_true(bt_schedule_rate(&o, 0, 3681, 36813) == 0);
	assert_true(fabs(bt_schedule_rate(&o, 3680, 3681, 36813) -
	                 2e-5 * 3680 / 3681) < 1e-18);
	assert_true(fabs(bt_schedule_rate(&o, 3681, 3681, 36813) -
	                 2e-5 * (36813 - 3681) / 36813) < 1e-18);
	assert_true(bt_schedule_rate(&o, 36813, 3681, 36813) == 0);
	o.end = 1e-5;
	assert_true(fabs(bt_schedule_rate(&o, 18000, 0, 36000) - 1.5e-5) <
	            1e-18);
}

TEST(warmup_is_a_share_or_updates)
{
	assert_int_equal(bt_schedule_warmup(0.1, 939), 94);
	assert_int_equal(bt_schedule_warmup(100, 120), 100);
	assert_int_equal(bt_schedule_warmup(0, 120), 0);
}

TEST(settings_are_for_their_kind)
{
	struct bt_schedule_opts s = BT_SCHEDULE_INIT;
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct bt_error err = {0};

	assert_ok(bt_schedule_check(&s, &err));
	s.power = 2;
	assert_err(bt_schedule_check(&s, &err), BT_EARG, "power");
	s.power = 1;
	s.cycles = 2;
	assert_err(bt_schedule_check(&s, &err), BT_EARG, "cycles");
	s.cycles = 1;
	s.end = 1;
	assert_err(bt_schedule_check(&s, &err), BT_EARG, "larger than");
	s.end = 1e-6;
	s.kind = BT_SCHEDULE_CONSTANT;
	assert_err(bt_schedule_check(&s, &err), BT_EARG, "does not");
	assert_ok(bt_optim_check(&o, &err));
	o.momentum = 0;
	assert_err(bt_optim_check(&o, &err), BT_EARG, "momentum");
	o.kind = BT_OPTIM_SGD;
	assert_ok(bt_optim_check(&o, &err));
	o.eps = 1e-8;
	assert_err(bt_optim_check(&o, &err), BT_EARG, "epsilon");
}

/* Each line is the state after a step; steps of a kind stand in order. */
TEST(steps)
{
	char w[] = "w", b[] = "b";
	struct bt_param params[2] = {
	    {.name = w, .rank = 2, .rows = 2, .cols = 3, .decay = true},
	    {.name = b, .rank = 1, .rows = 1, .cols = 3, .offset = DECAYED}};
	struct bt_graph g = {.params = params, .n_params = 2, .n_floats = N};
	struct bt_optim_opts o = BT_OPTIM_INIT;
	FILE *f = open_table();
	char line[512], name[32];
	struct bt_error err = {0};
	struct bt_optim a = {0};
	struct bt_pool *pool;
	int t, i, at, used, seen = 0;
	float p[N], want;

	assert_ok(bt_pool_new(1, &pool, &err));
	o.clip = 0;
	o.weight_decay = 0.01;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "step %31s %d%n", name, &t, &at) != 2)
			continue;
		if (t == 1) {
			bt_optim_clear(&a);
			o.kind = bt_optim_named(name);
			assert_string_equal(bt_optim_name(o.kind), name);
			assert_ok(bt_optim_init(&a, &g, &o, pool, NULL, &err));
			memcpy(p, start, sizeof(p));
		}
		bt_optim_update(&a, p, grads[t - 1], NULL,
		                bt_optim_norm(&a, grads[t - 1], NULL, 0), 0.1,
		                t);
		for (i = 0; i < N; i++, at += used, seen++) {
			assert_int_equal(
			    sscanf(line + at, "%f%n", &want, &used), 1);
			if (!(fabsf(p[i] - want) <= 2e-6f))
				fail_msg("%s, step %d: p[%d] is %.8g, not %.8g",
				         name, t, i, (double)p[i],
				         (double)want);
		}
	}
	fclose(f);
	bt_optim_clear(&a);
	bt_pool_free(pool);
	assert_int_equal(seen, BT_OPTIMIZERS * STEPS * N);
}

/* With momentum 0 and no decay a step is the gradient as it was held. */
TEST(gradients_are_held)
{
	char name[] = "p";
	struct bt_param param = {.name = name, .rank = 1, .rows = 1, .cols = 3};
	struct bt_graph g = {.params = &param, .n_params = 1, .n_floats = 3};
	struct bt_optim_opts o = BT_OPTIM_INIT;
	float p[3] = {0, 0, 0}, grad[3] = {4, -.25f, -3};
	struct bt_error err = {0};
	struct bt_optim a;
	struct bt_pool *pool;

	assert_ok(bt_pool_new(1, &pool, &err));
	o.kind = BT_OPTIM_SGD;
	o.momentum = 0;
	o.clip = 0;
	o.clip_value = 0.5;
	assert_ok(bt_optim_init(&a, &g, &o, pool, NULL, &err));
	assert_null(a.v.base);
	bt_optim_update(&a, p, grad, NULL, bt_optim_norm(&a, grad, NULL, 0), 1,
	                1);
	assert_true(p[0] == -.5f && p[1] == .25f && p[2] == .5f);
	bt_optim_clear(&a);
	bt_pool_free(pool);
}

/* A table of words, two layers, what follows them, and a head: each is as if it
 * were alone with its own learning rate. */
TEST(layers_have_rates)
{
	static const char *const names[] = {
	    "bert.embeddings.word_embeddings.weight",
	    "bert.encoder.layer.0.output.dense.weight",
	    "bert.encoder.layer.1.output.LayerNorm.bias",
	    "bert.pooler.dense.weight", "head.0.weight"};
	static const double scale[] = {.125, .25, .5, 1, 3};
	enum { PARAMS = 5 };
	struct bt_param params[PARAMS] = {0};
	struct bt_graph g = {
	    .params = params, .n_params = PARAMS, .n_floats = PARAMS * N};
	struct bt_graph alone = {
	    .params = params, .n_params = 1, .n_floats = N};
	struct bt_optim_opts plain = BT_OPTIM_INIT, o = BT_OPTIM_INIT;
	float p[PARAMS * N], all[PARAMS * N], one[N];
	struct bt_error err = {0};
	struct bt_optim a, b;
	struct bt_pool *pool;
	int kind, i, k, t;

	assert_ok(bt_pool_new(1, &pool, &err));
	for (i = 0; i < PARAMS; i++)
		params[i] = (struct bt_param){.name = (char *)names[i],
		                              .rank = 2,
		                              .rows = 1,
		                              .cols = N,
		                              .decay = i != 2,
		                              .head = i == 4,
		                              .offset = (size_t)i * N};
	o.layer_decay = .5;
	o.head_scale = 3;
	for (kind = 0; kind < BT_OPTIMIZERS; kind++) {
		o.kind = plain.kind = (enum bt_optimizer)kind;
		assert_ok(bt_optim_init(&a, &g, &o, pool, NULL, &err));
		for (i = 0; i < PARAMS; i++)
			memcpy(p + i * N, start, sizeof(start));
		for (t = 1; t <= STEPS; t++) {
			for (i = 0; i < PARAMS; i++)
				memcpy(all + i * N, grads[t - 1],
				       sizeof(grads[0]));
			bt_optim_update(&a, p, all, NULL, 2, .01, t);
		}
		bt_optim_clear(&a);
		for (i = 0; i < PARAMS; i++) {
			params[0].decay = i != 2;
			assert_ok(bt_optim_init(&b, &alone, &plain, pool, NULL,
			                        &err));
			memcpy(one, start, sizeof(start));
			for (t = 1; t <= STEPS; t++)
				bt_optim_update(&b, one, grads[t - 1], NULL, 2,
				                .01 * scale[i], t);
			bt_optim_clear(&b);
			for (k = 0; k < N; k++)
				if (!(fabsf(p[i * N + k] - one[k]) <= 1e-6f))
					fail_msg("%s, %s: %.8g, not %.8g",
					         bt_optim_name(o.kind),
					         names[i], (double)p[i * N + k],
					         (double)one[k]);
		}
		params[0].decay = true;
	}
	bt_pool_free(pool);
}

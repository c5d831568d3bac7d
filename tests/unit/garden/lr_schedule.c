/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Learning rates of Model Garden's trainer, update by update. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "garden/lr_schedule.h"

/* A configuration with these mappings of its rate and warm-up. */
static struct bt_garden *config(const char *lr, const char *warm)
{
	struct bt_error err = {0};
	struct bt_garden *c = NULL;
	char text[500];

	snprintf(text, sizeof(text),
	         "{trainer: {optimizer_config: {learning_rate: {%s}, warmup: "
	         "{%s}}}}",
	         lr, warm);
	assert_ok(bt_garden_new("bert/sentence_prediction", &c, &err));
	assert_ok(bt_garden_apply(c, "x", text, &err));
	return c;
}

static struct bt_lr_schedule rate(const char *lr, const char *warm)
{
	struct bt_garden *c = config(lr, warm);
	struct bt_error err = {0};
	struct bt_lr_schedule r;

	assert_ok(bt_garden_check(c, &err));
	assert_ok(bt_lr_schedule_read(c, &r, &err));
	bt_garden_free(c);
	return r;
}

static void is(const struct bt_lr_schedule *r, int64_t t, double wanted)
{
	double got = bt_lr_schedule_at(r, t);

	if (fabs(got - wanted) > 1e-12 * (1 + fabs(wanted)))
		fail_msg("after %d updates %.15g, not %.15g", (int)t, got,
		         wanted);
}

static void refuses(const char *lr, const char *warm, const char *wanted)
{
	struct bt_garden *c = config(lr, warm);
	struct bt_error err = {0};
	struct bt_lr_schedule r;

	assert_int_equal(bt_lr_schedule_read(c, &r, &err), BT_EARG);
	assert_string_equal(err.text, wanted);
	bt_garden_free(c);
}

#define COLD "type: null"

/* MNLI's: up to what the decay has come to, then on along it. */
TEST(mnli)
{
	struct bt_lr_schedule r = rate("polynomial: {decay_steps: 36813}",
	                               "polynomial: {warmup_steps: 3681}");
	double top = 3e-5 * (1 - 3681.0 / 36813);

	is(&r, 0, top / 3681);
	is(&r, 1, top / 3681);
	is(&r, 2, top * 2 / 3681);
	is(&r, 3680, top * 3680 / 3681);
	is(&r, 3681, top);
	is(&r, 20000, 3e-5 * (1 - 20000.0 / 36813));
	is(&r, 36813, 0);
	is(&r, 40000, 0);
}

TEST(polynomial)
{
	struct bt_lr_schedule r = rate(
	    "polynomial: {initial_learning_rate: 1, end_learning_rate: .2, "
	    "power: 2, decay_steps: 10, offset: 5}",
	    "polynomial: {warmup_steps: 7, power: 3}");

	is(&r, 7, .8 * .8 * .8 + .2);
	is(&r, 4, (.8 * .8 * .8 + .2) * pow(4 / 7.0, 3));
	is(&r, 100, .2);
	r = rate("polynomial: {initial_learning_rate: 1, end_learning_rate: 0, "
	         "decay_steps: 10, cycle: true}",
	         COLD);
	is(&r, 0, 1);
	is(&r, 5, .5);
	is(&r, 10, 0);
	is(&r, 11, 1 - 11 / 20.0);
	is(&r, 25, 1 - 25 / 30.0);
}

TEST(others)
{
	struct bt_lr_schedule r = rate(
	    "type: constant",
	    "type: linear, linear: {warmup_steps: 4, warmup_learning_rate: "
	    ".02}");

	is(&r, 0, .02);
	is(&r, 2, .06);
	is(&r, 4, .1);
	is(&r, 1000, .1);
	r = rate("type: cosine, cosine: {initial_learning_rate: 2, "
	         "decay_steps: 8, alpha: .5}",
	         "polynomial: {warmup_steps: 0}");
	is(&r, 0, 2);
	is(&r, 4, 1.5);
	is(&r, 8, 1);
	is(&r, 9, 1);
	r = rate("type: exponential, exponential: {initial_learning_rate: 2, "
	         "decay_steps: 4, decay_rate: .25}",
	         COLD);
	is(&r, 2, 1);
	is(&r, 8, .125);
	r = rate("type: exponential, exponential: {initial_learning_rate: 2, "
	         "decay_steps: 4, decay_rate: .25, staircase: true}",
	         COLD);
	is(&r, 3, 2);
	is(&r, 7, .5);
	r = rate("type: stepwise, stepwise: {boundaries: [3, 4], values: [1, "
	         ".5, .1], offset: 2}",
	         COLD);
	is(&r, 0, 1);
	is(&r, 5, 1);
	is(&r, 6, .5);
	is(&r, 7, .1);
}

#define RATE "trainer.optimizer_config.learning_rate."
#define WARM "trainer.optimizer_config.warmup."

TEST(faults)
{
	refuses("", "polynomial: {warmup_steps: 1}",
	        RATE "polynomial.decay_steps (default): it must be given, as "
	             "a number above 0");
	refuses("polynomial: {decay_steps: 10}", "",
	        WARM "polynomial.warmup_steps (default): it must be given; 0 "
	             "means without warm-up");
	refuses("type: null", "", RATE "type (--x): it must be given");
	refuses("type: stepwise, stepwise: {boundaries: [1], values: [1]}", "",
	        RATE "stepwise.values (--x): 1 values, and 1 boundaries take "
	             "2");
	refuses("type: stepwise, stepwise: {boundaries: [2, 1], values: [1, 1, "
	        "1]}",
	        "",
	        RATE "stepwise (--x): boundaries must rise and values may not "
	             "be below 0");
	refuses("type: stepwise, stepwise: {boundaries: [x], values: [1, 1]}",
	        "",
	        RATE "stepwise.boundaries (--x): a number is due, not a "
	             "string");
	refuses("type: cosine, cosine: {initial_learning_rate: 1, decay_steps: "
	        "1, alpha: 2}",
	        "", RATE "cosine.alpha (--x): it must lie between 0 and 1");
	refuses("polynomial: {decay_steps: 1, initial_learning_rate: .nan}", "",
	        RATE "polynomial.initial_learning_rate (--x): it must be "
	             "given, as a number above 0");
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: a plugin's own threads are not watched */
/* Not under address: nor is its memory */
/*
 * Logits of all families on XLA's plugin for CPUs against the CPU engine's. In
 * bf16 both round the operands of each product to 2^-9, at other places: 3 % of
 * the logits' norm is allowed, as against PyTorch (model/gradients.c).
 */
#include "device/device.h"
#include "device/plugin.h"

/* |got - want| / |want| */
static double difference(const float *got, const float *want, size_t n)
{
	double sum = 0, all = 0, d;
	size_t i;

	for (i = 0; i < n; i++) {
		d = (double)got[i] - (double)want[i];
		sum += d * d;
		all += (double)want[i] * (double)want[i];
	}
	return sqrt(sum / all);
}

static struct bt_device *open_device(const struct fixture *f, bool low)
{
	const float **at = malloc((size_t)f->g.n_params * sizeof(*at));
	struct bt_device *d = NULL;
	struct bt_error err = {0};
	int i;

	for (i = 0; i < f->g.n_params; i++)
		at[i] = bt_engine_param(f->e, i);
	assert_ok(bt_device_open(plugin_name(), 1, &d, &err));
	assert_string_equal(bt_device_platform(d), plugin_name());
	assert_ok(bt_device_load(d, &f->g, at, low, &err));
	free(at);
	return d;
}

static void compare(const char *name, bool low)
{
	const float *logits, *next, *want;
	struct bt_error err = {0};
	struct bt_device_texts t;
	struct bt_device *d;
	struct fixture f;
	double a, b = 0;

	open_named(&f, name, low);
	t = (struct bt_device_texts){f.b.sequences, f.b.start,
	                             f.b.ids,       f.b.types,
	                             f.b.selected,  f.b.n_selected};
	d = open_device(&f, low);
	assert_ok(bt_engine_forward(f.e, &f.b, &err));
	assert_ok(bt_device_forward(d, &t, &logits, &next, &err));
	a = difference(logits, bt_engine_logits(f.e),
	               bt_engine_logit_rows(f.e) *
	                   (size_t)f.g.nodes[f.g.logits].cols);
	want = bt_engine_next_logits(f.e);
	assert_int_equal(want != NULL, next != NULL);
	if (want != NULL)
		b = difference(next, want, 2 * f.b.sequences);
	printf("# %s, %s: %.2g\n", name, low ? "bf16" : "f32", a);
	if (!(a <= (low ? 3e-2 : 1e-5)) || !(b <= (low ? 3e-2 : 1e-5)))
		fail_msg("%s: logits differ by %.3g of their norm, the second "
		         "ones by %.3g",
		         name, a, b);
	assert_int_equal(bt_device_report(d).tokens, f.b.tokens);
	bt_device_close(d);
	close_fixture(&f);
}

TEST(f32_agrees)
{
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++)
		compare(fixtures[i], false);
}

TEST(bf16_agrees)
{
	static const char *const some[] = {"bert-gelu", "albert", "deberta-v2",
	                                   "modernbert", "gte-masked"};
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		compare(some[i], true);
}

/* More texts than a batch has room for, of all lengths: each has the answer
 * that it has by itself. */
TEST(many_texts_keep_their_order)
{
	enum { TEXTS = 1500 };
	const struct bt_device_report *r;
	struct bt_device_report report;
	const float *logits, *next;
	struct bt_error err = {0};
	struct bt_device_texts t;
	struct bt_device *d;
	struct fixture f;
	uint32_t *start;
	int32_t *ids;
	uint8_t *types;
	size_t i, k, n, cols, wrong = 0;

	if (!has_plugin())
		skip();
	open_named(&f, "bert-gelu", false);
	d = open_device(&f, false);
	start = calloc(TEXTS + 1, sizeof(*start));
	ids = calloc((size_t)TEXTS * 20, sizeof(*ids));
	types = calloc((size_t)TEXTS * 20, 1);
	for (i = 0; i < TEXTS; i++) {
		n = 1 + i * 7 % 20;
		for (k = 0; k < n; k++)
			ids[start[i] + k] =
			    (int32_t)(1 + (i * 31 + k * k) % 39);
		start[i + 1] = start[i] + (uint32_t)n;
	}
	t = (struct bt_device_texts){TEXTS, start, ids, types, NULL, 0};
	assert_ok(bt_device_forward(d, &t, &logits, &next, &err));
	cols = (size_t)f.g.nodes[f.g.logits].cols;
	for (i = 0; i < TEXTS; i++) {
		const uint32_t own[2] = {0, start[i + 1] - start[i]};
		struct bt_batch b = {.sequences = 1,
		                     .tokens = own[1],
		                     .start = own,
		                     .ids = ids + start[i],
		                     .types = types + start[i]};

		assert_ok(bt_engine_forward(f.e, &b, &err));
		wrong += difference(logits + i * cols, bt_engine_logits(f.e),
		                    cols) > 1e-5;
	}
	assert_int_equal(wrong, 0);
	report = bt_device_report(d);
	r = &report;
	assert_int_equal(r->tokens, start[TEXTS]);
	printf("# %.1f %% real tokens, %d programs\n",
	       100.0 * (double)r->tokens / (double)r->places, r->programs);
	assert_true((double)r->tokens >= .9 * (double)r->places);
	free(start);
	free(ids);
	free(types);
	bt_device_close(d);
	close_fixture(&f);
}

TEST(what_is_not_there_is_an_error)
{
	struct bt_device *d = NULL;
	struct bt_error err = {0};

	assert_int_not_equal(bt_device_open("./none.so", 1, &d, &err), BT_OK);
	assert_null(d);
	assert_non_null(strstr(err.text, "none.so"));
}

int main(void)
{
	setenv("BT_PJRT_CACHE", "cache", 1);
	return run_listed();
}

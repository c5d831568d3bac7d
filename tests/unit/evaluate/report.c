/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* What an evaluation tells beside the measures. */
#include "payload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/philox.h"
#include "evaluate/by_feature.h"
#include "evaluate/model_comparison.h"
#include "evaluate/top_losses.h"
#include "format/escape.h"
#include "task/task.h"

static void near(double got, double wanted, double share)
{
	if (!(fabs(got - wanted) <= share * fabs(wanted)))
		fail_msg("%.15g, not %.15g", got, wanted);
}

/* Values of scipy.stats.binomtest(min(b, c), b + c, .5). */
TEST(mcnemar_known_answers)
{
	static const struct {
		uint64_t b, c;
		double p;
	} all[] = {
	    {0, 0, 1},
	    {1, 0, 1},
	    {0, 1, 1},
	    {5, 5, 1},
	    {3, 9, 0.14599609375},
	    {0, 10, 0.001953125},
	    {12, 25, 0.047031027439516},
	    {121, 59, 4.43444926375516e-06},
	    {4990, 5205, 0.0340485900882272},
	    {40, 4000, 0},
	    {0, 2000, 0},
	    {999000, 1001000, 0.157506847322935},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		near(bt_comparison_mcnemar(all[i].b, all[i].c), all[i].p, 1e-8);
		near(bt_comparison_mcnemar(all[i].c, all[i].b), all[i].p, 1e-8);
	}
	assert_true(bt_comparison_mcnemar(UINT64_MAX, 0) == 0);
}

/* Values of NumPy, and of scipy.stats.norm. */
TEST(differences_of_numbers)
{
	static const float truth[] = {1, 2, 3, 4, 5.5F};
	static const float a[] = {1.5F, 2, 2, 4.25F, 5};
	static const float b[] = {1.25F, 3, 2.5F, 4, 7};
	struct bt_error err = {0};
	double error, z, p_value;
	struct bt_metrics like;
	struct bt_comparison p;
	int i;

	assert_ok(bt_metrics_init(&like, &bt_metrics_regression, 1, &err));
	assert_ok(bt_comparison_init(&p, &like, &err));
	for (i = 0; i < 5; i++) {
		assert_ok(
		    bt_comparison_add(&p, 0, &truth[i], &a[i], &b[i], &err));
		bt_comparison_z(&p, &error, &z, &p_value);
		assert_true(i > 0 || (isnan(error) && isnan(p_value)));
	}
	near(p.mean, 0.4, 1e-12);
	near(error, 0.4899776780629909, 1e-12);
	near(z, 0.8163637200398679, 1e-12);
	near(p_value, 0.41429214016363325, 1e-12);
	bt_comparison_clear(&p);
}

/* Sums alone give the summary that the matrix gives. */
TEST(sums_do_for_a_summary)
{
	struct bt_metrics_summary s, t;
	struct bt_error err = {0};
	struct bt_metrics m, n;
	float logits[5];
	uint64_t x = 0;
	int i, k;

	assert_ok(bt_metrics_init(&m, &bt_metrics_classification, 5, &err));
	assert_ok(bt_metrics_init_like(&n, &m, &err));
	assert_null(n.count);
	for (i = 0; i < 200; i++) {
		for (k = 0; k < 5; k++)
			logits[k] = (float)bt_random_below(1, 0, 0, x++, 9);
		k = (int)bt_random_below(1, 0, 0, x++, 4);
		assert_ok(bt_metrics_add(&m, k, NULL, logits, &err));
		assert_ok(bt_metrics_add(&n, k, NULL, logits, &err));
	}
	bt_metrics_summary(&m, &s);
	bt_metrics_summary(&n, &t);
	assert_memory_equal(&s, &t, sizeof(s));
	assert_int_equal(m.hits[2], m.count[2 * 5 + 2]);
	bt_metrics_reset(&n);
	bt_metrics_summary(&n, &t);
	assert_true(t.accuracy == 0 && n.support[0] == 0);
	bt_metrics_clear(&m);
	bt_metrics_clear(&n);
}

/* A block of n examples of one token each, whose labels are 0 or 1. */
static void make_block(struct bt_dataset *d, int n)
{
	struct bt_error err = {0};
	uint8_t type = 0;
	int32_t id;
	struct bt_token_rec rec = {
	    .ids = &id, .types = &type, .n = 1, .weight = 1};
	int i;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < n; i++) {
		id = i;
		assert_ok(bt_dataset_add(d, &rec, i % 2, &err));
	}
}

struct expected {
	double loss;
	int number;
};

static int worst_first(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->loss != y->loss)
		return x->loss > y->loss ? -1 : 1;
	return x->number - y->number;
}

/* Of any number they are those that sorting all finds. Losses are few, so there
 * are many ties. */
TEST(the_worst_are_kept)
{
	struct expected all[300];
	struct bt_labels labels = {0};
	struct bt_error err = {0};
	struct bt_metrics like;
	struct bt_top_losses *w;
	struct bt_dataset d;
	float logits[2] = {0};
	json_t *o, *x;
	size_t most, i, n;

	assert_int_equal(bt_labels_add(&labels, bt_span("a"), &err), 0);
	assert_int_equal(bt_labels_add(&labels, bt_span("b"), &err), 1);
	assert_ok(bt_metrics_init(&like, &bt_metrics_classification, 2, &err));
	make_block(&d, 300);
	for (most = 1; most < 1000; most = most * 3 + 1) {
		w = bt_top_losses_new(most, &like, &bt_answer_label, &labels);
		for (i = 0; i < 300; i++) {
			logits[1] = (float)bt_random_below(3, 0, 0, i, 12) - 6;
			all[i].number = (int)i + 1;
			all[i].loss =
			    like.kind->loss(&like, (int)(i % 2), NULL, logits);
			assert_ok(bt_top_losses_add(
			    w, &(struct bt_top_losses_record){.number = i + 1},
			    &d, i, logits, &err));
		}
		qsort(all, 300, sizeof(all[0]), worst_first);
		o = bt_top_losses_json(w, NULL);
		n = most < 300 ? most : 300;
		assert_int_equal(json_array_size(o), n);
		for (i = 0; i < n; i++) {
			x = json_array_get(o, i);
			assert_int_equal(
			    json_integer_value(json_object_get(x, "record")),
			    all[i].number);
			assert_true(json_real_value(json_object_get(
			                x, "loss")) == all[i].loss);
			/* the token is the example's number */
			x = json_array_get(json_object_get(x, "tokens"), 0);
			assert_int_equal(json_integer_value(x),
			                 all[i].number - 1);
		}
		json_decref(o);
		bt_top_losses_free(w);
	}
	bt_dataset_clear(&d);
	bt_metrics_clear(&like);
	bt_labels_clear(&labels);
}

static struct bt_by_feature *groups_of(const char *field,
                                       struct bt_metrics *like)
{
	struct bt_error err = {0};

	assert_ok(bt_metrics_init(like, &bt_metrics_classification, 2, &err));
	return bt_by_feature_new(field, like);
}

/* The values of the groups, in their order, "-" for none. */
static void values_are(struct bt_by_feature *g, const char *wanted)
{
	struct bt_buf b = BT_BUF_INIT;
	json_t *o = bt_by_feature_json(g), *all = json_object_get(o, "groups"),
	       *v;
	size_t i;

	for (i = 0; i < json_array_size(all); i++) {
		v = json_object_get(json_array_get(all, i), "value");
		bt_buf_printf(&b, "%s%s", i > 0 ? "|" : "",
		              json_is_null(v) ? "-" : json_string_value(v));
	}
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
	json_decref(o);
}

/* One block of these payloads, through look and add. */
static int put_block(struct bt_by_feature *g, const char *const *json, size_t n,
                     struct bt_error *err)
{
	static const float logits[] = {0, 1};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_dataset d;
	size_t i;
	int r = BT_OK;

	make_block(&d, (int)n);
	for (i = 0; i < n && r == BT_OK; i++) {
		payload(json[i], &b);
		r = bt_by_feature_look(g, i, b.data, b.len, err);
	}
	for (i = 0; i < n && r == BT_OK; i++)
		r = bt_by_feature_add(g, &d, i, logits, err);
	bt_buf_clear(&b);
	bt_dataset_clear(&d);
	return r;
}

TEST(groups_have_an_order)
{
	static const char *const texts[] = {
	    "{\"f\": \"b\"}",         "{\"f\": \"10\"}",
	    "{\"f\": \"9\"}",         "{\"x\": 1}",
	    "{\"f\": \"\"}",          "{\"f\": \"9\"}",
	    "{\"f\": [\"u\", \"v\"]}"};
	static const char *const numbers[] = {"{\"f\": 10}", "{\"f\": \"9\"}",
	                                      "{\"f\": -1.5}", "{\"f\": 9}"};
	static const char *const none[] = {"{\"x\": 1, \"y\\u001b\": 2}"};
	struct bt_error err = {0};
	struct bt_metrics like;
	struct bt_by_feature *g = groups_of("f", &like);

	assert_ok(put_block(g, texts, 7, &err));
	values_are(g, "|10|9|b|u, v|-");
	assert_ok(put_block(g, none, 1, &err)); /* some had it */
	bt_by_feature_free(g);
	bt_metrics_clear(&like);
	g = groups_of("f", &like);
	assert_ok(put_block(g, numbers, 4, &err));
	values_are(g, "-1.5|9|10");
	bt_by_feature_free(g);
	bt_metrics_clear(&like);
	g = groups_of("f", &like);
	assert_err(put_block(g, none, 1, &err), BT_EFORMAT,
	           "none of the first 1 records has the feature 'f': the "
	           "first one has x, y\\x1b");
	bt_by_feature_free(g);
	bt_metrics_clear(&like);
}

/* A feature that tells all records apart is none to group by, nor is a long
 * list. */
TEST(groups_are_bounded)
{
	const char *one = "{\"i\": 1}";
	struct bt_buf list = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_metrics like;
	struct bt_by_feature *g = groups_of("i", &like);
	char json[32];
	int i;

	for (i = 0; i < BT_BY_FEATURE_MAX; i++) {
		snprintf(json, sizeof(json), "{\"i\": %d}", i);
		assert_ok(put_block(g, &(const char *){json}, 1, &err));
	}
	assert_ok(put_block(g, &one, 1, &err));
	assert_err(put_block(g, &(const char *){"{\"i\": 1000}"}, 1, &err),
	           BT_ELIMIT, "feature 'i' has more than 1000 values");
	bt_buf_puts(&list, "{\"i\": [0");
	for (i = 1; i < 65; i++)
		bt_buf_printf(&list, ", %d", i);
	bt_buf_puts(&list, "]}");
	one = bt_buf_str(&list);
	assert_err(put_block(g, &one, 1, &err), BT_EFORMAT,
	           "a list of 65 values");
	bt_buf_clear(&list);
	bt_by_feature_free(g);
	bt_metrics_clear(&like);
}

static void plain_is(const char *s, size_t n, size_t most, const char *wanted)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_escape_line(&b, (struct bt_span){s, n}, most);
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
}

TEST(lines_are_plain)
{
	plain_is("", 0, 5, "");
	plain_is(NULL, 0, 0, "");
	plain_is("a\tb\nc\r\x1b[1m\x7f", 11, 0, "a\\tb\\nc\\r\\x1b[1m\\x7f");
	plain_is("a\0b", 3, 0, "a\\x00b");
	plain_is("\xC2\x9B\xC2\xA0", 4, 0, "\\x9b\xC2\xA0");
	plain_is("a\xE2\x80\xAE\xE2\x81\xA6"
	         "b\xE2\x80\x90",
	         11, 0, "a\\u202e\\u2066b\xE2\x80\x90");
	plain_is("\xFFx", 2, 0, "\xEF\xBF\xBDx");
	plain_is("\xC3\xA4\xC3\xB6", 4, 4, "\xC3\xA4\xC3\xB6");
	plain_is("\xC3\xA4\xC3\xB6", 4, 3, "\xC3\xA4...");
	plain_is("\xC3\xA4\xC3\xB6", 4, 1, "...");
	plain_is("\xF0\x9F\x98\x80x", 5, 3, "...");
	plain_is("x\xF0\x9F\x98\x80x", 6, 4, "x...");
	plain_is("\x80\x80\x80\x80\x80\x80", 6, 2,
	         "\xEF\xBF\xBD\xEF\xBF\xBD...");
	plain_is("x\x80\x80\x80\x80\x80", 6, 5,
	         "x\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD...");
}

/* SPDX-License-Identifier: MIT */
/* Metrics of probabilities and of scores, against scikit-learn:
 * tests/data/metrics.txt, made by tests/fixtures/metrics-table.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics.h"
#include "test.h"

#define MOST 16 /* classes */

static void check_case(struct bt_metrics *m, const char *name, double want,
                       int at)
{
	struct bt_metrics_summary s;
	struct bt_error err = {0};
	double got = 0;

	bt_metrics_summary(m, &s);
	assert_ok(bt_metrics_find(&s, name, &got, &err));
	if (isnan(want) ? !isnan(got) : !(fabs(got - want) < 1e-12))
		fail_msg("case %d: %s is %.17g, not %.17g", at, name, got,
		         want);
}

static void read_row(struct bt_metrics *m, char *at)
{
	size_t k = bt_metrics_outputs(m), i;
	size_t n = m->kind->has_rows ? k : 1;
	float truth[MOST], logits[MOST];
	struct bt_error err = {0};

	for (i = 0; i < n; i++)
		truth[i] = strtof(at, &at);
	for (i = 0; i < k; i++)
		logits[i] = strtof(at, &at);
	assert_ok(bt_metrics_add(
	    m, (int)truth[0], m->kind->has_rows ? truth : NULL, logits, &err));
}

TEST(known_answers)
{
	const char *top = getenv("TEST_TOP");
	char path[4096], line[1024], name[40], value[40];
	struct bt_metrics m = {0};
	struct bt_error err = {0};
	const struct bt_metrics_kind *kind;
	int cases = 0, wants = 0, k, n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/metrics.txt",
	         top != NULL ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "case %39s %d %d", name, &k, &n) == 3) {
			bt_metrics_clear(&m);
			kind = strcmp(name, "classes") == 0
			           ? &bt_metrics_classification
			       : strcmp(name, "labels") == 0
			           ? &bt_metrics_multilabel
			           : &bt_metrics_regression;
			assert_ok(bt_metrics_init(&m, kind, k, &err));
			m.keep = SIZE_MAX;
			cases++;
		} else if (strncmp(line, "row ", 4) == 0) {
			read_row(&m, line + 4);
		} else if (sscanf(line, "want %39s %39s", name, value) == 2) {
			check_case(&m, name, strtod(value, NULL), cases);
			wants++;
		}
	}
	fclose(f);
	bt_metrics_clear(&m);
	assert_int_equal(cases, 16);
	assert_true(wants > 60);
}

static void add_number(struct bt_metrics *m, double truth, double guess)
{
	float t = (float)truth, p = (float)guess;
	struct bt_error err = {0};

	assert_ok(bt_metrics_add(m, 0, &t, &p, &err));
}

static double find_kappa(const struct bt_metrics *m)
{
	struct bt_metrics_summary s;
	struct bt_error err = {0};
	double v = 0;

	bt_metrics_summary(m, &s);
	assert_ok(bt_metrics_find(&s, "qwk", &v, &err));
	return v;
}

/* The kappa of numbers as scores. */
TEST(scores)
{
	struct bt_scores scores = {.least = 1, .n = 3, .from = {2.5, 2.75}};
	struct bt_metrics m, part;
	struct bt_metrics_summary s;
	struct bt_error err = {0};
	double v;

	assert_true(bt_scores_of(&scores, -9) == 1);
	assert_true(bt_scores_of(&scores, 2.5) == 2);
	assert_true(bt_scores_of(&scores, 2.75) == 3);
	assert_true(bt_scores_of(&scores, INFINITY) == 3);
	assert_true(isnan(bt_scores_of(&scores, NAN)));

	assert_ok(bt_metrics_init(&m, &bt_metrics_regression, 1, &err));
	add_number(&m, 1, 2.4);
	add_number(&m, 2, 2.6);
	add_number(&m, 3, 9);
	assert_true(find_kappa(&m) == .5); /* of 2, 3, 3 */
	m.scores = &scores;
	assert_true(find_kappa(&m) == 1);
	/* of a part, the scores are those of the whole */
	m.scores = NULL;
	assert_ok(bt_metrics_init_like(&part, &m, &err));
	add_number(&part, 1, 1);
	add_number(&part, 2, 3);
	assert_true(fabs(find_kappa(&part) - 2. / 3) < 1e-12);
	bt_metrics_clear(&part);
	add_number(&m, 1, NAN);
	assert_true(isnan(find_kappa(&m)));
	/* labels that are no scores */
	bt_metrics_reset(&m);
	add_number(&m, 0, 1);
	add_number(&m, 255, 1);
	assert_true(find_kappa(&m) == 0);
	add_number(&m, 256, 1);
	bt_metrics_summary(&m, &s);
	assert_err(bt_metrics_find(&s, "qwk", &v, &err), BT_EARG,
	           "needs labels that are all whole numbers");
	bt_metrics_reset(&m);
	add_number(&m, 1.5, 1);
	bt_metrics_summary(&m, &s);
	assert_err(bt_metrics_find(&s, "qwk", &v, &err), BT_EARG,
	           "needs labels that are all whole numbers");
	bt_metrics_clear(&m);
}

/* What is kept has a limit; without it there are no ranks. */
TEST(limits)
{
	static const float logits[3] = {1, 0, 0};
	struct bt_metrics_summary s = {.kind = &bt_metrics_classification,
	                               .classes = 3};
	struct bt_metrics m;
	struct bt_error err = {0};
	double v;
	int i;

	assert_err(bt_metrics_find(&s, "top_3_accuracy", &v, &err), BT_EARG,
	           "needs more than 3 classes, and there are 3");
	assert_err(bt_metrics_find(&s, "mcrmse", &v, &err), BT_EARG,
	           "is not available for classification");
	assert_ok(bt_metrics_init(&m, &bt_metrics_classification, 3, &err));
	m.keep = 4 * 16;
	for (i = 0; i < 5; i++) {
		assert_ok(bt_metrics_add(&m, i % 3, NULL, logits, &err));
		assert_int_equal(m.keep, i < 4 ? 64 : 0);
		assert_true((m.kept != NULL) == (i < 4));
	}
	bt_metrics_summary(&m, &s);
	assert_err(bt_metrics_find(&s, "roc_auc", &v, &err), BT_EARG,
	           "needs the probabilities of all examples");
	assert_ok(bt_metrics_find(&s, "qwk", &v, &err));
	assert_ok(bt_metrics_find(&s, "f1_macro", &v, &err));
	assert_true(v == s.macro_f1);
	assert_ok(bt_metrics_find(&s, "acc", &v, &err));
	assert_true(v == s.accuracy);
	assert_err(bt_metrics_find(&s, "f1-micro", &v, &err), BT_EARG,
	           "is not available for classification");
	assert_err(bt_metrics_find(&s, "acuracy", &v, &err), BT_EARG,
	           "unknown metric 'acuracy'; did you mean 'accuracy'?");
	bt_metrics_clear(&m);
}

/* Three pairs whose texts are all embedded alike: other texts are as near as
 * the right one and come before it, the same text does not count. */
TEST(equal_embeddings)
{
	static const float row[2] = {3, 4};
	struct bt_metrics_summary s;
	struct bt_metrics m;
	struct bt_error err = {0};
	int same, i;

	assert_ok(bt_metrics_init(&m, &bt_metrics_embeddings, 2, &err));
	for (same = 0; same < 2; same++) {
		bt_metrics_reset(&m);
		for (i = 0; i < 6; i++) {
			m.text = (uint64_t)(same ? i % 2 : i);
			assert_ok(bt_metrics_add(&m, i % 2, NULL, row, &err));
		}
		bt_metrics_summary(&m, &s);
		assert_int_equal(m.n, 3);
		assert_true(s.accuracy == same);
		assert_true(fabs(s.mrr - (same ? 1 : 1. / 3)) < 1e-12);
		assert_true(fabs(s.ndcg_at_10 - (same ? 1 : .5)) < 1e-12);
		assert_true(fabs(s.loss - (same ? 0 : log(3))) < 1e-9);
	}
	bt_metrics_clear(&m);
}

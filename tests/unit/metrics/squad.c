/* SPDX-License-Identifier: MIT */
/* Scores of answers, against the scripts of SQuAD and MLQA. */
#include <math.h>
#include <string.h>

#include "metrics/metrics.h"
#include "metrics/squad_int.h"
#include "test.h"

/* Texts and their words, joined by |, as the scripts have them. */
static const struct {
	const char *language, *text, *words;
} texts[] = {
    {NULL, "The cat, a dog & an ape.", "cat|dog|ape"},
    {NULL, "an_the the-cat U.S. $5", "anthe|thecat|us|5"},
    {NULL, "\u0391\u03a3 \u03a3\u0391 \u0130x",
     "\u03b1\u03c2|\u03c3\u03b1|i\u0307x"},
    {NULL, "\u201ca\u201d \u2013the\u2013 the\u0301",
     "\u201c|\u201d|\u2013|\u2013|\u0301"},
    {NULL, "x\u00a0y\u3000z\x1cv\u200bw", "x|y|z|v\u200bw"},
    {NULL, "a an the ... ", ""},
    {NULL, "", ""},
    {NULL, "caf\xe9 \xff", "caf\ufffd|\ufffd"},
    {"en", "\u201cThe\u201d \u2013 cat\u3002", "cat"},
    {"de", "Der Hund, die Katze", "hund|katze"},
    {"es", "El perro y las gatas", "perro|y|gatas"},
    {"vi", "nh\u1eefng c\u00e1i b\u00e0n c\u1ee7a t\u00f4i",
     "b\u00e0n|t\u00f4i"},
    {"hi", "the \u0915\u093e\u0964", "the|\u0915\u093e"},
    {"ar", "\u0627\u0644\u0643\u062a\u0627\u0628 \u0648\u0627\u0644\u0642",
     "\u0643\u062a\u0627\u0628|\u0648|\u0642"},
    {"zh", "\u5317\u4eac the 2008\u5e74\u3002",
     "\u5317|\u4eac|the|2008|\u5e74"},
};

TEST(normalisation)
{
	struct bt_squad_words w = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i, k;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(
		    bt_squad_words_read(bt_squad_rules_named(texts[i].language),
		                        bt_span(texts[i].text), &w),
		    BT_OK);
		bt_buf_reset(&b);
		for (k = 0; k < w.n; k++) {
			bt_buf_puts(&b, k > 0 ? "|" : "");
			bt_buf_put(&b, w.word[k].p, w.word[k].n);
		}
		assert_string_equal(bt_buf_str(&b), texts[i].words);
	}
	bt_buf_clear(&b);
	bt_squad_words_clear(&w);
}

/* Questions with up to two references; NULL is none. */
struct question {
	const char *reference[2], *answer;
	double odds;
};

static const struct question some[] = {
    {{"Denver Broncos", "The Denver Broncos"}, "the Broncos!", -2},
    {{"Gold", "gold medal"}, "gold", 0.25},
    {{"The"}, "a", 0.25},
    {{NULL}, "Paris", 3},
    {{NULL}, "", 0.5},
    {{"1990"}, "", 4},
    {{NULL}, "the", -1},
};

static void add(struct bt_metrics *m, const struct question *q, bool odds,
                uint64_t order)
{
	struct bt_squad_answer a = {.text = bt_span(q->answer),
	                            .has_odds = odds,
	                            .odds = q->odds,
	                            .order = order};
	struct bt_span reference[2] = {bt_span(q->reference[0]),
	                               bt_span(q->reference[1])};
	struct bt_error err = {0};
	size_t n = 0;

	while (n < 2 && q->reference[n] != NULL)
		n++;
	assert_ok(bt_metrics_add_answer(m, reference, n, &a, &err));
}

static void is(const struct bt_metrics *m, const char *name, double want)
{
	struct bt_metrics_summary s;
	struct bt_error err = {0};
	double got;

	bt_metrics_summary(m, &s);
	assert_ok(bt_metrics_find(&s, name, &got, &err));
	if (isnan(want) ? !isnan(got) : !(fabs(got - want) < 1e-12))
		fail_msg("%s is %.17g, not %.17g", name, got, want);
}

static void start(struct bt_metrics *m)
{
	struct bt_labels none = {0};
	struct bt_error err = {0};

	assert_ok(bt_metrics_init(m, &bt_metrics_questions, 0, &err));
	assert_ok(bt_metrics_name_outputs(m, &none, &err));
}

TEST(version_1)
{
	struct question missing = {{"x"}, NULL, 0};
	struct bt_metrics m;
	size_t i;

	start(&m);
	add(&m, &some[0], false, 0);
	bt_metrics_reset(&m);
	for (i = 0; i < 3; i++)
		add(&m, &some[i], false, 0);
	/* answers without words are equal and share none */
	is(&m, "exact_match", 2. / 3);
	is(&m, "f1", (2. / 3 + 1) / 3);
	is(&m, "no_answer_f1", NAN);
	is(&m, "best_f1", NAN);
	add(&m, &missing, false, 0);
	is(&m, "exact_match", .5);
	is(&m, "f1", (2. / 3 + 1) / 4);
	bt_metrics_clear(&m);
}

TEST(version_2)
{
	static const struct {
		const char *name;
		double want;
	} wants[] = {
	    {"exact_match", 5. / 7},
	    {"f1", 17. / 21}, /* odds of 3 and 4 are above the threshold */
	    {"has_answer_exact_match", .5},
	    {"has_answer_f1", 2. / 3},
	    {"no_answer_exact_match", 1},
	    {"no_answer_f1", 1},
	    {"best_exact_match", 4. / 7},
	    {"best_f1", 2. / 3},
	    {"exact_match_average_precision", .25},
	    {"f1_average_precision", 4. / 9},
	    {"oracle_average_precision", 43. / 56},
	};
	struct bt_squad_sum sum;
	struct bt_metrics m;
	size_t i;

	start(&m);
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		add(&m, &some[i], true, i);
	for (i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		is(&m, wants[i].name, wants[i].want);
	assert_int_equal(bt_squad_sum_up(m.squad, &sum), BT_OK);
	assert_true(sum.exact.threshold == .25 && sum.f1.threshold == .25);
	bt_squad_threshold(m.squad, 9);
	is(&m, "exact_match", 4. / 7);
	bt_metrics_clear(&m);
}

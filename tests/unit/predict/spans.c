/* SPDX-License-Identifier: MIT */
/* The best answers of logits, against postprocess_qa_predictions of
 * transformers' run_qa. */
#include <math.h>
#include <string.h>

#include "predict/spans.h"
#include "test.h"

/* [CLS] ? [SEP] and words of one letter with blanks between, [SEP]. */
static const struct bt_token_place places[] = {
    {-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}, {0, 1, 1},
    {2, 3, 1},   {4, 5, 1},   {6, 7, 1},   {-1, -1, 0}};
#define TOKENS (sizeof(places) / sizeof(places[0]))
static const char context[] = "a \u00e9 \u4e2d d";

static const float first[] = {-1.5F, -.5F, .25F, 4,    2, 1,     3,  -2,
                              .75F,  3,    1,    3.5F, 5, -.25F, -1, 0};
static const float second[] = {.5F, -1, 0,    0, 0, 0, 1, 2,
                               3,   0,  .75F, 1, 2, 6, 0, 0};

static void start(struct bt_spans *s, size_t best, size_t longest,
                  double threshold)
{
	struct bt_spans_opts o = {
	    .best = best, .longest = longest, .threshold = threshold};
	struct bt_error err = {0};

	assert_ok(bt_spans_init(s, &o, &err));
	bt_spans_begin(s);
}

static void add(struct bt_spans *s, const float *logits)
{
	static const int32_t ids[TOKENS];
	struct bt_error err = {0};

	assert_ok(bt_spans_add(s, logits, ids, places, TOKENS, &err));
}

static void is(const struct bt_spans *s, size_t i, const char *text, double sum,
               double probability)
{
	const struct bt_spans_answer *a = &s->answer[i];

	assert_true(i < s->n);
	assert_true(bt_span_equal(a->text, bt_span(text)));
	if (fabs(a->sum - sum) > 1e-6 ||
	    fabs(a->probability - probability) > 1e-6)
		fail_msg("answer %zu is %.9g, %.9g, not %.9g, %.9g", i, a->sum,
		         a->probability, sum, probability);
}

TEST(two_windows)
{
	struct bt_error err = {0};
	struct bt_spans s;

	start(&s, 3, 3, 0);
	add(&s, first);
	add(&s, second);
	assert_ok(bt_spans_finish(&s, false, bt_span(context), &err));
	assert_int_equal(s.n, 3);
	is(&s, 0, "\u00e9 \u4e2d d", 9, 0.6896721);
	is(&s, 1, "d", 8, 0.2537162);
	is(&s, 2, "a \u00e9 \u4e2d", 6.5, 0.0566117);
	assert_int_equal(s.answer[0].start, 2);
	assert_int_equal(s.answer[0].end, 7);
	assert_true(s.predicted == &s.answer[0] && s.null_odds == 0);
	/* no answer is added behind the best ones */
	assert_ok(bt_spans_finish(&s, true, bt_span(context), &err));
	assert_int_equal(s.n, 4);
	is(&s, 0, "\u00e9 \u4e2d d", 9, 0.6896642);
	is(&s, 3, "", -2, 1.15186e-05);
	assert_true(s.predicted == &s.answer[0] && s.null_odds == -11);
	s.o.threshold = -20;
	assert_ok(bt_spans_finish(&s, true, bt_span(context), &err));
	assert_true(s.predicted == &s.answer[3]);
	bt_spans_clear(&s);
}

TEST(degenerate)
{
	static const float question[] = {0,  0,  9,  9,  0,  0,  -9, -9,
	                                 -9, -9, -9, -9, -9, -9, -9, -9};
	struct bt_error err = {0};
	struct bt_spans s;

	/* the best tokens are the question's */
	start(&s, 1, 30, 0);
	add(&s, question);
	assert_ok(bt_spans_finish(&s, false, bt_span(context), &err));
	assert_int_equal(s.n, 1);
	is(&s, 0, "empty", 0, 1);
	assert_ok(bt_spans_finish(&s, true, bt_span(context), &err));
	assert_int_equal(s.n, 2);
	is(&s, 0, "empty", 0, .5);
	is(&s, 1, "", 0, .5);
	assert_true(s.predicted == &s.answer[0] && s.null_odds == 0);
	bt_spans_clear(&s);
	/* a token beyond the context */
	start(&s, 20, 30, 0);
	add(&s, first);
	assert_err(bt_spans_finish(&s, false, bt_span("ab"), &err), BT_EFORMAT,
	           "of a context that has 2");
	bt_spans_clear(&s);
}

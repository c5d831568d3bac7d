/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* What records of questions have beside others, and what is refused. */
#include "files.h"

#include "record/record.h"

static const int64_t ids[] = {2, 7, 3, 9, 8, 3};
static const int64_t starts[] = {-1, -1, -1, 0, 4, -1};
static const int64_t ends[] = {-1, -1, -1, 3, 9, -1};
static const int64_t best[] = {0, 0, 0, 1, 1, 0};

/* A feature to leave out or to change. */
struct fault {
	const char *name;
	int64_t value; /* -2: left out; else of its first number */
	const char *says;
};

static void add(struct bt_example_writer *w, const char *name, const int64_t *v,
                size_t n, const struct fault *fault)
{
	int64_t copy[6];

	memcpy(copy, v, n * sizeof(*v));
	if (fault != NULL && strcmp(fault->name, name) == 0) {
		if (fault->value == -2)
			return;
		copy[0] = fault->value;
	}
	bt_example_add_int64s(w, name, copy, n);
}

static void text(struct bt_example_writer *w, const char *name, const char *s,
                 const struct fault *fault)
{
	if (fault == NULL || strcmp(fault->name, name) != 0)
		bt_example_add_text(w, name, s, strlen(s));
}

static struct bt_span token_record(struct bt_example_writer *w,
                                   const struct fault *fault)
{
	static const int64_t from = 3, to = 4, at = 4;

	bt_example_begin(w);
	add(w, "input_ids", ids, 6, fault);
	add(w, "token_starts", starts, 6, fault);
	add(w, "token_ends", ends, 6, fault);
	add(w, "max_context", best, 6, fault);
	add(w, "start_position", &from, 1, fault);
	add(w, "end_position", &to, 1, fault);
	text(w, "question", "who?", fault);
	text(w, "context", "the crowd", fault);
	text(w, "answers", "crowd", fault);
	add(w, "answer_starts", &at, 1, fault);
	return bt_example_finish(w);
}

TEST(reads_and_writes_tokens)
{
	struct bt_example_writer w = {BT_BUF_INIT}, again = {BT_BUF_INIT};
	struct bt_token_rec rec = {0}, back = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_span p = token_record(&w, NULL);
	size_t i;

	assert_int_equal(bt_token_rec_read(p.p, p.n, &rec, &err), BT_OK);
	assert_true(rec.has_places && rec.has_position);
	assert_true(bt_span_equal(rec.question.question, bt_span("who?")));
	rec.others = p;
	assert_int_equal(
	    bt_token_rec_write(&again, &rec, BT_LAYOUT_FULL, 9, &b), BT_OK);
	assert_int_equal(bt_token_rec_read(b.data, b.len, &back, &err), BT_OK);
	assert_int_equal(back.n, 6);
	for (i = 0; i < 6; i++) {
		assert_int_equal(back.place[i].start, starts[i]);
		assert_int_equal(back.place[i].end, ends[i]);
		assert_int_equal(back.place[i].max_context, best[i]);
	}
	assert_int_equal(back.start_position, 3);
	assert_int_equal(back.end_position, 4);
	assert_true(bt_span_equal(back.question.context, bt_span("the crowd")));
	assert_int_equal(bt_token_rec_fill(&back, 8), BT_OK);
	assert_int_equal(back.place[7].start, -1);
	bt_token_rec_clear(&rec);
	bt_token_rec_clear(&back);
	bt_example_clear(&w);
	bt_example_clear(&again);
	bt_buf_clear(&b);
}

TEST(refuses_tokens)
{
	static const struct fault faults[] = {
	    {"token_ends", -2, "has no feature 'token_ends'"},
	    {"max_context", -2, "has no feature 'max_context'"},
	    {"max_context", 2, "max_context holds 2 at position 0"},
	    {"token_starts", -3, "token_starts holds -3 at position 0"},
	    {"token_ends", 5, "token 0 ends before it starts"},
	    {"token_starts", 5, "token 0 ends before it starts"},
	    {"start_position", 6, "are not two of 6 tokens in order"},
	    {"end_position", 6, "are not two of 6 tokens in order"},
	    {"end_position", -2, "are not two of 6 tokens in order"},
	    {"context", -2, "has no feature 'context' beside 'question'"},
	    {"answer_starts", -2, "has 1 answers and 0 answer_starts"}};
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_token_rec rec = {0};
	struct bt_span p;
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct bt_error err = {0};

		p = token_record(&w, &faults[i]);
		assert_int_equal(bt_token_rec_read(p.p, p.n, &rec, &err),
		                 BT_EFORMAT);
		if (strstr(err.text, faults[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", err.text,
			         faults[i].says);
	}
	bt_token_rec_clear(&rec);
	bt_example_clear(&w);
}

TEST(reads_texts)
{
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_text_rec rec;
	struct bt_error err = {0};
	struct bt_span p;

	bt_example_begin(&w);
	text(&w, "question", "who?", NULL);
	text(&w, "context", "the crowd", NULL);
	bt_example_add_texts(&w, "answers", NULL, 0);
	p = bt_example_finish(&w);
	assert_int_equal(bt_text_rec_read(p.p, p.n, &rec, &err), BT_OK);
	assert_true(bt_span_equal(rec.question.context, bt_span("the crowd")));
	assert_non_null(rec.question.answers.name);
	assert_null(rec.text_a.p);

	/* beside a text, the names are the user's */
	bt_example_begin(&w);
	text(&w, "text_a", "a", NULL);
	bt_example_add_int64s(&w, "question", ids, 2);
	p = bt_example_finish(&w);
	assert_int_equal(bt_text_rec_read(p.p, p.n, &rec, &err), BT_OK);
	assert_null(rec.question.question.p);
	bt_example_clear(&w);
}

/* SPDX-License-Identifier: MIT */
/* The best answers as BERT's run_squad finds them, against a program of its own
 * (tests/fixtures/run-squad-answers.py). */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "predict/spans.h"
#include "tokenizer_file/tokenizer_file.h"

#define TOKENS 64

static void put_vocabulary(const json_t *line)
{
	FILE *f = fopen("vocab.txt", "wb");
	size_t i;
	json_t *v;

	assert_non_null(f);
	json_array_foreach(json_object_get(line, "vocab"), i, v)
	    fprintf(f, "%s\n", json_string_value(v));
	assert_int_equal(fclose(f), 0);
}

static double number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static double item(const json_t *o, const char *key, size_t i)
{
	return json_number_value(json_array_get(json_object_get(o, key), i));
}

static void add_window(struct bt_spans *s, const json_t *w)
{
	size_t n = json_array_size(json_object_get(w, "id")), i;
	struct bt_token_place place[TOKENS];
	struct bt_error err = {0};
	float logits[2 * TOKENS];
	int32_t ids[TOKENS];

	assert_in_range(n, 1, TOKENS);
	for (i = 0; i < n; i++) {
		ids[i] = (int32_t)item(w, "id", i);
		place[i].start = (int32_t)item(w, "at", i);
		place[i].end = place[i].start + (place[i].start >= 0);
		place[i].max_context = (int32_t)item(w, "max", i);
		logits[2 * i] = (float)item(w, "start", i);
		logits[2 * i + 1] = (float)item(w, "end", i);
	}
	assert_ok(bt_spans_add(s, logits, ids, place, n, &err));
}

static void is_text(struct bt_span got, const json_t *want, int line)
{
	if (!bt_span_equal(got, bt_span(json_string_value(want))))
		fail_msg("line %d: '%.*s' instead of '%s'", line, (int)got.n,
		         got.p, json_string_value(want));
}

static void is_number(double got, double want, double within, int line)
{
	if (!(fabs(got - want) <= within))
		fail_msg("line %d: %.17g instead of %.17g", line, got, want);
}

/* Where the answer stands: the same characters but for white space. */
static void check_place(const struct bt_spans_answer *a, const char *context,
                        int line)
{
	const char *p = context, *q = a->text.p, *end = q + a->text.n;
	int32_t i = 0;

	for (; i < a->start; p++)
		i += (p[1] & 0xc0) != 0x80;
	for (; i < a->end; p++) {
		if (q < end && *q == ' ')
			q++;
		if (q < end && *p == *q)
			q++;
		i += (p[1] & 0xc0) != 0x80;
	}
	if (q != end)
		fail_msg("line %d: '%.*s' is not at %ld", line, (int)a->text.n,
		         a->text.p, (long)a->start);
}

static void check_case(const json_t *o, const struct bt_tok *tok, int line)
{
	const char *context = json_string_value(json_object_get(o, "context"));
	const json_t *want = json_object_get(o, "want"), *w;
	const json_t *answers = json_object_get(want, "answers");
	bool v2 = json_is_true(json_object_get(o, "v2"));
	struct bt_spans_opts how = {.best = (size_t)number(o, "best"),
	                            .longest = (size_t)number(o, "longest"),
	                            .threshold = number(o, "threshold"),
	                            .google = tok};
	struct bt_error err = {0};
	struct bt_spans s;
	size_t i;

	assert_ok(bt_spans_init(&s, &how, &err));
	bt_spans_begin(&s);
	json_array_foreach(json_object_get(o, "windows"), i, w)
	    add_window(&s, w);
	/* once the other way, which must not show */
	assert_ok(bt_spans_finish(&s, !v2, bt_span(context), &err));
	assert_ok(bt_spans_finish(&s, v2, bt_span(context), &err));
	if (s.n != json_array_size(answers))
		fail_msg("line %d: %zu answers instead of %zu", line, s.n,
		         json_array_size(answers));
	json_array_foreach(answers, i, w)
	{
		is_text(s.answer[i].text, json_object_get(w, "text"), line);
		is_number((double)s.answer[i].start_logit,
		          number(w, "start_logit"), 0, line);
		is_number((double)s.answer[i].end_logit, number(w, "end_logit"),
		          0, line);
		is_number(s.answer[i].probability, number(w, "probability"),
		          1e-14, line);
		if (s.answer[i].start >= 0)
			check_place(&s.answer[i], context, line);
	}
	is_text(s.predicted->text, json_object_get(want, "predicted"), line);
	is_number(s.null_odds, v2 ? number(want, "null_odds") : 0, 0, line);
	bt_spans_clear(&s);
}

TEST(cases)
{
	char path[4096];
	struct bt_tok_opts opts = {.dialect = BT_TOK_GARDEN};
	struct bt_error err = {0};
	struct bt_tok *tok[2];
	char *data, *line, *next;
	size_t n;
	json_t *o;
	int i;

	snprintf(path, sizeof(path), "%s/tests/data/run-squad-answers.jsonl",
	         getenv("TEST_TOP"));
	data = file_get(path, &n);
	for (i = 1, line = data; *line != '\0'; line = next, i++) {
		next = strchr(line, '\n');
		assert_non_null(next);
		o = json_loadb(line, (size_t)(next++ - line), 0, NULL);
		assert_non_null(o);
		if (i > 1) {
			check_case(
			    o, tok[json_is_true(json_object_get(o, "lower"))],
			    i);
			json_decref(o);
			continue;
		}
		put_vocabulary(o);
		json_decref(o);
		for (opts.lower = 0; opts.lower < 2; opts.lower++)
			assert_ok(bt_tok_open("vocab.txt", &opts,
			                      &tok[opts.lower], &err));
	}
	assert_true(i > 20);
	bt_tok_free(tok[0]);
	bt_tok_free(tok[1]);
	free(data);
}

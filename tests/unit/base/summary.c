/* SPDX-License-Identifier: MIT */
/* Valid JSON whatever the texts hold and wherever a run ended. */
/* Not under thread: starts no threads */
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/summary.h"

static json_t *read_back(struct bt_summary *s, const struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	json_t *o;

	bt_summary_print(s, "tool", 1, 0.5, err, &b);
	assert_false(b.oom);
	assert_int_equal(b.data[b.len - 1], '\n');
	assert_null(memchr(b.data, '\n', b.len - 1));
	o = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(o);
	bt_buf_clear(&b);
	bt_buf_clear(&s->facts);
	bt_buf_clear(&s->warnings);
	return o;
}

TEST(facts_nest)
{
	const struct bt_error none = {0};
	struct bt_summary s = {0};
	json_t *o, *in;

	bt_summary_count(&s, "most", UINT64_MAX >> 1);
	bt_summary_open(&s, "none");
	bt_summary_close(&s);
	bt_summary_open(&s, "outer");
	bt_summary_real(&s, "third", 1.0 / 3);
	bt_summary_real(&s, "nan", NAN);
	bt_summary_real(&s, "inf", -INFINITY);
	bt_summary_open(&s, "inner"); /* in which the run ended */
	bt_summary_text(&s, "text", "x");
	o = read_back(&s, &none);
	assert_int_equal(json_integer_value(json_object_get(o, "most")),
	                 INT64_MAX);
	assert_int_equal(json_object_size(json_object_get(o, "none")), 0);
	in = json_object_get(o, "outer");
	assert_true(json_real_value(json_object_get(in, "third")) == 1.0 / 3);
	assert_true(json_is_null(json_object_get(in, "nan")));
	assert_true(json_is_null(json_object_get(in, "inf")));
	in = json_object_get(in, "inner");
	assert_string_equal(json_string_value(json_object_get(in, "text")),
	                    "x");
	assert_int_equal(json_array_size(json_object_get(o, "warnings")), 0);
	assert_null(json_object_get(o, "error"));
	json_decref(o);
}

TEST(any_bytes_are_text)
{
	static const struct {
		const char *in, *out;
	} t[] = {
	    {"", ""},
	    {"a \"b\" \\c", "a \"b\" \\c"},
	    {"\x01\t\n\x7f", "\x01\t\n\x7f"},
	    {"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	     "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
	    /* not UTF-8: lone, cut, overlong, a surrogate, too large */
	    {"\x80 \xff", "\xef\xbf\xbd \xef\xbf\xbd"},
	    {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
	    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
	    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	    {"\xf4\x90\x80\x80",
	     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	    {"\xe2\x80\xae", "\xe2\x80\xae"},
	};
	const struct bt_error none = {0};
	struct bt_summary s = {0};
	size_t i;
	json_t *o;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		bt_summary_text(&s, "t", t[i].in);
		o = read_back(&s, &none);
		assert_string_equal(json_string_value(json_object_get(o, "t")),
		                    t[i].out);
		json_decref(o);
	}
}

TEST(warnings_are_collected)
{
	struct bt_error err = {0};
	struct bt_summary s = {0};
	struct bt_log log = {.summary = &s}; /* which prints nothing */
	json_t *o, *w;

	assert_true(bt_log_is_heard(&log, BT_LOG_WARN));
	assert_false(bt_log_is_heard(&log, BT_LOG_NOTE));
	bt_log(&log, BT_LOG_NOTE, "a note");
	bt_log_warn(&log, "first", BT_HINT_NONE, "%d \"rows\"\033", 2);
	bt_log_warn(&log, "second", BT_HINT_TABLE_STRIP, "blanks");
	bt_error_hint(&err, BT_HINT_FORCE,
	              bt_error_set(&err, BT_EFORMAT, "no"));
	o = read_back(&s, &err);
	w = json_object_get(o, "warnings");
	assert_int_equal(json_array_size(w), 2);
	assert_string_equal(
	    json_string_value(json_object_get(json_array_get(w, 0), "message")),
	    "2 \"rows\"?");
	assert_null(json_object_get(json_array_get(w, 0), "hint"));
	assert_string_equal(
	    json_string_value(json_object_get(json_array_get(w, 1), "code")),
	    "second");
	assert_string_equal(
	    json_string_value(json_object_get(json_array_get(w, 1), "hint")),
	    bt_hint_words(BT_HINT_TABLE_STRIP));
	w = json_object_get(o, "error");
	assert_string_equal(json_string_value(json_object_get(w, "code")),
	                    "format");
	assert_string_equal(json_string_value(json_object_get(w, "hint")),
	                    bt_hint_words(BT_HINT_FORCE));
	json_decref(o);
}

TEST(errors_have_places)
{
	static const struct {
		int code;
		const char *text, *file;
		uint64_t record, line;
	} t[] = {
	    {BT_EIO, "cannot open 'a b.csv': No such file", "a b.csv", 0, 0},
	    {BT_EIO, "cannot create a file in 'tmp': x", "tmp", 0, 0},
	    {BT_EFORMAT, "cannot read 'x': record 3 (line 4): no 'record 9'",
	     "x", 3, 4},
	    {BT_EFORMAT, "cannot read standard input: line 7: x", "", 0, 7},
	    {BT_EFORMAT, "rank 2: fold 1: cannot read 'x': record 5: y", "x", 5,
	     0},
	    {BT_EFORMAT, "rank 'x': y", "", 0, 0},
	    {BT_EFORMAT, "'m/config.json': 'hidden' is missing",
	     "m/config.json", 0, 0},
	    {BT_EARG, "'m/config.json': 'hidden' is missing", "m/config.json",
	     0, 0},
	    {BT_EFORMAT, "'x.rec' holds no record", "x.rec", 0, 0},
	    {BT_EARG, "'foo' is not a metric", "", 0, 0},
	    {BT_EFORMAT, "label 'x' of record 3 is new", "", 0, 0},
	    {BT_EFORMAT, "record 12 lacks the feature 'x'", "", 12, 0},
	    {BT_EIO, "cannot open 'it's a': No", "it's a", 0, 0},
	    {BT_EIO, "cannot open 'cut", "", 0, 0},
	    {BT_EFORMAT,
	     "cannot find column 'a' in 'x.csv'; its columns are 'b'", "x.csv",
	     0, 0},
	    {BT_EIO, "cannot read 'x': record 99999999999999999999: y", "x", 0,
	     0},
	    {BT_EIO, "cannot", "", 0, 0},
	    {BT_EIO, "'", "", 0, 0},
	    {BT_EIO, "", "", 0, 0},
	};
	struct bt_error_place p;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		bt_error_place(t[i].code, t[i].text, &p);
		assert_string_equal(p.file, t[i].file);
		assert_int_equal(p.record, t[i].record);
		assert_int_equal(p.line, t[i].line);
	}
}

TEST(nobody_asked)
{
	bt_summary_count(NULL, "n", 1);
	bt_summary_real(NULL, "x", 1);
	bt_summary_text(NULL, "t", "");
	bt_summary_open(NULL, "o");
	bt_summary_close(NULL);
	bt_summary_warn(NULL, "c", "", BT_HINT_NONE);
	assert_null(bt_log_summary(NULL));
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Regular expressions of tokenizers: Oniguruma's as PCRE2 takes them. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "io/out.h"
#include "tokenizer/regex.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

static struct bt_error err;

static void reads(const char *pattern, const char *wanted)
{
	struct bt_buf b = BT_BUF_INIT;

	assert_ok(bt_regex_read(bt_span(pattern), &b, &err));
	bt_buf_putc(&b, '\0');
	assert_string_equal(b.data, wanted);
	bt_buf_clear(&b);
}

static void refuses(const char *pattern, const char *words)
{
	struct bt_buf b = BT_BUF_INIT;

	assert_err(bt_regex_read(bt_span(pattern), &b, &err), BT_EFORMAT,
	           words);
	bt_buf_clear(&b);
}

TEST(written_another_way)
{
	reads("a(?:b|c)*?[^d-f]{2,3}\\.\\n$", "a(?:b|c)*?[^d-f]{2,3}\\.\\n$");
	reads("\\h\\H", "[0-9A-Fa-f][^0-9A-Fa-f]");
	reads("[\\s\\d]", "[\\t-\\r\\x{85}\\p{Z}\\p{Nd}]");
	reads("\\p{L}\\P{N}\\p{^Lu}", "\\p{L}\\P{N}\\P{Lu}");
	reads("\\p{Han}[\\p{Greek}]", "\\p{sc:Han}[\\p{sc:Greek}]");
	reads("[[:alpha:]x]", "[\\p{Alphabetic}x]");
	reads("[^[:blank:]]", "[^\\t\\p{Zs}]");
	reads("[a[bc]d]", "[abcd]");
	reads("(?m:.)b", "(?s:.)b");
	reads("(?i)a", "(?i)a");
	reads("(?i:'s|'T|[st]|[e-i]s.t)ss", "(?i:'s|'T|[st]|[e-i]s.t)ss");
	reads("(?i-m)[\xd0\xb0-\xd1\x8f]", "(?i-s)[\xd0\xb0-\xd1\x8f]");
	reads("x{,3}y{z", "x{0,3}y\\{z");
	reads("(ab){2,3}+c{2}?", "(?:(ab){2,3})+(?:c{2})?");
	reads("\\u00e9\\x41\\v", "\\x{00e9}\\x{41}\\x{b}");
	reads("(?<n>a)(?<=b)(?<!c)", "(?<n>a)(?<=b)(?<!c)");
}

TEST(has_no_like)
{
	refuses("a(b", "a '(' without its ')' at byte 3");
	refuses("a)b", "a ')' without its '(' at byte 1");
	refuses("[a", "a class without its end at byte 2");
	refuses("[a&&b]", "an intersection at byte 2");
	refuses("[a[^b]]", "such a class in another");
	refuses("[\\S]", "such a class in another");
	refuses("a(?i)b", "flags");
	refuses("x(?i:a|sS)", "what is several characters in another case");
	refuses("(?i)[^\xc3\x80-\xc3\xbf]", "what is several characters");
	refuses("(?i)e\xc3\x9f", "what is several characters in another");
	refuses("(?x)b", "flags");
	refuses("(*FAIL)", "a verb");
	refuses("\\K", "an escape");
	refuses("\\", "a backslash at its end");
	refuses("\\p{L", "a property without '}'");
	refuses("\\xff", "a byte that is not a character");
	refuses("\\u12", "a code without its digits");
	refuses("[]a]", "an empty class");
}

/* The matches of a pattern in a text, as "start-end ". */
static void finds(const char *pattern, const char *text, const char *wanted)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_regex_iter it;
	struct bt_regex *re;
	size_t start, end;
	int r;

	assert_ok(bt_regex_new(bt_span(pattern), &re, &err));
	assert_ok(bt_regex_begin(&it, re, (const uint8_t *)text, strlen(text)));
	while ((r = bt_regex_next(&it, &start, &end)) == 1)
		bt_buf_printf(&b, "%zu-%zu ", start, end);
	assert_int_equal(r, 0);
	bt_buf_putc(&b, '\0');
	assert_string_equal(b.data, wanted);
	bt_buf_clear(&b);
	bt_regex_end(&it);
	bt_regex_free(re);
}

static bool is_there(void)
{
	struct bt_regex *re = NULL;
	struct bt_error e = {0};
	int r = bt_regex_new(bt_span("a"), &re, &e);

	bt_regex_free(re);
	if (r != BT_OK)
		assert_non_null(strstr(e.text, "needs the library PCRE2"));
	return r == BT_OK;
}

TEST(matches)
{
	if (!is_there())
		skip();
	finds("b+", "abbab", "1-3 4-5 ");
	finds("x*", "axb", "0-0 1-2 3-3 ");
	finds("(?=b)", "abb", "1-1 2-2 ");
	finds("^.", "a\nb", "0-1 2-3 ");
	finds("\\p{L}+|\\s", "\xc3\xa9 \xe2\x80\xa8x", "0-2 2-3 3-6 6-7 ");
	finds("(?i:'S)", "'\xc5\xbf's", "0-3 3-5 ");
	finds("\\bx", "x \xc3\xa9x", "0-1 ");
	/* a half is in \w, but not where that is in a class */
	finds("\\w+|[^\\w\\s]+", "%\xc2\xbd a\xc2\xbd", "0-3 4-7 ");
	finds("[[:word:]]|\\p{Word}",
	      "\xc2\xbd"
	      "a",
	      "0-2 2-3 ");
}

/* An expression that tries everything ends with an error, not never. */
TEST(hostile_patterns)
{
	static const char json[] =
	    "{\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Isolated\","
	    "\"invert\":false,\"pattern\":{\"Regex\":\"(a|aa|a?)+$\"}},\"model\":{\"type\":"
	    "\"BPE\",\"vocab\":{\"[CLS]\":0,\"[SEP]\":1,\"[PAD]\":2,\"a\":3,\"c\":4},"
	    "\"merges\":[]}}";
	char text[101];
	struct bt_span a = {text, 100}, none = {NULL, 0};
	struct bt_tok_encode_opts how = {0};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	struct bt_tok *t;
	int k;

	if (!is_there())
		skip();
	memset(text, 'a', sizeof(text));
	text[99] = 'c';
	assert_ok(bt_out_whole("t.json", json, strlen(json), &err));
	assert_ok(bt_tok_open("t.json", NULL, &t, &err));
	assert_ok(bt_tok_scratch_new(t, &s, &err));
	for (k = 0; k < 2; k++) {
		assert_err(bt_tok_encode(t, s, a, none, &how, &e, &err),
		           BT_ELIMIT, "regular expression of the tokenizer");
		a.n = 3; /* the scratch is as good as before */
		assert_ok(bt_tok_encode(t, s, a, none, &how, &e, &err));
		assert_int_equal(e.n, 3);
		a.n = 100;
	}
	bt_tok_scratch_free(s);
	bt_tok_free(t);
}

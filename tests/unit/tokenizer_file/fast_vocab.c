/* SPDX-License-Identifier: MIT */
/* The fast reader of tokenizer.json's large parts: it takes what is plain, and
 * no file means or is refused as anything else than by jansson alone. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "files.h"
#include "format/json.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/fast_vocab_int.h"
#include "tokenizer_file/json_score_int.h"
#include "tokenizer_file/tokenizer_file.h"

#define IDS                                                                    \
	"\"[UNK]\": 0, \"[CLS]\": 1, \"[SEP]\": 2, \"[PAD]\": 3, "             \
	"\"[MASK]\": 4"
#define WORDPIECE(entries)                                                     \
	"{\"normalizer\": {\"type\": \"BertNormalizer\", "                     \
	"\"clean_text\": true, \"handle_chinese_chars\": true, "               \
	"\"lowercase\": true}, "                                               \
	"\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "                \
	"\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", "      \
	"\"continuing_subword_prefix\": \"##\", "                              \
	"\"max_input_chars_per_word\": 100, \"vocab\": {" IDS entries "}}}"
#define BPE(entries, merges)                                                   \
	"{\"pre_tokenizer\": {\"type\": \"Whitespace\"}, "                     \
	"\"model\": {\"type\": \"BPE\", \"vocab\": {" IDS ", \"a\": 5, "       \
	"\"b\": 6, \"ab\": 7" entries "}, \"merges\": " merges "}}"
#define UNIGRAM(entries)                                                       \
	"{\"pre_tokenizer\": {\"type\": \"Whitespace\"}, "                     \
	"\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": "        \
	"[[\"[UNK]\", 0], [\"[CLS]\", 0.0], [\"[SEP]\", -0], [\"[PAD]\", "     \
	"-0.0]" entries "]}}"

#define SAID 600

static struct bt_error err;

/* Of each: whether the fast reader takes it. */
static const struct {
	const char *text;
	bool taken;
} files[] = {
    {WORDPIECE(", \"a\": 5, \"##b\": 6"), true},
    {WORDPIECE(", \"\\u00e9\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\": 5"),
     true},
    {WORDPIECE(", \"x\\u0020y\": 5, \"x\\u00e9y\": 6"), true},
    {WORDPIECE(", \"a\": 70"), true},                   /* a gap */
    {WORDPIECE(", \"\": 5, \"a\": 6"), true},           /* no text */
    {WORDPIECE(" \t\r\n, \"a\" \n:\t5\r"), true},       /* blanks */
    {WORDPIECE(", \"a\": 5}, \"unk_token\": {"), true}, /* refused later */
    {WORDPIECE(", \"a\": 111"), true},
    {WORDPIECE(", \"a\": 112"), false}, /* too large a gap */
    {WORDPIECE(", \"a\": 16777215"), false},
    {WORDPIECE(", \"a\": 16777216"), false},
    {WORDPIECE(", \"a\": 99999999999999999999"), false},
    {WORDPIECE(", \"a\": -1"), false},
    {WORDPIECE(", \"a\": -0"), false},
    {WORDPIECE(", \"a\": 05"), false},
    {WORDPIECE(", \"a\": 5.0"), false},
    {WORDPIECE(", \"a\": 5e0"), false},
    {WORDPIECE(", \"a\": \"5\""), false},
    {WORDPIECE(", \"a\": null"), false},
    {WORDPIECE(", \"a\": 5, \"b\": 5"), false},       /* an id twice */
    {WORDPIECE(", \"a\": 5, \"a\": 6"), false},       /* a token twice */
    {WORDPIECE(", \"a\": 5, \"\\u0061\": 6"), false}, /* the same */
    {WORDPIECE(", \"\\ud83d\": 5"), false},           /* half a pair */
    {WORDPIECE(", \"\\ude00\": 5"), false},
    {WORDPIECE(", \"\\ud83d\\ud83d\": 5"), false},
    {WORDPIECE(", \"\\x\": 5"), false},
    {WORDPIECE(", \"\\u12g4\": 5"), false},
    {WORDPIECE(", \"\\u12"), false},
    {WORDPIECE(", \"\x01\": 5"), false},
    {WORDPIECE(", \"\n\": 5"), false},
    {WORDPIECE(", \"\xc0\x80\": 5"), false},
    {WORDPIECE(", \"\xed\xa0\x80\": 5"), false},
    {WORDPIECE(", \"\xff\": 5"), false},
    {WORDPIECE(", \"a\": 5,"), false},
    {WORDPIECE(",, \"a\": 5"), false},
    {WORDPIECE(", \"a\" 5"), false},
    {WORDPIECE(", a: 5"), false},
    {WORDPIECE(", \"a\": 5]"), false},
    {WORDPIECE(", \"a\": [5]"), false},
    {WORDPIECE(", \"a"), false},
    {WORDPIECE(", \"a\\"), false},
    /* members that stand twice, or in disguise: the last one counts */
    {WORDPIECE("}, \"vocab\": {" IDS ", \"a\": 5"), false},
    {WORDPIECE("}, \"voc\\u0061b\": {" IDS ", \"a\": 5"), false},
    {WORDPIECE("}}, \"model\": {\"vocab\": {" IDS ", \"a\": 5"), false},
    {WORDPIECE("}}, \"mod\\u0065l\": {\"vocab\": {" IDS ", \"a\": 5"), false},
    {WORDPIECE("}}, \"mod\\u0065l\": {\"vocab\": {"), false},
    /* what is around it is no JSON, or says something else */
    {WORDPIECE(", \"a\": 5") "x", false},
    {WORDPIECE(", \"a\": 5") "{}", false},
    {WORDPIECE(", \"a\": 5}}, \"b\": tru, \"c\": {\"d\": {"), false},
    {WORDPIECE(", \"a\": 5}}, \"b\": [1}, \"c\": {\"d\": {"), false},
    {WORDPIECE(", \"a\": 5}}, \"b\": \"\x02\", \"c\": {\"d\": {"), false},
    {WORDPIECE(", \"a\": 5}}, \"b\": 1 2, \"c\": {\"d\": {"), false},
    {WORDPIECE(", \"a\": 5}}, \"b\": 1e999, \"c\": {\"d\": {"), false},
    {WORDPIECE(", \"a\": 5}}, \"b\": \"\\\"}]\", \"c\": {\"d\": {"), true},
    {WORDPIECE(", \"a\": 5}}, \"b\": 1000000000000000000000, \"c\": {\"d\": {"),
     true},
    {WORDPIECE(", \"a\": 5}, \"vocabulary\": {"), true},
    {"{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"merges\": []}}", false},
    {"{\"model\": {\"type\": \"Unigram\", \"vocab\": []}}", false},
    {"{\"model\": {\"type\": \"Unigram\", \"vocab\": {\"a\": 0}}}", true},
    {"{\"model\": {\"type\": \"WordPiece\", \"vocab\": [[\"a\", 0]]}}", true},
    {"{\"model\": {\"vocab\": 1}}", false},
    {"{\"model\": 1}", false},
    {"{\"model\": {}}", false},
    {"[{\"model\": {}}]", false},
    {"{", false},
    {"", false},
    {BPE("", "[\"a b\"]"), true},
    {BPE("", "[[\"a\", \"b\"]]"), true},
    {BPE("", "[ [ \"a\" , \"b\" ] , \"a b\" ]"), true},
    {BPE("", "[]"), true},
    {BPE("", "[\"#version: 0.2\", \"\\u0061 b\"]"), true},
    {BPE("", "[\"a c\"]"), true}, /* refused later */
    {BPE("", "[\"ab\"]"), false},
    {BPE("", "[\"a b b\"]"), false},
    {BPE("", "[[\"a\"]]"), false},
    {BPE("", "[[\"a\", \"b\", \"ab\"]]"), false},
    {BPE("", "[[\"a\", 1]]"), false},
    {BPE("", "[1]"), false},
    {BPE("", "{\"a\": \"b\"}"), false},
    {BPE("", "null"), false},
    {BPE("", "[\"a b\",]"), false},
    {BPE("", "[\"a b\"], \"merges\": []"), false},
    {BPE("", "[\"a b\"], \"m\\u0065rges\": []"), false},
    {BPE(", \"c\": 7", "[\"a b\"]"), false},
    {UNIGRAM(", [\"a\", -1.5], [\"b\", -2]"), true},
    {UNIGRAM(", [\"a\", -3.9299705028533936]"), true},
    {UNIGRAM(", [\"a\", 123456789012345678901234567890.5]"), true},
    {UNIGRAM(", [\"a\", -0.12345678901234567890123456789]"), true},
    {UNIGRAM(", [\"a\", 1e-5], [\"b\", -2E+3], [\"c\", 0e0]"), true},
    {UNIGRAM(", [\"a\", 18446744073709551616]"), true},
    {UNIGRAM(", [\"a\", 12345678901234567890123456789012345678901]"), true},
    {UNIGRAM(", [\"a\", 1e999]"), false},
    {UNIGRAM(", [\"a\", 01]"), false},
    {UNIGRAM(", [\"a\", 1.]"), false},
    {UNIGRAM(", [\"a\", .5]"), false},
    {UNIGRAM(", [\"a\", +1]"), false},
    {UNIGRAM(", [\"a\", -]"), false},
    {UNIGRAM(", [\"a\", 1e]"), false},
    {UNIGRAM(", [\"a\", NaN]"), false},
    {UNIGRAM(", [\"a\"]"), false},
    {UNIGRAM(", [\"a\", 1, 2]"), false},
    {UNIGRAM(", [1, \"a\"]"), false},
    {UNIGRAM(", [\"a\", 1], [\"a\", 2]"), true}, /* refused later */
    {UNIGRAM(", [\"\", 1]"), true},
    {UNIGRAM(", [\"\\u0000\", 1], [\"a\\u0000\", 1]"), true},
    {UNIGRAM(","), false},
};

#define FILES (sizeof(files) / sizeof(files[0]))

/* Opens a file; says what came of it. */
static void open_text(const char *text, size_t n, char said[SAID])
{
	struct bt_error why = {0};
	struct bt_tok *t = NULL;

	file_put("bulk.json", text, n);
	if (bt_tok_open("bulk.json", NULL, &t, &why) == BT_OK)
		snprintf(said, SAID, "%s %zu", bt_tok_fingerprint(t),
		         bt_tok_size(t));
	else
		snprintf(said, SAID, "%d %s", why.code, why.text);
	bt_tok_free(t);
}

/* A file with a member more, whose name has an escape, is left to jansson. */
TEST(same_as_jansson)
{
	char fast[SAID], slow[SAID];
	size_t i, k, n, opened = 0;
	const char *s, *end;
	struct bt_buf b;

	for (i = 0; i < FILES; i++) {
		s = files[i].text;
		n = strlen(s);
		open_text(s, n, fast);
		opened += fast[0] != '-';
		end = n > 0 ? strrchr(s, '}') : NULL;
		if (end == NULL)
			continue;
		b = (struct bt_buf)BT_BUF_INIT;
		k = (size_t)(end - s);
		bt_buf_put(&b, s, k);
		bt_buf_puts(&b, ", \"\\u0070adding\": null");
		bt_buf_put(&b, s + k, n - k);
		assert_false(b.oom);
		open_text(b.data, b.len, slow);
		bt_buf_clear(&b);
		/* the place of what is no JSON moves: see cut_anywhere */
		n = strstr(slow, "is not valid JSON") != NULL ? 2 : SAID;
		if (strncmp(fast, slow, n) != 0)
			fail_msg("%s\n%s\n%s", s, fast, slow);
	}
	assert_true(opened > 20);
}

/* Names with a NUL, which jansson cannot hold. */
TEST(takes_nul)
{
	static const char plain[] = WORDPIECE(", \"\\u0000\": 5, \"a\": 6");
	static const char twice[] = WORDPIECE(", \"\\u0000\": 5, \"a\": 5");
	struct bt_tok *t;
	char said[SAID];

	file_put("bulk.json", plain, sizeof(plain) - 1);
	assert_ok(bt_tok_open("bulk.json", NULL, &t, &err));
	assert_int_equal(bt_tok_id(t, (struct bt_span){"", 1}), 5);
	assert_int_equal(bt_tok_id(t, (struct bt_span){"", 0}), -1);
	bt_tok_free(t);
	open_text(twice, sizeof(twice) - 1, said);
	if (strstr(said, "'bulk.json' has \\u0000 in a string, in line 1") ==
	    NULL)
		fail_msg("%s", said);
}

TEST(takes_what_is_plain)
{
	struct bt_fast_vocab b;
	json_t *rest;
	size_t i;
	int r;

	for (i = 0; i < FILES; i++) {
		file_put("bulk.json", files[i].text, strlen(files[i].text));
		r = bt_fast_vocab_read("bulk.json", &b, &rest, NULL);
		if ((b.kind != BT_FAST_VOCAB_NONE) != files[i].taken)
			fail_msg("taken: %d: %s", b.kind != BT_FAST_VOCAB_NONE,
			         files[i].text);
		assert_true(r == BT_OK || b.kind == BT_FAST_VOCAB_NONE);
		if (r == BT_OK)
			json_decref(rest);
		bt_fast_vocab_clear(&b);
	}
}

/* Every prefix of a file is refused as jansson refuses it. */
TEST(cut_anywhere)
{
	static const char *const whole[] = {
	    WORDPIECE(", \"\\u00e9\": 5"), BPE("", "[\"a b\", [\"a\", \"b\"]]"),
	    UNIGRAM(", [\"a\", -1.5e1]")};
	struct bt_error mine, theirs;
	struct bt_fast_vocab b;
	json_t *rest;
	size_t i, n;

	for (i = 0; i < 3; i++) {
		for (n = 0; n < strlen(whole[i]); n++) {
			mine.code = theirs.code = 0;
			file_put("bulk.json", whole[i], n);
			assert_int_equal(
			    bt_fast_vocab_read("bulk.json", &b, &rest, &mine),
			    BT_EFORMAT);
			assert_int_equal(
			    bt_json_load("bulk.json", &rest, &theirs),
			    BT_EFORMAT);
			assert_string_equal(mine.text, theirs.text);
		}
	}
}

TEST(vocab_json)
{
	static const char *const plain[] = {"{\"a\": 0, \"b\": 1}",
	                                    " {\"\\u0061\":1,\"b\":0} \n"};
	static const char *const odd[] = {"{\"a\": 0, \"a\": 1}", "{}",
	                                  "{\"a\": 0.5}"};
	static const char *const bad[] = {"{\"a\": 0", "{\"a\": 0}x", "[]", ""};
	struct bt_fast_vocab b;
	json_t *rest;
	size_t i;

	for (i = 0; i < 2; i++) {
		file_put("bulk.json", plain[i], strlen(plain[i]));
		assert_ok(
		    bt_fast_vocab_read_vocab("bulk.json", &b, &rest, &err));
		assert_null(rest);
		assert_int_equal(b.kind, BT_FAST_VOCAB_IDS);
		assert_int_equal(bt_vocab_find(&b.vocab, bt_span("a")), i);
		assert_int_equal(bt_vocab_find(&b.vocab, bt_span("b")), 1 - i);
		bt_fast_vocab_clear(&b);
	}
	for (i = 0; i < 3; i++) {
		file_put("bulk.json", odd[i], strlen(odd[i]));
		assert_ok(
		    bt_fast_vocab_read_vocab("bulk.json", &b, &rest, &err));
		assert_true(json_is_object(rest));
		assert_int_equal(b.kind, BT_FAST_VOCAB_NONE);
		json_decref(rest);
		bt_fast_vocab_clear(&b);
	}
	for (i = 0; i < 4; i++) {
		file_put("bulk.json", bad[i], strlen(bad[i]));
		assert_err(
		    bt_fast_vocab_read_vocab("bulk.json", &b, &rest, &err),
		    BT_EFORMAT, "bulk.json");
	}
}

/* The bits are those of what the package `tokenizers` writes after reading. */
TEST(scores)
{
	static const struct {
		const char *text;
		uint64_t bits;
	} number[] = {{"-9.615687370300293", 0xc0233b3b5fffffff},
	              {"-10.740143775939941", 0xc0257af41fffffff},
	              {"-16.806962966918945", 0xc030ce9520000000},
	              {"2.7753483679780633", 0x400633e9d85bc834},
	              {"201086121638927679800.5736", 0x4425cd42d4761a8c},
	              {"759329574455.988230e212", 0x6e6a4213b82c1f70},
	              {"-0.00000000862132511034525", 0xbe42839fa46f646e},
	              {"5.700092953578994e-40", 0x37c8d3d0e73acdc2},
	              {"2.255783050316152E-300", 0x01b82bc0ba54473e},
	              {"5.69350876376812678E-330", 0}};
	static const char *const bad[] = {"",    "-",  ".5", "1.",    "1e",
	                                  "1e+", "01", "+1", "1e309", "x"};
	const char *p;
	uint64_t bits;
	double v;
	size_t i;

	for (i = 0; i < sizeof(number) / sizeof(*number); i++) {
		p = number[i].text;
		assert_true(bt_json_score_read(&p, &v) && *p == '\0');
		memcpy(&bits, &v, sizeof(v));
		if (bits != number[i].bits)
			fail_msg("%s: %016llx", number[i].text,
			         (unsigned long long)bits);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		p = bad[i];
		assert_false(bt_json_score_read(&p, &v));
	}
	assert_true(bt_json_score_reread(-2.5) == -2.5);
	assert_true(bt_json_score_reread(-9.615687370300293) ==
	            -9.615687370300291);
}

/* 11 1 and 1 11 have the same sum, but for how the scores were read; so it is
 * read fast and by jansson. */
TEST(last_bit_decides)
{
	static const char file[] =
	    UNIGRAM(", [\"21\", -9.615687370300293], [\"11\", "
	            "-10.740143775939941], [\"1\", -8.235154151916504]");
	struct bt_tok_encode_opts how = {0};
	struct bt_span none = {NULL, 0};
	struct bt_tok_scratch *s;
	struct bt_tok *t = NULL;
	struct bt_encoding e;
	char text[sizeof(file) + 8];
	int i, n;

	for (i = 0; i < 2; i++) {
		n = snprintf(text, sizeof(text), "{\"%s%s",
		             i == 0 ? "p" : "\\u0070", file + 3);
		file_put("bulk.json", text, (size_t)n);
		assert_ok(bt_tok_open("bulk.json", NULL, &t, &err));
		assert_ok(bt_tok_scratch_new(t, &s, &err));
		assert_ok(bt_tok_encode(t, s, bt_span("21111"), none, &how, &e,
		                        &err));
		assert_int_equal(e.n, 3);
		assert_int_equal(e.ids[1], 5);
		assert_int_equal(e.ids[2], 6);
		bt_tok_scratch_free(s);
		bt_tok_free(t);
	}
}

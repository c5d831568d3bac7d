/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/pool.h"
#include "io/out.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

static struct bt_error err;

static const char *data(const char *name)
{
	return data_path("tok", name);
}

static struct bt_tok *open_tok(const char *path, enum bt_tok_dialect dialect)
{
	struct bt_tok_opts o = BT_TOK_OPTS_INIT;
	struct bt_tok *t = NULL;

	o.dialect = dialect;
	assert_ok(bt_tok_open(path, &o, &t, &err));
	return t;
}

/* As is_wanted, for cases with offsets or without. */
static bool is_nearly_wanted(const struct bt_encoding *e, const json_t *c)
{
	bool offsets = json_object_get(c, "start") != NULL;
	size_t i;

	if (e->n != json_array_size(json_object_get(c, "ids")))
		return false;
	for (i = 0; i < e->n; i++) {
		if (e->ids[i] != number(c, "ids", i) ||
		    e->types[i] != number(c, "types", i))
			return false;
		/* marks that change places keep their own offsets here */
		if (offsets &&
		    (e->start[i] != number(c, "start", i) ||
		     e->end[i] != number(c, "end", i)) &&
		    strstr(text_of(c, "a").p, "\xcc\x96") == NULL &&
		    strstr(text_of(c, "a").p, "\xf0\x9d\x85\xad") == NULL)
			return false;
	}
	return true;
}

static void check_cases(const char *name, const json_t *golden,
                        struct bt_tok *t)
{
	check_as(name, json_object_get(json_object_get(golden, name), "cases"),
	         100, t, is_nearly_wanted);
	bt_tok_free(t);
}

TEST(golden_cases)
{
	static const char *const names[] = {"uncased",    "cased", "lower-only",
	                                    "strip-only", "raw",   "added"};
	json_t *golden =
	    json_load_file(data("golden.json"), JSON_ALLOW_NUL, NULL);
	char file[40];
	size_t i;

	assert_non_null(golden);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(file, sizeof(file), "%s.json", names[i]);
		check_cases(names[i], golden, open_tok(data(file), BT_TOK_ANY));
	}
	check_cases("uncased", golden, open_tok(data("uncased"), BT_TOK_HF));
	check_cases("cased", golden,
	            open_tok(data("cased/vocab.txt"), BT_TOK_ANY));
	check_cases("google-uncased", golden,
	            open_tok(data("uncased"), BT_TOK_GOOGLE));
	check_cases("google-cased", golden,
	            open_tok(data("cased"), BT_TOK_GOOGLE));
	json_decref(golden);
}

TEST(fingerprints)
{
	static const char *const equal[] = {"uncased", "uncased/vocab.txt",
	                                    "uncased.json"};
	static const char *const other[] = {"cased", "lower-only.json",
	                                    "added.json"};
	struct bt_tok *t = open_tok(data("uncased"), BT_TOK_ANY), *u;
	size_t i;

	assert_int_equal(strlen(bt_tok_fingerprint(t)), 8);
	for (i = 0; i < 3; i++) {
		u = open_tok(data(equal[i]), BT_TOK_ANY);
		assert_string_equal(bt_tok_fingerprint(t),
		                    bt_tok_fingerprint(u));
		bt_tok_free(u);
		u = open_tok(data(other[i]), BT_TOK_ANY);
		assert_string_not_equal(bt_tok_fingerprint(t),
		                        bt_tok_fingerprint(u));
		bt_tok_free(u);
	}
	u = open_tok(data("uncased"), BT_TOK_GOOGLE);
	assert_string_not_equal(bt_tok_fingerprint(t), bt_tok_fingerprint(u));
	bt_tok_free(u);
	/* part of the format of token records: must never change */
	assert_string_equal(bt_tok_fingerprint(t), "14af22b0");
	bt_tok_free(t);
}

TEST(accessors)
{
	struct bt_tok *t = open_tok(data("uncased"), BT_TOK_ANY);

	assert_int_equal(bt_tok_size(t), 365);
	assert_int_equal(bt_tok_model_size(t), 0);
	assert_int_equal(bt_tok_max_length(t), 512);
	assert_int_equal(bt_tok_max_positions(t), 0);
	assert_int_equal(bt_tok_role(t, BT_TOK_CLS), 2);
	assert_int_equal(bt_tok_role(t, BT_TOK_MASK), 4);
	assert_int_equal(bt_tok_id(t, bt_span("[SEP]")), 3);
	assert_int_equal(bt_tok_id(t, bt_span("nosuch")), -1);
	assert_int_equal(bt_tok_id(t, bt_span("")), -1);
	assert_true(bt_span_equal(bt_tok_token(t, 1), bt_span("[UNK]")));
	assert_int_equal(bt_tok_token(t, 365).n, 0);
	assert_int_equal(bt_tok_token(t, -1).n, 0);
	assert_int_equal(bt_tok_specials(t, false), 2);
	assert_int_equal(bt_tok_specials(t, true), 3);
	bt_tok_free(t);
	bt_tok_free(NULL);
	bt_tok_scratch_free(NULL);
}

/* What is left of texts of n[0] and n[1] tokens, by taking one away at a time
 * as Google's code does, and by Hugging Face's rule for the odd one. */
static void expect(bool google, size_t room, size_t n[2])
{
	bool longer = n[0] > n[1];

	while (n[0] + n[1] > room)
		n[n[0] > n[1] ? 0 : 1]--;
	if (!google && !longer && n[0] == n[1] + 1) {
		n[0]--;
		n[1]++;
	}
}

TEST(pairs_are_cut)
{
	static const char text[] = "a a a a a a a a a";
	struct bt_tok *t[2] = {open_tok(data("uncased"), BT_TOK_HF),
	                       open_tok(data("uncased"), BT_TOK_GOOGLE)};
	struct bt_tok_encode_opts how = {.special = true};
	struct bt_tok_scratch *s[2];
	struct bt_encoding e;
	size_t i, a, b, n[2], second;
	int k;

	for (k = 0; k < 2; k++)
		assert_ok(bt_tok_scratch_new(t[k], &s[k], &err));
	for (i = 0; i < 2u * 9 * 9 * 16; i++) {
		k = i % 2;
		a = n[0] = i / 2 % 9 + 1;
		b = n[1] = i / 18 % 9 + 1;
		how.max_length = i / 162 + 5;
		expect(k == 1, how.max_length - 3, n);
		assert_ok(bt_tok_encode(
		    t[k], s[k], (struct bt_span){text, 2 * a - 1},
		    (struct bt_span){text, 2 * b - 1}, &how, &e, &err));
		assert_int_equal(e.n, n[0] + n[1] + 3);
		assert_int_equal(e.cut, a + b - n[0] - n[1]);
		for (second = a = 0; a < e.n; a++)
			second += e.types[a];
		assert_int_equal(second, n[1] + 1);
	}
	how.max_length = 4;
	assert_err(bt_tok_encode(t[0], s[0], bt_span("a"), bt_span("b"), &how,
	                         &e, &err),
	           BT_EARG, "4 tokens leave no room for a pair of texts");
	how.max_length = 2;
	assert_err(bt_tok_encode(t[0], s[0], bt_span("a"), (struct bt_span){0},
	                         &how, &e, &err),
	           BT_EARG, "2 tokens leave no room for a text");
	for (k = 0; k < 2; k++) {
		bt_tok_scratch_free(s[k]);
		bt_tok_free(t[k]);
	}
}

TEST(results_report)
{
	struct bt_tok *t = open_tok(data("uncased"), BT_TOK_ANY);
	struct bt_tok_encode_opts how = {.offsets = true, .max_length = 3};
	struct bt_span none = {NULL, 0};
	struct bt_tok_scratch *s;
	struct bt_encoding e;

	assert_ok(bt_tok_scratch_new(t, &s, &err));
	assert_ok(bt_tok_encode(t, s, bt_span("\u2603 a unaffable \u2603"),
	                        none, &how, &e, &err));
	assert_int_equal(e.n, 3);
	assert_int_equal(e.cut, 3);
	assert_int_equal(e.unknown, 1);
	assert_int_equal(e.start[2], 6);
	assert_int_equal(e.end[2], 8);
	assert_int_equal(e.text[2], 0);
	how.special = true;
	assert_ok(bt_tok_encode(
	    t, s, bt_span("a"), bt_span("b"),
	    &(struct bt_tok_encode_opts){.special = true, .offsets = true}, &e,
	    &err));
	assert_int_equal(e.n, 5);
	assert_int_equal(e.text[0], -1);
	assert_int_equal(e.text[3], 1);
	assert_int_equal(e.types[4], 1);
	/* marks that change places: one word, three characters */
	assert_ok(bt_tok_encode(t, s,
	                        bt_span("\xf0\x9d\x85\xad"
	                                "\xf0\x9d\x85\xa5"
	                                "\xe3\x80\xae"),
	                        none, &how, &e, &err));
	assert_int_equal(e.start[1], 0);
	assert_int_equal(e.end[1], 11);
	assert_err(bt_tok_encode(t, s, bt_span("ab\x80"), none, &how, &e, &err),
	           BT_EFORMAT, "not valid UTF-8 at byte 2");
	assert_err(
	    bt_tok_encode(t, s, bt_span("a"), bt_span("\xff"), &how, &e, &err),
	    BT_EFORMAT,
	    "the second of the pair: the text is not valid UTF-8 at "
	    "byte 0");
	bt_tok_scratch_free(s);
	bt_tok_free(t);
}

/* Saves, opens again and compares. */
static void check_save(const char *from, enum bt_tok_dialect dialect,
                       const char *dir, size_t max_length, size_t wanted)
{
	struct bt_tok *t = open_tok(from, dialect), *u;

	assert_int_equal(mkdir(dir, 0777), 0);
	assert_ok(bt_tok_save(t, dir, max_length, &err));
	u = open_tok(dir, BT_TOK_ANY);
	assert_string_equal(bt_tok_fingerprint(t), bt_tok_fingerprint(u));
	assert_int_equal(bt_tok_max_length(u), wanted);
	bt_tok_free(t);
	bt_tok_free(u);
}

TEST(saved_ones_open_again)
{
	struct bt_tok *t;

	check_save(data("uncased"), BT_TOK_ANY, "s1", 128, 512);
	check_save(data("cased/vocab.txt"), BT_TOK_ANY, "s2", 128, 128);
	check_save(data("added.json"), BT_TOK_ANY, "s3", 0, 0);
	check_save(data("uncased"), BT_TOK_GOOGLE, "s4", 0, 512);
	check_save("s4", BT_TOK_ANY, "s5", 0, 512);
	check_save("s4", BT_TOK_HF, "s6", 0, 512);
	t = open_tok("s1", BT_TOK_ANY);
	assert_err(bt_tok_save(t, "nosuch", 0, &err), BT_EIO,
	           "cannot create 'nosuch/vocab.txt'");
	bt_tok_free(t);
}

static void put_file(const char *path, const char *text)
{
	assert_ok(bt_out_whole(path, text, strlen(text), &err));
}

static void refuses(const char *path, const char *words)
{
	struct bt_tok *t = NULL;

	err.code = 0;
	if (bt_tok_open(path, NULL, &t, &err) == BT_OK)
		fail_msg("'%s' was opened; wanted '%s'", path, words);
	if (strstr(err.text, words) == NULL)
		fail_msg("'%s' lacks '%s'", err.text, words);
	assert_null(t);
	err.code = 0;
}

TEST(vocabularies_refused)
{
	static const char *const cases[][2] = {
	    {"[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\na\n",
	     "'v.txt': the token 'a' is there twice: lines 5 and 7"},
	    {"[PAD]\n[CLS]\n[SEP]\na\n", "'v.txt' lacks the token '[UNK]'"},
	    {"[PAD]\n[UNK]\n[SEP]\na\n", "'v.txt' lacks the token '[CLS]'"},
	    {"[PAD]\n[UNK]\n[CLS]\n", "'v.txt' lacks the token '[SEP]'"},
	    {"[UNK]\n[CLS]\n[SEP]\n", "'v.txt' lacks the token '[PAD]'"},
	    {"[pad]\n[unk]\n[cls]\n[sep]\n", "lacks the token '[UNK]'"},
	    {"", "lacks the token '[UNK]'"},
	    {"[PAD]\n[UNK]\r\n[CLS]\r\n[SEP]\r\n", "lacks the token"},
	    {"[PAD]\n[UNK]\n[CLS]\n[SEP]\nab\xff\n",
	     "'v.txt': line 5 is not valid UTF-8 (byte 2 of the line)"},
	    {"PK\x03\x04\xff", "line 1 is not valid UTF-8"},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_file("v.txt", cases[i][0]);
		refuses("v.txt", cases[i][1]);
	}
	refuses("nosuch", "cannot open 'nosuch': No such file");
}

/* Lines keep their numbers, blank ones too; only \n ends them. */
TEST(vocabulary_lines)
{
	struct bt_tok *t;

	put_file("v.txt", "\n[PAD]\n\n[UNK]\n[CLS]\n[SEP]\n\xe2\x80\xa8\na\rb");
	t = open_tok("v.txt", BT_TOK_ANY);
	assert_int_equal(bt_tok_size(t), 8);
	assert_int_equal(bt_tok_role(t, BT_TOK_PAD), 1);
	assert_int_equal(bt_tok_role(t, BT_TOK_MASK), -1);
	assert_int_equal(bt_tok_id(t, bt_span("\xe2\x80\xa8")), 6);
	assert_int_equal(bt_tok_id(t, bt_span("a\rb")), 7);
	bt_tok_free(t);
	put_file("v.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na b \r\n");
	t = open_tok("v.txt", BT_TOK_HF);
	assert_int_equal(bt_tok_id(t, bt_span("a b ")), 4);
	bt_tok_free(t);
	t = open_tok("v.txt", BT_TOK_GOOGLE); /* strips lines */
	assert_int_equal(bt_tok_id(t, bt_span("a b")), 4);
	bt_tok_free(t);
}

/* tokenizer.json with one piece of text replaced. */
static void edit(const char *from, const char *to)
{
	json_t *o = json_load_file(data("uncased.json"), 0, NULL);
	char *s = json_dumps(o, JSON_COMPACT), *at = strstr(s, from);
	struct bt_buf b = BT_BUF_INIT;

	if (at == NULL)
		fail_msg("no %s", from);
	bt_buf_put(&b, s, (size_t)(at - s));
	bt_buf_puts(&b, to);
	bt_buf_puts(&b, at + strlen(from));
	put_file("t.json", bt_buf_str(&b));
	bt_buf_clear(&b);
	free(s);
	json_decref(o);
}

TEST(components_refused)
{
	static const char *const cases[][3] = {
	    {"\"BertPreTokenizer\"",
	     "\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true",
	     "'t.json': the pre_tokenizer ByteLevel is supported for the "
	     "model BPE only"},
	    {"\"BertPreTokenizer\"", "\"Nosuch\"",
	     "'t.json': pre_tokenizer of type Nosuch is not supported"},
	    {"{\"type\":\"BertPreTokenizer\"}", "null",
	     "a file without a pre_tokenizer is not supported"},
	    {"\"BertNormalizer\"", "\"NFC\"",
	     "'clean_text' of the normalizer is not supported"},
	    {"\"BertNormalizer\"", "\"Nosuch\"",
	     "normalizer of type Nosuch is not supported"},
	    {"\"clean_text\":true", "\"fold\":true",
	     "'fold' of the normalizer is not supported"},
	    {"\"lowercase\":true", "\"lowercase\":1",
	     "'lowercase' is neither true nor false"},
	    {"\"WordPiece\",\"unk_token\"", "\"BPE\",\"unk_token\"",
	     "'max_input_chars_per_word' of the model is not supported"},
	    {"\"WordPiece\",\"unk_token\"", "\"Nosuch\",\"unk_token\"",
	     "model of type Nosuch is not supported"},
	    {"\"unk_token\":\"[UNK]\"", "\"dropout\":0.5",
	     "'dropout' of the model is not supported"},
	    {"\"unk_token\":\"[UNK]\"", "\"unk_token\":\"<unk>\"",
	     "lacks the token '<unk>'"},
	    {"\"version\":\"1.0\"", "\"version\":\"2.0\"",
	     "version '2.0' of the file is not supported"},
	    {"\"padding\":null", "\"padding\":null,\"fold\":1",
	     "'fold' of the file is not supported"},
	    {"{\"type\":\"BertPreTokenizer\"}",
	     "{\"type\":\"BertPreTokenizer\",\"fold\":1}",
	     "'fold' of the pre_tokenizer is not supported"},
	    {"\"TemplateProcessing\"", "\"TemplateProcessing\",\"fold\":1",
	     "'fold' of the post_processor is not supported"},
	    {"\"TemplateProcessing\"", "\"BertProcessing\"",
	     "post_processor: a processor without its tokens"},
	    {"\"TemplateProcessing\"",
	     "\"BertProcessing\",\"sep\":[\"[SEP]\",4]",
	     "a token has another id than in the vocabulary"},
	    {"\"TemplateProcessing\"",
	     "\"BertProcessing\",\"add_prefix_space\":true",
	     "BertProcessing with 'trim_offsets' or 'add_prefix_space'"},
	    {"\"TemplateProcessing\"",
	     "\"RobertaProcessing\",\"trim_offsets\":true",
	     "RobertaProcessing without 'trim_offsets' or"},
	    {"\"ids\":[2]", "\"ids\":[365]", "an id outside the vocabulary"},
	    {"\"ids\":[2]", "\"ids\":[]", "a special token without ids"},
	    {"{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}",
	     "{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}",
	     "does not hold each text once"},
	    {"\"type_id\":0", "\"type_id\":256",
	     "'type_id' is not a whole number from 0 to 255"},
	    {"\"id\":4", "\"id\":5",
	     "added_tokens[4]: the added token '[MASK]' has the id 5, "
	     "expected 4"},
	    {"\"content\":\"[MASK]\"", "\"content\":\"\"",
	     "added_tokens[4]: a token is neither"},
	    {"\"content\":\"[MASK]\"", "\"content\":\"new\"",
	     "has the id 4, expected"},
	    {"\"vocab\":{", "\"vocab\":{\"zz\":3,", "have the same id 3"},
	    {"\"vocab\":{", "\"vocab\":{\"zz\":-1,",
	     "the token 'zz' has no id"},
	    {"\"vocab\":{", "\"vocab\":{\"zz\":10000000,", "have ids up to"},
	    {"\"vocab\":{", "\"vocab\":[],\"x\":{", "is not supported"},
	    {"\"vocab\":{", "\"vocab\":7},\"decoder\":{\"y\":{",
	     "the model has no vocabulary"},
	    {"\"version\"", "version", "is not valid JSON: line 1"},
	    {"\"unk_token\":\"[UNK]\"", "\"unk_token\":\"[UNK]\\u0000\"",
	     "'unk_token' has \\u0000, which is not supported there"},
	    {"\"WordPiece\",\"unk_token\"",
	     "\"WordPiece\\u0000\",\"unk_token\"",
	     "model of type WordPiece is not supported"},
	    {"\"version\"", "\"a\\u0000b\":1,\"version\"",
	     "has \\u0000 in a string, in line 1"},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		edit(cases[i][0], cases[i][1]);
		refuses("t.json", cases[i][2]);
	}
}

/* What older files look like, and settings that change nothing. */
TEST(components_accepted)
{
	static const char *const cases[][2] = {
	    {"\"type\":\"WordPiece\",", ""},
	    {"\"model\":{", "\"decoder\":null,\"model\":{"},
	    {"\"truncation\":null", "\"truncation\":{\"max_length\":128}"},
	    {"\"padding\":null", "\"padding\":{\"strategy\":{\"Fixed\":9}}"},
	    {"\"post_processor\":{\"type\":\"TemplateProcessing\"",
	     "\"post_processor\":{\"type\":\"BertProcessing\",\"sep\":"
	     "[\"[SEP]\",3],\"cls\":[\"[CLS]\",2]"},
	    {"\"model\":{", "\"post_processor\":null,\"model\":{"},
	    {"\"strip_accents\":null", "\"strip_accents\":true"},
	};
	struct bt_tok *t = open_tok(data("uncased"), BT_TOK_ANY), *u;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		edit(cases[i][0], cases[i][1]);
		u = open_tok("t.json", BT_TOK_ANY);
		assert_string_equal(bt_tok_fingerprint(t),
		                    bt_tok_fingerprint(u));
		bt_tok_free(u);
	}
	bt_tok_free(t);
}

enum { THREAD_TEXTS = 400, PIECES = 16 };

struct shared {
	struct bt_tok *t;
	struct bt_tok_scratch *s[4];
	unsigned long long sum[PIECES];
};

static void encode_piece(void *arg, int piece, int worker)
{
	struct shared *x = arg;
	struct bt_tok_encode_opts how = {.special = true};
	struct bt_span none = {NULL, 0};
	struct bt_error e = {0};
	struct bt_encoding out;
	char text[64];
	size_t k;
	int i;

	x->sum[piece] = 0;
	for (i = 0; i < THREAD_TEXTS; i++) {
		snprintf(text, sizeof(text), "Héllo %d the 中文 %d unaffable",
		         i, piece);
		if (bt_tok_encode(x->t, x->s[worker], bt_span(text), none, &how,
		                  &out, &e) != BT_OK)
			return;
		for (k = 0; k < out.n; k++)
			x->sum[piece] =
			    x->sum[piece] * 31 + (unsigned long long)out.ids[k];
	}
}

TEST(threads_share_it)
{
	unsigned long long wanted[PIECES];
	struct shared x = {0};
	struct bt_pool *pool;
	int threads, i;

	x.t = open_tok(data("uncased"), BT_TOK_ANY);
	for (i = 0; i < 4; i++)
		assert_ok(bt_tok_scratch_new(x.t, &x.s[i], &err));
	for (threads = 1; threads <= 4; threads++) {
		assert_ok(bt_pool_new(threads, &pool, &err));
		bt_pool_run(pool, encode_piece, &x, PIECES);
		bt_pool_free(pool);
		assert_true(x.sum[0] != 0 && x.sum[0] != x.sum[1]);
		if (threads == 1)
			memcpy(wanted, x.sum, sizeof(wanted));
		assert_memory_equal(x.sum, wanted, sizeof(wanted));
	}
	for (i = 0; i < 4; i++)
		bt_tok_scratch_free(x.s[i]);
	bt_tok_free(x.t);
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "golden.h"

#include "base/buf.h"
#include "base/mem.h"
#include "io/in.h"
#include "io/out.h"
#include "tokenizer/component_int.h"
#include "tokenizer/precompiled_charsmap.h"
#include "tokenizer/unigram.h"
#include "tokenizer_file/sentencepiece_proto.h"
#include "tokenizer_file/tokenizer_file.h"
#include "unicode/grapheme.h"

static struct bt_error err;

static const char *data(const char *name)
{
	return data_path("spm", name);
}

TEST(golden_cases)
{
	json_t *golden = json_load_file(data("golden.json"), 0, NULL), *o;
	struct bt_tok *t = NULL;
	const char *name;
	char file[40];

	assert_true(json_object_size(golden) >= 7);
	json_object_foreach(golden, name, o)
	{
		snprintf(file, sizeof(file), "%s.json", name);
		assert_ok(bt_tok_open(data(file), NULL, &t, &err));
		check_encodings(name, json_object_get(o, "cases"), 60, t);
		bt_tok_free(t);
	}
	json_decref(golden);
}

/* Directories with a SentencePiece model alone, and the tokenizer.json that is
 * the same. */
static const char *const models[][2] = {{"xlm-roberta", "xlmr"},
                                        {"camembert", "camembert"},
                                        {"albert", "albert-model"},
                                        {"deberta-v2", "deberta"}};

TEST(model_directories)
{
	json_t *golden = json_load_file(data("golden.json"), 0, NULL), *o;
	struct bt_tok *t = NULL, *u = NULL;
	char file[40];
	size_t i;

	for (i = 0; i < 4; i++) {
		o = json_object_get(golden, models[i][1]);
		assert_ok(bt_tok_open(data(models[i][0]), NULL, &t, &err));
		check_encodings(models[i][0], json_object_get(o, "cases"), 60,
		                t);
		snprintf(file, sizeof(file), "%s.json", models[i][1]);
		assert_ok(bt_tok_open(data(file), NULL, &u, &err));
		assert_string_equal(bt_tok_fingerprint(t),
		                    bt_tok_fingerprint(u));
		bt_tok_free(u);
		/* saved, it opens without its config.json */
		assert_int_equal(mkdir(models[i][0], 0777), 0);
		assert_ok(bt_tok_save(t, models[i][0], 0, &err));
		assert_ok(bt_tok_open(models[i][0], NULL, &u, &err));
		assert_string_equal(bt_tok_fingerprint(t),
		                    bt_tok_fingerprint(u));
		bt_tok_free(u);
		bt_tok_free(t);
	}
	json_decref(golden);
}

/* Writes tokenizer_config.json beside the model in s and opens that. */
static void refuses_config(const char *config, const char *words)
{
	struct bt_tok *t = NULL;

	assert_ok(bt_out_whole("s/tokenizer_config.json", config,
	                       strlen(config), &err));
	assert_err(bt_tok_open("s", NULL, &t, &err), BT_EFORMAT, words);
}

TEST(families_are_named)
{
	struct bt_tok_opts o = BT_TOK_OPTS_INIT;
	struct bt_tok *t = NULL;
	char *file;
	size_t n;

	assert_int_equal(mkdir("s", 0777), 0);
	assert_ok(
	    bt_in_whole(data("albert/spiece.model"), 1 << 20, &file, &n, &err));
	assert_ok(bt_out_whole("s/spiece.model", file, n, &err));
	free(file);
	refuses_config("{}", "says whose");
	refuses_config("{\"tokenizer_class\":\"T5Tokenizer\"}",
	               "tokenizer_class 'T5Tokenizer' with a SentencePiece");
	refuses_config("{\"tokenizer_class\":\"DebertaV2TokenizerFast\"}",
	               "lacks the token");
	o.dialect = BT_TOK_GOOGLE;
	assert_err(bt_tok_open(data("albert"), &o, &t, &err), BT_EARG,
	           "the dialect 'google' needs");
	o.dialect = BT_TOK_ANY;
	o.lower = 0;
	assert_err(bt_tok_open(data("albert"), &o, &t, &err), BT_EARG,
	           "made lower case");
}

static char *copy_of(const void *p, size_t n)
{
	char *s = malloc(n + 1);

	assert_non_null(s);
	memcpy(s, p, n);
	return s;
}

TEST(spm_fields)
{
	struct bt_spm_proto m;

	assert_ok(bt_spm_proto_read(&m, data("albert/spiece.model"), &err));
	assert_int_equal(m.kind, BT_SPM_UNIGRAM);
	assert_int_equal(m.unk_id, 1);
	assert_true(bt_span_equal(m.piece[2].text, bt_span("[CLS]")));
	assert_int_equal(m.piece[2].type, BT_SPM_CONTROL);
	assert_int_equal(m.piece[5].type, BT_SPM_USER);
	assert_int_equal(m.piece[6].type, BT_SPM_NORMAL);
	assert_true(m.piece[6].score == -2.0f);
	assert_true(m.charsmap.n > 1000);
	assert_true(m.prefix && m.squeeze && m.escape);
	assert_false(m.byte_fallback || m.suffix);
	bt_spm_proto_clear(&m);
}

/* A file cut short anywhere, and with any byte changed. */
TEST(damaged_models)
{
	char *file, *p;
	struct bt_spm_proto m;
	size_t n, i, bad = 0;

	assert_ok(
	    bt_in_whole(data("albert/spiece.model"), 1 << 20, &file, &n, &err));
	for (i = 0; i < n; i++) {
		err.code = 0;
		if (bt_spm_proto_parse(&m, copy_of(file, i), i, &err) == BT_OK)
			bt_spm_proto_clear(&m);
		else
			bad++;
	}
	assert_true(bad > n / 2);
	for (i = bad = 0; i < n; i++) {
		p = copy_of(file, n);
		p[i] ^= 0xff;
		err.code = 0;
		if (bt_spm_proto_parse(&m, p, n, &err) == BT_OK)
			bt_spm_proto_clear(&m);
		else
			bad++;
	}
	assert_true(bad > 100);
	err.code = 0;
	assert_err(bt_spm_proto_parse(&m, copy_of("", 0), 0, &err), BT_EFORMAT,
	           "no piece is the unknown one");
	assert_err(bt_spm_proto_parse(&m, copy_of("hello", 5), 5, &err),
	           BT_ECORRUPT, "not the file of a SentencePiece model");
	free(file);
}

/* Lengths of the clusters of a text. */
static void check_clusters(const char *text, const char *wanted)
{
	struct bt_graphemes g;
	struct bt_buf b = BT_BUF_INIT;
	size_t n = strlen(text), at, len;

	assert_ok(bt_graphemes_init(&g, &err));
	for (at = 0; at < n; at += len) {
		len = bt_grapheme_len(&g, (const uint8_t *)text, at, n);
		bt_buf_printf(&b, "%zu ", len);
	}
	assert_int_equal(at, n);
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
	bt_graphemes_clear(&g);
}

TEST(clusters_of_characters)
{
	check_clusters("abc", "1 1 1 ");
	check_clusters("\r\na\n\r", "2 1 1 1 ");
	check_clusters("e\u0301\u0302x", "5 1 ");
	check_clusters("\n\u0301\u0301", "1 4 ");
	check_clusters("\u0600a\u0301", "5 ");
	check_clusters("\u1100\u1161\u11a8\u1100", "9 3 ");
	check_clusters("\uac00\u11a8\uac01\u1161", "6 3 3 ");
	/* family; flags go in twos */
	check_clusters("\U0001f468\u200d\U0001f469a", "11 1 ");
	check_clusters("\U0001f1e6\U0001f1e7\U0001f1e8", "8 4 ");
	check_clusters("a\u200d\U0001f469", "4 4 ");
	/* conjuncts of consonants */
	check_clusters("\u0915\u094d\u0937\u0915", "9 3 ");
	check_clusters("\u0915\u093c\u0937", "6 3 ");
}

static struct bt_vocab vocab_of(const char *const *pieces, size_t n)
{
	struct bt_vocab v = {0};
	size_t i;

	for (i = 0; i < n; i++)
		assert_ok(bt_vocab_put(&v, i, bt_span(pieces[i]), &err));
	assert_ok(bt_vocab_index(&v, 0, &err));
	return v;
}

/* The ids of a word's pieces. */
static void check_cut(const struct bt_unigram *u, const char *word,
                      const char *wanted)
{
	struct bt_unigram_work work = {0};
	struct bt_pieces out = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i, at = 0;

	assert_int_equal(bt_unigram_encode(u, &work, (const uint8_t *)word, 0,
	                                   strlen(word), &out),
	                 BT_OK);
	for (i = 0; i < out.n; i++) {
		bt_buf_printf(&b, "%d ", (int)out.piece[i].id);
		assert_int_equal(out.piece[i].start, at);
		at = out.piece[i].end;
	}
	assert_int_equal(at, strlen(word));
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
	free(out.piece);
	free(work.node);
}

TEST(best_path)
{
	static const char *const pieces[] = {"<unk>", "a",  "b",   "c",   "d",
	                                     "cd",    "ab", "abc", "abcd"};
	static const double scores[] = {0, 0, 0, 0, 0, 1, 2, 5, 10};
	struct bt_vocab v = vocab_of(pieces, 9);
	double *s = bt_array(9, sizeof(*s));
	struct bt_unigram u;

	memcpy(s, scores, sizeof(scores));
	assert_ok(bt_unigram_init(&u, &v, s, 0, false, &err));
	check_cut(&u, "abcd", "8 ");
	check_cut(&u, "abcc", "7 3 ");
	check_cut(&u, "xabcabaabcdd", "0 7 6 1 8 4 ");
	check_cut(&u, "xyz", "0 ");
	check_cut(&u, "xyzaxyz", "0 1 0 ");
	check_cut(&u, "\u00e9\u4e2d", "0 ");
	/* equal sums: what was found first */
	u.score[6] = u.score[7] = u.score[8] = 0;
	u.score[5] = 0;
	check_cut(&u, "ab", "6 ");
	check_cut(&u, "abcd", "8 ");
	u.score[8] = -1;
	check_cut(&u, "abcd", "6 5 ");
	bt_unigram_clear(&u);
	bt_vocab_clear(&v);
}

TEST(settings_are_checked)
{
	static const char *const pieces[] = {"<unk>", "a"};
	struct bt_vocab v = vocab_of(pieces, 2);
	double s[2] = {0, -1}, bad[2] = {0, 0};
	struct bt_unigram u;

	assert_err(bt_unigram_init(&u, &v, s, 2, false, &err), BT_EFORMAT,
	           "outside the vocabulary");
	assert_err(bt_unigram_init(&u, &v, s, -1, false, &err), BT_EFORMAT,
	           "outside the vocabulary");
	bad[1] = -1 / bad[0];
	assert_err(bt_unigram_init(&u, &v, bad, 0, false, &err), BT_EFORMAT,
	           "the score of token 1 is not a number");
	bt_vocab_clear(&v);
}

/* A million bytes without a blank: not much more than ten times the time of a
 * hundred thousand would be; here, that it ends. */
TEST(long_word)
{
	struct bt_tok_encode_opts how = {0};
	struct bt_tok_scratch *s;
	struct bt_span none = {NULL, 0}, text;
	struct bt_encoding e;
	struct bt_tok *t = NULL;
	size_t n = 1000000, i;
	char *p = malloc(n);

	assert_non_null(p);
	assert_ok(bt_tok_open(data("xlmr.json"), NULL, &t, &err));
	assert_ok(bt_tok_scratch_new(t, &s, &err));
	for (i = 0; i < n; i++)
		p[i] = "hello"[i % 5];
	text.p = p;
	text.n = n;
	assert_ok(bt_tok_encode(t, s, text, none, &how, &e, &err));
	assert_int_equal(e.n, n / 5);
	/* one cluster: a letter and its marks */
	for (i = 1; i < n; i++)
		p[i] = i % 2 ? (char)0xcc : (char)0x81;
	text.n--;
	assert_ok(bt_tok_encode(t, s, text, none, &how, &e, &err));
	assert_true(e.unknown > 0);
	bt_tok_scratch_free(s);
	bt_tok_free(t);
	free(p);
}

/* Every byte of a small map changed, cut short everywhere: refused or safe. */
TEST(damaged_maps)
{
	/* the key "a", replaced by "b" */
	static const uint32_t unit[] = {0x400 * ('a' ^ 2), 0, 0, 0};
	static const uint8_t text[] = "aab\xc3\xa9z";
	uint8_t map[4 + 4 * 128 + 3], bad[sizeof(map)];
	uint32_t u, size = 4 * 128;
	struct bt_offset_text out = {0};
	struct bt_charsmap m;
	size_t i, k, opened = 0;

	memset(map, 0, sizeof(map));
	memcpy(map, &size, 4);
	memcpy(map + 4, unit, 4);
	u = 'a' | 0x100 | 0x400 * (0x2 ^ 0x4);
	memcpy(map + 4 + 4 * 2, &u, 4);
	u = 1u << 31;
	memcpy(map + 4 + 4 * 4, &u, 4);
	memcpy(map + 4 + size, "b\0", 2);
	assert_ok(bt_charsmap_init(&m, map, sizeof(map), &err));
	assert_int_equal(bt_charsmap_run(&m, text, 0, 6, &out), BT_OK);
	assert_int_equal(out.n, 6);
	assert_memory_equal(out.text, "bbb\xc3\xa9z", 6);
	bt_charsmap_clear(&m);
	for (i = 0; i < sizeof(map); i++)
		for (k = 0; k < 9; k++) {
			memcpy(bad, map, sizeof(map));
			bad[i] ^= (uint8_t)(k < 8 ? 1u << k : 0xff);
			err.code = 0;
			if (bt_charsmap_init(&m, bad, sizeof(map), &err) < 0)
				continue;
			opened++;
			out.n = 0;
			assert_true(bt_charsmap_run(&m, text, 0, 6, &out) >= 0);
			out.n = 0;
			assert_true(
			    bt_charsmap_run_longest(&m, text, 0, 6, &out) >= 0);
			bt_charsmap_clear(&m);
		}
	assert_true(opened > 1000);
	for (i = 0; i < 4 + size; i++)
		assert_err(bt_charsmap_init(&m, map, i, &err), BT_EFORMAT,
		           "the character map");
	bt_offset_text_clear(&out);
}

static void refuses(const char *text, const char *words)
{
	struct bt_tok *t = NULL;

	assert_ok(bt_out_whole("t.json", text, strlen(text), &err));
	assert_err(bt_tok_open("t.json", NULL, &t, &err), BT_EFORMAT, words);
}

#define WRAP(norm, pretok, model)                                              \
	"{\"normalizer\":" norm ",\"pre_tokenizer\":" pretok                   \
	",\"model\":" model "}"
#define MODEL "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"a\",-1]]}"

TEST(odd_files)
{
	refuses(WRAP("null", "null", "{\"type\":\"Unigram\",\"vocab\":[]}"),
	        "a vocabulary of 0 tokens");
	refuses(WRAP("null", "null",
	             "{\"type\":\"Unigram\",\"vocab\":[[\"a\",1]]}"),
	        "is not the id of one of");
	refuses(WRAP("null", "null",
	             "{\"vocab\":[[\"a\",1],[\"b\",true]],\"unk_id\":0}"),
	        "vocab[1] is not a piece and its score");
	refuses(WRAP("null", "null",
	             "{\"type\":\"Unigram\",\"vocab\":[[\"a\",1],[\"a\",2]],"
	             "\"unk_id\":0}"),
	        "'a'");
	refuses(WRAP("null", "null",
	             "{\"type\":\"Unigram\",\"vocab\":[[\"a\",1]],"
	             "\"unk_id\":1}"),
	        "unk_id 1 is not the id of one of 1 tokens");
	refuses(WRAP("{\"type\":\"Precompiled\",\"precompiled_charsmap\":"
	             "\"AAAAAA==\"}",
	             "null", MODEL),
	        "states a size that it does not have");
	refuses(
	    WRAP("{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"?\"}",
	         "null", MODEL),
	    "is not base64");
	refuses(WRAP("{\"type\":\"Replace\",\"content\":\"\",\"pattern\":"
	             "{\"Regex\":\"(a|b)?\"}}",
	             "null", MODEL),
	        "the pattern '(a|b)?', which matches nothing, is not");
	refuses(WRAP("{\"type\":\"Odd\"}", "null", MODEL),
	        "normalizer of type Odd is not supported");
	refuses(WRAP("null", "{\"type\":\"Odd\"}", MODEL),
	        "pre_tokenizer of type Odd is not supported");
	refuses(WRAP("null", "{\"type\":\"Metaspace\",\"replacement\":\"ab\"}",
	             MODEL),
	        "is not one character");
	refuses(WRAP("null",
	             "{\"type\":\"Metaspace\",\"replacement\":\"a\","
	             "\"prepend_scheme\":\"x\"}",
	             MODEL),
	        "prepend_scheme 'x' is not supported");
	refuses(WRAP("null", "null", MODEL), "lacks the token");
}

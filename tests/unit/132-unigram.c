/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/out.h"
#include "text/charsmap.h"
#include "text/grapheme.h"
#include "text/parts_int.h"
#include "text/tokenizer.h"
#include "text/unigram.h"

static struct bt_error err;

/* tests/data/spm/NAME; lives until the next call but three */
static const char *data(const char *name)
{
	static char path[4][500];
	static int k;

	k = (k + 1) % 4;
	snprintf(path[k], sizeof(path[k]), "%s/tests/data/spm/%s",
	         getenv("TEST_TOP"), name);
	return path[k];
}

static struct bt_span text_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	struct bt_span s = {json_string_value(v), json_string_length(v)};

	return s;
}

static long long number(const json_t *c, const char *key, size_t i)
{
	return json_integer_value(json_array_get(json_object_get(c, key), i));
}

/* True if the encoding is what the case c wants. */
static bool is_wanted(const struct bt_encoding *e, const json_t *c)
{
	size_t i;

	if (e->n != json_array_size(json_object_get(c, "ids")))
		return false;
	for (i = 0; i < e->n; i++)
		if (e->ids[i] != number(c, "ids", i) ||
		    e->types[i] != number(c, "types", i) ||
		    e->start[i] != number(c, "start", i) ||
		    e->end[i] != number(c, "end", i))
			return false;
	return true;
}

static void check_cases(const char *name, json_t *cases, struct bt_tok *t)
{
	struct bt_tok_how how = {.special = true, .offsets = true};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	size_t i, b;
	json_t *c;

	assert_true(json_array_size(cases) > 60);
	assert_ok(bt_tok_scratch_new(t, &s, &err));
	json_array_foreach(cases, i, c)
	{
		assert_ok(bt_tok_encode(t, s, text_of(c, "a"), text_of(c, "b"),
		                        &how, &e, &err));
		if (is_wanted(&e, c))
			continue;
		for (b = 0; b < e.n; b++)
			print_error("%d:%u-%u ", (int)e.ids[b], e.start[b],
			            e.end[b]);
		fail_msg("%s: %s", name, json_dumps(c, JSON_COMPACT));
	}
	bt_tok_scratch_free(s);
}

static void golden_cases(void **state)
{
	json_t *golden = json_load_file(data("golden.json"), 0, NULL), *o;
	struct bt_tok *t = NULL;
	const char *name;
	char file[40];

	(void)state;
	assert_true(json_object_size(golden) >= 7);
	json_object_foreach(golden, name, o)
	{
		snprintf(file, sizeof(file), "%s.json", name);
		assert_ok(bt_tok_open(data(file), NULL, &t, &err));
		check_cases(name, json_object_get(o, "cases"), t);
		bt_tok_free(t);
	}
	json_decref(golden);
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

static void clusters_of_characters(void **state)
{
	(void)state;
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

	assert_int_equal(bt_unigram_cut(u, &work, (const uint8_t *)word, 0,
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

static void best_path(void **state)
{
	static const char *const pieces[] = {"<unk>", "a",  "b",   "c",   "d",
	                                     "cd",    "ab", "abc", "abcd"};
	static const double scores[] = {0, 0, 0, 0, 0, 1, 2, 5, 10};
	struct bt_vocab v = vocab_of(pieces, 9);
	double *s = bt_array(9, sizeof(*s));
	struct bt_unigram u;

	(void)state;
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

static void settings_are_checked(void **state)
{
	static const char *const pieces[] = {"<unk>", "a"};
	struct bt_vocab v = vocab_of(pieces, 2);
	double s[2] = {0, -1}, bad[2] = {0, 0};
	struct bt_unigram u;

	(void)state;
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
static void long_word(void **state)
{
	struct bt_tok_how how = {0};
	struct bt_tok_scratch *s;
	struct bt_span none = {NULL, 0}, text;
	struct bt_encoding e;
	struct bt_tok *t = NULL;
	size_t n = 1000000, i;
	char *p = malloc(n);

	(void)state;
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
static void damaged_maps(void **state)
{
	/* the key "a", replaced by "b" */
	static const uint32_t unit[] = {0x400 * ('a' ^ 2), 0, 0, 0};
	static const uint8_t text[] = "aab\xc3\xa9z";
	uint8_t map[4 + 4 * 128 + 3], bad[sizeof(map)];
	uint32_t u, size = 4 * 128;
	struct bt_normed out = {0};
	struct bt_charsmap m;
	size_t i, k, opened = 0;

	(void)state;
	memset(map, 0, sizeof(map));
	memcpy(map, &size, 4);
	memcpy(map + 4, unit, 4);
	u = 'a' | 0x100 | 0x400 * (2 ^ 4);
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
	bt_normed_clear(&out);
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

static void odd_files(void **state)
{
	(void)state;
	refuses(WRAP("null", "null", "{\"type\":\"Unigram\",\"vocab\":[]}"),
	        "a vocabulary of 0 tokens");
	refuses(WRAP("null", "null",
	             "{\"type\":\"Unigram\",\"vocab\":[[\"a\",1]]}"),
	        "there is no unknown token");
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
	        "unk_id is 1 of 1 tokens");
	refuses(WRAP("{\"type\":\"Precompiled\",\"precompiled_charsmap\":"
	             "\"AAAAAA==\"}",
	             "null", MODEL),
	        "states a size that it does not have");
	refuses(
	    WRAP("{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"?\"}",
	         "null", MODEL),
	    "is not base64");
	refuses(WRAP("{\"type\":\"Replace\",\"content\":\"\",\"pattern\":"
	             "{\"Regex\":\"(a|b)\"}}",
	             "null", MODEL),
	        "the pattern '(a|b)' is not supported");
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
	refuses(WRAP("null", "null", MODEL), "lacks the token '[CLS]'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clusters_of_characters),
	    cmocka_unit_test(best_path),
	    cmocka_unit_test(settings_are_checked),
	    cmocka_unit_test(damaged_maps),
	    cmocka_unit_test(golden_cases),
	    cmocka_unit_test(long_word),
	    cmocka_unit_test(odd_files),
	};

	return RUN(tests);
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* SentencePiece models of kind BPE, read directly and saved. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "golden.h"

#include "base/buf.h"
#include "io/in.h"
#include "io/out.h"
#include "tokenizer_file/sentencepiece_open_int.h"
#include "tokenizer_file/tokenizer_file.h"

static struct bt_error err;

static const char *data(const char *name)
{
	return data_path("spm-bpe", name);
}

/* What is saved has a tokenizer.json, which is read first then. */
TEST(golden_cases)
{
	json_t *golden =
	           json_load_file(data("golden.json"), JSON_ALLOW_NUL, NULL),
	       *o;
	struct bt_tok *t = NULL, *u = NULL;
	const char *name;
	char file[40];

	assert_int_equal(json_object_size(golden), 2);
	json_object_foreach(golden, name, o)
	{
		assert_ok(bt_tok_open(data(name), NULL, &t, &err));
		check_encodings(name, json_object_get(o, "cases"), 40, t);
		assert_int_equal(mkdir(name, 0777), 0);
		assert_ok(bt_tok_save(t, name, 100, &err));
		snprintf(file, sizeof(file), "%s/tokenizer.json", name);
		assert_ok(bt_tok_open(file, NULL, &u, &err));
		check_encodings(name, json_object_get(o, "cases"), 40, u);
		assert_string_equal(bt_tok_fingerprint(t),
		                    bt_tok_fingerprint(u));
		bt_tok_free(u);
		assert_ok(bt_tok_open(name, NULL, &u, &err));
		assert_string_equal(bt_tok_fingerprint(t),
		                    bt_tok_fingerprint(u));
		assert_int_equal(bt_tok_max_length(u), 100);
		bt_tok_free(u);
		bt_tok_free(t);
	}
	json_decref(golden);
}

static struct bt_tok *llama(const char *config)
{
	struct bt_tok *t = NULL;

	assert_ok(bt_out_whole("l/tokenizer_config.json", config,
	                       strlen(config), &err));
	assert_ok(bt_tok_open("l", NULL, &t, &err));
	return t;
}

static void check_ids(struct bt_tok *t, const char *text, size_t n,
                      const char *wanted)
{
	struct bt_tok_encode_opts how = {.special = true};
	struct bt_span a = bt_span(text), b = {NULL, 0};
	struct bt_buf got = BT_BUF_INIT;
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	size_t i;

	assert_ok(bt_tok_scratch_new(t, &s, &err));
	assert_ok(bt_tok_encode(t, s, a, b, &how, &e, &err));
	assert_int_equal(e.n, n);
	for (i = 0; i < e.n; i++)
		bt_buf_printf(&got, "%.*s|", (int)bt_tok_token(t, e.ids[i]).n,
		              bt_tok_token(t, e.ids[i]).p);
	assert_string_equal(got.data, wanted);
	bt_buf_clear(&got);
	bt_tok_scratch_free(s);
	bt_tok_free(t);
}

#define BAD CLASS ",\"bos_token\":\"[BOS]\"}"
#define CLASS "{\"tokenizer_class\":\"LlamaTokenizer\""

TEST(llama_settings)
{
	struct bt_tok *t = NULL;
	char *file;
	size_t n;

	assert_int_equal(mkdir("l", 0777), 0);
	assert_ok(bt_in_whole(data("llama/tokenizer.model"), 1 << 20, &file, &n,
	                      &err));
	assert_ok(bt_out_whole("l/tokenizer.model", file, n, &err));
	free(file);
	check_ids(llama(CLASS "}"), "a<sep>a", 3,
	          "\xe2\x96\x81"
	          "a|<sep>|a|");
	check_ids(llama(CLASS ",\"legacy\":true}"), "a<sep>a", 3,
	          "\xe2\x96\x81"
	          "a|<sep>|\xe2\x96\x81"
	          "a|");
	check_ids(llama(CLASS ",\"add_prefix_space\":false}"), "a<sep>a", 3,
	          "a|<sep>|a|");
	check_ids(llama(CLASS ",\"add_bos_token\":true}"), "a", 2,
	          "<s>|\xe2\x96\x81"
	          "a|");
	check_ids(llama(CLASS ",\"add_eos_token\":true,\"eos_token\":\"[E1]\","
	                      "\"pad_token\":\"<unk>\"}"),
	          "a", 2,
	          "\xe2\x96\x81"
	          "a|[E1]|");
	assert_ok(
	    bt_out_whole("l/tokenizer_config.json", BAD, strlen(BAD), &err));
	assert_err(bt_tok_open("l", NULL, &t, &err), BT_EFORMAT,
	           "lacks the token '[BOS]'");
}

static void check_merges(const char *const *piece, const double *score,
                         size_t pieces, bool by_id, const char *wanted)
{
	struct bt_buf got = BT_BUF_INIT;
	struct bt_bpe_merge *m = NULL;
	struct bt_vocab v = {0};
	size_t i, n;

	for (i = 0; i < pieces; i++)
		assert_ok(bt_vocab_put(&v, i, bt_span(piece[i]), &err));
	assert_ok(bt_vocab_index(&v, 0, &err));
	assert_ok(bt_spm_merges(&v, score, by_id, &m, &n, &err));
	for (i = 0; i < n; i++)
		bt_buf_printf(&got, "%.*s+%.*s ", (int)m[i].a.n, m[i].a.p,
		              (int)m[i].b.n, m[i].b.p);
	assert_string_equal(got.data, wanted);
	bt_buf_clear(&got);
	free(m);
	bt_vocab_clear(&v);
}

/* The orders that transformers makes of these. */
#define BY_SCORE "a+b b+a \xc3\xa9+a ab+a a+ba ba+b b+ab "
#define BY_ID "a+b a+ba ab+a b+ab ba+b b+a \xc3\xa9+a "

TEST(merges_in_order)
{
	static const char ea[] = "\xc3\xa9\x61"; /* an accented e, a */
	static const char *const pieces[] = {
	    "<unk>", "a", "b", "ab", "aba", "bab", "ba", "\xc3\xa9", ea};
	static const double score[] = {0, -9, -9, -1, -2, -3, -1, -9, -1};
	check_merges(pieces, score, 9, false, BY_SCORE);
	check_merges(pieces, score, 9, true, BY_ID);
}

TEST(long_pieces)
{
	static char piece[2000];
	struct bt_bpe_merge *m = NULL;
	struct bt_vocab v = {0};
	const double score[] = {0};
	size_t n;

	memset(piece, 'a', sizeof(piece) - 1);
	assert_ok(bt_vocab_put(&v, 0, bt_span(piece), &err));
	assert_ok(bt_vocab_index(&v, 0, &err));
	assert_err(bt_spm_merges(&v, score, false, &m, &n, &err), BT_ELIMIT,
	           "piece 0 has more than 1024 bytes");
	bt_vocab_clear(&v);
}

/* SPDX-License-Identifier: MIT */
/* What a GGUF file says of a tokenizer. */
#include <stdlib.h>
#include <string.h>

#include "ckpt_format/gguf_int.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/in.h"
#include "io/path.h"

#define VOCAB_MAX ((size_t)64 << 20)

/* The note that a special token of BERT's has, or NULL. */
static const char *special(struct bt_span s)
{
	if (bt_span_equal(s, bt_span("[CLS]")))
		return "tokenizer.ggml.bos_token_id";
	if (bt_span_equal(s, bt_span("[SEP]")))
		return "tokenizer.ggml.seperator_token_id"; /* so spelled */
	return s.n > 0 && s.p[0] == '[' ? bt_gguf_role(s) : NULL;
}

/* A token begins with a mark where a word does, and has no ## where not. */
static void add_word(struct bt_gguf_tokens *t, struct bt_span s)
{
	static const char mark[] = "\xe2\x96\x81";
	struct bt_buf b = BT_BUF_INIT;

	if (s.n >= 2 && memcmp(s.p, "##", 2) == 0) {
		bt_gguf_tokens_add(t, s.p + 2, s.n - 2, BT_GGUF_NORMAL);
		return;
	}
	bt_buf_put(&b, mark, 3);
	bt_buf_put(&b, s.p, s.n);
	bt_gguf_tokens_add(t, bt_buf_at(&b, 0), b.len, BT_GGUF_NORMAL);
	bt_buf_clear(&b);
}

static void note_words(struct bt_gguf_notes *n, const char *data, size_t len,
                       uint64_t rows)
{
	const char *p = data, *end = data + len, *line;
	struct bt_gguf_tokens t = {.n = 0};
	struct bt_span s;

	while (p < end) {
		line = memchr(p, '\n', (size_t)(end - p));
		line = line != NULL ? line : end;
		s = (struct bt_span){p, (size_t)(line - p)};
		s.n -= s.n > 0 && p[s.n - 1] == '\r';
		if (special(s) != NULL) {
			bt_gguf_note_u32(n, special(s), (uint32_t)t.n);
			bt_gguf_tokens_add(&t, s.p, s.n, BT_GGUF_CONTROL);
		} else {
			add_word(&t, s);
		}
		p = line + 1;
	}
	bt_gguf_note_text(n, "tokenizer.ggml.model", "bert");
	bt_gguf_note_text(n, "tokenizer.ggml.pre", "default");
	bt_gguf_tokens_fill(&t, rows);
	bt_gguf_tokens_note(&t, n);
}

/* Whether texts are made small, and their accents left out, which goes with
 * that unless it is said: in tokenizer.json, then in tokenizer_config.json. */
static int read_case(const char *dir, bool *lower, bool *strip,
                     struct bt_error *err)
{
	json_t *fast, *config = NULL;
	const json_t *norm;
	int accents = -1;
	int r = bt_json_load_in(dir, BT_FILE_TOKENIZER, &fast, err);

	if (r == BT_OK)
		r = bt_hf_config_tokenizer(dir, &config, err);
	norm = json_object_get(fast, "normalizer");
	if (r == BT_OK && norm != NULL &&
	    (r = bt_json_bool(norm, "lowercase", lower, err)) == BT_OK)
		r = bt_json_flag(norm, "strip_accents", &accents, err);
	if (r == BT_OK && config != NULL &&
	    (r = bt_json_bool(config, "do_lower_case", lower, err)) == BT_OK)
		r = bt_json_flag(config, "strip_accents", &accents, err);
	*strip = accents < 0 ? *lower : accents > 0;
	json_decref(fast);
	json_decref(config);
	return r;
}

static int note_case(const char *dir, struct bt_gguf_notes *n,
                     struct bt_error *err)
{
	bool lower = true, strip;
	int r = read_case(dir, &lower, &strip, err);

	if (r != BT_OK)
		return r;
	bt_gguf_note_bool(n, "tokenizer.ggml.normalizer.lowercase", lower);
	bt_gguf_note_bool(n, "tokenizer.ggml.normalizer.strip_accents", strip);
	return BT_OK;
}

static int read_words(const char *dir, const char *path, uint64_t rows,
                      struct bt_gguf_notes *n, struct bt_error *err)
{
	char *data;
	size_t len;
	int r = bt_in_whole(path, VOCAB_MAX, &data, &len, err);

	if (r != BT_OK)
		return r;
	note_words(n, data, len, rows);
	free(data);
	return note_case(dir, n, err);
}

/* A directory without a list of words. */
static int read_json(const char *dir, uint64_t rows, struct bt_gguf_notes *n,
                     struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_TOKENIZER), *other = NULL;
	const struct bt_model_file *f = NULL;
	json_t *o = NULL;
	int r = bt_model_files_find(dir, BT_USE_OPENS, &f, &other, err);

	if (r == BT_OK && bt_path_is_file(path))
		r = bt_json_load(path, &o, err);
	else if (r == BT_OK && f != NULL && strcmp(f->name, BT_FILE_IDS) == 0)
		r = bt_gguf_bpe_json(dir, &o, err);
	else if (r == BT_OK && f != NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': a tokenizer for llama.cpp is made of "
		                 "'%s', which is not there",
		                 other, path);
	if (r == BT_OK && o != NULL) {
		r = bt_gguf_note_tokenizer_json(o, rows, n, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s'", other);
	}
	json_decref(o);
	free(other);
	free(path);
	return r;
}

int bt_gguf_note_tokenizer(const char *dir, uint64_t rows,
                           struct bt_gguf_notes *n, struct bt_error *err)
{
	const struct bt_model_file *f;
	char *path;
	int r = bt_model_files_find(dir, BT_USE_WORDPIECE, &f, &path, err);

	if (r != BT_OK)
		return r;
	if (f == NULL)
		path = bt_path_join(dir, BT_FILE_KERAS_VOCAB);
	if (f != NULL || bt_path_is_file(path))
		r = read_words(dir, path, rows, n, err);
	else
		r = read_json(dir, rows, n, err);
	free(path);
	return r;
}

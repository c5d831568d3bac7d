/* SPDX-License-Identifier: MIT */
/* A tokenizer.json for a tokenizer that was read from other files. */
#include <stdlib.h>
#include <string.h>

#include "format/json.h"
#include "format/model_files.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "tokenizer_file/export_json_int.h"

#define MAX_FILE ((size_t)64 << 20)

static json_t *make_post(const struct bt_tok *t)
{
	if (t->frame != BT_TEMPLATE_KIND_ROBERTA)
		return bt_tok_export_template(t);
	return json_pack("{ss s[oi] s[oi] sb sb}", "type", "RobertaProcessing",
	                 "sep", bt_tok_export_token(t, t->role[BT_TOK_SEP]),
	                 (int)t->role[BT_TOK_SEP], "cls",
	                 bt_tok_export_token(t, t->role[BT_TOK_CLS]),
	                 (int)t->role[BT_TOK_CLS], "trim_offsets", t->trim.on,
	                 "add_prefix_space", t->trim.prefix);
}

static json_t *make_wordpiece(const struct bt_tok *t)
{
	json_t *norm = json_pack(
	    "{ss sb sb sb sb}", "type", "BertNormalizer", "clean_text",
	    t->flags.clean, "handle_chinese_chars", t->flags.cjk,
	    "strip_accents", t->flags.strip, "lowercase", t->flags.lower);
	json_t *model = json_pack(
	    "{ss so ss sI so}", "type", "WordPiece", "unk_token",
	    bt_tok_export_token(t, t->role[BT_TOK_UNK]),
	    "continuing_subword_prefix", t->prefix, "max_input_chars_per_word",
	    (json_int_t)t->max_chars, "vocab", bt_tok_export_vocab(t));

	return json_pack(
	    "{ss sn sn so so s{ss} so s{ss ss sb} so}", "version", "1.0",
	    "truncation", "padding", "added_tokens", bt_tok_export_added(t),
	    "normalizer", norm, "pre_tokenizer", "type", "BertPreTokenizer",
	    "post_processor", make_post(t), "decoder", "type", "WordPiece",
	    "prefix", t->prefix, "cleanup", 1, "model", model);
}

/* The lines of merges.txt but its version. */
static json_t *make_merges(const char *p, size_t n)
{
	static const char version[] = "#version";
	const char *end = p + n, *nl;
	json_t *list = json_array();
	size_t len;
	int bad = list == NULL;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		len = (size_t)(nl - p);
		if (len > 0 && p[len - 1] == '\r')
			len--;
		if (len == 0 || (len >= strlen(version) &&
		                 memcmp(p, version, strlen(version)) == 0))
			continue;
		bad |= json_array_append_new(list, json_stringn(p, len));
	}
	return bt_json_whole(list, bad);
}

static json_t *make_bpe(const struct bt_tok *t, const char *merges, size_t n)
{
	json_t *model = json_pack(
	    "{ss sn sn ss ss sb sb so so}", "type", "BPE", "dropout",
	    "unk_token", "continuing_subword_prefix", "", "end_of_word_suffix",
	    "", "fuse_unk", 0, "byte_fallback", 0, "vocab",
	    bt_tok_export_vocab(t), "merges", make_merges(merges, n));

	return json_pack("{ss sn sn so sn s{ss sb sb sb} so s{ss sb sb sb} so}",
	                 "version", "1.0", "truncation", "padding",
	                 "added_tokens", bt_tok_export_added(t), "normalizer",
	                 "pre_tokenizer", "type", "ByteLevel",
	                 "add_prefix_space", t->bytes.prefix, "trim_offsets", 1,
	                 "use_regex", 1, "post_processor", make_post(t),
	                 "decoder", "type", "ByteLevel", "add_prefix_space", 1,
	                 "trim_offsets", 1, "use_regex", 1, "model", model);
}

static int make_json(const struct bt_tok *t, json_t **o, struct bt_error *err)
{
	char *path = NULL, *merges = NULL;
	size_t n = 0;
	int r = BT_OK;

	if (t->kind == BT_TOK_WORDPIECE) {
		*o = make_wordpiece(t);
	} else if (t->spm != NULL) {
		r = bt_spm_json(t, o, err);
	} else {
		path = bt_path_join(t->path, BT_FILE_MERGES);
		r = bt_in_whole(path, MAX_FILE, &merges, &n, err);
		if (r == BT_OK)
			*o = make_bpe(t, merges, n);
	}
	free(path);
	free(merges);
	if (r == BT_OK && *o == NULL)
		r = bt_error_nomem(err, "writing a tokenizer");
	return r;
}

/* With all digits of the scores. */
static int write_json(const char *path, const json_t *o, struct bt_error *err)
{
	char *s = json_dumps(o, JSON_INDENT(2));
	size_t n;
	int r;

	if (s == NULL)
		return bt_error_nomem(err, "writing a tokenizer");
	n = strlen(s);
	s[n] = '\n'; /* in place of the NUL */
	r = bt_out_whole(path, s, n + 1, err);
	free(s);
	return r;
}

int bt_tok_save_json(const struct bt_tok *t, const char *dir,
                     struct bt_error *err)
{
	json_t *o = NULL;
	char *path = bt_path_join(dir, BT_FILE_TOKENIZER);
	int r = make_json(t, &o, err);

	if (r == BT_OK)
		r = write_json(path, o, err);
	json_decref(o);
	free(path);
	return r;
}

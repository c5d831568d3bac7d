/* SPDX-License-Identifier: MIT */
/*
 * tokenizer.json, the file of Hugging Face's fast tokenizers. Components that
 * are not known are refused by name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "tokenizer_file/tokenizer_json_int.h"

static int read_normalizer(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	static const char *const known[] = {
	    "type",          "!clean_text", "!handle_chinese_chars",
	    "strip_accents", "!lowercase",  NULL};
	struct bt_tok_flags f = {1, 1, BT_TOK_UNSET, 1};
	int r;

	if (o == NULL || json_is_null(o)) { /* text is taken as it is */
		t->flags = (struct bt_tok_flags){0, 0, 0, 0};
		return BT_OK;
	}
	if (!bt_tok_is_type(o, "BertNormalizer"))
		return bt_tok_unsupported("normalizer", o, err);
	if ((r = bt_tok_only("normalizer", o, known, err)) ||
	    (r = bt_json_flag(o, "clean_text", &f.clean, err)) ||
	    (r = bt_json_flag(o, "handle_chinese_chars", &f.cjk, err)) ||
	    (r = bt_json_flag(o, "strip_accents", &f.strip, err)) ||
	    (r = bt_json_flag(o, "lowercase", &f.lower, err)))
		return r;
	t->flags = f;
	return BT_OK;
}

static int replace(char **s, const char *with, struct bt_error *err)
{
	char *copy = bt_strndup(with, strlen(with));

	if (copy == NULL)
		return bt_error_nomem(err, "reading a tokenizer");
	free(*s);
	*s = copy;
	return BT_OK;
}

static int read_model(struct bt_tok *t, json_t *o, struct bt_fast_vocab *bulk,
                      struct bt_error *err)
{
	static const char *const known[] = {"type",
	                                    "!unk_token",
	                                    "!continuing_subword_prefix",
	                                    "!max_input_chars_per_word",
	                                    "!vocab",
	                                    NULL};
	const char *unk = t->role_name[BT_TOK_UNK], *prefix = t->prefix;
	int r;

	/* files of 2019 have no type */
	if (!bt_tok_is_type(o, "WordPiece") &&
	    (json_object_get(o, "type") != NULL ||
	     json_object_get(o, "max_input_chars_per_word") == NULL))
		return bt_tok_unsupported("model", o, err);
	if ((r = bt_tok_only("model", o, known, err)) ||
	    (r = bt_json_str(o, "unk_token", &unk, err)) ||
	    (r = bt_json_str(o, "continuing_subword_prefix", &prefix, err)) ||
	    (r = bt_json_int(o, "max_input_chars_per_word", 1, INT32_MAX,
	                     &t->max_chars, err)) ||
	    (r = replace(&t->role_name[BT_TOK_UNK], unk, err)) ||
	    (r = replace(&t->prefix, prefix, err)))
		return r;
	return bt_tok_json_vocab(t, json_object_get(o, "vocab"), bulk, err);
}

static int read_added(struct bt_tok *t, json_t *list, struct bt_error *err)
{
	static const char *const known[] = {
	    "!id",     "!content", "!single_word", "!lstrip",
	    "!rstrip", "!special", "!normalized",  NULL};
	struct bt_added_token token;
	int64_t id;
	size_t i;
	json_t *v;
	int r;

	json_array_foreach(list, i, v)
	{
		memset(&token, 0, sizeof(token));
		id = -1;
		r = bt_tok_has("token", v, known, err);
		if (r == BT_OK)
			r = bt_json_int(v, "id", 0, INT32_MAX, &id, err);
		if (r == BT_OK && id < 0)
			r = bt_error_set(err, BT_EFORMAT, "no 'id'");
		if (r == BT_OK)
			r = bt_tok_read_added(v, &token, err);
		token.id = (int32_t)id;
		if (r == BT_OK)
			r = bt_tok_add(t, &token, err);
		if (r != BT_OK)
			return bt_error_prefix(err, "added_tokens[%zu]", i);
	}
	return BT_OK;
}

/* True for a model whose vocabulary is a list: files of 2019 have no type. */
static bool is_unigram(const json_t *o)
{
	return bt_tok_is_type(o, "Unigram") ||
	       (json_object_get(o, "type") == NULL &&
	        json_is_array(json_object_get(o, "vocab")));
}

/* Files of 2019 have no type. */
static bool is_bpe(const json_t *o)
{
	return bt_tok_is_type(o, "BPE") ||
	       (json_object_get(o, "type") == NULL &&
	        json_object_get(o, "merges") != NULL);
}

static const char *const type_alone[] = {"type", NULL};

/* What is done to a text before the model. BERT's normalizer waits for what
 * tokenizer_config.json says of it. */
static int read_steps(struct bt_tok *t, json_t *norm, json_t *pretok,
                      bool wordpiece, struct bt_error *err)
{
	bool none = norm == NULL || json_is_null(norm);
	int r = BT_OK;

	t->bert_norm =
	    bt_tok_is_type(norm, "BertNormalizer") || (none && wordpiece);
	t->bert_split = t->bert_norm && wordpiece &&
	                bt_tok_is_type(pretok, "BertPreTokenizer");
	if (t->bert_split)
		r = bt_tok_only("pre_tokenizer", pretok, type_alone, err);
	if (r != BT_OK)
		return r;
	t->bytes.top = bt_tok_is_type(pretok, "ByteLevel");
	if (t->bert_norm) {
		r = read_normalizer(t, norm, err);
	} else {
		t->flags = (struct bt_tok_flags){0, 0, 0, 0};
		r = bt_tok_json_norm(t, norm, err);
	}
	if (r != BT_OK || t->bert_split)
		return r;
	if (wordpiece && (pretok == NULL || json_is_null(pretok)))
		return bt_tok_unsupported("pre_tokenizer", pretok, err);
	return bt_tok_json_pretok(t, pretok, err);
}

/* From which side tokens go, unless tokenizer_config.json says another. */
static int read_truncation(struct bt_tok *t, const json_t *o,
                           struct bt_error *err)
{
	const char *side = "Right";
	int r;

	if (o == NULL || json_is_null(o))
		return BT_OK;
	r = bt_json_str(o, "direction", &side, err);
	t->cut_left = strcmp(side, "Left") == 0;
	if (r == BT_OK && !t->cut_left && strcmp(side, "Right") != 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "direction '%.100s' is not supported", side);
	return r == BT_OK ? BT_OK : bt_error_prefix(err, "truncation");
}

/* Whether the file is of the one version there is, with no part beside those.
 */
static int check_file(json_t *o, struct bt_error *err)
{
	static const char *const known[] = {"version",        "truncation",
	                                    "padding",        "added_tokens",
	                                    "normalizer",     "pre_tokenizer",
	                                    "model",          "decoder",
	                                    "post_processor", NULL};
	const char *version = "1.0";
	int r = bt_tok_only("file", o, known, err);

	if (r == BT_OK)
		r = bt_json_str(o, "version", &version, err);
	if (r == BT_OK && strcmp(version, "1.0") != 0)
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "version '%.100s' of the file is not supported", version);
	return r;
}

static int read_components(struct bt_tok *t, json_t *o,
                           struct bt_fast_vocab *bulk, struct bt_error *err)
{
	json_t *model = json_object_get(o, "model");
	bool unigram = is_unigram(model), bpe = is_bpe(model);
	json_t *added = json_object_get(o, "added_tokens");
	int r = check_file(o, err);

	if (r == BT_OK && added != NULL && !json_is_null(added))
		r = bt_tok_list("file", o, "added_tokens", err);
	if (r == BT_OK)
		r = read_steps(t, json_object_get(o, "normalizer"),
		               json_object_get(o, "pre_tokenizer"),
		               !unigram && !bpe, err);
	if (r == BT_OK && t->bytes.on && !bpe)
		r = bt_error_set(err, BT_EFORMAT,
		                 "the pre_tokenizer ByteLevel is supported for "
		                 "the model BPE only");
	if (r == BT_OK)
		r = unigram ? bt_tok_json_unigram(t, model, bulk, err)
		    : bpe   ? bt_tok_json_bpe(t, model, bulk, err)
		            : read_model(t, model, bulk, err);
	t->model_tokens = t->vocab.n;
	if (r == BT_OK)
		r = read_added(t, added, err);
	if (r == BT_OK)
		r = bt_tok_json_post(t, json_object_get(o, "post_processor"),
		                     err);
	if (r == BT_OK)
		r = bt_decoder_read(&t->decode, json_object_get(o, "decoder"),
		                    err);
	if (r == BT_OK)
		r = read_truncation(t, json_object_get(o, "truncation"), err);
	if (r == BT_OK)
		r = bt_tok_guess_roles(t, err);
	return r;
}

int bt_tok_read_json(struct bt_tok *t, const char *path, struct bt_error *err)
{
	struct bt_fast_vocab bulk;
	const char *class;
	json_t *o;
	int r = bt_fast_vocab_read(path, &bulk, &o, err);

	if (r != BT_OK)
		return r;
	t->is_json = true;
	class = bt_hf_config_keras_class(o);
	if (class != NULL && json_object_get(o, "model") == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "it holds settings of KerasHub, of the class "
		                 "'%.100s': only BertTokenizer is supported, "
		                 "in the directory of a preset with "
		                 "its " BT_FILE_KERAS_VOCAB,
		                 class);
	else
		r = bt_tok_class_flags(t, o, err);
	if (r == BT_OK)
		r = read_components(t, o, &bulk, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	json_decref(o);
	bt_fast_vocab_clear(&bulk);
	return r;
}

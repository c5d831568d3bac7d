/* SPDX-License-Identifier: MIT */
/* Opening: finds the files and reads them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/adapter_config.h"
#include "format/hub_cache.h"
#include "format/model_files.h"
#include "format/sentence.h"
#include "io/path.h"
#include "io/url.h"
#include "tokenizer_file/reader.h"
#include "tokenizer_file/tokenizer_file.h"

#define HF_MAX_CHARS 100

static struct bt_tok *make(const char *path)
{
	static const char *const names[] = {"[UNK]", "[CLS]", "[SEP]", "[PAD]",
	                                    "[MASK]"};
	struct bt_tok *t = bt_array0(1, sizeof(*t));
	int i;

	t->path = bt_strndup(path, strlen(path));
	t->prefix = bt_strndup("##", 2);
	t->max_chars = HF_MAX_CHARS;
	t->flags = (struct bt_tok_flags){1, 1, BT_TOK_UNSET, BT_TOK_UNSET};
	t->bert_norm = t->bert_split = true;
	for (i = 0; i < BT_TOK_ROLES; i++)
		t->role_name[i] = bt_strndup(names[i], strlen(names[i]));
	return t;
}

static int read_vocab(struct bt_tok *t, const char *path, struct bt_error *err)
{
	int r =
	    bt_vocab_read(&t->vocab, path, t->dialect == BT_TOK_GOOGLE, err);

	if (r != BT_OK)
		return r;
	t->model_tokens = t->vocab.n;
	r = bt_vocab_index(&t->vocab, 1, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	return r;
}

static int read_spm(struct bt_tok *t, struct bt_error *err)
{
	const struct bt_model_file *f = NULL;
	char *path = NULL;
	int r = bt_model_files_find(t->path, BT_USE_SPM, &f, &path, err);

	if (r == BT_OK && f == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' holds no tokenizer.json, no vocab.txt, "
		                 "and not both vocab.json and merges.txt, nor "
		                 "a SentencePiece model",
		                 t->path);
	if (r == BT_OK)
		r = bt_tok_read_spm(t, path, err);
	free(path);
	return r;
}

static int read_dir(struct bt_tok *t, struct bt_error *err)
{
	char *json = bt_path_join(t->path, BT_FILE_TOKENIZER);
	char *ids = bt_path_join(t->path, BT_FILE_IDS);
	char *merges = bt_path_join(t->path, BT_FILE_MERGES);
	const struct bt_model_file *f;
	char *vocab = NULL; /* a token a line */
	int r = BT_OK;

	if (t->is_keras)
		vocab = bt_path_join(t->path, BT_FILE_KERAS_VOCAB);
	else
		r = bt_model_files_find(t->path, BT_USE_WORDPIECE, &f, &vocab,
		                        err);
	if (r == BT_OK && bt_path_there(json) && !t->is_keras)
		r = bt_tok_read_json(t, json, err);
	else if (r == BT_OK && vocab != NULL)
		r = read_vocab(t, vocab, err);
	else if (r == BT_OK && bt_path_there(ids) && bt_path_there(merges))
		r = bt_tok_read_merges(t, ids, merges, err);
	else if (r == BT_OK)
		r = read_spm(t, err);
	free(json);
	free(vocab);
	free(ids);
	free(merges);
	if (r == BT_OK)
		r = bt_tok_read_config(t, err);
	if (r == BT_OK)
		r = bt_tok_read_model_config(t, err);
	return r;
}

/* A vocabulary of its own has the special tokens that have their usual names.
 */
static int read_file(struct bt_tok *t, struct bt_error *err)
{
	struct bt_added_token token = {.id = -1, .special = true};
	size_t n = strlen(t->path);
	int i, r;

	if (n > 5 && strcmp(t->path + n - 5, ".json") == 0)
		return bt_tok_read_json(t, t->path, err);
	r = read_vocab(t, t->path, err);
	for (i = 0; r == BT_OK && i < BT_TOK_ROLES; i++) {
		token.content = bt_span(t->role_name[i]);
		if (bt_vocab_find(&t->vocab, token.content) >= 0)
			r = bt_tok_add(t, &token, err);
	}
	return r;
}

/* A SavedModel of TensorFlow keeps its vocabulary with its assets: these are
 * then the directory. */
static void find_assets(struct bt_tok *t)
{
	char *vocab = bt_path_join(t->path, BT_FILE_VOCAB);
	char *saved = bt_path_join(t->path, "saved_model.pb");
	char *assets = bt_path_join(t->path, "assets");
	char *there = bt_path_join(assets, BT_FILE_VOCAB);

	if (!bt_path_there(vocab) && bt_path_there(saved) &&
	    bt_path_there(there)) {
		free(t->path);
		t->path = assets;
		assets = NULL;
	}
	free(vocab);
	free(saved);
	free(assets);
	free(there);
}

/* That of a sentence-transformers' directory may be in a folder of it, with the
 * encoder; what is said of texts' length as well. */
static int find_encoder(struct bt_tok *t, struct bt_error *err)
{
	char *encoder = bt_model_files_encoder(t->path);
	int64_t n = 0;
	int r = bt_sentence_length(t->path, &n, &t->lower_more, err);

	t->seq_length = (size_t)n;
	free(t->path);
	t->path = encoder;
	return r;
}

/* That of the model that an adapter changes, unless it stands beside this. */
static int find_base(struct bt_tok *t, struct bt_error *err)
{
	char *in;
	int r = bt_adapter_tokenizer(t->path, &in, err);

	if (r == BT_OK) {
		free(t->path);
		t->path = in;
	}
	return r;
}

/* Whether a file has the name of a tokenizer's, and so was likely meant. */
static bool is_named(const char *path)
{
	return bt_str_ends(path, BT_FILE_VOCAB) ||
	       bt_str_ends(path, BT_FILE_TOKENIZER);
}

int bt_tok_open(const char *path, const struct bt_tok_opts *opts,
                struct bt_tok **tok, struct bt_error *err)
{
	static const struct bt_tok_opts usual = BT_TOK_OPTS_INIT;
	struct bt_tok *t;
	struct stat st;
	int r = bt_url_refuse(path, BT_URL_DIR, err);

	if (r != BT_OK)
		return r;
	t = make(path);
	if (opts == NULL)
		opts = &usual;
	t->is_dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	t->dialect = BT_TOK_HF;
	if (t->is_dir && !(r = find_base(t, err))) {
		find_assets(t);
		r = find_encoder(t, err);
		if (r == BT_OK)
			r = bt_tok_read_dialect(t, err);
	}
	if (opts->dialect != BT_TOK_ANY) {
		t->garden = opts->dialect == BT_TOK_GARDEN;
		t->dialect = t->garden ? BT_TOK_GOOGLE : opts->dialect;
	}
	if (r == BT_OK)
		r = t->is_dir ? read_dir(t, err) : read_file(t, err);
	if (r == BT_OK)
		r = bt_tok_finish(t, opts, err);
	if (r != BT_OK && !bt_path_there(path))
		r = bt_hub_cache_hint(path, r, err);
	else if (r == BT_EFORMAT && !t->is_dir && !is_named(path))
		r = bt_error_hint(err, BT_HINT_TOKENIZER_PATH, r);
	if (r != BT_OK) {
		bt_tok_free(t);
		return r;
	}
	*tok = t;
	return BT_OK;
}

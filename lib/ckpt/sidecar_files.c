/* SPDX-License-Identifier: MIT */
/* The files of a model directory that stand beside its weights. */
#include <stdlib.h>
#include <string.h>

#include "ckpt/adapter.h"
#include "ckpt/convert.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "tensor/checkpoint_reader.h"

#define FILE_MAX ((size_t)256 << 20)

static int copy(const char *from, const char *to, struct bt_error *err)
{
	char *data;
	size_t n;
	int r = bt_in_whole(from, FILE_MAX, &data, &n, err);

	if (r != BT_OK)
		return r;
	r = bt_out_whole(to, data, n, err);
	free(data);
	return r;
}

/* Whether a configuration is one of KerasHub, whose keys are others. */
static bool is_keras(const char *path)
{
	json_t *o = NULL;
	bool keras = bt_json_load(path, &o, NULL) == BT_OK &&
	             bt_hf_config_keras_class(o) != NULL;

	json_decref(o);
	return keras;
}

static int save(const char *dir, const char *name, const json_t *o, int *copied,
                struct bt_error *err)
{
	char *path = bt_path_join(dir, name);
	int r = BT_OK;

	if (!bt_path_is_file(path)) {
		r = bt_json_save(path, o, err);
		++*copied;
	}
	free(path);
	return r;
}

/* Saves what is not said in Hugging Face's keys in them: a configuration of
 * Google's stays beside that. */
static int translate(const char *src, const char *dir, const json_t *tokenizer,
                     int *copied, struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_CONFIG);
	json_t *o = NULL;
	int r = BT_OK;

	if (!bt_path_is_file(path))
		r = bt_ckpt_config(src, &o, NULL, err);
	if (r == BT_OK && o != NULL)
		r = save(dir, BT_FILE_CONFIG, o, copied, err);
	if (r == BT_OK && tokenizer != NULL)
		r = save(dir, BT_FILE_TOKENIZER_CONFIG, tokenizer, copied, err);
	json_decref(o);
	free(path);
	return r;
}

/* Whether a file of this kind goes into a copy as it is. */
static bool goes(const struct bt_model_file *f, const char *path,
                 bool keras_tokenizer)
{
	if (strcmp(f->name, BT_FILE_CONFIG) == 0)
		return !is_keras(path);
	if (strcmp(f->name, BT_FILE_TOKENIZER) == 0)
		return !keras_tokenizer;
	return strcmp(f->name, BT_FILE_KERAS_VOCAB) != 0 || keras_tokenizer;
}

/* modules.json of a copy, where the encoder stands with all else. */
static int copy_modules(const char *from, const char *to, struct bt_error *err)
{
	json_t *list = NULL;
	int r = bt_json_load_list(from, &list, err);

	if (r != BT_OK)
		return r;
	json_object_set_new(json_array_get(list, 0), "path", json_string(""));
	r = bt_json_save(to, list, err);
	json_decref(list);
	return r;
}

/* The path of a file of the table, in the encoder's directory or beside that;
 * to be freed. */
static char *path_in(const char *src, const char *encoder, const char *name)
{
	char *path = bt_path_join(encoder, name);

	if (bt_path_is_file(path))
		return path;
	free(path);
	return bt_path_join(src, name);
}

static int copy_beside(const char *src, const char *dir, int *copied,
                       struct bt_error *err)
{
	char *encoder = bt_model_files_encoder(src);
	bool apart = strcmp(src, encoder) != 0;
	char *a, *b;
	const struct bt_model_file *f = NULL;
	json_t *tokenizer = NULL;
	int r = bt_hf_config_keras_tokenizer(src, &tokenizer, err);

	while (r == BT_OK && (f = bt_model_files_next(
	                          f, ~(unsigned)BT_USE_WEIGHTS)) != NULL) {
		a = path_in(src, encoder, f->name);
		b = bt_path_join(dir, f->as != NULL ? f->as : f->name);
		if (bt_path_is_file(a) && goes(f, a, tokenizer != NULL) &&
		    !bt_path_is_file(b)) {
			r = bt_path_above(b, err);
			if (r == BT_OK && apart &&
			    strcmp(f->name, BT_FILE_MODULES) == 0)
				r = copy_modules(a, b, err);
			else if (r == BT_OK)
				r = copy(a, b, err);
			++*copied;
		}
		free(a);
		free(b);
	}
	/* ALBERT's tokenizer is a SentencePiece model, unless it is said that
	 * there is a list of tokens */
	if (r == BT_OK && tokenizer == NULL)
		r = bt_model_files_find(src, BT_USE_WORDPIECE, &f, NULL, err);
	if (r == BT_OK && tokenizer == NULL && f != NULL && f->as != NULL)
		tokenizer =
		    json_pack("{s:s}", "tokenizer_class", "BertTokenizer");
	if (r == BT_OK)
		r = translate(src, dir, tokenizer, copied, err);
	json_decref(tokenizer);
	free(encoder);
	return r;
}

int bt_sidecar_copy(const char *from, const char *dir, int *copied,
                    struct bt_error *err)
{
	char *src = bt_path_of(from), *in = NULL;
	int r;

	*copied = 0;
	r = copy_beside(src, dir, copied, err);
	if (r == BT_OK) /* an adapter may lack what its model has */
		r = bt_adapter_tokenizer(src, &in, err);
	if (r == BT_OK && strcmp(in, src) != 0)
		r = copy_beside(in, dir, copied, err);
	free(in);
	free(src);
	return r;
}

int bt_sidecar_spare(const char *from, const char *to, struct bt_error *err)
{
	const struct bt_model_file *f = NULL;
	char *dir = bt_path_of(from), *path;
	int r = BT_OK;

	while (r == BT_OK && (f = bt_model_files_next(
	                          f, ~(unsigned)BT_USE_WEIGHTS)) != NULL) {
		path = bt_path_join(dir, f->name);
		r = bt_out_spare(to, &path, 1, err);
		free(path);
	}
	free(dir);
	return r;
}

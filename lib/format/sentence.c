/* SPDX-License-Identifier: MIT */
#include "format/sentence.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"

#define PACKAGE "sentence_transformers."
#define EMBEDDING "sentence_embedding"
#define TORCH "torch.nn.modules."
#define MAX_COLUMNS (1 << 20)

static const char *const word[] = {"cls", "mean", "max"};

/* The word of a pooling_mode, or NULL. */
static const char *find_word(const char *mode)
{
	int i = BT_STR_ROW(mode, word);

	return i >= 0 ? word[i] : NULL;
}

/* Newer files: a word, or a list of them. */
static int read_mode(const json_t *mode, struct bt_sentence *s,
                     struct bt_error *err)
{
	size_t n = json_array_size(mode);

	if (n > 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "'pooling_mode' lists %zu ways, and only "
		                    "one at a time is supported",
		                    n);
	if (n == 1)
		mode = json_array_get(mode, 0);
	if (!json_is_string(mode))
		return bt_error_set(err, BT_EFORMAT,
		                    "'pooling_mode' is not a string");
	s->pooling = find_word(json_string_value(mode));
	if (s->pooling == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'pooling_mode' is '%.100s', expected cls, "
		                    "mean or max",
		                    json_string_value(mode));
	return BT_OK;
}

/* The word of a key of older files, or NULL. */
static const char *find_key(const char *key)
{
	static const char *const known[] = {"pooling_mode_cls_token",
	                                    "pooling_mode_mean_tokens",
	                                    "pooling_mode_max_tokens"};
	int i = BT_STR_ROW(key, known);

	return i >= 0 ? word[i] : NULL;
}

/* Older files: a key for each way, one of which is true; none: the mean. */
static int read_modes(json_t *o, struct bt_sentence *s, struct bt_error *err)
{
	const char *key, *found = NULL;
	json_t *v;
	bool on;
	int r;

	json_object_foreach(o, key, v)
	{
		on = false;
		if (!bt_str_starts(key, "pooling_mode_"))
			continue;
		r = bt_json_bool(o, key, &on, err);
		if (r != BT_OK)
			return r;
		if (on && found != NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%.100s' and '%.100s' are both "
			                    "true, and only one at a time is "
			                    "supported",
			                    found, key);
		if (on)
			found = key;
	}
	s->pooling = found != NULL ? find_key(found) : "mean";
	if (s->pooling == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%.100s' is not supported: expected "
		                    "pooling_mode_cls_token, "
		                    "pooling_mode_mean_tokens or "
		                    "pooling_mode_max_tokens",
		                    found);
	return BT_OK;
}

static int read_pooling(const char *path, struct bt_sentence *s,
                        struct bt_error *err)
{
	bool prompt = true;
	json_t *o = NULL, *mode;
	int r = bt_json_load(path, &o, err);

	if (r != BT_OK)
		return r;
	mode = json_object_get(o, "pooling_mode");
	r = mode != NULL && !json_is_null(mode) ? read_mode(mode, s, err)
	                                        : read_modes(o, s, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "include_prompt", &prompt, err);
	s->leaves_prompt = !prompt;
	json_decref(o);
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", path);
}

/* A module that reads or writes something else than embeddings is none of
 * those that are supported. */
static int check_names(const json_t *o, struct bt_error *err)
{
	static const char *const key[] = {"module_input_name",
	                                  "module_output_name"};
	const char *v;
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < 2; i++) {
		v = EMBEDDING;
		r = bt_json_str(o, key[i], &v, err);
		if (r == BT_OK && strcmp(v, EMBEDDING) != 0)
			r = bt_error_set(
			    err, BT_EFORMAT,
			    "'%s' is '%.100s', expected " EMBEDDING, key[i], v);
	}
	return r;
}

/* Older directories have no such file. */
static int read_normalize(const char *path, struct bt_sentence *s,
                          struct bt_error *err)
{
	json_t *o = NULL;
	int r = BT_OK;

	s->normalize = true;
	if (bt_path_there(path))
		r = bt_json_load(path, &o, err);
	if (o == NULL)
		return r;
	r = check_names(o, err);
	json_decref(o);
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", path);
}

static int read_activation(const json_t *o, const char **act,
                           struct bt_error *err)
{
	static const char *const known[][2] = {
	    {"linear.Identity", "none"},
	    {"activation.Tanh", "tanh"},
	    {"activation.ReLU", "relu"},
	    {"activation.GELU", "gelu"},
	};
	const char *v = TORCH "activation.Tanh";
	size_t i;
	int r = bt_json_str(o, "activation_function", &v, err);

	if (r != BT_OK)
		return r;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (bt_str_starts(v, TORCH) &&
		    strcmp(v + strlen(TORCH), known[i][0]) == 0) {
			*act = known[i][1];
			return BT_OK;
		}
	return bt_error_set(err, BT_EFORMAT,
	                    "'activation_function' is '%.100s', expected "
	                    "Identity, Tanh, ReLU or GELU of torch.nn",
	                    v);
}

static int read_size(const json_t *o, const char *key, int *size,
                     struct bt_error *err)
{
	int64_t v = 0;
	int r = bt_json_int(o, key, 1, MAX_COLUMNS, &v, err);

	*size = (int)v;
	return r == BT_OK && v == 0
	           ? bt_error_set(err, BT_EFORMAT, "'%s' is missing", key)
	           : r;
}

static int read_layer(const json_t *o, struct bt_sentence_dense *d,
                      struct bt_error *err)
{
	bool residual = false;
	int r;

	d->bias = true;
	if ((r = read_size(o, "in_features", &d->in, err)) ||
	    (r = read_size(o, "out_features", &d->out, err)) ||
	    (r = bt_json_bool(o, "bias", &d->bias, err)) ||
	    (r = bt_json_bool(o, "use_residual", &residual, err)) ||
	    (r = read_activation(o, &d->act, err)) || (r = check_names(o, err)))
		return r;
	return residual ? bt_error_set(err, BT_EFORMAT,
	                               "'use_residual' is not supported")
	                : BT_OK;
}

static int read_dense(const char *path, const char *folder,
                      struct bt_sentence *s, struct bt_error *err)
{
	struct bt_sentence_dense *d = &s->dense[s->n_dense];
	json_t *o = NULL;
	int r;

	if (s->n_dense == BT_SENTENCE_DENSE)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s': more than %d dense layers are not "
		                    "supported",
		                    path, BT_SENTENCE_DENSE);
	if (strlen(folder) >= sizeof(d->folder))
		return bt_error_set(err, BT_EFORMAT,
		                    "the name '%s' of a dense layer's folder "
		                    "is too long",
		                    folder);
	r = bt_json_load(path, &o, err);
	if (r != BT_OK)
		return r;
	r = read_layer(o, d, err);
	json_decref(o);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s'", path);
	memcpy(d->folder, folder, strlen(folder) + 1);
	s->n_dense++;
	return BT_OK;
}

enum module { TRANSFORMER, POOLING, DENSE, NORMALIZE, MODULES };

/* The module of sentence-transformers that a type names: where in the package
 * that stands changed. */
static enum module find_module(const char *type)
{
	static const char *const name[] = {"Transformer", "Pooling", "Dense",
	                                   "Normalize"};
	const char *dot = strrchr(type, '.');
	int i = 0;

	while (i < MODULES &&
	       (!bt_str_starts(type, PACKAGE) || strcmp(dot + 1, name[i]) != 0))
		i++;
	return (enum module)i;
}

/* Whether one may be module i, behind those that were read. */
static bool may_follow(enum module m, size_t i, const struct bt_sentence *s)
{
	if (i < 2)
		return m == (i == 0 ? TRANSFORMER : POOLING);
	return (m == DENSE || m == NORMALIZE) && !s->normalize;
}

static int read_module(const char *dir, size_t i, const json_t *o,
                       struct bt_sentence *s, struct bt_error *err)
{
	const char *type = "", *path = "";
	char *in, *config;
	enum module m;
	int r = bt_json_str(o, "type", &type, err);

	if (r == BT_OK)
		r = bt_json_str(o, "path", &path, err);
	m = find_module(type);
	if (r == BT_OK && !may_follow(m, i, s))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'type' is '%.200s', which is not supported "
		                 "there: expected Transformer, Pooling and, "
		                 "if any, Dense and Normalize of "
		                 "sentence_transformers",
		                 type);
	if (r == BT_OK &&
	    (!bt_path_is_inside(path) || (*path == '\0' && i > 0)))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'path' is '%.200s', expected a folder in the "
		                 "directory",
		                 path);
	if (r != BT_OK)
		return bt_error_prefix(
		    err, "'%s/" BT_FILE_MODULES "': module %zu", dir, i);
	if (m == TRANSFORMER)
		return BT_OK;
	in = bt_path_join(dir, path);
	config = bt_path_join(in, BT_FILE_CONFIG);
	r = m == POOLING ? read_pooling(config, s, err)
	    : m == DENSE ? read_dense(config, path, s, err)
	                 : read_normalize(config, s, err);
	free(config);
	free(in);
	return r;
}

int bt_sentence_read(const char *dir, struct bt_sentence *s,
                     struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_MODULES);
	json_t *list = NULL, *o;
	size_t i;
	int r = BT_OK;

	memset(s, 0, sizeof(*s));
	if (!bt_path_there(path))
		goto out;
	r = bt_json_load_list(path, &list, err);
	for (i = 0; r == BT_OK && i < json_array_size(list); i++) {
		o = json_array_get(list, i);
		r = json_is_object(o)
		        ? read_module(dir, i, o, s, err)
		        : bt_error_set(err, BT_EFORMAT,
		                       "'%s': module %zu is not an object",
		                       path, i);
	}
	if (r == BT_OK && s->pooling == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' has %zu modules, expected Transformer "
		                 "and Pooling at least",
		                 path, json_array_size(list));
out:
	json_decref(list);
	free(path);
	return r;
}

/* sentence_bert_config.json, or what some families called it, in the encoder's
 * directory; *o NULL: there is none. */
static int load_settings(const char *dir, json_t **o, char **path,
                         struct bt_error *err)
{
	const struct bt_model_file *f;
	char *encoder = bt_model_files_encoder(dir);
	int r = bt_model_files_find(encoder, BT_USE_SENTENCE, &f, path, err);

	free(encoder);
	return r == BT_OK && f != NULL ? bt_json_load(*path, o, err) : r;
}

int bt_sentence_length(const char *dir, int64_t *length, bool *lower,
                       struct bt_error *err)
{
	char *modules = bt_path_join(dir, BT_FILE_MODULES), *path = NULL;
	json_t *o = NULL;
	int r = BT_OK;

	if (bt_path_there(modules))
		r = load_settings(dir, &o, &path, err);
	free(modules);
	if (o != NULL) {
		r = bt_json_int(o, "max_seq_length", 1, INT32_MAX, length, err);
		if (r == BT_OK)
			r = bt_json_bool(o, "do_lower_case", lower, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s'", path);
		json_decref(o);
	}
	free(path);
	return r;
}

/* The names of the prompts, for messages. */
static void list_names(json_t *prompts, struct bt_buf *b)
{
	const char *key;
	json_t *v;

	json_object_foreach(prompts, key, v) if (json_is_string(v))
	    bt_buf_printf(b, "%s'%.100s'", b->len > 0 ? ", " : "", key);
}

int bt_sentence_prompt(const char *dir, const char *name, char **prompt,
                       struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	json_t *o = NULL, *prompts;
	const char *v = NULL;
	int r = bt_json_load_in(dir, BT_FILE_PROMPTS, &o, err);

	if (r != BT_OK)
		return r;
	prompts = json_object_get(o, "prompts");
	r = bt_json_str(prompts, name, &v, err);
	list_names(prompts, &b);
	if (r == BT_OK && v == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "unknown prompt '%s': the model has %s", name,
		                 b.len > 0 ? bt_buf_str(&b) : "none");
	bt_buf_clear(&b);
	if (r == BT_OK)
		*prompt = bt_strndup(v, strlen(v));
	else
		bt_error_prefix(err, "'%s/" BT_FILE_PROMPTS "'", dir);
	json_decref(o);
	return r;
}

int bt_sentence_default_prompt(const char *dir, char **name,
                               struct bt_error *err)
{
	const char *v = NULL, *text = "";
	json_t *o = NULL;
	int r = bt_json_load_in(dir, BT_FILE_PROMPTS, &o, err);

	*name = NULL;
	if (r != BT_OK)
		return r;
	r = bt_json_str(o, "default_prompt_name", &v, err);
	if (r == BT_OK && v != NULL)
		r = bt_json_str(json_object_get(o, "prompts"), v, &text, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s/" BT_FILE_PROMPTS "'", dir);
	else if (*text != '\0')
		*name = bt_strndup(v, strlen(v));
	json_decref(o);
	return r;
}

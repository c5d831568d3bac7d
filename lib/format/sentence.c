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

static const char *const word[] = {"cls", "mean", "max"};
#define WORDS (sizeof(word) / sizeof(word[0]))

/* The word of a pooling_mode, or NULL. */
static const char *find_word(const char *mode)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (strcmp(word[i], mode) == 0)
			return word[i];
	return NULL;
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
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (strcmp(known[i], key) == 0)
			return word[i];
	return NULL;
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

/* Older directories have no such file. */
static int read_normalize(const char *path, struct bt_sentence *s,
                          struct bt_error *err)
{
	static const char *const key[] = {"module_input_name",
	                                  "module_output_name"};
	const char *v;
	json_t *o = NULL;
	int i, r = BT_OK;

	s->normalize = true;
	if (bt_path_there(path))
		r = bt_json_load(path, &o, err);
	if (o == NULL)
		return r;
	for (i = 0; r == BT_OK && i < 2; i++) {
		v = EMBEDDING;
		r = bt_json_str(o, key[i], &v, err);
		if (r == BT_OK && strcmp(v, EMBEDDING) != 0)
			r = bt_error_set(
			    err, BT_EFORMAT,
			    "'%s' is '%.100s', expected " EMBEDDING, key[i], v);
	}
	json_decref(o);
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", path);
}

/* Whether a module is the one of that name of sentence-transformers: where in
 * the package that stands changed. */
static bool is_module(const char *type, const char *name)
{
	const char *dot = strrchr(type, '.');

	return bt_str_starts(type, PACKAGE) && strcmp(dot + 1, name) == 0;
}

static int read_module(const char *dir, size_t i, const json_t *o,
                       struct bt_sentence *s, struct bt_error *err)
{
	static const char *const name[] = {"Transformer", "Pooling",
	                                   "Normalize"};
	const char *type = "", *path = "";
	char *in, *config;
	int r = bt_json_str(o, "type", &type, err);

	if (r == BT_OK)
		r = bt_json_str(o, "path", &path, err);
	if (r == BT_OK && (i >= 3 || !is_module(type, name[i])))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'type' is '%.200s', which is not supported "
		                 "there: expected Transformer, Pooling and, "
		                 "if any, Normalize of sentence_transformers",
		                 type);
	if (r == BT_OK && (*path == '/' || strstr(path, "..") != NULL ||
	                   (*path == '\0') != (i == 0)))
		r = bt_error_set(err, BT_EFORMAT, "'path' is '%.200s', %s",
		                 path,
		                 i == 0 ? "expected the directory itself"
		                        : "expected a folder in the directory");
	if (r != BT_OK)
		return bt_error_prefix(
		    err, "'%s/" BT_FILE_MODULES "': module %zu", dir, i);
	if (i == 0)
		return BT_OK;
	in = bt_path_join(dir, path);
	config = bt_path_join(in, BT_FILE_CONFIG);
	r = i == 1 ? read_pooling(config, s, err)
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

int bt_sentence_length(const char *dir, int64_t *length, bool *lower,
                       struct bt_error *err)
{
	char *modules = bt_path_join(dir, BT_FILE_MODULES);
	json_t *o = NULL;
	int r = BT_OK;

	if (bt_path_there(modules))
		r = bt_json_load_in(dir, BT_FILE_SENTENCE, &o, err);
	free(modules);
	if (o == NULL)
		return r;
	r = bt_json_int(o, "max_seq_length", 1, INT32_MAX, length, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "do_lower_case", lower, err);
	json_decref(o);
	return r == BT_OK
	           ? r
	           : bt_error_prefix(err, "'%s/" BT_FILE_SENTENCE "'", dir);
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

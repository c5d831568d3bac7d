/* SPDX-License-Identifier: MIT */
/* Writing a tokenizer into a model directory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/json.h"
#include "format/model_files.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "io/url.h"
#include "tokenizer_file/export_json_int.h"
#include "tokenizer_file/tokenizer_file.h"

#define MAX_FILE ((size_t)256 << 20)

static int copy(const char *from, const char *dir, const char *name,
                struct bt_error *err)
{
	char *to = bt_path_join(dir, name), *data = NULL;
	size_t n = 0;
	int r = bt_in_whole(from, MAX_FILE, &data, &n, err);

	if (r == BT_OK)
		r = bt_out_whole(to, data, n, err);
	free(data);
	free(to);
	return r;
}

static int copy_dir(const struct bt_tok *t, const char *dir,
                    struct bt_error *err)
{
	const unsigned uses = BT_USE_TOKENS | BT_USE_SPECIALS;
	const struct bt_model_file *f = NULL;
	char *from;
	int r = BT_OK;

	while (r == BT_OK && (f = bt_model_files_next(f, uses)) != NULL) {
		/* of a preset of KerasHub the vocabulary is all that others
		 * read */
		if (t->is_keras ? strcmp(f->name, BT_FILE_KERAS_VOCAB) != 0
		                : strchr(f->name, '/') != NULL)
			continue;
		from = bt_path_join(t->path, f->name);
		if (bt_path_there(from))
			r = copy(from, dir, f->as != NULL ? f->as : f->name,
			         err);
		free(from);
	}
	return r;
}

/* Sets what the object does not have; takes the value over. */
static int set_missing(json_t *o, const char *key, json_t *v)
{
	json_t *old = json_object_get(o, key);

	if (old != NULL && !json_is_null(old)) {
		json_decref(v);
		return 0;
	}
	return json_object_set_new(o, key, v);
}

/* States whatever a reader of the directory must know and the file does not
 * say yet. tokenizer.json alone is for the class that takes it as it is. */
static int complete(const struct bt_tok *t, json_t *o, size_t max_length)
{
	int i, bad = 0;
	bool alone = t->is_json || t->spm != NULL;
	const char *class = alone ? "PreTrainedTokenizerFast" : "BertTokenizer";

	if (max_length == 0)
		max_length = t->max_length;
	if (!alone && t->kind == BT_TOK_BPE)
		class = "RobertaTokenizer";
	if (t->class_name != NULL)
		class = t->class_name;
	bad |= set_missing(o, "tokenizer_class", json_string(class));
	if (!t->is_json && t->kind == BT_TOK_WORDPIECE) {
		bad |= set_missing(o, "do_lower_case",
		                   json_boolean(t->flags.lower));
		bad |= set_missing(o, "tokenize_chinese_chars",
		                   json_boolean(t->flags.cjk));
		if (t->flags.strip != t->flags.lower)
			bad |= set_missing(o, "strip_accents",
			                   json_boolean(t->flags.strip));
	}
	for (i = 0; i < BT_TOK_ROLES; i++)
		if (t->role[i] >= 0)
			bad |= set_missing(o, bt_tok_role_key[i],
			                   json_string(t->role_name[i]));
	if (max_length != 0)
		bad |= set_missing(o, "model_max_length",
		                   json_integer((json_int_t)max_length));
	if (t->seq_length != 0) /* of a file that not every model has */
		bad |= json_object_set_new(
		    o, "model_max_length",
		    json_integer((json_int_t)t->seq_length));
	if (t->dialect == BT_TOK_GOOGLE)
		bad |= json_object_set_new(
		    o, "dialect",
		    json_string(t->garden ? "modelgarden" : "google"));
	else
		json_object_del(o, "dialect");
	return bad;
}

/* Copies the file unless something must be said that it does not say. */
static int save_config(const struct bt_tok *t, const char *dir,
                       size_t max_length, struct bt_error *err)
{
	static const char name[] = BT_FILE_TOKENIZER_CONFIG;
	char *from = bt_path_join(t->path, name), *to = bt_path_join(dir, name);
	json_t *o = NULL, *before = NULL;
	int r = BT_OK;

	if (t->has_config)
		r = bt_json_load(from, &before, err);
	if (r != BT_OK)
		goto out;
	o = before != NULL ? json_deep_copy(before) : json_object();
	if (o == NULL || complete(t, o, max_length) != 0)
		r = bt_error_nomem(err, "writing a tokenizer");
	else if (before != NULL && json_equal(o, before))
		r = copy(from, dir, name, err);
	else
		r = bt_json_save(to, o, err);
out:
	json_decref(o);
	json_decref(before);
	free(from);
	free(to);
	return r;
}

int bt_tok_save(const struct bt_tok *t, const char *dir, size_t max_length,
                struct bt_error *err)
{
	int r;

	if (t->is_dir)
		r = copy_dir(t, dir, err);
	else
		r = copy(t->path, dir,
		         t->is_json ? BT_FILE_TOKENIZER : BT_FILE_VOCAB, err);
	/* what of the configuration decides ids is in there, too */
	if (r == BT_OK && t->spm != NULL)
		r = bt_tok_save_json(t, dir, err);
	return r == BT_OK ? save_config(t, dir, max_length, err) : r;
}

static bool stands_in(const char *dir, const char *name)
{
	char *path = bt_path_join(dir, name);
	bool there = bt_path_there(path);

	free(path);
	return there;
}

/* Whether bt_tok_save writes a file of that name. */
static bool writes(const struct bt_tok *t, const char *name)
{
	bool json = strcmp(name, "tokenizer.json") == 0;

	if (json && (t->spm != NULL || (!t->is_dir && t->is_json)))
		return true;
	if (t->is_dir && !t->is_keras)
		return stands_in(t->path, name);
	return !t->is_json && strcmp(name, "vocab.txt") == 0;
}

const char *bt_tok_left(const struct bt_tok *t, const char *dir)
{
	const unsigned uses = BT_USE_TOKENS | BT_USE_SPECIALS;
	const struct bt_model_file *f = NULL;

	while ((f = bt_model_files_next(f, uses)) != NULL)
		if (strchr(f->name, '/') == NULL && stands_in(dir, f->name) &&
		    (t == NULL || !writes(t, f->name)))
			return f->name;
	return NULL;
}

int bt_tok_export(const struct bt_tok *t, const char *dir, struct bt_error *err)
{
	int r = bt_url_refuse(dir, BT_URL_DIR_OUT, err);

	if (r != BT_OK)
		return r;
	if (t->dialect == BT_TOK_GOOGLE)
		return bt_error_set(err, BT_EARG,
		                    "a tokenizer.json cannot express the "
		                    "dialect '%s'",
		                    t->garden ? "modelgarden" : "google");
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return bt_error_sys(err, errno, "cannot create directory '%s'",
		                    dir);
	r = bt_tok_save(t, dir, 0, err);
	if (r != BT_OK || t->is_json || t->spm != NULL)
		return r;
	return bt_tok_save_json(t, dir, err);
}

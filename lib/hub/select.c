/* SPDX-License-Identifier: MIT */
#include "hub/select.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/adapter_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"

struct select {
	const struct bt_hub_listing *l;
	bt_hub_text *text;
	void *ctx;
	struct bt_hub_selection *s;
	struct bt_error *err;
};

static int append(struct select *q, struct bt_hub_file *f)
{
	struct bt_hub_selection *s = q->s;

	if (bt_grow(&s->file, &s->cap, s->n + 1,
	            sizeof(struct bt_hub_file *)) != BT_OK)
		return bt_error_nomem(q->err, "choosing files");
	s->file[s->n++] = f;
	return BT_OK;
}

/* Once, of a model's few files. */
static int add(struct select *q, struct bt_hub_file *f)
{
	size_t i;

	for (i = 0; i < q->s->n; i++)
		if (q->s->file[i] == f)
			return BT_OK;
	return append(q, f);
}

static int add_if_there(struct select *q, const char *dir, const char *name)
{
	struct bt_hub_file *f = bt_hub_listing_find(q->l, dir, name);

	return f != NULL ? add(q, f) : BT_OK;
}

/* The table's names of modules' folders are those of models as they are today;
 * here the list of modules says which there are. */
static bool is_of_module(const char *name)
{
	return isdigit((unsigned char)name[0]) && name[1] == '_';
}

/* All but weights in a directory of the model. */
static int add_small(struct select *q, const char *dir)
{
	const unsigned uses = BT_USE_CONFIG | BT_USE_TOKENS | BT_USE_SPECIALS |
	                      BT_USE_SETTINGS | BT_USE_SENTENCE;
	const struct bt_model_file *m = NULL;
	int r = BT_OK;

	while (r == BT_OK && (m = bt_model_files_next(m, uses)) != NULL)
		if (!is_of_module(m->name))
			r = add_if_there(q, dir, m->name);
	return r;
}

/* A shard of an index, which says that it holds the tensor key. */
static int add_shard(struct select *q, const char *dir, const char *index,
                     const char *key, const json_t *shard)
{
	const char *name = json_string_value(shard);
	struct bt_hub_file *f =
	    name != NULL ? bt_hub_listing_find(q->l, dir, name) : NULL;

	if (f != NULL)
		return add(q, f);
	return bt_error_set(q->err, BT_EFORMAT,
	                    "'%s' says that '%.100s' is in '%.100s', which "
	                    "the hub does not have",
	                    index, key, name != NULL ? name : "?");
}

/* Those of an index; Keras' names several for a key, as a list. */
static int add_shards(struct select *q, const char *dir,
                      struct bt_hub_file *index)
{
	char *text = NULL;
	const char *key;
	json_t *o = NULL, *v;
	size_t len = 0, i;
	int r = q->text(q->ctx, index, &text, &len, q->err);

	if (r == BT_OK)
		r = bt_json_parse(index->name, text, len, false, &o, q->err);
	free(text);
	json_object_foreach(json_object_get(o, "weight_map"), key, v)
	{
		if (r == BT_OK && !json_is_array(v))
			r = add_shard(q, dir, index->name, key, v);
		for (i = 0; r == BT_OK && i < json_array_size(v); i++)
			r = add_shard(q, dir, index->name, key,
			              json_array_get(v, i));
	}
	json_decref(o);
	return r;
}

/* Google's checkpoint is several files. */
static int add_tensorflow(struct select *q)
{
	size_t i;
	int r = BT_OK;

	if (bt_hub_listing_find(q->l, "", BT_FILE_TF_STEM ".index") == NULL)
		return BT_OK;
	q->s->weights = true;
	for (i = 0; i < q->l->n && r == BT_OK; i++)
		if (bt_str_starts(q->l->file[i].name, BT_FILE_TF_STEM "."))
			r = add(q, &q->l->file[i]);
	return r;
}

static int add_weights(struct select *q, const char *dir)
{
	const struct bt_model_file *m = NULL;
	struct bt_hub_file *f = NULL;
	bool keras;
	int r;

	while ((m = bt_model_files_next(m, BT_USE_WEIGHTS)) != NULL) {
		f = bt_hub_listing_find(q->l, dir, m->name);
		if (f != NULL)
			break;
	}
	if (f == NULL)
		return add_tensorflow(q);
	q->s->weights = true;
	r = add(q, f);
	if (r == BT_OK && bt_str_ends(m->name, ".json"))
		r = add_shards(q, dir, f);
	keras = strcmp(m->name, BT_FILE_KERAS_WEIGHTS) == 0 ||
	        strcmp(m->name, BT_FILE_KERAS_SHARDS) == 0;
	if (r == BT_OK && keras)
		r = add_if_there(q, dir, BT_FILE_KERAS_TASK);
	if (r == BT_OK && keras)
		r = add_if_there(q, dir, BT_FILE_KERAS_HEAD);
	return r;
}

/* What changes a model that has another name. Adapters that are not read here
 * are refused before they come. */
static int add_adapter(struct select *q)
{
	struct bt_hub_file *f =
	    bt_hub_listing_find(q->l, "", BT_FILE_ADAPTER_CONFIG);
	struct bt_adapter_config c = {0};
	char *text = NULL;
	json_t *o = NULL;
	size_t len = 0;
	int r;

	if (f == NULL || q->s->weights)
		return BT_OK;
	r = add(q, f);
	if (r == BT_OK)
		r = q->text(q->ctx, f, &text, &len, q->err);
	if (r == BT_OK)
		r = bt_json_parse(f->name, text, len, false, &o, q->err);
	if (r == BT_OK)
		r = bt_adapter_config_parse(f->name, o, &c, q->err);
	if (r == BT_OK && c.base != NULL && *c.base != '\0')
		q->s->base = bt_strndup(c.base, strlen(c.base));
	bt_adapter_config_clear(&c);
	json_decref(o);
	free(text);
	f = bt_hub_listing_find(q->l, "", BT_FILE_ADAPTER);
	if (f == NULL)
		f = bt_hub_listing_find(q->l, "", BT_FILE_ADAPTER_OLD);
	q->s->weights = f != NULL;
	return r == BT_OK && f != NULL ? add(q, f) : r;
}

/* A module behind the encoder: its settings, and weights if it has any. */
static int add_module(struct select *q, const char *dir)
{
	struct bt_hub_file *f = bt_hub_listing_find(q->l, dir, BT_FILE_WEIGHTS);
	int r = add_if_there(q, dir, BT_FILE_CONFIG);

	if (r == BT_OK)
		r = f != NULL ? add(q, f)
		              : add_if_there(q, dir, "pytorch_model.bin");
	return r;
}

/* Adds the modules of sentence-transformers; *encoder is the folder of the
 * first, to be freed, or NULL. */
static int add_modules(struct select *q, char **encoder)
{
	struct bt_hub_file *f = bt_hub_listing_find(q->l, "", BT_FILE_MODULES);
	char *text = NULL;
	const char *path;
	json_error_t why;
	json_t *list;
	size_t len = 0, i;
	int r;

	if (f == NULL)
		return BT_OK;
	r = q->text(q->ctx, f, &text, &len, q->err);
	if (r != BT_OK)
		return r;
	list = json_loadb(text, len, 0, &why);
	free(text);
	if (!json_is_array(list))
		r = bt_error_set(q->err, BT_EFORMAT,
		                 "'%s' does not hold a JSON list", f->name);
	for (i = 0; r == BT_OK && i < json_array_size(list); i++) {
		path = "";
		r = bt_json_str(json_array_get(list, i), "path", &path, q->err);
		if (r == BT_OK && i == 0)
			*encoder = bt_strndup(path, strlen(path));
		else if (r == BT_OK && *path != '\0')
			r = add_module(q, path);
	}
	json_decref(list);
	return r;
}

int bt_hub_select(const struct bt_hub_listing *l, bt_hub_text *text, void *ctx,
                  struct bt_hub_selection *s, struct bt_error *err)
{
	struct select q = {l, text, ctx, s, err};
	char *encoder = NULL;
	int r;

	memset(s, 0, sizeof(*s));
	r = add_small(&q, "");
	if (r == BT_OK)
		r = add_modules(&q, &encoder);
	if (r == BT_OK && encoder != NULL && *encoder != '\0')
		r = add_small(&q, encoder);
	if (r == BT_OK)
		r = add_weights(&q, encoder != NULL ? encoder : "");
	if (r == BT_OK)
		r = add_adapter(&q);
	free(encoder);
	if (r == BT_OK && s->n == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "no file of it is one that a model here has");
	return r;
}

/* Whether it holds examples. JSON also says how others are to be read. */
static bool is_table(const char *name)
{
	static const char *const ends[] = {".parquet", ".csv",    ".tsv",
	                                   ".jsonl",   ".ndjson", ".json"};
	static const char *const other[] = {"dataset_infos.json",
	                                    "dataset_info.json",
	                                    "dataset_dict.json", "state.json"};
	const char *slash = strrchr(name, '/');
	const char *last = slash != NULL ? slash + 1 : name;

	return BT_STR_ROW(last, other) < 0 &&
	       bt_path_ends(name, ends, sizeof(ends) / sizeof(ends[0]));
}

/* Whether the name matches one of the patterns; notes which have a match. */
static bool matches(const char *name, const char *const *patterns, size_t n,
                    bool *used)
{
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			any = used[i] = true;
	return any;
}

/* The error of what has no files. */
static int check_data(const struct bt_hub_listing *l,
                      const char *const *patterns, size_t n, const bool *used,
                      const struct bt_hub_selection *s, struct bt_error *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!used[i])
			return bt_error_set(err, BT_EFORMAT,
			                    "none of its %zu files has a name "
			                    "like '%.200s'",
			                    l->n, patterns[i]);
	if (s->n > 0)
		return BT_OK;
	return bt_error_hint(err, BT_HINT_HUB_PARQUET,
	                     bt_error_set(err, BT_EFORMAT,
	                                  "none of its %zu files is a table "
	                                  "that can be read here",
	                                  l->n));
}

int bt_hub_select_data(const struct bt_hub_listing *l,
                       const char *const *patterns, size_t n,
                       struct bt_hub_selection *s, struct bt_error *err)
{
	struct select q = {l, NULL, NULL, s, err};
	bool *used = bt_array0(n, sizeof(*used));
	size_t i;
	int r = BT_OK;

	memset(s, 0, sizeof(*s));
	if (used == NULL)
		return bt_error_nomem(err, "choosing files");
	for (i = 0; i < l->n && r == BT_OK; i++)
		if (n > 0 ? matches(l->file[i].name, patterns, n, used)
		          : is_table(l->file[i].name))
			r = append(&q, &l->file[i]);
	if (r == BT_OK)
		r = check_data(l, patterns, n, used, s, err);
	free(used);
	return r;
}

void bt_hub_selection_clear(struct bt_hub_selection *s)
{
	free(s->file);
	free(s->base);
	memset(s, 0, sizeof(*s));
}

/* SPDX-License-Identifier: MIT */
#include "tokenize/input_meta_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file_use.h"
#include "base/str.h"
#include "format/json.h"
#include "io/out.h"

/* The name behind '=' in m->part, or NULL. */
static const char *key_of(const struct bt_metadata *m)
{
	const char *equals = strchr(m->part, '=');

	return equals != NULL ? equals + 1 : NULL;
}

static bool is_part(const struct bt_metadata *m, const char *name)
{
	size_t n = strcspn(m->part, "=");

	return strlen(name) == n && memcmp(m->part, name, n) == 0;
}

/* Under which key, perhaps of an object, the part's count stands. */
static void place(const struct bt_metadata *m, struct bt_buf *object,
                  struct bt_buf *key)
{
	const char *name = key_of(m);
	int n = (int)strcspn(m->part, "=");

	if (m->label_type == BT_LABEL_NONE) {
		bt_buf_printf(object, "number_%.*s_data", n, m->part);
		bt_buf_puts(key, name);
	} else if (name != NULL) {
		bt_buf_printf(key, "%.*s_%s_data_size", n, m->part, name);
	} else {
		bt_buf_printf(key, "%.*s_data_size", n, m->part);
	}
}

static int check_part(const struct bt_metadata *m, struct bt_error *err)
{
	bool retrieval = m->label_type == BT_LABEL_NONE;
	const char *key = key_of(m);
	bool ok = is_part(m, "eval") || is_part(m, "test");

	if (retrieval)
		ok = ok && key != NULL && *key != '\0';
	else if (key != NULL)
		ok = is_part(m, "test") && *key != '\0';
	else
		ok = ok || is_part(m, "train");
	if (ok)
		return BT_OK;
	return bt_error_set(err, BT_EARG, "the part '%s' is not one of %s",
	                    m->part,
	                    retrieval ? "eval=KEY, test=KEY (as de-en.de)"
	                              : "train, eval, test, test=KEY");
}

/* A member that is there must be v, whose reference is taken. */
static int agree(const json_t *old, const char *key, json_t *v,
                 struct bt_error *err)
{
	const json_t *was = json_object_get(old, key);
	char *a = NULL, *b = NULL;
	int r = BT_OK;

	if (was != NULL && v != NULL && !json_equal(was, v)) {
		a = json_dumps(was, JSON_ENCODE_ANY);
		b = json_dumps(v, JSON_ENCODE_ANY);
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s is %s there, and %s here: it is about "
		                 "other data",
		                 key, a != NULL ? a : "?", b != NULL ? b : "?");
	}
	free(a);
	free(b);
	json_decref(v);
	return r;
}

static const char *task_of(const struct bt_metadata *m)
{
	return m->label_type == BT_LABEL_CLASS ? "bert_classification"
	                                       : "bert_regression";
}

static const char *type_of(const struct bt_metadata *m)
{
	return m->label_type == BT_LABEL_INT ? "int" : "float";
}

static int check_members(const json_t *o, const struct bt_metadata *m,
                         struct bt_error *err)
{
	int r = agree(o, "max_seq_length",
	              json_integer((json_int_t)m->max_length), err);

	if (r == BT_OK && m->processor != NULL)
		r = agree(o, "processor_type", json_string(m->processor), err);
	if (m->label_type == BT_LABEL_NONE) {
		if (r == BT_OK && json_object_get(o, "task_type") != NULL)
			r = bt_error_set(err, BT_EFORMAT,
			                 "is about labelled data");
		return r;
	}
	if (r == BT_OK && json_object_get(o, "number_eval_data") != NULL)
		r = bt_error_set(err, BT_EFORMAT, "is about retrieval data");
	if (r == BT_OK)
		r = agree(o, "task_type", json_string(task_of(m)), err);
	if (r == BT_OK && m->label_type == BT_LABEL_CLASS)
		r = agree(o, "num_labels", json_integer(m->labels), err);
	else if (r == BT_OK)
		r = agree(o, "label_type", json_string(type_of(m)), err);
	return r;
}

/* *o is the file's object, or an empty one; it is about the same data. */
static int load(const char *path, const struct bt_metadata *m, json_t **o,
                struct bt_error *err)
{
	int r = check_part(m, err);

	*o = NULL;
	if (r != BT_OK)
		return r;
	if (access(path, F_OK) != 0) {
		*o = json_object();
		return BT_OK;
	}
	bt_file_use_own(true);
	r = bt_json_load(path, o, err);
	bt_file_use_own(false);
	if (r != BT_OK)
		return r;
	r = check_members(*o, m, err);
	if (r != BT_OK)
		bt_error_prefix(err, "meta data '%s'", path);
	return r;
}

int bt_metadata_check(const char *path, const struct bt_metadata *m,
                      struct bt_error *err)
{
	struct bt_out *out;
	json_t *o;
	int r = load(path, m, &o, err);

	json_decref(o);
	if (r == BT_OK)
		r = bt_out_open(path, BT_OUT_TEXT, &out, err);
	if (r == BT_OK)
		bt_out_abandon(out);
	return r;
}

/* Copies the members whose keys begin and end like that. */
static void copy_like(json_t *to, json_t *from, const char *begin,
                      const char *end)
{
	const char *key;
	json_t *v;

	json_object_foreach(from, key, v)
	{
		if (bt_str_starts(key, begin) && bt_str_ends(key, end) &&
		    json_object_get(to, key) == NULL)
			json_object_set(to, key, v);
	}
}

/* Sets what a file about labelled data says, in the order of Model Garden. */
static void set_labelled(json_t *to, json_t *from, const struct bt_metadata *m,
                         bool weights)
{
	json_t *train = json_object_get(from, "train_data_size");

	json_object_set_new(to, "train_data_size",
	                    train != NULL ? json_incref(train)
	                                  : json_integer(0));
	json_object_set_new(to, "max_seq_length",
	                    json_integer((json_int_t)m->max_length));
	copy_like(to, from, "test_", "data_size");
	json_object_set_new(to, "task_type", json_string(task_of(m)));
	if (m->label_type == BT_LABEL_CLASS)
		json_object_set_new(to, "num_labels", json_integer(m->labels));
	else
		json_object_set_new(to, "label_type", json_string(type_of(m)));
	if (weights ||
	    json_is_true(json_object_get(from, "has_sample_weights")))
		json_object_set_new(to, "has_sample_weights", json_true());
	copy_like(to, from, "eval_", "data_size");
}

static void set_retrieval(json_t *to, json_t *from, const struct bt_metadata *m)
{
	static const char *const keys[] = {"number_eval_data",
	                                   "number_test_data"};
	json_t *v;
	size_t i;

	json_object_set_new(to, "max_seq_length",
	                    json_integer((json_int_t)m->max_length));
	for (i = 0; i < 2; i++) {
		v = json_object_get(from, keys[i]);
		json_object_set_new(to, keys[i],
		                    json_is_object(v) ? json_incref(v)
		                                      : json_object());
	}
}

/* The count goes into the old object, from where the new one takes it. */
static int set_count(json_t *from, const struct bt_metadata *m, uint64_t count,
                     struct bt_error *err)
{
	struct bt_buf object = BT_BUF_INIT, key = BT_BUF_INIT;
	int r = BT_OK;

	place(m, &object, &key);
	if (object.len > 0) {
		if (!json_is_object(json_object_get(from, bt_buf_str(&object))))
			json_object_set_new(from, object.data, json_object());
		from = json_object_get(from, object.data);
	}
	if (json_object_set_new(from, bt_buf_str(&key),
	                        json_integer((json_int_t)count)) != 0)
		r = bt_error_set(err, BT_EARG, "a part is not valid UTF-8");
	bt_buf_clear(&object);
	bt_buf_clear(&key);
	return r;
}

/* Writes what from says in Model Garden's order, as Python's
 * json.dumps(indent=4) prints it, and a line end. */
static int write_all(const char *path, json_t *from,
                     const struct bt_metadata *m, bool weights,
                     struct bt_error *err)
{
	json_t *to = json_object(), *processor;
	char *text;
	size_t n;
	int r;

	processor = m->processor != NULL
	                ? json_string(m->processor)
	                : json_incref(json_object_get(from, "processor_type"));
	if (json_object_set_new(to, "processor_type", processor) != 0 &&
	    m->processor != NULL) {
		json_decref(to);
		return bt_error_set(err, BT_EARG,
		                    "the processor type is not valid UTF-8");
	}
	if (m->label_type == BT_LABEL_NONE)
		set_retrieval(to, from, m);
	else
		set_labelled(to, from, m, weights);
	copy_like(to, from, "", ""); /* whatever else somebody put there */
	text = json_dumps(to, JSON_INDENT(4) | JSON_ENSURE_ASCII);
	json_decref(to);
	if (text == NULL)
		return bt_error_nomem(err, "writing meta data");
	n = strlen(text);
	text[n] = '\n'; /* in place of the NUL */
	r = bt_out_whole(path, text, n + 1, err);
	free(text);
	return r;
}

int bt_metadata_update(const char *path, const struct bt_metadata *m,
                       uint64_t count, bool weights, struct bt_error *err)
{
	json_t *from;
	int r = load(path, m, &from, err);

	if (r == BT_OK)
		r = set_count(from, m, count, err);
	if (r == BT_OK)
		r = write_all(path, from, m, weights, err);
	json_decref(from);
	return r;
}

int bt_metadata_write(const char *path, const struct bt_metadata *m,
                      const struct bt_metadata_count *parts, size_t n,
                      bool weights, struct bt_error *err)
{
	struct bt_metadata one = *m;
	json_t *from = json_object();
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < n; i++) {
		one.part = parts[i].part;
		r = check_part(&one, err);
		if (r == BT_OK)
			r = set_count(from, &one, parts[i].n, err);
	}
	if (r == BT_OK)
		r = write_all(path, from, m, weights, err);
	json_decref(from);
	return r;
}

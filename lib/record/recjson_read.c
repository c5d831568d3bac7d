/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "format/base64.h"
#include "format/protobuf_wire.h"
#include "record/recjson.h"

/* A feature while it is read: its kind and the values of its list. */
struct list {
	enum bt_feature_kind kind;
	struct bt_buf body;  /* of byte strings, with their tags */
	struct bt_buf bytes; /* of one byte string, or of packed numbers */
};

static int bad(const char *name, const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT, "member '%s': %s", name, what);
}

static int add_text(struct list *l, const char *s, size_t n)
{
	bt_pb_put_bytes(&l->body, 1, s, n);
	return BT_FEATURE_BYTES;
}

/* The only member of an object, if it has that key. */
static const json_t *only(const json_t *v, const char *key)
{
	return json_object_size(v) == 1 ? json_object_get(v, key) : NULL;
}

/* Adds one value; returns its kind, or NONE where it is no value. */
static int add_value(struct list *l, const json_t *v)
{
	const json_t *text = only(v, "base64");
	float f;

	if (json_is_string(v))
		return add_text(l, json_string_value(v), json_string_length(v));
	if (json_is_integer(v)) {
		bt_pb_put_varint(&l->bytes, (uint64_t)json_integer_value(v));
		return BT_FEATURE_INT64;
	}
	if (json_is_real(v)) {
		f = (float)json_real_value(v);
		bt_buf_put(&l->bytes, &f, sizeof(f));
		return isfinite(f) ? BT_FEATURE_FLOAT : BT_FEATURE_NONE;
	}
	if (!json_is_string(text))
		return BT_FEATURE_NONE;
	bt_buf_reset(&l->bytes);
	if (bt_base64_get(&l->bytes, json_string_value(text),
	                  json_string_length(text)) != BT_OK)
		return BT_FEATURE_NONE;
	return add_text(l, l->bytes.data, l->bytes.len);
}

/* Of a value that add_value did not take. */
static int refused(const char *name, const json_t *v, const char *why,
                   struct bt_error *err)
{
	if (json_is_real(v))
		why = "a number is too large for a float";
	return bad(name, why, err);
}

static int add_values(struct list *l, const char *name, const json_t *v,
                      struct bt_error *err)
{
	size_t i;
	int kind;

	if (json_array_size(v) == 0)
		return bad(name,
		           "an empty list is written {\"bytes\": []}, "
		           "{\"float\": []} or {\"int64\": []}",
		           err);
	for (i = 0; i < json_array_size(v); i++) {
		kind = add_value(l, json_array_get(v, i));
		if (kind == BT_FEATURE_NONE)
			return refused(name, json_array_get(v, i),
			               "the list holds more than strings and "
			               "numbers",
			               err);
		if (i > 0 && kind != (int)l->kind)
			return bad(name, "the list mixes kinds of values", err);
		l->kind = (enum bt_feature_kind)kind;
	}
	return BT_OK;
}

/* An object that names its kind: an empty list, or floats as bytes. True if v
 * is one. */
static bool add_named(struct list *l, const json_t *v)
{
	static const char *const names[] = {"bytes", "float", "int64"};
	const json_t *m;
	int i;

	for (i = 0; i < 3; i++) {
		m = only(v, names[i]);
		l->kind = (enum bt_feature_kind)(i + 1);
		if (json_is_array(m) && json_array_size(m) == 0)
			return true;
		if (l->kind == BT_FEATURE_FLOAT && json_is_string(m))
			return bt_base64_get(&l->bytes, json_string_value(m),
			                     json_string_length(m)) == BT_OK &&
			       l->bytes.len % 4 == 0;
	}
	return false;
}

static int read_list(struct list *l, const char *name, const json_t *v,
                     struct bt_error *err)
{
	l->kind = BT_FEATURE_NONE;
	bt_buf_reset(&l->body);
	bt_buf_reset(&l->bytes);
	if (json_is_null(v))
		return BT_OK;
	if (json_is_array(v))
		return add_values(l, name, v, err);
	l->kind = (enum bt_feature_kind)add_value(l, v);
	if (l->kind == BT_FEATURE_NONE && !add_named(l, v))
		return refused(name, v,
		               "is not a string, number, list, {\"base64\": "
		               "...} or null",
		               err);
	return BT_OK;
}

static int read_object(const json_t *o, struct bt_example_writer *w,
                       struct bt_buf *out, struct bt_error *err)
{
	struct list l = {BT_FEATURE_NONE, BT_BUF_INIT, BT_BUF_INIT};
	const char *name;
	json_t *v;
	int r = BT_OK;

	bt_example_begin(w);
	/* jansson goes through members in the order of the text */
	json_object_foreach((json_t *)o, name, v)
	{
		r = read_list(&l, name, v, err);
		if (r != BT_OK)
			break;
		if (l.kind == BT_FEATURE_FLOAT || l.kind == BT_FEATURE_INT64) {
			bt_buf_reset(&l.body);
			if (l.bytes.len > 0)
				add_text(&l, l.bytes.data, l.bytes.len);
		}
		bt_example_add_list(w, name, l.kind, l.body.data, l.body.len);
	}
	bt_example_end(w, out);
	if (r == BT_OK && (l.body.oom || l.bytes.oom || out->oom))
		r = bt_error_nomem(err, "reading JSON");
	bt_buf_clear(&l.body);
	bt_buf_clear(&l.bytes);
	return r;
}

int bt_recjson_read(const char *json, size_t len, struct bt_example_writer *w,
                    struct bt_buf *out, struct bt_error *err)
{
	json_error_t e;
	json_t *o =
	    json_loadb(json, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
	int r;

	if (o == NULL)
		return bt_error_set(err, BT_EFORMAT, "%s (column %d)", e.text,
		                    e.column);
	if (json_is_object(o))
		r = read_object(o, w, out, err);
	else
		r = bt_error_set(err, BT_EFORMAT, "is not a JSON object");
	json_decref(o);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* From libyaml's events to a tree. Aliases are copies, which count. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/str.h"
#include "garden/yaml.h"
#include "io/in.h"

struct reader {
	const char *name;
	yaml_parser_t parser;
	yaml_event_t event; /* the one at hand */
	bool has_event;
	size_t nodes;
	struct {
		char *name;
		struct bt_yaml *value; /* a copy; NULL while it is being read */
	} * anchor;
	size_t n_anchors, cap;
};

static int line_of(const struct reader *r)
{
	return (int)r->event.start_mark.line + 1;
}

static int fault(const struct reader *r, struct bt_error *err, const char *what)
{
	return bt_error_set(err, BT_EFORMAT, "%s:%d: %s", r->name, line_of(r),
	                    what);
}

/* Takes the next event. */
static int next(struct reader *r, struct bt_error *err)
{
	const yaml_parser_t *p = &r->parser;
	const char *what;

	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = yaml_parser_parse(&r->parser, &r->event) != 0;
	if (r->has_event)
		return BT_OK;
	if (p->error == YAML_MEMORY_ERROR)
		return bt_error_nomem(err, "reading YAML");
	what = p->problem != NULL ? p->problem : "this is no YAML";
	return bt_error_set(err, BT_EFORMAT, "%s:%d: %s%s%s", r->name,
	                    (int)p->problem_mark.line + 1,
	                    p->context != NULL ? p->context : "",
	                    p->context != NULL ? ": " : "", what);
}

static int count(struct reader *r, const struct bt_yaml *v,
                 struct bt_error *err)
{
	size_t i;
	int c = BT_OK;

	if (++r->nodes > BT_YAML_NODES)
		return bt_error_set(err, BT_ELIMIT,
		                    "%s:%d: there are more than %zu values, "
		                    "aliases counted as what they stand for",
		                    r->name, line_of(r), BT_YAML_NODES);
	for (i = 0; c == BT_OK && v != NULL && i < v->n; i++)
		c = count(r, v->item[i], err);
	return c;
}

/* Announces an anchor; *at is its place, or SIZE_MAX where there is no name. */
static int announce(struct reader *r, const yaml_char_t *name, size_t *at,
                    struct bt_error *err)
{
	char *copy;

	*at = SIZE_MAX;
	if (name == NULL)
		return BT_OK;
	copy = bt_strndup((const char *)name, strlen((const char *)name));
	if (copy == NULL || bt_grow(&r->anchor, &r->cap, r->n_anchors + 1,
	                            sizeof(*r->anchor)) != BT_OK) {
		free(copy);
		return bt_error_nomem(err, "reading YAML");
	}
	r->anchor[r->n_anchors].name = copy;
	r->anchor[r->n_anchors].value = NULL;
	*at = r->n_anchors++;
	return BT_OK;
}

static int keep(struct reader *r, size_t at, const struct bt_yaml *v,
                struct bt_error *err)
{
	int c;

	if (at == SIZE_MAX)
		return BT_OK;
	c = count(r, v, err);
	if (c != BT_OK)
		return c;
	r->anchor[at].value = bt_yaml_copy(v);
	return r->anchor[at].value != NULL
	           ? BT_OK
	           : bt_error_nomem(err, "reading YAML");
}

static int read_alias(struct reader *r, struct bt_yaml **v,
                      struct bt_error *err)
{
	const char *name = (const char *)r->event.data.alias.anchor;
	size_t i = r->n_anchors;
	int c;

	while (i > 0 && strcmp(r->anchor[i - 1].name, name) != 0)
		i--;
	if (i == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s:%d: there is no anchor '%.60s'",
		                    r->name, line_of(r), name);
	if (r->anchor[i - 1].value == NULL)
		return fault(r, err, "a value that holds itself");
	c = count(r, r->anchor[i - 1].value, err);
	if (c != BT_OK)
		return c;
	*v = bt_yaml_copy(r->anchor[i - 1].value);
	return *v != NULL ? BT_OK : bt_error_nomem(err, "reading YAML");
}

#define TAG "tag:yaml.org,2002:"

/* A scalar that says by a tag what it is. */
static int read_tagged(struct reader *r, const char *tag, const char *text,
                       struct bt_yaml *v, struct bt_error *err)
{
	static const char *const names[] = {
	    [BT_YAML_NULL] = "null", [BT_YAML_BOOL] = "bool",
	    [BT_YAML_INT] = "int",   [BT_YAML_REAL] = "float",
	    [BT_YAML_STR] = "str",   [BT_YAML_DATE] = "timestamp"};
	struct bt_error why = {0};
	int i, c;

	if (bt_str_starts(tag, TAG))
		tag += strlen(TAG);
	for (i = 0; i <= BT_YAML_DATE && strcmp(tag, names[i]) != 0; i++)
		;
	if (i > BT_YAML_DATE)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s:%d: a value of type '%.60s', which no "
		                    "configuration has",
		                    r->name, line_of(r), tag);
	if (i == BT_YAML_STR || strcmp(tag, "!") == 0) {
		v->kind = BT_YAML_STR;
		v->text = bt_strndup(text, strlen(text));
		return v->text != NULL ? BT_OK
		                       : bt_error_nomem(err, "reading YAML");
	}
	c = bt_yaml_scalar(text, v, &why);
	if (c == BT_OK && v->kind == BT_YAML_INT && i == BT_YAML_REAL) {
		v->kind = BT_YAML_REAL;
		v->real = (double)v->whole;
	}
	if (c == BT_OK && v->kind != (enum bt_yaml_kind)i)
		c = BT_EFORMAT;
	return c == BT_OK
	           ? BT_OK
	           : bt_error_set(err, c, "%s:%d: '%.60s' is not %s", r->name,
	                          line_of(r), text,
	                          bt_yaml_kind_name((enum bt_yaml_kind)i));
}

static int read_scalar(struct reader *r, struct bt_yaml *v,
                       struct bt_error *err)
{
	const char *text = (const char *)r->event.data.scalar.value;
	const char *tag = (const char *)r->event.data.scalar.tag;
	int c;

	if (strlen(text) != r->event.data.scalar.length)
		return fault(r, err, "a value with a NUL character in it");
	if (tag != NULL && strcmp(tag, "!") != 0)
		return read_tagged(r, tag, text, v, err);
	if (tag == NULL && r->event.data.scalar.plain_implicit) {
		c = bt_yaml_scalar(text, v, err);
		return c == BT_OK
		           ? c
		           : bt_error_prefix(err, "%s:%d", r->name, line_of(r));
	}
	v->kind = BT_YAML_STR;
	v->text = bt_strndup(text, strlen(text));
	return v->text != NULL ? BT_OK : bt_error_nomem(err, "reading YAML");
}

static int read_value(struct reader *r, int depth, struct bt_yaml **v,
                      struct bt_error *err);

static int read_list(struct reader *r, int depth, struct bt_yaml *v,
                     struct bt_error *err)
{
	struct bt_yaml *item;
	int c;

	for (;;) {
		c = next(r, err);
		if (c != BT_OK || r->event.type == YAML_SEQUENCE_END_EVENT)
			return c;
		c = read_value(r, depth + 1, &item, err);
		if (c == BT_OK && bt_yaml_put(v, NULL, item) != BT_OK)
			c = bt_error_nomem(err, "reading YAML");
		if (c != BT_OK)
			return c;
	}
}

/* The key at hand, for the caller to free. */
static int read_key(struct reader *r, char **key, struct bt_error *err)
{
	const char *text = (const char *)r->event.data.scalar.value;

	if (r->event.type != YAML_SCALAR_EVENT)
		return fault(r, err, "a key that is no name");
	if (strlen(text) != r->event.data.scalar.length)
		return fault(r, err, "a key with a NUL character in it");
	*key = bt_strndup(text, strlen(text));
	return *key != NULL ? BT_OK : bt_error_nomem(err, "reading YAML");
}

/* Takes from a mapping, or each of a list of them, what v lacks: "<<". */
static int merge(struct reader *r, struct bt_yaml *v,
                 const struct bt_yaml *from, struct bt_error *err)
{
	size_t i;
	int c = BT_OK;

	if (from->kind != BT_YAML_MAP && from->kind != BT_YAML_LIST)
		return fault(r, err, "'<<' takes a mapping or a list of them");
	for (i = 0; c == BT_OK && i < from->n; i++) {
		if (from->kind == BT_YAML_LIST) {
			if (from->item[i]->kind != BT_YAML_MAP)
				return fault(r, err,
				             "'<<' takes a list of mappings");
			c = merge(r, v, from->item[i], err);
			continue;
		}
		if (bt_yaml_get(v, from->key[i]) != NULL)
			continue;
		c = count(r, from->item[i], err);
		if (c == BT_OK &&
		    bt_yaml_put(v, from->key[i], bt_yaml_copy(from->item[i])) !=
		        BT_OK)
			c = bt_error_nomem(err, "reading YAML");
	}
	return c;
}

/* Puts a value under its key, or by for "<<". */
static int place(struct bt_yaml *v, const char *key, struct bt_yaml *item,
                 struct bt_yaml *merged, struct bt_error *err)
{
	bool by = strcmp(key, "<<") == 0;

	return bt_yaml_put(by ? merged : v, by ? NULL : key, item) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "reading YAML");
}

static int read_map(struct reader *r, int depth, struct bt_yaml *v,
                    struct bt_error *err)
{
	struct bt_yaml *item, *merged = bt_yaml_new(BT_YAML_LIST);
	char *key = NULL;
	size_t i;
	int c = merged != NULL ? BT_OK : bt_error_nomem(err, "reading YAML");

	while (c == BT_OK) {
		c = next(r, err);
		if (c != BT_OK || r->event.type == YAML_MAPPING_END_EVENT)
			break;
		c = read_key(r, &key, err);
		if (c == BT_OK)
			c = next(r, err);
		if (c == BT_OK)
			c = read_value(r, depth + 1, &item, err);
		if (c == BT_OK)
			c = place(v, key, item, merged, err);
		free(key);
		key = NULL;
	}
	for (i = 0; c == BT_OK && i < merged->n; i++)
		c = merge(r, v, merged->item[i], err);
	bt_yaml_free(merged);
	return c;
}

/* Lists and mappings may say that they are what they are. */
static int check_tag(const struct reader *r, const yaml_char_t *tag,
                     const char *built, struct bt_error *err)
{
	const char *t = (const char *)tag;

	if (t == NULL || strcmp(t, "!") == 0 ||
	    (bt_str_starts(t, TAG) && strcmp(t + strlen(TAG), built) == 0))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "%s:%d: a value of type '%.60s', which no "
	                    "configuration has",
	                    r->name, line_of(r), t);
}

/* A list or a mapping, whose start is at hand. */
static int read_nest(struct reader *r, int depth, struct bt_yaml *v,
                     struct bt_error *err)
{
	bool list = v->kind == BT_YAML_LIST;
	const yaml_char_t *name = list ? r->event.data.sequence_start.anchor
	                               : r->event.data.mapping_start.anchor;
	const yaml_char_t *tag = list ? r->event.data.sequence_start.tag
	                              : r->event.data.mapping_start.tag;
	size_t at;
	int c = announce(r, name, &at, err);

	if (c == BT_OK)
		c = check_tag(r, tag, list ? "seq" : "map", err);
	if (c == BT_OK && depth >= BT_YAML_DEPTH)
		c = bt_error_set(err, BT_ELIMIT,
		                 "%s:%d: values nested deeper than %d", r->name,
		                 line_of(r), BT_YAML_DEPTH);
	if (c == BT_OK)
		c = list ? read_list(r, depth, v, err)
		         : read_map(r, depth, v, err);
	return c == BT_OK ? keep(r, at, v, err) : c;
}

/* The value whose first event is at hand. */
static int read_value(struct reader *r, int depth, struct bt_yaml **out,
                      struct bt_error *err)
{
	yaml_event_type_t type = r->event.type;
	struct bt_yaml *v;
	size_t at;
	int c = count(r, NULL, err);

	if (c != BT_OK)
		return c;
	if (type == YAML_ALIAS_EVENT)
		return read_alias(r, out, err);
	v = bt_yaml_new(type == YAML_SEQUENCE_START_EVENT  ? BT_YAML_LIST
	                : type == YAML_MAPPING_START_EVENT ? BT_YAML_MAP
	                                                   : BT_YAML_NULL);
	if (v == NULL)
		return bt_error_nomem(err, "reading YAML");
	v->line = line_of(r);
	if (type == YAML_SCALAR_EVENT) {
		c = announce(r, r->event.data.scalar.anchor, &at, err);
		if (c == BT_OK)
			c = read_scalar(r, v, err);
		if (c == BT_OK)
			c = keep(r, at, v, err);
	} else {
		c = read_nest(r, depth, v, err);
	}
	if (c == BT_OK)
		*out = v;
	else
		bt_yaml_free(v);
	return c;
}

/* One document or none. */
static int read_stream(struct reader *r, struct bt_yaml **v,
                       struct bt_error *err)
{
	int c = next(r, err); /* the stream's start */

	if (c == BT_OK)
		c = next(r, err);
	if (c != BT_OK)
		return c;
	if (r->event.type == YAML_STREAM_END_EVENT) {
		*v = bt_yaml_new(BT_YAML_NULL);
		return *v != NULL ? BT_OK : bt_error_nomem(err, "reading YAML");
	}
	c = next(r, err);
	if (c == BT_OK)
		c = read_value(r, 0, v, err);
	if (c != BT_OK)
		return c;
	c = next(r, err); /* the document's end */
	if (c == BT_OK)
		c = next(r, err);
	if (c == BT_OK && r->event.type != YAML_STREAM_END_EVENT)
		c = fault(r, err, "a second document begins");
	if (c != BT_OK)
		bt_yaml_free(*v);
	return c;
}

int bt_yaml_parse(const char *name, const char *text, size_t len,
                  struct bt_yaml **v, struct bt_error *err)
{
	struct reader r = {.name = name};
	struct bt_yaml *got = NULL;
	size_t i;
	int c;

	if (len > BT_YAML_SIZE)
		return bt_error_set(err, BT_ELIMIT,
		                    "%s: more than %zu bytes of YAML", name,
		                    BT_YAML_SIZE);
	if (yaml_parser_initialize(&r.parser) == 0)
		return bt_error_nomem(err, "reading YAML");
	yaml_parser_set_input_string(
	    &r.parser, (const unsigned char *)(len > 0 ? text : ""), len);
	c = read_stream(&r, &got, err);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	for (i = 0; i < r.n_anchors; i++) {
		free(r.anchor[i].name);
		bt_yaml_free(r.anchor[i].value);
	}
	free(r.anchor);
	if (c == BT_OK)
		*v = got;
	return c;
}

int bt_yaml_load(const char *path, struct bt_yaml **v, struct bt_error *err)
{
	size_t len;
	char *data;
	int r = bt_in_whole(path, BT_YAML_SIZE, &data, &len, err);

	if (r != BT_OK)
		return r;
	r = bt_yaml_parse(path, data, len, v, err);
	free(data);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* From libyaml's events to a tree. Aliases are copies, which count. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/str.h"
#include "garden/yaml.h"
#include "io/in.h"

struct reader {
	const char *name;
	struct bt_error *err;
	int code; /* of the first error, after which nothing more is read */
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	size_t nodes;
	struct {
		char *name;
		struct bt_yaml *value; /* a copy; NULL while it is being read */
	} * anchor;
	size_t n_anchors, cap;
};

static void BT_PRINTF(3, 4)
    fail(struct reader *r, int code, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (r->code != BT_OK)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->code = bt_error_set(r->err, code, "%s:%d: %s", r->name,
	                       (int)r->event.start_mark.line + 1, text);
}

/* Reads the next event, whose type it returns: YAML_NO_EVENT after an error. */
static yaml_event_type_t next(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (r->code != BT_OK || yaml_parser_parse(&r->parser, &r->event) != 0)
		return r->event.type;
	r->event.start_mark = p->problem_mark;
	if (p->error == YAML_MEMORY_ERROR)
		r->code = bt_error_nomem(r->err, "reading YAML");
	else
		fail(r, BT_EFORMAT, "%s%s%s",
		     p->context != NULL ? p->context : "",
		     p->context != NULL ? ": " : "",
		     p->problem != NULL ? p->problem : "this is not YAML");
	return YAML_NO_EVENT;
}

/* Counts a value, and all in it. */
static void count(struct reader *r, const struct bt_yaml *v)
{
	size_t i;

	if (++r->nodes > BT_YAML_NODES)
		fail(r, BT_ELIMIT,
		     "there are more than %zu values, aliases counted as what "
		     "they stand for",
		     BT_YAML_NODES);
	for (i = 0; r->code == BT_OK && v != NULL && i < v->n; i++)
		count(r, v->item[i]);
}

static struct bt_yaml *counted_copy(struct reader *r, const struct bt_yaml *v)
{
	count(r, v);
	return r->code == BT_OK ? bt_yaml_copy(v) : bt_yaml_new(BT_YAML_NULL);
}

static struct bt_yaml *read_alias(struct reader *r)
{
	const char *name = (const char *)r->event.data.alias.anchor;
	size_t i = r->n_anchors;

	while (i > 0 && strcmp(r->anchor[i - 1].name, name) != 0)
		i--;
	if (i == 0)
		fail(r, BT_EFORMAT, "the anchor '%.60s' is not defined", name);
	else if (r->anchor[i - 1].value == NULL)
		fail(r, BT_EFORMAT, "a value that holds itself");
	else
		return counted_copy(r, r->anchor[i - 1].value);
	return bt_yaml_new(BT_YAML_NULL);
}

#define TAG "tag:yaml.org,2002:"
#define WRONG_TYPE "a value of type '%.60s', which no configuration has"

/* The kind of scalar that a tag names, which loses its prefix; -1 if none. */
static int tagged_kind(const char **tag)
{
	static const char *const names[] = {
	    [BT_YAML_NULL] = "null", [BT_YAML_BOOL] = "bool",
	    [BT_YAML_INT] = "int",   [BT_YAML_REAL] = "float",
	    [BT_YAML_STR] = "str",   [BT_YAML_DATE] = "timestamp"};

	if (bt_str_starts(*tag, TAG))
		*tag += strlen(TAG);
	return BT_STR_ROW(*tag, names);
}

static void read_scalar(struct reader *r, struct bt_yaml *v)
{
	const char *text = (const char *)r->event.data.scalar.value;
	const char *tag = (const char *)r->event.data.scalar.tag;
	bool plain = tag == NULL && r->event.data.scalar.plain_implicit;
	struct bt_error why = {0};
	int kind = BT_YAML_STR;

	if (tag != NULL && strcmp(tag, "!") != 0)
		kind = tagged_kind(&tag);
	if (strlen(text) != r->event.data.scalar.length) {
		fail(r, BT_EFORMAT, "a value with a NUL character in it");
	} else if (strlen(text) > BT_YAML_TEXT) {
		fail(r, BT_ELIMIT, "a value of more than %zu bytes",
		     BT_YAML_TEXT);
	} else if (kind < 0) {
		fail(r, BT_EFORMAT, WRONG_TYPE, tag);
	} else if (!plain && kind == BT_YAML_STR) {
		v->kind = BT_YAML_STR;
		v->text = bt_strndup(text, strlen(text));
	} else if (bt_yaml_scalar(text, v, &why) != BT_OK && plain) {
		fail(r, why.code, "%s", why.text);
	} else if (!plain) {
		if (v->kind == BT_YAML_INT && kind == BT_YAML_REAL) {
			v->kind = BT_YAML_REAL;
			v->real = (double)v->whole;
		}
		if (why.code != BT_OK || (int)v->kind != kind)
			fail(r, BT_EFORMAT, "'%.60s' is not %s", text,
			     bt_yaml_kind_name((enum bt_yaml_kind)kind));
	}
}

static struct bt_yaml *read_value(struct reader *r, int depth);

/* Takes from a mapping, or each of a list of them, what v lacks: "<<". */
static void merge(struct reader *r, struct bt_yaml *v,
                  const struct bt_yaml *from, bool listed)
{
	size_t i;

	if (from->kind != BT_YAML_MAP && (listed || from->kind != BT_YAML_LIST))
		fail(r, BT_EFORMAT,
		     listed ? "'<<' takes a list of mappings"
		            : "'<<' takes a mapping or a list of them");
	for (i = 0; r->code == BT_OK && i < from->n; i++)
		if (from->kind == BT_YAML_LIST)
			merge(r, v, from->item[i], true);
		else if (bt_yaml_get(v, from->key[i]) == NULL)
			bt_yaml_put(v, from->key[i],
			            counted_copy(r, from->item[i]));
}

static void read_map(struct reader *r, int depth, struct bt_yaml *v)
{
	struct bt_yaml *item, *merged = bt_yaml_new(BT_YAML_LIST);
	const char *text;
	bool merges;
	char *key;
	size_t i;

	while (next(r) != YAML_MAPPING_END_EVENT && r->code == BT_OK) {
		text = (const char *)r->event.data.scalar.value;
		if (r->event.type != YAML_SCALAR_EVENT)
			fail(r, BT_EFORMAT, "a key that is not a name");
		else if (strlen(text) != r->event.data.scalar.length)
			fail(r, BT_EFORMAT, "a key with a NUL character in it");
		else if (strlen(text) > BT_YAML_TEXT)
			fail(r, BT_ELIMIT, "a key of more than %zu bytes",
			     BT_YAML_TEXT);
		if (r->code != BT_OK)
			break;
		key = bt_strndup(text, strlen(text));
		merges = strcmp(key, "<<") == 0;
		(void)next(r);
		item = read_value(r, depth + 1);
		bt_yaml_put(merges ? merged : v, merges ? NULL : key, item);
		free(key);
	}
	for (i = 0; r->code == BT_OK && i < merged->n; i++)
		merge(r, v, merged->item[i], false);
	bt_yaml_free(merged);
}

/* A list or a mapping that begins with the current event. */
static void read_nest(struct reader *r, int depth, const char *tag,
                      struct bt_yaml *v)
{
	bool list = v->kind == BT_YAML_LIST;

	if (tag != NULL && strcmp(tag, "!") != 0 &&
	    strcmp(tag, list ? TAG "seq" : TAG "map") != 0)
		fail(r, BT_EFORMAT, WRONG_TYPE, tag);
	if (depth >= BT_YAML_DEPTH)
		fail(r, BT_ELIMIT, "values nested deeper than %d",
		     BT_YAML_DEPTH);
	if (r->code == BT_OK && !list)
		read_map(r, depth, v);
	while (r->code == BT_OK && list && next(r) != YAML_SEQUENCE_END_EVENT)
		if (r->code == BT_OK)
			bt_yaml_put(v, NULL, read_value(r, depth + 1));
}

/* The value that begins with the current event; some value after an error. */
static struct bt_yaml *read_value(struct reader *r, int depth)
{
	yaml_event_type_t type = r->event.type;
	const yaml_char_t *anchor = NULL, *tag = NULL;
	struct bt_yaml *v = bt_yaml_new(BT_YAML_NULL);
	size_t at = r->n_anchors;
	bool named;

	v->line = (int)r->event.start_mark.line + 1;
	count(r, NULL);
	if (r->code != BT_OK)
		return v;
	if (type == YAML_ALIAS_EVENT) {
		bt_yaml_free(v);
		return read_alias(r);
	}
	if (type == YAML_SCALAR_EVENT) {
		anchor = r->event.data.scalar.anchor;
	} else if (type == YAML_SEQUENCE_START_EVENT) {
		anchor = r->event.data.sequence_start.anchor;
		tag = r->event.data.sequence_start.tag;
		v->kind = BT_YAML_LIST;
	} else {
		anchor = r->event.data.mapping_start.anchor;
		tag = r->event.data.mapping_start.tag;
		v->kind = BT_YAML_MAP;
	}
	named = anchor != NULL;
	if (named) {
		(void)!bt_grow(&r->anchor, &r->cap, at + 1, sizeof(*r->anchor));
		r->anchor[at].name = bt_strndup((const char *)anchor,
		                                strlen((const char *)anchor));
		r->anchor[at].value = NULL;
		r->n_anchors++;
	}
	if (type == YAML_SCALAR_EVENT)
		read_scalar(r, v);
	else
		read_nest(r, depth, (const char *)tag, v);
	if (named && r->code == BT_OK)
		r->anchor[at].value = counted_copy(r, v);
	return v;
}

int bt_yaml_parse(const char *name, const char *text, size_t len,
                  struct bt_yaml **v, struct bt_error *err)
{
	struct reader r = {.name = name, .err = err};
	struct bt_yaml *got = NULL;
	size_t i;

	if (len > BT_YAML_SIZE)
		return bt_error_set(err, BT_ELIMIT,
		                    "%s: more than %zu bytes of YAML", name,
		                    BT_YAML_SIZE);
	if (yaml_parser_initialize(&r.parser) == 0)
		return bt_error_nomem(err, "reading YAML");
	yaml_parser_set_input_string(
	    &r.parser, (const unsigned char *)(len > 0 ? text : ""), len);
	(void)next(&r); /* the stream's start */
	if (next(&r) == YAML_DOCUMENT_START_EVENT) {
		(void)next(&r);
		got = read_value(&r, 0);
		(void)next(&r); /* the document's end */
		if (next(&r) != YAML_STREAM_END_EVENT)
			fail(&r, BT_EFORMAT, "a second document begins");
	} else {
		got = bt_yaml_new(BT_YAML_NULL);
	}
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	for (i = 0; i < r.n_anchors; i++) {
		free(r.anchor[i].name);
		bt_yaml_free(r.anchor[i].value);
	}
	free(r.anchor);
	if (r.code == BT_OK)
		*v = got;
	else
		bt_yaml_free(got);
	return r.code;
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

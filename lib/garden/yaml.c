/* SPDX-License-Identifier: MIT */
#include "garden/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct bt_yaml *bt_yaml_new(enum bt_yaml_kind kind)
{
	struct bt_yaml *v = bt_array0(1, sizeof(*v));

	v->kind = kind;
	return v;
}

struct bt_yaml *bt_yaml_new_text(enum bt_yaml_kind kind, const char *text)
{
	struct bt_yaml *v = bt_yaml_new(kind);

	v->text = bt_strndup(text, strlen(text));
	return v;
}

void bt_yaml_free(struct bt_yaml *v)
{
	size_t i;

	if (v == NULL)
		return;
	for (i = 0; i < v->n; i++) {
		bt_yaml_free(v->item[i]);
		if (v->key != NULL)
			free(v->key[i]);
	}
	free(v->item);
	free(v->key);
	free(v->text);
	free(v);
}

static size_t find(const struct bt_yaml *map, const char *key)
{
	size_t i;

	for (i = 0; i < map->n; i++)
		if (strcmp(map->key[i], key) == 0)
			break;
	return i;
}

struct bt_yaml *bt_yaml_get(const struct bt_yaml *map, const char *key)
{
	size_t i;

	if (map == NULL || map->kind != BT_YAML_MAP)
		return NULL;
	i = find(map, key);
	return i < map->n ? map->item[i] : NULL;
}

void bt_yaml_put(struct bt_yaml *to, const char *key, struct bt_yaml *value)
{
	size_t i = key != NULL ? find(to, key) : to->n;

	if (i < to->n) {
		bt_yaml_free(to->item[i]);
		to->item[i] = value;
		return;
	}
	(void)!bt_grow(&to->item, &to->item_cap, i + 1, sizeof(*to->item));
	to->item[i] = value;
	if (key != NULL) {
		(void)!bt_grow(&to->key, &to->key_cap, i + 1, sizeof(*to->key));
		to->key[i] = bt_strndup(key, strlen(key));
	}
	to->n++;
}

struct bt_yaml *bt_yaml_copy(const struct bt_yaml *v)
{
	struct bt_yaml *c = bt_yaml_new(v->kind);
	size_t i;

	c->truth = v->truth;
	c->whole = v->whole;
	c->real = v->real;
	c->line = v->line;
	c->from = v->from;
	if (v->text != NULL)
		c->text = bt_strndup(v->text, strlen(v->text));
	for (i = 0; i < v->n; i++)
		bt_yaml_put(c, v->key != NULL ? v->key[i] : NULL,
		            bt_yaml_copy(v->item[i]));
	return c;
}

const char *bt_yaml_kind_name(enum bt_yaml_kind kind)
{
	static const char *const names[] = {
	    [BT_YAML_NULL] = "null",          [BT_YAML_BOOL] = "a boolean",
	    [BT_YAML_INT] = "a whole number", [BT_YAML_REAL] = "a number",
	    [BT_YAML_STR] = "a string",       [BT_YAML_DATE] = "a date",
	    [BT_YAML_LIST] = "a list",        [BT_YAML_MAP] = "a mapping",
	};

	return names[kind];
}

static bool same_items(const struct bt_yaml *a, const struct bt_yaml *b)
{
	const struct bt_yaml *w;
	size_t i;

	for (i = 0; i < a->n; i++) {
		w = a->kind == BT_YAML_MAP ? bt_yaml_get(b, a->key[i])
		                           : b->item[i];
		if (w == NULL || !bt_yaml_equal(a->item[i], w))
			return false;
	}
	return true;
}

bool bt_yaml_equal(const struct bt_yaml *a, const struct bt_yaml *b)
{
	if (a->kind != b->kind || a->n != b->n)
		return false;
	switch (a->kind) {
	case BT_YAML_NULL:
		return true;
	case BT_YAML_BOOL:
		return a->truth == b->truth;
	case BT_YAML_INT:
		return a->whole == b->whole;
	case BT_YAML_REAL: /* that of NaN is no number's, but the same value */
		return a->real == b->real ||
		       (a->real != a->real && b->real != b->real);
	case BT_YAML_STR:
	case BT_YAML_DATE:
		return strcmp(a->text, b->text) == 0;
	default:
		return same_items(a, b);
	}
}

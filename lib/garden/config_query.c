/* SPDX-License-Identifier: MIT */
/* What is asked of a configuration: values, whether they fit, how it reads. */
#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "garden/config_int.h"

const char *bt_garden_name(const struct bt_garden *c)
{
	return c->e->name;
}

/* The member that the path names; NULL if there is none. */
static const struct bt_yaml *find(const struct bt_garden *c, const char *path)
{
	const struct bt_yaml *v = c->tree;
	char key[64];
	size_t n;

	for (; v != NULL; path += n + 1) {
		n = strcspn(path, ".");
		if (n >= sizeof(key))
			return NULL;
		memcpy(key, path, n);
		key[n] = '\0';
		v = bt_yaml_get(v, key);
		if (path[n] == '\0')
			break;
	}
	return v;
}

const struct bt_yaml *bt_garden_get(const struct bt_garden *c, const char *path)
{
	const struct bt_yaml *v = find(c, path);

	assert(v != NULL);
	return v;
}

bool bt_garden_is_null(const struct bt_garden *c, const char *path)
{
	return bt_garden_get(c, path)->kind == BT_YAML_NULL;
}

int64_t bt_garden_int(const struct bt_garden *c, const char *path, int64_t dflt)
{
	const struct bt_yaml *v = bt_garden_get(c, path);

	return v->kind == BT_YAML_INT ? v->whole : dflt;
}

double bt_garden_real(const struct bt_garden *c, const char *path, double dflt)
{
	const struct bt_yaml *v = bt_garden_get(c, path);

	if (v->kind == BT_YAML_INT)
		return (double)v->whole;
	return v->kind == BT_YAML_REAL ? v->real : dflt;
}

bool bt_garden_bool(const struct bt_garden *c, const char *path)
{
	const struct bt_yaml *v = bt_garden_get(c, path);

	return v->kind == BT_YAML_BOOL && v->truth;
}

const char *bt_garden_str(const struct bt_garden *c, const char *path)
{
	const struct bt_yaml *v = bt_garden_get(c, path);

	return v->kind == BT_YAML_STR ? v->text : "";
}

void bt_garden_put_origin(const struct bt_garden *c, const struct bt_yaml *v,
                          struct bt_buf *out)
{
	const char *s = c->source[v->from];

	bt_buf_puts(out, s);
	if (v->line > 0 && v->from > BT_GARDEN_EXPERIMENT && s[0] != '-')
		bt_buf_printf(out, ":%d", v->line);
}

int bt_garden_fault(const struct bt_garden *c, const char *path,
                    struct bt_error *err, const char *fmt, ...)
{
	const struct bt_yaml *v = bt_garden_get(c, path);
	struct bt_buf b = BT_BUF_INIT;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	bt_garden_put_origin(c, v, &b);
	bt_error_set(err, BT_EARG, "%s (%.160s): %s", path, bt_buf_str(&b),
	             text);
	bt_buf_clear(&b);
	return BT_EARG;
}

static bool fits(const struct bt_yaml *v, char type)
{
	if (v->kind == BT_YAML_NULL)
		return isupper((unsigned char)type) != 0 ||
		       type == BT_GARDEN_LIST || type == BT_GARDEN_ANY;
	switch (tolower((unsigned char)type)) {
	case BT_GARDEN_INT:
		return v->kind == BT_YAML_INT;
	case BT_GARDEN_REAL:
		return v->kind == BT_YAML_INT || v->kind == BT_YAML_REAL;
	case BT_GARDEN_BOOL:
		return v->kind == BT_YAML_BOOL;
	case BT_GARDEN_STR:
		return v->kind == BT_YAML_STR;
	case BT_GARDEN_LIST:
		return v->kind == BT_YAML_LIST;
	default:
		return v->kind != BT_YAML_MAP;
	}
}

static const char *due(char type)
{
	switch (tolower((unsigned char)type)) {
	case BT_GARDEN_INT:
		return "a whole number";
	case BT_GARDEN_REAL:
		return "a number";
	case BT_GARDEN_BOOL:
		return "true or false";
	case BT_GARDEN_STR:
		return "a string";
	case BT_GARDEN_LIST:
		return "a list";
	default:
		return "a plain value";
	}
}

/* Why a string is none of what it looks like, for those who wrote it. */
static const char *hint(const struct bt_yaml *v, char type)
{
	const char *s = v->text;

	if (v->kind == BT_YAML_BOOL && tolower((unsigned char)type) == 's')
		return ": YAML takes on, off, yes and no for truth values; put "
		       "it in quotes";
	if (v->kind != BT_YAML_STR)
		return "";
	if (strcmp(s, "None") == 0)
		return ": YAML's word for nothing is null";
	if (strpbrk(s, "eE") != NULL &&
	    strspn(s, "+-0123456789._eE") == strlen(s))
		return ": YAML 1.1 wants a sign in the exponent behind a "
		       "point, as in 3.0e+5";
	return "";
}

static int misfit(const struct bt_garden *c, const struct bt_yaml *v,
                  const char *path, char type, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT, at = BT_BUF_INIT;
	bool file = c->source[v->from][0] != '-';
	int r;

	bt_yaml_put_flow(v, &b);
	bt_garden_put_origin(c, v, &at);
	r = bt_error_set(err, file ? BT_EFORMAT : BT_EARG,
	                 "%s (%.160s): %s is due, not %s, %.60s%s", path,
	                 bt_buf_str(&at), due(type), bt_yaml_kind_name(v->kind),
	                 bt_buf_str(&b), hint(v, type));
	bt_buf_clear(&b);
	bt_buf_clear(&at);
	return r;
}

/* Checks the types of all keys of a class; path names it. */
static int check_types(const struct bt_garden *c,
                       const struct bt_garden_class *class,
                       const struct bt_yaml *map, struct bt_buf *path,
                       struct bt_error *err)
{
	const struct bt_garden_class *of;
	const struct bt_garden_field *f;
	size_t len = path->len;
	struct bt_yaml *v;
	int r = BT_OK;

	for (f = class->fields; r == BT_OK && f->key != NULL; f++) {
		v = bt_yaml_get(map, f->key);
		of = bt_garden_class_of(c->e, f);
		path->len = len;
		bt_buf_printf(path, "%s%s", len > 0 ? "." : "", f->key);
		if (of != NULL && v->kind == BT_YAML_MAP)
			r = check_types(c, of, v, path, err);
		else if (of == NULL && !fits(v, f->type))
			r = misfit(c, v, bt_buf_str(path), f->type, err);
	}
	path->len = len;
	return r;
}

/* Whether what a choice names is one of its members. */
static int check_choices(const struct bt_garden *c, struct bt_error *err)
{
	static const char *const choices[] = {
	    "trainer.optimizer_config.optimizer",
	    "trainer.optimizer_config.learning_rate",
	    "trainer.optimizer_config.warmup", "task.model.encoder"};
	const struct bt_yaml *v;
	const char *type;
	char path[80];
	size_t i;

	for (i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		v = bt_garden_get(c, choices[i]);
		snprintf(path, sizeof(path), "%s.type", choices[i]);
		type = bt_garden_str(c, path);
		if (*type != '\0' &&
		    (strcmp(type, "type") == 0 || bt_yaml_get(v, type) == NULL))
			return bt_garden_fault(
			    c, path, err, "'%.60s' is not built here", type);
	}
	return BT_OK;
}

int bt_garden_check(const struct bt_garden *c, struct bt_error *err)
{
	static const char *const wanted[] = {
	    "task.train_data.is_training", "task.validation_data.is_training"};
	struct bt_buf path = BT_BUF_INIT;
	int r = check_types(c, c->e->root, c->tree, &path, err), i;

	bt_buf_clear(&path);
	for (i = 0; r == BT_OK && i < 2; i++)
		if (bt_garden_is_null(c, wanted[i]))
			r = bt_garden_fault(c, wanted[i], err,
			                    "it may not be null");
	return r == BT_OK ? check_choices(c, err) : r;
}

/* Keys of a mapping that are written: of a choice, `type` and the member that
 * it names. */
static bool is_written(const struct bt_garden_class *class,
                       const struct bt_yaml *map, const char *key)
{
	const struct bt_yaml *type;

	if (!class->one_of || strcmp(key, "type") == 0)
		return true;
	type = bt_yaml_get(map, "type");
	return type->kind == BT_YAML_STR && strcmp(type->text, key) == 0;
}

static int by_key(const void *a, const void *b)
{
	const struct bt_garden_field *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

#define MAX_FIELDS 64

static void write_class(const struct bt_garden *c,
                        const struct bt_garden_class *class,
                        const struct bt_yaml *map, int indent, bool origins,
                        struct bt_buf *out)
{
	const struct bt_garden_field *order[MAX_FIELDS] = {NULL}, *f;
	const struct bt_yaml *v;
	size_t n = 0, i, at;

	for (f = class->fields; f->key != NULL && n < MAX_FIELDS; f++)
		if (is_written(class, map, f->key))
			order[n++] = f;
	qsort(order, n, sizeof(order[0]), by_key);
	for (i = 0; i < n; i++) {
		v = bt_yaml_get(map, order[i]->key);
		at = out->len;
		bt_buf_printf(out, "%*s%s:", indent, "", order[i]->key);
		if (v->kind == BT_YAML_MAP) {
			bt_buf_putc(out, '\n');
			write_class(c, bt_garden_class_of(c->e, order[i]), v,
			            indent + 2, origins, out);
			continue;
		}
		bt_buf_putc(out, ' ');
		bt_yaml_put_flow(v, out);
		if (origins && v->from != BT_GARDEN_DEFAULT) {
			at = out->len - at;
			bt_buf_printf(out, "%*s# ",
			              at < 46 ? (int)(46 - at) : 2, "");
			bt_garden_put_origin(c, v, out);
		}
		bt_buf_putc(out, '\n');
	}
}

int bt_garden_write(const struct bt_garden *c, bool origins, struct bt_buf *out,
                    struct bt_error *err)
{
	write_class(c, c->e->root, c->tree, 0, origins, out);
	return out->oom ? bt_error_nomem(err, "writing a configuration")
	                : BT_OK;
}

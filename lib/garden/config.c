/* SPDX-License-Identifier: MIT */
/* The tree, and what is merged into it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "garden/config_int.h"
#include "garden/params_override.h"

/* What a merge is about, for its messages. */
struct merge {
	struct bt_garden *c;
	int from; /* source of the values */
	int code; /* of an error */
	struct bt_buf path;
};

/* A value and all below it come from there. */
static void mark(struct bt_yaml *v, int from)
{
	size_t i;

	v->from = from;
	for (i = 0; i < v->n; i++)
		mark(v->item[i], from);
}

/* A class with its defaults. */
static struct bt_yaml *defaults(const struct bt_garden_experiment *e,
                                const struct bt_garden_class *class)
{
	struct bt_yaml *map = bt_yaml_new(BT_YAML_MAP), *v;
	const struct bt_garden_field *f;

	for (f = class->fields; f->key != NULL; f++) {
		if (f->value == NULL)
			v = defaults(e, bt_garden_class_of(e, f));
		else if (bt_yaml_parse("default", f->value, strlen(f->value),
		                       &v, NULL) != BT_OK)
			v = bt_yaml_new(BT_YAML_NULL); /* never: our own */
		v->line = 0;
		bt_yaml_put(map, f->key, v);
	}
	return map;
}

static void add_source(struct bt_garden *c, const char *name)
{
	(void)!bt_grow(&c->source, &c->cap, c->n_sources + 1,
	               sizeof(*c->source));
	c->source[c->n_sources++] = bt_strndup(name, strlen(name));
}

/* "FILE:LINE: " of a value that is merged. */
static int complain(const struct merge *m, const struct bt_yaml *v,
                    struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_yaml at = *v;

	at.from = m->from;
	bt_garden_put_origin(m->c, &at, &b);
	bt_error_prefix(err, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
	return m->code;
}

static int unknown(const struct merge *m, const struct bt_garden_class *class,
                   const char *key, const struct bt_yaml *v,
                   struct bt_error *err)
{
	const char *near = bt_garden_nearest(class, key);
	struct bt_buf b = BT_BUF_INIT;

	if (m->path.len > 0)
		bt_buf_printf(&b, "%.*s (%s)", (int)m->path.len, m->path.data,
		              class->name);
	else
		bt_buf_puts(&b, class->name);
	if (bt_str_in_list(class->unbuilt, key))
		bt_buf_printf(&b, ": Model Garden's '%s' is not built here",
		              key);
	else if (near != NULL)
		bt_buf_printf(&b, " has no key '%.80s'; did you mean '%s'?",
		              key, near);
	else
		bt_buf_printf(&b, " has no key '%.80s'", key);
	bt_error_set(err, m->code, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
	return complain(m, v, err);
}

static int merge(struct merge *m, const struct bt_garden_class *class,
                 struct bt_yaml *to, const struct bt_yaml *values,
                 struct bt_error *err);

/* A mapping onto a key of a class, or null in its place. */
static int merge_class(struct merge *m, const struct bt_garden_field *f,
                       struct bt_yaml *to, const struct bt_yaml *v,
                       struct bt_error *err)
{
	const struct bt_garden_class *class = bt_garden_class_of(m->c->e, f);
	struct bt_yaml *old = bt_yaml_get(to, f->key);

	if (v->kind != BT_YAML_MAP) {
		bt_error_set(err, m->code, "%.*s takes a mapping (%s), not %s",
		             (int)m->path.len, m->path.data, class->name,
		             bt_yaml_kind_name(v->kind));
		return complain(m, v, err);
	}
	if (old->kind == BT_YAML_NULL) {
		bt_yaml_put(to, f->key, defaults(m->c->e, class));
		old = bt_yaml_get(to, f->key);
	}
	old->from = m->from;
	old->line = v->line;
	return merge(m, class, old, v, err);
}

static int merge(struct merge *m, const struct bt_garden_class *class,
                 struct bt_yaml *to, const struct bt_yaml *values,
                 struct bt_error *err)
{
	const struct bt_garden_field *f;
	size_t len = m->path.len, i;
	struct bt_yaml *v;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < values->n; i++) {
		v = values->item[i];
		f = bt_garden_field(class, values->key[i]);
		if (f == NULL)
			return unknown(m, class, values->key[i], v, err);
		bt_buf_printf(&m->path, "%s%s", len > 0 ? "." : "", f->key);
		if (bt_garden_class_of(m->c->e, f) != NULL &&
		    (v->kind != BT_YAML_NULL || f->value == NULL)) {
			r = merge_class(m, f, to, v, err);
		} else {
			v = bt_yaml_copy(v);
			mark(v, m->from);
			bt_yaml_put(to, f->key, v);
		}
		m->path.len = len;
	}
	return r;
}

static int merge_tree(struct bt_garden *c, const char *source, int code,
                      const struct bt_yaml *values, struct bt_error *err)
{
	struct merge m = {.c = c,
	                  .from = (int)c->n_sources,
	                  .code = code,
	                  .path = BT_BUF_INIT};
	int r;

	add_source(c, source);
	r = merge(&m, c->e->root, c->tree, values, err);
	bt_buf_clear(&m.path);
	return r;
}

void bt_garden_free(struct bt_garden *c)
{
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->n_sources; i++)
		free(c->source[i]);
	free(c->source);
	bt_yaml_free(c->tree);
	free(c);
}

int bt_garden_new(const char *experiment, struct bt_garden **out,
                  struct bt_error *err)
{
	const struct bt_garden_experiment *e = bt_garden_experiment(experiment);
	struct bt_garden *c;
	struct bt_yaml *own;
	int r;

	if (e == NULL)
		return bt_error_set(
		    err, BT_EARG,
		    "unknown experiment '%.80s'; those built are " BT_GARDEN_EXPERIMENTS,
		    experiment);
	r = bt_yaml_parse(experiment, e->values, strlen(e->values), &own, err);
	if (r != BT_OK)
		return r;
	c = bt_array0(1, sizeof(*c));
	c->e = e;
	c->tree = defaults(e, e->root);
	add_source(c, "default");
	r = merge_tree(c, experiment, BT_EARG, own, err);
	bt_yaml_free(own);
	if (r == BT_OK)
		*out = c;
	else
		bt_garden_free(c);
	return r;
}

static int merge_file(struct bt_garden *c, const char *option, const char *path,
                      struct bt_error *err)
{
	struct bt_yaml *v;
	int r = bt_yaml_load(path, &v, err);

	if (r != BT_OK)
		return bt_error_prefix(err, "--%s", option);
	if (v->kind == BT_YAML_MAP)
		r = merge_tree(c, path, BT_EFORMAT, v, err);
	else
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' holds %s, where a mapping is due", path,
		                 bt_yaml_kind_name(v->kind));
	bt_yaml_free(v);
	return r;
}

int bt_garden_apply(struct bt_garden *c, const char *option, const char *value,
                    struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT, name = BT_BUF_INIT;
	struct bt_error why = {0}, bad = {0};
	struct bt_yaml *v = NULL;
	const char *text = value;
	bool csv = bt_override_yaml(value, &b, &why) == BT_OK;
	int r;

	if (csv)
		text = bt_buf_str(&b);
	bt_buf_printf(&name, "--%s", option);
	r = bt_yaml_parse(bt_buf_str(&name), text, strlen(text), &v, &bad);
	if (r == BT_OK && v->kind == BT_YAML_MAP)
		r = merge_tree(c, bt_buf_str(&name), BT_EARG, v, err);
	else if (csv)
		r = bt_error_set(err, BT_EARG, "%s (that is what '%.80s' says)",
		                 bad.text, value);
	else if (access(value, F_OK) == 0)
		r = merge_file(c, option, value, err);
	else
		r = bt_error_set(err, BT_EARG,
		                 "--%s: '%.100s' is not an existing file, a "
		                 "YAML mapping or assignments as in a.b=1,c=2: "
		                 "%s",
		                 option, value, why.text);
	bt_yaml_free(v);
	bt_buf_clear(&b);
	bt_buf_clear(&name);
	return r;
}

void bt_garden_set(struct bt_garden *c, const char *source, const char *path,
                   const char *text)
{
	struct bt_yaml *v = (struct bt_yaml *)bt_garden_get(c, path), *new, old;

	new = text != NULL ? bt_yaml_new_text(BT_YAML_STR, text)
	                   : bt_yaml_new(BT_YAML_NULL);
	old = *v;
	*v = *new;
	*new = old;
	add_source(c, source);
	v->from = (int)c->n_sources - 1;
	bt_yaml_free(new);
}

/* SPDX-License-Identifier: MIT */
/* Finds plugins. */
#include "pjrt/find_int.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/path.h"
#include "pjrt/pjrt.h"

struct found {
	struct bt_pjrt_plugin *list;
	size_t n, cap;
};

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The kind that text has in it, or NULL. */
static const char *kind_in(const char *text)
{
	static const char *const kinds[] = {"tpu", "cuda", "rocm", "cpu"};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(text, kinds[i]) != NULL)
			return kinds[i];
	return NULL;
}

const char *bt_pjrt_kind(const char *name, const char *path)
{
	const char *kind = kind_in(name);

	kind = kind != NULL ? kind : kind_in(file_of(path));
	return kind != NULL ? kind : "";
}

/* The name that a plugin has by its file. */
static char *name_of(const char *path)
{
	const char *file = file_of(path), *kind = kind_in(file);

	return kind != NULL ? bt_strndup(kind, strlen(kind))
	                    : bt_strndup(file, strcspn(file, "."));
}

/* Takes name and path. */
static void add(struct found *f, char *name, char *path)
{
	size_t i;

	for (i = 0; i < f->n && strcmp(f->list[i].name, name) != 0; i++)
		;
	if (i < f->n ||
	    bt_grow(&f->list, &f->cap, f->n + 1, sizeof(*f->list)) != BT_OK) {
		free(name);
		free(path);
		return;
	}
	f->list[f->n].name = name;
	f->list[f->n++].path = path;
}

/* "name:path,name:path" */
static int add_named(struct found *f, const char *list, struct bt_error *err)
{
	size_t n, k;

	for (; *list != '\0'; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		k = strcspn(list, ":");
		if (n == 0)
			continue;
		if (k == 0 || k + 1 >= n)
			return bt_error_set(
			    err, BT_EARG,
			    "PJRT_NAMES_AND_LIBRARY_PATHS: '%.*s' is not "
			    "name:path",
			    (int)(n < 200 ? n : 200), list);
		add(f, bt_strndup(list, k),
		    bt_strndup(list + k + 1, n - k - 1));
	}
	return BT_OK;
}

/* Appends s so that glob takes it as it is. */
static void put_literal(struct bt_buf *b, const char *s, size_t n)
{
	for (; n > 0; n--, s++) {
		if (strchr("*?[\\", *s) != NULL)
			bt_buf_putc(b, '\\');
		bt_buf_putc(b, *s);
	}
}

static void add_matches(struct found *f, const char *dir, size_t len,
                        const char *below)
{
	struct bt_buf pattern = BT_BUF_INIT;
	glob_t g;
	size_t i;

	put_literal(&pattern, dir, len);
	bt_buf_printf(&pattern, "/%s", below);
	if (glob(bt_buf_str(&pattern), 0, NULL, &g) == 0) {
		for (i = 0; i < g.gl_pathc; i++)
			add(f, name_of(g.gl_pathv[i]),
			    bt_strndup(g.gl_pathv[i], strlen(g.gl_pathv[i])));
		globfree(&g);
	}
	bt_buf_clear(&pattern);
}

static void add_directories(struct found *f, const char *dirs)
{
	static const char *const below[] = {"libtpu/libtpu.so",
	                                    "xla_plugins/*/*.so",
	                                    "jax_plugins/*/*.so", "*pjrt*.so"};
	size_t i, n;

	for (; *dirs != '\0'; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		for (i = 0; n > 0 && i < sizeof(below) / sizeof(*below); i++)
			add_matches(f, dirs, n, below[i]);
	}
}

int bt_pjrt_plugins(struct bt_pjrt_plugin **found, size_t *n,
                    struct bt_error *err)
{
	const char *named = getenv("PJRT_NAMES_AND_LIBRARY_PATHS");
	const char *dirs = getenv("BT_PJRT_PATH");
	struct found f = {NULL, 0, 0};
	int r = named != NULL ? add_named(&f, named, err) : BT_OK;

	if (r != BT_OK) {
		bt_pjrt_plugins_free(f.list, f.n);
		return r;
	}
	if (dirs != NULL)
		add_directories(&f, dirs);
	*found = f.list;
	*n = f.n;
	return BT_OK;
}

void bt_pjrt_plugins_free(struct bt_pjrt_plugin *found, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(found[i].name);
		free(found[i].path);
	}
	free(found);
}

static int not_found(const char *plugin, const struct bt_pjrt_plugin *list,
                     size_t n, struct bt_error *err)
{
	struct bt_buf names = BT_BUF_INIT;
	size_t i;
	int r;

	for (i = 0; i < n; i++)
		bt_buf_printf(&names, "%s%s", i > 0 ? ", " : "", list[i].name);
	r = bt_error_set(err, BT_EARG,
	                 n > 0 ? "found no device plugin '%s', only %s"
	                       : "found no device plugin '%s'",
	                 plugin, bt_buf_str(&names));
	bt_buf_clear(&names);
	return bt_error_hint(err, BT_HINT_DEVICES, r);
}

int bt_pjrt_find(const char *plugin, char **name, char **path,
                 struct bt_error *err)
{
	struct bt_pjrt_plugin *list = NULL;
	size_t i, n = 0;
	int r;

	if (strchr(plugin, '/') != NULL) {
		if (!bt_path_there(plugin))
			return bt_error_set(err, BT_EIO,
			                    "cannot find plugin '%s'", plugin);
		*name = name_of(plugin);
		*path = bt_strndup(plugin, strlen(plugin));
		return BT_OK;
	}
	r = bt_pjrt_plugins(&list, &n, err);
	if (r != BT_OK)
		return r;
	for (i = 0; i < n && strcmp(list[i].name, plugin) != 0; i++)
		;
	if (i < n) {
		*name = bt_strndup(list[i].name, strlen(list[i].name));
		*path = bt_strndup(list[i].path, strlen(list[i].path));
	} else {
		r = not_found(plugin, list, n, err);
	}
	bt_pjrt_plugins_free(list, n);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* A folder of texts as a table: DIR/LABEL/NAME.txt, one file a row, the labels
 * in their order, the files of each in the order of their names' bytes; or
 * DIR/NAME.txt. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/in.h"
#include "io/path.h"
#include "table/table_int.h"

bool bt_text_folder_is(const char *path)
{
	struct stat st;

	return path != NULL && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether it is not a file: a link that leads nowhere is one that cannot be
 * read. */
static bool is_other(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int add_name(struct bt_text_folder *f, const char *label,
                    const char *name, struct bt_error *err)
{
	if (bt_grow(&f->starts, &f->cap, f->n + 1, sizeof(*f->starts)) != BT_OK)
		return bt_error_nomem(err, "listing a folder");
	f->starts[f->n++] = f->names.len;
	bt_buf_printf(&f->names, "%s%s%s", label, *label != '\0' ? "/" : "",
	              name);
	bt_buf_putc(&f->names, '\0');
	return BT_OK;
}

/* The files of a label, or with "" those of the folder itself. */
static int list(struct bt_text_folder *f, const char *label,
                struct bt_error *err)
{
	char *in = bt_path_join(f->path, label), *path, **p;
	DIR *dir = opendir(in);
	const struct dirent *e;
	size_t from = f->n, n, i;
	int r = BT_OK;

	if (dir == NULL) {
		free(in);
		return bt_error_set(err, BT_EFORMAT,
		                    "%s has no folder '%s' that can be read",
		                    f->name, label);
	}
	while (r == BT_OK && !(r = bt_path_entry(dir, in, &e, err)) &&
	       e != NULL) {
		if (e->d_name[0] == '.' || !bt_str_ends(e->d_name, ".txt"))
			continue;
		path = bt_path_join(in, e->d_name);
		if (!is_other(path))
			r = add_name(f, label, e->d_name, err);
		free(path);
	}
	closedir(dir);
	free(in);
	if (r != BT_OK)
		return r;
	n = f->n - from;
	p = bt_array(n, sizeof(*p));
	if (f->names.oom || p == NULL) {
		free(p);
		return bt_error_nomem(err, "listing a folder");
	}
	for (i = 0; i < n; i++)
		p[i] = f->names.data + f->starts[from + i];
	qsort(p, n, sizeof(*p), by_name);
	for (i = 0; i < n; i++)
		f->starts[from + i] = (size_t)(p[i] - f->names.data);
	free(p);
	return BT_OK;
}

/* The files of each label; one without any is an error. */
static int list_labels(struct bt_text_folder *f, const char *const *label,
                       size_t n, struct bt_error *err)
{
	size_t i, before;
	int r;

	for (i = 0; i < n; i++) {
		before = f->n;
		r = list(f, label[i], err);
		if (r != BT_OK)
			return r;
		if (f->n == before)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the folder '%s' in %s holds no texts: expected "
			    "the files NAME.txt in it; a table in it is given "
			    "by its own name",
			    label[i], f->name);
	}
	return BT_OK;
}

/* The folders in it, by their names. *label must be freed in any case, and what
 * it points to. */
static int find_folders(const struct bt_text_folder *f, char ***label,
                        size_t *n, struct bt_error *err)
{
	struct bt_buf path = BT_BUF_INIT;
	const struct dirent *e;
	size_t cap = 0;
	int r = BT_OK;
	DIR *dir = opendir(f->path);

	if (dir == NULL)
		return bt_error_sys(err, errno, "cannot open %s", f->name);
	while (r == BT_OK && !(r = bt_path_entry(dir, f->path, &e, err)) &&
	       e != NULL) {
		bt_buf_reset(&path);
		bt_buf_printf(&path, "%s/%s", f->path, e->d_name);
		if (e->d_name[0] == '.' ||
		    !bt_text_folder_is(bt_buf_str(&path)))
			continue;
		if (bt_grow(label, &cap, *n + 1, sizeof(**label)) != BT_OK)
			r = bt_error_nomem(err, "listing a folder");
		else
			(*label)[(*n)++] =
			    bt_strndup(e->d_name, strlen(e->d_name));
	}
	closedir(dir);
	bt_buf_clear(&path);
	if (r == BT_OK && *n > 1)
		qsort(*label, *n, sizeof(**label), by_name);
	return r;
}

/* All that there is, with labels or without. */
static int list_all(struct bt_text_folder *f, struct bt_error *err)
{
	char **label = NULL;
	size_t n = 0, i;
	int r = find_folders(f, &label, &n, err);

	if (r == BT_OK)
		r = list(f, "", err);
	f->bare = n == 0;
	if (r == BT_OK && n > 0 && f->n > 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s holds texts, such as '%s', beside "
		                 "folders, such as '%s', whose names would be "
		                 "labels",
		                 f->name, f->names.data + f->starts[0],
		                 label[0]);
	else if (r == BT_OK && n > 0)
		r = list_labels(f, (const char *const *)label, n, err);
	else if (r == BT_OK && f->n == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s holds no texts: expected the files "
		                 "LABEL/NAME.txt or NAME.txt in it; a table in "
		                 "it is given by its own name",
		                 f->name);
	for (i = 0; i < n; i++)
		free(label[i]);
	free(label);
	return r;
}

int bt_text_folder_open(const char *path, const struct bt_table_opts *opts,
                        struct bt_text_folder **folder, struct bt_error *err)
{
	const char *const *labels =
	    opts->task != NULL ? opts->task->labels : NULL;
	struct bt_text_folder *f = bt_array0(1, sizeof(*f));
	size_t n = 0;
	int r;

	f->name = bt_path_quoted(path);
	f->path = bt_strndup(path, strlen(path));
	while (labels != NULL && labels[n] != NULL)
		n++;
	r = labels != NULL ? list_labels(f, labels, n, err) : list_all(f, err);
	if (r != BT_OK) {
		bt_text_folder_close(f);
		return r;
	}
	*folder = f;
	return BT_OK;
}

void bt_text_folder_close(struct bt_text_folder *f)
{
	if (f == NULL)
		return;
	bt_buf_clear(&f->names);
	free(f->starts);
	free(f->text);
	free(f->path);
	free(f->name);
	free(f);
}

/* The text of a file, without a byte order mark. */
static int read_text(struct bt_text_folder *f, const char *path,
                     const struct bt_table_opts *opts, struct bt_error *err)
{
	size_t max = opts->csv.max_field, n;
	const uint8_t *p;
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	bt_in_as_is(in);
	bt_in_limit(in, opts->limit);
	f->utf16 = opts->utf16;
	if (opts->charset == BT_CHARSET_UTF8)
		r = bt_in_utf16(in, &f->utf16, err);
	if (r == BT_OK)
		r = bt_charset_skip_mark(opts->charset, in, err);
	if (r == BT_OK)
		r = bt_in_peek(in, max + 1, &p, &n, err);
	if (r == BT_OK && n > max) {
		f->fault = BT_TABLE_LARGE;
		r = bt_error_set(err, BT_ELIMIT, "larger than %zu bytes", max);
	}
	if (r == BT_OK) {
		f->text = bt_strndup((const char *)p, n);
		f->len = n;
	}
	if (r == BT_OK && memchr(f->text, '\0', f->len) != NULL) {
		f->fault = BT_TABLE_NUL;
		r = bt_error_set(err, BT_EFORMAT, "a NUL byte");
	}
	bt_in_close(in);
	return r;
}

int bt_text_folder_next(struct bt_text_folder *f,
                        const struct bt_table_opts *opts,
                        const struct bt_span **fields, struct bt_error *err)
{
	struct bt_buf path = BT_BUF_INIT;
	const char *name, *base;
	int r;

	free(f->text);
	f->text = NULL;
	f->len = 0;
	f->fault = BT_TABLE_FAULTS;
	if (f->at == f->n)
		return 0;
	f->file = name = f->names.data + f->starts[f->at++];
	base = f->bare ? name : strchr(name, '/') + 1;
	bt_buf_printf(&path, "%s/%s", f->path, name);
	r = read_text(f, bt_buf_str(&path), opts, err);
	bt_buf_clear(&path);
	if (r != BT_OK)
		return f->fault != BT_TABLE_FAULTS
		           ? bt_text_folder_blame(f, err)
		           : r;
	f->offset += f->len;
	f->fields[0] = (struct bt_span){f->text, f->len};
	f->fields[1] = (struct bt_span){base, strlen(base) - strlen(".txt")};
	if (!f->bare)
		f->fields[2] =
		    (struct bt_span){name, (size_t)(base - name) - 1};
	*fields = f->fields;
	return 1;
}

int bt_text_folder_blame(const struct bt_text_folder *f, struct bt_error *err)
{
	return bt_error_prefix(err, "record %zu (file '%s')", f->at, f->file);
}

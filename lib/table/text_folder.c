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

/* The files of a label, or with "" those of the folder itself. */
static int list(struct bt_text_folder *f, const char *label,
                struct bt_error *err)
{
	struct bt_buf path = BT_BUF_INIT;
	const struct dirent *e;
	size_t from = f->n, n, i;
	int r = BT_OK;
	char **p;
	DIR *dir;

	bt_buf_printf(&path, "%s/%s", f->path, label);
	dir = opendir(bt_buf_str(&path));
	bt_buf_clear(&path);
	if (dir == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s has no folder '%s' that can be read",
		                    f->name, label);
	while (r == BT_OK && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.' || !bt_str_ends(e->d_name, ".txt"))
			continue;
		r = bt_grow(&f->starts, &f->cap, f->n + 1, sizeof(*f->starts));
		if (r != BT_OK)
			break;
		f->starts[f->n++] = f->names.len;
		bt_buf_printf(&f->names, "%s%s%s", label,
		              *label != '\0' ? "/" : "", e->d_name);
		bt_buf_putc(&f->names, '\0');
	}
	closedir(dir);
	n = f->n - from;
	p = bt_array(n, sizeof(*p));
	if (r != BT_OK || f->names.oom || p == NULL) {
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

/* The files of each folder in it, by their names. */
static int list_folders(struct bt_text_folder *f, struct bt_error *err)
{
	struct bt_buf path = BT_BUF_INIT;
	char **label = NULL;
	const struct dirent *e;
	size_t n = 0, cap = 0, i;
	int r = BT_OK;
	DIR *dir = opendir(f->path);

	if (dir == NULL)
		return bt_error_sys(err, errno, "cannot open %s", f->name);
	while (r == BT_OK && (e = readdir(dir)) != NULL) {
		bt_buf_reset(&path);
		bt_buf_printf(&path, "%s/%s", f->path, e->d_name);
		if (e->d_name[0] == '.' ||
		    !bt_text_folder_is(bt_buf_str(&path)))
			continue;
		r = bt_grow(&label, &cap, n + 1, sizeof(*label));
		if (r == BT_OK)
			label[n++] = bt_strndup(e->d_name, strlen(e->d_name));
	}
	closedir(dir);
	bt_buf_clear(&path);
	if (r != BT_OK)
		bt_error_nomem(err, "listing a folder");
	if (n > 1)
		qsort(label, n, sizeof(*label), by_name);
	for (i = 0; i < n; i++) {
		if (r == BT_OK)
			r = list(f, label[i], err);
		free(label[i]);
	}
	free(label);
	return r;
}

/* All that there is, with labels or without. */
static int list_all(struct bt_text_folder *f, struct bt_error *err)
{
	size_t labelled;
	int r = list_folders(f, err);

	labelled = f->n;
	if (r == BT_OK)
		r = list(f, "", err);
	f->bare = labelled == 0;
	if (r == BT_OK && labelled > 0 && f->n > labelled)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "%s holds texts, such as '%s', beside "
		    "folders of texts, whose names would be their "
		    "labels",
		    f->name, f->names.data + f->starts[labelled]);
	if (r == BT_OK && f->n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s holds no texts: expected the files "
		                    "LABEL/NAME.txt or NAME.txt in it",
		                    f->name);
	return r;
}

int bt_text_folder_open(const char *path, const char *const *labels, size_t max,
                        struct bt_text_folder **folder, struct bt_error *err)
{
	struct bt_text_folder *f = bt_array0(1, sizeof(*f));
	size_t i;
	int r = BT_OK;

	f->name = bt_path_quoted(path);
	f->path = bt_strndup(path, strlen(path));
	f->max = max;
	if (labels == NULL)
		r = list_all(f, err);
	for (i = 0; r == BT_OK && labels != NULL && labels[i] != NULL; i++)
		r = list(f, labels[i], err);
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

int bt_text_folder_next(struct bt_text_folder *f, const struct bt_span **fields,
                        struct bt_error *err)
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
	r = bt_in_whole(bt_buf_str(&path), f->max, &f->text, &f->len, err);
	bt_buf_clear(&path);
	if (r == BT_OK && memchr(f->text, '\0', f->len) != NULL) {
		f->fault = BT_TABLE_NUL;
		r = bt_error_set(err, BT_EFORMAT, "a NUL byte");
	} else if (r == BT_ELIMIT) {
		f->fault = BT_TABLE_LARGE;
	}
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

/* SPDX-License-Identifier: MIT */
/* Finding the index of a TensorFlow checkpoint. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ckpt_format/tf_find.h"
#include "format/model_files.h"
#include "io/path.h"
#include "tensor/checkpoint_reader.h"

#define STATE_MAX 4096 /* a line of the file "checkpoint" */
#define SHOWN 5        /* names in a message */

/* "stem.index", if there is such a file. */
static char *index_of(const char *stem, size_t n)
{
	struct bt_buf b = BT_BUF_INIT;
	struct stat st;
	char *path;

	bt_buf_put(&b, stem, n);
	bt_buf_puts(&b, ".index");
	path = bt_buf_detach(&b);
	if (path != NULL && (stat(path, &st) != 0 || !S_ISREG(st.st_mode))) {
		free(path);
		path = NULL;
	}
	return path;
}

char *bt_tf_find_index(const char *path)
{
	static const char tail[] = "*.data-[0-9][0-9][0-9][0-9][0-9]"
	                           "-of-[0-9][0-9][0-9][0-9][0-9]";
	size_t n = strlen(path);

	if (fnmatch(tail, path, 0) == 0)
		return index_of(path, n - strlen(".data-00000-of-00001"));
	return access(path, F_OK) != 0 ? index_of(path, n) : NULL;
}

/*
 * The first line of "checkpoint" is model_checkpoint_path: "NAME". A directory
 * that was moved has the old place in it: what counts is the last part of it.
 */
static int latest(const char *dir, const char *state, char **path,
                  struct bt_error *err)
{
	char line[STATE_MAX], name[STATE_MAX], *stem;
	const char *last = NULL;
	FILE *f = fopen(state, "r");

	while (f != NULL && last == NULL &&
	       fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "model_checkpoint_path: \"%4095[^\"]\"",
		           name) == 1) {
			last = strrchr(name, '/');
			last = last != NULL ? last + 1 : name;
		}
	if (f != NULL)
		fclose(f);
	if (last == NULL)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s' does not say which checkpoint is the "
		                    "latest",
		                    state);
	stem = bt_path_join(dir, last);
	if (stem == NULL)
		return bt_error_nomem(err, "opening a checkpoint");
	*path = index_of(stem, strlen(stem));
	free(stem);
	if (*path != NULL)
		return BT_OK;
	return bt_error_set(err, BT_EIO,
	                    "'%s' names the checkpoint '%.100s', but there is "
	                    "no '%.100s.index' beside it",
	                    state, last, last);
}

/* Names of files. */
struct names {
	char **v;
	size_t n, cap;
};

static void free_names(struct names *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

static int add_name(struct names *l, const char *name)
{
	if (bt_grow(&l->v, &l->cap, l->n + 1, sizeof(*l->v)) != BT_OK)
		return -1;
	l->v[l->n] = bt_strndup(name, strlen(name));
	if (l->v[l->n] == NULL)
		return -1;
	l->n++;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the files *.index in a directory, sorted; or -1. */
static int list_indexes(const char *dir, struct names *names)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int r = 0;

	while (r == 0 && d != NULL && (e = readdir(d)) != NULL)
		if (fnmatch("*.index", e->d_name, FNM_PERIOD) == 0)
			r = add_name(names, e->d_name);
	if (d != NULL)
		closedir(d);
	if (r == 0 && names->n > 1)
		qsort(names->v, names->n, sizeof(*names->v), by_text);
	return r;
}

static int ambiguous(const char *dir, const struct names *names,
                     struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < names->n && i < SHOWN; i++)
		bt_buf_printf(&b, "%s'%.60s'", i > 0 ? ", " : "", names->v[i]);
	if (names->n > SHOWN)
		bt_buf_printf(&b, " and %zu more", names->n - SHOWN);
	bt_error_set(err, BT_EFORMAT,
	             "'%s' holds several checkpoints, %s: give the path of one",
	             dir, bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "?");
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

/* The only file *.index in *path, NULL where there is none. */
static int only_index(const char *dir, char **path, struct bt_error *err)
{
	struct names names = {0};
	int r = list_indexes(dir, &names);

	*path = NULL;
	if (r == 0 && names.n == 1)
		*path = bt_path_join(dir, names.v[0]);
	if (r != 0 || (names.n == 1 && *path == NULL))
		r = bt_error_nomem(err, "opening a checkpoint");
	else if (names.n > 1)
		r = ambiguous(dir, &names, err);
	free_names(&names);
	return r;
}

int bt_tf_find_in(const char *dir, char **path, struct bt_error *err)
{
	char *stem = bt_path_join(dir, BT_FILE_TF_STEM);
	char *saved = bt_path_join(dir, "variables/variables");
	char *state = bt_path_join(dir, "checkpoint");
	struct stat st;
	int r = BT_OK;

	*path = NULL;
	if (stem == NULL || saved == NULL || state == NULL)
		r = bt_error_nomem(err, "opening a checkpoint");
	else
		*path = index_of(stem, strlen(stem));
	if (r == BT_OK && *path == NULL)
		*path = index_of(saved, strlen(saved));
	if (r == BT_OK && *path == NULL) {
		if (stat(state, &st) == 0 && S_ISREG(st.st_mode))
			r = latest(dir, state, path, err);
		else
			r = only_index(dir, path, err);
	}
	free(stem);
	free(saved);
	free(state);
	return r;
}

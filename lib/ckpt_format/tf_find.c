/* SPDX-License-Identifier: MIT */
/* Finding the index of a TensorFlow checkpoint. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
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

	bt_buf_put(&b, stem, n);
	bt_buf_puts(&b, ".index");
	if (!bt_path_is_file(bt_buf_str(&b)))
		bt_buf_clear(&b);
	return b.data != NULL ? bt_buf_detach(&b) : NULL;
}

char *bt_tf_find_index(const char *path)
{
	static const char tail[] = "*.data-[0-9][0-9][0-9][0-9][0-9]"
	                           "-of-[0-9][0-9][0-9][0-9][0-9]";
	size_t n = strlen(path);

	if (fnmatch(tail, path, 0) == 0)
		return index_of(path, n - strlen(".data-00000-of-00001"));
	if (bt_str_ends(path, ".meta"))
		return index_of(path, n - strlen(".meta"));
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
	*path = index_of(stem, strlen(stem));
	free(stem);
	if (*path != NULL)
		return BT_OK;
	return bt_error_set(err, BT_EIO,
	                    "'%s' names the checkpoint '%.100s', but there is "
	                    "no '%.100s.index' beside it",
	                    state, last, last);
}

static int is_index(const struct dirent *e)
{
	return fnmatch("*.index", e->d_name, FNM_PERIOD) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The only file *.index in *path, NULL where there is none. */
static int only_index(const char *dir, char **path, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	struct dirent **list;
	int i, n = scandir(dir, &list, is_index, by_name), r = BT_OK;

	if (n < 0)
		return errno == ENOMEM
		           ? bt_error_nomem(err, "opening a checkpoint")
		           : BT_OK;
	for (i = 0; i < n && i < SHOWN; i++)
		bt_buf_printf(&b, "%s'%.60s'", i > 0 ? ", " : "",
		              list[i]->d_name);
	if (n > SHOWN)
		bt_buf_printf(&b, " and %d more", n - SHOWN);
	if (n == 1)
		*path = bt_path_join(dir, list[0]->d_name);
	else if (n > 1)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' holds several checkpoints, %s: give the "
		                 "path of one",
		                 dir, bt_buf_str(&b));
	bt_buf_clear(&b);
	while (n > 0)
		free(list[--n]);
	free(list);
	return r;
}

int bt_tf_find_in(const char *dir, char **path, struct bt_error *err)
{
	char *stem = bt_path_join(dir, BT_FILE_TF_STEM);
	char *saved = bt_path_join(dir, "variables/variables");
	char *state = bt_path_join(dir, "checkpoint");
	int r = BT_OK;

	*path = index_of(stem, strlen(stem));
	if (*path == NULL)
		*path = index_of(saved, strlen(saved));
	if (*path == NULL)
		r = bt_path_is_file(state) ? latest(dir, state, path, err)
		                           : only_index(dir, path, err);
	free(stem);
	free(saved);
	free(state);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "plot/history_runs.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/path.h"

static bool has_history(const char *dir)
{
	char *path = bt_path_join(dir, "history.jsonl");
	bool there = bt_path_there(path);

	free(path);
	return there;
}

static int add(struct bt_history_runs *runs, char *path, struct bt_error *err)
{
	if (bt_grow(&runs->path, &runs->cap, runs->n + 1,
	            sizeof(*runs->path)) != BT_OK) {
		free(path);
		return bt_error_nomem(err, "looking for runs");
	}
	runs->path[runs->n++] = path;
	return BT_OK;
}

/* Behind "fold-" or "seed-"; NULL: a name of another form. */
static const char *number_of(const char *name)
{
	const char *digits = name + strlen("fold-");
	size_t n;

	if (!bt_str_starts(name, "fold-") && !bt_str_starts(name, "seed-"))
		return NULL;
	n = strspn(digits, "0123456789");
	return n > 0 && digits[n] == '\0' ? digits : NULL;
}

/* Of paths in one directory: folds before seeds, shorter numbers first. */
static int by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	const char *i = strrchr(x, '/') + 1, *k = strrchr(y, '/') + 1;

	if (*i == *k && strlen(i) != strlen(k))
		return strlen(i) < strlen(k) ? -1 : 1;
	return strcmp(i, k);
}

int bt_history_runs_add(struct bt_history_runs *runs, const char *path,
                        struct bt_error *err)
{
	size_t before = runs->n;
	const struct dirent *e;
	DIR *dir = NULL;
	char *run;
	int r = BT_OK;

	if (bt_path_is_dir(path) && !has_history(path))
		dir = opendir(path);
	while (dir != NULL && r == BT_OK) {
		r = bt_path_entry(dir, path, &e, err);
		if (r != BT_OK || e == NULL)
			break;
		if (number_of(e->d_name) == NULL)
			continue;
		run = bt_path_join(path, e->d_name);
		if (has_history(run))
			r = add(runs, run, err);
		else
			free(run);
	}
	if (dir != NULL)
		closedir(dir);
	if (r == BT_OK && runs->n > before)
		qsort(runs->path + before, runs->n - before,
		      sizeof(*runs->path), by_number);
	else if (r == BT_OK)
		r = add(runs, bt_strndup(path, strlen(path)), err);
	return r;
}

void bt_history_runs_clear(struct bt_history_runs *runs)
{
	size_t i;

	for (i = 0; i < runs->n; i++)
		free(runs->path[i]);
	free(runs->path);
	memset(runs, 0, sizeof(*runs));
}

/* SPDX-License-Identifier: MIT */
#include "io/duplicate_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

struct file {
	dev_t dev;
	ino_t ino;
	int at; /* in paths */
};

static int by_file(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->at - y->at;
}

/* Of f[0..n-1], which stand in order, tells the first that comes again. */
static void tell(const struct file *f, int n, char *const *paths,
                 const struct bt_log *log)
{
	int i, first = -1, more = 0;
	const char *one, *two;
	char rest[64] = "";

	for (i = 1; i < n; i++) {
		if (f[i].dev != f[i - 1].dev || f[i].ino != f[i - 1].ino)
			continue;
		more++;
		if (first < 0 || f[i].at < f[first].at)
			first = i;
	}
	if (more == 0)
		return;
	one = paths[f[first - 1].at];
	two = paths[f[first].at];
	if (more > 1)
		snprintf(rest, sizeof(rest),
		         " (%d of %d inputs were there before)", more, n);
	if (strcmp(one, two) == 0)
		bt_log_warn(log, "input-twice", BT_HINT_NONE,
		            "'%s' is given twice: what is in it counts again%s",
		            one, rest);
	else
		bt_log_warn(log, "input-twice", BT_HINT_NONE,
		            "'%s' is '%s' again: what is in it counts twice%s",
		            two, one, rest);
}

int bt_duplicate_paths(char *const *paths, int n, const struct bt_log *log,
                       struct bt_error *err)
{
	struct file *f;
	struct stat st;
	int i, k = 0, std = 0;

	if (n < 2)
		return BT_OK;
	f = bt_array((size_t)n, sizeof(*f));
	if (f == NULL)
		return bt_error_nomem(err, "looking at the inputs");
	for (i = 0; i < n; i++) {
		if (strcmp(paths[i], "-") == 0)
			std++;
		else if (stat(paths[i], &st) == 0 &&
		         (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			f[k++] = (struct file){st.st_dev, st.st_ino, i};
	}
	qsort(f, (size_t)k, sizeof(*f), by_file);
	tell(f, k, paths, log);
	free(f);
	if (std > 1)
		return bt_error_set(err, BT_EARG,
		                    "standard input is given %d times", std);
	return BT_OK;
}

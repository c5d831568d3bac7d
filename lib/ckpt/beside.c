/* SPDX-License-Identifier: MIT */
/* The files of a model directory that stand beside its weights. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ckpt/ckpt_int.h"
#include "ckpt/recast.h"
#include "io/dirs.h"
#include "io/in.h"
#include "io/modeldir.h"
#include "io/out.h"

#define FILE_MAX ((size_t)256 << 20)

/* Makes the directory that a file is to stand in. */
static int make_parent(const char *path, struct bt_error *err)
{
	char *dir = strdup(path), *slash;
	int r = BT_OK;

	if (dir == NULL)
		return bt_error_nomem(err, "copying files");
	slash = strrchr(dir, '/');
	if (slash != NULL && slash != dir) {
		*slash = '\0';
		if (mkdir(dir, 0777) != 0 && errno != EEXIST)
			r = bt_error_sys(err, errno, "cannot make '%s'", dir);
	}
	free(dir);
	return r;
}

static int copy(const char *from, const char *to, struct bt_error *err)
{
	char *data;
	size_t n;
	int r = bt_in_whole(from, FILE_MAX, &data, &n, err);

	if (r != BT_OK)
		return r;
	r = bt_out_whole(to, data, n, err);
	free(data);
	return r;
}

int bt_recast_beside(const char *from, const char *dir, int *copied,
                     struct bt_error *err)
{
	char *src = bt_dirs_of(from), *a = NULL, *b = NULL;
	const struct bt_model_file *f = NULL;
	int r = src == NULL ? bt_error_nomem(err, "copying files") : BT_OK;

	*copied = 0;
	while (r == BT_OK &&
	       (f = bt_modeldir_next(f, ~(unsigned)BT_USE_WEIGHTS)) != NULL) {
		a = bt_dirs_join(src, f->name);
		b = bt_dirs_join(dir, f->as != NULL ? f->as : f->name);
		if (a == NULL || b == NULL) {
			r = bt_error_nomem(err, "copying files");
		} else if (bt_dirs_is_file(a) && !bt_dirs_is_file(b)) {
			r = make_parent(b, err);
			if (r == BT_OK)
				r = copy(a, b, err);
			++*copied;
		}
		free(a);
		free(b);
	}
	free(src);
	return r;
}

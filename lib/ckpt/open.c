/* SPDX-License-Identifier: MIT */
#include "ckpt/open.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ckpt/open_int.h"
#include "ckpt_format/tf_find.h"
#include "io/url.h"
#include "tensor/map.h"

static bool is_json(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < f->size && i < 4096; i++)
		if (!isspace(f->data[i]))
			return f->data[i] == '{';
	return false;
}

static int read_path(struct bt_ckpt *c, const char *path, struct bt_error *err)
{
	const struct bt_ckpt_file *f;
	int r = bt_ckpt_map(c, path, &f, err);

	if (r != BT_OK)
		return r;
	if (!bt_ckpt_file_known(f) && is_json(f))
		return bt_ckpt_read_index(c, f, err);
	return bt_ckpt_read_file(c, f, err);
}

static int read_dir(struct bt_ckpt *c, const char *dir, struct bt_error *err)
{
	char *path;
	int r = bt_ckpt_find_in(dir, &path, err);

	if (r != BT_OK)
		return r;
	r = read_path(c, path, err);
	free(path);
	return r == BT_OK ? bt_kerashub_task_read(c, dir, err) : r;
}

int bt_ckpt_open(const char *path, struct bt_ckpt **res, struct bt_error *err)
{
	struct bt_ckpt *c;
	struct stat st;
	char *index;
	int r, e;

	if (bt_url_refuse(path, BT_URL_DIR, err) != BT_OK)
		return BT_EREMOTE;
	c = bt_ckpt_new(path);
	e = stat(path, &st) != 0 ? errno : 0;
	index = e != 0 || !S_ISDIR(st.st_mode) ? bt_tf_find_index(path) : NULL;
	if (index != NULL)
		r = read_path(c, index, err);
	else if (e != 0)
		r = bt_error_sys(err, e, "cannot open '%s'", path);
	else if (S_ISDIR(st.st_mode))
		r = read_dir(c, path, err);
	else
		r = read_path(c, path, err);
	free(index);
	return bt_ckpt_opened(c, r, res, err);
}

int bt_ckpt_open_memory(const char *name, const void *data, size_t size,
                        struct bt_ckpt **res, struct bt_error *err)
{
	struct bt_ckpt *c = bt_ckpt_new(name);
	const struct bt_ckpt_file *f = bt_ckpt_add_memory(c, name, data, size);
	int r = f != NULL ? bt_ckpt_read_file(c, f, err)
	                  : bt_error_nomem(err, "opening a checkpoint");

	return bt_ckpt_opened(c, r, res, err);
}

/* SPDX-License-Identifier: MIT */
#include "ckpt/open.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ckpt/adapter.h"
#include "ckpt/open_int.h"
#include "ckpt_format/tf_find.h"
#include "format/hub_cache.h"
#include "format/model_files.h"
#include "io/path.h"
#include "io/url.h"
#include "tensor/map.h"

static int read_path(struct bt_ckpt *c, const char *path, struct bt_error *err)
{
	const struct bt_ckpt_file *f;
	size_t i = 0;
	int r = bt_ckpt_map(c, path, &f, err);

	if (r != BT_OK)
		return r;
	if (bt_ckpt_file_known(f))
		return bt_ckpt_read_file(c, f, err);
	while (i < f->size && i < 4096 && isspace(f->data[i]))
		i++;
	return i < f->size && f->data[i] == '{' ? bt_ckpt_read_index(c, f, err)
	                                        : bt_ckpt_read_file(c, f, err);
}

/* A model's own checkpoint. */
static int open_model(const char *path, struct bt_ckpt **res,
                      struct bt_error *err)
{
	char *file = NULL;
	struct bt_ckpt *c;
	struct stat st;
	bool dir;
	int r = BT_OK, e;

	c = bt_ckpt_new(path);
	e = stat(path, &st) != 0 ? errno : 0;
	dir = e == 0 && S_ISDIR(st.st_mode);
	if (dir)
		r = bt_ckpt_find_in(path, &file, err);
	else
		file = bt_tf_find_index(path);
	if (e != 0 && file == NULL)
		r = bt_hub_cache_hint(
		    path, bt_error_sys(err, e, "cannot open '%s'", path), err);
	if (r == BT_OK)
		r = read_path(c, file != NULL ? file : path, err);
	if (r == BT_OK && dir)
		r = bt_kerashub_task_read(c, path, file, err);
	free(file);
	return bt_ckpt_opened(c, r, res, err);
}

int bt_ckpt_open_adapter(const char *dir, struct bt_ckpt **c,
                         struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_ADAPTER);
	char *old = bt_path_join(dir, BT_FILE_ADAPTER_OLD);
	int r;

	*c = NULL;
	r = open_model(!bt_path_there(path) && bt_path_there(old) ? old : path,
	               c, err);
	free(path);
	free(old);
	return r;
}

/* The model that the adapter in dir makes of another. */
static int open_changed(const char *dir, struct bt_ckpt **c,
                        struct bt_error *err)
{
	struct bt_adapter_config config;
	struct bt_ckpt *adapter;
	char *base;
	int r = bt_adapter_base(dir, &base, err);

	*c = NULL;
	if (r != BT_OK)
		return r;
	r = bt_adapter_config_load(dir, &config, err);
	if (r != BT_OK)
		goto out;
	r = bt_ckpt_open_adapter(dir, &adapter, err);
	if (r == BT_OK)
		r = open_model(base, c, err);
	if (r == BT_OK)
		r = bt_adapter_merge(c, adapter, &config, dir, err);
	bt_ckpt_close(adapter);
	bt_adapter_config_clear(&config);
out:
	free(base);
	return r;
}

int bt_ckpt_open(const char *path, struct bt_ckpt **res, struct bt_error *err)
{
	if (bt_url_refuse(path, BT_URL_DIR, err) != BT_OK)
		return BT_EREMOTE;
	return bt_adapter_is(path) ? open_changed(path, res, err)
	                           : open_model(path, res, err);
}

int bt_ckpt_open_memory(const char *name, const void *data, size_t size,
                        struct bt_ckpt **res, struct bt_error *err)
{
	struct bt_ckpt *c = bt_ckpt_new(name);
	const struct bt_ckpt_file *f = bt_ckpt_add_memory(c, name, data, size);

	return bt_ckpt_opened(c, bt_ckpt_read_file(c, f, err), res, err);
}

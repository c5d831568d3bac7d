/* SPDX-License-Identifier: MIT */
/*
 * A classifier of KerasHub in two files: the backbone, which is a model of its
 * own, and what is behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ckpt/names_int.h"
#include "ckpt/open_int.h"
#include "format/hf_config.h"
#include "format/model_files.h"
#include "io/path.h"
#include "tensor/map.h"

#define OPTIMIZER "optimizer/"

/* As the backbone's tensors are called in a file of the whole. */
static int call_backbone(struct bt_ckpt *c)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *name;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < c->n && r == BT_OK; i++) {
		bt_buf_reset(&b);
		bt_buf_puts(&b, BT_KERAS_BACKBONE);
		bt_buf_puts(&b, c->tensors[i].name);
		name = bt_buf_str(&b);
		if (name != NULL)
			name = bt_ckpt_keep_str(c, name);
		if (name == NULL)
			r = BT_ENOMEM;
		else
			c->tensors[i].name = name;
	}
	bt_buf_clear(&b);
	return r;
}

/* What the optimizer left there is of no use. */
static void drop_optimizer(struct bt_ckpt *c, size_t first)
{
	size_t i, n = first;

	for (i = first; i < c->n; i++)
		if (!bt_str_starts(c->tensors[i].name, OPTIMIZER))
			c->tensors[n++] = c->tensors[i];
	c->n = n;
}

static int read_head(struct bt_ckpt *c, const char *dir, struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_KERAS_HEAD);
	const struct bt_ckpt_file *f;
	size_t first = c->n;
	int r = BT_OK;

	if (path == NULL || call_backbone(c) != BT_OK)
		r = bt_error_nomem(err, "opening a checkpoint");
	if (r == BT_OK)
		r = bt_ckpt_map(c, path, &f, err);
	if (r == BT_OK)
		r = bt_ckpt_read_file(c, f, err);
	if (r == BT_OK) {
		drop_optimizer(c, first);
		r = bt_ckpt_check_names(c, 0, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s'", path);
	}
	free(path);
	return r;
}

int bt_kerashub_task_read(struct bt_ckpt *c, const char *dir,
                          struct bt_error *err)
{
	json_t *task;
	int r;

	if (c->n_files != 1 ||
	    !bt_str_ends(c->files[0]->path, "/" BT_FILE_KERAS_WEIGHTS))
		return BT_OK;
	r = bt_hf_config_keras_task(dir, &task, err);
	if (r != BT_OK || task == NULL)
		return r;
	json_decref(task);
	return read_head(c, dir, err);
}

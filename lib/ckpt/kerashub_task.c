/* SPDX-License-Identifier: MIT */
/*
 * A classifier of KerasHub: the backbone, which is a model of its own in a file
 * or several, and a file of what is behind it.
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

static int read_head(struct bt_ckpt *c, const char *dir, struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_KERAS_HEAD);
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_ckpt_file *f;
	size_t first = c->n, n = first, i;
	int r;

	/* the names that the backbone's tensors have in a file of the whole */
	for (i = 0; i < first; i++) {
		bt_buf_reset(&b);
		bt_buf_printf(&b, BT_KERAS_BACKBONE "%s", c->tensors[i].name);
		c->tensors[i].name = bt_ckpt_keep_str(c, bt_buf_str(&b));
	}
	bt_buf_clear(&b);
	r = bt_ckpt_map(c, path, &f, err);
	if (r == BT_OK)
		r = bt_ckpt_read_file(c, f, err);
	if (r == BT_OK) {
		/* what the optimizer left there is of no use */
		for (i = first; i < c->n; i++)
			if (!bt_str_starts(c->tensors[i].name, "optimizer/"))
				c->tensors[n++] = c->tensors[i];
		c->n = n;
		r = bt_ckpt_check_names(c, 0, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s'", path);
	}
	free(path);
	return r;
}

int bt_kerashub_task_read(struct bt_ckpt *c, const char *dir,
                          const char *weights, struct bt_error *err)
{
	json_t *task;
	int r;

	if (!bt_str_ends(weights, "/" BT_FILE_KERAS_WEIGHTS) &&
	    !bt_str_ends(weights, "/" BT_FILE_KERAS_SHARDS))
		return BT_OK;
	r = bt_hf_config_keras_task(dir, &task, err);
	if (r != BT_OK || task == NULL)
		return r;
	json_decref(task);
	return read_head(c, dir, err);
}

/* SPDX-License-Identifier: MIT */
/* The configuration of a model directory: apart from model.c, so that a program
 * that computes nothing needs no libraries that do. */
#include <stdlib.h>

#include "io/dirs.h"
#include "io/modeldir.h"
#include "io/remote.h"
#include "task/model.h"

/* The path of the configuration in a directory. */
static int config_path(const char *dir, char **path, struct bt_error *err)
{
	const struct bt_model_file *f;
	int r = bt_modeldir_find(dir, BT_USE_CONFIG, &f, path, err);

	if (r != BT_OK || f != NULL)
		return r;
	if (!bt_dirs_there(dir))
		return bt_error_set(err, BT_EIO,
		                    "no model directory '%s': no such "
		                    "directory",
		                    dir);
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s' is no model directory: it holds neither "
	                    "config.json nor bert_config.json",
	                    dir);
}

int bt_model_config(const char *dir, struct bt_config *c, struct bt_labels *l,
                    struct bt_error *err)
{
	char *path;
	int r = bt_remote_refuse(dir, BT_REMOTE_DIR, err);

	if (r == BT_OK)
		r = config_path(dir, &path, err);
	if (r != BT_OK)
		return r;
	r = bt_config_load(path, c, err);
	if (r == BT_OK) {
		r = bt_labels_from_json(c->json, l, err);
		if (r == BT_OK && c->number)
			r = bt_labels_number(l, err);
		if (r != BT_OK) {
			bt_error_prefix(err, "'%s'", path);
			bt_config_clear(c);
		}
	}
	free(path);
	return r;
}

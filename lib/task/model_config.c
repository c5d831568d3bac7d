/* SPDX-License-Identifier: MIT */
/* The configuration of a model directory: apart from model.c, so that a program
 * that computes nothing needs no libraries that do. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/remote.h"
#include "task/model.h"

char *bt_model_path(const char *dir, const char *name)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s/%s", dir, name);
	return bt_buf_detach(&b);
}

/* The path of the configuration in a directory. */
static int config_path(const char *dir, char **path, struct bt_error *err)
{
	static const char *const names[] = {"config.json", "bert_config.json"};
	size_t i;

	for (i = 0; i < 2; i++) {
		*path = bt_model_path(dir, names[i]);
		if (*path == NULL)
			return bt_error_nomem(err, "opening a model");
		if (access(*path, F_OK) == 0)
			return BT_OK;
		free(*path);
	}
	if (access(dir, F_OK) != 0)
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

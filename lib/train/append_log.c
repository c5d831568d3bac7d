/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "finetune/model.h"
#include "io/path.h"
#include "train/append_log_int.h"

int bt_append_log_check(const struct bt_append_log *g, struct bt_error *err)
{
	char *path = bt_path_join(g->dir, g->name);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	int r = BT_OK;

	if (fd >= 0)
		close(fd);
	else if (errno != ENOENT)
		r = bt_error_sys(err, errno, "cannot write '%s'", path);
	free(path);
	return r;
}

int bt_append_log_flush(struct bt_append_log *g, const struct bt_log *log,
                        struct bt_error *err)
{
	char *path;
	int r = BT_OK;

	if (g->pending.oom)
		return bt_error_nomem(err, "writing the history");
	if (g->pending.len == 0)
		return BT_OK;
	if (g->to == NULL) {
		path = bt_path_join(g->dir, g->name);
		r = bt_append_open(path, g->size, &g->to, err);
		if (r == BT_OK && bt_append_size(g->to) < g->size)
			bt_log_warn(
			    log, "log-lost", BT_HINT_NONE,
			    "'%s' is shorter than it was at the checkpoint: "
			    "the missing part is lost",
			    path);
		free(path);
	}
	if (r == BT_OK)
		r = bt_append_write(g->to, g->pending.data, g->pending.len,
		                    err);
	if (r == BT_OK)
		g->size = bt_append_size(g->to);
	bt_buf_reset(&g->pending);
	return r;
}

int bt_append_log_sync(struct bt_append_log *g, struct bt_error *err)
{
	return g->to != NULL ? bt_append_sync(g->to, err) : BT_OK;
}

int bt_append_log_close(struct bt_append_log *g, struct bt_error *err)
{
	int r = bt_append_close(g->to, err);

	bt_buf_clear(&g->pending);
	free(g->name);
	memset(g, 0, sizeof(*g));
	return r;
}

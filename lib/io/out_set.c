/* SPDX-License-Identifier: MIT */
#include "io/out_set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

int bt_out_set_add(struct bt_out_set *o, const char *path,
                   enum bt_out_kind kind, struct bt_error *err)
{
	struct stat st;
	char *copy = NULL;
	int i, r;

	for (i = 0; i < o->n; i++) {
		if (path == NULL && o->path[i] == NULL)
			return bt_error_set(err, BT_EARG,
			                    "standard output is written twice");
		if (path != NULL && bt_str_is(o->path[i], path))
			return bt_error_set(err, BT_EARG,
			                    "'%s' is written twice", path);
	}
	if (o->n == BT_OUT_SET_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than %d files at once",
		                    BT_OUT_SET_MAX);
	if (path != NULL)
		copy = bt_strndup(path, strlen(path));
	o->fresh[o->n] = path != NULL && lstat(path, &st) != 0;
	r = bt_out_open(path, kind, &o->out[o->n], err);
	if (r != BT_OK) {
		free(copy);
		return r;
	}
	o->path[o->n++] = copy;
	return BT_OK;
}

int bt_out_set_commit(struct bt_out_set *o, struct bt_error *err)
{
	int i, k, r = BT_OK;

	/* what can fail fails before the first appears */
	for (i = 0; i < o->n && r == BT_OK; i++)
		r = bt_out_settle(o->out[i], err);
	for (i = 0; i < o->n && r == BT_OK; i++) {
		r = bt_out_commit(o->out[i], err);
		o->out[i] = NULL;
		for (k = 0; k < i && r != BT_OK; k++)
			if (o->path[k] != NULL && o->fresh[k])
				unlink(o->path[k]);
	}
	return r;
}

void bt_out_set_clear(struct bt_out_set *o)
{
	int i;

	for (i = 0; i < o->n; i++) {
		bt_out_abandon(o->out[i]);
		free(o->path[i]);
	}
	o->n = 0;
}

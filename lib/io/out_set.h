/* SPDX-License-Identifier: MIT */
/* Several output files that appear together: all, or none of them. */
#ifndef BT_IO_OUT_SET_H
#define BT_IO_OUT_SET_H

#include <stdbool.h>

#include "base/err.h"
#include "io/out.h"

#define BT_OUT_SET_MAX                                                         \
	500 /* files open at once, below the usual limit of 1024               \
	     */

struct bt_out_set {
	struct bt_out *out[BT_OUT_SET_MAX];
	char *path[BT_OUT_SET_MAX]; /* NULL for standard output */
	bool fresh[BT_OUT_SET_MAX]; /* there was no such file before */
	int n;
};

/* Opens one more; path is copied, NULL is standard output. */
int bt_out_set_add(struct bt_out_set *o, const char *path,
                   enum bt_out_kind kind, struct bt_error *err) BT_MUST_USE;

/* Ends all of them well. If one cannot be given its name, which is all that may
 * fail once the first has its own, those are removed again that replaced no
 * earlier file. */
int bt_out_set_commit(struct bt_out_set *o, struct bt_error *err) BT_MUST_USE;

/* Ends them without leaving a trace, unless they are committed. */
void bt_out_set_clear(struct bt_out_set *o);

#endif

/* SPDX-License-Identifier: MIT */
/* The runs of training that directories hold. */
#ifndef BT_PLOT_HISTORY_RUNS_H
#define BT_PLOT_HISTORY_RUNS_H

#include <stddef.h>

#include "base/err.h"

struct bt_history_runs {
	char **path; /* [n] */
	size_t n, cap;
};

/* Adds path or, where that is a directory of several runs, which has no history
 * itself, these: fold-1, fold-2 ..., seed-42 ..., by their numbers. */
int bt_history_runs_add(struct bt_history_runs *runs, const char *path,
                        struct bt_error *err) BT_MUST_USE;
void bt_history_runs_clear(struct bt_history_runs *runs);

#endif

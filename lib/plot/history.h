/* SPDX-License-Identifier: MIT */
/* What runs of training wrote into history.jsonl, and charts of it. */
#ifndef BT_PLOT_HISTORY_H
#define BT_PLOT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Zero is empty. The numbers of one run, a line of the file a row. */
struct bt_history {
	char *name; /* of the run, for a legend: valid UTF-8 */
	char *path; /* likewise, where another run has that name */
	size_t rows, rows_cap;
	size_t keys, keys_cap;
	char **key; /* [keys], in the order in which they appear */
	double *
	    *value; /* [keys][rows]; NAN: not in this line, INFINITY: null */
};

/* Reads a file, or history.jsonl of a directory. BT_EFORMAT names the line that
 * is not an object with a "step". */
int bt_history_read(const char *path, struct bt_history *h,
                    struct bt_error *err) BT_MUST_USE;
void bt_history_clear(struct bt_history *h);

struct bt_history_opts {
	const char *x; /* "epoch", "step" or "seconds" */
	/* [n_metrics]: each has a chart, of training and evaluation. None: the
	 * loss, and the first metric of the evaluations (accuracy, if there).
	 */
	const char *const *metric;
	size_t n_metrics;
	const char *title;    /* or NULL */
	double width, height; /* pixels; or letters, with text */
	bool text;
};

/* Appends a picture of runs [n], which are drawn over each other. BT_EARG names
 * what no run has, and what there is. */
int bt_history_draw(const struct bt_history *h, size_t n,
                    const struct bt_history_opts *o, struct bt_buf *out,
                    struct bt_error *err) BT_MUST_USE;

#endif

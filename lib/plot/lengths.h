/* SPDX-License-Identifier: MIT */
/* How long the texts of token records are, as a picture. */
#ifndef BT_PLOT_LENGTHS_H
#define BT_PLOT_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_lengths_opts {
	const char *title; /* or NULL */
	int64_t limit;     /* a line at so many tokens, and the share of longer
	                    * texts; 0: none */
	double width, height; /* pixels, height 0: as it needs; or letters */
	bool text;            /* letters, not SVG */
};

/* Reads records of files [n] and appends a histogram of their tokens. */
int bt_lengths_draw(char *const *paths, int n, const struct bt_lengths_opts *o,
                    struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

#endif

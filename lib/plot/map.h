/* SPDX-License-Identifier: MIT */
/* Points with labels in two dimensions, as a picture. */
#ifndef BT_PLOT_MAP_H
#define BT_PLOT_MAP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/string_set.h"

/* Borrowed. */
struct bt_map {
	size_t n;
	const double *x, *y;               /* [n] */
	const size_t *label;               /* [n] among names; NULL: none */
	const struct bt_string_set *names; /* any bytes */
	double share[2];                   /* of the variance, along x and y */
	const char *title;                 /* or NULL */
	double width, height; /* pixels, height 0: as it needs; or letters */
	bool text;            /* letters, not SVG */
};

/* Appends the picture. The most frequent labels have a colour each, the others
 * one together. */
int bt_map_draw(const struct bt_map *m, struct bt_buf *out,
                struct bt_error *err) BT_MUST_USE;

#endif

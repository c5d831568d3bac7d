/* SPDX-License-Identifier: MIT */
/*
 * A confusion matrix, and measures of each class, drawn as SVG (plot/svg.h) or
 * with letters. Rows are true classes, columns predicted ones.
 */
#ifndef BT_PLOT_CONFUSION_H
#define BT_PLOT_CONFUSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define BT_CONFUSION_MOST 100 /* classes that are drawn */

/* Borrowed. */
struct bt_confusion {
	const char *title, *note; /* note may be NULL */
	size_t n;                 /* classes */
	const char *const *name;  /* [n] */
	const double *count;      /* [n][n] */
	bool shares;              /* write shares of a row, not counts */
};

/* Of more than BT_CONFUSION_MOST classes those with the most errors are drawn,
 * in their order, and a line says so. *height is what the picture takes. */
void bt_confusion_svg(const struct bt_confusion *c, double width,
                      double *height, struct bt_buf *out);
void bt_confusion_text(const struct bt_confusion *c, int columns,
                       struct bt_buf *out);

/* Horizontal bars with names. Borrowed. */
struct bt_bars {
	const char *title, *note; /* note may be NULL */
	size_t n;
	const char *const *name; /* [n] */
	const double *value;     /* [n], from 0 to 1; NAN: none */
	const double *support;   /* [n] examples, or NULL */
};

void bt_bars_svg(const struct bt_bars *b, double width, double *height,
                 struct bt_buf *out);
void bt_bars_text(const struct bt_bars *b, int columns, struct bt_buf *out);

#endif

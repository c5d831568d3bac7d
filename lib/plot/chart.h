/* SPDX-License-Identifier: MIT */
/*
 * A chart: series of numbers over two axes, as data. It is drawn as SVG
 * (plot/svg.h) or with letters, for a terminal.
 */
#ifndef BT_PLOT_CHART_H
#define BT_PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum bt_series_form {
	BT_SERIES_LINE,
	BT_SERIES_POINTS,    /* less visible ones where they are grey */
	BT_SERIES_TRIANGLES, /* points, too, of another shape */
	BT_SERIES_BARS /* from 0 to y, each as wide as the next x is away */
};

/* Borrowed: name and numbers. Points that are not finite leave a gap. */
struct bt_series {
	const char *name; /* in the legend, or NULL */
	enum bt_series_form form;
	int colour;  /* from 0; see BT_SVG_COLOURS */
	bool dashed; /* a line */
	size_t n;
	const double *x, *y; /* [n] */
};

struct bt_axis {
	const char *label; /* borrowed, or NULL */
	double lo, hi;     /* NAN: as the series have it */
	bool whole; /* ticks are at whole numbers, as of epochs, if any are */
};

struct bt_chart {
	const char *title; /* borrowed, as note is, which may be NULL */
	const char *note;
	struct bt_axis x, y;
	const struct bt_series *series; /* [n], borrowed */
	size_t n;
	bool diagonal;         /* a line where x = y */
	double mark;           /* a vertical line there, or NAN */
	const char *mark_name; /* borrowed, or NULL */
};

/* Appends the elements of a chart that takes width x height pixels with its
 * upper left corner at (x, y). */
void bt_chart_svg(const struct bt_chart *c, double x, double y, double width,
                  double height, struct bt_buf *out);

/* Appends lines of at most `columns` letters. Each series has a letter of its
 * own, which the legend shows. */
void bt_chart_text(const struct bt_chart *c, int columns, int rows,
                   struct bt_buf *out);

/* The range of the series, widened to round numbers at a distance *step of
 * which there are about `ticks` (of 1, 2 or 5 times a power of ten). */
void bt_chart_range(const struct bt_chart *c, bool is_x, int ticks, double *lo,
                    double *hi, double *step);

/* v as a label of an axis whose ticks are step apart. */
void bt_chart_number(char s[32], double v, double step);

#endif

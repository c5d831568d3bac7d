/* SPDX-License-Identifier: MIT */
/*
 * Pictures in SVG 1.1, appended to a buffer. Text stays text, so that a viewer
 * shapes any script. Lengths and places are pixels from the upper left corner.
 * Colours are classes of one style sheet, which has light and dark ones; those
 * of series are Okabe and Ito's, which colour-blind people tell apart
 * (https://jfly.uni-koeln.de/color/). All strings are valid UTF-8.
 */
#ifndef BT_PLOT_SVG_H
#define BT_PLOT_SVG_H

#include <stddef.h>

#include "base/buf.h"

#define BT_SVG_COLOURS 7 /* of series; more begin again */
#define BT_SVG_GREY (BT_SVG_COLOURS - 1)
#define BT_SVG_LETTER 7.1 /* pixels that a letter takes, about */

enum bt_svg_anchor { BT_SVG_START, BT_SVG_MIDDLE, BT_SVG_END };

/* Begins a picture, whose name is for those who do not see it. */
void bt_svg_begin(struct bt_buf *out, double width, double height,
                  const char *name);
void bt_svg_end(struct bt_buf *out);

/* class may have several names: "dim small". degrees turn the text about its
 * place, clockwise. */
void bt_svg_text(struct bt_buf *out, double x, double y,
                 enum bt_svg_anchor anchor, const char *class, double degrees,
                 const char *s);

void bt_svg_line(struct bt_buf *out, const char *class, double x1, double y1,
                 double x2, double y2);

/* opacity is from 0 to 1; name, or NULL, is shown where the viewer points. */
void bt_svg_rect(struct bt_buf *out, const char *class, double x, double y,
                 double width, double height, double opacity, const char *name);

/* Appends s so that it can stand in text and attributes of XML and HTML;
 * control characters (base/utf8.h) become U+FFFD. Of s NULL, as bt_buf_str has
 * it when out of memory, out is out of memory, too: here and in what follows.
 */
void bt_svg_escape(struct bt_buf *out, const char *s);

/* The width of s in letters of the font, a guess: wide ones of East Asia count
 * as two. */
double bt_svg_letters(const char *s);

/* Appends at most `most` letters of s, the last of them an ellipsis if there
 * are more. */
void bt_svg_shorten(struct bt_buf *out, const char *s, double most);

#endif

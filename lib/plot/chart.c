/* SPDX-License-Identifier: MIT */
#include "plot/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/svg.h"

#define TICK 5 /* pixels */

/* Values that differ by a smaller share of themselves are drawn as equal ones:
 * the steps between their ticks would be lost in rounding. */
#define CLOSE 1e-10

/* Where the axes are on the paper, and what they show. */
struct frame {
	double left, right, top, bottom;
	double x_lo, x_hi, x_step, y_lo, y_hi, y_step;
};

/* The smallest of 1, 2, 5, 10 times a power of ten that is v at least. */
static double round_up(double v)
{
	double power = pow(10, floor(log10(v))), m = v / power;

	return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static void extend(double v, double *lo, double *hi)
{
	if (!isfinite(v))
		return;
	*lo = isnan(*lo) || v < *lo ? v : *lo;
	*hi = isnan(*hi) || v > *hi ? v : *hi;
}

/* Of all points that are drawn. */
static void find_extent(const struct bt_chart *c, bool is_x, double *lo,
                        double *hi)
{
	const struct bt_series *s;
	size_t i;

	for (s = c->series; s < c->series + c->n; s++) {
		if (s->form == BT_SERIES_BARS && !is_x)
			extend(0, lo, hi);
		for (i = 0; i < s->n; i++)
			if (isfinite(s->x[i]) && isfinite(s->y[i]))
				extend(is_x ? s->x[i] : s->y[i], lo, hi);
		if (s->form == BT_SERIES_BARS && is_x && s->n > 1)
			extend(2 * s->x[s->n - 1] - s->x[s->n - 2], lo, hi);
	}
}

void bt_chart_range(const struct bt_chart *c, bool is_x, int ticks, double *lo,
                    double *hi, double *step)
{
	const struct bt_axis *a = is_x ? &c->x : &c->y;

	*lo = *hi = NAN;
	find_extent(c, is_x, lo, hi);
	if (!isnan(a->lo))
		*lo = a->lo;
	if (!isnan(a->hi))
		*hi = a->hi;
	if (isnan(*lo) || isnan(*hi)) {
		*lo = isnan(*lo) ? 0 : *lo;
		*hi = isnan(*hi) ? *lo + 1 : *hi;
	}
	/* one value, or as good as: some room on both sides */
	if (!(*hi - *lo > CLOSE * fmax(fabs(*lo), fabs(*hi)))) {
		double room = fabs(*lo) / 10;

		if (room <= 0 || (a->whole && room < 1 / CLOSE))
			room = 1;
		*lo -= room;
		*hi += room;
	}
	*step = round_up((*hi - *lo) / (ticks > 1 ? ticks : 1));
	if (a->whole && *step < 1 && *hi - *lo >= 1)
		*step = 1;
	if (is_x)
		return;
	if (isnan(a->lo))
		*lo = floor(*lo / *step + 1e-9) * *step;
	if (isnan(a->hi))
		*hi = ceil(*hi / *step - 1e-9) * *step;
}

void bt_chart_number(char s[32], double v, double step)
{
	int digits = (int)fmax(0, -floor(log10(step) + 1e-9));

	if (fabs(v) < step * 1e-6)
		v = 0; /* not -0.00 */
	if (fabs(v) >= 1e6 || digits > 5)
		snprintf(s, 32, "%.3g", v);
	else
		snprintf(s, 32, "%.*f", digits, v);
}

static double place_x(const struct frame *f, double v)
{
	return f->left +
	       (v - f->x_lo) / (f->x_hi - f->x_lo) * (f->right - f->left);
}

static double place_y(const struct frame *f, double v)
{
	return f->bottom -
	       (v - f->y_lo) / (f->y_hi - f->y_lo) * (f->bottom - f->top);
}

/* The first tick of an axis that begins at lo. */
static double first_tick(double lo, double step)
{
	return ceil(lo / step - 1e-9) * step;
}

static void draw_axes(const struct bt_chart *c, const struct frame *f,
                      struct bt_buf *out)
{
	double v, at;
	char s[32];

	for (v = first_tick(f->y_lo, f->y_step);
	     v <= f->y_hi + f->y_step * 1e-6; v += f->y_step) {
		at = place_y(f, v);
		bt_svg_line(out, "grid", f->left, at, f->right, at);
		bt_chart_number(s, v, f->y_step);
		bt_svg_text(out, f->left - TICK - 2, at + 4, BT_SVG_END, "dim",
		            0, s);
	}
	for (v = first_tick(f->x_lo, f->x_step);
	     v <= f->x_hi + f->x_step * 1e-6; v += f->x_step) {
		at = place_x(f, v);
		bt_svg_line(out, "axis", at, f->bottom, at, f->bottom + TICK);
		bt_chart_number(s, v, f->x_step);
		bt_svg_text(out, at, f->bottom + 17, BT_SVG_MIDDLE, "dim", 0,
		            s);
	}
	bt_svg_line(out, "axis", f->left, f->bottom, f->right, f->bottom);
	if (c->x.label != NULL)
		bt_svg_text(out, (f->left + f->right) / 2, f->bottom + 34,
		            BT_SVG_MIDDLE, "dim", 0, c->x.label);
	if (c->diagonal)
		bt_svg_line(out, "axis dashed",
		            place_x(f, fmax(f->x_lo, f->y_lo)),
		            place_y(f, fmax(f->x_lo, f->y_lo)),
		            place_x(f, fmin(f->x_hi, f->y_hi)),
		            place_y(f, fmin(f->x_hi, f->y_hi)));
}

/* Runs of finite points, each one element; single ones are dots. */
static void draw_line(const struct bt_series *s, const struct frame *f,
                      int colour, struct bt_buf *out)
{
	size_t i, end;

	for (i = 0; i < s->n; i = end) {
		for (end = i;
		     end < s->n && isfinite(s->x[end]) && isfinite(s->y[end]);
		     end++)
			;
		if (end - i == 1)
			bt_buf_printf(out,
			              "<circle class=\"f%d\" cx=\"%.1f\" "
			              "cy=\"%.1f\" r=\"3\"/>\n",
			              colour, place_x(f, s->x[i]),
			              place_y(f, s->y[i]));
		if (end - i > 1) {
			bt_buf_printf(
			    out, "<polyline class=\"line s%d%s\" points=\"",
			    colour, s->dashed ? " dashed" : "");
			for (; i < end; i++)
				bt_buf_printf(out, "%.1f,%.1f ",
				              place_x(f, s->x[i]),
				              place_y(f, s->y[i]));
			bt_buf_puts(out, "\"/>\n");
		}
		end += end < s->n; /* what is not finite */
	}
}

/* About as large as the circles of points. */
static void draw_triangle(double x, double y, int colour, double opacity,
                          struct bt_buf *out)
{
	bt_buf_printf(out,
	              "<path class=\"f%d\" d=\"M%.1f %.1fl3.2 5.6h-6.4z\" "
	              "fill-opacity=\"%.1f\"/>\n",
	              colour, x, y - 3.6, opacity);
}

static void draw_triangles(const struct bt_series *s, const struct frame *f,
                           int colour, struct bt_buf *out)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (isfinite(s->x[i]) && isfinite(s->y[i]))
			draw_triangle(place_x(f, s->x[i]), place_y(f, s->y[i]),
			              colour, .7, out);
}

static void draw_points(const struct bt_series *s, const struct frame *f,
                        int colour, struct bt_buf *out)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (isfinite(s->x[i]) && isfinite(s->y[i]))
			bt_buf_printf(out,
			              "<circle class=\"f%d\" cx=\"%.1f\" "
			              "cy=\"%.1f\" r=\"2.5\" "
			              "fill-opacity=\"%.1f\"/>\n",
			              colour, place_x(f, s->x[i]),
			              place_y(f, s->y[i]),
			              colour == BT_SVG_GREY ? .4 : .7);
}

static void draw_bars(const struct bt_series *s, const struct frame *f,
                      int colour, struct bt_buf *out)
{
	char class[16], name[96], x[32], y[32];
	double x1, x2, y1, y2;
	size_t i;

	snprintf(class, sizeof(class), "f%d", colour);
	for (i = 0; i < s->n; i++) {
		if (!isfinite(s->y[i]) || s->y[i] == 0)
			continue;
		x1 = place_x(f, s->x[i]);
		x2 = s->n == 1      ? f->right
		     : i + 1 < s->n ? place_x(f, s->x[i + 1])
		                    : 2 * x1 - place_x(f, s->x[i - 1]);
		y1 = place_y(f, fmax(0, s->y[i]));
		y2 = place_y(f, fmin(0, s->y[i]));
		bt_chart_number(x, s->x[i], f->x_step / 10);
		bt_chart_number(y, s->y[i], f->y_step / 10);
		snprintf(name, sizeof(name), "%s: %s", x, y);
		bt_svg_rect(out, class, x1 + .5, y1, fmax(x2 - x1 - 1, .5),
		            y2 - y1, .8, name);
	}
}

static void draw_series(const struct bt_chart *c, const struct frame *f,
                        struct bt_buf *out)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct bt_series *s = &c->series[i];
		int colour = s->colour % BT_SVG_COLOURS;

		switch (s->form) {
		case BT_SERIES_LINE:
			draw_line(s, f, colour, out);
			break;
		case BT_SERIES_POINTS:
			draw_points(s, f, colour, out);
			break;
		case BT_SERIES_TRIANGLES:
			draw_triangles(s, f, colour, out);
			break;
		case BT_SERIES_BARS:
			draw_bars(s, f, colour, out);
			break;
		}
	}
	if (isfinite(c->mark)) {
		double at = place_x(f, c->mark);
		bool left = at > (f->left + f->right) / 2;

		bt_svg_line(out, "line dashed s1", at, f->top, at, f->bottom);
		if (c->mark_name != NULL)
			bt_svg_text(out, at + (left ? -5 : 5), f->top + 11,
			            left ? BT_SVG_END : BT_SVG_START, "dim", 0,
			            c->mark_name);
	}
}

/* The legend from (x, y) on, in lines that end before right; returns its
 * height, and draws only where out is not NULL. */
static double legend(const struct bt_chart *c, double x, double y, double right,
                     struct bt_buf *out)
{
	double at = x, top = y, width;
	char class[32];
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct bt_series *s = &c->series[i];
		int colour = s->colour % BT_SVG_COLOURS;

		if (s->name == NULL)
			continue;
		width = 24 + bt_svg_letters(s->name) * BT_SVG_LETTER + 16;
		if (at > x && at + width > right) {
			at = x;
			y += 17;
		}
		if (out != NULL) {
			bool line = s->form == BT_SERIES_LINE;

			snprintf(class, sizeof(class),
			         line ? "line s%d%s" : "f%d%s", colour,
			         line && s->dashed ? " dashed" : "");
			if (line)
				bt_svg_line(out, class, at, y - 4, at + 19,
				            y - 4);
			else if (s->form == BT_SERIES_TRIANGLES)
				draw_triangle(at + 10, y - 4, colour, 1, out);
			else
				bt_svg_rect(out, class, at + 5, y - 9, 10, 10,
				            1, NULL);
			bt_svg_text(out, at + 24, y, BT_SVG_START, "", 0,
			            s->name);
		}
		at += width;
	}
	return at > x ? y - top + 17 : 0;
}

/* Letters of the longest label at the left. */
static double label_width(const struct frame *f)
{
	double v, most = 1;
	char s[32];

	for (v = first_tick(f->y_lo, f->y_step);
	     v <= f->y_hi + f->y_step * 1e-6; v += f->y_step) {
		bt_chart_number(s, v, f->y_step);
		most = fmax(most, (double)strlen(s));
	}
	return most * BT_SVG_LETTER;
}

void bt_chart_svg(const struct bt_chart *c, double x, double y, double width,
                  double height, struct bt_buf *out)
{
	struct frame f = {.right = x + width - 16, .bottom = y + height - 26};
	double top = y + 22;

	bt_svg_text(out, x + 12, top, BT_SVG_START, "title", 0, c->title);
	if (c->note != NULL) {
		top += 17;
		bt_svg_text(out, x + 12, top, BT_SVG_START, "dim", 0, c->note);
	}
	top += 18;
	f.top = top + legend(c, x + 12, top, f.right, out) - 4;
	if (c->x.label != NULL)
		f.bottom -= 16;
	if (f.bottom < f.top + 20)
		f.bottom = f.top + 20;
	bt_chart_range(c, false, (int)((f.bottom - f.top) / 36), &f.y_lo,
	               &f.y_hi, &f.y_step);
	f.left = x + 14 + label_width(&f) + TICK;
	if (c->y.label != NULL) {
		bt_svg_text(out, x + 20, (f.top + f.bottom) / 2, BT_SVG_MIDDLE,
		            "dim", -90, c->y.label);
		f.left += 16;
	}
	bt_chart_range(c, true, (int)((f.right - f.left) / 56), &f.x_lo,
	               &f.x_hi, &f.x_step);
	draw_axes(c, &f, out);
	draw_series(c, &f, out);
}

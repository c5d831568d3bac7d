/* SPDX-License-Identifier: MIT */
/* Charts in letters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plot/chart.h"
#include "plot/svg.h"

/* The letters of series: \xe2\x97\x8f is a filled circle, and so on. */
static const char *const letters[] = {
    "\xe2\x97\x8f", "\xe2\x97\x8b", "\xe2\x96\xa0", "\xe2\x96\xa1",
    "\xe2\x96\xb2", "\xe2\x96\xb3", "\xe2\x97\x86", "\xe2\x97\x87"};
#define LETTERS (sizeof(letters) / sizeof(letters[0]))

struct grid {
	int columns, rows;
	const char **cell; /* [rows][columns], NULL: empty */
	double x_lo, x_hi, x_step, y_lo, y_hi, y_step;
};

static void put(struct grid *g, double x, double y, const char *letter)
{
	double column = (x - g->x_lo) / (g->x_hi - g->x_lo) * (g->columns - 1);
	double row = (g->y_hi - y) / (g->y_hi - g->y_lo) * (g->rows - 1);

	if (column < -.5 || column >= g->columns - .5 || row < -.5 ||
	    row >= g->rows - .5)
		return;
	g->cell[(int)lround(row) * g->columns + (int)lround(column)] = letter;
}

/* Grey points have a dot. */
static const char *letter_of(const struct bt_chart *c, size_t i)
{
	const struct bt_series *s = &c->series[i];

	return s->form == BT_SERIES_POINTS && s->colour == BT_SVG_GREY
	           ? "\xc2\xb7"
	           : letters[i % LETTERS];
}

/* From one point to the next, a letter in each column between. */
static void put_segment(struct grid *g, const struct bt_series *s, size_t i,
                        const char *letter)
{
	double wide = (g->x_hi - g->x_lo) / (g->columns - 1);
	double dx = s->x[i + 1] - s->x[i], dy = s->y[i + 1] - s->y[i], x;

	if (!isfinite(dx) || !isfinite(dy))
		return;
	for (x = wide; x < dx; x += wide)
		put(g, s->x[i] + x, s->y[i] + dy * x / dx, letter);
}

static void put_series(struct grid *g, const struct bt_series *s,
                       const char *letter)
{
	double high = (g->y_hi - g->y_lo) / (g->rows - 1), y;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (!isfinite(s->x[i]) || !isfinite(s->y[i]))
			continue;
		if (s->form == BT_SERIES_BARS)
			for (y = fmax(g->y_lo, 0); y < s->y[i]; y += high)
				put(g, s->x[i], y, "\xe2\x96\x88");
		else
			put(g, s->x[i], s->y[i], letter);
		if (s->form == BT_SERIES_LINE && i + 1 < s->n)
			put_segment(g, s, i, letter);
	}
}

/* The label of a row at the left: where a tick is in it. */
static void put_label(const struct grid *g, int row, struct bt_buf *out)
{
	double high = (g->y_hi - g->y_lo) / (g->rows - 1);
	double v = g->y_hi - row * high;
	double tick = round(v / g->y_step) * g->y_step;
	char s[32];

	if (fabs(v - tick) < high / 2) {
		bt_chart_number(s, tick, g->y_step);
		bt_buf_printf(out, "%9s \xe2\x94\xa4", s);
	} else {
		bt_buf_puts(out, "          \xe2\x94\x82");
	}
}

/* The line of numbers below. */
static void put_numbers(const struct grid *g, const char *label,
                        struct bt_buf *out)
{
	char line[512], s[32];
	double v;
	int at, len, end = -1;

	memset(line, ' ', sizeof(line));
	for (v = ceil(g->x_lo / g->x_step - 1e-9) * g->x_step;
	     v <= g->x_hi + g->x_step * 1e-6; v += g->x_step) {
		bt_chart_number(s, v, g->x_step);
		len = (int)strlen(s);
		at = 11 +
		     (int)lround((v - g->x_lo) / (g->x_hi - g->x_lo) *
		                 (g->columns - 1)) -
		     len / 2;
		if (at > end && at + len < (int)sizeof(line)) {
			memcpy(line + at, s, (size_t)len);
			end = at + len;
		}
	}
	bt_buf_put(out, line, end > 0 ? (size_t)end : 0);
	if (label != NULL)
		bt_buf_printf(out, "  %s", label);
	bt_buf_putc(out, '\n');
}

static void put_rows(const struct grid *g, struct bt_buf *out)
{
	int r, k, last;

	for (r = 0; r < g->rows; r++) {
		const char **row = g->cell + r * g->columns;

		put_label(g, r, out);
		for (last = g->columns; last > 0 && row[last - 1] == NULL;)
			last--;
		for (k = 0; k < last; k++)
			bt_buf_puts(out, row[k] != NULL ? row[k] : " ");
		bt_buf_putc(out, '\n');
	}
	bt_buf_puts(out, "          \xe2\x94\x94");
	for (k = 0; k < g->columns; k++)
		bt_buf_puts(out, "\xe2\x94\x80");
	bt_buf_putc(out, '\n');
}

void bt_chart_text(const struct bt_chart *c, int columns, int rows,
                   struct bt_buf *out)
{
	struct grid g = {.columns = columns - 11, .rows = rows};
	size_t i;

	g.columns = g.columns < 10 ? 10 : g.columns > 480 ? 480 : g.columns;
	g.rows = g.rows < 4 ? 4 : g.rows;
	g.cell = bt_array0((size_t)g.columns * (size_t)g.rows, sizeof(*g.cell));
	if (g.cell == NULL) {
		out->oom = true;
		return;
	}
	bt_chart_range(c, true, g.columns / 10, &g.x_lo, &g.x_hi, &g.x_step);
	bt_chart_range(c, false, g.rows / 3, &g.y_lo, &g.y_hi, &g.y_step);
	bt_buf_printf(out, "%s\n", c->title);
	if (c->note != NULL)
		bt_buf_printf(out, "%s\n", c->note);
	for (i = 0; i < c->n; i++) {
		const char *letter = letter_of(c, i);

		put_series(&g, &c->series[i], letter);
		if (c->series[i].name != NULL &&
		    c->series[i].form != BT_SERIES_BARS)
			bt_buf_printf(out, "%s%s %s", i > 0 ? "   " : "",
			              letter, c->series[i].name);
	}
	if (c->n > 0)
		bt_buf_putc(out, '\n');
	if (c->y.label != NULL)
		bt_buf_printf(out, "          %s\n", c->y.label);
	put_rows(&g, out);
	put_numbers(&g, c->x.label, out);
	free(g.cell);
}

/* SPDX-License-Identifier: MIT */
#include "plot/confusion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "format/escape.h"
#include "plot/svg.h"

#define NAME_LETTERS 26 /* of a class, at most */
#define TEXT_CELLS 40   /* classes that a terminal shows */

/* Which classes are drawn. */
struct choice {
	size_t n, of;
	size_t *class; /* [n], ascending */
};

struct errors {
	double n;
	size_t class;
};

static int most_first(const void *a, const void *b)
{
	const struct errors *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->class < y->class ? -1 : 1;
}

static int ascending(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* The classes with the most errors, as truth or as prediction. */
static int choose(const struct bt_confusion *c, size_t most, struct choice *o)
{
	struct errors *e = bt_array0(c->n, sizeof(*e));
	size_t i, j;

	o->of = c->n;
	o->n = c->n < most ? c->n : most;
	o->class = bt_array(o->n, sizeof(*o->class));
	if (e == NULL || o->class == NULL) {
		free(e);
		free(o->class);
		return -1;
	}
	for (i = 0; i < c->n; i++) {
		e[i].class = i;
		for (j = 0; j < c->n; j++)
			if (i != j)
				e[i].n += c->count[i * c->n + j] +
				          c->count[j * c->n + i];
	}
	qsort(e, c->n, sizeof(*e), most_first);
	for (i = 0; i < o->n; i++)
		o->class[i] = e[i].class;
	qsort(o->class, o->n, sizeof(*o->class), ascending);
	free(e);
	return 0;
}

static double row_sum(const struct bt_confusion *c, size_t row)
{
	double sum = 0;
	size_t j;

	for (j = 0; j < c->n; j++)
		sum += c->count[row * c->n + j];
	return sum;
}

static void short_name(struct bt_buf *b, const char *name)
{
	struct bt_buf line = BT_BUF_INIT;

	bt_buf_reset(b);
	bt_escape_line(&line, bt_span(name), 0);
	bt_svg_shorten(b, bt_buf_str(&line), NAME_LETTERS);
	b->oom |= line.oom;
	bt_buf_clear(&line);
}

/* Letters of the longest name as it is shown. */
static double name_letters(const char *const *name, size_t n)
{
	struct bt_buf b = BT_BUF_INIT;
	double most = 1;
	size_t i;

	for (i = 0; i < n; i++) {
		short_name(&b, name[i]);
		most = fmax(most, bt_svg_letters(bt_buf_str(&b)));
	}
	bt_buf_clear(&b);
	return most;
}

struct drawing {
	const struct bt_confusion *c;
	const struct choice *o;
	double left, top, cell, font;
	struct bt_buf *name, *out;
};

/* A cell is as dark as its share of the row; right ones and wrong ones have
 * two colours. */
static void draw_cell(const struct drawing *d, size_t i, size_t j, double all)
{
	const struct bt_confusion *c = d->c;
	size_t row = d->o->class[i], column = d->o->class[j];
	double v = c->count[row * c->n + column];
	double share = all > 0 ? v / all : 0;
	double x = d->left + (double)j * d->cell;
	double y = d->top + (double)i * d->cell;
	char s[32];

	if (v == 0)
		return;
	bt_buf_reset(d->name);
	bt_buf_printf(d->name, "%s", c->name[row]);
	bt_buf_printf(d->name, row == column ? ", right: " : " taken for %s: ",
	              c->name[column]);
	bt_buf_printf(d->name, "%.0f of %.0f (%.1f %%)", v, all, 100 * share);
	bt_svg_rect(d->out, row == column ? "f0" : "f1", x, y, d->cell, d->cell,
	            .12 + .88 * sqrt(share), bt_buf_str(d->name));
	if (c->shares)
		snprintf(s, sizeof(s), "%.0f", 100 * share);
	else
		snprintf(s, sizeof(s), "%.0f", v);
	if (d->cell >= 9 && bt_svg_letters(s) * d->font * .62 < d->cell)
		bt_svg_text(d->out, x + d->cell / 2,
		            y + d->cell / 2 + d->font * .36, BT_SVG_MIDDLE,
		            share > .35   ? d->font > 9 ? "light" : "light tiny"
		            : d->font > 9 ? ""
		                          : "tiny",
		            0, s);
}

static const char *name_class(double cell)
{
	return cell >= 14 ? "" : cell >= 11 ? "small" : "tiny";
}

static void draw_names(const struct drawing *d)
{
	const char *class = name_class(d->cell);
	double end = d->top + (double)d->o->n * d->cell;
	size_t i;

	for (i = 0; i < d->o->n && d->cell >= 8; i++) {
		double at = ((double)i + .5) * d->cell;

		short_name(d->name, d->c->name[d->o->class[i]]);
		bt_svg_text(d->out, d->left - 6, d->top + at + d->font * .36,
		            BT_SVG_END, class, 0, bt_buf_str(d->name));
		bt_svg_text(d->out, d->left + at + d->font * .36, end + 6,
		            BT_SVG_END, class, -90, bt_buf_str(d->name));
	}
	bt_svg_text(d->out, d->left, d->top - 6, BT_SVG_START, "dim small", 0,
	            d->cell >= 8 ? "true class at the left, predicted below"
	                         : "true class from above, predicted from the "
	                           "left; wider pictures have names");
}

static void draw_grid(const struct drawing *d)
{
	double size = (double)d->o->n * d->cell, at;
	size_t i;

	for (i = 0; i <= d->o->n; i++) {
		if (d->cell < 8 && i != 0 && i != d->o->n)
			continue;
		at = (double)i * d->cell;
		bt_svg_line(d->out, "grid", d->left, d->top + at,
		            d->left + size, d->top + at);
		bt_svg_line(d->out, "grid", d->left + at, d->top, d->left + at,
		            d->top + size);
	}
}

/* What is said below the title. */
static const char *subtitle(const struct bt_confusion *c,
                            const struct choice *o, struct bt_buf *b)
{
	bt_buf_reset(b);
	if (c->note != NULL)
		bt_buf_puts(b, c->note);
	if (c->shares)
		bt_buf_printf(b, "%spercent of a row", b->len > 0 ? "; " : "");
	if (o->n < o->of)
		bt_buf_printf(b,
		              "%sthe %zu of %zu classes with the most errors",
		              b->len > 0 ? "; " : "", o->n, o->of);
	return bt_buf_str(b);
}

void bt_confusion_svg(const struct bt_confusion *c, double width,
                      double *height, struct bt_buf *out)
{
	struct bt_buf name = BT_BUF_INIT, body = BT_BUF_INIT;
	struct choice o;
	struct drawing d = {.c = c, .o = &o, .name = &name, .out = &body};
	double letters;
	size_t i, j;

	*height = 0;
	if (choose(c, BT_CONFUSION_MOST, &o) != 0) {
		out->oom = true;
		return;
	}
	letters = name_letters(c->name, c->n);
	d.left = 18 + letters * BT_SVG_LETTER;
	d.cell = (width - d.left - 16) / (double)o.n;
	if (d.cell < 8) { /* without names */
		d.left = 16;
		d.cell = (width - 32) / (double)o.n;
	}
	d.cell = fmin(d.cell, 48);
	d.font = d.cell >= 14 ? 12 : d.cell >= 11 ? 10 : 8;
	d.top = 62;
	draw_grid(&d);
	for (i = 0; i < o.n; i++)
		for (j = 0; j < o.n; j++)
			draw_cell(&d, i, j, row_sum(c, o.class[i]));
	draw_names(&d);
	*height = d.top + (double)o.n * d.cell +
	          (d.cell >= 8 ? 14 + letters * d.font * .6 : 16);
	bt_svg_begin(out, width, *height, c->title);
	bt_svg_text(out, 12, 22, BT_SVG_START, "title", 0, c->title);
	bt_svg_text(out, 12, 39, BT_SVG_START, "dim", 0,
	            subtitle(c, &o, &name));
	bt_buf_put(out, bt_buf_at(&body, 0), body.len);
	bt_svg_end(out);
	out->oom = out->oom || body.oom || name.oom;
	free(o.class);
	bt_buf_clear(&body);
	bt_buf_clear(&name);
}

/* A share as two letters of growing darkness. */
static const char *shade(double share)
{
	return share <= 0    ? " \xc2\xb7"
	       : share < .25 ? "\xe2\x96\x91\xe2\x96\x91"
	       : share < .5  ? "\xe2\x96\x92\xe2\x96\x92"
	       : share < .75 ? "\xe2\x96\x93\xe2\x96\x93"
	                     : "\xe2\x96\x88\xe2\x96\x88";
}

/* A name in a column of its own. */
static void put_name(struct bt_buf *out, struct bt_buf *name, const char *s,
                     double letters)
{
	double n;

	short_name(name, s);
	bt_buf_put(out, name->data, name->len);
	out->oom |= name->oom;
	for (n = bt_svg_letters(bt_buf_str(name)); n < letters; n++)
		bt_buf_putc(out, ' ');
}

void bt_confusion_text(const struct bt_confusion *c, int columns,
                       struct bt_buf *out)
{
	struct bt_buf name = BT_BUF_INIT;
	double letters = name_letters(c->name, c->n);
	int room = (columns - (int)letters - 8) / 2;
	struct choice o;
	size_t i, j;

	room = room < 2 ? 2 : room > TEXT_CELLS ? TEXT_CELLS : room;
	if (choose(c, (size_t)room, &o) != 0) {
		out->oom = true;
		return;
	}
	bt_buf_printf(out, "%s\n%s\n", c->title, subtitle(c, &o, &name));
	for (i = 0; i < o.n; i++) {
		size_t row = o.class[i];
		double all = row_sum(c, row);

		put_name(out, &name, c->name[row], letters);
		bt_buf_puts(out, " \xe2\x94\x82");
		for (j = 0; j < o.n; j++)
			bt_buf_puts(out,
			            shade(c->count[row * c->n + o.class[j]] /
			                  fmax(all, 1)));
		bt_buf_printf(out, "\xe2\x94\x82 %.0f\n", all);
	}
	free(o.class);
	bt_buf_clear(&name);
}

void bt_bars_svg(const struct bt_bars *b, double width, double *height,
                 struct bt_buf *out)
{
	struct bt_buf name = BT_BUF_INIT;
	double letters = name_letters(b->name, b->n);
	double left = 20 + letters * BT_SVG_LETTER, right = width - 96,
	       row = 20;
	char s[48];
	size_t i;

	if (right < left + 40)
		right = left + 40;
	*height = 58 + (double)b->n * row + 12;
	bt_svg_begin(out, width, *height, b->title);
	bt_svg_text(out, 12, 22, BT_SVG_START, "title", 0, b->title);
	if (b->note != NULL)
		bt_svg_text(out, 12, 39, BT_SVG_START, "dim", 0, b->note);
	for (i = 0; i <= 4; i++) {
		double x = left + (right - left) * (double)i / 4;

		bt_svg_line(out, "grid", x, 50, x, *height - 12);
	}
	for (i = 0; i < b->n; i++) {
		double y = 52 + (double)i * row, v = b->value[i];

		short_name(&name, b->name[i]);
		bt_svg_text(out, left - 6, y + 14, BT_SVG_END, "", 0,
		            bt_buf_str(&name));
		if (v > 0)
			bt_svg_rect(out, "f0", left, y + 3, (right - left) * v,
			            row - 6, .85, b->name[i]);
		if (isfinite(v) && b->support != NULL)
			snprintf(s, sizeof(s), "%.3f of %.0f", v,
			         b->support[i]);
		else
			snprintf(s, sizeof(s), isfinite(v) ? "%.3f" : "-", v);
		bt_svg_text(out, right + 6, y + 14, BT_SVG_START, "dim", 0, s);
	}
	bt_svg_end(out);
	bt_buf_clear(&name);
}

void bt_bars_text(const struct bt_bars *b, int columns, struct bt_buf *out)
{
	struct bt_buf name = BT_BUF_INIT;
	double letters = name_letters(b->name, b->n);
	int room = columns - (int)letters - 10, k;
	size_t i;

	room = room < 8 ? 8 : room;
	bt_buf_printf(out, "%s\n", b->title);
	if (b->note != NULL)
		bt_buf_printf(out, "%s\n", b->note);
	for (i = 0; i < b->n; i++) {
		put_name(out, &name, b->name[i], letters);
		bt_buf_puts(out, " \xe2\x94\x82");
		for (k = 0;
		     b->value[i] > 0 && k < (int)lround(b->value[i] * room);
		     k++)
			bt_buf_puts(out, "\xe2\x96\x88");
		if (isfinite(b->value[i]))
			bt_buf_printf(out, " %.3f\n", b->value[i]);
		else
			bt_buf_puts(out, " -\n");
	}
	bt_buf_clear(&name);
}

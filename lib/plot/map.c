/* SPDX-License-Identifier: MIT */
#include "plot/map.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "format/escape.h"
#include "plot/chart.h"
#include "plot/svg.h"

#define SHOWN 12            /* labels, the others counting as one */
#define SHOWN_TEXT 8        /* ... that letters tell apart */
#define COLOURS BT_SVG_GREY /* of labels, before it */
#define NAME 24             /* letters of a name in the legend */

/* A label and how many points have it. */
struct group {
	size_t label, count;
};

/* What is drawn: each series is a group, or all that are not shown. */
struct layers {
	struct bt_series series[SHOWN];
	struct bt_buf name[SHOWN];
	size_t n;
	size_t *of;    /* [labels] the series of each */
	double *x, *y; /* the points, series by series */
};

static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->count != y->count  ? (x->count < y->count ? 1 : -1)
	       : x->label < y->label ? -1
	                             : x->label > y->label;
}

/* Labels by their frequency; those that no point has are left out. */
static struct group *count(const struct bt_map *m, size_t *n)
{
	size_t all = m->label != NULL ? bt_string_set_count(m->names) : 1, i;
	struct group *g = bt_array(all, sizeof(*g));

	if (g == NULL)
		return NULL;
	for (i = 0; i < all; i++)
		g[i] = (struct group){i, 0};
	for (i = 0; i < m->n; i++)
		g[m->label != NULL ? m->label[i] : 0].count++;
	qsort(g, all, sizeof(*g), by_count);
	for (*n = all; *n > 0 && g[*n - 1].count == 0;)
		(*n)--;
	return g;
}

/* Name and looks of a series, for group k or, where there is more than one
 * label left, for all from k on. */
static void name_series(const struct bt_map *m, const struct group *g, size_t k,
                        size_t left, struct bt_series *s, struct bt_buf *name)
{
	struct bt_buf whole = BT_BUF_INIT;

	s->form =
	    k < COLOURS || left > 1 ? BT_SERIES_POINTS : BT_SERIES_TRIANGLES;
	s->colour = left > 1 ? BT_SVG_GREY : (int)(k % COLOURS);
	if (m->label == NULL)
		return;
	if (left > 1) {
		bt_buf_printf(name, "other (%zu labels)", left);
	} else {
		bt_escape_line(&whole, bt_string_set_get(m->names, g[k].label),
		               0);
		bt_svg_shorten(name, bt_buf_str(&whole), NAME);
		name->oom |= whole.oom;
	}
	bt_buf_clear(&whole);
	s->name = bt_buf_str(name);
}

/* Series for the first labels, behind one for the others, so that these are
 * below in the picture. */
static void make_series(const struct bt_map *m, const struct group *g, size_t n,
                        struct layers *l)
{
	size_t most = m->text ? SHOWN_TEXT : SHOWN;
	size_t shown = n <= most ? n : most - 1, k, s;
	bool others = n > shown;

	l->n = shown + others;
	if (others)
		name_series(m, g, shown, n - shown, &l->series[0], &l->name[0]);
	for (k = 0; k < n; k++) {
		s = k < shown ? k + others : 0;
		if (k < shown)
			name_series(m, g, k, 1, &l->series[s], &l->name[s]);
		l->of[g[k].label] = s;
		l->series[s].n += g[k].count;
	}
}

/* Puts the points of each series together. */
static void deal(const struct bt_map *m, struct layers *l)
{
	size_t at[SHOWN] = {0}, i, s;

	for (s = 0; s < l->n; s++) {
		at[s] = s > 0 ? at[s - 1] + l->series[s - 1].n : 0;
		l->series[s].x = l->x + at[s];
		l->series[s].y = l->y + at[s];
	}
	for (i = 0; i < m->n; i++) {
		s = l->of[m->label != NULL ? m->label[i] : 0];
		l->x[at[s]] = m->x[i];
		l->y[at[s]++] = m->y[i];
	}
}

/* Some room around the points. */
static void set_range(struct bt_axis *a, const double *v, size_t n)
{
	double lo = v[0], hi = v[0];
	size_t i;

	for (i = 1; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
	}
	a->lo = lo - (hi - lo) * .03;
	a->hi = hi + (hi - lo) * .03;
}

static void draw(const struct bt_map *m, size_t labels, const struct layers *l,
                 struct bt_buf *out)
{
	struct bt_buf note = BT_BUF_INIT, x = BT_BUF_INIT, y = BT_BUF_INIT;
	struct bt_chart c = {.title = m->title != NULL ? m->title
	                                               : "Map of embeddings",
	                     .y = {.lo = NAN, .hi = NAN},
	                     .series = l->series,
	                     .n = l->n,
	                     .mark = NAN};
	double height = m->height > 0 ? m->height : fmin(m->width * .75, 900);

	bt_buf_printf(&note, "%zu rows", m->n);
	if (m->label != NULL)
		bt_buf_printf(&note, ", %zu label%s", labels,
		              labels == 1 ? "" : "s");
	bt_buf_printf(&x, "first principal component: %.1f %% of the variance",
	              100 * m->share[0]);
	bt_buf_printf(&y, "second: %.1f %%", 100 * m->share[1]);
	c.note = bt_buf_str(&note);
	c.x.label = bt_buf_str(&x);
	c.y.label = bt_buf_str(&y);
	set_range(&c.x, m->x, m->n);
	if (m->text) {
		bt_chart_text(&c, (int)m->width, (int)m->height, out);
	} else {
		bt_svg_begin(out, m->width, height, c.title);
		bt_chart_svg(&c, 0, 0, m->width, height, out);
		bt_svg_end(out);
	}
	out->oom |= note.oom || x.oom || y.oom;
	bt_buf_clear(&note);
	bt_buf_clear(&x);
	bt_buf_clear(&y);
}

int bt_map_draw(const struct bt_map *m, struct bt_buf *out,
                struct bt_error *err)
{
	size_t all = m->label != NULL ? bt_string_set_count(m->names) : 1, n, k;
	struct layers l = {.of = bt_array(all, sizeof(*l.of)),
	                   .x = bt_array(m->n, sizeof(*l.x)),
	                   .y = bt_array(m->n, sizeof(*l.y))};
	struct group *g = count(m, &n);

	if (g == NULL || l.of == NULL || l.x == NULL || l.y == NULL) {
		out->oom = true;
	} else {
		make_series(m, g, n, &l);
		deal(m, &l);
		draw(m, n, &l, out);
	}
	for (k = 0; k < SHOWN; k++) {
		out->oom |= l.name[k].oom;
		bt_buf_clear(&l.name[k]);
	}
	free(g);
	free(l.of);
	free(l.x);
	free(l.y);
	return out->oom ? bt_error_nomem(err, "drawing") : BT_OK;
}

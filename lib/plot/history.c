/* SPDX-License-Identifier: MIT */
#include "plot/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/escape.h"
#include "format/json.h"
#include "io/in.h"
#include "io/path.h"
#include "plot/chart.h"
#include "plot/svg.h"

#define LINE_LIMIT ((size_t)1 << 20)
#define KEYS_MAX 1000

/* Larger numbers are drawn as infinite ones: the length of an axis between two
 * of them may not be a double. */
#define LARGEST 1e300

static int add_key(struct bt_history *h, const char *key, size_t *k,
                   struct bt_error *err)
{
	size_t cap = h->keys_cap, i;

	for (*k = 0; *k < h->keys; ++*k)
		if (strcmp(h->key[*k], key) == 0)
			return BT_OK;
	if (h->keys == KEYS_MAX)
		return bt_error_set(err, BT_ELIMIT, "more than %d names",
		                    KEYS_MAX);
	if (bt_grow(&h->key, &cap, h->keys + 1, sizeof(*h->key)) != BT_OK ||
	    bt_grow(&h->value, &h->keys_cap, h->keys + 1, sizeof(*h->value)) !=
	        BT_OK)
		return bt_error_nomem(err, "reading a history");
	h->value[*k] = bt_array(h->rows_cap, sizeof(**h->value));
	if (h->value[*k] == NULL)
		return bt_error_nomem(err, "reading a history");
	for (i = 0; i < h->rows; i++)
		h->value[*k][i] = NAN;
	h->key[h->keys++] = bt_strndup(key, strlen(key));
	return BT_OK;
}

/* Room for one row more in each column. */
static int add_row(struct bt_history *h, struct bt_error *err)
{
	size_t cap = h->rows_cap, grown = cap, i;

	for (i = 0; i < h->keys; i++) {
		grown = cap;
		if (bt_grow(&h->value[i], &grown, h->rows + 1,
		            sizeof(**h->value)) != BT_OK)
			return bt_error_nomem(err, "reading a history");
		h->value[i][h->rows] = NAN;
	}
	if (h->keys == 0)
		grown = cap > h->rows ? cap : h->rows + 64;
	h->rows_cap = grown;
	h->rows++;
	return BT_OK;
}

static int add_line(struct bt_history *h, struct bt_span line, const char *name,
                    struct bt_error *err)
{
	json_t *o, *v;
	const char *key;
	size_t k;
	int e = bt_json_parse(name, line.p, line.n, false, &o, err);

	if (e != BT_OK)
		return e;
	if (!json_is_integer(json_object_get(o, "step")))
		e = bt_error_set(err, BT_EFORMAT,
		                 "%s: a line of a history has a whole number "
		                 "\"step\"",
		                 name);
	if (e == BT_OK)
		e = add_row(h, err);
	json_object_foreach(o, key, v)
	{
		if (e != BT_OK || !(json_is_number(v) || json_is_null(v)))
			continue;
		e = add_key(h, key, &k, err);
		if (e == BT_OK)
			h->value[k][h->rows - 1] =
			    fabs(json_number_value(v)) > LARGEST ||
			            json_is_null(v)
			        ? INFINITY
			        : json_number_value(v);
	}
	json_decref(o);
	return e;
}

static int read_lines(struct bt_history *h, struct bt_in *in,
                      struct bt_error *err)
{
	struct bt_buf name = BT_BUF_INIT;
	struct bt_span line;
	size_t skip, n = 0;
	int e;

	while ((e = bt_in_line(in, LINE_LIMIT, &line, &skip, err)) == 1) {
		n++;
		bt_buf_reset(&name);
		bt_buf_printf(&name, "%s: line %zu", bt_in_name(in), n);
		e = line.n > 0 ? add_line(h, line, bt_buf_str(&name), err)
		               : BT_OK;
		if (e != BT_OK)
			break;
		bt_in_skip(in, skip);
	}
	if (e == BT_OK && h->rows == 0)
		e = bt_error_set(err, BT_EFORMAT, "%s: has no lines",
		                 bt_in_name(in));
	bt_buf_clear(&name);
	return e;
}

/* What a run is called: the directory that its file is in, or the file; whole:
 * with those above it. */
static char *run_name(const char *path, bool whole)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t n = strlen(path), start;
	static const char file[] = "/history.jsonl";

	if (bt_str_ends(path, file))
		n -= sizeof(file) - 1;
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (start = whole ? 0 : n; start > 0 && path[start - 1] != '/';)
		start--;
	bt_escape_line(&b, (struct bt_span){path + start, n - start}, 0);
	return bt_buf_detach(&b);
}

int bt_history_read(const char *path, struct bt_history *h,
                    struct bt_error *err)
{
	struct bt_buf in_dir = BT_BUF_INIT;
	struct bt_in *in = NULL;
	int e;

	memset(h, 0, sizeof(*h));
	h->name = run_name(path, false);
	h->path = run_name(path, true);
	if (bt_path_is_dir(path)) {
		bt_buf_printf(&in_dir, "%s/history.jsonl", path);
		path = bt_buf_str(&in_dir);
	}
	e = bt_in_open(path, &in, err);
	if (e == BT_OK)
		e = read_lines(h, in, err);
	bt_in_close(in);
	bt_buf_clear(&in_dir);
	return e;
}

void bt_history_clear(struct bt_history *h)
{
	size_t i;

	for (i = 0; i < h->keys; i++) {
		free(h->key[i]);
		free(h->value[i]);
	}
	free(h->key);
	free(h->value);
	free(h->name);
	free(h->path);
	memset(h, 0, sizeof(*h));
}

/* The numbers of a key, [rows]; or NULL. */
static const double *find(const struct bt_history *h, const char *key)
{
	size_t k;

	for (k = 0; k < h->keys; k++)
		if (strcmp(h->key[k], key) == 0)
			return h->value[k];
	return NULL;
}

/* One chart: series, and the points that these borrow. */
struct panel {
	struct bt_chart chart;
	struct bt_series *series;
	char **name;
	double **points; /* two for each series */
	size_t n;
	struct bt_buf title;
};

/* Adds the lines in which x and y stand, and where, if that is not NULL. */
static int add_series(struct panel *p, const double *x, const double *y,
                      const double *where, size_t rows, struct bt_series look,
                      char *name)
{
	double *px = bt_array(rows, sizeof(*px));
	double *py = bt_array(rows, sizeof(*py));
	size_t i, n = 0;

	p->name[p->n] = name;
	p->points[2 * p->n] = px;
	p->points[2 * p->n + 1] = py;
	look.name = name;
	look.x = px;
	look.y = py;
	for (i = 0; px != NULL && py != NULL && i < rows; i++)
		if (!isnan(x[i]) && !isnan(y[i]) &&
		    (where == NULL || !isnan(where[i]))) {
			px[n] = x[i];
			py[n++] = y[i];
		}
	look.n = n;
	p->series[p->n++] = look;
	return px != NULL && py != NULL ? BT_OK : BT_ENOMEM;
}

/* What distinguishes run k from the others. */
static const char *shown(const struct bt_history *h, size_t n, size_t k)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (i != k && strcmp(h[i].name, h[k].name) == 0)
			return h[k].path;
	return n > 1 ? h[k].name : NULL;
}

/* The series of one run, which has a name if there are several: what training
 * logged, and what evaluations found. Lines of a log of steps count alone,
 * where there are any. */
static int add_run(struct panel *p, const struct bt_history *h, size_t k,
                   const char *run, const char *metric, const char *x_key)
{
	static const char *const kind[2] = {"training", "evaluation"};
	const double *x = find(h, x_key), *y, *steps;
	struct bt_series look = {.form = BT_SERIES_LINE};
	struct bt_buf b = BT_BUF_INIT;
	int i, e = BT_OK;

	steps = find(h, "gradient_norm");
	for (i = 0; i < 2 && e == BT_OK; i++) {
		bt_buf_reset(&b);
		bt_buf_printf(&b, "%s%s", i == 0 ? "" : "eval_", metric);
		y = find(h, bt_buf_str(&b));
		if (x == NULL || y == NULL)
			continue;
		bt_buf_reset(&b);
		if (run != NULL)
			bt_buf_printf(&b, "%s, ", run);
		bt_buf_puts(&b, kind[i]);
		look.colour = run != NULL ? (int)k : i;
		look.dashed = run != NULL && i == 0;
		e = add_series(p, x, y, i == 0 ? steps : NULL, h->rows, look,
		               bt_buf_detach(&b));
	}
	bt_buf_clear(&b);
	return e;
}

/* A name as a title: learning_rate becomes "Learning rate". */
static void put_title(struct bt_buf *b, const char *name)
{
	size_t start = b->len, i;

	bt_escape_line(b, bt_span(name), 0);
	for (i = start; i < b->len; i++)
		if (b->data[i] == '_')
			b->data[i] = ' ';
	if (start == 0 && b->len > 0 && b->data[0] >= 'a' && b->data[0] <= 'z')
		b->data[0] = (char)(b->data[0] - 'a' + 'A');
}

static int make_panel(struct panel *p, const struct bt_history *h, size_t n,
                      const char *metric, const struct bt_history_opts *o)
{
	size_t i;
	int e = BT_OK;

	p->series = bt_array0(2 * n, sizeof(*p->series));
	p->name = bt_array0(2 * n, sizeof(*p->name));
	p->points = bt_array0(4 * n, sizeof(*p->points));
	if (p->series == NULL || p->name == NULL || p->points == NULL)
		return BT_ENOMEM;
	for (i = 0; i < n && e == BT_OK; i++)
		e = add_run(p, &h[i], i, shown(h, n, i), metric, o->x);
	if (o->title != NULL)
		bt_buf_printf(&p->title, "%s: ", o->title);
	put_title(&p->title, metric);
	p->chart = (struct bt_chart){
	    .title = bt_buf_str(&p->title),
	    .x = {o->x, NAN, NAN, strcmp(o->x, "seconds") != 0},
	    .y = {.lo = NAN, .hi = NAN},
	    .series = p->series,
	    .n = p->n,
	    .mark = NAN};
	return e;
}

/* Whether no point of it can be drawn. */
static bool is_empty(const struct panel *p)
{
	size_t i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->series[i].n; k++)
			if (isfinite(p->series[i].y[k]))
				return false;
	return true;
}

static void clear_panel(struct panel *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		free(p->name[i]);
		free(p->points[2 * i]);
		free(p->points[2 * i + 1]);
	}
	free(p->series);
	free(p->name);
	free(p->points);
	bt_buf_clear(&p->title);
}

/* A name that some run has, as it is or of evaluations. */
static bool is_known(const struct bt_history *h, size_t n, const char *metric)
{
	struct bt_buf b = BT_BUF_INIT;
	bool known = false;
	size_t i;

	bt_buf_printf(&b, "eval_%s", metric);
	for (i = 0; i < n && !known; i++)
		known = find(&h[i], metric) != NULL ||
		        find(&h[i], bt_buf_str(&b)) != NULL;
	bt_buf_clear(&b);
	return known;
}

static int unknown(const struct bt_history *h, size_t n, const char *metric,
                   struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i, k;
	int e;

	for (i = 0; i < n; i++)
		for (k = 0; k < h[i].keys; k++)
			if (!bt_str_starts(h[i].key[k], "eval_") &&
			    (i == 0 || find(&h[0], h[i].key[k]) == NULL))
				bt_buf_printf(&b, " %s", h[i].key[k]);
	for (k = 0; k < h[0].keys; k++)
		if (bt_str_starts(h[0].key[k], "eval_") &&
		    find(&h[0], h[0].key[k] + 5) == NULL)
			bt_buf_printf(&b, " %s", h[0].key[k] + 5);
	e = bt_error_set(err, BT_EARG, "no run has '%s', there are:%s", metric,
	                 bt_buf_str(&b));
	bt_buf_clear(&b);
	return e;
}

/* The metric beside the loss: accuracy, else the first of the evaluations. */
static const char *main_metric(const struct bt_history *h, size_t n)
{
	size_t i, k;

	if (is_known(h, n, "accuracy"))
		return "accuracy";
	for (i = 0; i < n; i++)
		for (k = 0; k < h[i].keys; k++)
			if (bt_str_starts(h[i].key[k], "eval_") &&
			    strcmp(h[i].key[k], "eval_loss") != 0)
				return h[i].key[k] + 5;
	return NULL;
}

static void draw_text(const struct panel *p, size_t n,
                      const struct bt_history_opts *o, struct bt_buf *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_putc(out, '\n');
		bt_chart_text(&p[i].chart, (int)o->width, (int)o->height, out);
	}
}

/* Beside each other where there is room, else below. */
static void draw_svg(const struct panel *p, size_t n,
                     const struct bt_history_opts *o, struct bt_buf *out)
{
	size_t columns = (size_t)(o->width / 380), rows, i;
	double width, height;

	columns = columns < 1 ? 1 : columns > n ? n : columns;
	rows = (n + columns - 1) / columns;
	width = o->width / (double)columns;
	height = o->height > 0 ? o->height / (double)rows
	                       : fmin(fmax(width * .62, 230), 420);
	bt_svg_begin(out, o->width, height * (double)rows, p[0].chart.title);
	for (i = 0; i < n; i++)
		bt_chart_svg(&p[i].chart, (double)(i % columns) * width,
		             (double)(i / columns) * height, width, height,
		             out);
	bt_svg_end(out);
}

int bt_history_draw(const struct bt_history *h, size_t n,
                    const struct bt_history_opts *o, struct bt_buf *out,
                    struct bt_error *err)
{
	const char *usual[2] = {"loss", main_metric(h, n)};
	const char *const *metric = o->n_metrics > 0 ? o->metric : usual;
	size_t m = o->n_metrics > 0 ? o->n_metrics : usual[1] != NULL ? 2 : 1;
	struct panel *p = bt_array0(m, sizeof(*p));
	size_t empty = 0, i;
	int e = p != NULL ? BT_OK : bt_error_nomem(err, "drawing");

	for (i = 0; i < m && e == BT_OK; i++) {
		if (!is_known(h, n, metric[i]))
			e = unknown(h, n, metric[i], err);
		else if (make_panel(&p[i], h, n, metric[i], o) != BT_OK)
			e = bt_error_nomem(err, "drawing");
		else
			empty += is_empty(&p[i]);
	}
	if (e == BT_OK && empty == m)
		e = bt_error_set(err, BT_EFORMAT,
		                 "nothing to draw: no line has a finite '%s' "
		                 "beside its '%s'",
		                 metric[0], o->x);
	if (e == BT_OK)
		(o->text ? draw_text : draw_svg)(p, m, o, out);
	for (i = 0; p != NULL && i < m; i++)
		clear_panel(&p[i]);
	free(p);
	return e;
}

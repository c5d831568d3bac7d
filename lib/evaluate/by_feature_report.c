/* SPDX-License-Identifier: MIT */
/* What is reported of groups. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "evaluate/by_feature_int.h"
#include "format/escape.h"

/* What numbers count as: also where a group of lengths begins. */
static void read_number(const struct bt_by_feature *g,
                        struct bt_by_feature_group *x)
{
	char s[64];
	size_t n = 0;

	while (n < x->value.n && n < sizeof(s) - 1 && x->value.p[n] != '\0' &&
	       (!g->length || x->value.p[n] != '-')) {
		s[n] = x->value.p[n];
		n++;
	}
	s[n] = '\0';
	x->numeric = (n == x->value.n || g->length) &&
	             bt_parse_f64(s, -DBL_MAX, DBL_MAX, &x->number) == BT_OK;
}

static int by_text(const void *a, const void *b)
{
	const struct bt_by_feature_group *const *x = a, *const *y = b;

	return bt_span_compare((*x)->value, (*y)->value);
}

static int by_number(const void *a, const void *b)
{
	const struct bt_by_feature_group *const *x = a, *const *y = b;
	double v = (*x)->number, w = (*y)->number;

	return v != w ? (v > w) - (v < w) : by_text(a, b);
}

/* The groups with examples in their order, n of them; for the caller to free.
 */
static struct bt_by_feature_group **order(struct bt_by_feature *g, size_t *n)
{
	struct bt_by_feature_group **list =
	    bt_array(g->of + 1, sizeof(struct bt_by_feature_group *));
	bool numeric = true;
	size_t i;

	*n = 0;
	for (i = 0; i < g->of; i++) {
		if (g->group[i].m.n == 0)
			continue;
		g->group[i].value = bt_string_set_get(g->values, i);
		read_number(g, &g->group[i]);
		numeric = numeric && g->group[i].numeric;
		list[(*n)++] = &g->group[i];
	}
	if (*n > 1)
		qsort(list, *n, sizeof(struct bt_by_feature_group *),
		      numeric ? by_number : by_text);
	if (g->none.m.n > 0)
		list[(*n)++] = &g->none;
	return list;
}

/* What stands in a line of the table: measures by their names. */
static const struct column {
	const char *name, *title;
	int width;
} columns[] = {
    {"accuracy", "accuracy", 8},
    {"micro_f1", "micro F1", 8},
    {"macro_f1", "macro F1", 8},
    {"hamming_loss", "hamming", 8},
    {"roc_auc", "ROC AUC", 8},
    {"mcc", "mcc", 8},
    {"rmse", "root mse", 10},
    {"mae", "mean abs", 10},
    {"r2", "R2", 8},
    {"pearson", "pearson", 8},
    {"spearman", "spearman", 8},
    {"loss", "loss", 10},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void put_name(struct bt_buf *out, const struct bt_by_feature_group *x)
{
	if (x->none)
		bt_buf_puts(out, "(none)");
	else if (x->value.n == 0)
		bt_buf_puts(out, "\"\"");
	else
		bt_escape_line(out, x->value, 60);
}

/* Columns that n bytes of UTF-8 take, if each character takes one. */
static size_t width_of(const struct bt_buf *b, size_t from)
{
	size_t n = 0;

	for (; from < b->len; from++)
		n += ((unsigned char)b->data[from] & 0xC0) != 0x80;
	return n;
}

static void pad(struct bt_buf *out, size_t from, size_t width)
{
	size_t n;

	for (n = width_of(out, from); n < width; n++)
		bt_buf_putc(out, ' ');
}

static void put_line(struct bt_buf *out, const struct bt_by_feature_group *x,
                     size_t width)
{
	struct bt_metrics_summary s;
	size_t from = out->len, i;
	double v;

	put_name(out, x);
	pad(out, from, width);
	bt_buf_printf(out, "  %8llu", (unsigned long long)x->m.n);
	bt_metrics_summary(&x->m, &s);
	for (i = 0; i < COLUMNS; i++) {
		if (bt_metrics_find(&s, columns[i].name, &v, NULL) != BT_OK)
			continue;
		if (isnan(v))
			bt_buf_printf(out, "  %*s", columns[i].width, "-");
		else
			bt_buf_printf(out, "  %*.4f", columns[i].width, v);
	}
	bt_buf_putc(out, '\n');
}

static size_t widest(struct bt_by_feature_group *const *list, size_t n,
                     size_t least)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i, w;

	for (i = 0; i < n; i++) {
		bt_buf_reset(&b);
		put_name(&b, list[i]);
		w = width_of(&b, 0);
		least = w > least ? w : least;
	}
	bt_buf_clear(&b);
	return least;
}

void bt_by_feature_report(struct bt_by_feature *g, struct bt_buf *out)
{
	struct bt_metrics_summary s;
	size_t n, i, width, from;
	struct bt_by_feature_group **list = order(g, &n);
	double v;

	bt_metrics_summary(n > 0 ? &list[0]->m : g->like, &s);
	bt_buf_puts(out, "\nby ");
	from = out->len;
	bt_escape_line(out, bt_span(g->field), 60);
	width = widest(list, n, width_of(out, from) + 3);
	pad(out, from, width - 3);
	bt_buf_printf(out, "  %8s", "examples");
	for (i = 0; i < COLUMNS; i++)
		if (bt_metrics_find(&s, columns[i].name, &v, NULL) == BT_OK)
			bt_buf_printf(out, "  %*s", columns[i].width,
			              columns[i].title);
	bt_buf_putc(out, '\n');
	for (i = 0; i < n; i++)
		put_line(out, list[i], width);
	free(list);
}

json_t *bt_by_feature_json(struct bt_by_feature *g)
{
	size_t n, i;
	struct bt_by_feature_group **list = order(g, &n), *x;
	json_t *all = json_array(), *o;

	for (i = 0; i < n; i++) {
		x = list[i];
		o = json_pack("{s:o}", "value",
		              x->none ? json_null() : bt_escape_json(x->value));
		bt_metrics_json_summary(&x->m, o);
		json_array_append_new(all, o);
	}
	free(list);
	return json_pack("{s:o, s:o}", "field",
	                 bt_escape_json(bt_span(g->field)), "groups", all);
}

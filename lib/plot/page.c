/* SPDX-License-Identifier: MIT */
#include "plot/page.h"

#include <string.h>

#include "plot/evaluation.h"
#include "plot/svg.h"

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,'DejaVu Sans','Noto Sans',sans-serif;"
    "margin:0 auto;max-width:1000px;padding:1.5rem 1rem;"
    "background:#fff;color:#1f2328}"
    "h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.2rem 0 .6rem}"
    "p,figure{margin:.5rem 0}.dim{color:#59636e}"
    "code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}"
    ".tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}"
    ".tile{border:1px solid #d8dee4;border-radius:8px;padding:.5rem .9rem}"
    ".tile b{display:block;font-size:1.4rem;line-height:1.3}"
    ".scroll{overflow-x:auto}"
    "svg{max-width:100%;height:auto}.wide svg{min-width:520px}"
    "table{border-collapse:collapse;font-size:14px}"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid #d8dee4;"
    "text-align:start;vertical-align:top}"
    "td.n,th.n{text-align:end;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}"
    "td.t{overflow-wrap:anywhere;min-width:14rem}"
    "td.c{overflow-wrap:anywhere;min-width:7rem}"
    "@media (max-width:600px){th,td{padding:.25rem .3rem}"
    "table{font-size:13px}.texts tr{display:flex;flex-wrap:wrap;"
    "gap:0 .8rem;border-bottom:1px solid #d8dee4}"
    ".texts th,.texts td{border:0;min-width:0;box-sizing:border-box}"
    ".texts th:first-child,.texts td.t{flex:0 0 100%}}"
    "@media (prefers-color-scheme:dark){body{background:#0d1117;"
    "color:#e6edf3}.dim{color:#9198a1}"
    ".tile,th,td,tr{border-color:#30363d!important}}";

static void put(struct bt_buf *b, const char *before, const char *s,
                const char *after)
{
	bt_buf_puts(b, before);
	bt_svg_escape(b, s);
	bt_buf_puts(b, after);
}

/* macro_f1 as "macro f1". */
static void put_name(struct bt_buf *b, const char *before, const char *name,
                     const char *after)
{
	size_t at;

	bt_buf_puts(b, before);
	at = b->len;
	bt_svg_escape(b, name);
	for (; at < b->len; at++)
		if (b->data[at] == '_')
			b->data[at] = ' ';
	bt_buf_puts(b, after);
}

static void put_value(struct bt_buf *b, const json_t *v)
{
	if (json_is_integer(v))
		bt_buf_printf(b, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		bt_buf_printf(b, "%.4f", json_real_value(v));
	else
		bt_buf_puts(b, "\xe2\x80\x93"); /* a dash */
}

static void put_cell(struct bt_buf *b, const json_t *v)
{
	bt_buf_puts(b, "<td class=\"n\">");
	put_value(b, v);
	bt_buf_puts(b, "</td>");
}

/* The figures that a reader looks for first; those that the report has. */
static void put_tiles(struct bt_buf *b, const json_t *report)
{
	static const char *const first[] = {
	    "accuracy", "macro_f1", "micro_f1",   "f1",       "exact_match",
	    "map_at_3", "rmse",     "pearson",    "spearman", "roc_auc",
	    "mrr",      "ece",      "perplexity", "loss",     "examples"};
	const json_t *v;
	size_t i;

	bt_buf_puts(b, "<div class=\"tiles\">\n");
	for (i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		v = json_object_get(report, first[i]);
		if (!json_is_number(v))
			continue;
		bt_buf_puts(b, "<div class=\"tile\"><b>");
		put_value(b, v);
		put_name(b, "</b><span class=\"dim\">", first[i],
		         "</span></div>\n");
	}
	bt_buf_puts(b, "</div>\n");
}

static int put_picture(struct bt_buf *b, const json_t *report, const char *kind,
                       double width, struct bt_error *err)
{
	struct bt_evaluation_picture p = {.kind = kind, .width = width};
	int e;

	if (!bt_evaluation_has(report, kind))
		return BT_OK;
	bt_buf_puts(b, strcmp(kind, "confusion") == 0
	                   ? "<figure class=\"scroll wide\">\n"
	                   : "<figure class=\"scroll\">\n");
	e = bt_evaluation_draw(report, &p, b, err);
	bt_buf_puts(b, "</figure>\n");
	return e;
}

static int put_pictures(struct bt_buf *b, const json_t *report,
                        struct bt_error *err)
{
	size_t n = json_array_size(json_object_get(report, "confusion"));
	int e = put_picture(b, report, "confusion",
	                    n > 40   ? 1600
	                    : n > 12 ? 960
	                             : 640,
	                    err);

	if (e == BT_OK)
		e = put_picture(b, report, "classes", 600, err);
	if (e == BT_OK)
		e = put_picture(b, report, "reliability", 500, err);
	if (e == BT_OK)
		e = put_picture(b, report, "roc", 500, err);
	if (e == BT_OK)
		e = put_picture(b, report, "precision-recall", 500, err);
	return e;
}

/* The ends of a metric's confidence interval. */
static void put_interval(struct bt_buf *b, const json_t *ends)
{
	bt_buf_puts(b, "<td class=\"n\">");
	if (json_array_size(ends) == 2) {
		put_value(b, json_array_get(ends, 0));
		bt_buf_puts(b, " to ");
		put_value(b, json_array_get(ends, 1));
	}
	bt_buf_puts(b, "</td>");
}

static void put_metrics(struct bt_buf *b, const json_t *report)
{
	const json_t *ci = json_object_get(report, "ci");
	const json_t *ends = json_object_get(ci, "metrics");
	const char *key;
	json_t *v;

	bt_buf_puts(b, "<h2>All metrics</h2>\n<div class=\"scroll\"><table>\n");
	if (ci != NULL)
		bt_buf_printf(
		    b,
		    "<tr><th>metric</th><th class=\"n\">value</th>"
		    "<th class=\"n\">%.3g %% interval</th></tr>\n",
		    100 * json_number_value(json_object_get(ci, "level")));
	json_object_foreach((json_t *)report, key, v)
	{
		if (!json_is_number(v) && !json_is_null(v))
			continue;
		put_name(b, "<tr><th>", key, "</th>");
		put_cell(b, v);
		if (ci != NULL)
			put_interval(b, json_object_get(ends, key));
		bt_buf_puts(b, "</tr>\n");
	}
	bt_buf_puts(b, "</table></div>\n");
}

/* The classes of a report without a matrix have a picture already; those with
 * one get their precision and recall here. */
static void put_classes(struct bt_buf *b, const json_t *report)
{
	static const char *const columns[] = {"precision", "recall", "f1",
	                                      "support"};
	const json_t *classes = json_object_get(report, "classes"), *c;
	const char *label;
	size_t i, k;

	if (json_array_size(classes) == 0)
		return;
	bt_buf_puts(b, "<h2>By class</h2>\n<div class=\"scroll\"><table>\n"
	               "<tr><th>class</th>");
	for (k = 0; k < 4; k++)
		put(b, "<th class=\"n\">", columns[k], "</th>");
	bt_buf_puts(b, "</tr>\n");
	for (i = 0; i < json_array_size(classes); i++) {
		c = json_array_get(classes, i);
		label = json_string_value(json_object_get(c, "label"));
		put(b, "<tr><td class=\"c\" dir=\"auto\">",
		    label != NULL ? label : "", "</td>");
		for (k = 0; k < 4; k++)
			put_cell(b, json_object_get(c, columns[k]));
		bt_buf_puts(b, "</tr>\n");
	}
	bt_buf_puts(b, "</table></div>\n");
}

/* The metrics of each value of one feature; columns are those of the first. */
static void put_groups(struct bt_buf *b, const json_t *by)
{
	const json_t *groups = json_object_get(by, "groups"), *g;
	const char *field = json_string_value(json_object_get(by, "field"));
	const char *value, *key;
	json_t *v;
	size_t i;

	put(b, "<h2>By ", field != NULL ? field : "",
	    "</h2>\n<div class=\"scroll\"><table>\n<tr><th>value</th>");
	json_object_foreach(json_array_get(groups, 0), key,
	                    v) if (strcmp(key, "value") != 0)
	    put_name(b, "<th class=\"n\">", key, "</th>");
	bt_buf_puts(b, "</tr>\n");
	for (i = 0; i < json_array_size(groups); i++) {
		g = json_array_get(groups, i);
		value = json_string_value(json_object_get(g, "value"));
		put(b, "<tr><td class=\"c\" dir=\"auto\">",
		    value != NULL ? value : "(without)", "</td>");
		json_object_foreach((json_t *)g, key,
		                    v) if (strcmp(key, "value") != 0)
		    put_cell(b, v);
		bt_buf_puts(b, "</tr>\n");
	}
	bt_buf_puts(b, "</table></div>\n");
}

/* A label, or a list of them with their probabilities; or a number, or several
 * by name. */
static void put_answer(struct bt_buf *b, const json_t *v)
{
	const char *key;
	json_t *x;
	size_t i;

	if (json_is_string(v))
		bt_svg_escape(b, json_string_value(v));
	else if (!json_is_array(v) && !json_is_object(v))
		put_value(b, v);
	json_array_foreach(v, i, x)
	{
		bt_buf_puts(b, i > 0 ? ", " : "");
		put_answer(b,
		           json_is_object(x) ? json_object_get(x, "label") : x);
	}
	if (json_is_object(v))
		json_object_foreach((json_t *)v, key, x)
		{
			put(b, "", key, " ");
			put_value(b, x);
			bt_buf_puts(b, "<br>");
		}
}

static const json_t *either(const json_t *o, const char *a, const char *b,
                            const char *c)
{
	const json_t *v = json_object_get(o, a);

	v = v != NULL ? v : json_object_get(o, b);
	return v != NULL ? v : json_object_get(o, c);
}

/* The first cell of a row: what an example says, and its id. */
static void put_texts(struct bt_buf *b, const json_t *x)
{
	static const char *const texts[] = {"text", "text_b", "tokens"};
	const char *s;
	size_t i;

	bt_buf_puts(b, "<tr><td class=\"t\">");
	for (i = 0; i < 3; i++) {
		s = json_string_value(json_object_get(x, texts[i]));
		if (s != NULL)
			put(b, "<div dir=\"auto\">", s, "</div>");
	}
	s = json_string_value(json_object_get(x, "id"));
	if (s != NULL)
		put(b, "<div class=\"dim\">", s, "</div>");
	bt_buf_puts(b, "</td>");
}

static void put_error(struct bt_buf *b, const json_t *x)
{
	put_texts(b, x);
	bt_buf_puts(b, "<td dir=\"auto\">");
	put_answer(b, either(x, "label", "labels", "value"));
	bt_buf_puts(b, "</td><td dir=\"auto\">");
	put_answer(b, json_object_get(x, "predicted"));
	bt_buf_puts(b, "</td>");
	put_cell(b, json_object_get(x, "probability"));
	put_cell(b, json_object_get(x, "loss"));
	bt_buf_puts(b, "</tr>\n");
}

static void put_errors(struct bt_buf *b, const json_t *errors)
{
	size_t i;

	if (json_array_size(errors) == 0)
		return;
	bt_buf_puts(
	    b,
	    "<h2>Largest losses</h2>\n<div class=\"scroll\">"
	    "<table class=\"texts\">\n<tr><th>text</th><th>truth</th><th>predicted</th>"
	    "<th class=\"n\">probability</th>"
	    "<th class=\"n\">loss</th></tr>\n");
	for (i = 0; i < json_array_size(errors); i++)
		put_error(b, json_array_get(errors, i));
	bt_buf_puts(b, "</table></div>\n");
}

static void put_label_issues(struct bt_buf *b, const json_t *issues)
{
	const json_t *worst = json_object_get(issues, "worst"), *x;
	size_t i;

	if (issues == NULL)
		return;
	bt_buf_printf(
	    b,
	    "<h2>Labels that look wrong</h2>\n<p>%lld of %lld labels%s</p>\n",
	    (long long)json_integer_value(json_object_get(issues, "found")),
	    (long long)json_integer_value(json_object_get(issues, "of")),
	    json_array_size(worst) > 0 ? ", the least probable ones first:"
	                               : "");
	if (json_array_size(worst) == 0)
		return;
	bt_buf_puts(b, "<div class=\"scroll\"><table class=\"texts\">\n<tr>"
	               "<th>text</th><th>label</th><th>suggested</th>"
	               "<th class=\"n\">of the label</th>"
	               "<th class=\"n\">of the suggestion</th></tr>\n");
	json_array_foreach(worst, i, x)
	{
		put_texts(b, x);
		bt_buf_puts(b, "<td dir=\"auto\">");
		put_answer(b, json_object_get(x, "label"));
		bt_buf_puts(b, "</td><td dir=\"auto\">");
		put_answer(b, json_object_get(x, "suggested"));
		bt_buf_puts(b, "</td>");
		put_cell(b, json_object_get(x, "label_probability"));
		put_cell(b, json_object_get(x, "suggested_probability"));
		bt_buf_puts(b, "</tr>\n");
	}
	bt_buf_puts(b, "</table></div>\n");
}

static long long count_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void put_leaks(struct bt_buf *b, const json_t *leaks)
{
	const json_t *pairs = json_object_get(leaks, "pairs"), *x;
	size_t i;

	if (leaks == NULL)
		return;
	put(b, "<h2>Texts that may be known</h2>\n<p>Compared with <code>",
	    json_string_value(json_object_get(leaks, "file")), "</code>: ");
	bt_buf_printf(b,
	              "of %lld texts, %lld are there, %lld are similar to one "
	              "there, %lld repeat one of this evaluation.</p>\n",
	              count_of(leaks, "texts"), count_of(leaks, "equal"),
	              count_of(leaks, "similar"), count_of(leaks, "repeated"));
	if (json_array_size(pairs) == 0)
		return;
	bt_buf_puts(b, "<div class=\"scroll\"><table class=\"texts\">\n<tr>"
	               "<th>text, and that of the other file</th>"
	               "<th class=\"n\">record</th>"
	               "<th class=\"n\">similarity</th></tr>\n");
	json_array_foreach(pairs, i, x)
	{
		put(b, "<tr><td class=\"t\"><div dir=\"auto\">",
		    json_string_value(json_object_get(x, "text")), "</div>");
		put(b, "<div class=\"dim\" dir=\"auto\">",
		    json_string_value(json_object_get(x, "other")),
		    "</div></td>");
		put_cell(b, json_object_get(x, "record"));
		put_cell(b, json_object_get(x, "similarity"));
		bt_buf_puts(b, "</tr>\n");
	}
	bt_buf_puts(b, "</table></div>\n");
}

static void put_comparison(struct bt_buf *b, const json_t *c)
{
	static const char *const columns[] = {"a", "b", "difference"};
	const char *name, *key;
	json_t *v;
	size_t k;

	if (c == NULL)
		return;
	bt_buf_puts(b, "<h2>Comparison</h2>\n<div class=\"scroll\"><table>\n"
	               "<tr><th>metric</th>");
	for (k = 0; k < 3; k++) {
		name = json_string_value(json_object_get(c, columns[k]));
		put(b, "<th class=\"n\">", name != NULL ? name : columns[k],
		    "</th>");
	}
	bt_buf_puts(b, "</tr>\n");
	json_object_foreach(json_object_get(c, "measures"), key, v)
	{
		put_name(b, "<tr><td>", key, "</td>");
		for (k = 0; k < 3; k++)
			put_cell(b, json_object_get(v, columns[k]));
		bt_buf_puts(b, "</tr>\n");
	}
	bt_buf_puts(b, "</table></div>\n");
	v = json_object_get(json_object_get(c, "right"), "mcnemar_p");
	if (json_is_number(v))
		bt_buf_printf(b,
		              "<p>McNemar's test: the difference has p = "
		              "%.3g.</p>\n",
		              json_number_value(v));
}

int bt_page_write(const json_t *report, const struct bt_page *p,
                  struct bt_buf *out, struct bt_error *err)
{
	const json_t *by = json_object_get(report, "by");
	size_t i;
	int e;

	bt_buf_puts(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
	                 "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	                 "content=\"width=device-width,initial-scale=1\">\n");
	put(out, "<title>", p->title, "</title>\n");
	bt_buf_printf(out, "<style>%s</style>\n</head>\n<body>\n", style);
	put(out, "<h1 dir=\"auto\">", p->title, "</h1>\n");
	if (p->command != NULL)
		put(out, "<p class=\"dim\"><code>", p->command,
		    "</code></p>\n");
	if (p->data != NULL)
		put(out, "<p class=\"dim\">", p->data, "</p>\n");
	put_tiles(out, report);
	e = put_pictures(out, report, err);
	put_classes(out, report);
	for (i = 0; i < json_array_size(by); i++)
		put_groups(out, json_array_get(by, i));
	put_errors(out, json_object_get(report, "errors"));
	put_label_issues(out, json_object_get(report, "label_issues"));
	put_leaks(out, json_object_get(report, "leaks"));
	put_comparison(out, json_object_get(report, "compare"));
	put_metrics(out, report);
	put(out, "<p class=\"dim\">", p->made_by, "</p>\n</body>\n</html>\n");
	if (e == BT_OK && out->oom)
		e = bt_error_nomem(err, "writing a page");
	return e;
}

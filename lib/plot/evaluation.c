/* SPDX-License-Identifier: MIT */
#include "plot/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "plot/chart.h"
#include "plot/confusion.h"
#include "plot/svg.h"

/* A report has lists of at most so many members. */
#define MEMBERS_MAX ((size_t)1 << 12)

/* What each kind is called, and the member of a report that it shows. */
static const struct kind {
	const char *name, *title, *member;
	bool of_two; /* classes: reports of more do not have it */
} kinds[] = {
    {"confusion", "Confusion matrix", "confusion", false},
    {"classes", "F1 of each class", "classes", false},
    {"reliability", "Reliability", "reliability", false},
    {"roc", "ROC curve", "roc", true},
    {"precision-recall", "Precision and recall", "precision_recall", true},
};

static const struct kind *find_kind(const char *name)
{
	int i = BT_STR_ROW_BY(name, kinds, name);

	return i >= 0 ? &kinds[i] : NULL;
}

bool bt_evaluation_has(const json_t *report, const char *kind)
{
	const struct kind *k = find_kind(kind);

	return k != NULL &&
	       json_array_size(json_object_get(report, k->member)) > 0;
}

static double number(const json_t *v)
{
	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Column k of a list of lists; at most MEMBERS_MAX. To be freed. */
static double *column(const json_t *list, size_t k)
{
	size_t n = json_array_size(list), i;
	double *x = bt_array(n, sizeof(*x));

	for (i = 0; x != NULL && i < n; i++)
		x[i] = number(json_array_get(json_array_get(list, i), k));
	return x;
}

/* The names of the classes: borrowed from the report; one that has none is "".
 */
static const char **class_names(const json_t *classes)
{
	size_t n = json_array_size(classes), i;
	const char **name = bt_array(n, sizeof(*name)), *s;

	for (i = 0; name != NULL && i < n; i++) {
		s = json_string_value(
		    json_object_get(json_array_get(classes, i), "label"));
		name[i] = s != NULL ? s : "";
	}
	return name;
}

static void put_number(const json_t *report, const char *key,
                       const char *before, struct bt_buf *b)
{
	double v = number(json_object_get(report, key));

	if (isfinite(v))
		bt_buf_printf(b, "%s%s %.4f", b->len > 0 ? ", " : "", before,
		              v);
}

/* The count of examples, and what else the picture's kind has as one number. */
static const char *note_of(const json_t *report, const struct kind *k,
                           struct bt_buf *b)
{
	double n = number(json_object_get(report, "examples"));

	if (strcmp(k->name, "reliability") == 0)
		put_number(report, "ece", "expected calibration error", b);
	else if (strcmp(k->name, "roc") == 0)
		put_number(report, "roc_auc", "area", b);
	else if (strcmp(k->name, "precision-recall") == 0)
		put_number(report, "average_precision", "average precision", b);
	else
		put_number(report, "accuracy", "accuracy", b);
	if (isfinite(n))
		bt_buf_printf(b, "%s%.0f examples", b->len > 0 ? ", " : "", n);
	return bt_buf_str(b);
}

static int draw_confusion(const json_t *report,
                          const struct bt_evaluation_picture *p,
                          const char *title, const char *note,
                          struct bt_buf *out, struct bt_error *err)
{
	const json_t *rows = json_object_get(report, "confusion");
	const json_t *classes = json_object_get(report, "classes");
	size_t n = json_array_size(rows), i, j;
	const char **name = class_names(classes);
	double *count = bt_array(n, n * sizeof(*count)), height;
	struct bt_confusion c = {title, note, n, name, count, p->shares};
	int e = BT_OK;

	if (name == NULL || count == NULL)
		e = bt_error_nomem(err, "drawing a confusion matrix");
	else if (json_array_size(classes) != n)
		e = bt_error_set(err, BT_EFORMAT,
		                 "the report has %zu class%s and a confusion "
		                 "matrix of %zu",
		                 json_array_size(classes),
		                 json_array_size(classes) == 1 ? "" : "es", n);
	for (i = 0; i < n && e == BT_OK; i++) {
		if (json_array_size(json_array_get(rows, i)) != n)
			e = bt_error_set(err, BT_EFORMAT,
			                 "row %zu of the confusion matrix does "
			                 "not have %zu numbers",
			                 i + 1, n);
		for (j = 0; j < n; j++) {
			double v =
			    number(json_array_get(json_array_get(rows, i), j));

			count[i * n + j] = v >= 0 ? v : 0;
		}
	}
	if (e == BT_OK && p->text)
		bt_confusion_text(&c, (int)p->width, out);
	else if (e == BT_OK)
		bt_confusion_svg(&c, p->width, &height, out);
	free(name);
	free(count);
	return e;
}

static int draw_classes(const json_t *report,
                        const struct bt_evaluation_picture *p,
                        const char *title, const char *note, struct bt_buf *out,
                        struct bt_error *err)
{
	const json_t *classes = json_object_get(report, "classes"), *c;
	size_t n = json_array_size(classes), i;
	const char **name = class_names(classes);
	double *f1 = bt_array(n, sizeof(*f1)), height;
	double *support = bt_array(n, sizeof(*support));
	struct bt_bars b = {title, note, n, name, f1, support};
	int e = name != NULL && f1 != NULL && support != NULL
	            ? BT_OK
	            : bt_error_nomem(err, "drawing classes");

	for (i = 0; i < n && e == BT_OK; i++) {
		c = json_array_get(classes, i);
		f1[i] = fmin(number(json_object_get(c, "f1")), 1);
		support[i] = number(json_object_get(c, "support"));
	}
	if (e == BT_OK && p->text)
		bt_bars_text(&b, (int)p->width, out);
	else if (e == BT_OK)
		bt_bars_svg(&b, p->width, &height, out);
	free(name);
	free(f1);
	free(support);
	return e;
}

static void draw_chart(const struct bt_chart *c,
                       const struct bt_evaluation_picture *p,
                       struct bt_buf *out)
{
	double height = p->height > 0 ? p->height : fmin(p->width * .8, 520);

	if (p->text) {
		bt_chart_text(c, (int)p->width, (int)p->height, out);
		return;
	}
	bt_svg_begin(out, p->width, height, c->title);
	bt_chart_svg(c, 0, 0, p->width, height, out);
	bt_svg_end(out);
}

/* Bars of the share that is right, over the probability; where the model is
 * calibrated they end at the diagonal. */
static int draw_reliability(const json_t *report,
                            const struct bt_evaluation_picture *p,
                            const char *title, const char *note,
                            struct bt_buf *out, struct bt_error *err)
{
	const json_t *bins = json_object_get(report, "reliability");
	size_t n = json_array_size(bins), i;
	double *count = column(bins, 0), *x = bt_array(n, sizeof(*x));
	double *mean = column(bins, 1), *right = column(bins, 2);
	struct bt_series s[2] = {
	    {"right", BT_SERIES_BARS, 0, false, n, x, right},
	    {"at the mean probability", BT_SERIES_POINTS, 1, false, n, mean,
	     right}};
	struct bt_chart c = {
	    .title = title,
	    .note = note,
	    .x = {.label = "probability of the predicted class", .hi = 1},
	    .y = {.hi = 1},
	    .series = s,
	    .n = 2,
	    .diagonal = true,
	    .mark = NAN};
	int e = BT_OK;

	if (count == NULL || x == NULL || mean == NULL || right == NULL)
		e = bt_error_nomem(err, "drawing");
	for (i = 0; i < n && e == BT_OK; i++) {
		x[i] = (double)i / (double)n;
		if (!(count[i] > 0))
			right[i] = NAN;
	}
	if (e == BT_OK)
		draw_chart(&c, p, out);
	free(count);
	free(x);
	free(mean);
	free(right);
	return e;
}

/* The rates of two classes at the threshold that predictions were made with:
 * NAN where the report does not say. */
static void chosen(const json_t *report, bool roc, double *x, double *y)
{
	const json_t *rows = json_object_get(report, "confusion");
	double n[2][2], precision;
	int i, j;

	for (i = 0; i < 2; i++)
		for (j = 0; j < 2; j++)
			n[i][j] = number(json_array_get(
			    json_array_get(rows, (size_t)i), (size_t)j));
	precision = n[1][1] / (n[0][1] + n[1][1]);
	*x =
	    roc ? n[0][1] / (n[0][0] + n[0][1]) : n[1][1] / (n[1][0] + n[1][1]);
	*y = roc ? n[1][1] / (n[1][0] + n[1][1]) : precision;
}

static int draw_curve(const json_t *report,
                      const struct bt_evaluation_picture *p, bool roc,
                      const char *title, const char *note, struct bt_buf *out,
                      struct bt_error *err)
{
	const json_t *points =
	    json_object_get(report, roc ? "roc" : "precision_recall");
	double *x = column(points, 0), *y = column(points, 1), at, rate;
	struct bt_series s[2] = {
	    {NULL, BT_SERIES_LINE, 0, false, json_array_size(points), x, y},
	    {"the predictions", BT_SERIES_POINTS, 1, false, 1, &at, &rate}};
	struct bt_chart c = {
	    .title = title,
	    .note = note,
	    .x = {.label = roc ? "false positive rate" : "recall", .hi = 1},
	    .y = {.hi = 1},
	    .series = s,
	    .n = 2,
	    .diagonal = roc,
	    .mark = NAN};
	int e = x != NULL && y != NULL ? BT_OK : bt_error_nomem(err, "drawing");

	chosen(report, roc, &at, &rate);
	if (e == BT_OK)
		draw_chart(&c, p, out);
	free(x);
	free(y);
	return e;
}

static int draw(const json_t *report, const struct bt_evaluation_picture *p,
                const struct kind *k, const char *title, const char *note,
                struct bt_buf *out, struct bt_error *err)
{
	bool roc = strcmp(k->name, "roc") == 0;

	if (strcmp(k->name, "confusion") == 0)
		return draw_confusion(report, p, title, note, out, err);
	if (strcmp(k->name, "classes") == 0)
		return draw_classes(report, p, title, note, out, err);
	if (strcmp(k->name, "reliability") == 0)
		return draw_reliability(report, p, title, note, out, err);
	return draw_curve(report, p, roc, title, note, out, err);
}

int bt_evaluation_draw(const json_t *report,
                       const struct bt_evaluation_picture *p,
                       struct bt_buf *out, struct bt_error *err)
{
	const struct kind *k = find_kind(p->kind);
	struct bt_buf note = BT_BUF_INIT;
	const json_t *list;
	int e;

	if (k == NULL || !bt_evaluation_has(report, p->kind))
		return bt_error_set(
		    err, BT_EFORMAT,
		    "the report has no '%s', which a picture "
		    "of kind %s shows%s",
		    k != NULL ? k->member : "", p->kind,
		    k != NULL && k->of_two ? ": it is of two classes" : "");
	list = json_object_get(report, k->member);
	if (json_array_size(list) > MEMBERS_MAX)
		return bt_error_set(
		    err, BT_ELIMIT, "'%s' has %zu members, more than %zu",
		    k->member, json_array_size(list), MEMBERS_MAX);
	e = draw(report, p, k, p->title != NULL ? p->title : k->title,
	         note_of(report, k, &note), out, err);
	bt_buf_clear(&note);
	return e;
}

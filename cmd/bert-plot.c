/* SPDX-License-Identifier: MIT */
/* Draws what the other tools measured. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/tool.h"
#include "format/escape.h"
#include "format/json.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "plot/evaluation.h"
#include "plot/history.h"
#include "plot/history_runs.h"
#include "plot/lengths.h"
#include "plot/map.h"
#include "plot/raster.h"
#include "tensorstream/embeddings.h"
#include "tensorstream/principal.h"

/* Letters of a terminal, where nothing else is said; pixels. */
enum { COLUMNS = 80, ROWS = 20, WIDTH = 800 };

struct values {
	struct bt_common common;
	const char *kind, *title, *x, *labels, *column;
	struct bt_opt_list metric;
	bool terminal, normalize;
	int64_t width, height, limit; /* 0: not given */
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_STR('o', "output", "FILE",
           "write to FILE.svg, .png or .pdf [standard output, as SVG]", values,
           common.output),
    BT_FLAG(0, "terminal", "draw with letters, for a terminal", values,
            terminal),
    BT_GROUP("What is drawn"),
    BT_STR(0, "kind", BT_EVALUATION_KINDS,
           "part of an evaluation [confusion, or classes]", values, kind),
    BT_LIST(0, "metric", "NAME",
            "of training; repeat for more charts [loss, and accuracy]", values,
            metric),
    BT_STR(0, "x", "epoch|step|seconds", "what curves are over [epoch]", values,
           x),
    BT_FLAG(0, "normalize", "confusion: percent of a row, not counts", values,
            normalize),
    BT_INT(0, "max-length", "N",
           "lengths: a line at N tokens, and the share of longer texts", values,
           limit, 1, 1e9),
    BT_STR(0, "labels", "FILE", "embeddings: CSV with the rows' labels", values,
           labels),
    BT_STR(0, "label-column", "NAME",
           "its column with the labels [label, or cluster]", values, column),
    BT_GROUP("Looks"),
    BT_STR(0, "title", "TEXT", "the title [what is drawn]", values, title),
    BT_INT(0, "width", "N", "pixels [800], or columns of a terminal [80]",
           values, width, 40, 20000),
    BT_INT(0, "height", "N",
           "pixels [by the width], or lines of a terminal [20]", values, height,
           8, 20000),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-plot",
    "[OPTION ...] FILE ...",
    "Draws curves of training, evaluations, lengths of records, embeddings.",
    "bert-plot -o curves.svg model-a model-b",
    options,
};

static double width(const struct values *v)
{
	return v->width > 0 ? (double)v->width : v->terminal ? COLUMNS : WIDTH;
}

static double height(const struct values *v)
{
	return v->height > 0 ? (double)v->height : v->terminal ? ROWS : 0;
}

static int draw_histories(const struct values *v, char **files, int n,
                          struct bt_buf *out, struct bt_error *err)
{
	struct bt_history_opts o = {.x = v->x,
	                            .metric = v->metric.item,
	                            .n_metrics = (size_t)v->metric.n,
	                            .title = v->title,
	                            .width = width(v),
	                            .height = height(v),
	                            .text = v->terminal};
	struct bt_history_runs runs = {0};
	struct bt_history *h;
	size_t i;
	int e = BT_OK, k;

	for (k = 0; k < n && e == BT_OK; k++)
		e = bt_history_runs_add(&runs, files[k], err);
	h = bt_array0(runs.n + 1, sizeof(*h));
	if (e == BT_OK && h == NULL)
		e = bt_error_nomem(err, "reading histories");
	for (i = 0; i < runs.n && e == BT_OK; i++)
		e = bt_history_read(runs.path[i], &h[i], err);
	if (e == BT_OK)
		e = bt_history_draw(h, runs.n, &o, out, err);
	for (i = 0; h != NULL && i < runs.n; i++)
		bt_history_clear(&h[i]);
	free(h);
	bt_history_runs_clear(&runs);
	return e;
}

static int draw_evaluation(const struct values *v, const char *file,
                           struct bt_buf *out, struct bt_error *err)
{
	struct bt_evaluation_picture p = {.kind = v->kind,
	                                  .title = v->title,
	                                  .width = width(v),
	                                  .height = height(v),
	                                  .shares = v->normalize,
	                                  .text = v->terminal};
	json_t *report;
	int e = bt_json_load(file, &report, err);

	if (e != BT_OK)
		return e;
	if (p.kind == NULL)
		p.kind = bt_evaluation_has(report, "confusion") ? "confusion"
		                                                : "classes";
	if (p.shares && strcmp(p.kind, "confusion") != 0)
		e = bt_error_set(err, BT_EARG,
		                 "--normalize is for a confusion matrix");
	else
		e = bt_evaluation_draw(report, &p, out, err);
	if (e != BT_OK)
		bt_error_prefix(err, "'%s'", file);
	json_decref(report);
	return e;
}

static int draw_lengths(const struct values *v, char **files, int n,
                        struct bt_buf *out, struct bt_error *err)
{
	struct bt_lengths_opts o = {.title = v->title,
	                            .limit = v->limit,
	                            .width = width(v),
	                            .height = height(v),
	                            .text = v->terminal};

	return bt_lengths_draw(files, n, &o, out, err);
}

static int draw_map(const struct values *v, char **files, int n,
                    struct bt_buf *out, struct bt_error *err)
{
	struct bt_map m = {.title = v->title,
	                   .width = width(v),
	                   .height = height(v),
	                   .text = v->terminal};
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct bt_vectors rows = {.as_they_are = true};
	struct bt_row_labels labels = {0};
	struct bt_principal p = {0};
	int e = BT_OK, i;

	for (i = 0; i < n && e == BT_OK; i++)
		e = bt_embeddings_read(files[i], &rows, err);
	if (e != BT_OK)
		err->hint = BT_HINT_NONE; /* it is of tensor-cat's --select */
	if (e == BT_OK && rows.mixed)
		bt_vectors_warn_mixed(&log);
	if (e == BT_OK && v->labels != NULL)
		e = bt_row_labels_read(v->labels, v->column, &rows, &labels,
		                       err);
	if (e == BT_OK) {
		e = bt_principal_find(&rows, (int)v->common.threads, &p, err);
		if (e == BT_EFORMAT)
			bt_error_prefix(err, "'%s'", files[0]);
	}
	if (e == BT_OK) {
		m.n = rows.n;
		m.x = p.x;
		m.y = p.y;
		m.share[0] = p.share[0];
		m.share[1] = p.share[1];
		m.label = labels.of;
		m.names = labels.names;
		e = bt_map_draw(&m, out, err);
	}
	bt_vectors_clear(&rows);
	bt_row_labels_clear(&labels);
	bt_principal_clear(&p);
	return e;
}

/* What a file has, by its beginning. */
enum content { HISTORY, EVALUATION, RECORDS, EMBEDDINGS };

static bool is_step(const uint8_t *p, size_t n)
{
	static const char key[] = "\"step\"";
	size_t i = 1;

	while (i < n && (p[i] == ' ' || p[i] == '\t'))
		i++;
	return n - i >= sizeof(key) - 1 &&
	       memcmp(p + i, key, sizeof(key) - 1) == 0;
}

/* A history has lines that begin with a step (train/history.c); any other
 * object is a report. */
static int look(const char *file, enum content *is, struct bt_error *err)
{
	struct bt_in *in = NULL;
	const uint8_t *p;
	bool embeddings = false;
	size_t n;
	int e;

	*is = HISTORY;
	if (bt_path_is_dir(file))
		return BT_OK;
	e = bt_path_refuse_pipe(file, err);
	if (e == BT_OK)
		e = bt_in_open(file, &in, err);
	if (e == BT_OK)
		e = bt_embeddings_begin(in, &embeddings, err);
	if (e == BT_OK)
		e = bt_in_peek(in, 12, &p, &n, err);
	if (e == BT_OK && embeddings)
		*is = EMBEDDINGS;
	else if (e == BT_OK && n >= 12 && bt_tfrecord_begins(p, n))
		*is = RECORDS;
	else if (e == BT_OK && n > 0 && p[0] == '{' && !is_step(p, n))
		*is = EVALUATION;
	else if (e == BT_OK && n == 0)
		e = bt_error_set(err, BT_EFORMAT, "%s is empty",
		                 bt_in_name(in));
	else if (e == BT_OK && p[0] != '{')
		e = bt_error_set(err, BT_EFORMAT,
		                 "%s is neither the history of a training, "
		                 "nor an evaluation (bert-eval --json), nor "
		                 "token records, nor embeddings (a tensor "
		                 "stream or .npy)",
		                 bt_in_name(in));
	bt_in_close(in);
	return e;
}

/* The error if options do not go with what the files have; or NULL. */
static const char *misfit(const struct values *v, enum content is, int n)
{
	if (is != EVALUATION && (v->kind != NULL || v->normalize))
		return "--kind and --normalize are for evaluations "
		       "(bert-eval --json)";
	if (is != HISTORY && (v->metric.n > 0 || strcmp(v->x, "epoch") != 0))
		return "--metric and --x are for histories of training";
	if (is != RECORDS && v->limit > 0)
		return "--max-length is for lengths of records";
	if (is != EMBEDDINGS && (v->labels != NULL || v->column != NULL))
		return "--labels and --label-column are for embeddings";
	if (v->column != NULL && v->labels == NULL)
		return "--label-column needs --labels";
	if (is == EVALUATION && n > 1)
		return "give one evaluation at a time";
	return NULL;
}

static int draw(const struct values *v, char **files, int n, struct bt_buf *out,
                struct bt_error *err)
{
	enum content is, other;
	const char *why;
	int e = look(files[0], &is, err), i;

	for (i = 1; i < n && e == BT_OK; i++) {
		e = look(files[i], &other, err);
		if (e == BT_OK && other != is)
			e = bt_error_set(err, BT_EARG,
			                 "'%s' and '%s' are not of one kind",
			                 files[0], files[i]);
	}
	if (e != BT_OK)
		return e;
	why = misfit(v, is, n);
	if (why != NULL)
		return bt_error_set(err, BT_EARG, "%s", why);
	return is == HISTORY      ? draw_histories(v, files, n, out, err)
	       : is == EVALUATION ? draw_evaluation(v, files[0], out, err)
	       : is == EMBEDDINGS ? draw_map(v, files, n, out, err)
	                          : draw_lengths(v, files, n, out, err);
}

static bool ends(const char *path, const char *ending)
{
	size_t n = strlen(path), k = strlen(ending);

	return n >= k && strcasecmp(path + n - k, ending) == 0;
}

/* The format of the output: by its name. */
static const char *format(const struct values *v)
{
	const char *path = v->common.output;

	return path != NULL && ends(path, ".png")   ? "png"
	       : path != NULL && ends(path, ".pdf") ? "pdf"
	                                            : NULL;
}

/* Whether a name promises a format that is not written. */
static bool is_foreign(const char *path)
{
	static const char *const endings[] = {
	    ".gif",  ".jpg", ".jpeg", ".webp", ".tif",
	    ".tiff", ".eps", ".ps",   ".svgz", ".html"};
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends(path, endings[i]))
			return true;
	return false;
}

static int write_picture(const struct values *v, const struct bt_buf *picture,
                         struct bt_error *err)
{
	struct bt_buf raster = BT_BUF_INIT;
	const char *to = format(v);
	int e = BT_OK;

	if (picture->oom)
		return bt_error_nomem(err, "drawing");
	if (to != NULL)
		e = bt_raster(picture, to, &raster, err);
	if (e == BT_OK && to != NULL && raster.oom)
		e = bt_error_nomem(err, "drawing");
	if (e == BT_OK)
		e = to != NULL ? bt_out_whole(v->common.output, raster.data,
		                              raster.len, err)
		               : bt_out_whole(v->common.output, picture->data,
		                              picture->len, err);
	bt_buf_clear(&raster);
	return e;
}

static int run(const struct values *v, char **files, int n)
{
	struct bt_buf picture = BT_BUF_INIT;
	struct bt_error err = {0};
	int e;

	if (n == 0)
		return bt_tool_misuse(&tool, "what to draw? give FILE ...");
	if (v->terminal && format(v) != NULL)
		return bt_tool_misuse(
		    &tool, "give either --terminal or -o FILE.%s", format(v));
	if (!v->terminal && v->common.output != NULL &&
	    is_foreign(v->common.output))
		return bt_tool_misuse(
		    &tool,
		    "cannot write '%s': give a name that ends "
		    "in .svg, .png or .pdf",
		    v->common.output);
	if (bt_out_spare(v->common.output, files, n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	e = draw(v, files, n, &picture, &err);
	if (e == BT_OK)
		e = write_picture(v, &picture, &err);
	bt_buf_clear(&picture);
	return e == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&tool, &err);
}

int main(int argc, char **argv)
{
	struct values v = {.common = BT_COMMON_INIT, .x = "epoch"};
	struct bt_buf title = BT_BUF_INIT;
	int operand, status;

	if (!bt_tool_options(&tool, argc, argv, &v, &operand, &status))
		return status;
	if (v.title != NULL) {
		bt_escape_line(&title, bt_span(v.title), 0);
		v.title = bt_buf_str(&title);
	}
	status = run(&v, argv + operand, argc - operand);
	bt_buf_clear(&title);
	return bt_tool_end(&tool, status);
}

/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "bert-predict-options.h"

#include "base/num.h"
#include "base/str.h"
#include "base/tool.h"
#include "cpu/engine.h"
#include "evaluate/blend.h"
#include "evaluate/prediction_output.h"
#include "finetune/contributions.h"
#include "finetune/fold_dirs.h"
#include "format/csv.h"
#include "format/hub_cache.h"
#include "io/duplicate_paths.h"
#include "io/out.h"
#include "io/path.h"
#include "io/summary_file.h"
#include "pjrt/pjrt.h"
#include "record/entities.h"
#include "task/task.h"

static const struct bt_tool tool = {
    "bert-predict",
    "-m DIR | --predictions FILE [OPTION ...] [RECORDS ...]",
    "Predicts labels for token records, or writes embeddings of their texts.",
    "bert-predict -m intent --sample SampleSubmission.csv test.rec",
    options,
};

/* The options that only apply to labels of texts. */
static bool label_options(const struct args *a)
{
	return a->p.header != NULL || a->p.sample != NULL || a->top > 0 ||
	       a->p.map != NULL || a->p.sample_id != NULL ||
	       a->p.sample_order || a->delimiter != NULL ||
	       a->p.threshold != NULL || a->p.separator != NULL ||
	       a->p.min_proba > 0 || a->sets || a->with != NULL ||
	       a->p.rejected != NULL || a->p.sample_missing != NULL ||
	       a->extra != NULL;
}

/* The options that only apply to questions. */
static bool question_options(const struct args *a)
{
	return a->nbest != NULL || a->null_odds != NULL ||
	       !isnan(a->null_threshold) || a->max_answer > 0 || a->best > 0 ||
	       a->dialect != NULL || strcmp(a->format, "json") == 0;
}

/* The error if options do not go with a model that answers questions; or NULL.
 */
static const char *misfit_answers(const struct args *a)
{
	struct args rest = *a;

	if (!a->standard_format && !a->json_name &&
	    strcmp(a->format, "csv") == 0)
		rest.p.header = rest.delimiter = NULL;
	return label_options(&rest) || a->p.proba
	           ? "of answers to questions, --header and --delimiter are "
	             "for csv; other options for labels do not apply"
	           : NULL;
}

/* The same of one that chooses an answer. */
static const char *misfit_choices(const struct args *a, bool entails)
{
	bool each = entails && a->p.threshold != NULL;
	struct args rest = *a;

	if (a->p.separator != NULL && a->top == 0 && !each)
		return "of a model that chooses an answer, --label-separator "
		       "needs --top or, of a model of entailment, --threshold";
	rest.p.header = rest.p.separator = rest.delimiter = rest.with = NULL;
	if (each)
		rest.p.threshold = NULL;
	else
		rest.top = 0;
	if (!label_options(&rest))
		return NULL;
	return each
	           ? "where each label counts by itself, of the other options "
	             "for labels --proba, --label-separator, --header, "
	             "--delimiter and --with apply"
	           : "the model chooses an answer: of the options for labels, "
	             "--top, --proba, --label-separator, --header, --delimiter "
	             "and --with apply";
}

/* The error if options do not go with the model's task; or NULL. */
static const char *misfit(const struct args *a, const struct bt_model *m)
{
	const struct bt_task *task = m->task;
	const char *why;

	if (a->windows != NULL && a->embed == NULL && !bt_task_of_texts(task))
		return "--windows joins what is predicted of whole texts: "
		       "labels or numbers";
	if (task == &bt_task_qa && a->embed == NULL && a->scheme == NULL)
		return misfit_answers(a);
	if (a->scheme != NULL && (a->embed != NULL || task != &bt_task_tagging))
		return "the model does not tag words, which --scheme is for";
	if (strcmp(a->format, "json") == 0)
		return "--format json is for answers to questions; jsonl "
		       "writes an object a line for each prediction";
	if (question_options(a))
		return "the model does not answer questions, which "
		       "--nbest, --null-odds, --null-threshold, "
		       "--max-answer, --n-best and --dialect are for";
	if (a->embed != NULL)
		return NULL;
	if (task == &bt_task_multiple_choice &&
	    (why = misfit_choices(a, m->entails)) != NULL)
		return why;
	if (task->per_token && !task->masks && label_options(a))
		return "the model tags words, for which of the options for "
		       "labels only --proba is available";
	if (!task->per_token && strcmp(a->format, "conll") == 0)
		return "the model does not tag words, which conll is for";
	return NULL;
}

struct run {
	const struct args *a;
	struct bt_dist *dist;
	bool first; /* of the ranks: it writes */
	struct bt_log log;
	struct bt_predict_stream s;
	struct bt_prediction_output out;
	struct bt_out *summary; /* or NULL */
	struct bt_progress progress;
	struct bt_profile profile;
};

static int after_block(void *ctx, struct bt_error *err)
{
	struct run *r = ctx;

	if (!r->first)
		return BT_OK;
	bt_progress_show(&r->progress, "%llu %s", (unsigned long long)r->out.n,
	                 r->a->embed != NULL ? "embeddings" : "predictions");
	return bt_prediction_output_flush(&r->out, err);
}

static int add(void *ctx, uint64_t i, const struct bt_dataset *d, size_t k,
               const float *logits, struct bt_error *err)
{
	struct run *r = ctx;

	return r->first
	           ? bt_prediction_output_add(&r->out, i, d, k, logits, err)
	           : BT_OK;
}

static int open_output(struct run *r, struct bt_error *err)
{
	const struct args *a = r->a;
	const struct bt_task *task = r->s.model.task;
	const char *why = a->explains ? NULL : misfit(a, &r->s.model);
	struct bt_prediction_output_opts o = {
	    .output = a->common.output,
	    .format = a->standard_format ? NULL : a->format,
	    .embed = a->embed != NULL,
	    .normalize = a->normalize,
	    .truncate_dim = (size_t)a->truncate_dim,
	    .with = a->with,
	    .scheme = a->scheme,
	    .explains = a->explains,
	    .explain = a->explain,
	    .labels = a->p,
	    .sets = a->sets,
	    .answers = {.header = a->p.header,
	                .delimiter = a->p.delimiter,
	                .nbest = a->nbest,
	                .null_odds = a->null_odds,
	                .null_threshold = a->null_threshold,
	                .max_answer = a->max_answer,
	                .best = a->best},
	    .google = bt_str_is(a->dialect, "google"),
	    .log = &r->log};

	if (why != NULL)
		return bt_error_set(err, BT_EARG, "%s", why);
	if (a->json_name && task == &bt_task_qa && a->embed == NULL)
		o.format = "json";
	else if (a->json_name)
		bt_log(&r->log, BT_LOG_NOTE,
		       "'%s' will hold JSON Lines: an object a line",
		       a->common.output);
	o.explain.steps = (int)a->steps;
	o.explain.threshold = a->p.threshold;
	o.explain.baseline =
	    bt_str_is(a->baseline, "pad") ? BT_EXPLAIN_PAD : BT_EXPLAIN_MASK;
	o.labels.top = (int)a->top;
	o.labels.sample_ignore_extra = bt_str_is(a->extra, "ignore");
	return bt_prediction_output_open(&r->out, &o, &r->s, err);
}

static int open_all(struct run *r, char **paths, int n, struct bt_error *err)
{
	const struct bt_opt_list *models = &r->a->model;
	struct bt_predict_stream_opts o = {
	    .model = r->a->model.item[0],
	    .more = r->a->model.item + 1,
	    .n_more = (size_t)r->a->model.n - 1,
	    .embed = r->a->embed,
	    .fills = r->a->fill,
	    .explains = r->a->explains,
	    .dtype = bt_precision_named(r->a->dtype),
	    .gemm = r->a->gemm,
	    .device = r->a->device,
	    .replicas = (int)r->a->replicas,
	    .log = &r->log,
	    .progress = &r->progress,
	    .profile = r->a->profile ? &r->profile : NULL,
	    .threads = (int)r->a->common.threads,
	    .expect = (uint64_t)r->a->expect,
	    .labels = BT_LABELS_OPTIONAL,
	    .entails = true,
	    .singly = r->a->p.threshold != NULL,
	    .records = paths,
	    .n_records = n,
	    .windows = r->a->explains ? BT_WINDOWS_EACH
	                              : bt_windows_named(r->a->windows),
	    .look = r->a->embed == NULL && r->first ? bt_prediction_output_look
	                                            : NULL,
	    .look_ctx = &r->out,
	    .dist = r->dist};
	int e = r->first ? bt_summary_file_open(&r->a->common, paths, n,
	                                        &r->summary, err)
	                 : BT_OK;

	if (e == BT_OK)
		e = bt_duplicate_paths((char *const *)models->item, models->n,
		                       &r->log, err);
	if (e == BT_OK)
		e = bt_predict_stream_open(&o, &r->s, err);
	if (e == BT_OK && r->first)
		e = open_output(r, err);
	r->s.o.live = e == BT_OK && r->dist == NULL &&
	              bt_prediction_output_is_live(&r->out);
	return bt_dist_agree(r->dist, e, err);
}

static int run(const struct args *a, char **paths, int n)
{
	struct run r = {.a = a, .log = bt_tool_log(&tool, &a->common)};
	struct bt_error err = {0};
	int e;

	if (bt_dist_open(&r.dist, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	r.first = bt_dist_is_first(r.dist);
	if (!r.first)
		r.log = (struct bt_log){0};
	bt_progress_init(&r.progress, stderr, a->common.quiet || !r.first);
	e = open_all(&r, paths, n, &err);
	if (e == BT_OK)
		e = bt_predict_stream_run(&r.s, paths, n, add, after_block, &r,
		                          &err);
	if (r.first)
		e = bt_prediction_output_close(&r.out, e, &err);
	bt_progress_clear(&r.progress);
	if (e == BT_OK &&
	    r.first) { /* the profile comes before the last line */
		bt_prediction_output_tell(&r.out, &r.log);
		e = bt_predict_stream_summary(
		    &r.s, a->embed != NULL ? "embedding" : "prediction", &r.log,
		    &err);
	}
	e = bt_dist_agree(r.dist, e, &err);
	bt_prediction_output_clear(&r.out);
	bt_predict_stream_close(&r.s);
	bt_profile_clear(&r.profile);
	return bt_summary_file_end(
	    &tool, r.summary,
	    bt_dist_end(r.dist, &tool,
	                e == BT_OK ? BT_EXIT_DONE : BT_EXIT_FAILED, &err));
}

static bool fill_misfits(const struct args *a)
{
	struct args rest = *a;

	rest.top = 0;
	return label_options(&rest) || a->p.proba || a->scheme != NULL;
}

/* The error if options do not go with --explain, or need it; or NULL. */
static const char *explain_misfits(const struct args *a)
{
	struct args rest = *a;

	rest.p.threshold = NULL;
	if (!a->explains)
		return a->explain.label != NULL || a->steps > 0 ||
		               a->baseline != NULL || a->explain.special
		           ? "--explain-class, --explain-steps, "
		             "--explain-baseline and --explain-special need "
		             "--explain"
		           : NULL;
	if (a->model.n > 1)
		return "--explain takes one model";
	if (a->embed != NULL || a->fill)
		return "give one of --explain, --embed and --fill-mask";
	if (label_options(&rest) || question_options(a) || a->p.proba ||
	    a->scheme != NULL || a->normalize)
		return "of the options for labels and questions only "
		       "--threshold applies to --explain";
	if (a->windows != NULL)
		return "--explain explains each window by itself, so --windows "
		       "does not apply";
	if (a->p.threshold != NULL && a->explain.label != NULL)
		return "--explain-class does not ask what is predicted, so "
		       "--threshold does not apply";
	return NULL;
}

/* The error if options do not go with --predictions, or need it; or NULL. */
static const char *blend_misfits(const struct args *a)
{
	if (a->files.n == 0)
		return a->ranks          ? "--ranks needs --predictions"
		       : a->task != NULL ? "--task needs --predictions"
		                         : "--weights needs --predictions";
	if (a->model.n > 0 || a->adapter.n > 0)
		return "give either -m DIR or --predictions";
	if (a->embed != NULL || a->explains || a->fill || a->with != NULL ||
	    a->windows != NULL || a->sets || a->scheme != NULL ||
	    a->device != NULL || a->replicas > 0 ||
	    strcmp(a->dtype, "auto") != 0 || a->gemm != NULL || a->profile ||
	    a->expect > 0 || a->normalize || a->truncate_dim > 0 ||
	    question_options(a) || explain_misfits(a) != NULL ||
	    bt_str_in_list("conll|npy|tensor", a->format))
		return "--predictions takes the options for labels, "
		       "submissions and CSV, but --with and --sets, and the "
		       "formats csv, jsonl, tfrecord and tsv";
	return NULL;
}

/* The error if options contradict each other; or NULL. */
static const char *contradiction(const struct args *a)
{
	bool labels = label_options(a);
	bool fills = a->p.sample_missing != NULL || a->extra != NULL;

	if (a->files.n > 0 || a->ranks || a->weights != NULL || a->task != NULL)
		return blend_misfits(a);
	if (a->model.n == 0)
		return "give -m DIR";
	if (a->explains || explain_misfits(a) != NULL)
		return explain_misfits(a);
	if (a->model.n > 1 && a->embed != NULL)
		return "--embed takes one model";
	if (labels && strcmp(a->format, "npy") == 0)
		return "options for labels and CSV, except --proba, do not "
		       "apply to NumPy files";
	labels |= a->p.proba;
	if (labels && strcmp(a->format, "tensor") == 0)
		return "options for labels and CSV do not apply to tensors";
	if (labels && a->embed != NULL)
		return "options for labels and CSV, such as --proba and "
		       "--with, do not apply to --embed";
	if (a->embed != NULL && bt_str_in_list("conll|tfrecord|tsv", a->format))
		return "--embed supports the formats csv, jsonl, npy and "
		       "tensor";
	if (a->with != NULL && bt_str_in_list("tfrecord|tsv", a->format))
		return "--with supports the formats csv and jsonl";
	if (a->p.rejected != NULL && a->p.min_proba == 0)
		return "--rejected needs --min-proba";
	if (a->sets && a->model.n > 1)
		return "--sets takes one model, which has them";
	if ((a->sets || a->p.min_proba > 0) && strcmp(a->format, "tsv") == 0)
		return "--sets and --min-proba do not apply to tsv";
	if (fills && a->p.sample == NULL)
		return "--sample-missing and --sample-extra need --sample";
	if (fills && a->p.sample_order)
		return "--sample-missing and --sample-extra match by ids, "
		       "--sample-order by order";
	if (a->fill && a->embed != NULL)
		return "give either --embed or --fill-mask";
	if (a->fill && a->model.n > 1)
		return "--fill-mask takes one model";
	if (a->fill && fill_misfits(a))
		return "of the options for labels only --top applies to "
		       "--fill-mask";
	if ((a->normalize || a->truncate_dim > 0) && a->embed == NULL)
		return "--normalize and --truncate-dim need --embed";
	return NULL;
}

/* How names of files in a format end; without one, those of formats that are
 * not written here. */
static const struct {
	const char *format, *endings;
} names[] = {
    {"conll", "conll|bio|iob"},
    {"csv", "csv"},
    {"jsonl", "jsonl|json|ndjson"},
    {"npy", "npy"},
    {"tensor", "ts"},
    {"tfrecord", "rec|tfrecord|tfrecords"},
    {"tsv", "tsv"},
    {NULL, "arrow|bz2|feather|gz|h5|hdf5|npz|parquet|pickle|pkl|pt|safetensors|"
           "xls|xlsx|xz|zip|zst"},
};

/* Sets the format unless it is given: what the output's name stands for, if it
 * does, else CSV, as a sample has. False, and a message, where the name stands
 * for another than is written. */
static bool find_format(struct args *a)
{
	const char *path = a->common.output != NULL ? a->common.output : "";
	const char *end = bt_path_ending(path), *by_name = "";
	bool csv, tsv, tabs = a->p.delimiter == '\t' || a->p.sample != NULL;
	bool rows = a->embed == NULL && !a->explains; /* of labels */
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (*end != '\0' && bt_str_in_list(names[i].endings, end))
			by_name = names[i].format;
	if (by_name == NULL) {
		bt_tool_misuse(
		    &tool,
		    "cannot write '%s': give a name that ends in "
		    ".conll, .csv, .jsonl or .json, .npy, .rec (tfrecord), "
		    ".ts (tensor) or .tsv; to compress, write to a pipe",
		    path);
		return false;
	}
	tsv = strcmp(by_name, "tsv") == 0 && rows;
	a->standard_format |= a->format == NULL && *by_name == '\0';
	a->json_name = strcmp(end, "json") == 0 &&
	               (a->format == NULL || strcmp(a->format, "json") == 0);
	if (a->format == NULL)
		a->format = *by_name != '\0' && !tsv && a->p.sample == NULL
		                ? by_name
		            : a->explains ? "tsv"
		                          : "csv";
	csv = strcmp(a->format, "csv") == 0;
	if (*by_name == '\0' || a->json_name ||
	    strcmp(by_name, a->format) == 0 || (tsv && csv && tabs))
		return true;
	if (tsv && csv && a->fill)
		bt_tool_misuse(&tool,
		               "'%s' would hold CSV, with commas: give another "
		               "name",
		               path);
	else if (tsv && csv)
		bt_tool_misuse(&tool,
		               "'%s' would hold CSV with commas: give "
		               "--delimiter tab for ids and labels, or "
		               "--format tsv for probabilities alone",
		               path);
	else
		bt_tool_misuse(&tool,
		               "'%s' would hold %s, not %s: give %s%s%sanother "
		               "name",
		               path, a->format, by_name,
		               a->p.sample == NULL ? "--format " : "",
		               a->p.sample == NULL ? by_name : "",
		               a->p.sample == NULL ? " or " : "");
	return false;
}

/* Writes the mean of files of predictions. */
static int blend(const struct args *a, char **records, int n)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	struct bt_blend_opts o = {
	    .files = a->files.item,
	    .n_files = (size_t)a->files.n,
	    .ranks = a->ranks,
	    .task = a->task != NULL ? bt_task_find(a->task, NULL) : NULL,
	    .output = a->common.output,
	    .labels = a->p,
	    .log = &log};
	double weights[BT_OPT_LIST_MAX];
	struct bt_out *summary = NULL;
	struct bt_error err = {0};
	int status, r;

	if (n > 0)
		return bt_tool_misuse(
		    &tool, "--predictions takes no records: '%s'", records[0]);
	if (a->weights != NULL &&
	    bt_parse_weights(a->weights, o.n_files, "file", weights, &err) !=
	        BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	o.weights = a->weights != NULL ? weights : NULL;
	if (bt_out_spare(a->common.output, (char *const *)a->files.item,
	                 a->files.n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	if (!bt_tool_works(&tool, &status))
		return status;
	o.labels.top = (int)a->top;
	o.labels.sample_ignore_extra = bt_str_is(a->extra, "ignore");
	o.labels.format = strcmp(a->format, "jsonl") == 0 ? BT_PREDICT_JSONL
	                  : strcmp(a->format, "tfrecord") == 0
	                      ? BT_PREDICT_TFRECORD
	                  : strcmp(a->format, "tsv") == 0 ? BT_PREDICT_TSV
	                                                  : BT_PREDICT_CSV;
	r = bt_summary_file_open(&a->common, (char *const *)a->files.item,
	                         a->files.n, &summary, &err);
	if (r == BT_OK)
		r = bt_duplicate_paths((char *const *)a->files.item, a->files.n,
		                       &log, &err);
	if (r == BT_OK)
		r = bt_blend(&o, &err);
	return bt_summary_file_end(&tool, summary,
	                           r == BT_OK ? BT_EXIT_DONE
	                                      : bt_tool_fail(&tool, &err));
}

/* Checks the rest of the options and predicts; returns the exit status. */
static int begin(struct args *a, char **records, int n)
{
	struct bt_error err = {0};

	if (!find_format(a))
		return BT_EXIT_USAGE;
	if (contradiction(a) != NULL)
		return bt_tool_misuse(&tool, "%s", contradiction(a));
	if (bt_out_spare(a->common.output, records, n, &err) != BT_OK ||
	    bt_out_spare(a->nbest, records, n, &err) != BT_OK ||
	    bt_out_spare(a->null_odds, records, n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	return a->files.n > 0 ? blend(a, records, n) : run(a, records, n);
}

/* Where records do not come, their reader learns it. */
static void unopened(const struct args *a, int status)
{
	if (status != BT_EXIT_DONE && bt_str_is(a->format, "tfrecord"))
		bt_out_unopened(a->common.output);
}

int main(int argc, char **argv)
{
	struct args a = {
	    .common = BT_COMMON_INIT, .dtype = "auto", .null_threshold = NAN};
	struct bt_fold_dirs folds = {.n = 0};
	struct bt_error err = {0};
	int status, operand;

	bt_tool_share_work(&bt_dist_ranks);
	bt_tool_version_adds(bt_engine_products);
	if (!bt_tool_options(&tool, argc, argv, &a, &operand, &status)) {
		unopened(&a, status);
		return status;
	}
	if (bt_str_is(a.device, "list"))
		return argc > operand
		           ? bt_tool_misuse(&tool,
		                            "--device list takes no records")
		           : bt_tool_list(&tool, bt_pjrt_list, a.common.output);
	if (a.delimiter != NULL &&
	    bt_csv_delimiter(a.delimiter, &a.p.delimiter) != BT_OK)
		return bt_tool_end(
		    &tool,
		    bt_tool_misuse(&tool,
		                   "bad value '%s' for --delimiter: expected "
		                   "one character, tab, comma, semicolon or "
		                   "pipe",
		                   a.delimiter));
	if (bt_fold_dirs_expand(&a.model, &a.adapter, &folds, &err) == BT_OK)
		status = begin(&a, argv + operand, argc - operand);
	else
		status = bt_tool_fail(&tool, &err);
	unopened(&a, status);
	bt_fold_dirs_clear(&folds);
	return bt_tool_end(&tool, status);
}

/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bert-eval-options.h"

#include "base/mem.h"
#include "base/tool.h"
#include "cpu/engine.h"
#include "evaluate/agreement.h"
#include "finetune/fold_dirs.h"
#include "format/escape.h"
#include "format/hub_cache.h"
#include "format/json.h"
#include "io/duplicate_paths.h"
#include "io/out.h"
#include "io/path.h"
#include "pjrt/pjrt.h"

/* Exit status with --min, like cmp's. */
enum { YES = 0, NO = 1, TROUBLE = 2 };

static const struct bt_tool tool = {
    "bert-eval",
    "-m DIR|--predictions FILE [OPTION ...] [RECORDS ...]",
    "Evaluates a trained model, or predictions, on labelled token records.",
    "bert-eval -m intent --min accuracy=.9 test.rec",
    options,
};

struct run {
	const struct args *a;
	struct bt_dist *dist;
	struct bt_evaluation v;
	struct bt_buf tuned; /* thresholds, with tune */
	struct bt_agreement agreement;
	struct bt_buf agreed; /* the report of it */
	char **argv;          /* of the program, up to paths and n more */
	struct bt_profile profile;
};

/* The error if a report of its own does not go with the rest; or NULL. */
static const char *report_contradiction(const struct args *a)
{
	bool fits = a->calibrate != NULL || a->coverage > 0;
	bool agrees = a->agreement > 0;

	if (a->tune == NULL && !fits && !agrees)
		return NULL;
	if ((a->tune != NULL) + fits + agrees > 1 || (a->json && !agrees) ||
	    a->by.n > 0 || a->errors > 0 || a->compare != NULL || a->leak ||
	    a->issues != NULL || a->min.n > 0 || a->rank_by != NULL ||
	    a->html != NULL || a->ci || (a->threshold != NULL && fits))
		return "--tune-threshold, --calibrate, --coverage and "
		       "--min-agreement have their own reports: give one, and "
		       "leave out --json, --html, --by, --rank-by, --errors, "
		       "--compare, --leak, --label-issues, --min, --ci and "
		       "thresholds";
	return NULL;
}

/* Whether a further output has a file of its own. */
static bool is_apart(const char *path, const struct args *a)
{
	return path == NULL || (strcmp(path, "-") != 0 &&
	                        (a->common.output == NULL ||
	                         strcmp(path, a->common.output) != 0));
}

/* The error if one of these does not go with other options; or NULL. */
static const char *fit_contradiction(const struct args *a, int n)
{
	if (a->tune != NULL &&
	    (a->common.output == NULL || strcmp(a->common.output, "-") == 0))
		return "--tune-threshold needs -o FILE, where to write the "
		       "thresholds";
	if (a->model.n > 1 && a->compare != NULL)
		return "--compare takes one -m DIR";
	if (a->tune != NULL && a->threshold != NULL)
		return "give either --threshold or --tune-threshold";
	if ((a->samples > 0 || a->group_by != NULL) && !a->ci)
		return "--ci-samples and --ci-group need --ci";
	if (a->group_by != NULL && a->model.n == 0)
		return "--ci-group needs a model: give -m DIR";
	if (a->sets != NULL && a->coverage == 0)
		return "--set-method needs --coverage";
	if (a->calibrate != NULL && a->coverage > 0)
		return "calibrate first, then find sets with --coverage on "
		       "other records";
	if ((a->calibrate != NULL || a->coverage > 0) && a->model.n != 1)
		return "--calibrate and --coverage take one -m DIR, where "
		       "the result is kept";
	if (a->agreement > 0 &&
	    (strcmp(a->dtype, "int8") != 0 || a->model.n != 1))
		return "--min-agreement needs --dtype int8 and one -m DIR, "
		       "where the result is kept";
	if (a->agreement > 0 && n == 0)
		return "--min-agreement reads the records twice: give files";
	if (!is_apart(a->html, a) || (a->html != NULL && a->issues != NULL &&
	                              strcmp(a->html, a->issues) == 0))
		return "--html needs a file other than the others";
	if (!is_apart(a->issues, a))
		return "--label-issues needs a file other than the report's";
	return report_contradiction(a);
}

static bool check_more(struct args *a, int n, int *status)
{
	struct bt_error err = {0};
	int i, e = BT_OK;

	if (a->tune != NULL &&
	    bt_threshold_goal_read(a->tune, &a->goal, &err) != BT_OK) {
		*status =
		    bt_tool_misuse(&tool, "--tune-threshold: %s", err.text);
		return false;
	}
	if (fit_contradiction(a, n) != NULL) {
		*status = bt_tool_misuse(&tool, "%s", fit_contradiction(a, n));
		return false;
	}
	a->minimum = bt_array((size_t)a->min.n, sizeof(*a->minimum));
	a->answers.minimum = a->minimum;
	a->answers.n_minimum = (size_t)a->min.n;
	for (i = 0; a->minimum != NULL && e == BT_OK && i < a->min.n; i++)
		e = bt_minimum_read(a->min.item[i], &a->minimum[i], &err);
	if (e != BT_OK)
		*status = bt_tool_misuse(&tool, "--min: %s", err.text);
	return e == BT_OK;
}

static bool check(struct args *a, int n, int *status)
{
	if ((a->model.n == 0) == (a->predictions.n == 0))
		*status = bt_tool_misuse(
		    &tool, "give either -m DIR or --predictions FILE");
	else if (a->predictions.n > 0 &&
	         (a->by.n > 0 || a->rank_by != NULL || a->errors > 0 ||
	          a->compare != NULL || a->leak != NULL || a->profile ||
	          a->gemm != NULL || a->device != NULL || a->replicas > 0 ||
	          strcmp(a->dtype, "auto") != 0))
		*status = bt_tool_misuse(
		    &tool,
		    "--by, --rank-by, --errors, --compare, --leak, --dtype, "
		    "--gemm, --device and --profile need a model: give -m DIR");
	else if (a->rank_at > 0 && a->rank_by == NULL)
		*status = bt_tool_misuse(&tool, "--rank-at needs --rank-by");
	else if (a->predictions.n == 0 && a->null_odds != NULL)
		*status =
		    bt_tool_misuse(&tool, "--null-odds is for --predictions");
	else if (a->predictions.n == 0 && a->separator != NULL)
		*status = bt_tool_misuse(
		    &tool, "--label-separator is for --predictions");
	else if (a->predictions.n > 0 && a->dialect != NULL)
		*status = bt_tool_misuse(
		    &tool, "--dialect finds answers of a model: give -m DIR");
	else if (a->predictions.n == 0 && a->task != NULL)
		*status = bt_tool_misuse(
		    &tool, "--task is for --predictions: a model has its own");
	else
		return check_more(a, n, status);
	return false;
}

static void put_json(struct run *r, struct bt_buf *b)
{
	json_t *o = bt_evaluation_json(&r->v);
	char *s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));

	json_decref(o);
	if (s != NULL) {
		bt_json_join_lists(s); /* a row of the confusion matrix */
		bt_escape_document(b, s);
	}
	free(s);
}

/* All of b into a file; NULL: standard output. */
static int write_file(const char *path, const struct bt_buf *b,
                      struct bt_error *err)
{
	if (b->oom || b->len == 0)
		return bt_error_nomem(err, "printing");
	return bt_out_whole(path, b->data, b->len, err);
}

static int write_report(struct run *r, const struct bt_log *log,
                        struct bt_error *err)
{
	const char *path = r->a->common.output;
	struct bt_label_sets sets = {.coverage = r->a->coverage,
	                             .cumulative =
	                                 bt_str_is(r->a->sets, "aps")};
	struct bt_buf b = BT_BUF_INIT;
	int e = BT_OK;

	if (r->a->tune != NULL) {
		e = bt_tune_threshold(&r->v.m, r->v.labels, &r->a->goal,
		                      &r->tuned, &b, err);
		if (e == BT_OK)
			e = write_file(path, &r->tuned, err);
		path = NULL;
	} else if (r->a->calibrate != NULL) {
		e = bt_calibrate(
		    &r->v.outputs, strcmp(r->a->calibrate, "vector") == 0,
		    r->a->model.item[0], &r->v.s.model, log, &b, err);
	} else if (r->a->coverage > 0) {
		e = bt_coverage(&r->v.outputs, &sets, r->a->model.item[0],
		                &r->v.s.model, &b, err);
	} else if (r->a->agreement > 0) {
		bt_buf_put(&b, r->agreed.data, r->agreed.len);
	} else if (r->a->json) {
		put_json(r, &b);
	} else {
		bt_evaluation_print(&r->v, &b);
	}
	if (e == BT_OK)
		e = write_file(path, &b, err);
	bt_buf_clear(&b);
	return e;
}

/* Prints the requirements that are not met; returns their number. */
static int unmet(const struct run *r)
{
	bool first = bt_dist_is_first(r->dist);
	struct bt_buf why = BT_BUF_INIT;
	int bad = bt_minimum_unmet(r->a->minimum, (size_t)r->a->min.n, &r->v.m,
	                           r->v.labels, &why);
	const char *line = bt_buf_str(&why), *end;

	for (; first && line != NULL && (end = strchr(line, '\n')) != NULL;
	     line = end + 1)
		bt_tool_say(&tool, "error", "minimum", "%.*s",
		            (int)(end - line), line);
	bt_buf_clear(&why);
	if (bt_agreement_share(&r->agreement) >= r->agreement.least)
		return bad;
	if (first)
		bt_tool_say(&tool, "error", "minimum",
		            "int8 predicts the same for a share of %.6f only: "
		            "%g was asked for",
		            bt_agreement_share(&r->agreement), r->a->agreement);
	return bad + 1;
}

#define WITHOUT                                                                \
	" are evaluated without --by, --rank-by, --errors, --compare, "        \
	"--leak, --task, --label-separator, --strict, --label-issues, "        \
	"--calibrate, --coverage and thresholds of labels"

/* Options that only apply to labels of texts. */
static bool label_options(const struct args *a)
{
	return a->errors > 0 || a->by.n > 0 || a->rank_by != NULL ||
	       a->threshold != NULL || a->tune != NULL || a->issues != NULL ||
	       a->compare != NULL || a->leak != NULL || a->task != NULL ||
	       a->separator != NULL || a->scheme != NULL ||
	       a->calibrate != NULL || a->coverage > 0 || a->predictions.n > 1;
}

/* The error if options do not go with the task; or NULL. */
static const char *misfit(const struct args *a, const struct bt_task *task)
{
	if (a->windows != NULL && !bt_task_of_texts(task))
		return "--windows joins what is predicted of whole texts: "
		       "labels or numbers";
	if (a->each && !task->masks)
		return "the model does not tell masked tokens, which "
		       "--pseudo-perplexity is for";
	if (a->truncate_dim > 0 && task != &bt_task_embedding)
		return "the model does not embed texts, which --truncate-dim "
		       "is for";
	if (task == &bt_task_qa)
		return label_options(a) || a->group_by != NULL
		           ? "answers to questions are evaluated without "
		             "--by, --rank-by, --errors, --compare, --leak, --task, "
		             "--label-separator, --strict, --label-issues, --ci-group, "
		             "thresholds of labels and a second file of --predictions"
		           : NULL;
	if (a->null_odds != NULL || a->answers.language != NULL ||
	    a->dialect != NULL || !isnan(a->answers.null_threshold))
		return "--null-odds, --null-threshold, --dialect and "
		       "--language are for answers to questions";
	if (task->masks && label_options(a))
		return "masked tokens" WITHOUT;
	if (task == &bt_task_multiple_choice && label_options(a))
		return "choices" WITHOUT;
	if (task == &bt_task_embedding && label_options(a))
		return "embeddings of pairs" WITHOUT;
	if (task->per_token && (a->errors > 0 || a->by.n > 0 ||
	                        a->threshold != NULL || a->tune != NULL))
		return "the model tags words: --errors, --by and thresholds "
		       "are for labels of texts";
	return NULL;
}

static struct bt_evaluation_opts
evaluation_options(struct run *r, char **paths, int n, const struct bt_log *log)
{
	const struct args *a = r->a;
	const struct bt_opt_list *models = &a->model;

	return (struct bt_evaluation_opts){
	    .stream = {.model = models->n > 0 ? models->item[0] : NULL,
	               .more = models->n > 0 ? models->item + 1 : NULL,
	               .n_more = models->n > 0 ? (size_t)models->n - 1 : 0,
	               .dtype = bt_precision_named(a->dtype),
	               .gemm = a->gemm,
	               .device = a->device,
	               .replicas = (int)a->replicas,
	               .log = log,
	               .profile = a->profile ? &r->profile : NULL,
	               .threads = (int)a->common.threads,
	               .expect = (uint64_t)a->expect,
	               .each = a->each,
	               .seed = a->common.seed,
	               .dist = r->dist,
	               .windows = bt_windows_named(a->windows)},
	    .files = a->predictions.item,
	    .n_files = (size_t)a->predictions.n,
	    .task = a->task != NULL ? bt_task_find(a->task, NULL) : NULL,
	    .separator = a->separator,
	    .null_odds = a->null_odds,
	    .records = paths,
	    .n_records = n,
	    .answers = a->answers,
	    .report = {.errors = (size_t)a->errors,
	               .by = a->by.item,
	               .n_by = (size_t)a->by.n,
	               .rank_by = a->rank_by,
	               .rank_top = a->rank_at > 0 ? (size_t)a->rank_at : 10,
	               .compare = a->compare,
	               .leak = a->leak},
	    .truncate_dim = (size_t)a->truncate_dim,
	    .issues = a->issues != NULL,
	    .threshold = a->threshold,
	    .scheme = a->scheme,
	    .tune = a->tune != NULL ? &a->goal : NULL,
	    .fits = a->calibrate != NULL,
	    .covers = a->coverage > 0,
	    .agrees = a->agreement > 0,
	    .samples = !a->ci           ? 0
	               : a->samples > 0 ? (size_t)a->samples
	                                : 1000,
	    .group_by = a->group_by};
}

/* Whether the --threshold of scores decides nothing. */
static bool has_no_scores(const struct run *r)
{
	struct bt_metrics_summary s;

	if (r->a->threshold == NULL || !r->v.task->answer->is_number)
		return false;
	bt_metrics_summary(&r->v.m, &s);
	return (s.lacks & BT_METRICS_OF_WHOLE) != 0;
}

/* What the user should know about the numbers. */
static void tell(const struct run *r, const struct bt_log *log)
{
	const struct bt_evaluation *v = &r->v;
	bool given = v->m.output == BT_METRICS_ANSWERS;

	if (v->p.differ > 0 && r->a->threshold == NULL)
		bt_log_warn(
		    log, "predictions-differ", BT_HINT_NONE,
		    "%llu rows predict other labels than their probabilities "
		    "say: these count (give the --threshold that was used)",
		    (unsigned long long)v->p.differ);
	if (has_no_scores(r))
		bt_log_warn(
		    log, "labels-not-whole", BT_HINT_NONE,
		    "--threshold changes nothing: it is for the quadratic "
		    "weighted kappa, which needs labels that are all whole "
		    "numbers, less than %d apart",
		    BT_SCORES_MOST);
	if (v->m.classes > 0 && v->m.keep == 0 && !given)
		bt_log(log, BT_LOG_NOTE,
		       "ROC AUC and average precision are left out: the "
		       "probabilities of %llu examples take more than %zu MB "
		       "(ask for them with --min roc_auc=0)",
		       (unsigned long long)v->m.n, BT_EVALUATION_KEEP >> 20);
	if (v->unlabelled > 0)
		bt_log_warn(log, "no-label", BT_HINT_NONE,
		            "skipped %llu records without a label",
		            (unsigned long long)v->unlabelled);
}

static int evaluate(struct run *r, char **paths, int n, struct bt_error *err)
{
	const struct args *a = r->a;
	struct bt_log log = bt_tool_log(&tool, &a->common);
	bool first = bt_dist_is_first(r->dist);
	struct bt_evaluation_opts o = evaluation_options(r, paths, n, &log);
	const char *why = NULL;
	int e;

	if (!first)
		log.emit = NULL;
	e = bt_duplicate_paths((char *const *)a->model.item, a->model.n, &log,
	                       err);
	if (e == BT_OK)
		e = bt_evaluation_open(&r->v, &o, err);
	if (e == BT_OK && (why = misfit(a, r->v.task)) != NULL)
		e = bt_error_set(err, BT_EARG, "%s", why);
	e = bt_dist_agree(r->dist, e, err);
	if (e == BT_OK)
		e = bt_evaluation_run(&r->v, err);
	if (e == BT_OK && a->agreement > 0)
		e = bt_agreement_measure(&r->v, &r->agreement, a->json,
		                         &r->agreed, err);
	if (e != BT_OK || !first)
		return e;
	if (a->issues != NULL)
		e = bt_label_issues_write(&r->v.issues, a->issues, &log, err);
	if (e == BT_OK && a->html != NULL)
		e = bt_evaluation_page(&r->v, a->html,
		                       (int)(paths + n - r->argv), r->argv,
		                       tool.name, err);
	if (e == BT_OK)
		e = write_report(r, &log, err);
	if (e != BT_OK)
		return e;
	tell(r, &log);
	if (a->model.n > 0)
		return bt_predict_stream_summary(&r->v.s, "example", &log, err);
	bt_log(&log, BT_LOG_NOTE, "%llu examples",
	       (unsigned long long)r->v.m.n);
	return BT_OK;
}

static int run(const struct args *a, char **argv, char **paths, int n)
{
	struct run r = {.a = a, .argv = argv, .agreement.least = a->agreement};
	struct bt_error err = {0};
	int e, status = BT_EXIT_DONE;

	if (bt_dist_open(&r.dist, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	e = bt_dist_agree(r.dist, evaluate(&r, paths, n, &err), &err);
	if (e == BT_OK && unmet(&r) > 0)
		status = NO;
	status = bt_dist_end(r.dist, &tool, status, &err);
	if (e != BT_OK && status != BT_EXIT_DONE &&
	    (a->min.n > 0 || a->agreement > 0))
		status = TROUBLE;
	bt_evaluation_close(&r.v);
	bt_buf_clear(&r.tuned);
	bt_buf_clear(&r.agreed);
	bt_profile_clear(&r.profile);
	return status;
}

/* The options, and the metrics. */
static void help(const struct bt_tool *t, FILE *to)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_metrics_list(&b);
	bt_opt_help(t, to);
	fprintf(to, "\nMetrics for --min:\n%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}

/* Sees that no output is the file of an input. */
static int spare(const struct args *a, char *const *records, int n,
                 struct bt_error *err)
{
	const char *const out[] = {a->common.output, a->html, a->issues};
	char *const leak[] = {(char *)a->leak};
	int i, e = bt_out_distinct(out, 3, err);

	for (i = 0; i < 3 && e == BT_OK; i++) {
		e = bt_out_spare(out[i], records, n, err);
		if (e == BT_OK)
			e = bt_out_spare(out[i], leak, leak[0] != NULL, err);
		if (e == BT_OK)
			e = bt_out_spare(out[i],
			                 (char *const *)a->predictions.item,
			                 a->predictions.n, err);
	}
	return e;
}

/* Sees that the name of the output does not promise what it will not hold. */
static bool is_named_well(const struct args *a, int *status)
{
	const char *end =
	    a->common.output != NULL ? bt_path_ending(a->common.output) : "";

	if (strcmp(end, "html") == 0 || strcmp(end, "htm") == 0)
		*status =
		    bt_tool_misuse(&tool,
		                   "'%s' would hold %s: --html FILE "
		                   "writes a page",
		                   a->common.output, a->json ? "JSON" : "text");
	else if (strcmp(end, "json") == 0 && !a->json)
		*status = bt_tool_misuse(&tool,
		                         "'%s' would hold text: give --json or "
		                         "another name",
		                         a->common.output);
	else
		return true;
	return false;
}

int main(int argc, char **argv)
{
	struct args a = {.common = BT_COMMON_INIT,
	                 .dtype = "auto",
	                 .answers.null_threshold = NAN};
	struct bt_fold_dirs folds = {.n = 0};
	struct bt_error err = {0};
	int status, operand;

	bt_tool_share_work(&bt_dist_ranks);
	bt_tool_version_adds(bt_engine_products);
	if (!bt_tool_options_help(&tool, argc, argv, &a, &operand, help,
	                          &status))
		return status;
	if (bt_str_is(a.device, "list"))
		return argc > operand
		           ? bt_tool_misuse(&tool,
		                            "--device list takes no records")
		           : bt_tool_list(&tool, bt_pjrt_list, a.common.output);
	a.compare = bt_hub_cache_find(a.compare);
	if (bt_fold_dirs_expand(&a.model, &a.adapter, &folds, &err) != BT_OK)
		status = bt_tool_fail(&tool, &err);
	else if (is_named_well(&a, &status) &&
	         check(&a, argc - operand, &status)) {
		if (spare(&a, argv + operand, argc - operand, &err) == BT_OK)
			status = run(&a, argv, argv + operand, argc - operand);
		else
			status = bt_tool_misuse(&tool, "%s", err.text);
	}
	free(a.minimum);
	bt_fold_dirs_clear(&folds);
	return bt_tool_end(&tool, status);
}

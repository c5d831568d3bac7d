/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "evaluate/answer_file.h"
#include "evaluate/evaluation.h"
#include "evaluate/tune_threshold.h"
#include "finetune/agreement.h"
#include "io/duplicate_paths.h"
#include "predict/thresholds.h"

static int count(void *ctx, uint64_t i, const struct bt_dataset *d, size_t k,
                 const float *logits, struct bt_error *err)
{
	struct bt_evaluation *v = ctx;
	int e;

	if (v->task == &bt_task_qa)
		return bt_answers_add(&v->answers, d, k, logits, err);
	if (d->label[k] < 0) {
		v->unlabelled++;
		return BT_OK;
	}
	e = bt_forward_count(&v->m, d, k, logits, err);
	if (e == BT_OK &&
	    (v->o.fits || v->o.covers || v->o.agrees || v->o.samples > 0))
		e = bt_outputs_add(&v->outputs, d, k, logits, err);
	if (e == BT_OK && v->o.group_by != NULL)
		e = bt_outputs_set_group(&v->outputs, v->groups.of[k], err);
	if (e == BT_OK && v->s.gather.next_logits != NULL)
		bt_metrics_add_next(&v->m, d->label[k],
		                    v->s.gather.next_logits);
	if (e == BT_OK && v->o.issues)
		e = bt_label_issues_add(&v->issues, i, d, k, logits, err);
	return e == BT_OK ? bt_report_add(&v->report, d, k, logits, err) : e;
}

/* Sees that the metrics have what was asked for. */
static int check_metrics(struct bt_evaluation *v, struct bt_error *err)
{
	const struct bt_answers_opts *a = &v->o.answers;
	struct bt_metrics_summary s = {.kind = v->task->metrics,
	                               .classes = v->labels->n};
	unsigned needs;
	int e;

	if (v->p.output == BT_METRICS_ANSWERS)
		s.lacks = BT_METRICS_OF_PROBABILITIES | BT_METRICS_RANKS;
	else
		v->m.keep = v->o.tune != NULL ? SIZE_MAX : BT_EVALUATION_KEEP;
	e = bt_minimum_check(a->minimum, a->n_minimum, &s, &needs, err);
	if (needs & BT_METRICS_RANKS)
		v->m.keep = SIZE_MAX;
	return e;
}

/* Of the model, or of what is in the files. */
static int outputs(const struct bt_evaluation *v)
{
	if (v->o.truncate_dim > 0)
		return (int)v->o.truncate_dim;
	return v->o.stream.model != NULL ? (int)bt_model_width(&v->s.model)
	                                 : v->labels->n;
}

/* Sets up the metrics of the task. */
static int prepare(struct bt_evaluation *v, struct bt_error *err)
{
	const struct bt_task *task = v->task;
	size_t width = v->o.truncate_dim > 0 ? bt_model_width(&v->s.model) : 0;
	int e = v->o.issues ? bt_label_issues_init(&v->issues, task, v->labels,
	                                           v->p.output, err)
	                    : BT_OK;

	if (e == BT_OK && v->o.truncate_dim > width)
		e = bt_error_set(err, BT_EARG,
		                 "the model's embeddings have %zu values, "
		                 "so %zu of them cannot be kept",
		                 width, v->o.truncate_dim);
	if (e == BT_OK)
		e = bt_metrics_init(&v->m, task->metrics, outputs(v), err);
	v->m.output = v->p.output;
	v->m.pool = v->s.pool;
	if (e == BT_OK)
		e = bt_metrics_name_outputs(&v->m, v->labels, err);
	if (e == BT_OK && v->o.scheme != NULL)
		e = bt_metrics_set_scheme(&v->m, v->o.scheme, v->labels, err);
	if (e == BT_OK && v->o.report.rank_by != NULL)
		e = bt_ranking_check(&v->m, err);
	if (e == BT_OK && v->o.threshold != NULL && task->answer->is_number)
		e = bt_thresholds_of_scores(v->o.threshold, v->labels,
		                            &v->scores, err);
	else if (e == BT_OK && v->o.threshold != NULL)
		e = bt_threshold_bounds(&v->m, task->answer, v->o.threshold,
		                        v->labels, v->o.stream.log, &v->bound,
		                        err);
	if (v->scores.n > 0)
		v->m.scores = &v->scores;
	if (e == BT_OK && v->o.tune != NULL)
		e = bt_tune_threshold_check(&v->m, v->o.tune, err);
	if (e == BT_OK && v->o.fits)
		e = bt_calibrate_check(task, err);
	if (e == BT_OK && v->o.covers)
		e = bt_coverage_check(task, err);
	v->outputs.k = (size_t)outputs(v);
	v->outputs.has_targets = task->metrics->has_rows;
	return e == BT_OK ? check_metrics(v, err) : e;
}

static int open_model(struct bt_evaluation *v, struct bt_error *err)
{
	struct bt_predict_stream_opts s = v->o.stream;
	struct bt_report_opts details = v->o.report;
	int e;

	s.labels = BT_LABELS_KNOWN;
	s.judges = true;
	s.entails = true;
	s.records = v->o.records;
	s.n_records = v->o.n_records;
	s.raw = v->o.fits;
	details.issues = v->o.issues ? &v->issues : NULL;
	details.groups = v->o.group_by != NULL ? &v->groups : NULL;
	bt_report_ask(&v->report, &details, &s);
	e = bt_predict_stream_open(&s, &v->s, err);
	v->task = v->s.model.task;
	v->labels = &v->s.model.labels;
	if (e == BT_OK && v->task == &bt_task_qa) {
		v->s.o.look = bt_questions_look;
		v->s.o.look_ctx = &v->answers.questions;
	}
	return e;
}

static int open_predictions(struct bt_evaluation *v, struct bt_error *err)
{
	struct bt_predictions_opts p = {
	    .files = v->o.files,
	    .n_files = v->o.n_files,
	    .separator = v->o.separator,
	    .task = v->o.task,
	    .records = v->o.records,
	    .n_records = v->o.n_records,
	    .expect = v->o.stream.expect,
	    .windows = v->o.stream.windows,
	    .look = v->o.issues ? bt_label_issues_look : NULL,
	    .look_ctx = &v->issues};
	int e = bt_duplicate_paths((char *const *)p.files, (int)p.n_files,
	                           v->o.stream.log, err);

	if (e == BT_OK)
		e = bt_predictions_read(&p, &v->p, err);
	v->task = v->p.task;
	return e;
}

int bt_evaluation_open(struct bt_evaluation *v,
                       const struct bt_evaluation_opts *o, struct bt_error *err)
{
	int e;

	v->o = *o;
	v->groups.field = o->group_by;
	if (o->stream.model != NULL)
		return open_model(v, err);
	v->labels = &v->p.labels;
	e = bt_answer_file_is(o->files[0], &v->answer_file, err);
	if (e == BT_OK && v->answer_file)
		v->task = &bt_task_qa;
	else if (e == BT_OK)
		e = open_predictions(v, err);
	return e;
}

void bt_evaluation_close(struct bt_evaluation *v)
{
	bt_report_clear(&v->report);
	bt_label_issues_clear(&v->issues);
	bt_outputs_clear(&v->outputs);
	bt_bootstrap_clear(&v->intervals);
	bt_groups_clear(&v->groups);
	bt_answers_clear(&v->answers);
	bt_metrics_clear(&v->m);
	free(v->bound);
	bt_predict_stream_close(&v->s);
	bt_predictions_clear(&v->p);
	memset(v, 0, sizeof(*v));
}

static int prepare_answers(struct bt_evaluation *v, struct bt_error *err)
{
	struct bt_answers_opts *a = &v->o.answers;
	int e = BT_OK;

	if (v->o.google)
		e = bt_answers_tokenizer(&v->s, &a->spans.google, err);
	return e == BT_OK ? bt_answers_init(&v->answers, a, &v->m, err) : e;
}

static int run_model(struct bt_evaluation *v, struct bt_error *err)
{
	bool qa = v->task == &bt_task_qa;
	int e = qa ? prepare_answers(v, err) : prepare(v, err);

	if (e == BT_OK)
		e = bt_report_init(&v->report, &v->m, v->task->answer,
		                   v->labels, v->s.tok, err);
	if (e == BT_OK)
		e = bt_predict_stream_run(&v->s, v->o.records, v->o.n_records,
		                          count, NULL, v, err);
	v->sum = v->s.sum;
	if (e == BT_OK && qa) {
		e = bt_answers_finish(&v->answers, err);
		v->unlabelled = v->answers.unlabelled;
	}
	return e;
}

static int run_predictions(struct bt_evaluation *v, struct bt_error *err)
{
	const struct bt_predictions *p = &v->p;
	int e = prepare(v, err);
	size_t i;

	v->sum = p->data.sum;
	for (i = 0; e == BT_OK && i < p->data.n; i++)
		e = count(v, i, &p->data, i,
		          p->value + i * (size_t)v->labels->n, err);
	return e;
}

static int run_answer_file(struct bt_evaluation *v, struct bt_error *err)
{
	struct bt_answer_file_opts o = {.answers = v->o.files[0],
	                                .null_odds = v->o.null_odds,
	                                .records = v->o.records,
	                                .n_records = v->o.n_records,
	                                .expect = v->o.stream.expect,
	                                .sum = &v->sum,
	                                .log = v->o.stream.log};
	int e =
	    bt_answers_metrics(&v->o.answers, BT_METRICS_ANSWERS, &v->m, err);

	return e == BT_OK ? bt_answer_file_score(&o, &v->m, &v->unlabelled, err)
	                  : e;
}

static int draw_samples(struct bt_evaluation *v, struct bt_error *err)
{
	struct bt_bootstrap_opts b = {.samples = v->o.samples,
	                              .seed = v->o.stream.seed,
	                              .threads = v->o.stream.threads,
	                              .scheme = v->o.scheme,
	                              .labels = v->labels};

	return bt_bootstrap(&v->intervals, &b, &v->m, &v->outputs, err);
}

int bt_evaluation_run(struct bt_evaluation *v, struct bt_error *err)
{
	int e = BT_OK;

	if (v->o.samples > 0 && v->task != &bt_task_qa)
		e = bt_bootstrap_check(v->task->metrics, err);
	if (e == BT_OK && v->o.agrees && !bt_agreement_applies(v->task))
		e = bt_error_set(err, BT_EARG,
		                 "the model learnt to %s: only predicted "
		                 "labels can be compared",
		                 v->task->learns);
	if (e == BT_OK)
		e = v->o.stream.model != NULL ? run_model(v, err)
		    : v->answer_file          ? run_answer_file(v, err)
		                              : run_predictions(v, err);

	if (e == BT_OK && v->m.n == 0)
		e = bt_error_hint(err, v->task->truth_hint,
		                  bt_error_set(err, BT_EFORMAT,
		                               "no record has %s",
		                               v->task->truth));
	return e == BT_OK && v->o.samples > 0 ? draw_samples(v, err) : e;
}

void bt_evaluation_print(struct bt_evaluation *v, struct bt_buf *out)
{
	bt_metrics_report(&v->m, v->labels, 10, out);
	if (v->o.samples > 0)
		bt_bootstrap_report(&v->intervals, out);
	bt_report_print(&v->report, &v->s, &v->m, out);
}

json_t *bt_evaluation_json(struct bt_evaluation *v)
{
	json_t *o = bt_metrics_json(&v->m, v->labels);

	if (o != NULL && v->o.samples > 0)
		json_object_set_new(o, "ci", bt_bootstrap_json(&v->intervals));
	if (o == NULL || bt_report_json(&v->report, &v->s, &v->m, o) == 0)
		return o;
	json_decref(o);
	return NULL;
}

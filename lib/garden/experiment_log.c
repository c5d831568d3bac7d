/* SPDX-License-Identifier: MIT */
/* What a run says of itself, in the words and curves of Model Garden. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sys.h"
#include "format/python_repr.h"
#include "garden/experiment_int.h"

static void add_value(struct bt_experiment_log *t, const char *name,
                      double value)
{
	int i = t->n++;

	for (; i > 0 && strcmp(t->name[i - 1], name) > 0; i--) {
		t->name[i] = t->name[i - 1];
		t->value[i] = t->value[i - 1];
	}
	t->name[i] = name;
	t->value[i] = value;
}

/* A float32, in its shortest form. */
static void put_single(double v, struct bt_buf *out)
{
	char s[32];

	if (isfinite(v) && fabs(v) < 1e38) {
		bt_format_f32(s, sizeof(s), (float)v);
		v = strtod(s, NULL);
	}
	bt_py_real(v, out);
}

/* {'name': value, ...} as Python's pprint shows it, on more lines, each after
 * four blanks, where it does not fit into 80 columns. */
static void put(const struct bt_experiment_log *t, struct bt_buf *out)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t width = 2;
	bool lines;
	int i;

	for (i = 0; i < t->n; i++) {
		bt_buf_reset(&b);
		put_single(t->value[i], &b);
		width += strlen(t->name[i]) + b.len + (i > 0 ? 6 : 4);
	}
	lines = width > 80;
	bt_buf_puts(out, lines ? "\n    {" : "{");
	for (i = 0; i < t->n; i++) {
		if (i > 0)
			bt_buf_puts(out, lines ? ",\n     " : ", ");
		bt_py_str(t->name[i], out);
		bt_buf_puts(out, ": ");
		put_single(t->value[i], out);
	}
	bt_buf_putc(out, '}');
	bt_buf_clear(&b);
}

static void print(const struct bt_trial *t, struct bt_buf *line)
{
	if (t->e->progress != NULL)
		bt_progress_clear(t->e->progress);
	bt_buf_putc(line, '\n');
	t->e->print(t->e->print_ctx, bt_buf_str(line));
	bt_buf_clear(line);
}

/* Whether the area under precision over recall is reported. */
static bool has_area(const struct bt_trial *t)
{
	return t->plan.classes == 2 && t->plan.task == &bt_task_classification;
}

void bt_trial_answered(void *trial, bool training, const struct bt_dataset *d,
                       size_t i, const float *answer)
{
	struct bt_trial *t = trial;
	struct bt_eval_metrics *to = training ? &t->trained : &t->tested;

	/* in training, only classes have metrics */
	if (training && t->plan.metric == BT_EXPERIMENT_JOB_TAGS)
		return;
	if (t->plan.task == &bt_task_qa)
		bt_eval_metrics_add_span(to, d, i, answer);
	else
		bt_eval_metrics_add(to, d, i, t->plan.classes, answer);
}

/* Whether the updates that are told together end here. */
static bool chunk_ends(const struct bt_trial *t, const struct bt_train_news *n)
{
	const struct bt_experiment_job *p = &t->plan;

	return n->step % p->steps_per_loop == 0 || n->step == n->total ||
	       (p->eval_interval > 0 && n->step % p->eval_interval == 0);
}

static void begin_chunk(struct bt_trial *t, const struct bt_train_news *n)
{
	double seen = (double)n->seen;

	t->chunk.step = n->step;
	t->chunk.seen = n->seen;
	t->chunk.loss = n->loss * seen;
	t->chunk.right = n->accuracy * seen;
	t->chunk.time = bt_seconds();
	bt_eval_metrics_reset(&t->trained);
}

/* A measure of training, for the line and the curves. */
static void add(const struct bt_train_news *n, const char *name, double value,
                struct bt_experiment_log *told)
{
	add_value(told, name, value);
	bt_train_scalar(n->run, BT_TRAIN_CURVE_TRAIN, value, name);
}

/* Tells of the updates since the last time. */
static int tell_chunk(struct bt_trial *t, const struct bt_train_news *n,
                      struct bt_error *err)
{
	double all = (double)n->seen, fresh = all - (double)t->chunk.seen;
	double loss = (n->loss * all - t->chunk.loss) / fresh;
	double right = (n->accuracy * all - t->chunk.right) / fresh;
	double seconds = bt_seconds() - t->chunk.time;
	double speed =
	    (double)(n->step - t->chunk.step) / (seconds > 0 ? seconds : 1e-9);
	double rate = bt_lr_schedule_at(&t->plan.rate, n->step);
	struct bt_buf line = BT_BUF_INIT;
	struct bt_experiment_log told = {0};

	if (right < 0 || right > 1) /* by a rounding */
		right = right < 0 ? 0 : 1;
	add(n, "training_loss", loss, &told);
	if (n->task == &bt_task_classification)
		add(n, "cls_accuracy", right, &told);
	if (has_area(t))
		add(n, "auc", bt_eval_metrics_area(&t->trained), &told);
	if (n->task == &bt_task_qa) {
		add(n, "start_position_accuracy",
		    bt_eval_metrics_right(&t->trained, 0), &told);
		add(n, "end_position_accuracy",
		    bt_eval_metrics_right(&t->trained, 1), &told);
	}
	add(n, "learning_rate", rate, &told);
	bt_buf_printf(&line,
	              "train | step: % 6lld | steps/sec: % 6.1f | output: ",
	              (long long)n->step, speed);
	put(&told, &line);
	print(t, &line);
	bt_train_scalar(n->run, BT_TRAIN_CURVE_TRAIN, speed,
	                "steps_per_second");
	begin_chunk(t, n);
	if (n->step >= t->plan.bound_from && loss > t->plan.loss_bound)
		return bt_error_set(err, BT_ELIMIT,
		                    "the loss, %.9g, is above "
		                    "trainer.loss_upper_bound, %.9g, after "
		                    "step %lld",
		                    loss, t->plan.loss_bound,
		                    (long long)n->step);
	return BT_OK;
}

/* Of answers to questions. Those of version 1.1 are fractions, of 2.0
 * some in percent. */
static void scores(const struct bt_trial *t, const struct bt_squad_sum *s,
                   struct bt_experiment_log *told)
{
	if (t->answers.version == BT_ANSWERS_ALWAYS) {
		add_value(told, "exact_match", s->all.exact);
		add_value(told, "final_f1", s->all.f1);
		return;
	}
	add_value(told, "exact_match", 100 * s->exact.mean);
	add_value(told, "exact_match_threshold", s->exact.threshold);
	add_value(told, "final_f1", s->f1.mean);
	add_value(told, "f1_threshold", s->f1.threshold);
	if (s->has_answer.n == 0)
		return;
	add_value(told, "has_answer_exact_match", 100 * s->has_answer.exact);
	add_value(told, "has_answer_f1", 100 * s->has_answer.f1);
}

/* The measures of an evaluation, by their names there. */
static void measures(const struct bt_trial *t, const struct bt_train_news *n,
                     struct bt_experiment_log *told)
{
	struct bt_class_metrics one = {0};

	if (n->answers != NULL) {
		scores(t, n->answers, told);
		return;
	}
	add_value(told, "validation_loss", bt_eval_metrics_loss(&t->tested));
	if (n->task == &bt_task_classification)
		add_value(told, "cls_accuracy", n->eval->accuracy);
	if (has_area(t))
		add_value(told, "auc", bt_eval_metrics_area(&t->tested));
	if (t->plan.metric == BT_EXPERIMENT_JOB_CORRELATION)
		add_value(told, "pearson_spearman_corr",
		          n->eval->pearson_spearman);
	if (t->plan.metric == BT_EXPERIMENT_JOB_TAGS) {
		add_value(told, "f1", n->eval->f1);
		add_value(told, "precision", n->eval->precision);
		add_value(told, "recall", n->eval->recall);
		add_value(told, "accuracy", n->eval->accuracy);
	}
	if (t->plan.metric == BT_EXPERIMENT_JOB_MCC)
		add_value(told, "matthews_corrcoef", n->eval->mcc);
	if (t->plan.metric == BT_EXPERIMENT_JOB_F1) {
		bt_metrics_class(bt_train_measured(n->run), 1, &one);
		add_value(told, "f1", one.f1);
	}
}

/* " eval | step:     20 | ", how fast where its batches are given, and what it
 * came to. */
static void print_eval(struct bt_trial *t, const struct bt_train_news *n,
                       const struct bt_experiment_log *told, double speed)
{
	struct bt_buf line = BT_BUF_INIT;

	bt_buf_printf(&line, " eval | step: % 6lld | ", (long long)n->step);
	if (t->plan.eval_steps > 0)
		bt_buf_printf(&line, "steps/sec: % 6.1f | ", speed);
	bt_buf_printf(&line,
	              "eval time: % 6.1f sec | output: ", n->eval_seconds);
	put(told, &line);
	print(t, &line);
}

static int tell_eval(struct bt_trial *t, const struct bt_train_news *n,
                     struct bt_error *err)
{
	const struct bt_metrics *m = bt_train_measured(n->run);
	double seconds = n->eval_seconds > 0 ? n->eval_seconds : 1e-9;
	double batches = ceil((double)m->n / (double)t->plan.eval_batch);
	struct bt_experiment_log told = {0};
	char best[80];
	int i, r;

	measures(t, n, &told);
	bt_eval_metrics_reset(&t->tested);
	r = bt_best_export_offer(&t->best, &t->plan, n, &told, t->e->log, err);
	if (t->best.have) {
		snprintf(best, sizeof(best), "best_%s", t->plan.best_by);
		add_value(&told, best, t->best.value);
	}
	if (t->plan.eval_steps > 0)
		add_value(&told, "steps_per_second", batches / seconds);
	for (i = 0; i < told.n; i++)
		bt_train_scalar(n->run, BT_TRAIN_CURVE_VALIDATION,
		                told.value[i], told.name[i]);
	print_eval(t, n, &told, batches / seconds);
	return r;
}

int bt_trial_news(void *trial, const struct bt_train_news *n,
                  struct bt_error *err)
{
	struct bt_trial *t = trial;
	int r = BT_OK;

	switch (n->what) {
	case BT_TRAIN_BEGUN:
		begin_chunk(t, n);
		return BT_OK;
	case BT_TRAIN_UPDATED:
		return chunk_ends(t, n) ? tell_chunk(t, n, err) : BT_OK;
	case BT_TRAIN_REPORTED:
		if (n->eval != NULL)
			r = tell_eval(t, n, err);
		memset(&t->chunk, 0, sizeof(t->chunk));
		t->chunk.step = n->step;
		t->chunk.time = bt_seconds();
		return r;
	default:
		return BT_OK;
	}
}

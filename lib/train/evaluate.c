/* SPDX-License-Identifier: MIT */
/* What happens at the end of an epoch, or every so many updates: the model is
 * measured, the measures logged, the best model kept. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/sys.h"
#include "evaluate/answers.h"
#include "finetune/forward.h"
#include "finetune/unfinished.h"
#include "train/disk_space.h"
#include "train/train_int.h"

/* Scores of answers to the questions of evaluation records, of all windows of
 * each. */
struct answers {
	bool known; /* else nothing is scored */
	struct bt_metrics m;
	struct bt_answers found;
};

static int all_known(const struct bt_dataset *d, bool *known,
                     struct bt_error *err)
{
	struct bt_token_rec rec = {0};
	struct bt_span s;
	size_t i;
	int r = BT_OK;

	*known = d->records != NULL;
	for (i = 0; i < d->n && *known && r == BT_OK; i++) {
		s = bt_dataset_record(d, i);
		r = bt_token_rec_read(s.p, s.n, &rec, err);
		*known &= rec.question.answers.name != NULL;
	}
	bt_token_rec_clear(&rec);
	return r;
}

/* Begins an evaluation on d; known is set where its records were kept and
 * all have answers. opts NULL: as run_qa has them. To be cleared also after an
 * error. */
static int answers_begin(struct answers *a, const struct bt_dataset *d,
                         const struct bt_answers_opts *opts,
                         struct bt_error *err)
{
	static const struct bt_answers_opts common = {.null_threshold = NAN};
	int r;

	memset(a, 0, sizeof(*a));
	r = all_known(d, &a->known, err);
	if (r != BT_OK || !a->known)
		return r;
	return bt_answers_init(&a->found, opts != NULL ? opts : &common, &a->m,
	                       err);
}

static void answers_clear(struct answers *a)
{
	if (a->found.m != NULL)
		bt_answers_clear(&a->found);
	bt_metrics_clear(&a->m);
}

/* The logits of example i of d, which are added in their order. */
static int answers_add(struct answers *a, const struct bt_dataset *d, size_t i,
                       const float *logits, struct bt_error *err)
{
	struct bt_questions *q = &a->found.questions;
	struct bt_span s = bt_dataset_record(d, i);
	int r;

	if (!a->known)
		return BT_OK;
	r = bt_questions_look(q, 0, i + 1, s.p, s.n, err);
	if (r == BT_OK)
		r = bt_questions_add(q, 0, bt_dataset_length(d, i), logits,
		                     err);
	return r == BT_OK ? r : bt_error_prefix(err, "evaluation records");
}

/* Sets exact_match and f1, and all scores. */
static int answers_end(struct answers *a, struct bt_metrics_summary *s,
                       struct bt_squad_sum *sum, struct bt_error *err)
{
	struct bt_metrics_summary all;
	int r;

	if (!a->known)
		return BT_OK;
	r = bt_answers_finish(&a->found, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "evaluation records");
	bt_metrics_summary(&a->m, &all);
	s->exact_match = all.exact_match;
	s->f1 = all.f1;
	return bt_squad_sum_up(a->m.squad, sum) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "scoring answers");
}

int bt_train_save_model(struct bt_train_run *t, const char *dir,
                        struct bt_error *err)
{
	int r = t->on->read(t, false, err);

	return r == BT_OK
	           ? bt_model_save(dir, t->m, t->o->save_more, t->o->ctx, err)
	           : r;
}

/* "epoch 3" or "step 120 (epoch 1.25)" */
static const char *where(const struct bt_train_run *t, char out[64])
{
	double share = (double)t->s.pos / (double)t->batches.n;

	if (t->o->eval_steps == 0)
		snprintf(out, 64, "epoch %lld", (long long)bt_train_epoch(t));
	else
		snprintf(out, 64, "step %lld (epoch %.2f)",
		         (long long)t->s.step, (double)t->s.epoch + share);
	return out;
}

static void log_evaluation(const struct bt_train_run *t, double loss,
                           const struct bt_metrics_summary *s, double value,
                           bool better)
{
	const char *m = t->o->metric;
	bool said = bt_str_in_list("loss|mse|pearson_spearman", m);
	struct bt_buf b = BT_BUF_INIT;
	char at[64];
	double v;
	size_t i;

	for (i = 0; s->kind->shown[i].name != NULL; i++) {
		if (bt_metrics_find(s, s->kind->shown[i].name, &v, NULL) ==
		    BT_OK)
			bt_buf_printf(&b, ", %s %.4f", s->kind->shown[i].label,
			              v);
		said |= strcmp(s->kind->shown[i].name, m) == 0;
	}
	if (!said)
		bt_buf_printf(&b, ", %s %.4f", m, value);
	bt_log(t->o->log, BT_LOG_NOTE,
	       "%s: loss %.4f, evaluation loss %.4f%s%s", where(t, at), loss,
	       s->loss, bt_buf_str(&b),
	       better && !t->o->keep_last ? " (best)" : "");
	bt_buf_clear(&b);
}

struct measuring {
	const struct bt_train_run *t;
	struct answers answers;
};

static int answered(void *ctx, size_t i, const float *answer,
                    struct bt_error *err)
{
	struct measuring *a = ctx;
	const struct bt_train_run *t = a->t;

	if (t->o->answered != NULL)
		t->o->answered(t->o->news_ctx, false, t->eval, i, answer);
	return answers_add(&a->answers, t->eval, i, answer, err);
}

static int measure(struct bt_train_run *t, struct bt_metrics_summary *s,
                   struct bt_error *err)
{
	struct measuring a = {.t = t};
	int r = answers_begin(&a.answers, t->eval, t->o->answers, err);

	bt_metrics_reset(&t->metrics);
	if (r == BT_OK)
		r = bt_forward_measure(t->m->engine, t->eval, &t->gather,
		                       &t->metrics, t->o->windows, answered, &a,
		                       err);
	if (r == BT_OK) {
		bt_metrics_summary(&t->metrics, s);
		r = answers_end(&a.answers, s, &t->answers, err);
	}
	t->answered = a.answers.known;
	answers_clear(&a.answers);
	return r;
}

/* Whether a number is the same in all examples: what a correlation with it is
 * then, no model decides. */
static bool has_constant(const struct bt_dataset *d)
{
	size_t i, k;

	for (k = 0; k < d->width; k++) {
		for (i = 1; i < d->n; i++)
			if (bt_dataset_target(d, i)[k] !=
			    bt_dataset_target(d, 0)[k])
				break;
		if (i >= d->n)
			return true;
	}
	return false;
}

/* Refuses a metric that these records leave undefined. */
static int check_value(const struct bt_train_run *t, double value,
                       struct bt_error *err)
{
	const struct bt_metrics *m = &t->metrics;
	struct bt_buf why = BT_BUF_INIT;
	int r;

	if (!isnan(value))
		return BT_OK;
	if (m->kind->undefined != NULL)
		m->kind->undefined(m, &t->m->labels, &why);
	else if (has_constant(t->eval))
		bt_buf_puts(&why, "a number is the same in all");
	else
		return BT_OK;
	r = bt_error_set(err, BT_EFORMAT,
	                 "evaluation records: the metric '%s' is undefined: %s",
	                 t->o->metric, bt_buf_str(&why));
	bt_buf_clear(&why);
	return r;
}

/* As if the model put out zeros. */
int bt_train_check_metric(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_metrics *m = &t->metrics;
	size_t width = bt_metrics_outputs(m);
	float *zeros;
	struct bt_metrics_summary s;
	double value = 0;
	size_t i;
	int r;

	if (t->eval->selects) /* its metrics are always defined */
		return BT_OK;
	if (!t->eval->per_token || bt_size_mul(width, t->eval->longest, &width))
		zeros = bt_array0(width, sizeof(*zeros));
	else
		zeros = NULL;
	r = zeros != NULL ? BT_OK : bt_error_nomem(err, "evaluating");
	if (bt_metrics_needs(t->o->metric) & BT_METRICS_RANKS)
		m->keep = SIZE_MAX;
	for (i = 0; i < t->eval->n && r == BT_OK; i++)
		if (t->eval->per_token ||
		    t->eval->continues[i] != BT_CONTINUES_TEXT)
			r = bt_forward_count(m, t->eval, i, zeros, err);
	free(zeros);
	if (r != BT_OK)
		return r;
	bt_metrics_summary(m, &s);
	r = bt_metrics_find(&s, t->o->metric, &value, err);
	if (r == BT_OK)
		r = check_value(t, value, err);
	bt_metrics_reset(m);
	return r;
}

/* Measures and remembers. */
static int evaluate(struct bt_train_run *t, double loss,
                    struct bt_metrics_summary *s, bool *better,
                    struct bt_error *err)
{
	double value = 0, began = bt_seconds();
	int r = measure(t, s, err);

	if (r != BT_OK)
		return r;
	t->eval_seconds = bt_seconds() - began;
	t->res->measured = *s;
	r = bt_metrics_find(s, t->o->metric, &value, err);
	if (r == BT_OK)
		r = check_value(t, value, err);
	if (r != BT_OK)
		return r;
	/* a tie is no improvement */
	*better = t->o->keep_last || !t->s.have_best ||
	          (isnan(t->s.best) && !isnan(value)) ||
	          (bt_metrics_falls(t->o->metric) ? value < t->s.best
	                                          : value > t->s.best);
	if (!t->o->measure_only)
		log_evaluation(t, loss, s, value, *better);
	t->s.stale++;
	if (!*better)
		return BT_OK;
	t->s.have_best = true;
	t->s.best = value;
	t->s.best_epoch = bt_train_epoch(t);
	t->s.best_step = t->s.step;
	t->s.stale = 0;
	return BT_OK;
}

static int report(struct bt_train_run *t, double loss, struct bt_error *err)
{
	double seconds = t->res->seconds - t->reported.seconds;
	struct bt_metrics_summary s;
	const struct bt_metrics_summary *shown = NULL;
	bool better = true;
	char at[64];
	int r;

	if (t->eval == NULL)
		bt_log(t->o->log, BT_LOG_NOTE, "%s: loss %.4f", where(t, at),
		       loss);
	else if ((r = evaluate(t, loss, &s, &better, err)))
		return r;
	else
		shown = &s;
	better = better && !t->o->measure_only;
	if (better &&
	    ((r = bt_disk_space_check(t->o->out, bt_model_file_size(t->m),
	                              "the model", err)) ||
	     (t->s.step < t->total &&
	      (r = bt_unfinished_mark(t->o->out, t->s.step, t->total, err))) ||
	     (r = bt_train_save_model(t, t->o->out, err))))
		return r;
	t->res->kept |= better;
	if (!t->o->measure_only &&
	    (r = bt_train_history(t, loss, shown, better, err)))
		return r;
	return bt_train_reported(t, shown, seconds, better, err);
}

int bt_train_report(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_metrics_summary s;
	int r;

	bt_optim_catch_up(&t->optim, bt_engine_params(t->m->engine), NULL);
	if (!bt_dist_is_first(t->o->dist)) /* which does the rest */
		return t->eval != NULL ? measure(t, &s, err) : BT_OK;

	if (t->o->progress != NULL)
		bt_progress_clear(t->o->progress);
	t->res->seconds += bt_seconds() - t->start;
	bt_engine_profiling(t->m->engine, false);
	t->res->loss = bt_train_loss(t);
	t->res->end_loss =
	    t->tail_weight > 0 ? t->tail_sum / t->tail_weight : t->res->loss;
	r = report(t, t->res->loss, err);
	bt_engine_profiling(t->m->engine, true);
	t->start = bt_seconds();
	t->s.loss_sum = t->s.loss_weight = 0;
	t->tail_sum = t->tail_weight = 0;
	t->s.right = t->s.seen = 0;
	return r;
}

int bt_train_measure(struct bt_train_run *t, struct bt_error *err)
{
	const struct bt_metrics_summary *last = &t->res->measured;
	int r;

	if (t->eval == NULL ||
	    (last->kind != NULL && t->reported.step == t->s.step))
		return BT_OK;
	t->res->seconds += bt_seconds() - t->start;
	bt_optim_catch_up(&t->optim, bt_engine_params(t->m->engine), NULL);
	r = measure(t, &t->res->measured, err);
	t->start = bt_seconds();
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/sys.h"
#include "finetune/unfinished.h"
#include "train/train_int.h"
#include "train/warnings.h"

static int diverged(const struct bt_train_run *t, const char *what,
                    struct bt_error *err)
{
	return bt_error_set(err, BT_ELIMIT,
	                    "the %s is not finite at step %lld of %lld (epoch "
	                    "%lld), so training has diverged: try a smaller "
	                    "learning rate; %s%s%s",
	                    what, (long long)t->s.step + 1, (long long)t->total,
	                    (long long)t->s.epoch + 1,
	                    t->res->kept ? "'" : "no model was written",
	                    t->res->kept ? t->o->out : "",
	                    t->res->kept ? "' holds the last good one" : "");
}

/* Adds to the engine's error the example and the step: the batch begins at that
 * position of the epoch. */
static int locate_error(const struct bt_train_run *t, size_t pos,
                        struct bt_error *err)
{
	long text = bt_engine_bad_sequence(t->m->engine);
	struct bt_span id = {NULL, 0};

	if (text >= 0)
		id = bt_dataset_id(t->train,
		                   t->batches.order[pos + (size_t)text]);
	if (id.p != NULL)
		bt_error_prefix(err, "example '%.*s'",
		                (int)(id.n < 100 ? id.n : 100), id.p);
	return bt_error_prefix(err, "step %lld of %lld",
	                       (long long)t->s.step + 1, (long long)t->total);
}

/* Counts those of the batch, from position pos of the epoch on, whose largest
 * logit, the first of equal ones, is their class's. */
static void count_right(struct bt_train_run *t, size_t pos)
{
	const float *x = bt_engine_logits(t->m->engine);
	const struct bt_batch *b = &t->gather.b;
	size_t classes = bt_model_width(t->m), i, k, best;

	size_t rows = bt_engine_logit_rows(t->m->engine);

	for (i = 0; i < b->sequences && t->o->answered != NULL; i++) {
		k = t->train->per_token ? (size_t)b->start[i] : i;
		t->o->answered(t->o->news_ctx, true, t->train,
		               t->batches.order[pos + i], x + k * classes);
	}
	if (t->train->width > 0) { /* no output is a class */
		t->s.seen += (int64_t)b->sequences;
		return;
	}
	for (i = 0; i < rows; i++, x += classes) {
		for (k = 1, best = 0; k < classes; k++)
			if (x[k] > x[best])
				best = k;
		t->s.seen += b->labels == NULL || b->labels[i] >= 0;
		t->s.right += b->labels != NULL && (int)best == b->labels[i];
	}
}

/* What example i weighs in this update. */
static double loss_weight(const struct bt_train_run *t, size_t i)
{
	const struct bt_dataset *d = t->train;

	if (t->o->masking == NULL || bt_dataset_selected(d, i) > 0)
		return bt_dataset_loss_weight(d, i);
	return (double)d->weight[i] *
	       (double)bt_masking_count(t->o->masking, t->gather.step,
	                                d->before + i, bt_dataset_length(d, i),
	                                d->ids + d->start[i]);
}

/* Adds the time since then to a line of the profile; n_arrays as large as all
 * parameters were read or written. */
static void add_time(struct bt_train_run *t, const char *name, double since,
                     double n_arrays)
{
	struct bt_profile *p = t->o->profile;

	if (p != NULL)
		bt_profile_add(
		    p, bt_profile_line(p, "%s", name), bt_seconds() - since, 0,
		    n_arrays * sizeof(float) * (double)t->m->graph.n_floats);
}

/* Sets what is the same for all batches of the update, which is that up to end.
 * Returns what its examples weigh. */
static double begin_update(struct bt_train_run *t, size_t end)
{
	struct bt_batch *b = &t->gather.b;
	double weight = 0, next = 0;
	size_t n, i;

	t->gather.masking = t->o->masking;
	t->gather.step = (uint32_t)t->s.step;
	for (n = t->batches.pos; n < end; n++) {
		i = t->batches.order[n];
		weight += loss_weight(t, i);
		if (t->train->label[i] != BT_NEXT_UNKNOWN)
			next += (double)t->train->weight[i];
	}
	b->train = true;
	b->step = (uint32_t)t->s.step;
	b->token0 = b->sequence0 = 0;
	b->logit_grads = NULL;
	b->smoothing = (float)t->o->smoothing;
	b->embedding_loss = t->o->embedding_loss;
	b->pos_weight = t->o->pos_weights;
	b->teacher = t->o->teacher;
	b->teacher_weight = (float)t->o->teacher_weight;
	b->temperature = (float)t->o->temperature;
	b->loss_scale = weight > 0 ? (float)(1 / weight) : 0;
	b->next_scale = next > 0 ? (float)(1 / next) : 0;
	return weight;
}

/* Forward over the batch at pos of the epoch; *n: its examples. */
static int forward(struct bt_train_run *t, size_t pos, size_t *n,
                   struct bt_error *err)
{
	struct bt_batch *b = &t->gather.b;
	int r;

	*n = bt_batches_at(&t->batches, pos);
	bt_gather_fill(&t->gather, t->train, t->batches.order + pos, 0, *n);
	b->teacher_row = t->gather.rows;
	r = bt_engine_forward(t->m->engine, b, err);
	t->res->flop += bt_engine_flop(t->m->engine);
	return r == BT_OK ? BT_OK : locate_error(t, pos, err);
}

static void next_batch(struct bt_train_run *t)
{
	struct bt_batch *b = &t->gather.b;

	b->token0 += (uint32_t)b->tokens;
	b->sequence0 += (uint32_t)b->sequences;
}

/* Embeds the texts up to end, and compares them: the loss, and its gradient in
 * t->whole. */
static int compare_update(struct bt_train_run *t, size_t end, double *loss,
                          struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	size_t first = t->batches.pos, pos, n;
	struct bt_batch *b = &t->gather.b;
	double start;
	int r;

	b->logit_grads = t->whole.grads; /* no loss */
	for (pos = first; pos < end; pos += n) {
		r = forward(t, pos, &n, err);
		if (r != BT_OK)
			return r;
		bt_whole_update_keep(&t->whole, e, pos - first);
		next_batch(t);
	}
	b->token0 = b->sequence0 = 0;
	start = bt_seconds();
	*loss = bt_whole_update_loss(&t->whole, e, t->train,
	                             t->batches.order + first, end - first, b);
	add_time(t, "loss of the update", start, 0);
	return BT_OK;
}

/* Forward and backward over the batches of one update; *loss is the mean. */
static int gradients(struct bt_train_run *t, size_t end, double *loss,
                     struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	struct bt_batch *b = &t->gather.b;
	size_t first = t->batches.pos, pos, n;
	bool whole = t->whole.x != NULL &&
	             bt_batches_at(&t->batches, first) < end - first;
	double weight = begin_update(t, end);
	int r = BT_OK;

	*loss = 0;
	if (whole && (r = compare_update(t, end, loss, err)))
		return r;
	for (pos = first; pos < end; pos += n) {
		if (whole)
			b->logit_grads =
			    t->whole.grads + (pos - first) * t->whole.width;
		r = forward(t, pos, &n, err);
		if (r != BT_OK)
			return r;
		*loss += bt_engine_loss(e);
		if (!isfinite(*loss))
			return diverged(t, "loss", err);
		r = bt_engine_backward(e, pos > first, err);
		if (r != BT_OK)
			return locate_error(t, pos, err);
		count_right(t, pos);
		t->res->flop += 2 * bt_engine_flop(e);
		t->res->tokens += b->tokens;
		next_batch(t);
	}
	t->s.loss_sum += *loss * weight;
	t->s.loss_weight += weight;
	if (end > t->train->n - t->train->n / 4) {
		t->tail_sum += *loss * weight;
		t->tail_weight += weight;
	}
	t->s.step_loss_sum += *loss * weight;
	t->s.step_loss_weight += weight;
	return BT_OK;
}

/* The first updates touch memory for the first time and build what later ones
 * use again. */
#define WARM 2

/* Computes the gradients of the next batches and applies them. */
static int update(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	struct bt_profile *p = t->o->profile;
	size_t end = bt_batches_update_end(&t->batches, t->batches.pos);
	uint64_t tokens = t->res->tokens;
	double loss, start, norm;
	int r = gradients(t, end, &loss, err);

	if (r != BT_OK)
		return r;
	start = bt_seconds();
	norm = bt_optim_norm(&t->optim, bt_engine_grads(e),
	                     bt_engine_sparse_excess(e));
	if (!isfinite(norm))
		return diverged(t, "gradient", err);
	t->norm = norm;
	add_time(t, "gradient norm", start, 1);
	start = bt_seconds();
	bt_optim_update(&t->optim, bt_engine_params(e), bt_engine_grads(e),
	                norm, bt_train_rate(t, t->s.step), t->s.step + 1);
	add_time(t, "optimizer", start, bt_optim_traffic(t->optim.o.kind));
	r = bt_engine_pack(e, err);
	t->res->examples +=
	    bt_batches_between(&t->batches, t->batches.pos, end);
	t->s.step++;
	t->s.pos = (int64_t)end;
	t->batches.pos = end;
	t->shown_loss +=
	    (t->shown_loss == 0 ? 1 : 0.1) * (loss - t->shown_loss);
	if (p != NULL) {
		p->steps++;
		p->tokens += t->res->tokens - tokens;
		if (t->s.step - t->res->steps == WARM && t->total > 2 * WARM)
			bt_profile_restart(p);
	}
	return r;
}

static void show_progress(struct bt_train_run *t)
{
	struct bt_progress *p = t->o->progress;
	double s = t->res->seconds + bt_seconds() - t->start;
	int left;

	if (p == NULL || !bt_progress_due(p) || s <= 0)
		return;
	left = (int)bt_train_seconds_left(t);
	bt_progress_show(
	    p,
	    "epoch %lld, step %lld/%lld, loss %.4f (moving average), %.0f "
	    "examples/s, %.0f tokens/s, %d:%02d left",
	    (long long)bt_train_epoch(t), (long long)t->s.step,
	    (long long)t->total, t->shown_loss, (double)t->res->examples / s,
	    (double)t->res->tokens / s, left / 60, left % 60);
}

/* True when all is done that was to be done. */
static bool is_over(const struct bt_train_run *t)
{
	return t->s.step >= t->total ||
	       (t->o->patience > 0 && t->s.stale >= t->o->patience);
}

static bool report_is_due(const struct bt_train_run *t)
{
	if (t->s.step == t->total)
		return true;
	if (t->o->epoch_steps > 0)
		return t->s.step % t->o->epoch_steps == 0;
	return t->o->eval_steps > 0 ? t->s.step % t->o->eval_steps == 0
	                            : t->s.pos == (int64_t)t->train->n;
}

/* True when it is time for a checkpoint that the user asked for. */
static bool save_is_due(const struct bt_train_run *t)
{
	double minutes = (bt_seconds() - t->saved_at) / 60;

	if (is_over(t))
		return false;
	if (t->s.step == t->o->save_first)
		return true;
	return (t->o->save_steps > 0 && t->s.step % t->o->save_steps == 0) ||
	       (t->o->save_minutes > 0 && minutes >= t->o->save_minutes);
}

/* Why the run is to stop here, if it is. Each run makes an update at least, so
 * that one which is resumed again and again comes to its end. */
static enum bt_train_end stop_is_due(const struct bt_train_run *t)
{
	double minutes = (bt_seconds() - t->o->asked_at) / 60;

	if (t->o->stopped != NULL && t->o->stopped())
		return BT_TRAIN_STOPPED;
	if (t->o->max_minutes > 0 && minutes >= t->o->max_minutes &&
	    t->s.step > t->res->steps)
		return BT_TRAIN_TIME;
	return BT_TRAIN_FAILED;
}

static void end_epoch(struct bt_train_run *t)
{
	if (t->s.pos < (int64_t)t->train->n)
		return;
	t->s.epoch++;
	t->s.pos -= (int64_t)t->train->n;
}

/* The report that is due, and the next epoch. Where it cannot be written the
 * state is, so that a resumed run begins with this report. */
static int report(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_train_state before = t->s;
	int r = bt_train_report(t, err);

	if (r == BT_EIO) {
		t->s = before;
		t->s.unreported = true;
		bt_train_rescue_state(t, err);
	}
	return r;
}

/* An update and what is due after it. */
static int advance(struct bt_train_run *t, struct bt_error *err)
{
	int r;

	bt_batches_seek(&t->batches, t->s.epoch, (size_t)t->s.pos);
	if ((r = update(t, err)))
		return r;
	show_progress(t);
	r = bt_train_updated(t, err);
	if (r == BT_OK && report_is_due(t))
		r = report(t, err);
	if (r != BT_OK)
		return r;
	end_epoch(t);
	if (r == BT_OK && save_is_due(t))
		r = bt_train_save_state(t, err);
	return r;
}

static int run(struct bt_train_run *t, struct bt_error *err)
{
	enum bt_train_end end;
	int r = bt_train_begun(t, err);

	t->res->steps = t->reported.step = t->timed.step = t->s.step;
	t->start = bt_seconds();
	if (r == BT_OK && t->s.unreported) {
		t->s.unreported = false;
		r = report(t, err);
		end_epoch(t);
	}
	while (r == BT_OK && !is_over(t)) {
		end = stop_is_due(t);
		if (end != BT_TRAIN_FAILED) {
			r = bt_train_save_state(t, err);
			t->res->end = r == BT_OK ? end : BT_TRAIN_FAILED;
			return r;
		}
		r = advance(t, err);
		if (r == BT_ELIMIT && t->o->recoveries > 0)
			r = bt_train_recover(t, err);
	}
	if (r == BT_OK && t->o->save_end && t->saved_step != t->s.step)
		r = bt_train_save_state(t, err);
	if (r == BT_OK)
		t->res->end =
		    t->s.step >= t->total ? BT_TRAIN_ALL : BT_TRAIN_NO_BETTER;
	return r;
}

int64_t bt_train_steps(struct bt_batches *b, const struct bt_train_opts *o)
{
	return o->steps > 0 ? o->steps : bt_batches_total(b, o->epochs);
}

static int prepare(struct bt_train_run *t, struct bt_error *err)
{
	size_t tokens, texts;
	int r;

	bt_engine_limits(t->m->engine, &tokens, &texts);
	if ((r = bt_batches_init(&t->batches, t->train, &t->o->batching,
	                         err)) ||
	    (r = bt_gather_init(&t->gather, texts, tokens, t->train->width,
	                        err)) ||
	    (bt_whole_update_is(&t->m->graph, t->o->embedding_loss,
	                        t->batches.o.accumulate) &&
	     (r = bt_whole_update_init(&t->whole, t->m->engine,
	                               bt_model_width(t->m), &t->batches,
	                               err))) ||
	    (r = bt_metrics_init(&t->metrics, t->m->task->metrics,
	                         (int)bt_model_width(t->m), err)) ||
	    (r = bt_metrics_name_outputs(&t->metrics, &t->m->labels, err)) ||
	    (t->eval != NULL && (r = bt_train_check_metric(t, err))) ||
	    (r = bt_optim_init(&t->optim, &t->m->graph, &t->o->optim,
	                       bt_engine_pool(t->m->engine), err)))
		return r;
	t->metrics.pool = bt_engine_pool(t->m->engine);
	t->total = bt_train_steps(&t->batches, t->o);
	t->warmup = bt_schedule_warmup(t->o->schedule.warmup, t->total);
	t->start_crc = bt_crc32c(0, bt_engine_params(t->m->engine),
	                         t->m->graph.n_floats * sizeof(float));
	if (!t->o->measure_only)
		bt_warn_plan(t->o, t->train->n, t->total, t->warmup);
	t->history.dir = t->o->out;
	t->history.name = bt_strndup(BT_HISTORY_FILE, strlen(BT_HISTORY_FILE));
	if ((r = bt_append_log_check(&t->history, err)) ||
	    (r = bt_events_open(&t->events, t->o->tensorboard, t->o->curves,
	                        err)))
		return r;
	if (t->o->resume || t->o->resume_from != NULL) {
		if ((r = bt_train_load_state(t, err)))
			return r;
		bt_log(t->o->log, BT_LOG_NOTE,
		       "'%s': restored at step %lld of %lld",
		       t->o->resume ? t->o->out : t->o->resume_from,
		       (long long)t->s.step, (long long)t->total);
	}
	t->batches.o.seed = bt_train_order_seed(t);
	return bt_engine_pack(t->m->engine, err);
}

int bt_train(struct bt_model *m, const struct bt_dataset *train,
             const struct bt_dataset *eval, const struct bt_train_opts *opts,
             struct bt_train_result *res, struct bt_error *err)
{
	struct bt_train_run t = {.m = m,
	                         .train = train,
	                         .eval = eval,
	                         .o = opts,
	                         .res = res,
	                         .saved_step = -1,
	                         .began = bt_seconds()};
	bool over;
	char *path;
	int r, c;

	memset(res, 0, sizeof(*res));
	t.saved_at = t.began;
	r = prepare(&t, err);
	res->kept = t.s.have_best || (t.s.epoch > 0 && eval == NULL);
	if (r == BT_OK && opts->measure_only) {
		t.start = bt_seconds();
		r = bt_train_report(&t, err);
		if (r == BT_OK)
			res->end = BT_TRAIN_ALL;
	} else if (r == BT_OK) {
		r = run(&t, err);
	}
	if (t.start > 0)
		res->seconds += bt_seconds() - t.start;
	if (opts->progress != NULL)
		bt_progress_clear(opts->progress);
	res->steps = t.s.step;
	res->total = t.total;
	res->best = t.s.best;
	res->best_epoch = (int)t.s.best_epoch;
	res->best_step = t.s.best_step;
	res->metric = opts->metric;
	c = bt_append_log_close(&t.history, err);
	r = r != BT_OK ? r : c;
	c = bt_events_close(&t.events, err);
	r = r != BT_OK ? r : c;
	bt_optim_clear(&t.optim);
	bt_batches_clear(&t.batches);
	bt_gather_clear(&t.gather);
	bt_whole_update_clear(&t.whole);
	bt_metrics_clear(&t.metrics);
	/* the checkpoint of a run that is over serves only who asked for it */
	over = r == BT_OK && !opts->measure_only &&
	       (res->end == BT_TRAIN_ALL || res->end == BT_TRAIN_NO_BETTER);
	if (over)
		bt_unfinished_end(opts->out);
	if (over && opts->keep <= 0) {
		path = bt_train_checkpoint(opts->out);
		(void)unlink(path);
		free(path);
	}
	return r;
}

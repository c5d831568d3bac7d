/* SPDX-License-Identifier: MIT */
#include "train/train.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/sys.h"
#include "finetune/unfinished.h"
#include "optim/rows.h"
#include "train/train_int.h"
#include "train/warnings.h"

/* The first updates touch memory for the first time and build what later ones
 * use again. */
#define WARM 2

/* Adds to the profile what other ranks cost since then. */
static void add_rank_times(const struct bt_train_run *t,
                           struct bt_dist_times then, uint64_t sent)
{
	struct bt_dist_times now = bt_dist_times(t->o->dist);
	struct bt_profile *p = t->o->profile;

	if (t->o->dist == NULL)
		return;
	bt_profile_add(p, bt_profile_line(p, "exchange with other ranks"),
	               now.exchanging - then.exchanging, 0, 0);
	bt_profile_add(p, bt_profile_line(p, "waiting for other ranks"),
	               now.waiting - then.waiting, 0, 0);
	p->sent += (double)(bt_dist_sent(t->o->dist) - sent);
}

/* Computes the gradients of the next batches and applies them. */
static int update(struct bt_train_run *t, struct bt_train_update *u,
                  struct bt_error *err)
{
	struct bt_dist_times times = bt_dist_times(t->o->dist);
	struct bt_profile *p = t->o->profile;
	uint64_t sent = bt_dist_sent(t->o->dist);
	int r = bt_train_gradients(t, u, err);

	if (r == BT_OK)
		r = t->on->update(t, err);
	if (r != BT_OK || p == NULL)
		return r;
	add_rank_times(t, times, sent);
	p->steps++;
	p->tokens += u->sum.tokens;
	if (t->s.step + 1 - t->res->steps == WARM && t->total > 2 * WARM)
		bt_profile_restart(p);
	return BT_OK;
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
	    "epoch %lld, step %lld/%lld, %d:%02d left, loss %.4f (moving "
	    "average), %.0f examples/s, %.0f tokens/s",
	    (long long)bt_train_epoch(t), (long long)t->s.step,
	    (long long)t->total, left / 60, left % 60, t->shown_loss,
	    (double)t->res->examples / s, (double)t->res->tokens / s);
}

/* Adds an update to what the run has. */
static void add_up(struct bt_train_run *t, const struct bt_train_update *u)
{
	double loss = u->sum.loss, weight = u->weight;

	t->res->examples += u->examples;
	t->res->tokens += u->sum.tokens;
	t->s.right += u->sum.right;
	t->s.seen += u->sum.seen;
	t->s.loss_sum += loss * weight;
	t->s.loss_weight += weight;
	if (u->end > t->batches.n - t->batches.n / 4) {
		t->tail_sum += loss * weight;
		t->tail_weight += weight;
	}
	t->s.step_loss_sum += loss * weight;
	t->s.step_loss_weight += weight;
	t->shown_loss +=
	    (t->shown_loss == 0 ? 1 : 0.1) * (loss - t->shown_loss);
}

/* Counts the last update, once it is known what it came to. */
static int count_last(struct bt_train_run *t, struct bt_error *err)
{
	int r = BT_OK;

	if (!t->uncounted)
		return BT_OK;
	t->uncounted = false;
	if (t->on->outcome != NULL)
		r = t->on->outcome(t, &t->last, err);
	if (r == BT_OK) {
		add_up(t, &t->last);
		show_progress(t);
		if (bt_dist_is_first(t->o->dist))
			r = bt_train_updated(t, err);
	}
	return bt_dist_agree(t->o->dist, r, err);
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
	                            : t->s.pos == (int64_t)t->batches.n;
}

/* True when it is time for a checkpoint that the user asked for. Of several
 * ranks' clocks one is enough. */
static bool save_is_due(const struct bt_train_run *t)
{
	double minutes = (bt_seconds() - t->saved_at) / 60;

	if (is_over(t))
		return false;
	if (t->s.step == t->o->save_first ||
	    (t->o->save_steps > 0 && t->s.step % t->o->save_steps == 0))
		return true;
	return t->o->save_minutes > 0 &&
	       bt_dist_most(t->o->dist, minutes >= t->o->save_minutes) != 0;
}

/* Why the run is to stop here, if it is, by this rank's clock and signals. Each
 * run makes an update at least, so
 * that one which is resumed again and again comes to its end. */
static enum bt_train_end stop_is_asked(const struct bt_train_run *t)
{
	double minutes = (bt_seconds() - t->o->asked_at) / 60;

	if (t->o->pause > 0 &&
	    (double)t->s.step >= t->o->pause * (double)t->total)
		return BT_TRAIN_PAUSED;
	if (t->o->stopped != NULL && t->o->stopped())
		return BT_TRAIN_STOPPED;
	if (t->o->max_minutes > 0 && minutes >= t->o->max_minutes &&
	    t->s.step > t->res->steps)
		return BT_TRAIN_TIME;
	return BT_TRAIN_FAILED;
}

/* The same of all ranks. */
static enum bt_train_end stop_is_due(const struct bt_train_run *t)
{
	return (enum bt_train_end)bt_dist_most(t->o->dist,
	                                       (int)stop_is_asked(t));
}

static bool epoch_is_over(const struct bt_train_run *t)
{
	return t->s.pos >= (int64_t)t->batches.n;
}

static void end_epoch(struct bt_train_run *t)
{
	if (!epoch_is_over(t))
		return;
	t->s.epoch++;
	t->s.pos -= (int64_t)t->batches.n;
}

/* The report that is due; all go on with the state of rank 0. Where it cannot
 * be written, the state is saved, so that a resumed run begins with this
 * report, as one does that was stopped meanwhile. */
static int report(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_train_state before = t->s;
	int r = bt_dist_agree(t->o->dist, bt_train_report(t, err), err);

	if (r == BT_OK)
		bt_dist_tell(t->o->dist, &t->s, sizeof(t->s));
	if (r == BT_EIO || r == BT_ECANCEL) {
		t->s = before;
		t->s.unreported = true;
	}
	if (r == BT_EIO)
		bt_train_rescue_state(t, err);
	return r;
}

/* An update and what is due after it. The one before is counted while a device
 * computes this one, which is counted at once only where its place matters or
 * nothing has to be waited for. */
static int advance(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_train_update next;
	struct bt_error last = {0};
	bool reports, saves;
	int r;

	bt_batches_seek(&t->batches, t->s.epoch, (size_t)t->s.pos);
	r = update(t, &next, err);
	if (r != BT_ECANCEL && count_last(t, &last) != BT_OK) {
		*err =
		    last; /* of which the other error may be the consequence */
		r = last.code;
	}
	if (r != BT_OK)
		return r;
	t->last = next;
	t->uncounted = true;
	t->s.step++;
	t->s.pos = (int64_t)next.end;
	t->batches.pos = next.end;
	reports = report_is_due(t);
	saves = save_is_due(t);
	if (reports || saves || epoch_is_over(t) || t->on->outcome == NULL ||
	    t->on->is_idle(t))
		r = count_last(t, err);
	if (r == BT_OK && reports)
		r = report(t, err);
	if (r != BT_OK)
		return r;
	end_epoch(t);
	return saves && !is_over(t) ? bt_train_save_state(t, err) : BT_OK;
}

/* Ends a run that is to go on later. */
static int end_early(struct bt_train_run *t, enum bt_train_end end,
                     struct bt_error *err)
{
	int r = count_last(t, err);

	if (r == BT_OK && end == BT_TRAIN_PAUSED)
		r = bt_train_measure(t, err);
	if (r == BT_ECANCEL) { /* while a device's program compiled */
		bt_error_clear(err);
		end = BT_TRAIN_STOPPED;
		r = BT_OK;
	}
	if (r == BT_OK)
		r = bt_train_save_state(t, err);
	t->res->end = r == BT_OK ? end : BT_TRAIN_FAILED;
	return r;
}

static int run(struct bt_train_run *t, struct bt_error *err)
{
	enum bt_train_end end;
	int r =
	    bt_dist_agree(t->o->dist, bt_checkpoint_forget_other(t, err), err);

	if (r == BT_OK)
		r = bt_train_begun(t, err);
	t->res->steps = t->reported.step = t->timed.step = t->s.step;
	t->start = bt_seconds();
	if (r == BT_OK && t->s.unreported) {
		t->s.unreported = false;
		r = report(t, err);
		if (r == BT_OK)
			end_epoch(t);
	}
	while (r == BT_OK && !is_over(t)) {
		end = stop_is_due(t);
		r = end != BT_TRAIN_FAILED ? count_last(t, err)
		                           : advance(t, err);
		if (end != BT_TRAIN_FAILED && r == BT_OK)
			return end_early(t, end, err);
		if (r == BT_ELIMIT && t->o->recoveries > 0)
			r = bt_dist_agree(t->o->dist, bt_train_recover(t, err),
			                  err);
	}
	if (r == BT_ECANCEL) { /* in the middle of an update or a report */
		bt_error_clear(err);
		return end_early(t, BT_TRAIN_STOPPED, err);
	}
	if (r == BT_OK && t->o->save_end && t->saved_step != t->s.step)
		r = bt_train_save_state(t, err);
	if (r == BT_OK)
		t->res->end =
		    t->s.step >= t->total ? BT_TRAIN_ALL : BT_TRAIN_NO_BETTER;
	return r;
}

int bt_train_check(const struct bt_train_opts *o, struct bt_error *err)
{
	char *own = o->resume ? bt_train_checkpoint(o->out) : NULL;
	const char *from = own != NULL ? own : o->resume_from;
	int ranks = bt_dist_size(o->dist), r = BT_OK;

	if (bt_train_shards(o) < ranks)
		r = bt_error_set(err, BT_EARG,
		                 "%d processes of one job have only %d shards "
		                 "of a batch to compute",
		                 ranks, bt_train_shards(o));
	else if (from != NULL && access(from, R_OK) != 0)
		r = bt_error_sys(err, errno,
		                 "nothing to resume: cannot open '%s'", from);
	free(own);
	return r;
}

int64_t bt_train_steps(struct bt_batches *b, const struct bt_train_opts *o)
{
	return o->steps > 0 ? o->steps : bt_batches_total(b, o->epochs);
}

/* How many updates there will be, and what computes them. */
static void settle(struct bt_train_run *t)
{
	t->total = bt_train_steps(&t->batches, t->o);
	t->warmup = bt_schedule_warmup(t->o->schedule.warmup, t->total);
	t->on = t->o->device != NULL ? &bt_train_on_device : &bt_train_on_cpu;
	t->gather.dist = t->o->dist;
	t->metrics.pool = bt_engine_pool(t->m->engine);
}

/* The optimizer, and what its gradients are added up in. */
static int prepare_updates(struct bt_train_run *t, struct bt_error *err)
{
	const struct bt_optim_rows *rows;
	struct bt_engine *e = t->m->engine;
	int r;

	if ((r = bt_optim_init(&t->optim, &t->m->graph, &t->o->optim,
	                       bt_engine_pool(e), t->o->dist, err)) ||
	    (r = t->on->begin(t, err)) ||
	    (r = bt_shards_init(&t->shards, bt_train_shards(t->o),
	                        bt_engine_grads(e), t->m->graph.n_floats,
	                        bt_engine_pool(e), t->o->dist, t->optim.at,
	                        err)))
		return r;
	t->shard_sums = bt_array0((size_t)t->shards.n, sizeof(*t->shard_sums));
	rows = t->optim.rows;
	return rows != NULL
	           ? bt_shards_by_rows(&t->shards, rows->offset, rows->cols,
	                               &t->shard_rows, &t->row_set,
	                               rows->last - rows->first, err)
	           : BT_OK;
}

static void log_restored(const struct bt_train_run *t)
{
	const char *from = t->o->resume ? t->o->out : t->o->resume_from;

	if (t->o->measure_only)
		bt_log(t->o->log, BT_LOG_NOTE, "'%s': restored at step %lld",
		       from, (long long)t->s.step);
	else
		bt_log(t->o->log, BT_LOG_NOTE,
		       "'%s': restored at step %lld of %lld", from,
		       (long long)t->s.step, (long long)t->total);
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
	                        t->batches.o.accumulate *
	                            bt_train_shards(t->o)) &&
	     (r = bt_whole_update_init(&t->whole, t->m->engine,
	                               bt_model_width(t->m), &t->batches,
	                               err))) ||
	    (r = bt_metrics_init(&t->metrics, t->m->task->metrics,
	                         (int)bt_model_width(t->m), err)) ||
	    (r = bt_metrics_name_outputs(&t->metrics, &t->m->labels, err)) ||
	    (t->eval != NULL && (r = bt_train_check_metric(t, err))))
		return r;
	settle(t);
	if ((r = prepare_updates(t, err)))
		return r;
	t->start_crc = bt_crc32c(0, bt_engine_params(t->m->engine),
	                         t->m->graph.n_floats * sizeof(float));
	if (!t->o->measure_only)
		bt_warn_plan(t->o, t->train->n, t->total, t->warmup);
	t->history.dir = t->o->out;
	t->history.name = bt_strndup(BT_HISTORY_FILE, strlen(BT_HISTORY_FILE));
	if (bt_dist_is_first(t->o->dist) &&
	    ((r = bt_append_log_check(&t->history, err)) ||
	     (r = bt_events_open(&t->events, t->o->tensorboard, t->o->curves,
	                         err))))
		return r;
	if (t->o->resume || t->o->resume_from != NULL) {
		if ((r = bt_train_load_state(t, err)))
			return r;
		log_restored(t);
	}
	t->batches.o.seed = bt_train_order_seed(t);
	return t->on->load(t, err);
}

/* Logs how much the ranks sent each other. */
static void log_sent(const struct bt_train_run *t)
{
	struct bt_dist *d = t->o->dist;
	int ranks = bt_dist_size(d), r;
	uint64_t *sent, all = 0;
	size_t *at;

	if (ranks == 1)
		return;
	sent = bt_array0((size_t)ranks, sizeof(*sent));
	at = bt_array((size_t)ranks + 1, sizeof(*at));
	for (r = 0; r <= ranks; r++)
		at[r] = (size_t)r;
	sent[bt_dist_rank(d)] = bt_dist_sent(d);
	bt_dist_share(d, sent, sizeof(*sent), at);
	for (r = 0; r < ranks; r++)
		all += sent[r];
	bt_log(t->o->log, BT_LOG_MORE,
	       "%d ranks sent each other %llu bytes in %lld updates", ranks,
	       (unsigned long long)all, (long long)(t->s.step - t->res->steps));
	free(sent);
	free(at);
}

static void clear(struct bt_train_run *t)
{
	bt_fgm_clear(&t->fgm);
	bt_optim_clear(&t->optim);
	bt_shards_clear(&t->shards);
	bt_row_set_clear(&t->row_set);
	free(t->shard_sums);
	bt_batches_clear(&t->batches);
	bt_gather_clear(&t->gather);
	bt_whole_update_clear(&t->whole);
	bt_metrics_clear(&t->metrics);
}

static void sum_up(const struct bt_train_run *t)
{
	struct bt_train_result *res = t->res;

	res->whole_seconds = bt_seconds() - t->began;
	res->run_seconds = t->s.seconds + res->whole_seconds;
	res->eval_texts = t->eval != NULL ? bt_dataset_texts(t->eval) : 0;
	res->begun = res->steps;
	res->steps = t->s.step;
	res->total = t->total;
	res->best = t->s.best;
	res->best_epoch = (int)t->s.best_epoch;
	res->best_step = t->s.best_step;
	res->metric = t->o->metric;
	res->measure_only = t->o->measure_only;
}

/* The evaluation of a run that does nothing else. */
static int measure(struct bt_train_run *t, struct bt_error *err)
{
	int r;

	t->start = bt_seconds();
	r = bt_train_report(t, err);
	if (r == BT_OK)
		t->res->end = BT_TRAIN_ALL;
	if (r != BT_ECANCEL) /* while a device's program compiled */
		return r;
	bt_error_clear(err);
	t->res->end = BT_TRAIN_STOPPED;
	return BT_OK;
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
	r = bt_dist_agree(opts->dist, prepare(&t, err), err);
	if (r == BT_OK)
		r = bt_train_ranks_agree(&t, err);
	res->kept = t.s.have_best || (t.s.epoch > 0 && eval == NULL);
	if (r == BT_OK && opts->measure_only) {
		r = measure(&t, err);
	} else if (r == BT_OK) {
		r = run(&t, err);
	}
	/* after an error of one rank others may not come here */
	if (r == BT_OK || opts->dist == NULL)
		bt_optim_catch_up(&t.optim, bt_engine_params(m->engine), NULL);
	if (r == BT_OK)
		log_sent(&t);
	if (t.start > 0)
		res->seconds += bt_seconds() - t.start;
	if (opts->progress != NULL)
		bt_progress_clear(opts->progress);
	sum_up(&t);
	c = bt_append_log_close(&t.history, err);
	r = r != BT_OK ? r : c;
	c = bt_events_close(&t.events, err);
	r = r != BT_OK ? r : c;
	clear(&t);
	/* the checkpoint of a run that is over serves only who asked for it */
	over = r == BT_OK && !opts->measure_only &&
	       (res->end == BT_TRAIN_ALL || res->end == BT_TRAIN_NO_BETTER);
	over = over && bt_dist_is_first(opts->dist);
	if (over)
		bt_unfinished_end(opts->out);
	if (over && opts->keep <= 0) {
		path = bt_train_checkpoint(opts->out);
		(void)unlink(path);
		free(path);
	}
	return r;
}

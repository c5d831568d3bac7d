/* SPDX-License-Identifier: MIT */
/* One trial: its command, what it is expected to cost, and its training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "format/json.h"
#include "train/result.h"
#include "tune/search_int.h"

/* Of the budget: what the first trial may take before it is known how long all
 * of it will; and by how much the last trial may exceed it. */
#define PROBE .1
#define EXCESS .03

void bt_tune_trial_clear(struct bt_tune_trial *t)
{
	free(t->value);
	bt_command_clear(&t->command);
}

/* The command with these values. */
static int make_command(const struct bt_tune_search *x, struct bt_tune_trial *t,
                        struct bt_error *err)
{
	const struct bt_command *c = &x->o->command;
	const struct bt_tune_space *s = &x->o->space;
	size_t k;
	int r =
	    bt_command_copy(&t->command, x->o->tool, c->n, c->word, NULL, err);

	for (k = 0; r == BT_OK && t->value != NULL && k < s->n; k++)
		r = bt_command_set(&t->command, x->o->tool, s->setting[k].name,
		                   t->value[k], err);
	return r;
}

/* Updates of a run are in proportion to this. */
static double updates(const struct bt_train_opts *t, double *examples)
{
	double share = t->train_share > 0 ? t->train_share : 1;

	*examples = (double)(t->batching.size > 0 ? t->batching.size : 1) *
	            (double)t->batching.accumulate;
	return t->steps > 0 ? (double)t->steps : t->epochs * share / *examples;
}

int bt_tune_add_trial(struct bt_tune_search *x, char (*value)[BT_TUNE_VALUE],
                      bool *added, struct bt_error *err)
{
	struct bt_tune_trial t = {.value = value, .metric = NAN, .loss = NAN};
	struct bt_error why = {0};
	struct bt_job_opts job = {0};
	int r = make_command(x, &t, err);

	*added = false;
	if (r == BT_OK)
		r = x->o->job(x->o->ctx, &t.command, &job, &why);
	if (r == BT_OK)
		r = bt_grow(&x->trial, &x->cap, x->n + 1, sizeof(t));
	if (r == BT_ENOMEM)
		bt_error_nomem(err, "tuning");
	if (r == BT_OK) {
		t.relative = updates(&job.train, &t.examples);
		if (x->n > 0)
			t.relative /= x->trial[0].relative;
		x->trial[x->n++] = t;
		*added = true;
		return BT_OK;
	}
	bt_tune_trial_clear(&t);
	return r == BT_EARG && x->n > 0 ? BT_OK
	       : why.code != BT_OK      ? bt_error_set(err, r, "%s", why.text)
	                                : r;
}

bool bt_tune_before(const struct bt_tune_search *x,
                    const struct bt_tune_trial *a,
                    const struct bt_tune_trial *b)
{
	if (isnan(a->metric) || isnan(b->metric))
		return !isnan(a->metric) && isnan(b->metric);
	if (a->metric != b->metric)
		return x->falls ? a->metric < b->metric : a->metric > b->metric;
	return a->loss < b->loss;
}

/* Seconds of an update: of the trial itself, of others with as many examples in
 * it, or by the first: a smaller update saves half of what it is smaller. */
static double seconds(const struct bt_tune_search *x, size_t i)
{
	const struct bt_tune_trial *t = &x->trial[i], *u;
	double sum = 0, first, ratio;
	int64_t n = 0;
	size_t k;

	if (t->updates > 0)
		return t->seconds / (double)t->updates;
	for (k = 0; k < x->used; k++) {
		u = &x->trial[k];
		if (u->examples == t->examples && u->updates > 0) {
			sum += u->seconds;
			n += u->updates;
		}
	}
	if (n > 0)
		return sum / (double)n;
	u = &x->trial[0];
	first = u->seconds / (double)u->updates;
	ratio = t->examples / u->examples;
	return first * (ratio < 1 ? (1 + ratio) / 2 : ratio);
}

double bt_tune_trial_cost(const struct bt_tune_search *x, size_t i)
{
	const struct bt_tune_trial *t = &x->trial[i];
	double n;

	if (t->total > 0)
		n = (double)t->total;
	else if (i == 0)
		n = 1;
	else
		n = ceil(t->relative * (double)x->trial[0].total);
	return bt_tune_timed(x) ? n * seconds(x, i) : n;
}

double bt_tune_start_cost(const struct bt_tune_search *x)
{
	return bt_tune_timed(x) && x->starts > 0
	           ? x->starting / (double)x->starts
	           : 0;
}

/* What a line of the file says of a trial. */
static void apply(struct bt_tune_search *x, size_t i, const json_t *line)
{
	struct bt_tune_trial *t = &x->trial[i];
	const char *end = json_string_value(json_object_get(line, "end"));
	const json_t *metric = json_object_get(line, "metric");
	const json_t *loss = json_object_get(line, "loss");
	int64_t now = json_integer_value(json_object_get(line, "updates"));
	double took = json_number_value(json_object_get(line, "seconds"));
	double training =
	    json_number_value(json_object_get(line, "training_seconds"));

	x->spent += bt_tune_timed(x) ? took : (double)(now - t->updates);
	x->starting += took - training;
	x->starts++;
	t->updates = now;
	t->total = json_integer_value(json_object_get(line, "of"));
	t->seconds += training;
	t->share = json_number_value(json_object_get(line, "share"));
	t->metric = json_is_number(metric) ? json_number_value(metric) : NAN;
	t->loss = json_is_number(loss) ? json_number_value(loss) : NAN;
	t->over = strcmp(end, "all") == 0 || strcmp(end, "no_better") == 0;
	t->failed = strcmp(end, "failed") == 0;
	x->ended |= strcmp(end, "time") == 0;
	bt_tune_print_row(x, i, line);
}

/* A line that an earlier run wrote is of these settings. */
static int check_settings(const struct bt_tune_search *x, size_t i,
                          const json_t *line, struct bt_error *err)
{
	const json_t *had = json_object_get(line, "settings");
	const struct bt_tune_trial *t = &x->trial[i];
	const struct bt_tune_space *s = &x->o->space;
	size_t n = t->value != NULL ? s->n : 0, k;
	const char *v;

	for (k = 0; k < n; k++) {
		v = json_string_value(json_object_get(had, s->setting[k].name));
		if (v == NULL || strcmp(v, t->value[k]) != 0)
			break;
	}
	if (k == n && json_object_size(had) == n)
		return BT_OK;
	return bt_error_hint(err, BT_HINT_START_OVER,
	                     bt_error_set(err, BT_EFORMAT,
	                                  "'%s': trial %zu had other settings",
	                                  x->journal.path, i + 1));
}

/* The line of a trial that was trained; NULL: out of memory. */
static json_t *describe(struct bt_tune_search *x, size_t i, double share,
                        const struct bt_train_result *res, const char *failed)
{
	const struct bt_tune_trial *t = &x->trial[i];
	const struct bt_tune_space *s = &x->o->space;
	json_t *settings = json_object();
	double now = bt_seconds(), metric = res->best, loss = NAN;
	size_t k;

	if (res->measured.kind != NULL)
		loss = res->measured.loss;
	if (res->end != BT_TRAIN_ALL && res->end != BT_TRAIN_NO_BETTER &&
	    (res->measured.kind == NULL || res->end != BT_TRAIN_PAUSED ||
	     bt_metrics_find(&res->measured, x->metric, &metric, NULL) !=
	         BT_OK))
		metric = NAN;
	for (k = 0; t->value != NULL && k < s->n; k++)
		json_object_set_new(settings, s->setting[k].name,
		                    json_string(t->value[k]));
	settings =
	    json_pack("{s:I, s:f, s:I, s:I, s:o, s:o, s:f, s:f, s:s, s:o}",
	              "trial", (json_int_t)(i + 1), "share", share, "updates",
	              (json_int_t)res->steps, "of", (json_int_t)res->total,
	              "metric", bt_json_finite(failed != NULL ? NAN : metric),
	              "loss", bt_json_finite(loss), "seconds", now - x->mark,
	              "training_seconds", res->whole_seconds, "end",
	              failed != NULL ? "failed" : bt_train_end_name(res->end),
	              "settings", settings);
	if (failed != NULL)
		json_object_set_new(settings, "error", json_string(failed));
	x->mark = now;
	return settings;
}

/* The first line: what the search is of. */
static int write_head(struct bt_tune_search *x, struct bt_error *err)
{
	const struct bt_tune_opts *o = x->o;
	json_t *head;

	if (x->journal.head != NULL)
		return BT_OK;
	head = json_pack("{s:s, s:I, s:s, s:b, s:I}", "command", o->same,
	                 "seed", (json_int_t)o->seed, "metric", x->metric,
	                 "smaller_is_better", (int)x->falls, "evaluation_texts",
	                 (json_int_t)x->eval_texts);
	json_object_update(head, x->inputs);
	if (bt_tune_timed(x))
		json_object_set_new(head, "minutes", json_real(o->minutes));
	else
		json_object_set_new(head, "steps",
		                    json_integer((json_int_t)o->steps));
	return bt_tune_journal_add(&x->journal, head, err);
}

/* An error that is the settings' is the end of that trial alone. */
static bool is_its_own(int r)
{
	return r == BT_ELIMIT || r == BT_EARG || r == BT_EFORMAT;
}

/* Messages are those of the first trial; of all, where details are asked for.
 */
static void prepare(struct bt_tune_search *x, size_t i, double share,
                    struct bt_job_opts *job, struct bt_log *log)
{
	struct bt_train_opts *t = &job->train;
	double left = x->budget * (1 + EXCESS) - x->spent;

	*log = x->o->log != NULL ? *x->o->log : (struct bt_log){0};
	if (i > 0)
		log->summary = NULL;
	if (i > 0 && log->level < BT_LOG_MORE)
		*log = (struct bt_log){0};
	t->log = log;
	t->keep_finished = false;
	t->pause = share < 1 ? share : 0;
	t->resume = bt_train_left(t->out);
	if (bt_tune_timed(x))
		t->max_minutes = (i == 0 && !t->resume ? PROBE * x->budget
		                                       : fmax(left, .06)) /
		                 60;
	job->card_name = x->dir;
}

/* The budget is not enough for the first trial. */
static int too_small(const struct bt_tune_search *x, double all,
                     struct bt_error *err)
{
	return bt_error_set(
	    err, BT_EARG,
	    "one training takes about %.2g minutes, more than the budget of "
	    "%.3g",
	    all / 60, x->o->minutes);
}

/* Trains the first trial on after it was seen how fast it is. */
static int train_on(struct bt_tune_search *x, struct bt_job_opts *job,
                    struct bt_train_result *res, struct bt_error *err)
{
	double took = bt_seconds() - x->mark, whole = res->whole_seconds, all;
	int r;

	all = took + whole * (double)(res->total - res->steps) /
	                 (double)(res->steps > 0 ? res->steps : 1);
	if (all > x->budget)
		return too_small(x, all, err);
	job->train.resume = true;
	job->train.max_minutes = (x->budget * (1 + EXCESS) - took) / 60;
	r = bt_job_run(job, res, err);
	res->whole_seconds += whole;
	if (r == BT_OK && res->end == BT_TRAIN_TIME)
		r = too_small(
		    x, x->budget * (double)res->total / (double)res->steps,
		    err);
	return r;
}

static int run(struct bt_tune_search *x, size_t i, double share,
               struct bt_train_result *res, struct bt_error *err)
{
	char *dir = bt_tune_trial_dir(x, i);
	struct bt_job_opts job = {0};
	struct bt_log log;
	int r = x->o->job(x->o->ctx, &x->trial[i].command, &job, err);

	job.train.out = dir;
	prepare(x, i, share, &job, &log);
	if (i == 0)
		bt_summary_open(bt_log_summary(&log), "trial-1");
	if (r == BT_OK)
		r = bt_job_run(&job, res, err);
	if (r == BT_OK && i == 0 && res->end == BT_TRAIN_TIME)
		r = train_on(x, &job, res, err);
	if (i == 0)
		bt_summary_close(bt_log_summary(&log));
	free(dir);
	return r;
}

int bt_tune_train(struct bt_tune_search *x, size_t i, double share,
                  struct bt_error *err)
{
	const json_t *line = bt_tune_journal_find(&x->journal, i + 1, share);
	struct bt_train_result *res = x->end;
	struct bt_error why = {0};
	json_t *o;
	int r;

	if (line != NULL) {
		if ((r = check_settings(x, i, line, err)) == BT_OK)
			apply(x, i, line);
		return r;
	}
	if (x->journal.result != NULL) { /* all was done */
		x->ended = true;
		return BT_OK;
	}
	memset(res, 0, sizeof(*res));
	r = run(x, i, share, res, &why);
	if (r != BT_OK && (i == 0 || !is_its_own(r)))
		return bt_error_hint(err, why.hint,
		                     bt_error_set(err, r, "%s", why.text));
	if (r != BT_OK)
		bt_log_warn(x->o->log, "trial-failed", BT_HINT_NONE,
		            "trial %zu: %s", i + 1, why.text);
	if (r == BT_OK && res->end == BT_TRAIN_STOPPED) {
		x->ended = true;
		return BT_OK;
	}
	if (i == 0) {
		x->eval_texts = res->eval_texts;
		x->falls = bt_metrics_falls(res->metric);
		strncpy(x->metric, res->metric, sizeof(x->metric) - 1);
		if ((r = write_head(x, err)))
			return r;
		bt_tune_print_heading(x);
	}
	o = describe(x, i, share, res, r != BT_OK ? why.text : NULL);
	r = bt_tune_journal_add(&x->journal, o, err);
	if (r == BT_OK)
		apply(x, i, bt_tune_journal_find(&x->journal, i + 1, share));
	return r;
}

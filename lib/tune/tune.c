/* SPDX-License-Identifier: MIT */
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sys.h"
#include "finetune/inputs.h"
#include "io/path.h"
#include "train/dir_lock.h"
#include "tune/plan.h"
#include "tune/search_int.h"

#define MOST 512     /* trials that begin together */
#define IN_VAIN 1000 /* draws, after which there is nothing new to try */

/* Whether a trial had these values before. */
static bool is_known(const struct bt_tune_search *x,
                     char (*value)[BT_TUNE_VALUE])
{
	size_t n = x->o->space.n, i, k;

	for (i = 1; i < x->n; i++) {
		for (k = 0; k < n; k++)
			if (strcmp(x->trial[i].value[k], value[k]) != 0)
				break;
		if (k == n)
			return true;
	}
	return false;
}

static double left(const struct bt_tune_search *x)
{
	return x->budget - x->spent;
}

/* Forgets trials to come that the rest of the budget is not enough for. */
static void forget_long(struct bt_tune_search *x)
{
	double start = bt_tune_start_cost(x);
	size_t i, n = x->used;

	for (i = x->used; i < x->n; i++)
		if (bt_tune_trial_cost(x, i) + start > left(x))
			bt_tune_trial_clear(&x->trial[i]);
		else
			x->trial[n++] = x->trial[i];
	x->n = n;
}

/* Draws trials until there are more than the budget is enough for. */
static int draw(struct bt_tune_search *x, struct bt_error *err)
{
	struct bt_tune_space *s = &x->o->space;
	double cost = 0, start = bt_tune_start_cost(x), one;
	char(*value)[BT_TUNE_VALUE];
	size_t vain = 0, i;
	bool added;
	int r = BT_OK;

	forget_long(x);
	for (i = x->used; i < x->n; i++)
		cost += bt_tune_trial_cost(x, i) / 4 + start;
	while (r == BT_OK && cost <= left(x) && x->n - x->used < MOST &&
	       vain < IN_VAIN) {
		value = bt_array(s->n, sizeof(*value));
		if (value == NULL)
			return bt_error_nomem(err, "tuning");
		bt_tune_space_draw(s, x->o->seed, x->draws++, value);
		added = false;
		if (is_known(x, value))
			free(value);
		else
			r = bt_tune_add_trial(x, value, &added, err);
		vain++;
		if (r != BT_OK || !added)
			continue;
		one = bt_tune_trial_cost(x, x->n - 1);
		if (one + start > left(x)) {
			bt_tune_trial_clear(&x->trial[--x->n]);
			continue;
		}
		cost += one / 4 + start;
		vain = 0;
	}
	return r;
}

/* Sorts trials, the best first; equal ones stay in their order. */
static void rank(const struct bt_tune_search *x, size_t *live, size_t n)
{
	size_t i, k, one;

	for (i = 1; i < n; i++) {
		one = live[i];
		for (k = i; k > 0 && bt_tune_before(x, &x->trial[one],
		                                    &x->trial[live[k - 1]]);
		     k--)
			live[k] = live[k - 1];
		live[k] = one;
	}
}

/* The best of the trials that were trained to their end. */
static size_t best(const struct bt_tune_search *x, size_t but)
{
	size_t i, k = x->used;

	for (i = 0; i < x->used; i++)
		if (i != but && x->trial[i].over &&
		    (k == x->used ||
		     bt_tune_before(x, &x->trial[i], &x->trial[k])))
			k = i;
	return k;
}

/* Drops all that were trained to their end but the best. */
static void drop_worse(const struct bt_tune_search *x)
{
	size_t first = best(x, x->used), i;

	for (i = 0; i < x->used; i++)
		if (x->trial[i].over && i != first)
			bt_tune_drop(x, i);
}

/* Of n ranked trials the better half of those that can go on, but of `begun`
 * that there will be. They are put first, the others are dropped. Returns how
 * many they are. */
static size_t keep_half(const struct bt_tune_search *x, size_t *live, size_t n,
                        size_t begun)
{
	size_t half = bt_tune_half(begun), m = 0, i, one;

	for (i = 0; i < n; i++) {
		one = live[i];
		if (x->trial[one].over)
			continue;
		if (x->trial[one].failed || m == half)
			bt_tune_drop(x, one);
		else
			live[m++] = one;
	}
	drop_worse(x);
	return m;
}

/* Of n ranked trials those that the budget is enough for, up to rung k and from
 * there on. The others are dropped. */
static size_t keep_short(const struct bt_tune_search *x, size_t *live, size_t n,
                         const double *share, int rungs, int k)
{
	double start = bt_tune_start_cost(x), cost[MOST];
	size_t m = 0, i;

	for (i = 0; i < n; i++) {
		cost[m] = bt_tune_trial_cost(x, live[i]);
		if (bt_tune_cost(cost, m + 1, 0, share, rungs, k, start) <=
		    left(x))
			live[m++] = live[i];
		else
			bt_tune_drop(x, live[i]);
	}
	return m;
}

/* Trains n new trials for the first share of their updates, or fewer where they
 * are slower than it was thought. Those that can go on are put into live, the
 * best first, and counted in *n. */
static int begin(struct bt_tune_search *x, size_t *live, size_t *n,
                 const double *share, int rungs, struct bt_error *err)
{
	size_t first = x->used, want = *n, m = 0, i, k;
	double cost[MOST];
	int r = BT_OK;

	for (k = 0; r == BT_OK && k < want && !x->ended; k++) {
		for (i = 0; i < want; i++)
			cost[i] = bt_tune_trial_cost(x, first + i);
		while (want > k && k > 0 &&
		       bt_tune_cost(cost, want, k, share, rungs, 0,
		                    bt_tune_start_cost(x)) > left(x))
			want--;
		if (k == want)
			break;
		live[m] = x->used++;
		r = bt_tune_train(x, live[m], share[0], err);
		rank(x, live, m + 1);
		m = keep_half(x, live, m + 1, want);
	}
	*n = m;
	return r;
}

/* Successive halving of n new trials. */
static int halve(struct bt_tune_search *x, size_t n, struct bt_error *err)
{
	double share[BT_TUNE_RUNGS];
	size_t live[MOST + 1], i;
	int rungs = bt_tune_rungs(n, share), k;
	int r = begin(x, live, &n, share, rungs, err);

	for (k = 1; r == BT_OK && k < rungs && !x->ended; k++) {
		if (k > 1)
			n = keep_half(x, live, n, n);
		n = keep_short(x, live, n, share, rungs, k);
		for (i = 0; r == BT_OK && i < n && !x->ended; i++) {
			r = bt_tune_train(x, live[i], share[k], err);
			drop_worse(x);
		}
		rank(x, live, n);
	}
	return r;
}

/* So values are refused before anything is trained. */
int bt_tune_check(struct bt_tune_opts *o, struct bt_error *err)
{
	struct bt_job_opts job;
	struct bt_command c;
	size_t k, i;
	int r = BT_OK;

	for (k = 0; r == BT_OK && k < o->space.n; k++)
		for (i = 0; r == BT_OK && i < o->space.setting[k].n; i++) {
			c = (struct bt_command){0};
			r = bt_command_copy(&c, o->tool, o->command.n,
			                    o->command.word, NULL, err);
			if (r == BT_OK)
				r = bt_command_set(
				    &c, o->tool, o->space.setting[k].name,
				    o->space.setting[k].value[i], err);
			if (r == BT_OK)
				r = o->job(o->ctx, &c, &job, err);
			bt_command_clear(&c);
		}
	return r;
}

/* Of a new search: the directory can be written to, and the budget is enough
 * for one training. */
static int check_new(struct bt_tune_search *x, struct bt_job_opts *job,
                     struct bt_error *err)
{
	struct bt_memory_plan need;
	struct bt_log none = {0};
	int r;

	job->train.keep_finished = !x->o->force;
	job->train.log = &none;
	if ((r = bt_job_plan(job, &need, err)))
		return r;
	if (!x->o->anew && !x->o->force && bt_train_left(x->dir))
		return bt_error_hint(
		    err, BT_HINT_START_OVER,
		    bt_error_set(err, BT_EARG,
		                 "'%s' has the checkpoint of another run, "
		                 "which the search would remove",
		                 x->dir));
	if (x->o->anew || x->o->force)
		bt_tune_drop_all(x);
	x->trial[0].total = need.steps;
	if (!bt_tune_timed(x) && need.steps > x->o->steps)
		return bt_error_set(err, BT_EARG,
		                    "one training takes %lld updates, more "
		                    "than the budget of %lld",
		                    (long long)need.steps,
		                    (long long)x->o->steps);
	return BT_OK;
}

/* A search that is there must be this one. */
static int check_same(struct bt_tune_search *x, struct bt_error *err)
{
	const json_t *h = x->journal.head;
	const char *same = json_string_value(json_object_get(h, "command"));
	enum bt_hint hint =
	    x->journal.result != NULL ? BT_HINT_FORCE : BT_HINT_START_OVER;

	x->falls = json_is_true(json_object_get(h, "smaller_is_better"));
	x->eval_texts =
	    (size_t)json_integer_value(json_object_get(h, "evaluation_texts"));
	strncpy(x->metric, json_string_value(json_object_get(h, "metric")),
	        sizeof(x->metric) - 1);
	if (strcmp(same, x->o->same) == 0)
		return bt_inputs_check(h, x->inputs, x->dir, BT_TUNE_FILE, hint,
		                       err);
	return bt_error_hint(
	    err, hint,
	    bt_error_set(err, BT_EARG,
	                 "'%s' is of another search, by the command %s",
	                 x->journal.path, same));
}

static int open_search(struct bt_tune_search *x, struct bt_error *err)
{
	struct bt_job_opts job;
	bool added;
	int r = bt_tune_journal_open(&x->journal, x->dir, err);

	if (r == BT_OK &&
	    (x->o->force || (x->o->anew && x->journal.result == NULL)))
		bt_tune_journal_forget(&x->journal);
	if (r || (r = bt_tune_add_trial(x, NULL, &added, err)) ||
	    (r = x->o->job(x->o->ctx, &x->trial[0].command, &job, err)))
		return r;
	if (x->journal.head == NULL)
		return check_new(x, &job, err);
	if ((r = check_same(x, err)))
		return r;
	bt_tune_print_heading(x);
	return BT_OK;
}

/* All trials, one after another. */
static int search(struct bt_tune_search *x, struct bt_error *err)
{
	double *cost;
	size_t n, i;
	int r;

	x->used = 1;
	r = bt_tune_train(x, 0, 1, err);
	while (r == BT_OK && !x->ended) {
		if ((r = draw(x, err)))
			break;
		n = x->n - x->used < MOST ? x->n - x->used : MOST;
		if (n == 0)
			break;
		cost = bt_array(n, sizeof(*cost));
		for (i = 0; cost != NULL && i < n; i++)
			cost[i] = bt_tune_trial_cost(x, x->used + i);
		n = cost != NULL
		        ? bt_tune_fit(cost, n, bt_tune_start_cost(x), left(x))
		        : 0;
		free(cost);
		if (n == 0)
			break;
		r = halve(x, n, err);
	}
	return r;
}

static bool is_stopped(const struct bt_tune_search *x)
{
	return x->end->end == BT_TRAIN_STOPPED;
}

static void clear(struct bt_tune_search *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		bt_tune_trial_clear(&x->trial[i]);
	free(x->trial);
	json_decref(x->inputs);
	bt_tune_journal_clear(&x->journal);
}

int bt_tune_run(struct bt_tune_opts *o, struct bt_train_result *end,
                struct bt_error *err)
{
	struct bt_tune_search x = {.o = o, .end = end, .mark = bt_seconds()};
	struct bt_job_opts job = {0};
	size_t first, second;
	int claim = -1, r;
	bool made = false;

	memset(end, 0, sizeof(*end));
	x.budget = o->minutes > 0 ? 60 * o->minutes : (double)o->steps;
	r = o->job(o->ctx, &o->command, &job, err);
	x.dir = job.train.out;
	if (r == BT_OK)
		r = bt_tune_check(o, err);
	if (r == BT_OK) {
		made = !bt_path_there(x.dir);
		r = bt_dir_lock_make(x.dir, &claim, err);
	}
	if (r == BT_OK)
		r = bt_job_inputs(&job, &x.inputs, err);
	if (r == BT_OK)
		r = open_search(&x, err);
	if (r == BT_OK)
		r = search(&x, err);
	if (r == BT_OK && !is_stopped(&x)) {
		first = best(&x, x.used);
		second = best(&x, first);
		r = bt_tune_promote(&x, first, err);
		if (r == BT_OK)
			bt_tune_drop_all(&x);
		if (r == BT_OK)
			r = bt_tune_report(
			    &x, first, second < x.used ? second : first, err);
		end->end = BT_TRAIN_ALL;
	}
	if (r != BT_OK && made)
		(void)rmdir(x.dir); /* unless something is in it */
	clear(&x);
	bt_dir_lock_release(claim);
	return r;
}

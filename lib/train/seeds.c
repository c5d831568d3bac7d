/* SPDX-License-Identifier: MIT */
#include "train/seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/mem.h"
#include "finetune/inputs.h"
#include "format/json.h"
#include "io/path.h"
#include "train/dir_lock.h"

void bt_seeds_clear(struct bt_seeds *s)
{
	free(s->value);
	free(s->done);
	free(s->then);
	json_decref(s->inputs);
	memset(s, 0, sizeof(*s));
}

static void seed_name(const struct bt_seeds *s, size_t i, char name[24])
{
	snprintf(name, 24, "%llu", (unsigned long long)(s->first + i));
}

static void folder_name(const struct bt_seeds *s, size_t i, char folder[32])
{
	char name[24];

	seed_name(s, i, name);
	snprintf(folder, 32, "seed-%s", name);
}

/* Whether its model is that of the file: with --force, a run that was killed
 * may have been about to replace it. */
static bool is_there(const struct bt_seeds *s, size_t i, const char *dir)
{
	char folder[32], *path;
	bool there;

	folder_name(s, i, folder);
	path = bt_path_join(dir, folder);
	there = bt_model_finished(path);
	free(path);
	return there;
}

/* Values of several metrics are not those of one. */
static int check_metric(const struct bt_seeds *s, const char *dir,
                        const char *metric, struct bt_error *err)
{
	if (s->then == NULL || metric == NULL || strcmp(s->then, metric) == 0)
		return BT_OK;
	return bt_error_hint(err, BT_HINT_FORCE,
	                     bt_error_set(err, BT_EARG,
	                                  "'%s/" BT_SEEDS_FILE
	                                  "' has values of the metric "
	                                  "'%s', and these would be of '%s'",
	                                  dir, s->then, metric));
}

/* What earlier runs came to. */
static int read_file(struct bt_seeds *s, const char *dir, struct bt_error *err)
{
	const json_t *all, *v;
	char name[24];
	json_t *o;
	size_t i;
	int r;

	bt_file_use_own(true);
	r = bt_json_load_in(dir, BT_SEEDS_FILE, &o, err);
	bt_file_use_own(false);
	if (r == BT_OK)
		r = bt_inputs_check(o, s->inputs, dir, BT_SEEDS_FILE,
		                    BT_HINT_FORCE, err);
	all = json_object_get(o, "seeds");
	v = json_object_get(o, "metric");
	if (json_is_string(v))
		s->then =
		    bt_strndup(json_string_value(v), json_string_length(v));
	for (i = 0; s->then != NULL && i < s->n; i++) {
		seed_name(s, i, name);
		v = json_object_get(all, name);
		s->done[i] = (json_is_number(v) || json_is_null(v)) &&
		             is_there(s, i, dir);
		if (s->done[i] && json_is_number(v))
			s->value[i] = json_number_value(v);
	}
	json_decref(o);
	return r;
}

/* As the file has it: the same whether a run was stopped after it or not. */
static double as_written(double v)
{
	char s[32];

	snprintf(s, sizeof(s), "%.*g", BT_JSON_DIGITS, v);
	return strtod(s, NULL);
}

/* Mean, deviation and the best of those that are there. */
static void sum_up(struct bt_seeds *s)
{
	bool falls = bt_metrics_falls(s->metric);
	double sum = 0, squares = 0, d, best;
	size_t i, n = 0;

	s->best = s->n;
	for (i = 0; i < s->n; i++) {
		if (isnan(s->value[i]))
			continue;
		n++;
		sum += s->value[i];
		best = s->best < s->n ? s->value[s->best] : NAN;
		if (s->best == s->n ||
		    (falls ? s->value[i] < best : s->value[i] > best))
			s->best = i;
	}
	s->mean = n > 0 ? sum / (double)n : NAN;
	for (i = 0; i < s->n; i++) {
		d = isnan(s->value[i]) ? 0 : s->value[i] - s->mean;
		squares += d * d;
	}
	s->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

static int write_file(const struct bt_seeds *s, const char *dir,
                      struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_SEEDS_FILE), name[24];
	json_t *seeds = json_object(), *o;
	size_t i;
	int r;

	for (i = 0; i < s->n; i++) {
		seed_name(s, i, name);
		if (s->done[i])
			json_object_set_new(seeds, name,
			                    bt_json_finite(s->value[i]));
	}
	o = json_pack("{s:s, s:o, s:o, s:o, s:o}", "metric", s->metric, "seeds",
	              seeds, "mean", bt_json_finite(s->mean), "deviation",
	              bt_json_finite(s->deviation), "best",
	              s->best < s->n
	                  ? json_integer((json_int_t)(s->first + s->best))
	                  : json_null());
	json_object_update(o, s->inputs);
	r = o != NULL ? bt_json_save(path, o, err)
	              : bt_error_nomem(err, "writing JSON");
	json_decref(o);
	free(path);
	return r;
}

/* Trains with seed number i. */
static int train(struct bt_seeds *s, size_t i, const struct bt_job_opts *all,
                 bool anew, struct bt_train_result *end, struct bt_error *err)
{
	const struct bt_log *log = all->train.log;
	struct bt_job_opts o = *all;
	struct bt_log_headed headed;
	char name[24], folder[32], *dir;
	int r;

	seed_name(s, i, name);
	folder_name(s, i, folder);
	o.train.out = dir = bt_path_join(all->train.out, folder);
	o.train.batching.seed = s->first + i;
	o.default_recipe = o.default_recipe && i == 0; /* is said once */
	o.train.keep_finished = false; /* it is not in the file */
	o.train.resume = !anew && bt_train_left(dir);
	bt_log_head(&headed, log, "seed %s%s", name,
	            o.train.resume ? " goes on" : "");
	o.train.log = &headed.log;
	bt_summary_open(bt_log_summary(log), folder);
	r = bt_job_run(&o, end, err);
	bt_summary_close(bt_log_summary(log));
	if (r != BT_OK)
		bt_error_prefix(err, "seed %s", name);
	free(dir);
	return r;
}

static bool has_ended(const struct bt_train_result *end)
{
	return end->end == BT_TRAIN_ALL || end->end == BT_TRAIN_NO_BETTER;
}

int bt_seeds_run(struct bt_seeds *s, const struct bt_job_opts *o, bool force,
                 bool anew, struct bt_train_result *end, struct bt_error *err)
{
	const char *dir = o->train.out;
	bool made = !bt_path_there(dir);
	int claim = -1, r;
	size_t i;

	s->value = bt_array(s->n, sizeof(*s->value));
	s->done = bt_array0(s->n, sizeof(*s->done));
	if (s->value == NULL || s->done == NULL)
		return bt_error_nomem(err, "training with several seeds");
	for (i = 0; i < s->n; i++)
		s->value[i] = NAN;
	r = bt_dir_lock_make(dir, &claim, err);
	if (r == BT_OK)
		r = bt_job_inputs(o, &s->inputs, err);
	if (r == BT_OK && !force)
		r = read_file(s, dir, err);
	if (r == BT_OK)
		r = check_metric(s, dir, o->train.metric, err);
	s->metric = s->then;
	end->end = BT_TRAIN_ALL;
	for (i = 0; r == BT_OK && has_ended(end) && i < s->n; i++) {
		if (s->done[i])
			continue;
		r = train(s, i, o, anew, end, err);
		if (r == BT_OK)
			r = check_metric(s, dir, end->metric, err);
		if (r != BT_OK || !has_ended(end))
			continue;
		s->metric = end->metric;
		s->value[i] = as_written(end->best);
		s->done[i] = true;
		sum_up(s);
		r = write_file(s, dir, err);
	}
	if (r == BT_OK && s->metric != NULL)
		sum_up(s);
	if (r != BT_OK && made)
		(void)rmdir(dir); /* unless something is in it */
	bt_dir_lock_release(claim);
	return r;
}

void bt_seeds_report(const struct bt_seeds *s, struct bt_buf *b)
{
	char name[24];
	size_t i;

	bt_buf_printf(b, "%-20s  %s\n", "seed", s->metric);
	for (i = 0; i < s->n; i++) {
		seed_name(s, i, name);
		bt_buf_printf(b, "%-20s  %.4f%s\n", name, s->value[i],
		              i == s->best ? "  the best" : "");
	}
	bt_buf_printf(b, "%-20s  %.4f\n%-20s  %.4f\n", "mean", s->mean,
	              "deviation", s->deviation);
}

void bt_seeds_facts(const struct bt_seeds *s, struct bt_summary *to)
{
	bt_summary_text(to, "metric", s->metric);
	bt_summary_real(to, "mean", s->mean);
	bt_summary_real(to, "deviation", s->deviation);
	if (s->best < s->n)
		bt_summary_count(to, "best_seed", s->first + s->best);
}

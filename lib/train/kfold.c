/* SPDX-License-Identifier: MIT */
#include "train/kfold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/mem.h"
#include "evaluate/evaluation.h"
#include "finetune/inputs.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"
#include "tensorstream/row_writer.h"
#include "train/dir_lock.h"
#include "train/kfold_int.h"
#include "train/warnings.h"

/* All folds; the predictions of all texts. */
struct run {
	const struct bt_job_opts *o;
	struct bt_kfold_result *res;
	struct bt_pool *pool;
	struct bt_labels labels;    /* of the first model */
	const struct bt_task *task; /* its */
	size_t width;               /* outputs */
	size_t texts;               /* of all records */
	char **id;                  /* [texts] or NULL */
	float *logits;              /* [texts][width] */
	struct bt_metrics all;      /* of these */
	size_t examples, leaked;    /* and those that are in other folds, too */
	struct bt_metrics *fold;    /* [folds] of each */
	struct bt_device_waiter waiter;
};

/* A fold that is predicted. */
struct judging {
	struct run *x;
	struct bt_dataset d, held;
	uint32_t *number; /* of the texts of held among all */
	size_t next;      /* of these */
};

static char *fold_dir(const struct bt_job_opts *o, int k)
{
	char name[32];

	snprintf(name, sizeof(name), "fold-%d", k + 1);
	return bt_path_join(o->train.out, name);
}

/* Models of another division, or of other records, know texts of the folds that
 * they would predict. *there: whether the file tells which one it is. */
static int check_division(const struct bt_job_opts *o, json_t *sums,
                          bool *there, struct bt_error *err)
{
	json_t *then, *now, *v;
	char *a = NULL, *b = NULL;
	const char *key;
	int r;

	bt_file_use_own(true);
	r = bt_json_load_in(o->train.out, BT_KFOLD_METRICS, &then, err);
	bt_file_use_own(false);
	*there = r == BT_OK && then != NULL;
	if (!*there)
		return r;
	r = bt_inputs_check(then, sums, o->train.out, BT_KFOLD_METRICS,
	                    BT_HINT_FORCE, err);
	now = bt_kfold_division(&o->fold, sums);
	json_object_foreach(now, key, v)
	{
		const json_t *old = json_object_get(then, key);

		/* earlier versions wrote the number of folds alone */
		if (r != BT_OK || old == NULL || json_equal(v, old))
			continue;
		a = json_dumps(old, JSON_ENCODE_ANY);
		b = json_dumps(v, JSON_ENCODE_ANY);
		r = bt_error_hint(
		    err, BT_HINT_FORCE,
		    bt_error_set(err, BT_EARG,
		                 "'%s' has models of other folds: %s was %s, "
		                 "is %s",
		                 o->train.out, key, a != NULL ? a : "",
		                 b != NULL ? b : ""));
	}
	free(a);
	free(b);
	json_decref(now);
	json_decref(then);
	return r;
}

/* Who is given the directory would take a model that stands there itself. */
static int check_model(const struct bt_job_opts *o, struct bt_error *err)
{
	if (!bt_model_finished(o->train.out))
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_FORCE,
	    bt_error_set(err, BT_EARG,
	                 "'%s' has a finished model, which would be taken in "
	                 "place of those of the folds",
	                 o->train.out));
}

static int write_json(const struct bt_job_opts *o, json_t *v,
                      struct bt_error *err)
{
	char *path = bt_path_join(o->train.out, BT_KFOLD_METRICS);
	int r = v != NULL ? bt_json_save(path, v, err)
	                  : bt_error_nomem(err, "writing JSON");

	json_decref(v);
	free(path);
	return r;
}

/* Trains fold k unless that was done before. told: the file tells which
 * division a model that is there is of. */
static int train(const struct bt_job_opts *all, int k, bool told, bool force,
                 bool anew, struct bt_train_result *end, struct bt_error *err)
{
	struct bt_job_opts o = *all;
	char *dir = fold_dir(all, k);
	const struct bt_log *log = o.train.log;
	struct bt_log_headed headed;
	char key[24];
	int r = BT_OK;

	o.fold.fold = k;
	o.default_recipe = o.default_recipe && k == 0; /* is said once */
	o.train.out = dir;
	o.train.keep_finished = !force;
	if (!force && told && bt_model_finished(dir)) {
		end->end = BT_TRAIN_ALL;
		bt_log(log, BT_LOG_NOTE, "fold %d of %d is finished", k + 1,
		       o.fold.folds);
	} else {
		o.train.resume = !anew && bt_train_left(dir);
		bt_log_head(&headed, log, "fold %d of %d%s", k + 1,
		            o.fold.folds, o.train.resume ? " goes on" : "");
		o.train.log = &headed.log;
		snprintf(key, sizeof(key), "fold-%d", k + 1);
		bt_summary_open(bt_log_summary(log), key);
		r = bt_job_run(&o, end, err);
		bt_summary_close(bt_log_summary(log));
		if (r != BT_OK)
			bt_error_prefix(err, "fold %d", k + 1);
	}
	free(dir);
	return r;
}

static int store(void *ctx, size_t i, const float *logits, struct bt_error *err)
{
	struct judging *j = ctx;
	struct run *x = j->x;
	size_t text = j->number[j->next++];
	struct bt_span id = bt_dataset_id(&j->held, i);

	memcpy(x->logits + text * x->width, logits, x->width * sizeof(*logits));
	if (id.p != NULL)
		x->id[text] = bt_strndup(id.p, id.n);
	return bt_forward_count(&x->all, &j->held, i, logits, err);
}

static int begin_metrics(const struct run *x, struct bt_metrics *m,
                         struct bt_error *err)
{
	int r = bt_metrics_init(m, x->task->metrics, (int)x->width, err);

	m->keep = BT_EVALUATION_KEEP;
	if (m != &x->all)
		m->whole = &x->all;
	return r == BT_OK ? bt_metrics_name_outputs(m, &x->labels, err) : r;
}

/* What the first model tells about all of them. */
static int begin(struct run *x, struct bt_model *m, const struct bt_dataset *d,
                 struct bt_error *err)
{
	size_t n;
	int i;

	x->task = m->task;
	x->width = bt_model_width(m);
	for (i = 0; i < m->labels.n; i++)
		if (bt_labels_add(&x->labels, bt_span(m->labels.name[i]), err) <
		    0)
			return err->code;
	x->texts = bt_dataset_texts(d);
	x->id = bt_array0(x->texts, sizeof(*x->id));
	if (bt_size_mul(x->texts, x->width, &n))
		x->logits = bt_array0(n, sizeof(*x->logits));
	if (x->id == NULL || x->logits == NULL)
		return bt_error_nomem(err, "predicting folds");
	return begin_metrics(x, &x->all, err);
}

/* Folds are those of one set of records and labels. */
static int match(const struct run *x, const struct bt_model *m, const char *dir,
                 struct bt_error *err)
{
	int i, same = m->labels.n == x->labels.n && m->task == x->task;

	for (i = 0; same && i < x->labels.n; i++)
		same = strcmp(m->labels.name[i], x->labels.name[i]) == 0;
	return same ? BT_OK
	            : bt_error_set(err, BT_EFORMAT,
	                           "'%s' has other labels than the first fold",
	                           dir);
}

static int read_records(struct run *x, const struct bt_model *m,
                        struct bt_dataset *d, struct bt_error *err)
{
	struct bt_fit fit = bt_model_fit(m, NULL);

	fit.windows = x->o->train.windows;
	fit.keeps_records = x->o->fold.group != NULL;
	return bt_dataset_read(x->o->records, x->o->n_records, x->o->expect,
	                       &fit, BT_LABELS_KNOWN,
	                       (struct bt_labels *)&m->labels, d, err);
}

/* Lets the device, where there is one, predict. */
static int load_device(struct run *x, const struct bt_model *m,
                       struct bt_gather *g, struct bt_error *err)
{
	const struct bt_train_opts *o = &x->o->train;

	if (o->device == NULL)
		return BT_OK;
	g->device = o->device;
	bt_device_wait(&x->waiter, o->device, o->log, o->progress);
	return bt_model_load_on(m, o->device,
	                        bt_model_low_on(o->device, x->o->dtype), err);
}

/* Predicts the texts that model m was not trained on. */
static int measure(struct judging *j, const struct bt_model *m, int k,
                   struct bt_error *err)
{
	struct run *x = j->x;
	struct bt_gather g = {0};
	size_t room = (size_t)m->config.max_positions;
	int r;

	if (room < BT_FORWARD_TOKENS)
		room = BT_FORWARD_TOKENS;
	r = bt_gather_init(&g, BT_FORWARD_TEXTS, room, 0, err);
	if (r == BT_OK)
		r = begin_metrics(x, &x->fold[k], err);
	if (r == BT_OK)
		r = load_device(x, m, &g, err);
	if (r == BT_OK)
		r = bt_forward_measure(m->engine, &j->held, &g, &x->fold[k],
		                       x->o->train.windows, store, j, err);
	if (g.device != NULL) {
		bt_device_unload(g.device);
		bt_device_watch(g.device, NULL, NULL);
	}
	bt_gather_clear(&g);
	return r;
}

static int judge(struct run *x, int k, struct bt_error *err)
{
	struct bt_engine_opts e = {.pool = x->pool,
	                           .bf16 =
	                               bt_model_low(x->o->dtype, x->o->gemm),
	                           .gemm = x->o->gemm,
	                           .max_sequences = BT_FORWARD_TEXTS,
	                           .max_tokens = BT_FORWARD_TOKENS,
	                           .max_selected = 1,
	                           .max_length = 128};
	struct judging j = {.x = x};
	struct bt_fold fold = x->o->fold;
	char *dir = fold_dir(x->o, k);
	size_t leaked = 0;
	struct bt_model m;
	int r = bt_model_open(dir, &e, &m, err);

	fold.fold = k;
	if (r == BT_OK)
		r = read_records(x, &m, &j.d, err);
	if (r == BT_OK)
		r = k == 0 ? begin(x, &m, &j.d, err) : match(x, &m, dir, err);
	if (r == BT_OK)
		r = bt_fold_take(&fold, m.task, &j.d, &j.held, &j.number, NULL,
		                 err);
	if (r == BT_OK)
		r = bt_warn_leak_count(&j.d, &j.held, &leaked, err);
	x->leaked += r == BT_OK ? leaked : 0;
	x->examples += bt_dataset_texts(&j.held);
	if (r == BT_OK)
		r = measure(&j, &m, k, err);
	bt_dataset_clear(&j.d);
	bt_dataset_clear(&j.held);
	free(j.number);
	bt_model_clear(&m);
	free(dir);
	return r;
}

/* The logits of all texts, in the order of the records. */
static int write_predictions(const struct run *x, struct bt_error *err)
{
	struct bt_row_writer_opts o = {.form = BT_ROWS_TENSOR,
	                               .name = BT_FRAME_LOGITS,
	                               .cols = x->width,
	                               .labels = &x->labels,
	                               .problem =
	                                   x->task == &bt_task_classification
	                                       ? NULL
	                                       : x->task->problem_type};
	char *path = bt_path_join(x->o->train.out, BT_KFOLD_PREDICTIONS);
	struct bt_row_writer *rows = NULL;
	struct bt_out *out = NULL;
	int r = bt_out_open(path, BT_OUT_BINARY, &out, err);
	size_t i;

	if (r == BT_OK)
		r = bt_row_writer_new(&o, out, &rows, err);
	for (i = 0; r == BT_OK && i < x->texts; i++) {
		struct bt_span id = {x->id[i],
		                     x->id[i] != NULL ? strlen(x->id[i]) : 0};

		r = bt_row_writer_add(rows, i, id, x->logits + i * x->width,
		                      err);
		if (r == BT_OK && i % 4096 == 4095)
			r = bt_row_writer_flush(rows, err);
	}
	if (r == BT_OK)
		r = bt_row_writer_finish(rows, err);
	bt_row_writer_free(rows);
	if (r == BT_OK)
		r = bt_out_commit(out, err);
	else if (out != NULL)
		bt_out_abandon(out);
	free(path);
	return r;
}

static void clear(struct run *x)
{
	size_t i;
	int k;

	for (i = 0; x->id != NULL && i < x->texts; i++)
		free(x->id[i]);
	free(x->id);
	free(x->logits);
	for (k = 0; x->fold != NULL && k < x->o->fold.folds; k++)
		bt_metrics_clear(&x->fold[k]);
	free(x->fold);
	bt_labels_clear(&x->labels);
	bt_metrics_clear(&x->all);
	bt_pool_free(x->pool);
}

static int judge_all(const struct bt_job_opts *o, json_t *sums,
                     struct bt_kfold_result *res, struct bt_error *err)
{
	struct run x = {.o = o, .res = res};
	struct bt_metrics_summary *s;
	int k, r = bt_pool_new(o->threads, &x.pool, err);

	s = bt_array0((size_t)o->fold.folds, sizeof(*s));
	x.fold = bt_array0((size_t)o->fold.folds, sizeof(*x.fold));
	if (r == BT_OK && (s == NULL || x.fold == NULL))
		r = bt_error_nomem(err, "predicting folds");
	for (k = 0; r == BT_OK && k < o->fold.folds; k++)
		r = judge(&x, k, err);
	for (k = 0; r == BT_OK && k < o->fold.folds; k++)
		bt_metrics_summary(&x.fold[k], &s[k]);
	if (r == BT_OK)
		r = bt_kfold_sum_up(res, s, o->fold.folds, &x.all, err);
	if (r == BT_OK)
		r = write_predictions(&x, err);
	if (r == BT_OK)
		r = write_json(o, bt_kfold_json(res, &o->fold, sums), err);
	if (r == BT_OK)
		bt_warn_leak_folds(x.leaked, x.examples, o->train.log);
	if (r == BT_OK)
		bt_log(o->train.log, BT_LOG_NOTE,
		       "%d models written to '%s', and to '%s/%s' what each "
		       "predicts of its fold",
		       o->fold.folds, o->train.out, o->train.out,
		       BT_KFOLD_PREDICTIONS);
	free(s);
	clear(&x);
	return r;
}

/* Before the folds behind the first are replaced: finished ones that are left
 * when a run is stopped, or of which there are to be fewer, would pass for
 * folds of this division. */
static void remove_others(const struct bt_job_opts *o)
{
	bool there = true;
	char *dir;
	int k;

	for (k = 1; there || k < o->fold.folds; k++) {
		dir = fold_dir(o, k);
		there = bt_path_there(dir);
		if (bt_model_finished(dir))
			bt_model_remove(dir);
		free(dir);
	}
}

int bt_kfold_run(const struct bt_job_opts *o, bool force, bool anew,
                 struct bt_train_result *end, struct bt_kfold_result *res,
                 struct bt_error *err)
{
	bool ended = true, made = !bt_path_there(o->train.out), told = false;
	int claim = -1, k, r;
	json_t *sums = NULL;

	memset(res, 0, sizeof(*res));
	r = bt_dir_lock_make(o->train.out, &claim, err);
	if (r == BT_OK)
		r = bt_job_inputs(o, &sums, err);
	if (r == BT_OK && !force)
		r = check_model(o, err);
	if (r == BT_OK && !force)
		r = check_division(o, sums, &told, err);
	for (k = 0; r == BT_OK && ended && k < o->fold.folds; k++) {
		r = train(o, k, told, force, anew, end, err);
		ended = r == BT_OK && (end->end == BT_TRAIN_ALL ||
		                       end->end == BT_TRAIN_NO_BETTER);
		if (ended && !told && force)
			remove_others(o);
		if (ended && !told)
			r = write_json(o, bt_kfold_division(&o->fold, sums),
			               err);
		told = true;
	}
	if (r == BT_OK && ended) {
		if (force)
			bt_train_remove(o->train.out);
		r = judge_all(o, sums, res, err);
	}
	if (r != BT_OK && made)
		(void)rmdir(o->train.out); /* unless something is in it */
	bt_dir_lock_release(claim);
	json_decref(sums);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "garden/run_squad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "evaluate/answer_file.h"
#include "finetune/predict_stream.h"
#include "format/python_repr.h"
#include "garden/file_patterns.h"
#include "garden/flags.h"
#include "garden/keras_progress.h"
#include "garden/tf_checkpoints.h"
#include "io/out.h"
#include "io/path.h"
#include "predict/span_files.h"
#include "tokenize/squad_windows.h"
#include "tokenizer_file/tokenizer_file.h"

#define CURVES 10 /* updates in a loop, from which on they are recorded */

/* A run of training. */
struct run {
	const struct bt_run_squad *c;
	struct bt_meta_squad meta;
	struct bt_meta_plan plan;
	struct bt_file_patterns train;
	struct bt_tf_checkpoints save;
	struct bt_schedule_opts schedule;
	char *config; /* as bt_job_opts takes it */
	/* of the examples since the last report, when the loop began */
	double loss, seen;
	double told; /* the mean loss of the last loop; NaN: there was none */
};

static struct bt_tok_opts tok_opts(const struct bt_run_squad *c)
{
	return (struct bt_tok_opts){
	    .dialect = BT_TOK_GARDEN, .lower = c->lower, .log = c->log};
}

/* Where a loop of updates ends, "Train Step: 20/40  / loss = 1.25". */
static void tell_loop(struct run *r, const struct bt_train_news *n)
{
	double all = (double)n->seen, loss = n->loss * all;
	struct bt_buf b = BT_BUF_INIT;

	r->told = (loss - r->loss) / (all - r->seen);
	r->loss = loss;
	r->seen = all;
	bt_buf_printf(&b,
	              "Train Step: %lld/%lld  / loss = ", (long long)n->step,
	              (long long)n->total);
	bt_py_real(r->told, &b);
	bt_buf_putc(&b, '\n');
	if (r->c->progress != NULL)
		bt_progress_clear(r->c->progress);
	r->c->print(r->c->print_ctx, bt_buf_str(&b));
	bt_buf_clear(&b);
	bt_train_scalar(
	    n->run, BT_TRAIN_CURVE_TRAIN,
	    bt_schedule_rate(&r->schedule, n->step, r->plan.warmup, n->total),
	    "learning_rate");
	bt_train_scalar(n->run, BT_TRAIN_CURVE_TRAIN, r->told, "training_loss");
}

static int news(void *ctx, const struct bt_train_news *n, struct bt_error *err)
{
	struct run *r = ctx;
	int64_t within = n->step % r->plan.epoch_steps;
	struct bt_buf b = BT_BUF_INIT;

	switch (n->what) {
	case BT_TRAIN_BEGUN:
		r->loss = n->loss * (double)n->seen;
		r->seen = (double)n->seen;
		return BT_OK;
	case BT_TRAIN_UPDATED:
		if (within % r->c->steps_per_loop == 0)
			tell_loop(r, n);
		return BT_OK;
	case BT_TRAIN_TIMED:
		bt_keras_speed(n, &b);
		bt_log(r->c->log, BT_LOG_NOTE, "%s", bt_buf_str(&b));
		bt_buf_clear(&b);
		return BT_OK;
	default:
		r->loss = r->seen = 0;
		r->save.saves = n->step / r->plan.epoch_steps - 1;
		return within == 0 ? bt_tf_checkpoints(&r->save, n->step, err)
		                   : BT_OK;
	}
}

static int prepare(struct run *r, struct bt_error *err)
{
	const struct bt_run_squad *c = r->c;
	int e = bt_meta_read_squad(c->meta_data, &r->meta, err);

	if (e == BT_OK)
		e = bt_meta_plan(&r->meta.meta, c->recipe.epochs, 1,
		                 c->recipe.batch, 0, &r->plan, err);
	if (e == BT_OK)
		e = bt_run_heads(c->config, c->log, &r->save.heads, err);
	if (e == BT_OK)
		e = bt_file_patterns_find("train_data_path", c->train,
		                          &r->train, err);
	if (e == BT_OK)
		e = bt_file_patterns_make(c->dir, err);
	r->config = bt_run_config(c->config);
	return e;
}

static void set_job(struct run *r, const struct bt_tok_opts *tok,
                    struct bt_job_opts *o)
{
	const struct bt_run_squad *c = r->c;
	struct bt_train_opts *t = &o->train;

	o->init_config = r->config;
	o->init_weights = c->init;
	bt_weights_gaps_any(&o->gaps); /* as its program */
	o->tokenizer = c->vocab;
	o->tokenizer_opts = tok;
	o->task = &bt_task_qa;
	o->records = r->train.path;
	o->n_records = r->train.n;
	o->longest = (size_t)r->meta.meta.max_length;
	o->dropout = -1;
	o->dtype = c->dtype;
	o->threads = c->threads;
	o->device = c->devices.plugin;
	o->replicas = c->devices.replicas;
	bt_run_recipe_set(&c->recipe, &r->plan, t);
	r->schedule = t->schedule;
	t->save_steps = r->plan.epoch_steps;
	t->save_end = true;
	t->keep = 1;
	t->resume = bt_train_left(c->dir);
	t->keep_last = true;
	t->out = c->dir;
	t->tensorboard = c->steps_per_loop >= CURVES ? c->dir : NULL;
	t->curves = "summaries/";
	t->own_curves = true;
	t->log_steps = c->log_steps;
	t->news = news;
	t->news_ctx = r;
	t->stopped = c->stopped;
	t->log = c->log;
	t->progress = c->progress;
}

/* summaries/training_summary.txt, as Python's json writes it, without a line
 * end. */
static int write_summary(const struct run *r, int64_t steps,
                         struct bt_error *err)
{
	char *path = bt_path_join(r->c->dir, "summaries/training_summary.txt");
	struct bt_buf b = BT_BUF_INIT;
	int e = bt_path_above(path, err);

	bt_buf_printf(&b,
	              "{\n    \"total_training_steps\": %lld,\n"
	              "    \"train_loss\": ",
	              (long long)steps);
	bt_py_real(r->told, &b);
	bt_buf_puts(&b, "\n}");
	if (e == BT_OK)
		e = bt_out_whole(path, b.data, b.len, err);
	bt_buf_clear(&b);
	free(path);
	return e;
}

int bt_run_squad_train(const struct bt_run_squad *c,
                       struct bt_train_result *res, struct bt_error *err)
{
	struct run r = {
	    .c = c, .save = {.dir = c->dir, .loop = true}, .told = NAN};
	const struct bt_tok_opts tok = tok_opts(c);
	struct bt_job_opts o = {0};
	int e;

	memset(res, 0, sizeof(*res));
	e = prepare(&r, err);
	if (e == BT_OK) {
		bt_log(c->log, BT_LOG_NOTE,
		       "%lld epoch%s of %lld updates, %lld of warm-up",
		       (long long)r.plan.epochs, bt_plural(r.plan.epochs),
		       (long long)r.plan.epoch_steps, (long long)r.plan.warmup);
		set_job(&r, &tok, &o);
		e = bt_flags_hint(err, bt_job_run(&o, res, err));
	}
	if (e == BT_OK && res->end == BT_TRAIN_ALL && !isnan(r.told))
		e = write_summary(&r, res->steps, err);
	bt_tf_checkpoints_clear(&r.save);
	bt_file_patterns_clear(&r.train);
	free(r.config);
	return e;
}

/* The questions of one file, and the answers to them. */
struct asking {
	const struct bt_run_squad *c;
	struct bt_meta_squad meta;
	struct bt_tok *tok;
	bool scores;
	char *records, *answers, *nbest, *odds; /* paths; odds NULL: none */
	struct bt_span_files files;
};

static int add(void *ctx, uint64_t i, const struct bt_dataset *d, size_t k,
               const float *logits, struct bt_error *err)
{
	struct asking *a = ctx;

	(void)i;
	return bt_questions_add(&a->files.questions, k, bt_dataset_length(d, k),
	                        logits, err);
}

/* A file in the directory, with the name of the questions' before its own if
 * there are several; free() it. */
static char *path_in(const struct bt_run_squad *c, const char *prefix,
                     const char *name)
{
	struct bt_buf b = BT_BUF_INIT;
	char *path;

	bt_buf_printf(&b, "%s%s", prefix, name);
	path = bt_path_join(c->dir, bt_buf_str(&b));
	bt_buf_clear(&b);
	return path;
}

static int make_records(struct asking *a, char *json, const char *records,
                        const struct bt_log *log, struct bt_error *err)
{
	const struct bt_squad_windows_opts o = {
	    .tok = a->tok,
	    .max_length = a->meta.meta.max_length,
	    .max_question = a->meta.max_question,
	    .stride = a->meta.stride,
	    .negatives = a->meta.negatives,
	    .predicts = true,
	    .scores = a->scores,
	    .once = a->scores,
	    .limits = "max_seq_length, max_query_length of the meta data"};
	uint64_t n;

	return bt_squad_windows_file(&json, 1, &o, records, log, &n, err);
}

static int answer(struct asking *a, struct bt_error *err)
{
	const struct bt_run_squad *c = a->c;
	const struct bt_predict_stream_opts how = {
	    .config = c->config,
	    .weights = c->predict_from != NULL ? c->predict_from : c->dir,
	    .dtype = BT_PRECISION_F32,
	    .threads = c->threads,
	    .device = c->devices.plugin,
	    .replicas = c->devices.replicas,
	    .labels = BT_LABELS_OPTIONAL,
	    .look = bt_questions_look,
	    .look_ctx = &a->files.questions,
	    .log = c->log};
	const struct bt_span_files_opts o = {
	    .format = BT_SPAN_JSON,
	    .output = a->answers,
	    .nbest = a->nbest,
	    .null_odds = a->odds,
	    .null_threshold = a->odds != NULL ? c->null_threshold : NAN,
	    .max_answer = c->max_answer,
	    .best = c->best,
	    .google = a->tok};
	struct bt_predict_stream s;
	struct bt_out *out = NULL;
	int r = bt_predict_stream_open(&how, &s, err);

	if (r != BT_OK)
		return r;
	r = bt_out_open(a->answers, BT_OUT_TEXT, &out, err);
	if (r == BT_OK)
		r = bt_span_files_open(&a->files, &o, out, err);
	if (r == BT_OK)
		r = bt_predict_stream_run(&s, &a->records, 1, add, NULL, a,
		                          err);
	if (r == BT_OK)
		r = bt_span_files_finish(&a->files, err);
	r = bt_span_files_close(&a->files, r, err);
	r = bt_out_end(out, r, err);
	if (r == BT_OK)
		bt_span_files_tell(&a->files, c->log);
	bt_span_files_clear(&a->files);
	bt_predict_stream_close(&s);
	return r;
}

static void put(struct bt_buf *b, const char *name, double value)
{
	bt_buf_printf(b, "%s    \"%s\": ", b->len > 0 ? ",\n" : "{\n", name);
	bt_py_real(value, b);
}

static void put_mean(struct bt_buf *b, const char *of,
                     const struct bt_squad_mean *m)
{
	char name[40];

	if (m->n == 0)
		return;
	snprintf(name, sizeof(name), "%sexact", of);
	put(b, name, 100 * m->exact);
	snprintf(name, sizeof(name), "%sf1", of);
	put(b, name, 100 * m->f1);
	bt_buf_printf(b, ",\n    \"%stotal\": %llu", of,
	              (unsigned long long)m->n);
}

/* summaries/eval/eval_metrics.json: what the official scripts compute, of 1.1
 * as fractions and of 2.0 in percent. */
static void put_scores(struct bt_buf *b, const struct bt_squad_sum *s, bool v2)
{
	if (!v2) {
		put(b, "exact_match", s->all.exact);
		put(b, "final_f1", s->all.f1);
		return;
	}
	put_mean(b, "", &s->all);
	put_mean(b, "HasAns_", &s->has_answer);
	put_mean(b, "NoAns_", &s->no_answer);
	put(b, "final_exact", 100 * s->exact.mean);
	put(b, "final_exact_thresh", s->exact.threshold);
	put(b, "final_f1", 100 * s->f1.mean);
	put(b, "final_f1_thresh", s->f1.threshold);
	if (s->has_answer.n == 0)
		return;
	put(b, "pr_exact_ap", 100 * s->exact.average_precision);
	put(b, "pr_f1_ap", 100 * s->f1.average_precision);
	put(b, "pr_oracle_ap", 100 * s->oracle.average_precision);
}

static int tell_scores(const struct asking *a, const struct bt_squad_sum *s,
                       struct bt_error *err)
{
	char *path =
	    bt_path_join(a->c->dir, "summaries/eval/eval_metrics.json");
	bool v2 = a->odds != NULL;
	struct bt_buf b = BT_BUF_INIT;
	int r = bt_path_above(path, err);

	put_scores(&b, s, v2);
	bt_buf_puts(&b, "\n}\n");
	if (r == BT_OK)
		r = bt_out_whole(path, b.data, b.len, err);
	bt_buf_reset(&b);
	bt_buf_printf(&b, "SQuAD eval F1-score: %f\n",
	              v2 ? 100 * s->f1.mean : s->all.f1);
	if (r == BT_OK)
		a->c->print(a->c->print_ctx, bt_buf_str(&b));
	bt_buf_clear(&b);
	free(path);
	return r;
}

/* Scores the answers in the files. */
static int score(const struct asking *a, struct bt_error *err)
{
	const struct bt_answers_opts how = {.null_threshold = NAN};
	const struct bt_answer_file_opts o = {.answers = a->answers,
	                                      .null_odds = a->odds,
	                                      .records = (char **)&a->records,
	                                      .n_records = 1,
	                                      .log = a->c->log};
	struct bt_metrics m = {0};
	struct bt_squad_sum sum;
	uint64_t unlabelled;
	int r = bt_answers_metrics(&how, BT_METRICS_ANSWERS, &m, err);

	if (r == BT_OK)
		r = bt_answer_file_score(&o, &m, &unlabelled, err);
	if (r == BT_OK && bt_squad_sum_up(m.squad, &sum) != BT_OK)
		r = bt_error_nomem(err, "scoring answers");
	if (r == BT_OK)
		r = tell_scores(a, &sum, err);
	bt_metrics_clear(&m);
	return r;
}

/* A file's name, without the ending. */
static struct bt_span stem(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	const char *ending = bt_path_ending(name);
	size_t n = strlen(name) - (*ending != '\0' ? strlen(ending) + 1 : 0);

	return (struct bt_span){name, n};
}

/* All that is to be done with a file. */
static int ask(struct asking *a, char *json, bool several, struct bt_error *err)
{
	struct bt_span name = stem(json);
	struct bt_buf prefix = BT_BUF_INIT;
	const char *p;
	int r;

	if (several)
		bt_buf_printf(&prefix, "%.*s-", (int)name.n, name.p);
	p = bt_buf_str(&prefix);
	a->records = path_in(a->c, "", "eval.tf_record");
	a->answers = path_in(a->c, p, "predictions.json");
	a->nbest = path_in(a->c, p, "nbest_predictions.json");
	a->odds = a->meta.negatives ? path_in(a->c, p, "null_odds.json") : NULL;
	r = make_records(a, json, a->records, a->c->log, err);
	if (r == BT_OK)
		r = answer(a, err);
	if (r == BT_OK && a->scores)
		r = score(a, err);
	free(a->records);
	free(a->answers);
	free(a->nbest);
	free(a->odds);
	bt_buf_clear(&prefix);
	return r;
}

/* The files of questions, whose answers go to files of different names. */
static int find_questions(const struct bt_run_squad *c, bool scores,
                          struct bt_file_patterns *in, struct bt_error *err)
{
	int r = bt_file_patterns_find("predict_file", c->questions, in, err);
	int i, k;

	if (r == BT_OK && scores && in->n != 1)
		r = bt_error_set(err, BT_EARG,
		                 "answers are scored of one file, and %d are "
		                 "given",
		                 in->n);
	for (i = 1; r == BT_OK && i < in->n; i++)
		for (k = 0; r == BT_OK && k < i; k++)
			if (bt_span_equal(stem(in->path[i]), stem(in->path[k])))
				r = bt_error_set(
				    err, BT_EARG,
				    "the answers to '%.300s' and '%.300s' "
				    "would go to files of the same name",
				    in->path[k], in->path[i]);
	if (r != BT_OK)
		bt_file_patterns_clear(in);
	return r;
}

static int prepare_asking(struct asking *a, struct bt_file_patterns *in,
                          struct bt_error *err)
{
	const struct bt_tok_opts tok = tok_opts(a->c);
	int r = bt_meta_read_squad(a->c->meta_data, &a->meta, err);

	if (r == BT_OK)
		r = find_questions(a->c, a->scores, in, err);
	return r == BT_OK ? bt_tok_open(a->c->vocab, &tok, &a->tok, err) : r;
}

int bt_run_squad_check(const struct bt_run_squad *c, bool scores,
                       struct bt_error *err)
{
	struct asking a = {.c = c, .scores = scores};
	struct bt_file_patterns in = {0};
	int i, r = prepare_asking(&a, &in, err);

	for (i = 0; r == BT_OK && i < in.n; i++)
		r = make_records(&a, in.path[i], "/dev/null", NULL, err);
	bt_tok_free(a.tok);
	bt_file_patterns_clear(&in);
	return r;
}

int bt_run_squad_predict(const struct bt_run_squad *c, bool scores,
                         struct bt_error *err)
{
	struct asking a = {.c = c, .scores = scores};
	struct bt_file_patterns in = {0};
	int i, r = prepare_asking(&a, &in, err);

	if (r == BT_OK && c->predict_from != NULL)
		r = bt_file_patterns_make(c->dir, err);
	else if (r == BT_OK && !bt_path_is_dir(c->dir))
		r = bt_error_set(err, BT_EIO, "no model directory '%s'",
		                 c->dir);
	for (i = 0; r == BT_OK && i < in.n; i++)
		r = ask(&a, in.path[i], in.n > 1, err);
	bt_tok_free(a.tok);
	bt_file_patterns_clear(&in);
	return r;
}

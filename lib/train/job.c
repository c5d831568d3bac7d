/* SPDX-License-Identifier: MIT */
#include "train/job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "ckpt/ckpt.h"
#include "cpu/limits.h"
#include "io/remote.h"
#include "train/claim.h"
#include "train/classweight.h"

static const struct bt_log *log_of(const struct bt_job *j)
{
	return j->o.train.log;
}

/* The directory that a file stands in; NULL when out of memory. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct bt_buf b = BT_BUF_INIT;

	if (slash == NULL)
		bt_buf_putc(&b, '.');
	else
		bt_buf_put(&b, path, (size_t)(slash - path) + (slash == path));
	return bt_buf_detach(&b);
}

/* Opens the tokenizer that the model is to have, if there is one. One that was
 * asked for must open; one that merely stands there must be sound. */
static int open_tokenizer(struct bt_job *j, struct bt_error *err)
{
	struct bt_tok_opts opts = BT_TOK_OPTS_INIT;
	char *dir = NULL, *file;
	const char *from = j->o.tokenizer;
	static const char *const names[] = {
	    "vocab.txt",       "tokenizer.json",          "vocab.json",
	    "spiece.model",    "sentencepiece.bpe.model", "spm.model",
	    "assets/vocab.txt"};
	bool there = from != NULL;
	int i, r;

	opts.log = log_of(j);
	if (from == NULL && j->o.model != NULL)
		from = j->o.model;
	else if (from == NULL && strchr(j->o.init_config, '.') != NULL)
		from = dir = directory_of(j->o.init_config);
	for (i = 0; i < 7 && !there && from != NULL; i++) {
		file = bt_model_path(from, names[i]);
		there = file != NULL && access(file, R_OK) == 0;
		free(file);
	}
	r = there ? bt_tok_open(from, &opts, &j->tok, err) : BT_OK;
	free(dir);
	if (r == BT_OK && j->tok == NULL)
		bt_log(
		    log_of(j), BT_LOG_WARN,
		    "no tokenizer is at hand, so the trained model will lack "
		    "one; --tokenizer gives it");
	return r;
}

/* What depends on whether classes or numbers are learnt. */
static int settle_task(struct bt_job *j, struct bt_error *err)
{
	struct bt_config *c = &j->model.config;
	struct bt_metrics_summary s = {0};
	const char *of = NULL;
	double v;

	if (j->o.task != NULL)
		c->number = strcmp(j->o.task, "regression") == 0;
	if (c->number && j->o.labels != NULL)
		of = "--labels";
	else if (c->number && j->o.train.class_weight != NULL)
		of = "--class-weight";
	else if (c->number && j->o.train.smoothing > 0)
		of = "--label-smoothing";
	if (of != NULL)
		return bt_error_set(err, BT_EARG,
		                    "%s is for classes, and this model is to "
		                    "predict numbers",
		                    of);
	if (j->o.train.metric == NULL)
		j->o.train.metric = c->number ? "mse" : "accuracy";
	s.of = c->number ? BT_MEASURED_NUMBERS : BT_MEASURED_CLASSES;
	return bt_metrics_find(&s, j->o.train.metric, &v, err);
}

static int read_config(struct bt_job *j, struct bt_labels *labels,
                       struct bt_error *err)
{
	struct bt_config *c = &j->model.config;
	bool preset = false;
	int r;

	if (j->o.model != NULL) {
		r = bt_model_config(j->o.model, c, labels, err);
	} else if (strpbrk(j->o.init_config, "./") == NULL) {
		r = bt_config_preset(j->o.init_config, c, err);
		preset = true;
	} else {
		r = bt_config_load(j->o.init_config, c, err);
	}
	if (r != BT_OK)
		return r;
	if (preset && j->tok != NULL)
		c->vocab_size = (int)bt_tok_size(j->tok);
	if (j->tok != NULL && bt_tok_size(j->tok) > (size_t)c->vocab_size)
		return bt_error_set(err, BT_EFORMAT,
		                    "the tokenizer has %zu tokens, the "
		                    "configuration a vocabulary of %d",
		                    bt_tok_size(j->tok), c->vocab_size);
	if (j->o.dropout >= 0)
		c->hidden_dropout = c->attention_dropout =
		    c->classifier_dropout = (float)j->o.dropout;
	r = bt_config_set_head(c, j->o.pool, j->o.head, &j->new_head, err);
	return r == BT_OK ? settle_task(j, err) : r;
}

static bool has_classifier(const char *dir, const struct bt_config *config)
{
	struct bt_ckpt *c;
	char name[BT_CLASSES_NAME];
	bool has;

	if (bt_ckpt_open(dir, &c, NULL) != BT_OK)
		return false; /* why is said when the weights are loaded */
	has = bt_weights_has(c, bt_family_classes(config, name));
	bt_ckpt_close(c);
	return has;
}

static bool same_labels(const struct bt_labels *a, const struct bt_labels *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->name[i], b->name[i]) != 0)
			return false;
	return a->n == b->n;
}

/* The labels of the run: those that were given, or the model's own where it is
 * a classifier that knows all labels of the data, or those of the data in their
 * standard order. */
static int fix_labels(struct bt_job *j, struct bt_labels *found,
                      struct bt_labels *known, struct bt_error *err)
{
	int *map, i, r = BT_OK;

	if (j->model.config.number) {
		j->keeps_head = known->n == 1 && !j->new_head &&
		                has_classifier(j->o.model, &j->model.config);
		j->model.labels = *found;
		memset(found, 0, sizeof(*found));
		return BT_OK;
	}
	map = calloc((size_t)found->n + 1, sizeof(*map));
	if (map == NULL)
		return bt_error_nomem(err, "collecting labels");
	j->keeps_head = known->n >= 2 && !j->new_head;
	for (i = 0; i < found->n && j->keeps_head; i++) {
		map[i] = bt_labels_find(known, bt_span(found->name[i]));
		j->keeps_head = map[i] >= 0;
	}
	if (j->o.labels != NULL)
		j->keeps_head = !j->new_head && same_labels(found, known);
	if (j->keeps_head)
		j->keeps_head = has_classifier(j->o.model, &j->model.config);
	if (j->o.labels != NULL) {
		j->model.labels = *found;
		memset(found, 0, sizeof(*found));
		free(map);
		return BT_OK;
	}
	if (j->keeps_head) {
		j->model.labels = *known;
		memset(known, 0, sizeof(*known));
	} else {
		r = bt_labels_sort(found, map, err);
		j->model.labels = *found;
		memset(found, 0, sizeof(*found));
	}
	if (r == BT_OK)
		bt_dataset_relabel(&j->train, map);
	free(map);
	return r;
}

static int check_training_labels(const struct bt_job *j,
                                 const struct bt_labels *found,
                                 struct bt_error *err)
{
	if (j->train.unlabelled == j->train.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "no training record has a label: give "
		                    "csv2tfrecord -l COLUMN");
	if (j->train.unlabelled > 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu of %zu training records have no label",
		                    j->train.unlabelled, j->train.n);
	if (found->n < 2 && !j->model.config.number)
		return bt_error_set(err, BT_EFORMAT,
		                    "all training records have the same label "
		                    "'%s': there is nothing to tell apart",
		                    found->name[0]);
	return BT_OK;
}

static int read_eval(struct bt_job *j, const struct bt_fit *fit,
                     struct bt_error *err)
{
	char *path = (char *)j->o.eval;
	int r = BT_OK;

	if (path != NULL) {
		r = bt_dataset_read(&path, 1, 0, fit, BT_LABELS_KNOWN,
		                    &j->model.labels, &j->eval, err);
		if (r == BT_OK && j->eval.unlabelled > 0)
			r = bt_error_set(err, BT_EFORMAT,
			                 "%zu of %zu records in '%s' have no "
			                 "label",
			                 j->eval.unlabelled, j->eval.n, path);
	}
	if (r == BT_OK && j->o.eval_share > 0)
		r = bt_dataset_split(&j->train, j->o.eval_share,
		                     j->o.train.batching.seed, &j->eval, err);
	if (r == BT_OK && j->train.n == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "no training records are left beside the "
		                 "evaluation share");
	j->has_eval = j->eval.n > 0;
	return r;
}

/* Leaves the share to train on; *all is how many there were. */
static int thin(struct bt_job *j, size_t *all, struct bt_error *err)
{
	double share = j->o.train.train_share;

	*all = j->train.n;
	if (share == 0)
		return BT_OK;
	return bt_dataset_thin(&j->train, share, j->o.train.batching.seed, err);
}

/* "1001 of 10003 training examples, ..." */
/* Classes that cannot be learnt: what a data set is not expected to have. */
static int tell_unseen(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_labels *l = &j->model.labels;
	uint8_t *seen = bt_array0((size_t)l->n, 1);
	struct bt_buf b = BT_BUF_INIT;
	int i, unseen = 0;
	size_t k;

	if (seen == NULL)
		return bt_error_nomem(err, "looking at the labels");
	for (k = 0; k < j->train.n; k++)
		seen[j->train.label[k]] = 1;
	for (i = 0; i < l->n; i++)
		if (!seen[i] && ++unseen <= 5)
			bt_buf_printf(&b, "%s'%s'", b.len > 0 ? ", " : "",
			              l->name[i]);
	if (unseen > 0 && bt_buf_str(&b) != NULL)
		bt_log(log_of(j), BT_LOG_WARN,
		       "%d of the %d labels %s no training example: %s%s",
		       unseen, l->n, unseen == 1 ? "has" : "have",
		       bt_buf_str(&b), unseen > 5 ? ", ..." : "");
	bt_buf_clear(&b);
	free(seen);
	return BT_OK;
}

static int weigh(struct bt_job *j, struct bt_error *err)
{
	const char *how = j->o.train.class_weight;
	struct bt_buf said = BT_BUF_INIT;
	int r = BT_OK;

	if (how != NULL)
		r = bt_class_weight(&j->train, &j->model.labels, how, &said,
		                    err);
	if (r == BT_OK && how != NULL && bt_buf_str(&said) != NULL)
		bt_log(log_of(j), BT_LOG_NOTE, "weights of the classes: %s",
		       bt_buf_str(&said));
	bt_buf_clear(&said);
	return r;
}

static void tell_data(const struct bt_job *j, size_t all)
{
	const struct bt_dataset *d = &j->train;
	float least = d->target[0], most = least;
	char what[64], of[32] = "";
	size_t i;

	if (j->o.train.train_share != 0)
		snprintf(of, sizeof(of), " of %zu", all);
	snprintf(what, sizeof(what), "%d labels", j->model.labels.n);
	if (j->model.config.number) {
		for (i = 1; i < d->n; i++) {
			least = fminf(least, d->target[i]);
			most = fmaxf(most, d->target[i]);
		}
		snprintf(what, sizeof(what), "numbers from %g to %g",
		         (double)least, (double)most);
	}
	bt_log(log_of(j), BT_LOG_NOTE,
	       "%zu%s training examples, %zu for evaluation, %s, %.1f tokens "
	       "each (longest %zu)",
	       d->n, of, j->eval.n, what, (double)d->start[d->n] / (double)d->n,
	       d->longest);
}

static int read_data(struct bt_job *j, struct bt_labels *known,
                     struct bt_error *err)
{
	struct bt_fit fit =
	    bt_model_fit(&j->model.config,
	                 j->tok != NULL ? bt_tok_fingerprint(j->tok) : NULL);
	struct bt_labels found = {0};
	bool given = j->o.labels != NULL;
	size_t all = 0;
	int r = BT_OK;

	if (j->model.config.number)
		r = bt_labels_number(&found, err);
	else if (given)
		r = bt_labels_named(j->o.labels, &found, err);
	if (r == BT_OK)
		r = bt_dataset_read(j->o.records, j->o.n_records, j->o.expect,
		                    &fit,
		                    given ? BT_LABELS_KNOWN : BT_LABELS_COLLECT,
		                    &found, &j->train, err);
	if (r == BT_OK && fit.length < 0) {
		fit.length = (int)j->train.longest; /* as all have */
		bt_head_fix(&j->model.config.head, fit.length);
	}
	if (r == BT_OK)
		r = check_training_labels(j, &found, err);
	if (r == BT_OK)
		r = fix_labels(j, &found, known, err);
	if (r == BT_OK)
		r = read_eval(j, &fit, err);
	if (r == BT_OK)
		r = thin(j, &all, err);
	if (r == BT_OK)
		r = weigh(j, err);
	bt_labels_clear(&found);
	if (r != BT_OK)
		return r;
	tell_data(j, all);
	return j->model.config.number ? BT_OK : tell_unseen(j, err);
}

/* Plans the model: nothing large is taken yet. */
static int plan(struct bt_job *j, struct bt_error *err)
{
	const struct bt_dataset *eval = j->has_eval ? &j->eval : NULL;
	struct bt_need *n = &j->need;
	struct bt_engine_opts o = {.pool = j->pool,
	                           .low = bt_model_low(j->o.dtype, j->o.gemm),
	                           .gemm = j->o.gemm,
	                           .train = true,
	                           .profile = j->o.train.profile,
	                           .recompute = j->o.train.recompute,
	                           .detect = j->o.train.detect,
	                           .seed = j->o.train.batching.seed};
	int r = bt_need_batches(n, &j->train, eval, &j->o.train.batching, err);

	o.max_tokens = n->tokens > n->eval_tokens ? n->tokens : n->eval_tokens;
	o.max_texts = n->texts > n->eval_texts ? n->texts : n->eval_texts;
	if (r == BT_OK)
		r = bt_model_plan(&j->model, &o, err);
	if (r == BT_OK)
		r = bt_need_memory(n, &j->model, &j->train, eval, &j->o.train,
		                   err);
	if (r == BT_OK)
		bt_model_log(&j->model, log_of(j));
	return r;
}

/* Random weights for the parameters of the head, or of its classes alone. */
static void fresh_head(struct bt_job *j, bool all)
{
	const struct bt_graph *g = &j->model.graph;
	float *p = bt_engine_params(j->model.engine);
	int i;

	for (i = 0; p != NULL && i < g->n_params; i++)
		if (g->params[i].head && (all || g->params[i].classes))
			bt_weights_init(g, j->o.train.batching.seed, i, p);
}

/* No layer of a described head is what the starting model calls so: all of them
 * are as new as that of the classes. */
static void disown_head(struct bt_graph *g)
{
	int i;

	for (i = 0; i < g->n_params; i++)
		if (strncmp(g->params[i].name, "head.", 5) == 0)
			g->params[i].classes = g->params[i].head;
}

/* The weights of the starting model; where the engine is only planned, they are
 * only seen to fit. */
static int load(struct bt_job *j, struct bt_error *err)
{
	struct bt_weights_report rep;
	const char *fresh, *unused;
	struct bt_ckpt *c;
	int r = bt_ckpt_open(j->o.model, &c, err);

	if (r != BT_OK)
		return r;
	if (j->new_head)
		disown_head(&j->model.graph);
	fresh_head(j, true);
	r = bt_weights_load(&j->model.graph, c, true,
	                    bt_engine_params(j->model.engine), NULL, &rep, err);
	bt_ckpt_close(c);
	if (r != BT_OK)
		return r;
	if (rep.head_loaded && !j->keeps_head) {
		fresh_head(j, false);
		bt_log(log_of(j), BT_LOG_NOTE,
		       "the %s '%s': its classifier is replaced by a fresh "
		       "one",
		       j->new_head ? "head is not that of"
		                   : "labels are not those of",
		       j->o.model);
	}
	fresh = bt_buf_str(&rep.fresh_names);
	unused = bt_buf_str(&rep.unused_names);
	bt_log(log_of(j), BT_LOG_NOTE,
	       "'%s': %d tensors loaded; fresh: %s; unused: %s", j->o.model,
	       rep.loaded, rep.fresh > 0 && fresh ? fresh : "none",
	       rep.unused > 0 && unused ? unused : "none");
	bt_weights_report_clear(&rep);
	return BT_OK;
}

/* Makes the output directory unless it is there or this is dry, and sees that
 * it can be written to before hours of work depend on it. */
static int check_output(const struct bt_job *j, bool dry, struct bt_error *err)
{
	const char *out = j->o.train.out;
	struct stat a, b;

	if (dry && (out == NULL || access(out, F_OK) != 0))
		return BT_OK;
	if (!dry && mkdir(out, 0777) != 0 && errno != EEXIST)
		return bt_error_sys(err, errno, "cannot create '%s'", out);
	if (stat(out, &a) != 0)
		return bt_error_sys(err, errno, "cannot write to '%s'", out);
	if (!S_ISDIR(a.st_mode))
		return bt_error_set(err, BT_EARG, "'%s' is not a directory",
		                    out);
	if (access(out, W_OK | X_OK) != 0)
		return bt_error_sys(err, errno, "cannot write to '%s'", out);
	if (j->o.model != NULL && stat(j->o.model, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return bt_error_set(err, BT_EARG,
		                    "'%s' is both the model to start from and "
		                    "the one to write",
		                    out);
	return BT_OK;
}

static int save_tokenizer(void *ctx, const char *dir, struct bt_error *err)
{
	const struct bt_job *j = ctx;

	if (j->tok == NULL)
		return BT_OK;
	return bt_tok_save(j->tok, dir, (size_t)j->model.config.max_positions,
	                   err);
}

static int prepare(struct bt_job *j, bool dry, struct bt_error *err)
{
	struct bt_labels known = {0};
	int r = bt_remote_refuse(j->o.train.out, BT_REMOTE_DIR_OUT, err);

	if (r == BT_OK)
		r = bt_pool_new(j->o.threads, &j->pool, err);
	if (r == BT_OK)
		r = open_tokenizer(j, err);
	if (r == BT_OK)
		r = read_config(j, &known, err);
	if (r == BT_OK)
		r = read_data(j, &known, err);
	bt_labels_clear(&known);
	if (r == BT_OK)
		r = plan(j, err);
	if (r == BT_OK && !dry)
		r = bt_need_check(&j->need, &j->o.train, err);
	if (r == BT_OK)
		r = check_output(j, dry, err);
	if (r == BT_OK && !dry)
		r = bt_claim(j->o.train.out, &j->claim, err);
	if (r == BT_OK && !dry)
		r = bt_engine_take(j->model.engine, err);
	if (r != BT_OK)
		return r;
	if (j->o.model != NULL)
		return load(j, err);
	if (!dry)
		bt_weights_init(&j->model.graph, j->o.train.batching.seed, -1,
		                bt_engine_params(j->model.engine));
	return BT_OK;
}

/* Says, after a run that was long enough to be worth it, what this machine's
 * products reach, and prints the profile. */
static int measure(struct bt_job *j, struct bt_train_result *res,
                   struct bt_error *err)
{
	struct bt_profile *p = j->o.train.profile;
	bool low = bt_model_low(j->o.dtype, j->o.gemm);
	struct bt_limits l = {0};
	int r = BT_OK;

	res->peak = bt_peak_memory();
	if (p != NULL) {
		r = bt_limits_log(j->pool, j->o.gemm, low, p, log_of(j), err);
		l.flop = p->flop_limit;
	} else if (res->seconds > 2) {
		r = bt_limits_measure(j->pool, j->o.gemm, low, &l, err);
	}
	res->flop_limit = l.flop;
	return r;
}

static void clear(struct bt_job *j)
{
	bt_model_clear(&j->model);
	bt_dataset_clear(&j->train);
	bt_dataset_clear(&j->eval);
	bt_tok_free(j->tok);
	bt_pool_free(j->pool);
	bt_claim_release(j->claim);
}

int bt_job_run(const struct bt_job_opts *o, struct bt_train_result *res,
               struct bt_error *err)
{
	struct bt_job j = {.o = *o, .claim = -1};
	int r;

	memset(res, 0, sizeof(*res));
	j.o.train.asked_at = bt_seconds();
	j.o.train.save_more = save_tokenizer;
	j.o.train.ctx = &j;
	r = prepare(&j, false, err);
	if (r == BT_OK)
		r = bt_train(&j.model, &j.train, j.has_eval ? &j.eval : NULL,
		             &j.o.train, res, err);
	if (r == BT_OK)
		r = measure(&j, res, err);
	clear(&j);
	return r;
}

int bt_job_plan(const struct bt_job_opts *o, struct bt_need *need,
                struct bt_error *err)
{
	struct bt_job j = {.o = *o, .claim = -1};
	int r = prepare(&j, true, err);

	if (r == BT_OK)
		*need = j.need;
	clear(&j);
	return r;
}

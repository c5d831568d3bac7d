/* SPDX-License-Identifier: MIT */
#include "ckpt/fingerprint.h"
#include "ckpt/open.h"
#include "format/model_files.h"
#include "format/sentence.h"
#include "io/path.h"
#include "train/job_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/sys.h"
#include "cpu/roofline.h"
#include "finetune/fold_dirs.h"
#include "finetune/inputs.h"
#include "finetune/unfinished.h"
#include "io/url.h"
#include "tensor/checkpoint.h"
#include "tokenizer_file/tokenizer_file.h"
#include "train/adapters_int.h"
#include "train/card.h"
#include "train/dir_lock.h"
#include "train/disk_space.h"
#include "train/few_shot_int.h"
#include "train/warnings.h"

/* Opens the tokenizer that the model is to have, if there is one. One that was
 * asked for must open; one that merely stands there must be sound. */
static int open_tokenizer(struct bt_job *j, struct bt_error *err)
{
	struct bt_tok_opts opts = BT_TOK_OPTS_INIT;
	const struct bt_model_file *f = NULL;
	char *dir = NULL;
	const char *from = j->o.tokenizer, *init = j->o.init_weights;
	bool there = from != NULL;
	int r = BT_OK;

	if (there && j->o.tokenizer_opts != NULL)
		opts = *j->o.tokenizer_opts;
	opts.log = bt_job_log(j);
	if (from == NULL && j->o.model != NULL)
		from = j->o.model;
	else if (from == NULL && j->o.config != NULL && init != NULL)
		from = dir = bt_path_of(init);
	else if (from == NULL && j->o.init_config != NULL &&
	         strchr(j->o.init_config, '.') != NULL)
		from = dir = bt_path_of(j->o.init_config);
	if (!there && from != NULL)
		r = bt_model_files_find(from, BT_USE_OPENS, &f, NULL, err);
	if (r == BT_OK && (there || f != NULL))
		r = bt_tok_open(from, &opts, &j->tok, err);
	free(dir);
	return r;
}

/* Decides the task, and refuses options that it has no use for. */
static int settle_task(struct bt_job *j, struct bt_error *err)
{
	struct bt_config *c = &j->model.config;
	const struct bt_task *task;
	struct bt_metrics_summary s = {0};
	enum bt_hint hint;
	double v;

	j->old_task = bt_task_of(c->problem_type);
	task = j->o.task != NULL ? j->o.task : j->old_task;
	j->model.task = task;
	c->problem_type = task->problem_type;
	c->per_token = task->per_token;
	if (!task->names_outputs && j->o.labels != NULL)
		hint = BT_HINT_LABELS_NAMED;
	else if (!task->one_label && j->o.train.class_weight != NULL)
		hint = BT_HINT_CLASS_WEIGHT_ONE_LABEL;
	else if (!task->answer->is_set && j->o.train.pos_weight != NULL)
		hint = BT_HINT_POS_WEIGHT_MULTILABEL;
	else if (!task->one_label && j->o.train.smoothing > 0)
		hint = BT_HINT_LABEL_SMOOTHING_ONE_LABEL;
	else if (!task->one_label && j->o.train.r_drop > 0)
		hint = BT_HINT_R_DROP_ONE_LABEL;
	else if (!task->one_label && j->o.pseudo.file != NULL)
		hint = BT_HINT_PSEUDO_LABEL_ONE_LABEL;
	else if (!bt_task_of_texts(task) && j->o.windows)
		hint = BT_HINT_WINDOWS_TEXTS;
	else if (!task->distils && j->o.teacher != NULL)
		hint = BT_HINT_TEACHER_TEXTS;
	else if (!task->masks && (j->o.mask_prob > 0 || j->o.whole_words ||
	                          j->o.next_sentence != NULL))
		hint = BT_HINT_MASKS_TASK;
	else if (task != &bt_task_embedding &&
	         (j->o.embedding_loss != NULL || j->o.matryoshka_dims != NULL))
		hint = BT_HINT_EMBEDDING_LOSS;
	else if (task->answer->is_number && j->o.train.temperature != 0)
		hint = BT_HINT_TEACHER_TEMPERATURE;
	else
		hint = BT_HINT_NONE;
	if (hint != BT_HINT_NONE)
		return bt_error_hint(err, hint,
		                     bt_error_set(err, BT_EARG,
		                                  "this model learns to %s",
		                                  task->learns));
	if (j->o.train.temperature == 0)
		j->o.train.temperature = task->answer->is_number ? 1 : 2;
	s.kind = task->metrics;
	if (j->o.train.metric == NULL)
		j->o.train.metric = task->metric;
	return bt_metrics_find(&s, j->o.train.metric, &v, err);
}

/* Whether it is the name of a configuration, not that of a file. */
static bool is_preset(const char *init_config)
{
	return init_config != NULL && strpbrk(init_config, "./") == NULL;
}

static int read_config(struct bt_job *j, struct bt_labels *labels,
                       struct bt_error *err)
{
	struct bt_config *c = &j->model.config;
	int r;

	if (j->o.model != NULL) {
		r = bt_model_config(j->o.model, c, labels, err);
	} else if (j->o.config != NULL) {
		r = bt_config_parse("the model's configuration", j->o.config, c,
		                    err);
	} else if (is_preset(j->o.init_config)) {
		r = bt_config_preset(j->o.init_config, c, err);
		if (j->tok != NULL)
			c->vocab_size = (int)bt_tok_size(j->tok);
	} else {
		r = bt_config_load(j->o.init_config, c, err);
	}
	if (r != BT_OK)
		return r;
	if (j->tok == NULL && !j->o.train.measure_only)
		bt_log_warn(bt_job_log(j), "no-tokenizer", BT_HINT_TOKENIZER,
		            "no tokenizer found: the model will be saved "
		            "without one");
	if (j->tok != NULL && bt_tok_size(j->tok) > (size_t)c->vocab_size)
		return bt_error_set(err, BT_EFORMAT,
		                    "the tokenizer has %zu tokens, but the "
		                    "configuration has vocab_size %d",
		                    bt_tok_size(j->tok), c->vocab_size);
	if (j->o.dropout >= 0)
		c->hidden_dropout = c->attention_dropout =
		    c->classifier_dropout = c->embedding_dropout =
		        (float)j->o.dropout;
	if (j->o.twice)
		bt_config_drop_twice(c);
	r = bt_config_set_head(c, j->o.pool, j->o.head, &j->new_head, err);
	if (r == BT_OK)
		r = settle_task(j, err);
	return r == BT_OK && (bt_config_embeds(c) || j->o.few_shot)
	           ? bt_job_pooling(j, err)
	           : r;
}

/* What the model is evaluated on; NULL: nothing. */
static const struct bt_dataset *evaluated(const struct bt_job *j)
{
	if (j->o.train.measure_only)
		return &j->train;
	if (j->o.few_shot) /* by the classes, in the end */
		return NULL;
	return j->has_eval ? &j->eval : NULL;
}

/* Plans the model: nothing large is taken yet. */
static int plan(struct bt_job *j, struct bt_error *err)
{
	const struct bt_dataset *eval =
	    j->o.few_shot ? &j->train : evaluated(j);
	struct bt_memory_plan *n = &j->need;
	struct bt_engine_opts o = {.pool = j->pool,
	                           .bf16 = bt_job_low(j),
	                           .gemm = j->o.gemm,
	                           .train = j->o.device == NULL,
	                           .profile = j->o.train.profile,
	                           .recompute = j->o.train.recompute,
	                           .detect = j->o.train.detect,
	                           .sparse_norm = j->o.train.optim.clip_rows,
	                           .seed = j->o.train.batching.seed};
	int r = bt_memory_plan_batches(n, &j->train, eval, &j->o.train.batching,
	                               j->o.train.masking, err);

	n->tokens *= bt_train_passes(&j->o.train);
	n->texts *= bt_train_passes(&j->o.train);
	j->model.freeze = j->o.train.freeze;
	bt_adapters_plan(j);
	o.max_tokens = n->tokens > n->eval_tokens ? n->tokens : n->eval_tokens;
	o.max_length = j->train.longest;
	if (eval != NULL && eval->longest > o.max_length)
		o.max_length = eval->longest;
	o.max_selected = n->selected;
	o.max_sequences = n->texts > n->eval_texts ? n->texts : n->eval_texts;
	if (r || (r = bt_model_plan(&j->model, &o, err)) ||
	    (r = bt_fgm_check(&j->model.graph, j->o.train.fgm, err)) ||
	    (r = bt_memory_plan_memory(n, &j->model, &j->train, eval,
	                               &j->o.train, j->o.device != NULL, err)))
		return r;
	if ((j->teacher != NULL || j->o.train.r_drop > 0) &&
	    j->model.graph.nodes[j->model.graph.loss].op == BT_OP_LOG_LOSS)
		return bt_error_set(err, BT_EARG,
		                    "a model whose last layer has an "
		                    "activation cannot learn %s",
		                    j->teacher != NULL ? "from a teacher"
		                                       : "by R-Drop");
	bt_job_log_model(j);
	if (n->frozen > 0)
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "%zu of %zu parameters are frozen", n->frozen,
		       n->parameters);
	return BT_OK;
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
static void renew_head(struct bt_graph *g)
{
	const char *name;
	int i;

	for (i = 0; i < g->n_params; i++) {
		name = g->params[i].name; /* families have head.dense ... */
		if (strncmp(name, "head.", 5) == 0 &&
		    strspn(name + 5, "0123456789") > 0)
			g->params[i].classes = g->params[i].head;
	}
}

/* Every tensor of the checkpoint and of the model: loaded, new or unused. */
static void log_loaded(const struct bt_job *j, const char *from,
                       struct bt_weights_report *rep)
{
	const struct bt_log *log = bt_job_log(j);
	const char *fresh = j->o.old_head == BT_JOB_HEAD_FRESH ? "the head"
	                    : j->o.old_head == BT_JOB_HEAD_CLASSES
	                        ? "the classes"
	                    : rep->fresh > 0 ? bt_buf_str(&rep->fresh_names)
	                                     : NULL;

	bt_log(log, BT_LOG_NOTE, "'%s': %d tensors loaded", from, rep->loaded);
	if (fresh != NULL)
		bt_log(log, BT_LOG_NOTE, "newly initialized: %s", fresh);
	if (rep->unused > 0)
		bt_log(log, BT_LOG_NOTE, "unused: %s",
		       bt_buf_str(&rep->unused_names));
}

/* The weights of the starting model; where the engine is only planned, they are
 * only seen to fit. */
static int load(struct bt_job *j, struct bt_error *err)
{
	const char *from = j->o.model != NULL ? j->o.model : j->o.init_weights;
	struct bt_weights_report rep;
	float *p = bt_engine_params(j->model.engine);
	struct bt_ckpt *c;
	int r = bt_ckpt_open(from, &c, err);

	if (r != BT_OK)
		return r;
	if (j->new_head)
		renew_head(&j->model.graph);
	fresh_head(j, true);
	if (p != NULL &&
	    (j->o.gaps.missing.n > 0 || j->o.gaps.fresh_layers > 0))
		bt_weights_init(&j->model.graph, j->o.train.batching.seed, -1,
		                p);
	r = bt_weights_load(&j->model.graph, c, true, &j->o.gaps, p, NULL, &rep,
	                    err);
	if (r == BT_OK && j->model.lora.rank > 0)
		r = bt_ckpt_fingerprint(c, true, &j->model.base_sum, err);
	bt_ckpt_close(c);
	if (r || (r = bt_adapters_init(j, from, &rep, err)))
		return r;
	if (rep.head_loaded && !j->keeps_head && rep.old_classes == 0 &&
	    !bt_config_embeds(&j->model.config) &&
	    j->o.old_head == BT_JOB_HEAD_FITS) {
		fresh_head(j, false);
		bt_warn_replaced(j, from);
	}
	if (j->o.old_head != BT_JOB_HEAD_FITS)
		fresh_head(j, j->o.old_head == BT_JOB_HEAD_FRESH);
	log_loaded(j, from, &rep);
	if (rep.old_classes > 0)
		bt_warn_classes(j, from, rep.old_classes);
	bt_weights_report_clear(&rep);
	return bt_unfinished_warn(from, bt_job_log(j), err);
}

/* Another tokenizer's files in the output directory would be read in place of
 * the model's own, or with them. */
static int check_leftovers(const struct bt_job *j, struct bt_error *err)
{
	struct bt_tok_opts opts = BT_TOK_OPTS_INIT;
	const char *out = j->o.train.out, *left = bt_tok_left(j->tok, out);
	struct bt_tok *old = NULL;
	bool same = left == NULL;

	bt_file_use_own(true);
	if (!same && j->tok != NULL &&
	    bt_tok_open(out, &opts, &old, NULL) == BT_OK)
		same = strcmp(bt_tok_fingerprint(old),
		              bt_tok_fingerprint(j->tok)) == 0;
	bt_file_use_own(false);
	bt_tok_free(old);
	if (same)
		return BT_OK;
	return bt_error_set(
	    err, BT_EFORMAT,
	    "'%s' has the file '%s' of another tokenizer, which "
	    "would be read in place of the new model's: remove "
	    "it, or write to another directory",
	    out, left);
}

/* What a run wrote that was killed before its first checkpoint is lost. */
static int warn_restart(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_train_opts *t = &j->o.train;
	char *state = bt_path_join(t->out, BT_CHECKPOINT_FILE);
	bool there = access(state, F_OK) == 0;
	int r = BT_OK;

	free(state);
	bt_file_use_own(true);
	if (!there && !t->resume && bt_unfinished(t->out))
		r = bt_unfinished_warn(t->out, bt_job_log(j), err);
	bt_file_use_own(false);
	return r;
}

/* Whether the run goes on from a checkpoint of the output directory, whose
 * model is then its own. */
static bool goes_on_there(const struct bt_train_opts *t)
{
	char *dir = t->resume_from != NULL ? bt_path_of(t->resume_from) : NULL;
	bool there = dir != NULL ? bt_path_same(dir, t->out) : t->resume;

	free(dir);
	return there;
}

/* The starting model is not replaced, nor is a finished one, which may be hours
 * of work. */
static int check_replaced(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_train_opts *t = &j->o.train;
	bool keep = t->keep_finished && !goes_on_there(t);
	bool finished = keep && bt_model_finished(t->out);
	bool folds = keep && !finished && bt_fold_dirs_there(t->out);
	int r;

	if (j->o.model != NULL && bt_path_same(j->o.model, t->out))
		return bt_error_set(err, BT_EARG,
		                    "'%s' is both the starting model and the "
		                    "output",
		                    t->out);
	if (!finished && !t->measure_only && (r = warn_restart(j, err)))
		return r;
	if ((!finished && !folds) || t->measure_only)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_FORCE,
	    bt_error_set(err, BT_EARG,
	                 folds ? "'%s' has models of folds, and tools would "
	                         "take the new one instead of them"
	                       : "'%s' has a finished model, which the new one "
	                         "would replace",
	                 t->out));
}

/* Makes the output directory unless it is there or this is dry, and sees that
 * it can be written to before hours of work depend on it. */
static int check_output(struct bt_job *j, bool dry, struct bt_error *err)
{
	const char *out = j->o.train.out;
	struct stat a;
	int r;

	if (dry && (out == NULL || access(out, F_OK) != 0))
		return BT_OK;
	j->made = !dry && mkdir(out, 0777) == 0;
	if (!dry && !j->made && errno != EEXIST)
		return bt_error_sys(err, errno, "cannot create '%s'", out);
	if (stat(out, &a) != 0)
		return bt_error_sys(err, errno, "cannot write to '%s'", out);
	if (!S_ISDIR(a.st_mode))
		return bt_error_set(err, BT_EIO, "'%s' is not a directory",
		                    out);
	if (access(out, W_OK | X_OK) != 0)
		return bt_error_sys(err, errno, "cannot write to '%s'", out);
	if (j->o.train.measure_only)
		return BT_OK;
	r = check_leftovers(j, err);
	return r == BT_OK ? bt_disk_space_check_run(&j->model, &j->o.train,
	                                            j->need.steps, err)
	                  : r;
}

static int save_more(void *ctx, const char *dir, struct bt_error *err)
{
	const struct bt_job *j = ctx;
	const struct bt_config *c = &j->model.config;
	struct bt_sentence s = {.pooling = c->pool == BT_POOLED_FIRST ? "cls"
	                                   : c->pool == BT_POOLED_MAX ? "max"
	                                                              : "mean",
	                        .normalize = j->normalizes};
	size_t longest = (size_t)c->max_positions;
	int r = j->tok != NULL ? bt_tok_save(j->tok, dir, longest, err) : BT_OK;

	if (r == BT_OK && bt_config_embeds(c))
		r = bt_sentence_write(dir, j->o.model, &s, c->hidden_size,
		                      (int)longest, err);
	else if (r == BT_OK && !j->o.few_shot && bt_sentence_remove(dir))
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "'%s': modules.json of the model that stood there is "
		       "removed",
		       dir);
	return r;
}

/* What is to be written is checked before anything is read, which may take
 * long. */
static int prepare(struct bt_job *j, bool dry, struct bt_error *err)
{
	const char *out = j->o.train.out, *events = j->o.train.tensorboard;
	bool measures = j->o.train.measure_only;
	bool writes = bt_dist_is_first(j->o.train.dist);
	int r;

	if ((r = bt_train_check(&j->o.train, err)) ||
	    (r = bt_url_refuse(out, BT_URL_DIR_OUT, err)) ||
	    (r = bt_url_refuse(events, BT_URL_DIR_OUT, err)) ||
	    (out != NULL && (r = bt_path_could(out, false, err))) ||
	    (events != NULL && (r = bt_path_could(events, true, err))) ||
	    (out != NULL && (r = check_replaced(j, err))) ||
	    (r = bt_adapters_check(j, err)) ||
	    ((!dry || j->o.costs.print != NULL) &&
	     (r = bt_job_device_open(j, err))) ||
	    (r = bt_pool_new(j->o.threads, &j->pool, err)) ||
	    (r = open_tokenizer(j, err)))
		return r;
	if (!(r = read_config(j, &j->old_labels, err)))
		r = bt_job_data(j, err);
	if (r == BT_OK && j->o.few_shot)
		r = bt_few_shot_begin(j, err);
	if (r || (r = plan(j, err)) ||
	    (!dry && (r = bt_memory_plan_check(&j->need, &j->o.train, err))) ||
	    (writes && (r = check_output(j, dry, err))) ||
	    (writes && !dry && !measures &&
	     (r = bt_dir_lock(out, &j->claim, err))) ||
	    (!dry && (r = bt_engine_allocate(j->model.engine, err))))
		return r;
	if (j->o.model != NULL || j->o.init_weights != NULL)
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
	bool low = bt_job_low(j);
	int r = BT_OK;

	if (!j->o.few_shot || res->end != BT_TRAIN_ALL)
		bt_job_device_tell(j);
	res->peak = bt_peak_memory();
	if (p != NULL) {
		r = bt_engine_log_profile(j->model.engine, p, bt_job_log(j),
		                          err);
		res->flop_limit = p->flop_limit;
	} else if (res->seconds > 2 && j->o.train.device == NULL &&
	           bt_log_is_heard(bt_job_log(j), BT_LOG_MORE)) {
		r = bt_roofline_products(j->pool, j->o.gemm, low,
		                         &res->flop_limit, err);
	}
	return r;
}

static void clear(struct bt_job *j)
{
	bt_job_device_close(j); /* before its graph */
	bt_model_clear(&j->model);
	bt_dataset_clear(&j->train);
	bt_dataset_clear(&j->eval);
	bt_masking_clear(&j->masking);
	free(j->class_weights);
	free(j->pos_weights);
	free(j->teacher);
	bt_labels_clear(&j->old_labels);
	free(j->old_row);
	free(j->base);
	bt_tok_free(j->tok);
	bt_pool_free(j->pool);
	bt_dir_lock_release(j->claim);
}

/* The classifier in the place of the encoder that was trained. */
static int end_few_shot(struct bt_job *j, struct bt_train_result *res,
                        struct bt_error *err)
{
	const char *out = j->o.train.out;
	int r = bt_unfinished_mark(out, res->steps, res->total, err);

	if (r == BT_OK)
		r = bt_few_shot_end(j, res, err);
	if (r == BT_OK)
		r = bt_model_save(out, &j->model, save_more, j, err);
	if (r == BT_OK)
		bt_unfinished_end(out);
	return r;
}

int bt_job_run(const struct bt_job_opts *o, struct bt_train_result *res,
               struct bt_error *err)
{
	struct bt_job j = {.o = *o, .claim = -1};
	struct bt_dist *dist = o->train.dist;
	bool first = bt_dist_is_first(dist);
	int r;

	memset(res, 0, sizeof(*res));
	j.o.train.asked_at = bt_seconds();
	j.o.train.save_more = save_more;
	j.o.train.ctx = &j;
	r = bt_dist_agree(dist, prepare(&j, false, err), err);
	if (r == BT_OK)
		r = bt_train(&j.model, &j.train, evaluated(&j), &j.o.train, res,
		             err);
	if (r == BT_OK && first && j.o.few_shot && res->end == BT_TRAIN_ALL)
		r = end_few_shot(&j, res, err);
	if (r == BT_OK && first) {
		if (res->end == BT_TRAIN_ALL || res->end == BT_TRAIN_NO_BETTER)
			bt_warn_result(&j, res);
		r = measure(&j, res, err);
	}
	if (r == BT_OK && first && j.o.n_card_command > 0 &&
	    (res->kept || o->train.resume || o->train.resume_from != NULL) &&
	    (res->end == BT_TRAIN_ALL || res->end == BT_TRAIN_NO_BETTER))
		r = bt_card_write(&j, res, err);
	if (r == BT_OK && first)
		r = bt_history_tell(&j, res, err);
	r = bt_dist_agree(dist, r, err);
	if (r != BT_OK && j.made)
		(void)rmdir(j.o.train.out); /* unless something is in it */
	clear(&j);
	return r;
}

int bt_job_inputs(const struct bt_job_opts *o, json_t **sums,
                  struct bt_error *err)
{
	const struct bt_inputs in = {
	    .records = o->records,
	    .n_records = o->n_records,
	    .eval = o->eval,
	    .model = o->model != NULL ? o->model : o->init_weights,
	    .config = is_preset(o->init_config) ? NULL : o->init_config,
	    .teacher = o->teacher,
	    .pseudo_labels = o->pseudo.file};

	return bt_inputs_sum(&in, sums, err);
}

int bt_job_plan(const struct bt_job_opts *o, struct bt_memory_plan *need,
                struct bt_error *err)
{
	struct bt_job j = {.o = *o, .claim = -1};
	int r = prepare(&j, true, err);

	*need = j.need;
	r = r == BT_OK ? bt_job_costs(&j, err) : r;
	clear(&j);
	return r;
}

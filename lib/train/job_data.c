/* SPDX-License-Identifier: MIT */
/* The examples of a job: read, divided, weighed, and their labels fixed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/open.h"
#include "io/duplicate_paths.h"
#include "tensor/checkpoint.h"
#include "train/class_weight.h"
#include "train/job_int.h"
#include "train/teacher.h"
#include "train/warnings.h"

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

/* Whether the starting model has a classifier of the task and of this head. */
static bool has_head(const struct bt_job *j, const struct bt_labels *known)
{
	const struct bt_task *task = j->model.task;

	bool same = j->old_task == task || (bt_task_has_numbers(j->old_task) &&
	                                    task == &bt_task_ranking);

	return !j->new_head && same && known->n >= task->least &&
	       j->o.n_labels == 0 &&
	       has_classifier(j->o.model, &j->model.config);
}

/* Whether that classifier can be trained on as it is; map[] is then the number
 * that each label of the data has in it. */
static bool keeps_head(const struct bt_job *j, const struct bt_labels *found,
                       const struct bt_labels *known, int *map)
{
	int i;

	if (j->model.task->knows != NULL &&
	    !j->model.task->knows(found, known, map))
		return false;
	for (i = 0; j->o.labels != NULL && i < found->n; i++)
		if (found->n != known->n ||
		    strcmp(found->name[i], known->name[i]) != 0)
			return false;
	return true;
}

/* Finds the labels of the run among those of the starting model. */
static int find_old(struct bt_job *j, const struct bt_labels *known,
                    struct bt_error *err)
{
	const struct bt_labels *l = &j->model.labels;
	int *row = bt_array((size_t)l->n, sizeof(*row)), i, n = 0;

	if (row == NULL)
		return bt_error_nomem(err, "collecting labels");
	for (i = 0; i < l->n; i++) {
		row[i] = bt_labels_find(known, bt_span(l->name[i]));
		n += row[i] >= 0;
	}
	if (n == 0) {
		free(row);
		return BT_OK;
	}
	j->old_row = row;
	j->o.gaps.old_row = row;
	j->o.gaps.n_old = known->n;
	return BT_OK;
}

/* Classes of the starting model that have no names are called as the data call
 * them: by their numbers. */
static int name_by_number(const struct bt_labels *found,
                          struct bt_labels *known, struct bt_error *err)
{
	int n = known->n;

	if (n == 0 || found->n == 0 || !bt_labels_are_numbers(found) ||
	    !bt_labels_are_unnamed(known))
		return BT_OK;
	bt_labels_clear(known);
	return bt_labels_numbered(known, "", n, err);
}

/* Decides the labels of the run: the model's own if its classifier is trained
 * on, else the given ones, or those of the data in their standard order. */
static int fix_labels(struct bt_job *j, struct bt_labels *found,
                      struct bt_error *err)
{
	struct bt_labels *labels = found, *known = &j->old_labels;
	int *map = bt_array0((size_t)found->n + 1, sizeof(*map)), r;
	bool moves = false, named = !bt_labels_are_unnamed(known), has;

	if (map == NULL)
		return bt_error_nomem(err, "collecting labels");
	if (j->model.task->masks) { /* its outputs have no names */
		j->keeps_head = true;
		free(map);
		return BT_OK;
	}
	r = name_by_number(found, known, err);
	has = r == BT_OK && has_head(j, known);
	j->keeps_head = has && keeps_head(j, found, known, map);
	if (r != BT_OK)
		; /* said so */
	else if (j->o.labels == NULL && j->o.n_labels > 0) {
		moves = true;
		r = bt_labels_place(found, j->o.n_labels, map, err);
	} else if (j->o.labels == NULL && j->keeps_head) {
		moves = j->model.task->names_outputs;
		labels = known;
	} else if (j->o.labels == NULL && j->model.task->names_outputs) {
		moves = true;
		r = bt_labels_sort(found, map, err);
	}
	j->model.labels = *labels;
	memset(labels, 0, sizeof(*labels));
	if (r == BT_OK && moves)
		r = bt_dataset_relabel(&j->train, map, j->model.labels.n, err);
	if (r == BT_OK && has && named && !j->keeps_head &&
	    j->model.task->names_outputs && j->o.old_head == BT_JOB_HEAD_FITS)
		r = find_old(j, known, err);
	free(map);
	return r;
}

/* True if any record counts. */
static bool has_weight(const struct bt_dataset *d)
{
	size_t i = 0;

	while (i < d->n && d->weight[i] == 0)
		i++;
	return i < d->n;
}

static int check_training_labels(const struct bt_job *j,
                                 const struct bt_labels *found,
                                 struct bt_error *err)
{
	const struct bt_task *task = j->model.task;
	struct bt_task_data data;

	if (j->train.unlabelled == j->train.n)
		return bt_error_hint(err, task->truth_hint,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "no training record has %s",
		                                  task->truth));
	if (!has_weight(&j->train))
		return bt_error_set(
		    err, BT_EFORMAT,
		    "all %zu training records have the weight 0", j->train.n);
	if (j->train.unlabelled > 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu of %zu training records have no label",
		                    j->train.unlabelled, j->train.n);
	if (task->names_outputs && task->least == 2 && found->n < 2 &&
	    j->o.n_labels == 0)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "all training %s have the same %s '%s': there is nothing "
		    "to tell apart",
		    task->per_token ? "words" : "records",
		    task->per_token ? "tag" : "label", found->name[0]);
	if (task->check == NULL)
		return BT_OK;
	data = bt_dataset_targets(&j->train);
	return task->check(&data, found, j->o.n_labels > 0, err);
}

/* Leaves the first examples, full batches of them, and sees that none is longer
 * than it may be. */
static int cut(struct bt_dataset *d, size_t first, size_t batch, size_t longest,
               struct bt_error *err)
{
	size_t n = first > 0 && first < d->n ? first : d->n;

	if (batch > 0 && n >= batch)
		n -= n % batch;
	bt_dataset_first(d, n);
	if (longest == 0 || d->longest <= longest)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_MAX_LENGTH,
	    bt_error_set(err, BT_EFORMAT,
	                 "a record has %zu tokens, more than the limit of %zu",
	                 d->longest, longest));
}

static void unweigh(const struct bt_job *j, struct bt_dataset *d)
{
	size_t i;

	if (!j->o.unweighted || !d->has_weights)
		return;
	for (i = 0; i < d->n; i++)
		d->weight[i] = 1;
	d->has_weights = false;
	bt_log_warn(bt_job_log(j), "weights-unused", BT_HINT_NONE,
	            "the weights of the %s records do not count",
	            d == &j->train ? "training" : "evaluation");
}

static int read_eval(struct bt_job *j, struct bt_fit *fit, struct bt_error *err)
{
	char *path = (char *)j->o.eval;
	char *const *paths = path != NULL ? &path : j->o.evals;
	int n = path != NULL ? 1 : j->o.n_evals, r;

	if ((r = bt_duplicate_paths(paths, n, bt_job_log(j), err)))
		return r;
	fit->keeps_records = j->model.task == &bt_task_qa;
	if (n > 0 && (r = bt_dist_check_inputs(j->o.train.dist, paths, n, err)))
		return r;
	if (n > 0 && (r = bt_dataset_read(paths, n, 0, fit, BT_LABELS_KNOWN,
	                                  &j->model.labels, &j->eval, err)))
		return r;
	if (j->eval.unlabelled > 0)
		return bt_error_hint(
		    err,
		    j->eval.unlabelled == j->eval.n ? j->model.task->truth_hint
		                                    : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT,
		                 "%zu of %zu records in '%s' have no label",
		                 j->eval.unlabelled, j->eval.n, paths[0]));
	if (n > 0 && (r = cut(&j->eval, j->o.eval_first, j->o.eval_batch,
	                      j->o.eval_longest, err)))
		return r;
	unweigh(j, &j->eval);
	if (j->o.eval_share > 0 && j->train.n > 0 &&
	    (r = bt_dataset_split(&j->train, j->o.eval_share,
	                          j->o.train.batching.seed, &j->eval, err)))
		return r;
	j->has_eval = j->eval.n > 0;
	if (j->o.eval_share > 0 && j->eval.n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "no training record can be held out to "
		                    "evaluate on: %s only one",
		                    j->model.task->one_label ? "each label has"
		                                             : "there is");
	return BT_OK;
}

/* Classes that cannot be learnt: what a data set is not expected to have. */
static int warn_unseen(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_labels *l = &j->model.labels;
	struct bt_task_data d = bt_dataset_targets(&j->train);
	uint8_t *seen = bt_array0((size_t)l->n, 1);
	struct bt_buf b = BT_BUF_INIT;
	int i, unseen = 0;
	size_t k;

	if (seen == NULL)
		return bt_error_nomem(err, "looking at the labels");
	for (k = 0; k < d.n; k++)
		for (i = 0; i < l->n; i++)
			seen[i] |= j->model.task->has(&d, k, i);
	for (i = 0; i < l->n; i++)
		if (!seen[i] && ++unseen <= 5)
			bt_buf_printf(&b, "%s'%s'", b.len > 0 ? ", " : "",
			              l->name[i]);
	if (unseen > 0)
		bt_log_warn(bt_job_log(j), "labels-without-examples",
		            BT_HINT_NONE,
		            "%d of the %d labels %s no training example: %s%s",
		            unseen, l->n, unseen == 1 ? "has" : "have",
		            bt_buf_str(&b), unseen > 5 ? ", ..." : "");
	bt_buf_clear(&b);
	free(seen);
	return BT_OK;
}

/* With label smoothing the share of each class counts as its class does, so
 * that weights stay apart from those of the texts. */
static int weigh_classes(struct bt_job *j, struct bt_error *err)
{
	struct bt_train_opts *o = &j->o.train;
	struct bt_buf said = BT_BUF_INIT;
	int r = bt_class_weight(&j->train, &j->model.labels, o->class_weight,
	                        o->smoothing > 0 ? &j->class_weights : NULL,
	                        &said, err);

	o->class_weights = j->class_weights;
	if (r == BT_OK)
		bt_log(o->log, BT_LOG_NOTE, "weights of the classes: %s",
		       bt_buf_str(&said));
	bt_buf_clear(&said);
	return r;
}

static int weigh_positives(struct bt_job *j, struct bt_error *err)
{
	struct bt_train_opts *o = &j->o.train;
	struct bt_buf said = BT_BUF_INIT;
	int r = bt_pos_weight(j->model.task, &j->train, &j->model.labels,
	                      o->pos_weight, &j->pos_weights, &said, err);

	o->pos_weights = j->pos_weights;
	if (r == BT_OK)
		bt_log(o->log, BT_LOG_NOTE, "weights of positives: %s",
		       bt_buf_str(&said));
	bt_buf_clear(&said);
	return r;
}

/* Leaves the share to train on, weighs the classes, and logs
 * "1001 of 10003 training examples, ...". */
static int subsample(struct bt_job *j, struct bt_error *err)
{
	const struct bt_train_opts *o = &j->o.train;
	const struct bt_dataset *d = &j->train;
	struct bt_task_data data;
	char what[64], of[32] = "", in[48] = "";
	size_t all = bt_dataset_texts(d), texts;
	int r = BT_OK;

	if (o->train_share != 0)
		r = bt_dataset_subsample(&j->train, o->train_share,
		                         o->batching.seed, err);
	if (r == BT_OK && o->class_weight != NULL)
		r = weigh_classes(j, err);
	if (r == BT_OK && o->pos_weight != NULL)
		r = weigh_positives(j, err);
	if (r != BT_OK || o->measure_only)
		return r;
	if (o->train_share != 0)
		snprintf(of, sizeof(of), " of %zu", all);
	texts = bt_dataset_texts(d);
	if (texts < d->n && d->most_texts <= 1)
		snprintf(in, sizeof(in), " in %zu windows", d->n);
	data = bt_dataset_targets(d);
	j->model.task->describe(&data, j->model.labels.n, what, sizeof(what));
	bt_log(
	    o->log, BT_LOG_NOTE,
	    "%zu%s training example%s%s, %zu for evaluation, %s, %.1f tokens "
	    "each (longest %zu)",
	    texts, of, bt_plural(o->train_share != 0 ? all : texts), in,
	    bt_dataset_texts(&j->eval), what,
	    (double)d->start[d->n] / (double)d->n, d->longest);
	return BT_OK;
}

static int read_teacher(struct bt_job *j, struct bt_error *err)
{
	struct bt_train_opts *o = &j->o.train;
	int r = bt_teacher_read(j->o.teacher, j->model.task, &j->model.labels,
	                        &j->train, o->temperature, &j->teacher,
	                        &o->teacher_crc, err);

	o->teacher = j->teacher;
	return r;
}

/* Whether the model is to tell next sentences: what was asked for, or what the
 * records and the model can. */
static int settle_next(struct bt_job *j, struct bt_error *err)
{
	const char *how = j->o.next_sentence;
	bool must = bt_str_is(how, "yes");
	struct bt_config *c = &j->model.config;
	size_t n = bt_dataset_known_next(&j->train);
	struct bt_buf why = BT_BUF_INIT;
	int r = BT_OK;

	c->next_sentence = false;
	if (bt_str_is(how, "no") || (n == 0 && !must))
		return BT_OK;
	if (!bt_config_can_next(c))
		bt_buf_printf(&why,
		              "models of the family %s have no head for them, "
		              "those of bert have",
		              bt_config_type(c));
	else if (n < j->train.n)
		bt_buf_printf(&why,
		              "%zu of %zu training records have no "
		              "next_sentence_labels",
		              j->train.n - n, j->train.n);
	c->next_sentence = why.len == 0;
	if (why.len > 0 && must)
		r = bt_error_set(err, BT_EFORMAT,
		                 "next sentences cannot be told: %s",
		                 bt_buf_str(&why));
	else if (why.len > 0)
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "next sentences are left out: %s", bt_buf_str(&why));
	bt_buf_clear(&why);
	return r;
}

/* The metric may be that of next sentences. */
static int check_masked_metric(const struct bt_job *j, struct bt_error *err)
{
	struct bt_metrics_summary s = {.kind = j->model.task->metrics};
	double v;

	if (!j->model.config.next_sentence ||
	    (j->eval.n > 0 && bt_dataset_known_next(&j->eval) == 0))
		s.lacks = BT_METRICS_OF_NEXT;
	return bt_metrics_find(&s, j->o.train.metric, &v, err);
}

static int nothing_to_mask(const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "no %s record has a token to mask: all of their "
	                    "tokens are special or unknown, or their words are "
	                    "too long",
	                    what);
}

/* Other tokens in each update; the same in each evaluation. */
static int begin_masking(struct bt_job *j, struct bt_error *err)
{
	double share = j->o.mask_prob > 0 ? j->o.mask_prob : BT_MASKING_SHARE;
	int r;

	if (j->tok == NULL)
		return bt_error_hint(err, BT_HINT_TOKENIZER,
		                     bt_error_set(err, BT_EARG,
		                                  "tokens are masked by the "
		                                  "tokenizer's vocabulary, "
		                                  "which is missing"));
	r = bt_masking_init(&j->masking, j->tok, share, j->o.whole_words,
	                    j->o.train.batching.seed, err);
	if (r != BT_OK)
		return r;
	j->o.train.masking = &j->masking;
	bt_masking_fix(&j->masking, &j->eval);
	if (j->o.train.measure_only)
		bt_masking_fix(&j->masking, &j->train);
	if (!bt_masking_finds(&j->masking, &j->train))
		return nothing_to_mask("training", err);
	if (j->eval.n > 0 && !bt_masking_finds(&j->masking, &j->eval))
		return nothing_to_mask("evaluation", err);
	r = settle_next(j, err);
	return r == BT_OK ? check_masked_metric(j, err) : r;
}

/* The model remembers whether its texts were pairs. */
static void note_texts(struct bt_job *j)
{
	size_t pairs = bt_model_pairs(&j->model.config, j->tok, &j->train);

	j->model.config.texts = pairs == 0            ? BT_TEXTS_SINGLE
	                        : pairs == j->train.n ? BT_TEXTS_PAIRS
	                                              : BT_TEXTS_BOTH;
}

/* Of texts without a label, if that was asked for. */
static int predict_labels(struct bt_job *j, const struct bt_labels *found,
                          struct bt_error *err)
{
	if (j->o.pseudo.file == NULL)
		return BT_OK;
	return bt_pseudo_label(&j->o.pseudo, j->model.task, found, &j->train,
	                       bt_job_log(j), err);
}

int bt_job_data(struct bt_job *j, struct bt_error *err)
{
	struct bt_config *c = &j->model.config;
	struct bt_fit fit = bt_model_fit(
	    &j->model, j->tok != NULL ? bt_tok_fingerprint(j->tok) : NULL);
	struct bt_labels found = {0};
	bool given = j->o.labels != NULL;
	int r;

	/* words and places, and texts of a pair, stay apart */
	if (fit.per_token || bt_config_embeds(c))
		j->o.train.windows = BT_WINDOWS_EACH;
	fit.windows = j->o.train.windows;
	fit.keeps_records = j->model.task == &bt_task_qa &&
	                    (j->o.eval_share > 0 || j->o.train.measure_only);
	fit.keeps_records |= j->o.fold.group != NULL;
	if ((r = bt_dist_check_inputs(j->o.train.dist, j->o.records,
	                              j->o.n_records, err)) ||
	    (r = bt_duplicate_paths(j->o.records, j->o.n_records, bt_job_log(j),
	                            err)) ||
	    (given && (r = bt_labels_parse(j->o.labels, &found, err))) ||
	    (r = bt_dataset_read(j->o.records, j->o.n_records, j->o.expect,
	                         &fit,
	                         given ? BT_LABELS_KNOWN : BT_LABELS_COLLECT,
	                         &found, &j->train, err)))
		goto out;
	unweigh(j, &j->train);
	if ((r = predict_labels(j, &found, err)))
		goto out;
	if (!fit.per_token)
		bt_dataset_share_weights(&j->train);
	if (fit.length < 0) {
		fit.length = (int)j->train.longest; /* as all have */
		bt_head_fix(&c->head, fit.length);
	}
	if ((r = cut(&j->train, j->o.first, 0, j->o.longest, err)) ||
	    (r = check_training_labels(j, &found, err)) ||
	    (r = fix_labels(j, &found, err)) ||
	    (r = bt_dataset_continue_tags(&j->train, &j->model.labels, err)))
		goto out;
	if (!j->o.train.measure_only)
		note_texts(j);
	if ((j->o.fold.folds > 0 &&
	     (r = bt_fold_take(&j->o.fold, j->model.task, &j->train, NULL, NULL,
	                       bt_job_log(j), err))) ||
	    (r = read_eval(j, &fit, err)) ||
	    (j->model.task->masks && (r = begin_masking(j, err))) ||
	    (r = subsample(j, err)) ||
	    (j->o.teacher != NULL && (r = read_teacher(j, err))) ||
	    (bt_config_embeds(c) && (r = bt_job_embedding_loss(j, err))) ||
	    j->o.train.measure_only)
		goto out;
	if (j->model.task->has != NULL)
		r = warn_unseen(j, err);
	if (r == BT_OK)
		r = bt_warn_data(j, err);
out:
	bt_labels_clear(&found);
	return r;
}

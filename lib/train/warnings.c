/* SPDX-License-Identifier: MIT */
/* What was hardly meant, though nothing fails: the log warns. */
#include "train/warnings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

#define FEW 20         /* smaller sets are trials, of which nothing is said */
#define LEAK_SHARE 100 /* one text in so many is mentioned */
#define LARGE_RATE 0.01
#define SHORT 300       /* updates; more were hardly too few */
#define SHORT_LABELS 20 /* updates for each label, likewise */
#define LITTLE 0.5      /* of the loss of guessing: so much is still high */
#define NAT                                                                    \
	1.0 /* a loss that is high for any number of labels: as if what is     \
	     * right had the probability 1/e */

static int ascending(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Of each text, with all of its windows or choices; to be freed, or NULL. */
static uint64_t *hash_texts(const struct bt_dataset *d, size_t *n)
{
	uint32_t *first = bt_dataset_find_texts(d, n);
	uint64_t *h = bt_array(*n, sizeof(*h));
	size_t i, from, to;

	for (i = 0; first != NULL && h != NULL && i < *n; i++) {
		from = d->start[first[i]];
		to = d->start[i + 1 < *n ? first[i + 1] : d->n];
		h[i] = bt_hash(d->ids + from, (to - from) * sizeof(*d->ids));
	}
	if (first == NULL) {
		free(h);
		h = NULL;
	}
	free(first);
	return h;
}

/* Counts the different texts of d, and the texts of e that are in d, too. */
static int count_texts(const struct bt_dataset *d, const struct bt_dataset *e,
                       size_t *different, size_t *both, struct bt_error *err)
{
	size_t i, n, n_other;
	uint64_t *h = hash_texts(d, &n), *other = hash_texts(e, &n_other);
	int r = BT_OK;

	*different = *both = 0;
	if (h == NULL || other == NULL)
		r = bt_error_nomem(err, "comparing texts");
	else
		qsort(h, n, sizeof(*h), ascending);
	for (i = 0; r == BT_OK && i < n; i++)
		*different += i == 0 || h[i] != h[i - 1];
	for (i = 0; r == BT_OK && i < n_other; i++)
		*both +=
		    bsearch(&other[i], h, n, sizeof(*h), ascending) != NULL;
	free(h);
	free(other);
	return r;
}

int bt_warn_leak_count(const struct bt_dataset *d, const struct bt_dataset *e,
                       size_t *both, struct bt_error *err)
{
	size_t different;

	return count_texts(d, e, &different, both, err);
}

void bt_warn_leak_folds(size_t both, size_t texts, const struct bt_log *log)
{
	if (both > 0 && both >= texts / LEAK_SHARE)
		bt_log_warn(log, "leak", BT_HINT_NONE,
		            "%zu of %zu texts also occur in folds that their "
		            "own fold's model was trained on: metrics will "
		            "look too good",
		            both, texts);
}

/* Texts that are the same again and again, and those that are evaluated on and
 * trained on. */
static int check_texts(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_dataset *d = &j->train, *e = &j->eval;
	size_t n = bt_dataset_texts(d), eval = bt_dataset_texts(e);
	size_t different, both;

	if (count_texts(d, e, &different, &both, err) != BT_OK)
		return err->code;
	if (n >= FEW && different < n / 2)
		bt_log_warn(
		    bt_job_log(j), "duplicate-texts", BT_HINT_NONE,
		    "only %zu of %zu training texts are distinct: is this "
		    "the right column, and are texts long enough?",
		    different, n);
	else if (both > 0 && both >= eval / LEAK_SHARE)
		bt_log_warn(
		    bt_job_log(j), "leak", BT_HINT_NONE,
		    "%zu of %zu evaluation texts also occur in the training "
		    "data: metrics will look too good",
		    both, eval);
	return BT_OK;
}

/* Labels that were taken from the data. */
static void check_labels(const struct bt_job *j)
{
	const struct bt_labels *l = &j->model.labels;
	bool fraction = false, numbers = l->n > 2;
	double x;
	int i;

	if (!j->model.task->one_label || j->keeps_head || j->o.labels != NULL ||
	    j->o.n_labels > 0 || j->o.train.train_share != 0)
		return;
	for (i = 0; numbers && i < l->n; i++) {
		numbers = bt_parse_f64(l->name[i], -1e300, 1e300, &x) == BT_OK;
		fraction |= numbers && x != floor(x);
	}
	if (numbers && fraction)
		bt_log_warn(bt_job_log(j), "labels-are-numbers",
		            BT_HINT_TASK_REGRESSION,
		            "the labels '%s' ... '%s' look like numbers but "
		            "are used as class names",
		            l->name[0], l->name[l->n - 1]);
	else if (j->train.n >= FEW && (size_t)l->n > j->train.n / 2)
		bt_log_warn(
		    bt_job_log(j), "many-labels", BT_HINT_NONE,
		    "%d labels for %zu training examples, '%s' ... '%s': is "
		    "this the right column?",
		    l->n, j->train.n, l->name[0], l->name[l->n - 1]);
}

/* Texts without the token whose output the family's head takes. */
static void check_first_tokens(const struct bt_job *j)
{
	const struct bt_dataset *d = &j->train;
	int32_t cls = j->tok != NULL ? bt_tok_role(j->tok, BT_TOK_CLS) : -1;
	size_t i, without = 0;

	for (i = 0; cls >= 0 && i < d->n; i++)
		without += d->ids[d->start[i]] != cls;
	if (without > 0)
		bt_log_warn(bt_job_log(j), "no-special-tokens", BT_HINT_NONE,
		            "%zu of %zu training texts do not start with the "
		            "classification token: were they tokenized without "
		            "special tokens?",
		            without, d->n);
}

/* Of very rare labels, a part may have none. */
static void check_evaluated(const struct bt_job *j)
{
	const struct bt_dataset *e = &j->eval;
	size_t i = 1;

	if (j->model.task != &bt_task_classification || e->n < FEW ||
	    j->model.labels.n < 2)
		return;
	while (i < e->n && e->label[i] == e->label[0])
		i++;
	if (i == e->n)
		bt_log_warn(bt_job_log(j), "one-label-evaluated", BT_HINT_NONE,
		            "all %zu examples for evaluation have the label "
		            "'%s': metrics do not tell how others are learned",
		            e->n, j->model.labels.name[e->label[0]]);
}

int bt_warn_data(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_config *c = &j->model.config;

	if (!bt_log_is_heard(bt_job_log(j), BT_LOG_WARN))
		return BT_OK;
	check_labels(j);
	check_first_tokens(j);
	check_evaluated(j);
	bt_model_check_pairs(c, "examples for evaluation", j->eval.n,
	                     bt_model_pairs(c, j->tok, &j->eval),
	                     bt_job_log(j));
	return check_texts(j, err);
}

void bt_warn_plan(const struct bt_train_opts *o, size_t n, int64_t total,
                  int64_t warmup)
{
	const struct bt_batching *b = &o->batching;
	size_t size = b->size * (size_t)(b->accumulate > 0 ? b->accumulate : 1);

	if (size > n && n > FEW)
		bt_log_warn(
		    o->log, "few-updates", BT_HINT_NONE,
		    "each update uses all %zu examples, and the run has only "
		    "%lld update%s: smaller batches learn faster",
		    n, (long long)total, bt_plural((uint64_t)total));
	if (warmup >= total && o->schedule.warmup >= 1)
		bt_log_warn(
		    o->log, "warmup-too-long", BT_HINT_NONE,
		    "warm-up takes %lld updates, but the run has only %lld: "
		    "the learning rate never reaches %g",
		    (long long)warmup, (long long)total, o->schedule.lr);
	if (o->schedule.lr > LARGE_RATE && o->optim.kind != BT_OPTIM_SGD &&
	    o->optim.kind != BT_OPTIM_LAMB)
		bt_log_warn(
		    o->log, "learning-rate-high", BT_HINT_NONE,
		    "the learning rate %g is very high: fine-tuning usually "
		    "needs 1e-5 to 1e-3",
		    o->schedule.lr);
}

/* The loss of guessing without the texts, where there are any. */
static double guess_of(const struct bt_job *j, const struct bt_dataset *d)
{
	struct bt_task_data data = bt_dataset_targets(d);

	if (j->model.task->guess == NULL || d->n == 0)
		return INFINITY;
	return j->model.task->guess(&data, j->model.labels.n,
	                            j->o.train.smoothing);
}

/* The loss on d above which little was learned. */
static double high_loss(const struct bt_job *j, const struct bt_dataset *d)
{
	double half = LITTLE * guess_of(j, d);

	return j->model.task->one_label ? fmin(half, NAT) : half;
}

/* Whether a run of so many updates may have been too short. */
static bool is_short(const struct bt_job *j, int64_t steps)
{
	return steps < SHORT || (j->model.task->one_label &&
	                         steps / SHORT_LABELS < j->model.labels.n);
}

/* Whether the last evaluation has such a loss or a lower one. */
static bool evaluated_below(const struct bt_job *j,
                            const struct bt_metrics_summary *s, double loss)
{
	return j->has_eval && s->kind != NULL && s->loss <= loss;
}

/* Whether it shows that the texts count, by such a loss or by a correlation of
 * three standard deviations: the loss alone may still be high where numbers are
 * far from 0. */
static bool evaluation_learned(const struct bt_job *j,
                               const struct bt_metrics_summary *s)
{
	double pearson;

	return evaluated_below(j, s, guess_of(j, &j->eval)) ||
	       (j->has_eval && s->kind != NULL &&
	        bt_metrics_find(s, "pearson", &pearson, NULL) == BT_OK &&
	        pearson * sqrt((double)j->eval.n) > 3);
}

/* A model of labels that differ in frequency often learns only that. Returns
 * whether it warned. */
static bool check_predictions(const struct bt_job *j,
                              const struct bt_metrics_summary *s,
                              enum bt_hint hint)
{
	const struct bt_labels *l = &j->model.labels;

	if (!j->has_eval || j->eval.n < FEW ||
	    s->kind != &bt_metrics_classification || s->commonest_share >= 1 ||
	    s->accuracy > s->commonest_share ||
	    (s->predicted > 1 && j->o.train.class_weight != NULL))
		return false;
	bt_log_warn(bt_job_log(j), "few-labels-predicted", hint,
	            "the last evaluation is not better than '%s' for every "
	            "text: %.4g of the texts are right, %.4g would be (labels "
	            "predicted: %d of %d)",
	            l->name[s->commonest], s->accuracy, s->commonest_share,
	            s->predicted, l->n);
	return true;
}

/* Whether the loss is one that guessing has, too. */
static bool is_plain_loss(const struct bt_train_opts *o,
                          const struct bt_dataset *d)
{
	return !d->has_weights && o->pos_weight == NULL && o->teacher == NULL &&
	       o->r_drop == 0;
}

void bt_warn_result(const struct bt_job *j, const struct bt_train_result *r)
{
	const struct bt_train_opts *o = &j->o.train;
	const struct bt_metrics_summary *s = &r->measured;
	enum bt_hint hint = j->o.default_recipe && is_short(j, r->steps)
	                        ? BT_HINT_TRAIN_MORE
	                        : BT_HINT_NONE;
	bool comparable;
	double guess;

	if (o->measure_only || j->train.n < FEW || isnan(r->loss))
		return;
	guess = guess_of(j, &j->train);
	/* of few examples, the loss is that of their pairs */
	comparable = is_plain_loss(o, &j->train) && guess > 0 && !j->o.few_shot;
	if (comparable && r->end_loss > guess && !evaluation_learned(j, s))
		bt_log_warn(bt_job_log(j), "nothing-learned", hint,
		            "the loss at the end (%.4g) is higher than that of "
		            "guessing without the texts (%.4g): the model has "
		            "learned nothing yet%s",
		            r->end_loss, guess,
		            !j->model.task->names_outputs && guess > 100
		                ? "; targets near 1 are easier to learn"
		                : "");
	else if (!check_predictions(j, s, hint) && comparable &&
	         r->end_loss > high_loss(j, &j->train) &&
	         hint != BT_HINT_NONE && o->smoothing == 0 &&
	         !evaluated_below(j, s, high_loss(j, &j->eval)))
		bt_log_warn(bt_job_log(j), "little-learned", hint,
		            "after %lld updates the loss is %.4g, that of "
		            "guessing without the texts %.4g: the model has "
		            "learned little yet",
		            (long long)r->steps, r->end_loss, guess);
}

void bt_warn_replaced(const struct bt_job *j, const char *from)
{
	const char *why =
	    j->new_head ? "head is not that of" : "labels are not those of";

	if (!j->new_head && j->o.labels == NULL && j->o.n_labels == 0 &&
	    bt_labels_are_numbers(&j->model.labels))
		bt_log_warn(bt_job_log(j), "other-labels", BT_HINT_NAME_LABELS,
		            "the %s '%s', which have names: its classifier is "
		            "replaced by a new one",
		            why, from);
	else
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "the %s '%s': its classifier is replaced by a new one",
		       why, from);
}

/* "'a', 'b'": the labels of one that the other lacks, five at most; how many
 * there are. */
static int lacking(const struct bt_labels *of, const struct bt_labels *other,
                   struct bt_buf *out)
{
	int i, n = 0;

	for (i = 0; i < of->n; i++)
		if (bt_labels_find(other, bt_span(of->name[i])) < 0 && ++n <= 5)
			bt_buf_printf(out, "%s'%s'", n > 1 ? ", " : "",
			              of->name[i]);
	if (n > 5)
		bt_buf_puts(out, ", ...");
	return n;
}

void bt_warn_classes(const struct bt_job *j, const char *from, int kept)
{
	const struct bt_labels *l = &j->model.labels, *old = &j->old_labels;
	const char *what = j->model.task->outputs;
	struct bt_buf new = BT_BUF_INIT, left = BT_BUF_INIT;
	int n = lacking(l, old, &new);

	bt_log(bt_job_log(j), BT_LOG_NOTE,
	       "'%s': %d of %d %s %s the model's%s%s", from, kept, l->n, what,
	       kept == 1 ? "is" : "are", n > 0 ? ", newly initialized: " : "",
	       bt_buf_str(&new));
	n = lacking(old, l, &left);
	if (n > 0 && j->o.labels == NULL && j->o.n_labels == 0)
		bt_log_warn(bt_job_log(j), "labels-left-out", BT_HINT_NONE,
		            "'%s': %d of its %d %s %s left out: %s", from, n,
		            old->n, what, n == 1 ? "is" : "are",
		            bt_buf_str(&left));
	else if (n > 0) /* as the list of labels wants it */
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "'%s': %d of its %d %s %s left out: %s", from, n, old->n,
		       what, n == 1 ? "is" : "are", bt_buf_str(&left));
	bt_buf_clear(&new);
	bt_buf_clear(&left);
}

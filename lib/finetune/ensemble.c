/* SPDX-License-Identifier: MIT */
#include "finetune/ensemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

/* Finds the first one's classes among those of model k, and whether it takes
 * the same texts: models that flatten texts of different lengths have none in
 * common. */
static int match(struct bt_ensemble *s, size_t k, const struct bt_model *first,
                 struct bt_error *err)
{
	const char *dir = s->dir[k];
	const struct bt_task *task = s->model[k].task, *of = first->task;
	const struct bt_labels *l = &s->model[k].labels;
	int a = bt_head_length(&s->model[k].config.head);
	int b = bt_head_length(&first->config.head);
	int i, n = first->labels.n;
	int *map = s->class_of[k] = bt_array0((size_t)n, sizeof(*map));

	if (map == NULL)
		return bt_error_nomem(err, "opening models");
	if (task != of)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' predicts %s, the first model %s", dir,
		                    task->predicts, of->predicts);
	if (l->n != n)
		return bt_error_set(
		    err, BT_EFORMAT, "'%s' has %d %s, the first model %d", dir,
		    l->n, l->n == 1 ? of->output : of->outputs, n);
	for (i = 0; i < n && (of->names_outputs || n > 1); i++) {
		map[i] = bt_labels_find(l, bt_span(first->labels.name[i]));
		if (map[i] < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s' does not know the first "
			                    "model's %s '%s'",
			                    dir, of->output,
			                    first->labels.name[i]);
	}
	if (a == 0 || b == 0 || a == b)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s' is for texts of %d tokens, the first model "
	                    "for texts of %d",
	                    dir, a, b);
}

static int check_tokenizer(const char *dir, const char *wanted, bool apart,
                           struct bt_error *err)
{
	struct bt_error ignored = {0};
	struct bt_tok *tok;
	int r = BT_OK;

	if (wanted == NULL || bt_tok_open(dir, NULL, &tok, &ignored) != BT_OK)
		return BT_OK;
	if (strcmp(bt_tok_fingerprint(tok), wanted) != 0)
		r = bt_error_hint(
		    err, apart ? BT_HINT_NONE : BT_HINT_TENSOR_MEAN,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' has another tokenizer than the first "
		                 "model%s",
		                 dir,
		                 apart ? ": models are compared on the same "
		                         "tokens"
		                       : ""));
	bt_tok_free(tok);
	return r;
}

int bt_ensemble_open(struct bt_ensemble *s, const char *const *dirs, size_t n,
                     const struct bt_model *first, const char *tokenizer,
                     const struct bt_engine_opts *o, struct bt_error *err)
{
	int r = BT_OK;

	s->dir = dirs;
	s->model = bt_array0(n, sizeof(*s->model));
	s->class_of = bt_array0(n, sizeof(*s->class_of));
	for (; s->n < n && r == BT_OK; s->n++)
		if (!(r = check_tokenizer(dirs[s->n], tokenizer, s->apart,
		                          err)) &&
		    !(r = first->entails ? bt_model_open_entailment(
		                               dirs[s->n], first->singly, o,
		                               &s->model[s->n], err)
		                         : bt_model_open(dirs[s->n], o,
		                                         &s->model[s->n], err)))
			r = match(s, s->n, first, err);
	return r;
}

uint32_t bt_ensemble_sum(const struct bt_ensemble *s, uint32_t sum)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		sum = bt_model_sum(&s->model[i], sum);
	return sum;
}

void bt_ensemble_clear(struct bt_ensemble *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		bt_model_clear(&s->model[i]);
		free(s->class_of[i]);
	}
	free(s->model);
	free(s->class_of);
	free(s->sum);
	free(s->mean);
	free(s->rows);
	memset(s, 0, sizeof(*s));
}

static int lower(int a, int b)
{
	return a < b ? a : b;
}

void bt_ensemble_fit(const struct bt_ensemble *s, struct bt_fit *fit)
{
	struct bt_fit f;
	size_t i;

	for (i = 0; i < s->n; i++) {
		f = bt_model_fit(&s->model[i], NULL);
		fit->vocab_size = lower(fit->vocab_size, f.vocab_size);
		fit->type_vocab_size =
		    lower(fit->type_vocab_size, f.type_vocab_size);
		fit->max_positions = lower(fit->max_positions, f.max_positions);
		if (f.length != 0)
			fit->length = f.length;
	}
}

struct adding {
	const struct bt_dataset *d;
	const struct bt_answer_form *form;
	double *next;        /* of the sum */
	const int *class_of; /* or NULL: as they are */
	int classes;
};

static int add(void *ctx, size_t i, const float *output, struct bt_error *err)
{
	struct adding *a = ctx;
	size_t rows = bt_dataset_rows(a->d, i);

	(void)err;
	for (; rows > 0; rows--, output += a->classes, a->next += a->classes)
		a->form->add(output, a->class_of, a->classes, a->next);
	return BT_OK;
}

/* The answers of the first model, k = 0, or of that many behind it. */
static int ask(struct bt_ensemble *s, size_t k, const struct bt_model *first,
               const struct bt_dataset *d, struct bt_gather *g,
               bt_forward_fn *fn, void *ctx, double *flop, struct bt_error *err)
{
	const struct bt_model *m = k == 0 ? first : &s->model[k - 1];
	int r =
	    bt_calibration_forward(&m->calibration, m->engine, d, g,
	                           (size_t)first->labels.n, fn, ctx, flop, err);

	if (r == BT_OK)
		return r;
	return k == 0 ? bt_error_prefix(err, "the first model")
	              : bt_error_prefix(err, "'%s'", s->dir[k - 1]);
}

/* Room for the sum over all rows of the block, which becomes 0, and for the
 * mean of the example with the most. */
static int make_room(struct bt_ensemble *s, const struct bt_dataset *d,
                     size_t classes, struct bt_error *err)
{
	size_t all = 0, most = 0, rows, n, i;

	for (i = 0; i < d->n; i++) {
		rows = bt_dataset_rows(d, i);
		all += rows;
		most = rows > most ? rows : most;
	}
	if (!bt_size_mul(all, classes, &n) ||
	    bt_grow(&s->sum, &s->sum_cap, n, sizeof(*s->sum)) != BT_OK ||
	    bt_grow(&s->mean, &s->mean_cap, most * classes, sizeof(*s->mean)) !=
	        BT_OK)
		return bt_error_nomem(err, "predicting");
	for (i = 0; i < n; i++)
		s->sum[i] = 0;
	return BT_OK;
}

int bt_ensemble_infer(struct bt_ensemble *s, const struct bt_model *first,
                      const struct bt_dataset *d, struct bt_gather *g,
                      bt_forward_fn *fn, void *ctx, double *flop,
                      struct bt_error *err)
{
	size_t classes = (size_t)first->labels.n, i, k, n;
	struct adding a = {
	    .d = d, .form = first->task->answer, .classes = first->labels.n};
	const double *sum;
	int r = make_room(s, d, classes, err);

	for (k = 0; k <= s->n && r == BT_OK; k++) {
		a.next = s->sum;
		a.class_of = k > 0 ? s->class_of[k - 1] : NULL;
		r = ask(s, k, first, d, g, add, &a, flop, err);
	}
	for (i = 0, sum = s->sum; i < d->n && r == BT_OK; i++, sum += n) {
		n = bt_dataset_rows(d, i) * classes;
		for (k = 0; k < n; k++)
			s->mean[k] = a.form->mean(sum[k], s->n + 1);
		r = fn(ctx, i, s->mean, err);
	}
	return r;
}

/* Where the answers of one model go. */
struct keeping {
	float *row;          /* of the first example */
	size_t step;         /* from one to the next */
	const int *class_of; /* or NULL: as they are */
	size_t classes;
};

static int keep(void *ctx, size_t i, const float *logits, struct bt_error *err)
{
	const struct keeping *p = ctx;
	float *row = p->row + i * p->step;
	size_t k;

	(void)err;
	for (k = 0; k < p->classes; k++)
		row[k] = logits[p->class_of != NULL ? p->class_of[k] : (int)k];
	return BT_OK;
}

int bt_ensemble_each(struct bt_ensemble *s, const struct bt_model *first,
                     const struct bt_dataset *d, struct bt_gather *g,
                     bt_forward_fn *fn, void *ctx, double *flop,
                     struct bt_error *err)
{
	size_t classes = (size_t)first->labels.n, n, i, k;
	struct keeping p = {.classes = classes, .step = (s->n + 1) * classes};
	int r = BT_OK;

	if (!bt_size_mul(d->n, p.step, &n) ||
	    bt_grow(&s->rows, &s->rows_cap, n, sizeof(*s->rows)) != BT_OK)
		return bt_error_nomem(err, "predicting");
	for (k = 0; k <= s->n && r == BT_OK; k++) {
		p.row = s->rows + k * classes;
		p.class_of = k > 0 ? s->class_of[k - 1] : NULL;
		r = ask(s, k, first, d, g, keep, &p, flop, err);
	}
	for (i = 0; i < d->n && r == BT_OK; i++)
		r = fn(ctx, i, s->rows + i * p.step, err);
	return r;
}

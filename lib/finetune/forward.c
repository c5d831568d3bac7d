/* SPDX-License-Identifier: MIT */
#include "finetune/forward.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "finetune/device_texts.h"
#include "finetune/join.h"

/* Examples of the batch that begins with that one, of so many tokens. */
static size_t batch_at(const struct bt_dataset *d, size_t first, size_t tokens)
{
	size_t n = 1;

	while (first + n < d->n && n < BT_FORWARD_TEXTS &&
	       d->start[first + n + 1] - d->start[first] <= tokens)
		n++;
	return n;
}

size_t bt_forward_selected(const struct bt_dataset *d)
{
	size_t first = 0, most = 1, n, i, all;

	for (; d->selects && first < d->n; first += n) {
		n = batch_at(d, first, BT_FORWARD_TOKENS);
		for (i = all = 0; i < n; i++)
			all += bt_dataset_selected(d, first + i);
		most = all > most ? all : most;
	}
	return most;
}

struct forward {
	struct bt_engine *e;
	const struct bt_dataset *d;
	struct bt_gather *g;
	size_t classes, tokens;
	bt_forward_fn *fn;
	void *ctx;
	double *flop; /* or NULL */
};

/* Computes the logits of a batch. */
static int compute(const struct forward *f, size_t first, size_t n,
                   struct bt_error *err)
{
	struct bt_gather *g = f->g;
	int r;

	g->passes = 1;
	bt_gather_fill(g, f->d, NULL, first, n);
	g->b.train = false;
	g->b.r_drop = 0;
	g->b.labels = NULL;
	g->b.targets = NULL;
	g->b.next_labels = NULL;
	r = bt_engine_forward(f->e, &g->b, err);
	if (r == BT_OK && f->flop != NULL)
		*f->flop += bt_engine_flop(f->e);
	return r;
}

/* Gives the logits, and the second ones if there are, of each example of a
 * batch. */
static int give(const struct forward *f, size_t first, size_t n,
                const float *logits, const float *next, struct bt_error *err)
{
	size_t i, k, width;
	int r = BT_OK;

	for (i = 0; i < n && r == BT_OK; i++, logits += width) {
		width = f->classes * bt_dataset_rows(f->d, first + i);
		for (k = 0; k < width && isfinite(logits[k]); k++)
			;
		if (k < width)
			return bt_error_set(
			    err, BT_ECORRUPT,
			    "the model's answer to example %llu is not a "
			    "number",
			    (unsigned long long)(f->d->before + first + i + 1));
		f->g->next_logits = next != NULL ? next + 2 * i : NULL;
		r = f->fn(f->ctx, first + i, logits, err);
	}
	return r;
}

/* A batch for each rank. */
struct round {
	size_t *example; /* [ranks + 1] that begins the rank's batch, */
	size_t *next_at; /* counted from the first one, */
	size_t *at;      /* and its first logit */
	float *logits, *next;
	size_t cap, next_cap; /* of these */
};

/* The round that begins with that example. */
static int plan_round(const struct forward *f, struct round *x, size_t first,
                      struct bt_error *err)
{
	size_t ranks = (size_t)bt_dist_size(f->g->dist), k, end;

	x->example[0] = first;
	x->at[0] = 0;
	for (k = 0; k < ranks; k++) {
		end = first;
		if (first < f->d->n)
			end += batch_at(f->d, first, f->tokens);
		x->at[k + 1] = x->at[k];
		for (; first < end; first++)
			x->at[k + 1] +=
			    f->classes * bt_dataset_rows(f->d, first);
		x->example[k + 1] = end;
	}
	for (k = 0; k <= ranks; k++)
		x->next_at[k] = x->example[k] - x->example[0];
	if (x->at[ranks] > INT_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "%zu processes are too many for answers of "
		                    "that size",
		                    ranks);
	/* logits of no rows are no NULL either, which would be no answer */
	return bt_grow(&x->logits, &x->cap, x->at[ranks] + 1, sizeof(float)) ==
	                   BT_OK &&
	               bt_grow(&x->next, &x->next_cap, 2 * x->next_at[ranks],
	                       sizeof(float)) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "sharing answers");
}

static int compute_own(const struct forward *f, const struct round *x,
                       struct bt_error *err)
{
	size_t rank = (size_t)bt_dist_rank(f->g->dist);
	size_t first = x->example[rank], n = x->example[rank + 1] - first;
	const float *next;
	int r = n > 0 ? compute(f, first, n, err) : BT_OK;

	if (n == 0 || r != BT_OK)
		return r;
	memcpy(x->logits + x->at[rank], bt_engine_logits(f->e),
	       (x->at[rank + 1] - x->at[rank]) * sizeof(float));
	next = bt_engine_next_logits(f->e);
	if (next != NULL)
		memcpy(x->next + 2 * x->next_at[rank], next,
		       2 * n * sizeof(float));
	return BT_OK;
}

/* Round by round; behind the last one an empty one, in which errors of those
 * before reach all ranks. */
static int share(const struct forward *f, int r, struct bt_error *err)
{
	struct bt_dist *dist = f->g->dist;
	size_t ranks = (size_t)bt_dist_size(dist), first = 0, n;
	bool next = bt_engine_next_logits(f->e) != NULL;
	struct round x = {0};

	x.example = bt_array0(3 * (ranks + 1), sizeof(*x.example));
	x.next_at = x.example + ranks + 1;
	x.at = x.next_at + ranks + 1;
	for (;; first += n) {
		if (r == BT_OK)
			r = plan_round(f, &x, first, err);
		if (r == BT_OK)
			r = compute_own(f, &x, err);
		r = bt_dist_agree(dist, r, err);
		n = r == BT_OK ? x.next_at[ranks] : 0;
		if (n == 0)
			break;
		bt_dist_share(dist, x.logits, sizeof(float), x.at);
		if (next)
			bt_dist_share(dist, x.next, 2 * sizeof(float),
			              x.next_at);
		r = give(f, first, n, x.logits, next ? x.next : NULL, err);
	}
	free(x.example);
	free(x.logits);
	free(x.next);
	return r;
}

/* All examples on a device, many at a time, since it packs them. f: NULL where
 * it computes nothing. */
static int on_device(struct bt_device *device, const struct bt_dataset *d,
                     size_t classes, const struct forward *f,
                     struct bt_error *err)
{
	struct bt_device_examples x = {.texts.n = 0};
	const float *logits = NULL, *next = NULL;
	size_t first = 0, n;
	int r = BT_OK;

	for (; first < d->n && r == BT_OK; first += n) {
		n = bt_device_examples_fit(d, first, classes);
		r = bt_device_examples_take(&x, d, first, n, err);
		if (r == BT_OK)
			r = bt_device_forward(device, &x.texts, &logits, &next,
			                      err);
		if (r == BT_OK && f != NULL)
			r = give(f, first, n, logits, next, err);
	}
	bt_device_examples_clear(&x);
	return r;
}

int bt_forward_plan(const struct bt_dataset *d, struct bt_device *device,
                    size_t classes, struct bt_error *err)
{
	return on_device(device, d, classes, NULL, err);
}

int bt_forward(struct bt_engine *e, const struct bt_dataset *d,
               struct bt_gather *g, size_t classes, bt_forward_fn *fn,
               void *ctx, double *flop, struct bt_error *err)
{
	struct forward f = {e, d, g, classes, 0, fn, ctx, flop};
	size_t first, n, most, all = d->n > 0 ? d->start[d->n] : 0;
	int r;

	if (g->device != NULL)
		return on_device(g->device, d, classes, &f, err);
	f.tokens = g->tokens > 0 ? g->tokens : BT_FORWARD_TOKENS;
	most = d->longest > f.tokens ? d->longest : f.tokens;
	r = bt_engine_grow(e, all < most ? all : most, bt_forward_selected(d),
	                   d->longest, err);
	if (g->dist != NULL)
		return share(&f, r, err);
	for (first = 0; first < d->n && r == BT_OK; first += n) {
		n = batch_at(d, first, f.tokens);
		r = compute(&f, first, n, err);
		if (r == BT_OK)
			r = give(&f, first, n, bt_engine_logits(e),
			         bt_engine_next_logits(e), err);
	}
	return r;
}

/* Each labelled word, by its first token, or masked token. */
static int count_words(struct bt_metrics *m, const struct bt_dataset *d,
                       size_t i, const float *logits, struct bt_error *err)
{
	uint64_t at;
	int r = BT_OK;

	if (!d->continues[i] && m->kind->begin != NULL)
		m->kind->begin(m);
	for (at = d->start[i]; at < d->start[i + 1] && r == BT_OK; at++) {
		if (d->token_label[at] >= 0)
			r = bt_metrics_add(m, d->token_label[at], NULL, logits,
			                   err);
		if (!d->selects || bt_token_begins(d->token_label[at]))
			logits += bt_metrics_outputs(m);
	}
	return r;
}

int bt_forward_count(struct bt_metrics *m, const struct bt_dataset *d, size_t i,
                     const float *logits, struct bt_error *err)
{
	if (d->token_label != NULL)
		return count_words(m, d, i, logits, err);
	if (d->per_token) {
		m->kind->add_span(m, bt_dataset_target(d, i), logits,
		                  bt_dataset_length(d, i));
		return BT_OK;
	}
	m->text = bt_hash(d->ids + d->start[i],
	                  bt_dataset_length(d, i) * sizeof(*d->ids));
	return bt_metrics_add(m, d->label[i], bt_dataset_target(d, i), logits,
	                      err);
}

struct measuring {
	const struct bt_dataset *d;
	const struct bt_gather *g;
	struct bt_metrics *m;
	struct bt_join join;
	bt_forward_fn *also;
	void *ctx;
};

static int measure(void *ctx, size_t i, const float *logits,
                   struct bt_error *err)
{
	struct measuring *a = ctx;
	int r;

	logits = bt_join_add(&a->join, a->d, i, logits);
	if (logits == NULL || a->d->label[i] < 0)
		return BT_OK;
	r = bt_forward_count(a->m, a->d, i, logits, err);
	if (r == BT_OK && a->g->next_logits != NULL)
		bt_metrics_add_next(a->m, a->d->label[i], a->g->next_logits);
	return r == BT_OK && a->also != NULL ? a->also(a->ctx, i, logits, err)
	                                     : r;
}

int bt_forward_measure(struct bt_engine *e, const struct bt_dataset *d,
                       struct bt_gather *g, struct bt_metrics *m,
                       enum bt_windows_join how, bt_forward_fn *also, void *ctx,
                       struct bt_error *err)
{
	struct measuring a = {.d = d, .g = g, .m = m, .also = also, .ctx = ctx};
	size_t width = bt_metrics_outputs(m);
	int r = bt_join_init(&a.join, how, width, err);

	if (r == BT_OK)
		r = bt_forward(e, d, g, width, measure, &a, NULL, err);
	bt_join_clear(&a.join);
	return r;
}

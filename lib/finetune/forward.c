/* SPDX-License-Identifier: MIT */
#include "finetune/forward.h"

#include <math.h>

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

size_t bt_forward_rows(const struct bt_dataset *d, size_t i)
{
	return d->selects     ? bt_dataset_selected(d, i)
	       : d->per_token ? bt_dataset_length(d, i)
	                      : 1;
}

int bt_forward(struct bt_engine *e, const struct bt_dataset *d,
               struct bt_gather *g, size_t classes, bt_forward_fn *fn,
               void *ctx, double *flop, struct bt_error *err)
{
	const float *logits, *next;
	size_t first, n, i, k, width, all = d->n > 0 ? d->start[d->n] : 0;
	size_t tokens = g->tokens > 0 ? g->tokens : BT_FORWARD_TOKENS;
	size_t most = d->longest > tokens ? d->longest : tokens;
	int r = bt_engine_grow(e, all < most ? all : most,
	                       bt_forward_selected(d), d->longest, err);

	for (first = 0; first < d->n && r == BT_OK; first += n) {
		n = batch_at(d, first, tokens);
		bt_gather_fill(g, d, NULL, first, n);
		g->b.train = false;
		g->b.labels = NULL;
		g->b.targets = NULL;
		g->b.next_labels = NULL;
		r = bt_engine_forward(e, &g->b, err);
		if (r == BT_OK && flop != NULL)
			*flop += bt_engine_flop(e);
		logits = bt_engine_logits(e);
		next = bt_engine_next_logits(e);
		for (i = 0; i < n && r == BT_OK; i++, logits += width) {
			width = classes * bt_forward_rows(d, first + i);
			for (k = 0; k < width && isfinite(logits[k]); k++)
				;
			if (k < width)
				return bt_error_set(
				    err, BT_ECORRUPT,
				    "the model's answer to example %llu is not "
				    "a number",
				    (unsigned long long)(d->before + first + i +
				                         1));
			g->next_logits = next != NULL ? next + 2 * i : NULL;
			r = fn(ctx, first + i, logits, err);
		}
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

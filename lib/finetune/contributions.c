/* SPDX-License-Identifier: MIT */
#include "finetune/contributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/forward.h"

struct bt_contributions {
	struct bt_contributions_opts o;
	const struct bt_graph *g;
	struct bt_engine *e;
	size_t cols, outputs;
	const float *table; /* of words */

	/* the run: copy k of ask i, of which 0 is the baseline and k the point
	 * k - 1, from 0 on */
	const struct bt_dataset *d;
	const struct bt_contributions_ask *asks;
	double baseline; /* output of the ask at hand */
	double *sum;     /* [longest] of its tokens */

	/* the batch */
	struct bt_batch b;
	size_t room; /* tokens */
	size_t texts;
	uint32_t *start;
	int32_t *ids;
	uint8_t *types;
	float *words, *word_grads, *logit_grads;
};

int bt_contributions_new(const struct bt_contributions_opts *o,
                         const struct bt_graph *g, struct bt_engine *e,
                         struct bt_contributions **res, struct bt_error *err)
{
	struct bt_contributions *c;
	const struct bt_param *word = &g->params[g->nodes[0].u.embed.word];
	size_t tokens;

	if (o->baseline < 0 || o->baseline >= word->rows)
		return bt_error_set(err, BT_EARG,
		                    "the token %d, which is to stand for all "
		                    "others, is not one of the model's %d",
		                    (int)o->baseline, word->rows);
	c = bt_array0(1, sizeof(*c));
	c->o = *o;
	c->g = g;
	c->e = e;
	c->cols = (size_t)word->cols;
	c->outputs = (size_t)g->nodes[g->logits].cols;
	c->table = bt_engine_param(e, g->nodes[0].u.embed.word);
	bt_engine_limits(e, &tokens, &c->texts);
	if (c->texts > BT_FORWARD_TEXTS)
		c->texts = BT_FORWARD_TEXTS;
	*res = c;
	return BT_OK;
}

static void clear_room(struct bt_contributions *c)
{
	free(c->sum);
	free(c->start);
	free(c->ids);
	free(c->types);
	free(c->words);
	free(c->word_grads);
	free(c->logit_grads);
	c->sum = NULL;
	c->start = NULL;
	c->ids = NULL;
	c->types = NULL;
	c->words = c->word_grads = c->logit_grads = NULL;
	c->room = 0;
}

void bt_contributions_free(struct bt_contributions *c)
{
	if (c == NULL)
		return;
	clear_room(c);
	free(c);
}

/* Makes room for batches of so many tokens. */
static int make_room(struct bt_contributions *c, size_t tokens,
                     struct bt_error *err)
{
	size_t floats, logits;

	if (tokens <= c->room)
		return BT_OK;
	clear_room(c);
	if (!bt_size_mul(tokens, c->cols, &floats) ||
	    !bt_size_mul(c->texts, c->outputs, &logits))
		return bt_error_nomem(err, "explaining a text");
	c->sum = bt_array(tokens, sizeof(*c->sum));
	c->start = bt_array(c->texts + 1, sizeof(*c->start));
	c->ids = bt_array(tokens, sizeof(*c->ids));
	c->types = bt_array(tokens, sizeof(*c->types));
	c->words = bt_array(floats, sizeof(*c->words));
	c->word_grads = bt_array(floats, sizeof(*c->word_grads));
	c->logit_grads = bt_array(logits, sizeof(*c->logit_grads));
	if (c->sum == NULL || c->start == NULL || c->ids == NULL ||
	    c->types == NULL || c->words == NULL || c->word_grads == NULL ||
	    c->logit_grads == NULL)
		return bt_error_nomem(err, "explaining a text");
	c->room = tokens;
	c->b = (struct bt_batch){.start = c->start,
	                         .ids = c->ids,
	                         .types = c->types,
	                         .words = c->words,
	                         .word_grads = c->word_grads,
	                         .logit_grads = c->logit_grads,
	                         .loss_scale = 1};
	return BT_OK;
}

static bool is_special(const struct bt_contributions *c, int32_t id)
{
	int i;

	for (i = 0; i < BT_CONTRIBUTIONS_SPECIAL; i++)
		if (c->o.special[i] == id)
			return true;
	return false;
}

/* The token that stands for id in the baseline. */
static int32_t stand_in(const struct bt_contributions *c, int32_t id)
{
	return is_special(c, id) ? id : c->o.baseline;
}

static const float *row_of(const struct bt_contributions *c, int32_t id)
{
	return c->table + (size_t)id * c->cols;
}

/* Where on the way from the baseline to the text point i is. */
static double point(const struct bt_contributions *c, int i)
{
	return (i + .5) / c->o.steps;
}

/* Appends a copy to the batch. */
static void put_copy(struct bt_contributions *c, size_t ask, int copy)
{
	size_t example = c->asks[ask].example, k;
	uint64_t from = c->d->start[example];
	size_t n = bt_dataset_length(c->d, example), at = c->b.tokens, t;
	float a = copy == 0 ? 0 : (float)point(c, copy - 1), *row;
	const float *x, *x0;

	memcpy(c->ids + at, c->d->ids + from, n * sizeof(*c->ids));
	memcpy(c->types + at, c->d->types + from, n);
	for (t = 0; t < n; t++) {
		x = row_of(c, c->ids[at + t]);
		x0 = row_of(c, stand_in(c, c->ids[at + t]));
		row = c->words + (at + t) * c->cols;
		for (k = 0; k < c->cols; k++)
			row[k] = x0[k] + a * (x[k] - x0[k]);
	}
	row = c->logit_grads + c->b.sequences * c->outputs;
	memset(row, 0, c->outputs * sizeof(*row));
	row[c->asks[ask].output] = copy == 0 ? 0 : 1;
	c->start[c->b.sequences++] = (uint32_t)at;
	c->b.tokens = at + n;
	c->start[c->b.sequences] = (uint32_t)c->b.tokens;
}

/* Adds what sequence s of the batch, a copy of that example, says. */
static void add_copy(struct bt_contributions *c, size_t example, size_t s)
{
	uint64_t from = c->d->start[example];
	size_t n = bt_dataset_length(c->d, example), t, k;
	double sum;
	const float *x, *x0, *grad;
	int32_t id;

	for (t = 0; t < n; t++) {
		id = c->d->ids[from + t];
		x = row_of(c, id);
		x0 = row_of(c, stand_in(c, id));
		grad = c->word_grads + (c->start[s] + t) * c->cols;
		sum = 0;
		for (k = 0; k < c->cols; k++)
			sum += (double)grad[k] * ((double)x[k] - (double)x0[k]);
		c->sum[t] += sum / c->o.steps;
	}
}

/* Whether the answer to an ask consists of numbers. */
static int check(const struct bt_contributions *c, size_t ask,
                 struct bt_error *err)
{
	size_t example = c->asks[ask].example, t;
	double all = c->baseline;

	for (t = 0; t < bt_dataset_length(c->d, example); t++)
		all += c->sum[t];
	if (isfinite(all))
		return BT_OK;
	return bt_error_set(err, BT_ECORRUPT,
	                    "what the words of example %llu contribute is not "
	                    "a number",
	                    (unsigned long long)(c->d->before + example + 1));
}

/* Where the copies of a batch are to be found. */
struct copies {
	size_t ask;
	int copy;
};

static void next(const struct bt_contributions *c, struct copies *at)
{
	if (++at->copy > c->o.steps) {
		at->ask++;
		at->copy = 0;
	}
}

/* Fills the batch from a copy on; returns the first that is not in it. */
static struct copies fill(struct bt_contributions *c, size_t n, size_t most,
                          struct copies at)
{
	c->b.sequences = c->b.tokens = 0;
	while (at.ask < n && c->b.sequences < c->texts &&
	       c->b.tokens + bt_dataset_length(c->d, c->asks[at.ask].example) <=
	           most) {
		put_copy(c, at.ask, at.copy);
		next(c, &at);
	}
	return at;
}

/* Takes the answers of the batch, whose first copy that is. */
static int take(struct bt_contributions *c, struct copies at,
                bt_contributions_fn *fn, void *ctx, struct bt_error *err)
{
	const float *logits = bt_engine_logits(c->e);
	const struct bt_contributions_ask *ask;
	size_t s;
	int r = BT_OK;

	for (s = 0; r == BT_OK && s < c->b.sequences; s++, next(c, &at)) {
		ask = &c->asks[at.ask];
		if (at.copy == 0) {
			c->baseline = (double)
			    logits[s * c->outputs + (size_t)ask->output];
			memset(c->sum, 0,
			       bt_dataset_length(c->d, ask->example) *
			           sizeof(*c->sum));
			continue;
		}
		add_copy(c, ask->example, s);
		if (at.copy < c->o.steps)
			continue;
		r = check(c, at.ask, err);
		if (r == BT_OK)
			r = fn(ctx, at.ask, c->baseline, c->sum, err);
	}
	return r;
}

int bt_contributions_run(struct bt_contributions *c, const struct bt_dataset *d,
                         const struct bt_contributions_ask *asks, size_t n,
                         bt_contributions_fn *fn, void *ctx, double *flop,
                         struct bt_error *err)
{
	size_t most = d->longest > BT_CONTRIBUTIONS_TOKENS
	                  ? d->longest
	                  : BT_CONTRIBUTIONS_TOKENS;
	struct copies at = {0, 0}, end;
	int r = bt_engine_grow(c->e, most, 1, d->longest, err);

	if (r == BT_OK)
		r = make_room(c, most, err);
	c->d = d;
	c->asks = asks;
	for (; r == BT_OK && at.ask < n; at = end) {
		end = fill(c, n, most, at);
		r = bt_engine_forward(c->e, &c->b, err);
		if (r == BT_OK)
			r = bt_engine_backward(c->e, false, err);
		if (r != BT_OK)
			break;
		*flop += 2 * bt_engine_flop(c->e);
		r = take(c, at, fn, ctx, err);
	}
	return r;
}

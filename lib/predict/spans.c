/* SPDX-License-Identifier: MIT */
#include "predict/spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "predict/spans_int.h"

int bt_spans_init(struct bt_spans *s, const struct bt_spans_opts *o,
                  struct bt_error *err)
{
	size_t best = o->best > 0 ? o->best : BT_SPANS_BEST;

	memset(s, 0, sizeof(*s));
	s->o = *o;
	s->o.best = best;
	if (o->longest == 0)
		s->o.longest = BT_SPANS_LONGEST;
	s->answer = bt_array(best + 2, sizeof(*s->answer));
	s->kept = bt_array(best + 1, sizeof(*s->kept));
	s->first = bt_array(best + 1, sizeof(*s->first));
	s->last = bt_array(best + 1, sizeof(*s->last));
	if (s->answer == NULL || s->kept == NULL || s->first == NULL ||
	    s->last == NULL)
		return bt_error_nomem(err, "finding answers");
	return o->google != NULL ? bt_spans_google_new(s, o->google, err)
	                         : BT_OK;
}

void bt_spans_clear(struct bt_spans *s)
{
	free(s->answer);
	free(s->kept);
	free(s->first);
	free(s->last);
	free(s->at);
	bt_spans_google_free(s->google);
	memset(s, 0, sizeof(*s));
}

void bt_spans_begin(struct bt_spans *s)
{
	s->windows = s->n_kept = 0;
	if (s->google != NULL)
		bt_spans_google_begin(s->google);
}

/* The numbers of the largest of every second of 2 n logits, falling; the first
 * of equal ones comes first. Returns how many. */
static size_t largest(const float *logits, size_t n, size_t most, size_t *out)
{
	size_t found = 0, i, k;

	for (i = 0; i < n; i++) {
		for (k = found; k > 0 && logits[2 * i] > logits[2 * out[k - 1]];
		     k--)
			if (k < most)
				out[k] = out[k - 1];
		if (k < most) {
			out[k] = i;
			found += found < most;
		}
	}
	return found;
}

/* Puts an answer behind those in the list [n] that are as good; the worst falls
 * out of a full one. */
static void insert(struct bt_spans_answer *list, size_t *n, size_t most,
                   const struct bt_spans_answer *a)
{
	size_t k;

	for (k = *n; k > 0 && a->sum > list[k - 1].sum; k--)
		if (k < most)
			list[k] = list[k - 1];
	if (k < most) {
		list[k] = *a;
		*n += *n < most;
	}
}

static struct bt_spans_answer answer(float start_logit, float end_logit)
{
	return bt_spans_answer(start_logit, end_logit,
	                       (double)(start_logit + end_logit));
}

static void add_pair(struct bt_spans *s, const float *logits,
                     const struct bt_token_place *place, size_t first,
                     size_t last)
{
	struct bt_spans_answer a;

	if (place[first].start < 0 || place[last].start < 0 || last < first ||
	    last - first >= s->o.longest)
		return;
	a = answer(logits[2 * first], logits[2 * last + 1]);
	a.start = place[first].start;
	a.end = place[last].end;
	insert(s->kept, &s->n_kept, s->o.best, &a);
}

int bt_spans_add(struct bt_spans *s, const float *logits, const int32_t *ids,
                 const struct bt_token_place *place, size_t n,
                 struct bt_error *err)
{
	struct bt_spans_answer none = answer(logits[0], logits[1]);
	size_t firsts = largest(logits, n, s->o.best, s->first);
	size_t lasts = largest(logits + 1, n, s->o.best, s->last), i, k;

	if (s->google != NULL)
		none.sum = (double)logits[0] + (double)logits[1];
	if (s->windows++ == 0 || none.sum < s->none.sum)
		s->none = none;
	if (s->google != NULL)
		return bt_spans_google_add(s, logits, ids, place, n, firsts,
		                           lasts, err);
	for (i = 0; i < firsts; i++)
		for (k = 0; k < lasts; k++)
			add_pair(s, logits, place, s->first[i], s->last[k]);
	return BT_OK;
}

/* Finds where each character of the context begins. */
static int find_characters(struct bt_spans *s, struct bt_span context,
                           struct bt_error *err)
{
	size_t n = 0, i;

	if (bt_grow(&s->at, &s->at_cap, context.n + 1, sizeof(*s->at)) != BT_OK)
		return bt_error_nomem(err, "finding answers");
	for (i = 0; i < context.n; i++)
		if ((context.p[i] & 0xc0) != 0x80)
			s->at[n++] = i;
	s->at[n] = context.n;
	s->characters = n;
	return BT_OK;
}

static int set_texts(struct bt_spans *s, struct bt_span context,
                     struct bt_error *err)
{
	struct bt_spans_answer *a;
	size_t i;

	for (i = 0; i < s->n_kept; i++) {
		a = &s->kept[i];
		if (bt_spans_check_place(s, a->start, a->end, err) != BT_OK)
			return err->code;
		a->text.p = context.p + s->at[a->start];
		a->text.n = 0;
		if (a->end > a->start)
			a->text.n = s->at[a->end] - s->at[a->start];
	}
	return BT_OK;
}

static void set_probabilities(struct bt_spans *s)
{
	double max = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		max = fmax(max, s->answer[i].sum);
	for (i = 0; i < s->n; i++) {
		s->answer[i].probability = exp(s->answer[i].sum - max);
		sum += s->answer[i].probability;
	}
	for (i = 0; i < s->n; i++)
		s->answer[i].probability /= sum;
}

/* What stands first where no two tokens can be an answer. */
static void put_empty(struct bt_spans *s)
{
	size_t i;

	for (i = s->n; i > 0; i--)
		s->answer[i] = s->answer[i - 1];
	s->answer[0] = answer(0, 0);
	s->answer[0].text = bt_span("empty");
	s->n++;
}

/* The logits of no answer less those of the best one, as numbers of the type
 * that the sums are of. */
static double null_odds(const struct bt_spans *s,
                        const struct bt_spans_answer *best)
{
	float odds = (float)s->none.sum - best->start_logit;

	if (s->google != NULL)
		return s->none.sum - (double)best->start_logit -
		       (double)best->end_logit;
	return (double)(odds - best->end_logit);
}

/* The first one with a text, or the one without, by their odds. */
static void choose(struct bt_spans *s, bool may_lack, size_t none)
{
	const struct bt_spans_answer *a = s->answer;

	s->null_odds = 0;
	s->predicted = a;
	if (!may_lack)
		return;
	while (a < s->answer + s->n - 1 && a->text.n == 0)
		a++;
	s->null_odds = null_odds(s, a);
	if (s->google != NULL && a->text.n == 0)
		s->null_odds = s->none.sum;
	s->predicted = s->null_odds > s->o.threshold ? s->answer + none : a;
}

/* The best answers, as run_qa lists them. */
static int list(struct bt_spans *s, bool may_lack, struct bt_span context,
                struct bt_error *err)
{
	size_t none;
	int r = set_texts(s, context, err);

	if (r != BT_OK)
		return r;
	s->n = s->n_kept;
	memcpy(s->answer, s->kept, s->n * sizeof(*s->answer));
	if (may_lack) {
		insert(s->answer, &s->n, s->o.best, &s->none);
		for (none = 0; none < s->n && s->answer[none].start >= 0;)
			none++;
		if (none == s->n)
			s->answer[s->n++] = s->none;
	}
	if (s->n == 0 || (s->n == 1 && s->answer[0].text.n == 0))
		put_empty(s);
	return BT_OK;
}

int bt_spans_finish(struct bt_spans *s, bool may_lack, struct bt_span context,
                    struct bt_error *err)
{
	size_t none;
	int r = find_characters(s, context, err);

	if (r == BT_OK && s->google != NULL)
		r = bt_spans_google_list(s, may_lack, context, err);
	else if (r == BT_OK)
		r = list(s, may_lack, context, err);
	if (r != BT_OK)
		return r;
	set_probabilities(s);
	for (none = s->n - 1; none > 0 && s->answer[none].text.n > 0;)
		none--;
	choose(s, may_lack, none);
	return BT_OK;
}

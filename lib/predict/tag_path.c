/* SPDX-License-Identifier: MIT */
#include "predict/tag_path.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

/* Whether one tag may follow another: what it ends is whole, and it is within
 * an entity unless it is outside all. */
static bool may_follow(const struct bt_entity_scheme *scheme,
                       struct bt_entity_tag before, struct bt_entity_tag now)
{
	struct bt_entity_reader r = {before, before.part != 'O'};
	struct bt_entity_step step = bt_entity_next(&r, scheme, now);

	return (!step.ends || step.whole) && r.open == (now.part != 'O');
}

/* The sentence at work. */
struct path {
	const struct bt_entity_scheme *scheme;
	const struct bt_entity_tag *tags;
	size_t n;
	uint8_t *follows; /* [n][n] whether tag k may follow tag i */
	double *sum;      /* [n] of the best path to each tag, */
	double *next;     /* [n] and to the next word's */
	int32_t *from;    /* [words][n] the tag before on it */
};

/* The best tag to come from to tag k; -1: none. */
static int best_before(const struct path *p, size_t k)
{
	int best = -1;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->follows[i * p->n + k] && p->sum[i] > -INFINITY &&
		    (best < 0 || p->sum[i] > p->sum[best]))
			best = (int)i;
	return best;
}

/* Goes to word w. */
static void step(struct path *p, size_t w, const float *logits)
{
	double *swap = p->sum;
	size_t k;
	int before;

	for (k = 0; k < p->n; k++) {
		before = w > 0 ? best_before(p, k) : -1;
		p->from[w * p->n + k] = before;
		p->next[k] = before >= 0 ? p->sum[before] : -INFINITY;
		if (w == 0 &&
		    may_follow(p->scheme, bt_entity_outside, p->tags[k]))
			p->next[k] = 0;
		p->next[k] += (double)logits[w * p->n + k];
	}
	p->sum = p->next;
	p->next = swap;
}

/* Back from the best end. */
static int trace(const struct path *p, size_t words, int *tag,
                 struct bt_error *err)
{
	int best = -1;
	size_t k, w;

	for (k = 0; k < p->n; k++)
		if (p->sum[k] > -INFINITY &&
		    may_follow(p->scheme, p->tags[k], bt_entity_outside) &&
		    (best < 0 || p->sum[k] > p->sum[best]))
			best = (int)k;
	if (best < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "no tags of the model for a sentence of "
		                    "%zu words follow the scheme",
		                    words);
	for (w = words; w-- > 0;) {
		tag[w] = best;
		best = p->from[w * p->n + (size_t)best];
	}
	return BT_OK;
}

int bt_tag_path(const struct bt_entity_scheme *scheme,
                const struct bt_entity_tag *tags, int n, const float *logits,
                size_t words, int *tag, struct bt_error *err)
{
	struct path p = {scheme, tags, (size_t)n, NULL, NULL, NULL, NULL};
	size_t cells = 0, i, k;
	int r = BT_OK;

	p.follows = bt_array0(p.n * p.n, 1);
	p.sum = bt_array0(p.n, sizeof(*p.sum));
	p.next = bt_array0(p.n, sizeof(*p.next));
	if (bt_size_mul(words, p.n, &cells))
		p.from = bt_array(cells, sizeof(*p.from));
	if (p.follows == NULL || p.sum == NULL || p.next == NULL ||
	    p.from == NULL)
		r = bt_error_nomem(err, "choosing tags");
	for (i = 0; r == BT_OK && i < p.n; i++)
		for (k = 0; k < p.n; k++)
			p.follows[i * p.n + k] =
			    may_follow(scheme, tags[i], tags[k]);
	for (i = 0; r == BT_OK && i < words; i++)
		step(&p, i, logits);
	if (r == BT_OK && words > 0)
		r = trace(&p, words, tag, err);
	free(p.follows);
	free(p.sum);
	free(p.next);
	free(p.from);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "task/split.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "task/twister_int.h"

static int parse_part(const char *s, size_t n, struct bt_split *p,
                      struct bt_error *err)
{
	const char *eq = memchr(s, '=', n);
	size_t name = eq != NULL ? (size_t)(eq - s) : 0;
	char number[32] = "";

	if (p->n == BT_SPLIT_MAX)
		return bt_error_set(err, BT_EARG, "more than %d parts",
		                    BT_SPLIT_MAX);
	if (name > 0 && name < sizeof(p->name[0]) &&
	    n - name - 1 < sizeof(number)) {
		memcpy(p->name[p->n], s, name);
		p->name[p->n][name] = 0;
		memcpy(number, eq + 1, n - name - 1);
	}
	if (bt_parse_f64(number, 0, 1, &p->share[p->n]) != BT_OK ||
	    strchr(p->name[p->n], '/') != NULL)
		return bt_error_set(err, BT_EARG,
		                    "bad part '%.*s': expected NAME=SHARE, "
		                    "the share from 0 to 1",
		                    (int)n, s);
	p->n++;
	return BT_OK;
}

int bt_split_parse(const char *text, struct bt_split *p, struct bt_error *err)
{
	double sum = 0;
	size_t n;
	int i, r;

	memset(p, 0, sizeof(*p));
	for (;; text += n + 1) {
		n = strcspn(text, ",");
		r = parse_part(text, n, p, err);
		if (r != BT_OK)
			return r;
		if (text[n] == 0)
			break;
	}
	for (i = 0; i < p->n; i++)
		sum += p->share[i];
	if (!(fabs(sum - 1) < 1e-6))
		return bt_error_set(err, BT_EARG,
		                    "the shares add up to %g, not to 1", sum);
	return BT_OK;
}

/* What rounding down took from a class. */
struct rest {
	double rest;
	uint32_t class;
};

/* Memory for splitting by classes. */
struct scratch {
	const uint32_t *group; /* or NULL: nothing else is there */
	uint32_t groups;
	uint32_t *sorted;         /* [n] records, by class */
	uint32_t *class;          /* [groups] those that are there, in order */
	uint32_t *count;          /* [groups] records of each of these */
	uint32_t *first, *second; /* [groups] of them in either part */
	uint32_t *next;           /* [groups] of a group: place in sorted */
	struct rest *rest;        /* [groups] */
};

static int by_rest(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest < y->rest ? 1 : -1;
	return (x->class > y->class) - (x->class < y->class);
}

/*
 * scikit-learn's _approximate_mode: how many of draws records come from each of
 * the n classes of counts[i] records. What rounding down leaves goes to the
 * classes with the largest remainders, among equal ones at random. The result
 * replaces counts; rest and pick are scratch of n elements.
 */
static void apportion(struct bt_twister *t, uint32_t *counts, uint32_t n,
                      uint32_t draws, struct rest *rest, uint32_t *pick)
{
	double sum = 0, x;
	uint32_t i, k, same, left = draws;

	for (i = 0; i < n; i++)
		sum += counts[i];
	if (sum == 0)
		return;
	for (i = 0; i < n; i++) {
		x = counts[i] / sum * draws;
		counts[i] = (uint32_t)x;
		rest[i].rest = x - counts[i];
		rest[i].class = i;
		left -= counts[i];
	}
	if (left == 0)
		return;
	qsort(rest, n, sizeof(*rest), by_rest);
	for (i = 0; i < n && left > 0; i += same) {
		for (same = 1; i + same < n; same++)
			if (rest[i + same].rest != rest[i].rest)
				break;
		for (k = 0; k < same; k++)
			pick[k] = rest[i + k].class;
		bt_twister_shuffle(t, pick, same);
		for (k = 0; k < same && left > 0; k++, left--)
			counts[pick[k]]++;
	}
}

static int scratch_init(struct scratch *s, uint32_t n, const uint32_t *group,
                        uint32_t groups)
{
	memset(s, 0, sizeof(*s));
	s->sorted = bt_array(n, sizeof(*s->sorted));
	s->group = group;
	s->groups = groups;
	if (group == NULL)
		return s->sorted != NULL ? BT_OK : BT_ENOMEM;
	s->class = bt_array(groups, sizeof(*s->class));
	s->count = bt_array(groups, sizeof(*s->count));
	s->first = bt_array(groups, sizeof(*s->first));
	s->second = bt_array(groups, sizeof(*s->second));
	s->next = bt_array(groups, sizeof(*s->next));
	s->rest = bt_array(groups, sizeof(*s->rest));
	return s->sorted != NULL && s->class != NULL && s->count != NULL &&
	               s->first != NULL && s->second != NULL &&
	               s->next != NULL && s->rest != NULL
	           ? BT_OK
	           : BT_ENOMEM;
}

static void scratch_clear(struct scratch *s)
{
	free(s->sorted);
	free(s->class);
	free(s->count);
	free(s->first);
	free(s->second);
	free(s->next);
	free(s->rest);
}

/* Sorts records v by class, keeping the order within one; returns how many
 * classes there are. */
static uint32_t sort_by_class(struct scratch *s, const uint32_t *v, uint32_t n)
{
	uint32_t i, g, k = 0, at = 0;

	memset(s->next, 0, s->groups * sizeof(*s->next));
	for (i = 0; i < n; i++)
		s->next[s->group[v[i]]]++;
	for (g = 0; g < s->groups; g++) {
		if (s->next[g] == 0)
			continue;
		s->class[k] = g;
		s->count[k] = s->next[g];
		s->next[g] = at;
		at += s->count[k++];
	}
	for (i = 0; i < n; i++)
		s->sorted[s->next[s->group[v[i]]]++] = v[i];
	return k;
}

/* Puts records v in a random order that begins with the training part. */
static void halve_classes(struct bt_twister *t, struct scratch *s, uint32_t *v,
                          uint32_t n, uint32_t tests)
{
	uint32_t k = sort_by_class(s, v, n), c, *from = s->sorted;
	uint32_t *train = v, *test = v + (n - tests);

	memcpy(s->first, s->count, k * sizeof(*s->first));
	apportion(t, s->first, k, n - tests, s->rest, s->next);
	for (c = 0; c < k; c++)
		s->second[c] = s->count[c] - s->first[c];
	/* leaves it as it is, but for the numbers drawn */
	apportion(t, s->second, k, tests, s->rest, s->next);
	for (c = 0; c < k; c++) {
		bt_twister_shuffle(t, from, s->count[c]);
		memcpy(train, from, s->first[c] * sizeof(*v));
		train += s->first[c];
		memcpy(test, from + s->first[c],
		       (s->count[c] - s->first[c]) * sizeof(*v));
		test += s->count[c] - s->first[c];
		from += s->count[c];
	}
	bt_twister_shuffle(t, v, n - tests);
	bt_twister_shuffle(t, v + (n - tests), tests);
}

/* The same without classes: the test part is drawn first, and stands last. */
static void halve(struct bt_twister *t, uint32_t *sorted, uint32_t *v,
                  uint32_t n, uint32_t tests)
{
	bt_twister_shuffle(t, v, n);
	memcpy(sorted, v, tests * sizeof(*v));
	memmove(v, v + tests, (n - tests) * sizeof(*v));
	memcpy(v + (n - tests), sorted, tests * sizeof(*v));
}

/* Splits part k off the first n records of order; returns how many it gets. */
static uint32_t split_off(const struct bt_split *p, int k, uint32_t seed,
                          struct scratch *s, uint32_t *order, uint32_t n)
{
	double left = 0, share;
	struct bt_twister t;
	uint32_t tests;
	int i;

	for (i = 0; i <= k; i++)
		left += p->share[i];
	share = k == p->n - 1 ? p->share[k] : left > 0 ? p->share[k] / left : 0;
	tests = share < 1 ? (uint32_t)ceil(share * n) : n;
	bt_twister_init(&t, seed);
	if (s->group != NULL)
		halve_classes(&t, s, order, n, tests);
	else
		halve(&t, s->sorted, order, n, tests);
	return tests;
}

/* The parts before part k, which got them all, must not come out empty. */
static int nothing_left(const struct bt_split *p, int k, uint32_t n,
                        struct bt_error *err)
{
	int i;

	for (i = 0; i < k; i++)
		if (p->share[i] > 0)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "%u record%s leave none for part '%s'", n,
			    n == 1 ? "" : "s", p->name[i]);
	return BT_OK;
}

int bt_split_choose(const struct bt_split *p, uint32_t seed, uint32_t n,
                    const uint32_t *group, uint32_t groups, uint8_t *part,
                    uint32_t *order, struct bt_error *err)
{
	uint32_t i, left = n, tests;
	struct scratch s;
	int k, r = BT_OK;

	if (scratch_init(&s, n, group, groups) != BT_OK)
		r = bt_error_nomem(err, "splitting");
	for (i = 0; i < n; i++)
		order[i] = i;
	for (k = p->n - 1; k > 0 && left > 0 && r == BT_OK; k--) {
		tests = split_off(p, k, seed, &s, order, left);
		if (tests == left)
			r = nothing_left(p, k, n, err);
		left -= tests;
		for (i = left; i < left + tests; i++)
			part[order[i]] = (uint8_t)k;
	}
	for (i = 0; i < left; i++)
		part[order[i]] = 0;
	scratch_clear(&s);
	return r;
}

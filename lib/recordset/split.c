/* SPDX-License-Identifier: MIT */
#include "recordset/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "io/url.h"
#include "recordset/split_int.h"

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
	if (bt_url_refuse(p->name[p->n], BT_URL_OUT, err) != BT_OK)
		return BT_EREMOTE;
	if (bt_parse_f64(number, 0, 1, &p->share[p->n]) != BT_OK ||
	    strchr(p->name[p->n], '/') != NULL)
		return bt_error_set(err, BT_EARG,
		                    "bad part '%.*s': expected NAME=SHARE, "
		                    "the name of %zu bytes at most, the share "
		                    "from 0 to 1",
		                    (int)n, s, sizeof(p->name[0]) - 1);
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

static int by_rest(const void *a, const void *b)
{
	const struct bt_split_rest *x = a, *y = b;

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
static void apportion(struct bt_mt19937 *t, uint32_t *counts, uint32_t n,
                      uint32_t draws, struct bt_split_rest *rest,
                      uint32_t *pick)
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
		bt_random_state_shuffle(t, pick, same);
		for (k = 0; k < same && left > 0; k++, left--)
			counts[pick[k]]++;
	}
}

int bt_split_counts_init(struct bt_split_counts *c, uint32_t classes)
{
	*c = (struct bt_split_counts){
	    .class = bt_array(classes, sizeof(*c->class)),
	    .count = bt_array(classes, sizeof(*c->count)),
	    .first = bt_array(classes, sizeof(*c->first)),
	    .second = bt_array(classes, sizeof(*c->second)),
	    .pick = bt_array(classes, sizeof(*c->pick)),
	    .rest = bt_array(classes, sizeof(*c->rest))};
	return c->class != NULL && c->count != NULL && c->first != NULL &&
	               c->second != NULL && c->pick != NULL && c->rest != NULL
	           ? BT_OK
	           : BT_ENOMEM;
}

void bt_split_counts_clear(struct bt_split_counts *c)
{
	free(c->class);
	free(c->count);
	free(c->first);
	free(c->second);
	free(c->pick);
	free(c->rest);
	memset(c, 0, sizeof(*c));
}

void bt_split_apportion(struct bt_mt19937 *t, struct bt_split_counts *c,
                        uint32_t n, uint32_t tests)
{
	uint32_t k = c->classes, i;

	memcpy(c->first, c->count, k * sizeof(*c->first));
	apportion(t, c->first, k, n - tests, c->rest, c->pick);
	for (i = 0; i < k; i++)
		c->second[i] = c->count[i] - c->first[i];
	/* leaves it as it is, but for the numbers drawn */
	apportion(t, c->second, k, tests, c->rest, c->pick);
}

/* The parts before part k, which got them all, must not come out empty. */
static int nothing_left(const struct bt_split *p, int k, uint32_t n,
                        struct bt_error *err)
{
	int i;

	for (i = 0; i < k; i++)
		if (p->share[i] > 0)
			return bt_error_set(
			    err, BT_EFORMAT, "%u record%s none for part '%s'",
			    n, n == 1 ? " leaves" : "s leave", p->name[i]);
	return BT_OK;
}

int bt_split_tests(const struct bt_split *p, int k, uint32_t n, uint32_t of,
                   uint32_t *tests, struct bt_error *err)
{
	double left = 0, share;
	int i;

	*tests = 0;
	if (n == 0)
		return BT_OK;
	for (i = 0; i <= k; i++)
		left += p->share[i];
	share = k == p->n - 1 ? p->share[k] : left > 0 ? p->share[k] / left : 0;
	*tests = share < 1 ? (uint32_t)ceil(share * n) : n;
	return *tests == n ? nothing_left(p, k, of, err) : BT_OK;
}

/* Memory for splitting by classes. */
struct scratch {
	const struct bt_bitpack *of; /* class of each record */
	uint32_t classes;
	struct bt_split_counts counts;
	uint32_t *sorted; /* [n] records, by class */
	uint32_t *next;   /* [classes] of a class: place in sorted */
};

/* Sorts records v by class, keeping the order within one. */
static void sort_by_class(struct scratch *s, const uint32_t *v, uint32_t n)
{
	struct bt_split_counts *c = &s->counts;
	uint32_t i, g, k = 0, at = 0;

	memset(s->next, 0, s->classes * sizeof(*s->next));
	for (i = 0; i < n; i++)
		s->next[bt_bitpack_get(s->of, v[i])]++;
	for (g = 0; g < s->classes; g++) {
		if (s->next[g] == 0)
			continue;
		c->class[k] = g;
		c->count[k] = s->next[g];
		s->next[g] = at;
		at += c->count[k++];
	}
	c->classes = k;
	for (i = 0; i < n; i++)
		s->sorted[s->next[bt_bitpack_get(s->of, v[i])]++] = v[i];
}

/* Puts records v in a random order that begins with the training part. */
static void halve_classes(struct bt_mt19937 *t, struct scratch *s, uint32_t *v,
                          uint32_t n, uint32_t tests)
{
	uint32_t *train = v, *test = v + (n - tests), *from = s->sorted, i;
	uint32_t first, count;

	sort_by_class(s, v, n);
	bt_split_apportion(t, &s->counts, n, tests);
	for (i = 0; i < s->counts.classes; i++) {
		first = s->counts.first[i];
		count = s->counts.count[i];
		bt_random_state_shuffle(t, from, count);
		memcpy(train, from, first * sizeof(*v));
		train += first;
		memcpy(test, from + first, (count - first) * sizeof(*v));
		test += count - first;
		from += count;
	}
	bt_random_state_shuffle(t, v, n - tests);
	bt_random_state_shuffle(t, v + (n - tests), tests);
}

static void reverse(uint32_t *v, uint32_t n)
{
	uint32_t i, swap;

	for (i = 0; i < n / 2; i++) {
		swap = v[i];
		v[i] = v[n - 1 - i];
		v[n - 1 - i] = swap;
	}
}

static int order_all(const struct bt_split *p, uint32_t seed, uint32_t n,
                     struct scratch *s, uint32_t *order, uint32_t *start,
                     struct bt_error *err)
{
	uint32_t i, left = n, tests;
	struct bt_mt19937 t;
	int k, r;

	for (i = 0; i < n; i++)
		order[i] = i;
	start[p->n] = n;
	for (k = p->n - 1; k > 0; k--) {
		r = bt_split_tests(p, k, left, n, &tests, err);
		if (r != BT_OK)
			return r;
		bt_mt19937_init(&t, seed);
		if (s->of != NULL) {
			halve_classes(&t, s, order, left, tests);
		} else { /* the test part is drawn first, and stands last */
			bt_random_state_shuffle(&t, order, left);
			reverse(order, tests);
			reverse(order + tests, left - tests);
			reverse(order, left);
		}
		left -= tests;
		start[k] = left;
	}
	start[0] = 0;
	return BT_OK;
}

int bt_split_order(const struct bt_split *p, uint32_t seed, uint32_t n,
                   const struct bt_bitpack *class, uint32_t classes,
                   uint32_t *order, uint32_t start[BT_SPLIT_MAX + 1],
                   struct bt_error *err)
{
	struct scratch s = {.of = class, .classes = classes};
	int r;

	if (class != NULL) {
		s.sorted = bt_array(n, sizeof(*s.sorted));
		s.next = bt_array(classes, sizeof(*s.next));
	}
	if (class != NULL && (s.sorted == NULL || s.next == NULL ||
	                      bt_split_counts_init(&s.counts, classes)))
		r = bt_error_nomem(err, "splitting");
	else
		r = order_all(p, seed, n, &s, order, start, err);
	bt_split_counts_clear(&s.counts);
	free(s.sorted);
	free(s.next);
	return r;
}

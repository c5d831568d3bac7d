/* SPDX-License-Identifier: MIT */
#include "task/split.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/philox.h"

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

/* The part that is furthest behind its share when a record more is given. */
static int most_wanting(const struct bt_split *p, const uint32_t *given,
                        double after)
{
	double best = -1, behind;
	int k, part = 0;

	for (k = 0; k < p->n; k++) {
		behind = p->share[k] * after - given[k];
		if (p->share[k] > 0 && behind > best + 1e-9) {
			best = behind;
			part = k;
		}
	}
	return part;
}

/* Sorts order by group, keeping the order within one. */
static int by_group(uint32_t *order, uint32_t n, const uint32_t *group,
                    uint32_t groups)
{
	size_t *next = bt_array0((size_t)groups + 1, sizeof(*next));
	uint32_t *sorted = bt_array(n, sizeof(*sorted));
	bool good = next != NULL && sorted != NULL;
	uint32_t i;

	if (good) {
		for (i = 0; i < n; i++)
			next[group[i] + 1]++;
		for (i = 0; i < groups; i++)
			next[i + 1] += next[i];
		for (i = 0; i < n; i++)
			sorted[next[group[order[i]]]++] = order[i];
		memcpy(order, sorted, n * sizeof(*order));
	}
	free(sorted);
	free(next);
	return good ? BT_OK : BT_ENOMEM;
}

int bt_split_choose(const struct bt_split *p, uint64_t seed, uint32_t n,
                    const uint32_t *group, uint32_t groups, uint8_t *part,
                    struct bt_error *err)
{
	uint32_t *order = bt_array(n, sizeof(*order)), i;
	uint32_t given[BT_SPLIT_MAX] = {0};
	int k;

	if (order == NULL)
		return bt_error_nomem(err, "splitting");
	bt_random_order(seed, BT_PURPOSE_SPLIT, 0, order, n);
	if (group != NULL && by_group(order, n, group, groups) != BT_OK) {
		free(order);
		return bt_error_nomem(err, "splitting");
	}
	for (i = 0; i < n; i++) {
		k = most_wanting(p, given, (double)i + 1);
		given[k]++;
		part[order[i]] = (uint8_t)k;
	}
	free(order);
	return BT_OK;
}

/* SPDX-License-Identifier: MIT */
#include "predict/thresholds.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "record/label_map.h"

int bt_label_unknown(const char *where, struct bt_span label,
                     const struct bt_labels *l, struct bt_error *err)
{
	return bt_error_set(err, BT_EARG,
	                    "%s: '%.*s' is not one of the model's %d labels "
	                    "('%s' ... '%s')",
	                    where, (int)(label.n < 100 ? label.n : 100),
	                    label.p, l->n, l->name[0], l->name[l->n - 1]);
}

static int bad_threshold(struct bt_span s, struct bt_error *err)
{
	return bt_error_set(err, BT_EARG,
	                    "threshold '%.*s' is not a number from 1e-9 to 1 "
	                    "(give a number, or LABEL=X,...)",
	                    (int)(s.n < 100 ? s.n : 100), s.p);
}

/* A number for each label of the map; the others keep theirs. */
static int set_each(const struct bt_label_map *map, const struct bt_labels *l,
                    double *over, struct bt_error *err)
{
	struct bt_span from, x;
	char text[40];
	size_t i;
	int k;

	for (i = 0; bt_label_map_get(map, i, &from); i++) {
		k = bt_labels_find(l, from);
		if (k < 0)
			return bt_label_unknown("thresholds", from, l, err);
		bt_label_map_find(map, from, &x);
		snprintf(text, sizeof(text), "%.*s",
		         (int)(x.n < sizeof(text) ? x.n : sizeof(text)), x.p);
		if (x.n >= sizeof(text) ||
		    bt_parse_f64(text, 1e-9, 1, &over[k]) != BT_OK)
			return bad_threshold(x, err);
	}
	return BT_OK;
}

/* Pairs LABEL=X; the labels that have none keep theirs. */
static int read_pairs(const char *text, const struct bt_labels *l, double *over,
                      struct bt_error *err)
{
	struct bt_label_map *map = NULL;
	int r = bt_label_map_new(text, &map, err);

	if (r != BT_OK)
		return bt_error_prefix(err, "thresholds");
	r = set_each(map, l, over, err);
	bt_label_map_free(map);
	return r;
}

static bool is_pairs(const char *text)
{
	return text[0] == '@' || strchr(text, '=') != NULL;
}

int bt_thresholds_read(const char *text, const struct bt_labels *l,
                       double *over, struct bt_error *err)
{
	bool pairs = text != NULL && is_pairs(text);
	double all = 0.5;
	int i;

	if (text != NULL && !pairs &&
	    bt_parse_f64(text, 1e-9, 1, &all) != BT_OK)
		return bad_threshold(bt_span(text), err);
	for (i = 0; i < l->n; i++)
		over[i] = all;
	return pairs ? read_pairs(text, l, over, err) : BT_OK;
}

int bt_threshold_of_two(const char *text, const struct bt_labels *l,
                        double *over, struct bt_error *err)
{
	int r = BT_OK;

	over[0] = over[1] = INFINITY;
	if (is_pairs(text))
		r = read_pairs(text, l, over, err);
	else if (bt_parse_f64(text, 1e-9, 1, &over[1]) != BT_OK)
		r = bad_threshold(bt_span(text), err);
	if (r == BT_OK && isfinite(over[0]) == isfinite(over[1]))
		return bt_error_set(err, BT_EARG,
		                    "thresholds: give that of one of '%s' and "
		                    "'%s', which decides about both",
		                    l->name[0], l->name[1]);
	return r;
}

/* The whole number that a text is; false: none. */
static bool read_score(struct bt_span s, int64_t *score)
{
	char text[16];

	if (s.n >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)s.n, s.p);
	return bt_parse_i64(text, -BT_SCORE_MOST, BT_SCORE_MOST, score) ==
	       BT_OK;
}

/* MIN..MAX, where the dots are. */
static int read_range(const char *text, const char *dots, struct bt_scores *s,
                      struct bt_error *err)
{
	int64_t least, most;

	if (!read_score((struct bt_span){text, (size_t)(dots - text)},
	                &least) ||
	    !read_score(bt_span(dots + 2), &most) || least >= most)
		return bt_error_set(err, BT_EARG,
		                    "thresholds: '%.100s' is not MIN..MAX with "
		                    "two whole numbers, the smaller first",
		                    text);
	if (most - least >= BT_SCORES_MOST)
		return bt_error_set(err, BT_EARG,
		                    "thresholds: '%.100s' has %lld scores, "
		                    "more than %d",
		                    text, (long long)(most - least + 1),
		                    BT_SCORES_MOST);
	bt_scores_nearest(s, (double)least, (double)most);
	return BT_OK;
}

/* The threshold x of the score that follows those of s, after is it. */
static int add_score(struct bt_span score, struct bt_span x,
                     struct bt_scores *s, struct bt_error *err)
{
	char text[40];
	double v;
	int64_t k;

	if (!read_score(score, &k))
		return bt_error_set(err, BT_EARG,
		                    "thresholds: '%.*s' is not a score, a "
		                    "whole number from %d to %d",
		                    (int)(score.n < 100 ? score.n : 100),
		                    score.p, -BT_SCORE_MOST, BT_SCORE_MOST);
	if (s->n == 0)
		*s = (struct bt_scores){.least = (double)k - 1, .n = 1};
	if ((double)k != s->least + (double)s->n)
		return bt_error_set(
		    err, BT_EARG,
		    "thresholds: the score %lld stands where "
		    "%.0f is expected: give all, in their order",
		    (long long)k, s->least + (double)s->n);
	if (s->n == BT_SCORES_MOST)
		return bt_error_set(err, BT_EARG,
		                    "thresholds: there are more than %d scores",
		                    BT_SCORES_MOST);
	snprintf(text, sizeof(text), "%.*s",
	         (int)(x.n < sizeof(text) ? x.n : sizeof(text)), x.p);
	if (x.n >= sizeof(text) ||
	    bt_parse_f64(text, -DBL_MAX, DBL_MAX, &v) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "thresholds: '%.*s' of score %lld is not a "
		                    "number",
		                    (int)(x.n < 100 ? x.n : 100), x.p,
		                    (long long)k);
	if (s->n > 1 && v < s->from[s->n - 2])
		return bt_error_set(err, BT_EARG,
		                    "thresholds: that of score %lld, %g, is "
		                    "below that of the score before it, %g",
		                    (long long)k, v, s->from[s->n - 2]);
	s->from[s->n++ - 1] = v;
	return BT_OK;
}

int bt_thresholds_of_scores(const char *text, const struct bt_labels *l,
                            struct bt_scores *s, struct bt_error *err)
{
	const char *dots = text[0] != '@' ? strstr(text, "..") : NULL;
	struct bt_label_map *map = NULL;
	struct bt_span score, x;
	size_t i;
	int r;

	if (l->n > 1)
		return bt_error_set(err, BT_EARG,
		                    "the model predicts %d numbers, and "
		                    "thresholds divide one into scores",
		                    l->n);
	if (dots != NULL && !is_pairs(text))
		return read_range(text, dots, s, err);
	if (!is_pairs(text))
		return bt_error_set(err, BT_EARG,
		                    "thresholds: '%.100s' is not MIN..MAX, "
		                    "SCORE=X,... or @FILE, by which a "
		                    "predicted number becomes a score",
		                    text);
	r = bt_label_map_new(text, &map, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "thresholds");
	s->n = 0;
	for (i = 0; r == BT_OK && bt_label_map_get(map, i, &score); i++) {
		bt_label_map_find(map, score, &x);
		r = add_score(score, x, s, err);
	}
	if (r == BT_OK && s->n == 0)
		r = bt_error_set(err, BT_EARG, "thresholds: '%.100s' has none",
		                 text);
	bt_label_map_free(map);
	return r;
}

void bt_threshold_between(double lo, double hi, bool f32, char x[32])
{
	double v, middle = (lo + hi) / 2;
	int digits;

	for (digits = 1; digits <= 17; digits++) {
		snprintf(x, 32, "%.*g", digits, middle);
		v = strtod(x, NULL);
		if (fabs(v - middle) > (hi - lo) / 4)
			continue;
		if (f32 ? (float)v > (float)lo && (float)v <= (float)hi
		        : v > lo && v < hi)
			return;
	}
	snprintf(x, 32, "%.*g", f32 ? 9 : 17, f32 ? hi : lo);
}

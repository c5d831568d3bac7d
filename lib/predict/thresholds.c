/* SPDX-License-Identifier: MIT */
#include "predict/thresholds.h"

#include <math.h>
#include <stdio.h>
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

/* SPDX-License-Identifier: MIT */
#include "task/target.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"

/* Without blanks around it and with small letters of ASCII; false where it is
 * too long. */
static bool to_compare(struct bt_span s, char *to)
{
	size_t i;

	s = bt_span_trim(s, " \t");
	if (!bt_span_str(s, to, BT_SUGGEST_LONGEST + 1))
		return false;
	for (i = 0; i < s.n; i++)
		to[i] =
		    (char)(to[i] >= 'A' && to[i] <= 'Z' ? to[i] + 32 : to[i]);
	return true;
}

/* The label that was likely meant, and whether only case or blanks differ; or
 * NULL. */
static const char *meant(struct bt_span s, const struct bt_labels *labels,
                         bool *same)
{
	char wanted[BT_SUGGEST_LONGEST + 1], name[BT_SUGGEST_LONGEST + 1];
	const char *near = NULL;
	size_t d, least;
	int i;

	if (!to_compare(s, wanted))
		return NULL;
	least = 1 + strlen(wanted) / 4;
	for (i = 0; i < labels->n && !*same; i++) {
		if (!to_compare(bt_span(labels->name[i]), name))
			continue;
		d = bt_suggest_distance(wanted, name);
		if (d < strlen(wanted) && d < least) {
			least = d;
			near = labels->name[i];
			*same = d == 0;
		}
	}
	return near;
}

int bt_target_unknown(struct bt_span s, const struct bt_labels *labels,
                      struct bt_error *err)
{
	char text[32];
	double x;
	bool fraction = bt_span_str(s, text, sizeof(text)) &&
	                bt_parse_f64(text, -1e300, 1e300, &x) == BT_OK &&
	                x != floor(x);
	int64_t number; /* a class's, as data sets of a hub have them */
	bool numbered = bt_span_str(s, text, sizeof(text)) &&
	                bt_parse_i64(text, 0, labels->n - 1, &number) == BT_OK;

	bool same = false;
	const char *near =
	    fraction || numbered ? NULL : meant(s, labels, &same);

	return bt_error_hint(
	    err,
	    fraction               ? BT_HINT_TASK_REGRESSION
	    : numbered             ? BT_HINT_NAME_LABELS
	    : near != NULL && same ? BT_HINT_LABEL_FORM
	                           : BT_HINT_NONE,
	    bt_error_set(err, BT_EFORMAT,
	                 "label '%.*s' is not one of the %d labels known ('%s' "
	                 "... '%s')%s%.100s%s",
	                 (int)(s.n < 100 ? s.n : 100), s.p, labels->n,
	                 labels->name[0], labels->name[labels->n - 1],
	                 fraction       ? ": labels that look like numbers are "
	                                  "used as class names"
	                 : near != NULL ? "; did you mean '"
	                                : "",
	                 near != NULL ? near : "", near != NULL ? "'?" : ""));
}

int bt_target_numbered(int64_t number, struct bt_labels *labels,
                       struct bt_error *err)
{
	char s[24];
	int r;

	if (number < 0 || number >= BT_LABELS_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "label_ids holds %lld, and classes are "
		                    "numbered from 0 to at most %d",
		                    (long long)number, BT_LABELS_MAX - 1);
	snprintf(s, sizeof(s), "%lld", (long long)number);
	r = bt_labels_find(labels, bt_span(s));
	if (r >= 0)
		return r;
	r = bt_labels_numbered(labels, "", number + 1, err);
	return r == BT_OK ? bt_labels_find(labels, bt_span(s)) : r;
}

int bt_target_by_number(int64_t number, enum bt_label_mode mode,
                        struct bt_labels *labels, int32_t *label,
                        struct bt_error *err)
{
	int r = BT_OK;

	if (mode == BT_LABELS_COLLECT) {
		r = bt_target_numbered(number, labels, err);
		*label = r;
		return r < 0 ? r : BT_OK;
	}
	if (number >= 0 && number < labels->n)
		*label = (int32_t)number;
	else if (mode == BT_LABELS_KNOWN)
		r = bt_error_set(err, BT_EFORMAT,
		                 "label number %lld, but there are %d labels",
		                 (long long)number, labels->n);
	return r;
}

int bt_target_reserve(struct bt_token_rec *rec, size_t n, struct bt_error *err)
{
	if (bt_grow(&rec->target, &rec->target_cap, n + 1,
	            sizeof(*rec->target)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	return BT_OK;
}

static int other_names(const struct bt_labels *labels, struct bt_span v,
                       bool known, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "its label_names %s '%.*s', unlike %s ('%s' ... "
	                    "'%s')",
	                    known ? "lack" : "have",
	                    (int)(v.n < 100 ? v.n : 100), v.p,
	                    "the labels that are expected", labels->name[0],
	                    labels->name[labels->n - 1]);
}

int bt_target_check_names(struct bt_token_rec *rec, enum bt_label_mode mode,
                          struct bt_labels *labels, struct bt_error *err)
{
	struct bt_pb at = rec->name_list.list;
	bool named = rec->name_list.name != NULL;
	bool collect = labels->n == 0;
	struct bt_span v;
	int i, n = 0, r = BT_OK;

	/* the first record's names become the labels, in their order */
	while (named && collect && mode == BT_LABELS_COLLECT &&
	       (r = bt_feature_next_text(&rec->name_list, &at, &v.p, &v.n,
	                                 err)) == 1) {
		i = bt_labels_add(labels, v, err);
		if (i < 0)
			return i;
		bt_labels_given(labels, i, i);
	}
	if (r || (r = bt_target_reserve(rec, (size_t)labels->n, err)))
		return r;
	at = rec->name_list.list;
	for (i = 0; i < labels->n; i++)
		rec->target[i] = named ? NAN : 0;
	while (named && (r = bt_feature_next_text(&rec->name_list, &at, &v.p,
	                                          &v.n, err)) == 1) {
		i = bt_labels_find(labels, v);
		if (i < 0 && labels->n > 0)
			return other_names(labels, v, false, err);
		if (i < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "the list of labels is empty");
		rec->target[i] = 0;
		if (n++ == labels->n)
			return bt_error_set(err, BT_EFORMAT,
			                    "label_names has a name twice");
	}
	for (i = 0; r == BT_OK && i < labels->n; i++)
		if (isnan(rec->target[i]))
			return other_names(labels, bt_span(labels->name[i]),
			                   true, err);
	rec->n_target = (size_t)labels->n;
	return r;
}

int bt_target_read_list(struct bt_token_rec *rec, size_t *n,
                        struct bt_error *err)
{
	const struct bt_feature *f = &rec->id_list;
	bool floats = f->kind == BT_FEATURE_FLOAT;
	size_t at = rec->n_target, i;
	int r = floats ? bt_feature_floats(f, NULL, 0, n, err)
	               : bt_feature_int64s(f, NULL, 0, n, err);

	if (r == BT_OK)
		r = bt_target_reserve(rec, at + *n, err);
	if (r != BT_OK || floats)
		return r == BT_OK
		           ? bt_feature_floats(f, rec->target + at, *n, n, err)
		           : r;
	if (bt_grow(&rec->scratch, &rec->scratch_cap, *n,
	            sizeof(*rec->scratch)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	r = bt_feature_int64s(f, rec->scratch, *n, n, err);
	for (i = 0; r == BT_OK && i < *n; i++)
		rec->target[at + i] = (float)rec->scratch[i];
	return r;
}

int bt_target_place_list(struct bt_token_rec *rec, size_t n, bool bits,
                         const struct bt_labels *labels, struct bt_error *err)
{
	const struct bt_feature *names = &rec->name_list;
	const float *from = rec->target + rec->n_target;
	struct bt_pb at = names->list;
	struct bt_span v;
	size_t i, k;

	if (n != rec->n_target)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "label_ids holds %zu number%s, expected %zu", n,
		    bt_plural(n), rec->n_target);
	for (i = 0; i < n; i++) {
		k = i;
		if (names->name != NULL && n > 1 &&
		    bt_feature_next_text(names, &at, &v.p, &v.n, err) == 1)
			k = (size_t)bt_labels_find(labels, v);
		if (!isfinite(from[i]) ||
		    (bits && from[i] != 0 && from[i] != 1))
			return bt_error_set(
			    err, BT_EFORMAT, "label_ids holds %g for '%s', %s",
			    (double)from[i], labels->name[k],
			    bits ? "expected 0 or 1"
			         : "which is not a finite number");
		rec->target[k] = from[i];
	}
	return BT_OK;
}

int bt_target_settle(struct bt_token_rec *rec, enum bt_label_mode mode,
                     const struct bt_error *why, struct bt_error *err)
{
	if (why->code == BT_OK)
		return BT_OK;
	rec->n_target = 0;
	if (mode == BT_LABELS_OPTIONAL && why->code != BT_ENOMEM)
		return BT_OK;
	return bt_error_hint(err, why->hint,
	                     bt_error_set(err, why->code, "%s", why->text));
}

double bt_target_guess(const struct bt_task_data *d,
                       double (*of)(double mean, double squares))
{
	double sum, squares, y, loss = 0;
	size_t i, k;

	for (k = 0; k < d->width; k++) {
		sum = squares = 0;
		for (i = 0; i < d->n; i++) {
			y = (double)bt_task_target(d, i)[k];
			sum += y;
			squares += y * y;
		}
		loss += of(sum / (double)d->n, squares / (double)d->n);
	}
	return d->width > 0 ? loss / (double)d->width : INFINITY;
}

static double entropy(double mean, double squares)
{
	(void)squares;
	return mean > 0 && mean < 1
	           ? -(mean * log(mean) + (1 - mean) * log(1 - mean))
	           : 0;
}

double bt_target_guess_entropy(const struct bt_task_data *d, int outputs,
                               double smoothing)
{
	(void)outputs;
	(void)smoothing;
	return bt_target_guess(d, entropy);
}

bool bt_target_map(const struct bt_labels *found, const struct bt_labels *known,
                   int *map)
{
	int i;

	for (i = 0; i < found->n; i++) {
		map[i] = bt_labels_find(known, bt_span(found->name[i]));
		if (map[i] < 0)
			return false;
	}
	return true;
}

int bt_target_read_number(const struct bt_token_rec *rec, double *v, bool *has,
                          struct bt_error *err)
{
	struct bt_span s = rec->label;
	char text[64];

	*has = true;
	if (rec->has_label_value) {
		*v = (double)rec->label_value;
	} else if (s.p != NULL) {
		if (!bt_span_str(s, text, sizeof(text)) ||
		    bt_parse_f64(text, -DBL_MAX, DBL_MAX, v) != BT_OK)
			return bt_error_set(err, BT_EFORMAT,
			                    "label '%.*s' is not a number, and "
			                    "the model predicts numbers",
			                    (int)(s.n < 63 ? s.n : 63), s.p);
		if (fabs(*v) > FLT_MAX)
			return bt_error_set(err, BT_EFORMAT,
			                    "label '%s' is beyond the range of "
			                    "32-bit floats (%g)",
			                    text, (double)FLT_MAX);
	} else if (rec->has_label_id) {
		*v = (double)rec->label_id;
	} else {
		*has = false;
	}
	return BT_OK;
}

/* SPDX-License-Identifier: MIT */
/* What is to be predicted of a record where that is not one class: numbers, or
 * which of the labels hold. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "finetune/dataset_int.h"

/* Room for so many targets, and somewhere to stand where there are none. */
static int reserve(struct bt_token_rec *rec, size_t n, struct bt_error *err)
{
	if (bt_grow(&rec->target, &rec->target_cap, n + 1,
	            sizeof(*rec->target)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	return BT_OK;
}

/* The next text of a list; as bt_feature_next_text. */
static int next_text(const struct bt_feature *f, struct bt_pb *at,
                     struct bt_span *v, struct bt_error *err)
{
	return bt_feature_next_text(f, at, &v->p, &v->n, err);
}

/* The first record's names become the labels, in their order. */
static int collect_names(const struct bt_token_rec *rec,
                         struct bt_labels *labels, struct bt_error *err)
{
	struct bt_pb at = rec->name_list.list;
	struct bt_span v;
	int r, i;

	while ((r = next_text(&rec->name_list, &at, &v, err)) == 1) {
		i = bt_labels_add(labels, v, err);
		if (i < 0)
			return i;
		bt_labels_given(labels, i, i);
	}
	return r;
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

/* Makes all targets 0, having seen that the record's names, if it has such, are
 * the labels, each once. */
static int check_names(struct bt_token_rec *rec, enum bt_label_mode mode,
                       struct bt_labels *labels, struct bt_error *err)
{
	struct bt_pb at = rec->name_list.list;
	bool named = rec->name_list.name != NULL;
	struct bt_span v;
	int i, n = 0, r = BT_OK;

	if (named && mode == BT_LABELS_COLLECT && labels->n == 0)
		r = collect_names(rec, labels, err);
	if (r == BT_OK)
		r = reserve(rec, (size_t)labels->n, err);
	if (r != BT_OK)
		return r;
	for (i = 0; i < labels->n; i++)
		rec->target[i] = named ? NAN : 0;
	while (named && (r = next_text(&rec->name_list, &at, &v, err)) == 1) {
		i = bt_labels_find(labels, v);
		if (i < 0 && labels->n > 0)
			return other_names(labels, v, false, err);
		if (i < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "there are no labels");
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

/* label_ids as floats behind the targets; *n is their number. */
static int read_list(struct bt_token_rec *rec, size_t *n, struct bt_error *err)
{
	const struct bt_feature *f = &rec->id_list;
	bool floats = f->kind == BT_FEATURE_FLOAT;
	size_t at = rec->n_target, i;
	int r = floats ? bt_feature_floats(f, NULL, 0, n, err)
	               : bt_feature_int64s(f, NULL, 0, n, err);

	if (r == BT_OK)
		r = reserve(rec, at + *n, err);
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

/* Numbers that stand behind the targets go to their places. */
static int place_list(struct bt_token_rec *rec, size_t n, bool bits,
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
		    next_text(names, &at, &v, err) == 1)
			k = (size_t)bt_labels_find(labels, v);
		if (!isfinite(from[i]) ||
		    (bits && from[i] != 0 && from[i] != 1))
			return bt_error_set(
			    err, BT_EFORMAT, "label_ids holds %g for '%s', %s",
			    (double)from[i], labels->name[k],
			    bits ? "expected 0 or 1: numbers are learnt by "
			           "bert-train --task regression"
			         : "which is no number to predict");
		rec->target[k] = from[i];
	}
	return BT_OK;
}

/* The number of a record that has one: label_ids where it holds one, else the
 * text. *has says whether there is one. */
static int one_number(const struct bt_token_rec *rec, double *v, bool *has,
                      struct bt_error *err)
{
	struct bt_span s = rec->label;
	char text[64];

	*has = true;
	if (rec->has_label_value) {
		*v = (double)rec->label_value;
	} else if (s.p != NULL) {
		if (s.n >= sizeof(text))
			s.n = sizeof(text) - 1;
		memcpy(text, s.p, s.n);
		text[s.n] = '\0';
		if (strlen(text) != s.n || s.n != rec->label.n ||
		    bt_parse_f64(text, -FLT_MAX, FLT_MAX, v) != BT_OK)
			return bt_error_set(err, BT_EFORMAT,
			                    "label '%.*s' is not a number, and "
			                    "the model predicts numbers",
			                    (int)s.n, s.p);
	} else if (rec->has_label_id) {
		*v = (double)rec->label_id;
	} else {
		*has = false;
	}
	return BT_OK;
}

/* Names for n numbers of which the first record names none. */
static int collect_unnamed(struct bt_labels *labels, size_t n,
                           struct bt_error *err)
{
	char name[32];
	size_t i;
	int r = BT_OK;

	for (i = 0; i < n && r >= 0; i++) {
		snprintf(name, sizeof(name), "LABEL_%zu", i);
		r = bt_labels_add(labels, bt_span(name), err);
	}
	return r < 0 ? r : BT_OK;
}

static int numbers(struct bt_token_rec *rec, enum bt_label_mode mode,
                   struct bt_labels *labels, int32_t *label,
                   struct bt_error *err)
{
	bool list = rec->id_list.name != NULL, has = list;
	bool named = rec->name_list.name != NULL;
	double v = 0;
	size_t n = 1;
	int r = BT_OK;

	if (rec->several || (named && rec->label_list.name != NULL))
		return bt_error_set(err, BT_EFORMAT,
		                    "has any number of labels, and the model "
		                    "predicts numbers: bert-train --task "
		                    "multilabel learns labels");
	if (list)
		r = read_list(rec, &n, err);
	else
		r = one_number(rec, &v, &has, err);
	if (r != BT_OK || !has || n == 0)
		return r;
	if (mode == BT_LABELS_COLLECT && labels->n == 0 && !named)
		r = collect_unnamed(labels, n, err);
	if (r == BT_OK &&
	    (n > 1 || labels->n != 1 || mode == BT_LABELS_COLLECT))
		r = check_names(rec, mode, labels, err);
	rec->n_target = (size_t)labels->n;
	if (r == BT_OK && list)
		r = read_list(rec, &n, err);
	else if (r == BT_OK)
		r = reserve(rec, rec->n_target + 1, err);
	if (r == BT_OK && !list)
		rec->target[rec->n_target] = (float)v;
	if (r == BT_OK)
		r = place_list(rec, n, false, labels, err);
	if (r == BT_OK)
		*label = 0;
	return r;
}

/* True where a record without the texts of its labels says which hold. */
static bool has_bits(const struct bt_token_rec *rec)
{
	return rec->id_list.name != NULL ||
	       (rec->name_list.name != NULL &&
	        (rec->has_label_id || rec->has_label_value));
}

/* The texts of the labels that hold. */
static int set_texts(struct bt_token_rec *rec, bool collect,
                     struct bt_labels *labels, struct bt_error *err)
{
	struct bt_pb at = rec->label_list.list;
	size_t n;
	struct bt_span v;
	int i, r;

	while ((r = next_text(&rec->label_list, &at, &v, err)) == 1) {
		i = bt_labels_find(labels, v);
		if (i < 0 && (!collect || rec->name_list.name != NULL))
			return labels->n > 0
			           ? bt_dataset_unknown(v, labels, err)
			           : bt_error_set(err, BT_EFORMAT,
			                          "there are no labels");
		if (i < 0)
			i = bt_labels_add(labels, v, err);
		if (i < 0)
			return i;
		if (collect && rec->name_list.name == NULL)
			bt_labels_given(labels, i, -1);
		n = (size_t)i + 1;
		r = n > rec->n_target ? reserve(rec, n, err) : BT_OK;
		if (r != BT_OK)
			return r;
		while (rec->n_target < n)
			rec->target[rec->n_target++] = 0;
		rec->target[i] = 1;
	}
	return r;
}

/* A 1 or 0 for each label, in order. */
static int set_bits(struct bt_token_rec *rec, bool collect,
                    struct bt_labels *labels, struct bt_error *err)
{
	size_t n = 1;
	int r = BT_OK;

	if (rec->id_list.name != NULL) {
		r = read_list(rec, &n, err);
	} else {
		r = reserve(rec, rec->n_target + 1, err);
		if (r == BT_OK)
			rec->target[rec->n_target] = rec->has_label_value
			                                 ? rec->label_value
			                                 : (float)rec->label_id;
	}
	if (r == BT_OK && collect && labels->n == 0 && n > 0) {
		/* the first record, which names none: by their numbers */
		r = bt_dataset_numbered((int64_t)n - 1, labels, err);
		if (r >= 0)
			r = check_names(rec, BT_LABELS_KNOWN, labels, err);
		if (r == BT_OK)
			r = read_list(rec, &n, err);
	}
	return r == BT_OK ? place_list(rec, n, true, labels, err) : r;
}

static int one_of(const struct bt_token_rec *rec, struct bt_error *err)
{
	return bt_error_set(
	    err, BT_EFORMAT,
	    "label_ids holds one number, %g, and no text says which labels "
	    "hold: bert-train --task %s learns such",
	    rec->has_label_value ? (double)rec->label_value
	                         : (double)rec->label_id,
	    rec->has_label_value ? "regression" : "classification");
}

static int set(struct bt_token_rec *rec, enum bt_label_mode mode,
               struct bt_labels *labels, int32_t *label, struct bt_error *err)
{
	bool collect = mode == BT_LABELS_COLLECT;
	bool texts = rec->label_list.name != NULL;
	int r;

	if (!texts && !has_bits(rec))
		return rec->has_label_id || rec->has_label_value
		           ? one_of(rec, err)
		           : BT_OK;
	r = check_names(rec, mode, labels, err);
	if (r == BT_OK)
		r = texts ? set_texts(rec, collect, labels, err)
		          : set_bits(rec, collect, labels, err);
	if (r != BT_OK)
		return r;
	rec->open = !texts || rec->several || rec->name_list.name != NULL;
	*label = 0;
	return BT_OK;
}

/* What does not fit says nothing of the record, where nothing need be said. */
static int settle(struct bt_token_rec *rec, enum bt_label_mode mode,
                  const struct bt_error *why, struct bt_error *err)
{
	if (why->code == BT_OK)
		return BT_OK;
	rec->n_target = 0;
	if (mode == BT_LABELS_OPTIONAL && why->code != BT_ENOMEM)
		return BT_OK;
	return bt_error_set(err, why->code, "%s", why->text);
}

int bt_dataset_numbers(struct bt_token_rec *rec, enum bt_label_mode mode,
                       struct bt_labels *labels, int32_t *label,
                       struct bt_error *err)
{
	struct bt_error why = {0};
	int r = numbers(rec, mode, labels, label, &why);

	return r == BT_OK ? BT_OK : settle(rec, mode, &why, err);
}

int bt_dataset_set(struct bt_token_rec *rec, enum bt_label_mode mode,
                   struct bt_labels *labels, int32_t *label,
                   struct bt_error *err)
{
	struct bt_error why = {0};
	int r = set(rec, mode, labels, label, &why);

	return r == BT_OK ? BT_OK : settle(rec, mode, &why, err);
}

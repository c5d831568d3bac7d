/* SPDX-License-Identifier: MIT */
/* Whether a record fits a model, and its class. */
#include <stdio.h>

#include "finetune/dataset_int.h"

static int check_tokens(const struct bt_token_rec *rec,
                        const struct bt_fit *fit, struct bt_error *err)
{
	size_t i;

	if (rec->n > (size_t)fit->max_positions)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds %zu tokens, the model takes %d: "
		                    "give bert-tokenize --max-length",
		                    rec->n, fit->max_positions);
	if (fit->length > 0 && rec->n != (size_t)fit->length)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "holds %zu tokens, and the model's head flattens texts of "
		    "%d tokens each: give bert-tokenize --pad %d --attend-pad",
		    rec->n, fit->length, fit->length);
	for (i = 0; i < rec->n; i++) {
		if (rec->ids[i] >= fit->vocab_size)
			return bt_error_set(err, BT_EFORMAT,
			                    "token id %d at position %zu, the "
			                    "model's vocabulary has %d: was it "
			                    "tokenized for another model?",
			                    rec->ids[i], i, fit->vocab_size);
		if (rec->types[i] >= fit->type_vocab_size)
			return bt_error_set(err, BT_EFORMAT,
			                    "segment id %d at position %zu, "
			                    "the model has %d",
			                    rec->types[i], i,
			                    fit->type_vocab_size);
	}
	if (fit->tokenizer == NULL || rec->tokenizer.p == NULL ||
	    bt_span_equal(rec->tokenizer, bt_span(fit->tokenizer)))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "was tokenized with another vocabulary "
	                    "(fingerprint %.*s, the model's is %s): pass the "
	                    "text through bert-tokenize -m MODEL again",
	                    (int)rec->tokenizer.n, rec->tokenizer.p,
	                    fit->tokenizer);
}

int bt_dataset_unknown(struct bt_span s, const struct bt_labels *labels,
                       struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "label '%.*s' is none of the %d labels known "
	                    "('%s' ... '%s')",
	                    (int)(s.n < 100 ? s.n : 100), s.p, labels->n,
	                    labels->name[0], labels->name[labels->n - 1]);
}

int bt_dataset_numbered(int64_t number, struct bt_labels *labels,
                        struct bt_error *err)
{
	char s[24];
	int64_t i;
	int r;

	if (number < 0 || number >= BT_LABELS_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "label_ids holds %lld, and classes are "
		                    "numbered from 0 to at most %d",
		                    (long long)number, BT_LABELS_MAX - 1);
	snprintf(s, sizeof(s), "%lld", (long long)number);
	r = bt_labels_find(labels, bt_span(s));
	for (i = 0; r < 0 && i <= number; i++) {
		snprintf(s, sizeof(s), "%lld", (long long)i);
		r = bt_labels_add(labels, bt_span(s), err);
		if (r < 0)
			return r;
		r = i < number ? -1 : r;
	}
	return r;
}

/* A record without the text of its label. */
static int check_number(int64_t number, enum bt_label_mode mode,
                        struct bt_labels *labels, int32_t *label,
                        struct bt_error *err)
{
	int r = BT_OK;

	if (mode == BT_LABELS_COLLECT) {
		r = bt_dataset_numbered(number, labels, err);
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

/* True of a record that does not have one label because it may have any number
 * of them, or numbers of its own. */
static bool is_open(const struct bt_token_rec *rec)
{
	return rec->several || rec->name_list.name != NULL ||
	       (rec->label.p == NULL && rec->id_list.name != NULL);
}

static int not_one(const struct bt_token_rec *rec, struct bt_error *err)
{
	const struct bt_feature *f = &rec->label_list;
	bool numbers =
	    f->name == NULL &&
	    (rec->has_label_value || rec->id_list.kind == BT_FEATURE_FLOAT);

	return bt_error_set(
	    err, BT_EFORMAT,
	    "has %s, and a classifier learns one label of each text: "
	    "bert-train --task %s",
	    numbers ? "several numbers to predict" : "any number of labels",
	    numbers ? "regression learns numbers" : "multilabel learns such");
}

int bt_dataset_check(struct bt_token_rec *rec, const struct bt_fit *fit,
                     enum bt_label_mode mode, struct bt_labels *labels,
                     int32_t *label, struct bt_error *err)
{
	struct bt_span s = rec->label;
	int r = check_tokens(rec, fit, err);

	*label = -1;
	rec->n_target = 0;
	if (r == BT_OK && fit->number)
		return bt_dataset_numbers(rec, mode, labels, label, err);
	if (r == BT_OK && fit->multi)
		return bt_dataset_set(rec, mode, labels, label, err);
	if (r == BT_OK && is_open(rec))
		return mode == BT_LABELS_OPTIONAL ? BT_OK : not_one(rec, err);
	if (r == BT_OK && s.p == NULL && rec->has_label_value &&
	    mode != BT_LABELS_OPTIONAL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "label_ids holds a number to predict (%g), "
		                 "and a classifier learns classes: "
		                 "bert-train --task regression learns numbers",
		                 (double)rec->label_value);
	if (r != BT_OK || (s.p == NULL && !rec->has_label_id))
		return r;
	if (s.p == NULL)
		return check_number(rec->label_id, mode, labels, label, err);
	if (mode == BT_LABELS_COLLECT)
		r = bt_labels_add(labels, s, err);
	else
		r = bt_labels_find(labels, s);
	if (mode == BT_LABELS_COLLECT && r < 0)
		return r;
	if (mode == BT_LABELS_COLLECT)
		bt_labels_given(labels, r,
		                rec->has_label_id ? rec->label_id : -1);
	*label = r;
	if (r < 0 && mode == BT_LABELS_KNOWN)
		return bt_dataset_unknown(s, labels, err);
	return BT_OK;
}

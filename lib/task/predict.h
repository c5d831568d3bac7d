/* SPDX-License-Identifier: MIT */
/*
 * Predictions as CSV or JSON Lines: the label texts of training, input order,
 * or the order of a competition's sample submission.
 */
#ifndef BT_TASK_PREDICT_H
#define BT_TASK_PREDICT_H

#include "base/err.h"
#include "base/span.h"
#include "io/out.h"
#include "task/labels.h"

struct bt_predict_opts {
	bool jsonl;         /* else CSV */
	const char *header; /* names of id and label columns; NULL: id,label */
	bool proba;         /* the probability of every class too */
	int top;            /* the so many likeliest classes; 0: the label */
	const char *sample; /* CSV whose header and order to follow, or NULL */
};

struct bt_predict;

/*
 * Writes to out, which is borrowed. A sample is read here: its header, its ids,
 * and what its columns ask for. With two columns the second takes the label;
 * with more, or with proba, every column but the first must be named as a class
 * and takes its probability (one column that is named otherwise takes the
 * second class's, where there are two). BT_EARG where options make no sense
 * together.
 */
int bt_predict_new(const struct bt_predict_opts *o, const struct bt_labels *l,
                   struct bt_out *out, struct bt_predict **p,
                   struct bt_error *err) BT_MUST_USE;
void bt_predict_free(struct bt_predict *p); /* takes NULL */

/* Prediction i, counted from 0; a record without id (p NULL) is named by i.
 * With a sample, an id that it lacks or that came before is an error. */
int bt_predict_add(struct bt_predict *p, uint64_t i, struct bt_span id,
                   const float *logits, struct bt_error *err) BT_MUST_USE;

/* Writes what is left: with a sample, all rows; ids of the sample that got no
 * prediction are an error. */
int bt_predict_finish(struct bt_predict *p, struct bt_error *err) BT_MUST_USE;

/* How often each class was predicted, [l->n], borrowed; true if some record had
 * no id. */
const uint64_t *bt_predict_counts(const struct bt_predict *p);
bool bt_predict_numbered(const struct bt_predict *p);

#endif

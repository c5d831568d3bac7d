/* SPDX-License-Identifier: MIT */
/*
 * Predictions as CSV, JSON Lines or records: the label texts of training, input
 * order, or the order of a competition's sample submission.
 */
#ifndef BT_PREDICT_PREDICT_H
#define BT_PREDICT_PREDICT_H

#include "base/err.h"
#include "base/log.h"
#include "base/span.h"
#include "io/out.h"
#include "predict/label_sets.h"
#include "record/labels.h"

enum bt_predict_format {
	BT_PREDICT_CSV,
	BT_PREDICT_JSONL,
	BT_PREDICT_TFRECORD, /* tf.Examples: id, label, probability (or labels,
	                      * or value or values),
	                      * as asked for probabilities, top_labels and
	                      * top_probabilities */
	BT_PREDICT_TSV       /* probabilities alone, with tabs between: the
	                      * test_results.tsv of TensorFlow Model Garden */
};

struct bt_answer_form;
struct bt_fields; /* predict/fields.h */

struct bt_predict_opts {
	enum bt_predict_format format;
	const struct bt_answer_form *form; /* predict/answer.h; the task's */
	const char *threshold; /* of any number of labels or one of two: those
	                        * at least as likely are predicted, and are 1
	                        * and others 0 in a sample's columns; a number,
	                        * or LABEL=X,... or @FILE. NULL: .5, and a
	                        * sample takes probabilities. Of a number: see
	                        * bt_thresholds_of_scores */
	const char *separator; /* stands between their names; NULL: a blank */
	char delimiter;        /* of CSV; 0: a comma, or the sample's */
	const char *header;    /* names of id and label; NULL: id,label */
	struct bt_fields *fields; /* of the records, behind the id in CSV and
	                           * JSON Lines; borrowed; or NULL */
	bool proba;               /* the probability of every class too */
	int top;                  /* the so many likeliest; 0: the label */
	double min_proba;         /* a class that is less likely is rejected, */
	const char *rejected;     /* which this stands for; NULL: no label */
	const struct bt_label_sets *sets; /* of classes are written too; or
	                                   * NULL */
	const char *map;       /* labels under other names, or NULL */
	const char *sample;    /* CSV whose form to follow, or NULL */
	const char *sample_id; /* see bt_submission_opts; or NULL */
	bool sample_order;
	const char *sample_missing; /* see bt_submission_opts; or NULL */
	bool sample_ignore_extra;
	const struct bt_log *log; /* told what looks odd at first; or NULL */
};

struct bt_predict;

/*
 * Writes to out, which is borrowed. Labels that the map (record/label_map.h)
 * gives one name are one class, with the sum of their probabilities. A sample
 * (predict/submission.h) is read here. BT_EARG where options make no sense
 * together.
 */
int bt_predict_new(const struct bt_predict_opts *o, const struct bt_labels *l,
                   struct bt_out *out, struct bt_predict **p,
                   struct bt_error *err) BT_MUST_USE;
void bt_predict_free(struct bt_predict *p); /* takes NULL */

/* BT_EARG if the separator is empty, or a label contains it: labels that are
 * one field could not be told apart. */
int bt_predict_separator(const char *separator, const struct bt_labels *labels,
                         struct bt_error *err) BT_MUST_USE;

/* What is refused: a separator where labels are not joined; a field, where a
 * column or member has its name. Both return BT_EARG. */
int bt_predict_no_separator(struct bt_error *err);
int bt_predict_twice(const char *name, struct bt_error *err);

/* Prediction i, counted from 0; a record without id (p NULL) is named by i.
 * With a sample, many ids that it lacks or that came before are an error. */
int bt_predict_add(struct bt_predict *p, uint64_t i, struct bt_span id,
                   const float *logits, struct bt_error *err) BT_MUST_USE;

/* Writes what is left: with a sample, all rows. It is an error if predictions
 * and rows do not match one to one. */
int bt_predict_finish(struct bt_predict *p, struct bt_error *err) BT_MUST_USE;

/* Says how often each class was predicted, and whether some record had no id.
 */
void bt_predict_tell(const struct bt_predict *p, const struct bt_log *log);

/* Says that records had no ids and were numbered; where others had ids (named),
 * which a number may equal, as a warning. */
void bt_predict_tell_numbered(bool named, const struct bt_log *log);

#endif

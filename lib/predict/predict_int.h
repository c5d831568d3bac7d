/* SPDX-License-Identifier: MIT */
#ifndef BT_PREDICT_PREDICT_INT_H
#define BT_PREDICT_PREDICT_INT_H

#include "base/buf.h"
#include "format/tf_example.h"
#include "predict/predict.h"
#include "predict/submission.h"

struct bt_predict {
	struct bt_predict_opts o;
	int classes;             /* of the model */
	struct bt_labels labels; /* as they are written */
	int *shown;              /* [classes] which of them each is */
	bool merged;             /* there are fewer than classes */
	double *over;            /* [labels] thresholds of any number */
	bool *on;                /* [labels] of any number: those that hold */
	struct bt_buf set;       /* their names, as one text */
	struct bt_labels sets;   /* all such texts, for a sample */
	uint64_t without;        /* records for which none holds */
	struct bt_out *out;
	struct bt_submission *sample; /* NULL: rows go out as they come */
	double *logit;                /* [classes] of one record */
	double *p;  /* [labels] its probabilities, or numbers */
	int *order; /* [labels] likeliest first */
	uint64_t *counts;
	bool numbered;
	uint64_t n; /* of numbers: how many there were, and */
	double least, most, sum;
	struct bt_buf row;
	struct bt_example_writer example; /* of a record, and what it lists: */
	float *numbers;                   /* [labels] */
	struct bt_span *names;            /* [labels] */
};

/* The names of the labels that hold. */
static inline struct bt_span bt_predict_set(const struct bt_predict *p)
{
	return p->set.len > 0 ? (struct bt_span){p->set.data, p->set.len}
	                      : (struct bt_span){"", 0};
}

/* Appends the header to p->row; BT_EARG where names were given that are not as
 * many as columns. */
int bt_predict_header(struct bt_predict *p, struct bt_error *err) BT_MUST_USE;

/* Appends the row of the last answer to p->row. */
void bt_predict_row(struct bt_predict *p, struct bt_span id);

/* Writes the last answer as a record. */
int bt_predict_record(struct bt_predict *p, struct bt_span id,
                      struct bt_error *err) BT_MUST_USE;

#endif

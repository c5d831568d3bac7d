/* SPDX-License-Identifier: MIT */
/* A competition's sample submission: a CSV file whose header, ids and order of
 * rows the real one must have. */
#ifndef BT_PREDICT_SUBMISSION_H
#define BT_PREDICT_SUBMISSION_H

#include "base/err.h"
#include "base/log.h"
#include "format/csv.h"
#include "io/out.h"
#include "record/labels.h"

struct bt_submission;

struct bt_submission_opts {
	const char *path;
	const char *id;   /* column of the ids: name, number, "none"; NULL: the
	                   * one named id, in any case, else the first */
	bool in_order;    /* rows are answered one after the other */
	bool proba;       /* the answers are probabilities, of one column too */
	bool are_numbers; /* the answers are numbers, a column each */
	const struct bt_labels *texts; /* where labels of answers are numbered,
	                                * if not in labels; or NULL. Borrowed */
	const char *missing; /* what rows without an answer get; NULL: none may
	                      * be without. Not in order */
	bool ignore_extra;   /* answers whose id has no row are left out */
	const struct bt_log *log; /* told what looks odd at first; or NULL */
};

/*
 * Reads the sample. A single column beside the id takes the label; several, or
 * one with proba, are named as classes and take their probabilities (one that
 * is named otherwise takes the second class's, where there are two). Numbers
 * take columns that are named as they are, a single one any column. Ids must
 * differ, unless it goes in order. labels is borrowed.
 */
int bt_submission_open(const struct bt_submission_opts *o,
                       const struct bt_labels *labels, struct bt_submission **s,
                       struct bt_error *err) BT_MUST_USE;
void bt_submission_free(struct bt_submission *s); /* takes NULL */

/* True if a column takes the label. */
bool bt_submission_takes_label(const struct bt_submission *s);

/* The answer for an id, or for the next row, whose id may be unknown (NULL):
 * class and probabilities [labels->n]. Ids that the sample lacks, and second
 * answers, are an error here only when there are many of them. */
int bt_submission_set(struct bt_submission *s, struct bt_span id, int label,
                      const double *p, struct bt_error *err) BT_MUST_USE;

/* Writes the filled-in file; nothing, and BT_EFORMAT, where answers and rows do
 * not match one to one, as far as the options ask for that, or not at all, or
 * where answers in order have the ids of other rows. */
int bt_submission_write(struct bt_submission *s, struct bt_out *out,
                        struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* A file of predictions in memory: CSV as predictions are written with or
 * without probabilities, or a stream of tensors with logits or probabilities.
 */
#ifndef BT_EVALUATE_PREDICTION_FILE_H
#define BT_EVALUATE_PREDICTION_FILE_H

#include "base/string_set.h"
#include "record/labels.h"
#include "task/task.h"

struct bt_prediction_file {
	/* to be set before: values are to be logits, those of probabilities
	 * their logarithms or, of any number of labels, log p/(1 - p) */
	bool logits;
	bool repeats; /* and ids may come again */
	char *name;   /* for messages */
	size_t rows;
	struct bt_string_set *ids; /* numbered as the rows; or NULL */
	/* where ids come again, they are not: of each row the number of its
	 * id, and the first such row and the one with its id, from 1; else
	 * NULL and 0 */
	uint32_t *id; /* [rows] */
	size_t id_cap, again, again_of;
	/* of a task of words, whose ids are those of texts: the first row of
	 * each, and behind the last the number of rows; else NULL */
	size_t *first;
	size_t first_cap;
	/* of each row: probabilities, or numbers, of these labels; n is 0
	 * where there are none */
	struct bt_labels labels;
	float *value; /* [rows][labels.n] */
	size_t value_cap;
	/* and what is predicted, as a number in answers; or NULL */
	struct bt_string_set *answers;
	uint32_t *answer; /* [rows] */
	size_t answer_cap;
};

/*
 * Reads the file for a task into *f, zero but for the members above; known are
 * the labels that records have, or none. In CSV the
 * ids are in the column "id", or the first one; the prediction in "label", with
 * probabilities behind it, or in the first column behind the id that is not
 * named as a label is. Several numbers are in the columns of their names. Where
 * no label is known, all columns but "label" and that of ids are labels', or
 * numbers where there is not "label".
 */
int bt_prediction_file_read(const char *path, const struct bt_task *task,
                            const struct bt_labels *known,
                            struct bt_prediction_file *f,
                            struct bt_error *err) BT_MUST_USE;

/* Sets *task to that of labels or numbers whose predictions a stream of tensors
 * says it holds; leaves it as it is where it says none, as CSV does, but for a
 * stream that may be of classes: there it is classes, unless that is NULL. */
int bt_prediction_file_task(const char *path, const struct bt_task *classes,
                            const struct bt_task **task,
                            struct bt_error *err) BT_MUST_USE;
void bt_prediction_file_clear(struct bt_prediction_file *f);

#endif

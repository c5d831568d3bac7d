/* SPDX-License-Identifier: MIT */
#ifndef BT_PREDICT_SUBMISSION_INT_H
#define BT_PREDICT_SUBMISSION_INT_H

#include "base/buf.h"
#include "base/string_set.h"
#include "predict/submission.h"
#include "predict/submission_values.h"

/* What a column takes; else a class. */
#define BT_SUBMISSION_ID (-2)
#define BT_SUBMISSION_LABEL (-1)

struct bt_submission {
	char *name; /* of the file, for messages */
	struct bt_submission_opts o;
	const struct bt_labels *labels;
	char delimiter;
	struct bt_buf header; /* as it is to be written */
	int *column;          /* [width] what each takes */
	size_t width, values; /* columns; of them with probabilities */

	struct bt_buf ids; /* of all rows */
	size_t *id_end;    /* [rows] */
	size_t rows, cap;
	struct bt_string_set *set; /* the ids; NULL: some repeat, in order */

	int32_t *label; /* [rows]; -1: not yet answered */
	float *value;   /* [rows, values] */
	size_t answers;
	size_t extra; /* of them left out */
	struct bt_submission_values unknown, twice, misplaced;
};

/* Reads the file that s->o names into s. */
int bt_submission_read(struct bt_submission *s,
                       struct bt_error *err) BT_MUST_USE;

static inline struct bt_span bt_submission_id(const struct bt_submission *s,
                                              size_t row)
{
	size_t at = row > 0 ? s->id_end[row - 1] : 0;
	struct bt_span id = {bt_buf_at(&s->ids, at), s->id_end[row] - at};

	return id;
}

#endif

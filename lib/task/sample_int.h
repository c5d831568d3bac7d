/* SPDX-License-Identifier: MIT */
#ifndef BT_TASK_SAMPLE_INT_H
#define BT_TASK_SAMPLE_INT_H

#include "base/buf.h"
#include "base/string_set.h"
#include "task/sample.h"

#define BT_SAMPLE_FEW 3 /* names in a message */

/* Some of many names, for a message. */
struct bt_few {
	size_t n;
	struct bt_buf names; /* of the first */
};

void bt_few_add(struct bt_few *f, struct bt_span name);
const char *bt_few_str(struct bt_few *f); /* "'a', 'b', 'c', ..." */

/* What a column takes; else a class. */
#define BT_SAMPLE_ID (-2)
#define BT_SAMPLE_LABEL (-1)

struct bt_sample {
	char *name; /* of the file, for messages */
	struct bt_sample_opts o;
	const struct bt_labels *labels;
	char delimiter;
	struct bt_buf header; /* as it is to be written */
	int *column;          /* [width] what each takes */
	size_t width, values; /* columns; of them with probabilities */

	struct bt_buf ids; /* of all rows */
	size_t *id_end;    /* [rows] */
	size_t rows, cap;
	struct bt_string_set *set; /* the ids; not in order */

	int32_t *label; /* [rows]; -1: not yet answered */
	float *value;   /* [rows, values] */
	size_t answers;
	struct bt_few unknown, twice;
};

/* Reads the file that s->o names into s. */
int bt_sample_read(struct bt_sample *s, struct bt_error *err) BT_MUST_USE;

static inline struct bt_span bt_sample_id(const struct bt_sample *s, size_t row)
{
	size_t at = row > 0 ? s->id_end[row - 1] : 0;
	struct bt_span id = {bt_buf_at(&s->ids, at), s->id_end[row] - at};

	return id;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Rows of numbers with their ids, one for each record, on their way out: as a
 * tensor stream, CSV, JSON Lines or, without ids, a NumPy file. What was added
 * goes out when it is flushed, as one frame; the NumPy file, which begins with
 * the number of rows, when all is finished.
 */
#ifndef BT_TENSORSTREAM_ROW_WRITER_H
#define BT_TENSORSTREAM_ROW_WRITER_H

#include "base/span.h"
#include "io/out.h"
#include "record/labels.h"
#include "tensorstream/frame.h"

enum bt_row_form { BT_ROWS_TENSOR, BT_ROWS_CSV, BT_ROWS_JSONL, BT_ROWS_NPY };

struct bt_row_writer_opts {
	enum bt_row_form form;
	const char *name; /* of the tensor, as BT_FRAME_LOGITS */
	size_t cols;      /* that are written; a row may have more */
	const struct bt_labels *labels; /* names of the columns, or NULL */
	bool normalize;                 /* each row is divided by its length */
	const char *problem; /* BT_FRAME_MULTI and so on, or NULL: classes */
	bool words;          /* rows are of words: BT_ROWS_TENSOR alone */
	const char *model;   /* BT_FRAME_MODEL, or NULL */
};

struct bt_row_writer;

/* out is borrowed, and so is what the options point to. */
int bt_row_writer_new(const struct bt_row_writer_opts *o, struct bt_out *out,
                      struct bt_row_writer **r,
                      struct bt_error *err) BT_MUST_USE;
void bt_row_writer_free(struct bt_row_writer *r); /* takes NULL */

/* Row i, counted from 0, which names a record that has no id (p NULL). */
int bt_row_writer_add(struct bt_row_writer *r, uint64_t i, struct bt_span id,
                      const float *row, struct bt_error *err) BT_MUST_USE;

/* The same for word number `word` of record i. */
int bt_row_writer_add_word(struct bt_row_writer *r, uint64_t i,
                           struct bt_span id, size_t word, const float *row,
                           struct bt_error *err) BT_MUST_USE;

int bt_row_writer_flush(struct bt_row_writer *r,
                        struct bt_error *err) BT_MUST_USE;

/* Flushes and writes the end of the stream, or the NumPy file. */
int bt_row_writer_finish(struct bt_row_writer *r,
                         struct bt_error *err) BT_MUST_USE;

/* True if some record had no id, where ids are written; *named: if some had. */
bool bt_row_writer_numbered(const struct bt_row_writer *r, bool *named);

#endif

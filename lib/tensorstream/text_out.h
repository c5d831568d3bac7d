/* SPDX-License-Identifier: MIT */
/* Frames of tensors as CSV and JSON Lines, and one tensor as a NumPy file. */
#ifndef BT_TENSORSTREAM_TEXT_OUT_H
#define BT_TENSORSTREAM_TEXT_OUT_H

#include "io/out.h"
#include "tensorstream/frame.h"

struct bt_frame_csv_opts {
	bool values;        /* a column for each number of a row */
	bool label;         /* a column with the name of the greatest class */
	const char *header; /* "ID,LABEL": names of these, or NULL */
};

struct bt_frame_csv;

int bt_frame_csv_new(const struct bt_frame_csv_opts *o, struct bt_frame_csv **c,
                     struct bt_error *err) BT_MUST_USE;
void bt_frame_csv_free(struct bt_frame_csv *c); /* takes NULL */

/*
 * Writes the rows of a frame, before the first one's a header: id where there
 * are ids, the label, the values. A number stands as the shortest text that
 * reads back as the same; its column is named as the class where as many
 * classes have names, else as the tensor, with a number where a row has
 * several; behind the tensor's name and a dot where there are several tensors.
 * A frame that would have other columns than the first is BT_EFORMAT.
 */
int bt_frame_csv_put(struct bt_frame_csv *c, const struct bt_frame *f,
                     struct bt_out *out, struct bt_error *err) BT_MUST_USE;

/* A line of JSON: number, rows, tensors and metadata of a frame, and its bytes
 * where they are known, not 0. */
int bt_frame_json(const struct bt_frame *f, uint64_t number, size_t bytes,
                  struct bt_out *out, struct bt_error *err) BT_MUST_USE;

struct bt_frame_npy;

/* The rows of all frames as one array. At most so many bytes are kept in
 * memory, the rest in $TMPDIR, since the file begins with its shape. */
struct bt_frame_npy *bt_frame_npy_new(size_t memory);
void bt_frame_npy_free(struct bt_frame_npy *n); /* takes NULL */

/* Takes the one tensor of the frame that is no id; others are BT_EFORMAT, as is
 * one whose rows are not as those before. BF16 becomes F32. */
int bt_frame_npy_put(struct bt_frame_npy *n, const struct bt_frame *f,
                     struct bt_error *err) BT_MUST_USE;
int bt_frame_npy_write(struct bt_frame_npy *n, struct bt_out *out,
                       struct bt_error *err) BT_MUST_USE;

#endif

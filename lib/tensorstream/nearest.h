/* SPDX-License-Identifier: MIT */
/*
 * For each row the rows of a file with the highest cosine similarity to it, as
 * CSV. Every pair is compared: matrix products find the pairs that may count,
 * and those are computed again in double, so that the result is the same with
 * every library of products and any number of threads.
 */
#ifndef BT_TENSORSTREAM_NEAREST_H
#define BT_TENSORSTREAM_NEAREST_H

#include "io/out.h"
#include "tensorstream/frame.h"

#define BT_NEAREST_TOP 10
#define BT_NEAREST_TOP_MAX 100000

struct bt_nearest_opts {
	const char *file; /* a tensor stream */
	size_t top;       /* how many rows of it; fewer where it has fewer */
	bool others;      /* leave out rows with the row's own id */
	int threads;
	size_t limit; /* most bytes of a frame, as bt_ts_reader_open */
	const struct bt_span *names; /* of its tensors; NULL: all */
	size_t n_names;
};

struct bt_nearest;

/* Reads the file, whose rows stay in memory as f32, and writes the header to
 * out, which is borrowed. */
int bt_nearest_new(const struct bt_nearest_opts *o, struct bt_out *out,
                   struct bt_nearest **n, struct bt_error *err) BT_MUST_USE;
void bt_nearest_free(struct bt_nearest *n); /* takes NULL */

/* Takes the rows of a frame, as bt_vectors_add, and finishes the end. Lines
 * are written for thousands of rows at a time. */
int bt_nearest_put(struct bt_nearest *n, const struct bt_frame *f,
                   struct bt_error *err) BT_MUST_USE;
int bt_nearest_finish(struct bt_nearest *n, struct bt_error *err) BT_MUST_USE;

/* bt_vectors_mixed of what was read. */
bool bt_nearest_mixed(const struct bt_nearest *n);

#endif

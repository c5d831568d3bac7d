/* SPDX-License-Identifier: MIT */
/*
 * Several tensor streams read side by side, row by row, however each of them
 * deals its rows to frames. What must agree, and does when a pass returns:
 * names of the tensors, shapes of their rows, ids, names of the classes.
 */
#ifndef BT_TENSORSTREAM_ALIGNED_H
#define BT_TENSORSTREAM_ALIGNED_H

#include "ckpt_format/tensor_stream_read.h"
#include "tensorstream/frame.h"

/* One of the streams: rows at .. at+n-1 of its frame are this pass's. */
struct bt_side {
	struct bt_ts_reader *in;
	struct bt_frame f;
	size_t at;
	bool end, loaded;
};

struct bt_aligned {
	struct bt_side *side;
	size_t n_sides;
	size_t n;       /* rows of this pass */
	uint64_t rows;  /* before this pass */
	bool disagrees; /* the error says in what the streams differ */
};

/* Opens the streams; see bt_ts_reader_open for the limit. */
int bt_aligned_open(char *const *paths, size_t n, size_t limit,
                    struct bt_aligned *t, struct bt_error *err) BT_MUST_USE;
void bt_aligned_close(struct bt_aligned *t);

/* 1: t->n rows of each side; 0: all end. Streams that do not agree are
 * BT_EFORMAT, with t->disagrees set. */
int bt_aligned_next(struct bt_aligned *t, struct bt_error *err) BT_MUST_USE;

struct bt_mean_opts {
	const double *weights; /* of the sides, or NULL: all 1 */
	bool softmax;          /* logits become probabilities first */
	bool sigmoid;          /* each by itself */
};

/*
 * The mean of this pass's rows, summed in double in the order of the streams:
 * real numbers become F32, or F64 where a side has that. What is not a real
 * number must be equal in all of them. *f is borrowed from m.
 */
int bt_aligned_mean(const struct bt_aligned *t, const struct bt_mean_opts *o,
                    struct bt_frame_builder *m, struct bt_frame *f,
                    struct bt_error *err) BT_MUST_USE;

/* How two streams differ in a tensor, so far. */
struct bt_difference {
	char *name;
	uint64_t values, differ;
	double max, sum; /* of the absolute differences */
	uint64_t row;    /* of the greatest, counted from 0 */
};

struct bt_differences {
	struct bt_difference *d;
	size_t n, cap;
};

/* Adds the rows of this pass of two streams. */
int bt_aligned_compare(const struct bt_aligned *t, struct bt_differences *d,
                       struct bt_error *err) BT_MUST_USE;
void bt_differences_clear(struct bt_differences *d);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * DELTA_BINARY_PACKED: whole numbers as differences to the one before, in
 * blocks of small blocks that are each packed into as many bits as its largest
 * difference to the block's least one takes.
 */
#ifndef BT_PARQUET_DELTA_H
#define BT_PARQUET_DELTA_H

#include "format/protobuf_wire.h"

struct bt_parquet_delta {
	struct bt_pb in;
	uint64_t small; /* numbers of a small block */
	uint64_t n_small;
	uint64_t left; /* numbers */
	bool first;    /* the next is the first one */
	uint64_t last; /* the number before */
	uint64_t least;
	const uint8_t *widths;  /* [n_small] of the block */
	uint64_t at;            /* small blocks of it that were begun */
	uint64_t in_small;      /* numbers left of the one that is read */
	unsigned width, offset; /* its bits; bits of *in.p that were read */
};

/* Each returns false where the bytes are not such numbers. */
bool bt_parquet_delta(struct bt_parquet_delta *d, struct bt_pb in) BT_MUST_USE;
bool bt_parquet_delta_next(struct bt_parquet_delta *d, int64_t *v) BT_MUST_USE;

/* What stands behind the numbers. */
bool bt_parquet_delta_behind(struct bt_parquet_delta d,
                             struct bt_pb *behind) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Small numbers: runs of equal ones and groups of eight packed into bits, as
 * levels and indices of dictionaries are written, and the older form of levels
 * that is packed from the highest bit down.
 */
#ifndef BT_PARQUET_RLE_H
#define BT_PARQUET_RLE_H

#include "format/protobuf_wire.h"

struct bt_parquet_rle {
	struct bt_pb in;
	unsigned width; /* bits of a number, 0 to 32 */
	bool down;      /* from the highest bit down, without runs */
	bool packed;    /* the run is */
	uint64_t run;   /* numbers left of it */
	uint32_t value; /* of a run that is not packed */
	uint64_t bits;  /* the next ones of a run that is packed: */
	unsigned n_bits;
};

static inline struct bt_parquet_rle bt_parquet_rle(struct bt_pb in,
                                                   unsigned width)
{
	return (struct bt_parquet_rle){.in = in, .width = width};
}

/* Of n numbers packed from the highest bit down. */
static inline struct bt_parquet_rle
bt_parquet_rle_down(struct bt_pb in, unsigned width, uint64_t n)
{
	return (struct bt_parquet_rle){
	    .in = in, .width = width, .down = true, .packed = true, .run = n};
}

/* Begins the next run that is not empty; false where there is none. */
bool bt_parquet_rle_run(struct bt_parquet_rle *r) BT_MUST_USE;

/* The next number of a packed run. */
bool bt_parquet_rle_packed(struct bt_parquet_rle *r, uint32_t *v) BT_MUST_USE;

/* The next number; false behind the last one. */
static inline bool bt_parquet_rle_next(struct bt_parquet_rle *r, uint32_t *v)
{
	if (r->run == 0 && !bt_parquet_rle_run(r))
		return false;
	r->run--;
	if (r->packed)
		return bt_parquet_rle_packed(r, v);
	*v = r->value;
	return true;
}

#endif

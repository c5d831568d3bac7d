/* SPDX-License-Identifier: MIT */
/*
 * The values of a page, one after the other, however they are encoded. A value
 * is given as the bytes that PLAIN has for it, lowest first: a boolean is one
 * byte.
 */
#ifndef BT_PARQUET_VALUES_H
#define BT_PARQUET_VALUES_H

#include "base/buf.h"
#include "base/span.h"
#include "parquet/delta.h"
#include "parquet/rle.h"
#include "parquet/schema.h"

enum bt_parquet_encoding {
	BT_PARQUET_PLAIN = 0,
	BT_PARQUET_PLAIN_DICTIONARY = 2,
	BT_PARQUET_RLE = 3,
	BT_PARQUET_BIT_PACKED = 4,
	BT_PARQUET_DELTA_BINARY = 5,
	BT_PARQUET_DELTA_LENGTH = 6,
	BT_PARQUET_DELTA_BYTES = 7,
	BT_PARQUET_RLE_DICTIONARY = 8,
	BT_PARQUET_BYTE_STREAM_SPLIT = 9
};

struct bt_parquet_dictionary {
	struct bt_buf bytes; /* the page */
	size_t size;         /* of a value; 0: each has its own */
	size_t n;
	uint32_t *at; /* [n] in bytes: a value's length, then the value */
	size_t cap;
	bool is; /* there is one */
};

/* Finds n values in the bytes. */
int bt_parquet_dictionary_init(struct bt_parquet_dictionary *d,
                               const struct bt_parquet_node *node, size_t n,
                               struct bt_error *err) BT_MUST_USE;
void bt_parquet_dictionary_clear(struct bt_parquet_dictionary *d);

struct bt_parquet_values {
	const struct bt_parquet_node *node;
	enum bt_parquet_encoding encoding;
	struct bt_pb in;
	const struct bt_parquet_dictionary *dictionary;
	struct bt_parquet_rle rle;
	struct bt_parquet_delta delta, prefix;
	size_t i, stride;     /* which value, of how many, where split */
	unsigned bit;         /* of a boolean */
	struct bt_buf before; /* the value, of DELTA_BYTE_ARRAY */
	uint8_t bytes[16];    /* the value, where it does not lie in the page */
	struct bt_buf split;
};

/* The values in a page; keeps the memory of v. The page and the dictionary are
 * borrowed. */
int bt_parquet_values_begin(struct bt_parquet_values *v,
                            const struct bt_parquet_node *node,
                            int64_t encoding, struct bt_pb page,
                            const struct bt_parquet_dictionary *dictionary,
                            struct bt_error *err) BT_MUST_USE;
void bt_parquet_values_clear(struct bt_parquet_values *v);

/* The next value, borrowed until the next call or, in a page or dictionary, as
 * long as these. */
int bt_parquet_values_next(struct bt_parquet_values *v, struct bt_span *value,
                           struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The wire format of Protocol Buffers, as far as tf.Example and its like need
 * it: bounded reading in place and appending, without generated code.
 * https://protobuf.dev/programming-guides/encoding/
 */
#ifndef BT_FORMAT_PROTOBUF_WIRE_H
#define BT_FORMAT_PROTOBUF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum bt_pb_type {
	BT_PB_VARINT = 0,
	BT_PB_I64 = 1,
	BT_PB_LEN = 2,
	BT_PB_I32 = 5
};

/* Bytes still to be read: p .. end-1. */
struct bt_pb {
	const uint8_t *p;
	const uint8_t *end;
};

/* Each returns false, with in unspecified, where the bytes are no such thing.
 */
static inline bool bt_pb_varint(struct bt_pb *in, uint64_t *v)
{
	uint64_t x = 0;
	int shift;

	for (shift = 0; shift < 64 && in->p < in->end; shift += 7) {
		x |= (uint64_t)(*in->p & 0x7f) << shift;
		if (*in->p++ < 0x80) {
			*v = x;
			return true;
		}
	}
	return false;
}

/* A field's number and type. */
static inline bool bt_pb_tag(struct bt_pb *in, uint32_t *field, int *type)
{
	uint64_t v;

	if (!bt_pb_varint(in, &v) || v >> 3 == 0 || v >> 3 > 0x1fffffff)
		return false;
	*field = (uint32_t)(v >> 3);
	*type = (int)(v & 7);
	return true;
}

/* A length and that many bytes. */
static inline bool bt_pb_bytes(struct bt_pb *in, struct bt_pb *out)
{
	uint64_t n;

	if (!bt_pb_varint(in, &n) || n > (size_t)(in->end - in->p))
		return false;
	out->p = in->p;
	out->end = in->p + n;
	in->p += n;
	return true;
}

/* Passes over a field's value. */
bool bt_pb_skip(struct bt_pb *in, int type);

/* Bytes that v takes as a varint. */
static inline size_t bt_pb_varint_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

void bt_pb_put_varint(struct bt_buf *b, uint64_t v);
void bt_pb_put_tag(struct bt_buf *b, uint32_t field, enum bt_pb_type type);

#endif

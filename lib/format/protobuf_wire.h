/* SPDX-License-Identifier: MIT */
/*
 * The wire format of Protocol Buffers: bounded reading in place, which asks for
 * no memory, and appending, without generated code.
 * https://protobuf.dev/programming-guides/encoding/
 */
#ifndef BT_FORMAT_PROTOBUF_WIRE_H
#define BT_FORMAT_PROTOBUF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum bt_pb_type {
	BT_PB_VARINT = 0,
	BT_PB_I64 = 1,
	BT_PB_LEN = 2,
	BT_PB_I32 = 5,
	BT_PB_BOOL = 8 /* of members only: a VARINT that is not 0 */
};

/* Bytes still to be read: p .. end-1. */
struct bt_pb {
	const uint8_t *p;
	const uint8_t *end;
};

static inline struct bt_span bt_pb_span(struct bt_pb b)
{
	struct bt_span s = {(const char *)b.p, (size_t)(b.end - b.p)};

	return s;
}

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

/* The next value of a LEN field: 1; 0 at the end; -1 where the bytes are not a
 * message. */
static inline int bt_pb_next(struct bt_pb *in, uint32_t number,
                             struct bt_pb *out)
{
	uint32_t field;
	int type;

	while (in->p < in->end) {
		if (!bt_pb_tag(in, &field, &type))
			return -1;
		if (field == number && type == BT_PB_LEN)
			return bt_pb_bytes(in, out) ? 1 : -1;
		if (!bt_pb_skip(in, type))
			return -1;
	}
	return 0;
}

/*
 * The member of a struct that takes a field's value: of VARINT a uint64_t, of
 * BOOL a bool, of LEN a struct bt_span that points into the message, of I32 and
 * I64 four and eight bytes of any type. A table of them ends with {0}.
 */
struct bt_pb_member {
	uint32_t field;
	enum bt_pb_type type;
	size_t at;  /* its offset */
	size_t has; /* that of a bool which becomes true, or 0 */
};

/* Reads a message into a struct. The last value of a field counts; a field that
 * is not in the table, or has another type there, is passed over. false where
 * the bytes are not a message. */
bool bt_pb_read(struct bt_pb in, const struct bt_pb_member *members,
                void *message) BT_MUST_USE;

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

/* Fields with their values; put_fixed takes the address of an I32's or I64's.
 */
void bt_pb_put_uint(struct bt_buf *b, uint32_t field, uint64_t v);
void bt_pb_put_fixed(struct bt_buf *b, uint32_t field, enum bt_pb_type type,
                     const void *v);
void bt_pb_put_bytes(struct bt_buf *b, uint32_t field, const void *p, size_t n);
void bt_pb_put_str(struct bt_buf *b, uint32_t field, const char *s);

/* What is appended between the two is the message in a field; end takes what
 * begin gave. */
size_t bt_pb_begin(struct bt_buf *b, uint32_t field);
void bt_pb_end(struct bt_buf *b, size_t begin);

#endif

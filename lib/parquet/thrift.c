/* SPDX-License-Identifier: MIT */
#include "parquet/thrift.h"

enum type {
	STOP,
	TRUE,
	FALSE,
	BYTE,
	I16,
	I32,
	I64,
	DOUBLE,
	BINARY,
	LIST,
	SET,
	MAP,
	STRUCT,
	UUID
};

/* The head of the next field; *id is the one before. Type STOP ends the
 * struct. */
static bool take_field(struct bt_pb *in, int *type, int64_t *id)
{
	uint64_t v;

	if (in->p == in->end)
		return false;
	*type = *in->p & 15;
	if (*type == STOP)
		return *in->p++ == 0;
	if (*in->p >> 4 != 0) {
		*id += *in->p++ >> 4;
	} else {
		in->p++;
		if (!bt_pb_varint(in, &v))
			return false;
		*id = (int64_t)(v >> 1 ^ -(v & 1));
	}
	return *id >= INT16_MIN && *id <= INT16_MAX;
}

static bool take_int(struct bt_pb *in, int type, int64_t *v)
{
	uint64_t u;

	if (type == BYTE) {
		if (in->p == in->end)
			return false;
		*v = (int8_t)*in->p++;
		return true;
	}
	if (type < I16 || type > I64 || !bt_pb_varint(in, &u))
		return false;
	*v = (int64_t)(u >> 1 ^ -(u & 1));
	return true;
}

/* The head of a list: every element takes a byte at least. */
static bool take_list(struct bt_pb *in, int *type, size_t *n)
{
	uint64_t v;

	if (in->p == in->end)
		return false;
	*type = *in->p & 15;
	v = *in->p++ >> 4;
	if (v == 15 && !bt_pb_varint(in, &v))
		return false;
	*n = (size_t)v;
	return v <= (uint64_t)(in->end - in->p);
}

static bool skip_bytes(struct bt_pb *in, size_t n)
{
	if ((size_t)(in->end - in->p) < n)
		return false;
	in->p += n;
	return true;
}

static bool skip(struct bt_pb *in, int type, int depth);
static bool read_struct(struct bt_pb *in,
                        const struct bt_thrift_member *members, size_t n,
                        void *to, int depth);

static bool skip_map(struct bt_pb *in, int depth)
{
	uint64_t n;
	int types;

	if (!bt_pb_varint(in, &n))
		return false;
	if (n == 0)
		return true;
	if (in->p == in->end || n > (uint64_t)(in->end - in->p))
		return false;
	types = *in->p++;
	for (; n > 0; n--)
		if (!skip(in, types >> 4, depth) ||
		    !skip(in, types & 15, depth))
			return false;
	return true;
}

static bool skip(struct bt_pb *in, int type, int depth)
{
	struct bt_pb bytes;
	int64_t v;
	size_t n;

	if (depth == BT_THRIFT_DEPTH_MAX)
		return false;
	switch (type) {
	case TRUE: /* of a list: a byte each */
	case FALSE:
		return skip_bytes(in, 1);
	case BYTE:
	case I16:
	case I32:
	case I64:
		return take_int(in, type, &v);
	case DOUBLE:
		return skip_bytes(in, 8);
	case BINARY:
		return bt_pb_bytes(in, &bytes);
	case LIST:
	case SET:
		if (!take_list(in, &type, &n))
			return false;
		for (; n > 0; n--)
			if (!skip(in, type, depth + 1))
				return false;
		return true;
	case MAP:
		return skip_map(in, depth + 1);
	case STRUCT:
		return read_struct(in, NULL, 0, NULL, depth + 1);
	case UUID:
		return skip_bytes(in, 16);
	default:
		return false;
	}
}

static bool take_text(struct bt_pb *in, void *to)
{
	struct bt_pb bytes;

	if (!bt_pb_bytes(in, &bytes))
		return false;
	*(struct bt_span *)to = bt_pb_span(bytes);
	return true;
}

/* Keeps where a list or struct stands, and passes over it. */
static bool take_nested(struct bt_pb *in, int type, void *to)
{
	struct bt_pb whole = *in;
	struct bt_thrift_list *list = to;

	if (!skip(in, type, 0))
		return false;
	whole.end = in->p;
	if (type == STRUCT) {
		*(struct bt_pb *)to = whole;
		return true;
	}
	list->rest = whole;
	return take_list(&list->rest, &list->type, &list->n);
}

static bool take_member(struct bt_pb *in, int type,
                        const struct bt_thrift_member *m, void *to)
{
	to = (char *)to + m->at;
	switch (m->kind) {
	case BT_THRIFT_INT:
		return take_int(in, type, to);
	case BT_THRIFT_BOOL:
		*(bool *)to = type == TRUE;
		return type == TRUE || type == FALSE;
	case BT_THRIFT_TEXT:
		return type == BINARY && take_text(in, to);
	case BT_THRIFT_STRUCT:
		return type == STRUCT && take_nested(in, type, to);
	case BT_THRIFT_LIST:
		return (type == LIST || type == SET) &&
		       take_nested(in, type, to);
	}
	return false;
}

/* Fields that are not members are passed over. */
static bool read_struct(struct bt_pb *in,
                        const struct bt_thrift_member *members, size_t n,
                        void *to, int depth)
{
	int64_t id = 0;
	size_t i;
	int type;

	for (;;) {
		if (!take_field(in, &type, &id))
			return false;
		if (type == STOP)
			return true;
		for (i = 0; i < n && members[i].id != id; i++)
			;
		if (i < n) {
			if (!take_member(in, type, &members[i], to))
				return false;
		} else if (type != TRUE && type != FALSE &&
		           !skip(in, type, depth)) {
			return false; /* a boolean's value is its type */
		}
	}
}

bool bt_thrift_read(struct bt_pb *in, const struct bt_thrift_member *members,
                    size_t n, void *to)
{
	return read_struct(in, members, n, to, 0);
}

/* SPDX-License-Identifier: MIT */
#include "format/protobuf_wire.h"

#include <string.h>

bool bt_pb_skip(struct bt_pb *in, int type)
{
	struct bt_pb bytes;
	uint64_t v;
	size_t n;

	switch (type) {
	case BT_PB_VARINT:
		return bt_pb_varint(in, &v);
	case BT_PB_LEN:
		return bt_pb_bytes(in, &bytes);
	case BT_PB_I64:
	case BT_PB_I32:
		n = type == BT_PB_I64 ? 8 : 4;
		if ((size_t)(in->end - in->p) < n)
			return false;
		in->p += n;
		return true;
	default:
		return false;
	}
}

static void store(const struct bt_pb_member *m, struct bt_pb value,
                  char *message)
{
	void *to = message + m->at;
	struct bt_pb bytes = value;
	uint64_t v = 0;

	if (m->type == BT_PB_VARINT) {
		bt_pb_varint(&value, to);
	} else if (m->type == BT_PB_BOOL) {
		bt_pb_varint(&value, &v);
		*(bool *)to = v != 0;
	} else if (m->type == BT_PB_LEN) {
		bt_pb_bytes(&value, &bytes);
		*(struct bt_span *)to = bt_pb_span(bytes);
	} else {
		memcpy(to, value.p, (size_t)(value.end - value.p));
	}
	if (m->has != 0)
		*(bool *)(message + m->has) = true;
}

bool bt_pb_read(struct bt_pb in, const struct bt_pb_member *members,
                void *message)
{
	const struct bt_pb_member *m;
	struct bt_pb value;
	uint32_t field;
	int type;

	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		value.p = in.p;
		if (!bt_pb_skip(&in, type))
			return false;
		value.end = in.p;
		for (m = members; m->field != 0; m++)
			if (m->field == field && (int)(m->type & 7) == type)
				store(m, value, message);
	}
	return true;
}

void bt_pb_put_varint(struct bt_buf *b, uint64_t v)
{
	char s[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		s[n++] = (char)(v | 0x80);
	s[n++] = (char)v;
	bt_buf_put(b, s, n);
}

void bt_pb_put_tag(struct bt_buf *b, uint32_t field, enum bt_pb_type type)
{
	bt_pb_put_varint(b, (uint64_t)field << 3 | type);
}

void bt_pb_put_uint(struct bt_buf *b, uint32_t field, uint64_t v)
{
	bt_pb_put_tag(b, field, BT_PB_VARINT);
	bt_pb_put_varint(b, v);
}

void bt_pb_put_fixed(struct bt_buf *b, uint32_t field, enum bt_pb_type type,
                     const void *v)
{
	bt_pb_put_tag(b, field, type);
	bt_buf_put(b, v, type == BT_PB_I64 ? 8 : 4);
}

void bt_pb_put_bytes(struct bt_buf *b, uint32_t field, const void *p, size_t n)
{
	bt_pb_put_tag(b, field, BT_PB_LEN);
	bt_pb_put_varint(b, n);
	bt_buf_put(b, p, n);
}

void bt_pb_put_str(struct bt_buf *b, uint32_t field, const char *s)
{
	bt_pb_put_bytes(b, field, s, strlen(s));
}

size_t bt_pb_begin(struct bt_buf *b, uint32_t field)
{
	bt_pb_put_tag(b, field, BT_PB_LEN);
	return b->len;
}

/* The length comes before the message once it is known. */
void bt_pb_end(struct bt_buf *b, size_t begin)
{
	size_t n = b->len - begin, head = bt_pb_varint_size(n);

	if (bt_buf_reserve(b, head) == NULL)
		return;
	memmove(b->data + begin + head, b->data + begin, n);
	b->len = begin;
	bt_pb_put_varint(b, n);
	b->len += n;
}

/* SPDX-License-Identifier: MIT */
#include "format/protobuf_wire.h"

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

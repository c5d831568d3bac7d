/* SPDX-License-Identifier: MIT */
/* What the table of a TensorFlow checkpoint says of one tensor. */
#include <string.h>

#include "ckpt_format/tf_bundle.h"

static const struct {
	unsigned number;
	enum bt_dtype dtype;
} types[] = {
    {1, BT_DTYPE_F32},      {2, BT_DTYPE_F64},  {3, BT_DTYPE_I32},
    {4, BT_DTYPE_U8},       {5, BT_DTYPE_I16},  {6, BT_DTYPE_I8},
    {8, BT_DTYPE_C64},      {9, BT_DTYPE_I64},  {10, BT_DTYPE_BOOL},
    {14, BT_DTYPE_BF16},    {17, BT_DTYPE_U16}, {19, BT_DTYPE_F16},
    {22, BT_DTYPE_U32},     {23, BT_DTYPE_U64}, {24, BT_DTYPE_F8_E5M2},
    {25, BT_DTYPE_F8_E4M3},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

int bt_tf_dtype(unsigned number, enum bt_dtype *dtype)
{
	size_t i;

	for (i = 0; i < TYPES; i++)
		if (types[i].number == number) {
			*dtype = types[i].dtype;
			return BT_OK;
		}
	return BT_EARG;
}

int bt_tf_number(enum bt_dtype dtype, unsigned *number)
{
	size_t i;

	for (i = 0; i < TYPES; i++)
		if (types[i].dtype == dtype) {
			*number = types[i].number;
			return BT_OK;
		}
	return BT_EARG;
}

static bool get_u32(struct bt_pb *in, uint32_t *v)
{
	if (in->end - in->p < 4)
		return false;
	memcpy(v, in->p, 4);
	in->p += 4;
	return true;
}

/* One dimension: {size=1, name=2}. */
static bool parse_dim(struct bt_pb in, int64_t *size)
{
	uint32_t field;
	uint64_t v = 0;
	int type;

	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (field == 1 && type == BT_PB_VARINT ? !bt_pb_varint(&in, &v)
		                                       : !bt_pb_skip(&in, type))
			return false;
	}
	*size = (int64_t)v;
	return true;
}

/* {dim=2 repeated, unknown_rank=3} */
static bool parse_shape(struct bt_pb in, struct bt_tf_entry *e)
{
	struct bt_pb dim;
	uint32_t field;
	int type;

	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type) || field == 3)
			return false;
		if (field != 2 || type != BT_PB_LEN) {
			if (!bt_pb_skip(&in, type))
				return false;
			continue;
		}
		if (e->rank == BT_TENSOR_MAX_RANK || !bt_pb_bytes(&in, &dim) ||
		    !parse_dim(dim, &e->shape[e->rank++]))
			return false;
	}
	return true;
}

static bool parse_number(struct bt_pb *in, uint32_t field,
                         struct bt_tf_entry *e)
{
	uint64_t v;

	if (!bt_pb_varint(in, &v))
		return false;
	if (field == 1)
		e->dtype = v <= 1000 ? (unsigned)v : 1000;
	else if (field == 3)
		e->shard = v;
	else if (field == 4)
		e->offset = v;
	else if (field == 5)
		e->size = v;
	return true;
}

bool bt_tf_entry_parse(struct bt_pb in, struct bt_tf_entry *e)
{
	struct bt_pb part;
	uint32_t field;
	int type;
	bool ok = true;

	memset(e, 0, sizeof(*e));
	e->whole = in;
	while (ok && in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (type == BT_PB_VARINT) {
			ok = parse_number(&in, field, e);
		} else if (field == 2 && type == BT_PB_LEN) {
			ok = bt_pb_bytes(&in, &part) && parse_shape(part, e);
		} else if (field == 6 && type == BT_PB_I32) {
			ok = e->has_crc = get_u32(&in, &e->crc);
		} else {
			e->n_slices += field == 7 && type == BT_PB_LEN;
			ok = bt_pb_skip(&in, type);
		}
	}
	return ok;
}

/*
 * Keys of slices keep the order of what they are made of: a 0, the name, the
 * rank, and start and length of each dimension. A number that cannot be
 * negative is its count of bytes and they, the highest first.
 */
static void put_number(struct bt_buf *b, uint64_t v)
{
	char bytes[9];
	int n = 0;

	for (; v != 0; v >>= 8)
		bytes[8 - n++] = (char)(v & 0xff);
	bt_buf_putc(b, (char)n);
	bt_buf_put(b, bytes + 9 - n, (size_t)n);
}

/* A name ends with 0 1; a 0 or 255 in it is told from that by what follows. */
static void put_name(struct bt_buf *b, const char *name)
{
	for (; *name != '\0'; name++) {
		bt_buf_putc(b, *name);
		if ((unsigned char)*name == 0xff)
			bt_buf_putc(b, 0);
	}
	bt_buf_put(b, "\0\1", 2);
}

/*
 * A number that may be negative: n bytes of it, the highest first, as many as
 * hold 7n-1 of its bits and the sign; over them goes a head of n ones. Of a
 * negative one all bits are the other way round, the head's too.
 */
static void put_signed(struct bt_buf *b, int64_t v)
{
	uint64_t x = v < 0 ? ~(uint64_t)v : (uint64_t)v;
	uint8_t bytes[10] = {0, 0};
	int n = 1, i;

	while (n < 10 && x >> (7 * n - 1) != 0)
		n++;
	for (i = 0; i < 8; i++)
		bytes[2 + i] = (uint8_t)(x >> (56 - 8 * i));
	for (i = 0; i < n; i++)
		bytes[10 - n + i / 8] |= (uint8_t)(0x80 >> i % 8);
	for (i = 10 - n; i < 10; i++)
		bt_buf_putc(b, (char)(v < 0 ? ~bytes[i] : bytes[i]));
}

/* {start=1, length=2}; without a length it is the whole dimension. */
static bool parse_extent(struct bt_pb in, uint64_t *start, uint64_t *length,
                         bool *whole)
{
	uint32_t field;
	bool ok = true;
	int type;

	*start = *length = 0;
	*whole = true;
	while (ok && in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (field == 1 && type == BT_PB_VARINT) {
			ok = bt_pb_varint(&in, start);
		} else if (field == 2 && type == BT_PB_VARINT) {
			ok = bt_pb_varint(&in, length);
			*whole = false;
		} else {
			ok = bt_pb_skip(&in, type);
		}
	}
	return ok;
}

bool bt_tf_slice_key(struct bt_pb slice, const char *name, int rank,
                     const int64_t *shape, struct bt_buf *key, int64_t *start,
                     int64_t *length)
{
	uint64_t at, n;
	struct bt_pb extent;
	uint32_t field;
	bool whole;
	int type, i = 0;

	put_number(key, 0);
	put_name(key, name);
	put_number(key, (uint64_t)rank);
	for (; slice.p < slice.end; i++) {
		if (!bt_pb_tag(&slice, &field, &type) || field != 1 ||
		    type != BT_PB_LEN || !bt_pb_bytes(&slice, &extent) ||
		    i == rank || !parse_extent(extent, &at, &n, &whole))
			return false;
		put_signed(key, whole ? 0 : (int64_t)at);
		put_signed(key, whole ? -1 : (int64_t)n);
		start[i] = whole ? 0 : (int64_t)at;
		length[i] = whole ? shape[i] : (int64_t)n;
		if (at > (uint64_t)shape[i] ||
		    (uint64_t)length[i] > (uint64_t)(shape[i] - start[i]))
			return false;
	}
	return i == rank;
}

void bt_tf_slice_copy(uint8_t *to, const uint8_t *from, size_t element,
                      int rank, const int64_t *shape, const int64_t *start,
                      const int64_t *length)
{
	size_t run = element, at, n = 1, i, rest;
	int d, last = rank - 1;

	for (d = 0; d < rank; d++)
		n *= (size_t)length[d];
	if (rank == 0 || n == 0)
		return;
	run *= (size_t)length[last];
	for (i = 0; i < n / (size_t)length[last]; i++) {
		/* row i of the part: where it begins in the whole */
		size_t step = (size_t)shape[last];

		at = (size_t)start[last];
		rest = i;
		for (d = last - 1; d >= 0; d--) {
			at += ((size_t)start[d] + rest % (size_t)length[d]) *
			      step;
			rest /= (size_t)length[d];
			step *= (size_t)shape[d];
		}
		memcpy(to + at * element, from + i * run, run);
	}
}

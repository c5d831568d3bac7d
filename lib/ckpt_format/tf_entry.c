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

int bt_tf_dtype(uint64_t number, enum bt_dtype *dtype)
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

static const struct bt_pb_member entry_members[] = {
    {1, BT_PB_VARINT, offsetof(struct bt_tf_entry, dtype), 0},
    {3, BT_PB_VARINT, offsetof(struct bt_tf_entry, shard), 0},
    {4, BT_PB_VARINT, offsetof(struct bt_tf_entry, offset), 0},
    {5, BT_PB_VARINT, offsetof(struct bt_tf_entry, size), 0},
    {6, BT_PB_I32, offsetof(struct bt_tf_entry, crc),
     offsetof(struct bt_tf_entry, has_crc)},
    {0}};

static const struct bt_pb_member shape_members[] = {
    {3, BT_PB_BOOL, offsetof(struct bt_tf_entry, unknown_rank), 0}, {0}};

static const struct bt_pb_member dim_members[] = {{1, BT_PB_VARINT, 0, 0}, {0}};

/* {shape=2 {dim=2}, slices=7} */
bool bt_tf_entry_parse(struct bt_pb in, struct bt_tf_entry *e)
{
	struct bt_pb rest = in, shape, part;

	memset(e, 0, sizeof(*e));
	e->whole = in;
	if (!bt_pb_read(in, entry_members, e))
		return false;
	while (bt_pb_next(&rest, 2, &shape) > 0) {
		if (!bt_pb_read(shape, shape_members, e) || e->unknown_rank)
			return false;
		while (bt_pb_next(&shape, 2, &part) > 0)
			if (e->rank == BT_TENSOR_MAX_RANK ||
			    !bt_pb_read(part, dim_members,
			                &e->shape[e->rank++]))
				return false;
	}
	while (bt_pb_next(&in, 7, &part) > 0)
		e->n_slices++;
	return true;
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

/* A name ends with 0 1; a 0 or 255 in it is distinguished from that by what
 * follows. */
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

struct extent {
	uint64_t start, length;
	bool has_length; /* else it is the whole dimension */
};

static const struct bt_pb_member extent_members[] = {
    {1, BT_PB_VARINT, offsetof(struct extent, start), 0},
    {2, BT_PB_VARINT, offsetof(struct extent, length),
     offsetof(struct extent, has_length)},
    {0}};

bool bt_tf_slice_key(struct bt_pb slice, const char *name, int rank,
                     const int64_t *shape, struct bt_buf *key, int64_t *start,
                     int64_t *length)
{
	struct bt_pb part;
	int i = 0;

	put_number(key, 0);
	put_name(key, name);
	put_number(key, (uint64_t)rank);
	for (; slice.p < slice.end; i++) {
		struct extent x = {0};

		if (bt_pb_next(&slice, 1, &part) != 1 || i == rank ||
		    !bt_pb_read(part, extent_members, &x))
			return false;
		start[i] = x.has_length ? (int64_t)x.start : 0;
		length[i] = x.has_length ? (int64_t)x.length : shape[i];
		put_signed(key, start[i]);
		put_signed(key, x.has_length ? length[i] : -1);
		if (x.start > (uint64_t)shape[i] ||
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

/* SPDX-License-Identifier: MIT */
#include "format/snappy.h"

#include <string.h>

#include "format/protobuf_wire.h"

/* A copy of three bytes makes up to 64, and nothing makes more of fewer. */
#define GROWTH 22

/* Where there is room, so many bytes are copied at a time, some in vain: the
 * next ones go over these. */
#define WIDE 16

int bt_snappy_length(const void *data, size_t n, size_t *length)
{
	struct bt_pb in = {data, (const uint8_t *)data + n};
	uint64_t v;

	if (!bt_pb_varint(&in, &v) || v > UINT32_MAX || v / GROWTH > n)
		return BT_ECORRUPT;
	*length = (size_t)v;
	return BT_OK;
}

/* The next n bytes as a number, the lowest first. */
static bool number(struct bt_pb *in, unsigned n, size_t *v)
{
	unsigned i;

	if ((size_t)(in->end - in->p) < n)
		return false;
	*v = 0;
	for (i = 0; i < n; i++)
		*v |= (size_t)in->p[i] << 8 * i;
	in->p += n;
	return true;
}

static bool literal(struct bt_pb *in, unsigned tag, uint8_t *out, size_t *at,
                    size_t length)
{
	size_t n = tag >> 2;

	if (n >= 60 && !number(in, (unsigned)n - 59, &n))
		return false;
	n++;
	if (n > (size_t)(in->end - in->p) || n > length - *at)
		return false;
	if (n <= WIDE && (size_t)(in->end - in->p) >= WIDE &&
	    length - *at >= WIDE)
		memcpy(out + *at, in->p, WIDE);
	else
		memcpy(out + *at, in->p, n);
	in->p += n;
	*at += n;
	return true;
}

static bool copy(struct bt_pb *in, unsigned tag, uint8_t *out, size_t *at,
                 size_t length)
{
	size_t n = (tag >> 2) + 1, back, i;
	const uint8_t *from;

	if ((tag & 3) == 1)
		n = (tag >> 2 & 7) + 4;
	if (!number(in, (tag & 3) == 3 ? 4 : tag & 3, &back))
		return false;
	if ((tag & 3) == 1)
		back |= (size_t)(tag >> 5) << 8;
	if (back == 0 || back > *at || n > length - *at)
		return false;
	out += *at;
	from = out - back;
	*at += n;
	if (back >= WIDE && length - *at >= WIDE) {
		for (i = 0; i < n; i += WIDE)
			memcpy(out + i, from + i, WIDE);
		return true;
	}
	for (i = 0; i < n; i++) /* it may overlap what it makes */
		out[i] = from[i];
	return true;
}

int bt_snappy_decode(const void *data, size_t n, void *out, size_t length)
{
	struct bt_pb in = {data, (const uint8_t *)data + n};
	uint64_t v;
	size_t at = 0;
	unsigned tag;
	bool ok = bt_pb_varint(&in, &v) && v == length;

	while (ok && in.p < in.end) {
		tag = *in.p++;
		ok = (tag & 3) == 0 ? literal(&in, tag, out, &at, length)
		                    : copy(&in, tag, out, &at, length);
	}
	return ok && at == length ? BT_OK : BT_ECORRUPT;
}

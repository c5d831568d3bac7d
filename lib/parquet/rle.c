/* SPDX-License-Identifier: MIT */
#include "parquet/rle.h"

bool bt_parquet_rle_run(struct bt_parquet_rle *r)
{
	unsigned i, bytes = (r->width + 7) / 8;
	uint64_t head;

	r->n_bits = 0;
	r->bits = 0;
	do {
		if (r->down || !bt_pb_varint(&r->in, &head))
			return false;
		r->packed = head & 1;
		r->run = head >> 1;
		if (r->packed) {
			if (r->run > UINT32_MAX)
				return false;
			r->run *= 8;
			continue;
		}
		if ((size_t)(r->in.end - r->in.p) < bytes)
			return false;
		r->value = 0;
		for (i = 0; i < bytes; i++)
			r->value |= (uint32_t)*r->in.p++ << 8 * i;
	} while (r->run == 0);
	return true;
}

bool bt_parquet_rle_packed(struct bt_parquet_rle *r, uint32_t *v)
{
	uint64_t mask = ((uint64_t)1 << r->width) - 1;

	while (r->n_bits < r->width) {
		if (r->in.p == r->in.end)
			return false;
		if (r->down)
			r->bits = r->bits << 8 | *r->in.p++;
		else
			r->bits |= (uint64_t)*r->in.p++ << r->n_bits;
		r->n_bits += 8;
	}
	r->n_bits -= r->width;
	if (r->down) {
		*v = (uint32_t)(r->bits >> r->n_bits & mask);
	} else {
		*v = (uint32_t)(r->bits & mask);
		r->bits >>= r->width;
	}
	return true;
}

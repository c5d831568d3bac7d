/* SPDX-License-Identifier: MIT */
#include "parquet/delta.h"

#define BLOCK_MAX ((uint64_t)1 << 24) /* numbers; writers use 128 to 2048 */

static uint64_t zigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

bool bt_parquet_delta(struct bt_parquet_delta *d, struct bt_pb in)
{
	uint64_t block, n_small, n, first;

	if (!bt_pb_varint(&in, &block) || !bt_pb_varint(&in, &n_small) ||
	    !bt_pb_varint(&in, &n) || !bt_pb_varint(&in, &first))
		return false;
	if (block == 0 || block > BLOCK_MAX || n_small == 0 ||
	    n_small > block || block % n_small != 0 || block / n_small % 8 != 0)
		return false;
	*d = (struct bt_parquet_delta){.in = in,
	                               .small = block / n_small,
	                               .n_small = n_small,
	                               .at = n_small,
	                               .left = n,
	                               .first = true,
	                               .last = zigzag(first)};
	return true;
}

/* Begins the next small block. */
static bool begin(struct bt_parquet_delta *d)
{
	uint64_t least;

	if (d->at == d->n_small) {
		if (!bt_pb_varint(&d->in, &least) ||
		    d->n_small > (uint64_t)(d->in.end - d->in.p))
			return false;
		d->least = zigzag(least);
		d->widths = d->in.p;
		d->in.p += d->n_small;
		d->at = 0;
	}
	d->width = d->widths[d->at++];
	d->in_small = d->small;
	d->offset = 0;
	return d->width <= 64;
}

static uint64_t take_bits(struct bt_parquet_delta *d)
{
	unsigned n = 0, take;
	uint64_t v = 0;

	while (n < d->width) {
		take = 8 - d->offset;
		if (take > d->width - n)
			take = d->width - n;
		v |= (uint64_t)(*d->in.p >> d->offset & ((1u << take) - 1))
		     << n;
		n += take;
		d->offset += take;
		if (d->offset == 8) {
			d->offset = 0;
			d->in.p++;
		}
	}
	return v;
}

bool bt_parquet_delta_next(struct bt_parquet_delta *d, int64_t *v)
{
	size_t bytes;

	if (d->left == 0)
		return false;
	d->left--;
	if (d->first) {
		d->first = false;
		*v = (int64_t)d->last;
		return true;
	}
	if (d->in_small == 0 && !begin(d))
		return false;
	bytes = (d->offset + d->width + 7) / 8;
	if ((size_t)(d->in.end - d->in.p) < bytes)
		return false;
	d->last += d->least + take_bits(d);
	d->in_small--;
	*v = (int64_t)d->last;
	return true;
}

bool bt_parquet_delta_behind(struct bt_parquet_delta d, struct bt_pb *behind)
{
	uint64_t left = d.left - (d.left > 0), bytes;

	while (left > 0) {
		if (!begin(&d))
			return false;
		bytes = d.small / 8 * d.width;
		if (bytes > (uint64_t)(d.in.end - d.in.p))
			return false;
		d.in.p += bytes;
		left -= left < d.small ? left : d.small;
	}
	*behind = d.in;
	return true;
}

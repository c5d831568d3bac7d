/* SPDX-License-Identifier: MIT */
#include "parquet/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define VALUE_MAX ((size_t)1 << 30) /* bytes, as of a page */

static int damaged(const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "a page is damaged: %s", what);
}

static int short_page(struct bt_error *err)
{
	return damaged("its values end too early", err);
}

/* n bytes of the page. */
static bool take(struct bt_pb *in, size_t n, struct bt_span *v)
{
	if ((size_t)(in->end - in->p) < n)
		return false;
	*v = (struct bt_span){(const char *)in->p, n};
	in->p += n;
	return true;
}

/* A length in four bytes, and so many. */
static bool take_counted(struct bt_pb *in, struct bt_span *v)
{
	uint32_t n;

	if (in->end - in->p < 4)
		return false;
	memcpy(&n, in->p, 4);
	in->p += 4;
	return take(in, n, v);
}

int bt_parquet_dictionary_init(struct bt_parquet_dictionary *d,
                               const struct bt_parquet_node *node, size_t n,
                               struct bt_error *err)
{
	struct bt_pb in = {(const uint8_t *)bt_buf_at(&d->bytes, 0), NULL};
	size_t i, least = node->size > 0 ? node->size : 4;
	struct bt_span value;

	in.end = in.p + d->bytes.len;
	d->is = true;
	d->size = node->size;
	d->n = n;
	if (n > d->bytes.len / least)
		return damaged("the dictionary is shorter than it claims", err);
	if (d->size > 0)
		return BT_OK;
	if (bt_grow(&d->at, &d->cap, n, sizeof(*d->at)) != BT_OK)
		return bt_error_nomem(err, "reading a dictionary");
	for (i = 0; i < n; i++) {
		d->at[i] = (uint32_t)((const char *)in.p - d->bytes.data);
		if (!take_counted(&in, &value))
			return damaged(
			    "the dictionary is shorter than it claims", err);
	}
	return BT_OK;
}

void bt_parquet_dictionary_clear(struct bt_parquet_dictionary *d)
{
	bt_buf_clear(&d->bytes);
	free(d->at);
	memset(d, 0, sizeof(*d));
}

void bt_parquet_values_clear(struct bt_parquet_values *v)
{
	bt_buf_clear(&v->before);
	bt_buf_clear(&v->split);
}

static int begin_indices(struct bt_parquet_values *v, struct bt_error *err)
{
	unsigned width = 0;

	if (v->dictionary == NULL || !v->dictionary->is)
		return damaged("it refers to a dictionary that is missing",
		               err);
	if (v->in.p < v->in.end)
		width = *v->in.p++;
	if (width > 32)
		return damaged("an index has more than 32 bits", err);
	v->encoding = BT_PARQUET_RLE_DICTIONARY;
	v->rle = bt_parquet_rle(v->in, width);
	return BT_OK;
}

/* Lengths stand before the bytes; lengths of what is as in the value before,
 * before these. */
static int begin_lengths(struct bt_parquet_values *v, bool prefixes,
                         struct bt_error *err)
{
	bool ok = true;

	bt_buf_reset(&v->before);
	if (prefixes)
		ok = bt_parquet_delta(&v->prefix, v->in) &&
		     bt_parquet_delta_behind(v->prefix, &v->in);
	ok = ok && bt_parquet_delta(&v->delta, v->in) &&
	     bt_parquet_delta_behind(v->delta, &v->in);
	return ok ? BT_OK : damaged("its lengths cannot be read", err);
}

static int begin_booleans(struct bt_parquet_values *v, struct bt_error *err)
{
	struct bt_span all;
	struct bt_pb in = v->in;

	if (!take_counted(&in, &all))
		return short_page(err);
	in.p = (const uint8_t *)all.p;
	in.end = in.p + all.n;
	v->rle = bt_parquet_rle(in, 1);
	return BT_OK;
}

static int begin_split(struct bt_parquet_values *v, struct bt_error *err)
{
	size_t n = (size_t)(v->in.end - v->in.p), size = v->node->size;

	if (n % size != 0)
		return damaged("its values are not whole", err);
	v->stride = n / size;
	bt_buf_reset(&v->split);
	return bt_buf_reserve(&v->split, size) != NULL
	           ? BT_OK
	           : bt_error_nomem(err, "reading a page");
}

int bt_parquet_values_begin(struct bt_parquet_values *v,
                            const struct bt_parquet_node *node,
                            int64_t encoding, struct bt_pb page,
                            const struct bt_parquet_dictionary *dictionary,
                            struct bt_error *err)
{
	int type = node->type;
	bool bytes = type == BT_PARQUET_BYTES;

	v->node = node;
	v->encoding = (enum bt_parquet_encoding)encoding;
	v->in = page;
	v->dictionary = dictionary;
	v->i = 0;
	v->bit = 0;
	switch (encoding) {
	case BT_PARQUET_PLAIN:
		return BT_OK;
	case BT_PARQUET_PLAIN_DICTIONARY:
	case BT_PARQUET_RLE_DICTIONARY:
		return begin_indices(v, err);
	case BT_PARQUET_RLE:
		if (type == BT_PARQUET_BOOLEAN)
			return begin_booleans(v, err);
		break;
	case BT_PARQUET_DELTA_BINARY:
		if (type != BT_PARQUET_INT32 && type != BT_PARQUET_INT64)
			break;
		return bt_parquet_delta(&v->delta, v->in)
		           ? BT_OK
		           : damaged("its numbers cannot be read", err);
	case BT_PARQUET_DELTA_LENGTH:
	case BT_PARQUET_DELTA_BYTES:
		if (bytes || (type == BT_PARQUET_FIXED &&
		              encoding == BT_PARQUET_DELTA_BYTES))
			return begin_lengths(
			    v, encoding == BT_PARQUET_DELTA_BYTES, err);
		break;
	case BT_PARQUET_BYTE_STREAM_SPLIT:
		if (!bytes && type != BT_PARQUET_BOOLEAN)
			return begin_split(v, err);
		break;
	default:
		return bt_error_set(err, BT_EFORMAT,
		                    "a page has an unknown encoding (%lld)",
		                    (long long)encoding);
	}
	return damaged("its encoding does not fit its type", err);
}

static int next_plain(struct bt_parquet_values *v, struct bt_span *value,
                      struct bt_error *err)
{
	bool ok;

	if (v->node->type == BT_PARQUET_BOOLEAN) {
		if (v->in.p == v->in.end)
			return short_page(err);
		v->bytes[0] = *v->in.p >> v->bit & 1;
		v->bit = (v->bit + 1) & 7;
		v->in.p += v->bit == 0;
		*value = (struct bt_span){(const char *)v->bytes, 1};
		return BT_OK;
	}
	ok = v->node->size > 0 ? take(&v->in, v->node->size, value)
	                       : take_counted(&v->in, value);
	return ok ? BT_OK : short_page(err);
}

static int next_index(struct bt_parquet_values *v, struct bt_span *value,
                      struct bt_error *err)
{
	const struct bt_parquet_dictionary *d = v->dictionary;
	uint32_t i, n;

	if (!bt_parquet_rle_next(&v->rle, &i))
		return short_page(err);
	if (i >= d->n)
		return bt_error_set(err, BT_ECORRUPT,
		                    "a page is damaged: it has number %lu of a "
		                    "dictionary of %zu values",
		                    (unsigned long)i, d->n);
	if (d->size > 0) {
		*value = (struct bt_span){d->bytes.data + i * d->size, d->size};
	} else {
		memcpy(&n, d->bytes.data + d->at[i], 4);
		*value = (struct bt_span){d->bytes.data + d->at[i] + 4, n};
	}
	return BT_OK;
}

/* A value that begins as the one before does. */
static int next_prefixed(struct bt_parquet_values *v, struct bt_span *value,
                         struct bt_error *err)
{
	struct bt_buf *b = &v->before;
	struct bt_span rest;
	int64_t same, n;

	if (!bt_parquet_delta_next(&v->prefix, &same) ||
	    !bt_parquet_delta_next(&v->delta, &n))
		return short_page(err);
	if (same < 0 || (uint64_t)same > b->len || n < 0 ||
	    (size_t)same + (size_t)n > VALUE_MAX ||
	    !take(&v->in, (size_t)n, &rest))
		return damaged("a length is out of range", err);
	b->len = (size_t)same;
	bt_buf_put(b, rest.p, rest.n);
	if (b->oom)
		return bt_error_nomem(err, "reading a page");
	*value = (struct bt_span){bt_buf_at(b, 0), b->len};
	if (v->node->size > 0 && value->n != v->node->size)
		return damaged("a value has another length than its type", err);
	return BT_OK;
}

static int next_split(struct bt_parquet_values *v, struct bt_span *value,
                      struct bt_error *err)
{
	size_t k, size = v->node->size;
	uint8_t *to = (uint8_t *)v->split.data;

	if (v->i == v->stride)
		return short_page(err);
	for (k = 0; k < size; k++)
		to[k] = v->in.p[k * v->stride + v->i];
	v->i++;
	*value = (struct bt_span){v->split.data, size};
	return BT_OK;
}

int bt_parquet_values_next(struct bt_parquet_values *v, struct bt_span *value,
                           struct bt_error *err)
{
	uint32_t bit;
	int64_t n;

	switch (v->encoding) {
	case BT_PARQUET_PLAIN:
		return next_plain(v, value, err);
	case BT_PARQUET_RLE_DICTIONARY:
		return next_index(v, value, err);
	case BT_PARQUET_RLE:
		if (!bt_parquet_rle_next(&v->rle, &bit))
			return short_page(err);
		v->bytes[0] = (uint8_t)bit;
		*value = (struct bt_span){(const char *)v->bytes, 1};
		return BT_OK;
	case BT_PARQUET_DELTA_BINARY:
		if (!bt_parquet_delta_next(&v->delta, &n))
			return short_page(err);
		memcpy(v->bytes, &n, sizeof(n));
		*value =
		    (struct bt_span){(const char *)v->bytes, v->node->size};
		return BT_OK;
	case BT_PARQUET_DELTA_LENGTH:
		if (!bt_parquet_delta_next(&v->delta, &n))
			return short_page(err);
		if (n < 0 || !take(&v->in, (uint64_t)n, value))
			return damaged("a length is out of range", err);
		return BT_OK;
	case BT_PARQUET_DELTA_BYTES:
		return next_prefixed(v, value, err);
	default:
		return next_split(v, value, err);
	}
}

/* SPDX-License-Identifier: MIT */
#include "parquet/column.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "parquet/thrift.h"

#define PAGE_MAX ((size_t)1 << 30)   /* bytes, decompressed */
#define HEADER_MAX ((size_t)8 << 20) /* bytes; it may hold two values */
#define WINDOW ((size_t)128 << 10)   /* least to read of the file at once */

enum { DATA, INDEX, DICTIONARY, DATA_2 };

/* Of each kind of page: some members are of one only. */
struct page {
	int64_t values, encoding, def_encoding, rep_encoding;
	int64_t def_bytes, rep_bytes;
	bool packed;
};

struct header {
	int64_t type, size, packed, crc;
	struct bt_pb of[DATA_2 + 1]; /* by type */
	struct page page;
};

#define IN(s, m) offsetof(struct s, m)

static int damaged(const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "a page is damaged: %s", what);
}

int bt_parquet_column_begin(struct bt_parquet_column *c,
                            const struct bt_parquet_chunk *chunk,
                            struct bt_error *err)
{
	if (chunk->unread)
		return bt_parquet_codec_check(chunk->codec_number, err);
	c->chunk = chunk;
	c->at = chunk->at;
	c->left = chunk->values;
	c->on_page = 0;
	c->looked = false;
	c->dictionary.is = false;
	return BT_OK;
}

void bt_parquet_column_clear(struct bt_parquet_column *c)
{
	bt_parquet_values_clear(&c->values);
	bt_parquet_dictionary_clear(&c->dictionary);
	bt_buf_clear(&c->page);
	bt_buf_clear(&c->file_bytes);
	bt_buf_clear(&c->bytes);
	free(c->row);
}

/* The bytes that the chunk has from c->at on. */
static uint64_t chunk_left(const struct bt_parquet_column *c)
{
	return c->chunk->size - (c->at - c->chunk->at);
}

/* n bytes of the chunk from c->at on, which it has. */
static int look(struct bt_parquet_column *c, size_t n, const uint8_t **p,
                struct bt_error *err)
{
	struct bt_buf *b = &c->file_bytes;
	uint64_t left = chunk_left(c);
	size_t want = n > WINDOW ? n : left < WINDOW ? (size_t)left : WINDOW;
	int r;

	if (c->at < c->file_at || c->at - c->file_at > b->len ||
	    b->len - (size_t)(c->at - c->file_at) < n) {
		bt_buf_reset(b);
		if (bt_buf_reserve(b, want + 1) == NULL)
			return bt_error_nomem(err, "reading a page");
		r = bt_random_access_read(c->file, c->at, b->data, want, err);
		if (r != BT_OK)
			return r;
		b->len = want;
		c->file_at = c->at;
	}
	*p = (const uint8_t *)b->data + (c->at - c->file_at);
	return BT_OK;
}

/* What the header says of its kind of page. */
static bool read_kind(struct header *h)
{
	static const struct bt_thrift_member of_data[] = {
	    {1, BT_THRIFT_INT, IN(page, values)},
	    {2, BT_THRIFT_INT, IN(page, encoding)},
	    {3, BT_THRIFT_INT, IN(page, def_encoding)},
	    {4, BT_THRIFT_INT, IN(page, rep_encoding)}};
	static const struct bt_thrift_member of_data_2[] = {
	    {1, BT_THRIFT_INT, IN(page, values)},
	    {4, BT_THRIFT_INT, IN(page, encoding)},
	    {5, BT_THRIFT_INT, IN(page, def_bytes)},
	    {6, BT_THRIFT_INT, IN(page, rep_bytes)},
	    {7, BT_THRIFT_BOOL, IN(page, packed)}};
	struct bt_pb in;

	if (h->type == INDEX)
		return true;
	if (h->type < DATA || h->type > DATA_2)
		return false;
	in = h->of[h->type];
	h->page = (struct page){-1, -1, -1, -1, -1, -1, true};
	return in.p != NULL &&
	       (h->type == DATA_2
	            ? bt_thrift_read(&in, of_data_2, 5, &h->page)
	            : bt_thrift_read(&in, of_data, h->type == DATA ? 4 : 1,
	                             &h->page)) &&
	       h->page.values >= 0;
}

/* The header that is next; c->at becomes what stands behind it. */
static int read_header(struct bt_parquet_column *c, struct header *h,
                       struct bt_error *err)
{
	static const struct bt_thrift_member members[] = {
	    {1, BT_THRIFT_INT, IN(header, type)},
	    {2, BT_THRIFT_INT, IN(header, size)},
	    {3, BT_THRIFT_INT, IN(header, packed)},
	    {4, BT_THRIFT_INT, IN(header, crc)},
	    {5, BT_THRIFT_STRUCT, IN(header, of[DATA])},
	    {7, BT_THRIFT_STRUCT, IN(header, of[DICTIONARY])},
	    {8, BT_THRIFT_STRUCT, IN(header, of[DATA_2])}};
	uint64_t left = chunk_left(c);
	const uint8_t *p;
	struct bt_pb in;
	size_t n;
	int r;

	if (left == 0)
		return damaged("the column ends before its last value", err);
	for (n = 256;; n *= 8) {
		if (n > left)
			n = (size_t)left;
		r = look(c, n, &p, err);
		if (r != BT_OK)
			return r;
		in = (struct bt_pb){p, p + n};
		memset(h, 0, sizeof(*h));
		h->type = h->size = h->packed = -1;
		h->crc = INT64_MIN;
		if (bt_thrift_read(&in, members, 7, h))
			break;
		if (n == left || n > HEADER_MAX)
			return damaged("its header cannot be read", err);
	}
	c->at += (uint64_t)(in.p - p);
	if (!read_kind(h) || h->size < 0 || h->packed < 0)
		return damaged("its header cannot be read", err);
	left = chunk_left(c);
	if ((uint64_t)h->packed <= left) {
		if ((uint64_t)h->packed <= PAGE_MAX)
			return BT_OK;
		return bt_error_set(err, BT_ELIMIT,
		                    "a page has more than %zu bytes", PAGE_MAX);
	}
	return bt_error_set(err, BT_ECORRUPT,
	                    "a page is damaged: its header claims %lld bytes, "
	                    "but its column has only %llu left",
	                    (long long)h->packed, (unsigned long long)left);
}

/* Appends n bytes to a buffer as the size bytes that they are compressed
 * from. */
static int unpack(enum bt_parquet_codec codec, const uint8_t *p, size_t n,
                  size_t size, struct bt_buf *to, struct bt_error *err)
{
	int r = BT_OK;

	if (size > PAGE_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "a page has more than %zu bytes", PAGE_MAX);
	if (!bt_parquet_codec_fits(codec, n, size))
		return bt_error_set(err, BT_ECORRUPT,
		                    "a page's header claims %zu bytes, which "
		                    "its %zu bytes cannot become",
		                    size, n);
	if (bt_buf_reserve(to, size + 1) == NULL)
		return bt_error_nomem(err, "reading a page");
	if (size > 0) /* else it may have no bytes at all */
		r = bt_parquet_codec_decode(
		    codec, p, n, (uint8_t *)to->data + to->len, size, err);
	if (r == BT_OK)
		to->len += size;
	return r;
}

static int read_dictionary(struct bt_parquet_column *c, const struct header *h,
                           const uint8_t *p, struct bt_error *err)
{
	struct bt_parquet_dictionary *d = &c->dictionary;
	int r;

	if (d->is)
		return damaged("there is a second dictionary", err);
	bt_buf_reset(&d->bytes);
	r = unpack(c->chunk->codec, p, (size_t)h->packed, (size_t)h->size,
	           &d->bytes, err);
	return r == BT_OK ? bt_parquet_dictionary_init(
	                        d, c->node, (size_t)h->page.values, err)
	                  : r;
}

static unsigned bits(unsigned most)
{
	unsigned n = 0;

	for (; most > 0; most >>= 1)
		n++;
	return n;
}

/* Levels up to most of a page of version 1, n of them. */
static int take_levels(struct bt_pb *in, int64_t encoding, unsigned most,
                       uint64_t n, struct bt_parquet_rle *levels,
                       struct bt_error *err)
{
	unsigned width = bits(most);
	uint32_t bytes = 0;
	size_t room;

	if (most == 0)
		return BT_OK;
	if (encoding == BT_PARQUET_RLE && in->end - in->p >= 4) {
		memcpy(&bytes, in->p, 4);
		in->p += 4;
	} else if (encoding == BT_PARQUET_BIT_PACKED && n <= UINT32_MAX) {
		bytes = (uint32_t)((n * width + 7) / 8);
	} else {
		return damaged("its levels cannot be read", err);
	}
	room = (size_t)(in->end - in->p);
	if (bytes > room)
		return damaged("its levels are longer than it is", err);
	*levels =
	    encoding == BT_PARQUET_RLE
	        ? bt_parquet_rle((struct bt_pb){in->p, in->p + bytes}, width)
	        : bt_parquet_rle_down((struct bt_pb){in->p, in->p + bytes},
	                              width, n);
	in->p += bytes;
	return BT_OK;
}

/* The page's values, which are behind its levels. */
static int take_values(struct bt_parquet_column *c, const struct page *page,
                       struct bt_pb in, struct bt_error *err)
{
	int64_t encoding = page->encoding;

	c->on_page = (uint64_t)page->values;
	c->left -= (uint64_t)page->values;
	/* a page of nulls need not have what values begin with */
	if (in.p == in.end && encoding != BT_PARQUET_PLAIN_DICTIONARY &&
	    encoding != BT_PARQUET_RLE_DICTIONARY)
		encoding = BT_PARQUET_PLAIN;
	return bt_parquet_values_begin(&c->values, c->node, encoding, in,
	                               &c->dictionary, err);
}

static int read_data(struct bt_parquet_column *c, const struct header *h,
                     const uint8_t *p, struct bt_error *err)
{
	const struct page *page = &h->page;
	uint64_t n = (uint64_t)page->values;
	struct bt_pb in;
	int r;

	bt_buf_reset(&c->page);
	r = unpack(c->chunk->codec, p, (size_t)h->packed, (size_t)h->size,
	           &c->page, err);
	if (r != BT_OK)
		return r;
	in.p = (const uint8_t *)bt_buf_at(&c->page, 0);
	in.end = in.p + c->page.len;
	r = take_levels(&in, page->rep_encoding, c->node->rep, n, &c->rep, err);
	if (r == BT_OK)
		r = take_levels(&in, page->def_encoding, c->node->def, n,
		                &c->def, err);
	return r == BT_OK ? take_values(c, page, in, err) : r;
}

/* Levels stand in front of what is compressed, their lengths in the header. */
static int read_data_2(struct bt_parquet_column *c, const struct header *h,
                       const uint8_t *p, struct bt_error *err)
{
	const struct page *page = &h->page;
	int64_t most = h->packed < h->size ? h->packed : h->size;
	struct bt_pb in;
	size_t levels;
	int r;

	if (page->def_bytes < 0 || page->rep_bytes < 0 ||
	    page->def_bytes > most || page->rep_bytes > most - page->def_bytes)
		return damaged("its levels are longer than it is", err);
	levels = (size_t)(page->rep_bytes + page->def_bytes);
	bt_buf_reset(&c->page);
	bt_buf_put(&c->page, p, levels);
	r = unpack(page->packed ? c->chunk->codec : BT_PARQUET_NONE, p + levels,
	           (size_t)h->packed - levels, (size_t)h->size - levels,
	           &c->page, err);
	if (r != BT_OK)
		return r;
	in.p = (const uint8_t *)bt_buf_at(&c->page, 0);
	in.end = in.p + page->rep_bytes;
	c->rep = bt_parquet_rle(in, bits(c->node->rep));
	in = (struct bt_pb){in.end, in.end + page->def_bytes};
	c->def = bt_parquet_rle(in, bits(c->node->def));
	in.p = in.end;
	in.end = (const uint8_t *)bt_buf_at(&c->page, 0) + c->page.len;
	return take_values(c, page, in, err);
}

/* Reads the next page, whatever it holds. */
static int read_page(struct bt_parquet_column *c, struct bt_error *err)
{
	const uint8_t *p;
	struct header h;
	int r = read_header(c, &h, err);

	if (r == BT_OK)
		r = look(c, (size_t)h.packed, &p, err);
	if (r != BT_OK)
		return r;
	c->at += (uint64_t)h.packed;
	if (h.crc != INT64_MIN &&
	    crc32(0, p, (uInt)h.packed) != (uint32_t)h.crc)
		return damaged("its checksum differs", err);
	if (h.type == INDEX)
		return BT_OK;
	if (h.type == DICTIONARY)
		return read_dictionary(c, &h, p, err);
	if ((uint64_t)h.page.values > c->left)
		return damaged("it has more values than its column", err);
	return h.type == DATA ? read_data(c, &h, p, err)
	                      : read_data_2(c, &h, p, err);
}

/* Looks at the list that the next value goes on with: 1, or 0 behind the last
 * value of the chunk, or an error. */
static int look_rep(struct bt_parquet_column *c, struct bt_error *err)
{
	uint32_t rep = 0;
	int r;

	if (c->looked)
		return 1;
	while (c->on_page == 0) {
		if (c->left == 0)
			return 0;
		r = read_page(c, err);
		if (r != BT_OK)
			return r;
	}
	if (c->node->rep > 0 &&
	    (!bt_parquet_rle_next(&c->rep, &rep) || rep > c->node->rep))
		return damaged("its levels end too early, or are out of range",
		               err);
	c->next_rep = rep;
	c->looked = true;
	return 1;
}

/* The next value, which is there, as an entry. */
static int take_entry(struct bt_parquet_column *c, struct bt_parquet_entry *e,
                      struct bt_error *err)
{
	uint32_t def = 0;

	c->looked = false;
	c->on_page--;
	e->rep = c->next_rep;
	e->value = (struct bt_span){NULL, 0};
	if (c->node->def > 0 &&
	    (!bt_parquet_rle_next(&c->def, &def) || def > c->node->def))
		return damaged("its levels end too early, or are out of range",
		               err);
	e->def = def;
	return def == c->node->def
	           ? bt_parquet_values_next(&c->values, &e->value, err)
	           : BT_OK;
}

/* Keeps a value of a list, which outlives its page: as an offset, until all are
 * there. */
static int keep(struct bt_parquet_column *c, const struct bt_parquet_entry *e,
                struct bt_error *err)
{
	size_t used = c->bytes.len + c->n * sizeof(*e) + e->value.n;

	c->large |= used > c->max;
	if (c->large)
		return BT_OK;
	if (bt_grow(&c->row, &c->cap, c->n + 1, sizeof(*e)) != BT_OK)
		return bt_error_nomem(err, "reading a row");
	c->row[c->n++] = *e;
	if (e->value.n > 0)
		bt_buf_put(&c->bytes, e->value.p, e->value.n);
	return c->bytes.oom ? bt_error_nomem(err, "reading a row") : BT_OK;
}

static int next_list(struct bt_parquet_column *c, struct bt_error *err)
{
	struct bt_parquet_entry e;
	size_t i, at = 0;
	int r;

	bt_buf_reset(&c->bytes);
	do {
		r = take_entry(c, &e, err);
		if (r == BT_OK)
			r = keep(c, &e, err);
		if (r == BT_OK)
			r = look_rep(c, err);
	} while (r == 1 && c->next_rep > 0);
	for (i = 0; i < c->n; at += c->row[i++].value.n)
		if (c->row[i].value.p != NULL)
			c->row[i].value.p = bt_buf_at(&c->bytes, at);
	return r < 0 ? r : BT_OK;
}

int bt_parquet_column_next(struct bt_parquet_column *c, struct bt_error *err)
{
	int r = look_rep(c, err);

	c->n = 0;
	c->large = false;
	if (r < 0)
		return r;
	if (r == 0)
		return damaged("the column has fewer rows than its row group",
		               err);
	if (c->next_rep != 0)
		return damaged("the first row begins inside a list", err);
	if (c->node->rep > 0)
		return next_list(c, err);
	if (bt_grow(&c->row, &c->cap, 1, sizeof(*c->row)) != BT_OK)
		return bt_error_nomem(err, "reading a row");
	c->n = 1;
	r = take_entry(c, c->row, err);
	c->large = c->row->value.n > c->max;
	return r;
}

int bt_parquet_column_end(const struct bt_parquet_column *c,
                          struct bt_error *err)
{
	if (c->left == 0 && c->on_page == 0)
		return BT_OK;
	return damaged("the column has more rows than its row group", err);
}

/* SPDX-License-Identifier: MIT */
#include "ckpt_format/zip_write.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define NOT_HERE 0xffffffffu /* a size that stands in the zip64 field */
#define DEFLATED 8
#define UTF8_NAME 0x0800
#define FIRST_DAY 0x21 /* 1 January 1980: the same bytes every time */
#define UNIX 3
#define MEMBERS_MAX 0xffff

struct bt_zip_member {
	char *name;
	uint64_t at, size, packed;
	uint32_t crc;
	unsigned method;
};

/* The version of zip that a reader must know. */
static unsigned needs(const struct bt_zip_writer *w)
{
	return w->large ? 45 : 20;
}

static uint64_t in_32_bits(const struct bt_zip_writer *w, uint64_t v)
{
	return w->large ? NOT_HERE : v;
}

/* What local and central headers share, from the version needed on. */
static void put_common(struct bt_buf *b, const struct bt_zip_writer *w,
                       const struct bt_zip_member *m, size_t extra)
{
	bt_buf_uint(b, needs(w), 2);
	bt_buf_uint(b, UTF8_NAME, 2);
	bt_buf_uint(b, m->method, 2);
	bt_buf_uint(b, 0, 2); /* midnight */
	bt_buf_uint(b, FIRST_DAY, 2);
	bt_buf_uint(b, m->crc, 4);
	bt_buf_uint(b, in_32_bits(w, m->packed), 4);
	bt_buf_uint(b, in_32_bits(w, m->size), 4);
	bt_buf_uint(b, strlen(m->name), 2);
	bt_buf_uint(b, extra, 2);
}

static int too_large(const char *name, struct bt_error *err)
{
	return bt_error_set(err, BT_ELIMIT,
	                    "'%.100s' does not fit into a zip file of 4 GiB",
	                    name);
}

static int deflate_all(const char *name, const struct bt_span *parts, size_t n,
                       struct bt_buf *to, struct bt_error *err)
{
	z_stream s = {0};
	uint64_t room;
	size_t i;
	int r = deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8,
	                     Z_DEFAULT_STRATEGY);

	if (r != Z_OK)
		return bt_error_nomem(err, "writing a zip file");
	for (i = 0, room = 0; i < n; i++)
		room += parts[i].n;
	room = deflateBound(&s, (uLong)room);
	if (room < NOT_HERE)
		s.next_out = bt_buf_reserve(to, room);
	if (s.next_out == NULL) {
		deflateEnd(&s);
		return room < NOT_HERE
		           ? bt_error_nomem(err, "writing a zip file")
		           : too_large(name, err);
	}
	s.avail_out = (uInt)room;
	for (i = 0; i < n; i++) {
		if (parts[i].n == 0)
			continue;
		s.next_in = (Bytef *)(uintptr_t)parts[i].p;
		s.avail_in = (uInt)parts[i].n;
		(void)deflate(&s, Z_NO_FLUSH); /* there is room for all */
	}
	(void)deflate(&s, Z_FINISH);
	to->len += room - s.avail_out;
	deflateEnd(&s);
	return BT_OK;
}

static void put_head(struct bt_buf *b, const struct bt_zip_writer *w,
                     const struct bt_zip_member *m)
{
	bt_buf_uint(b, 0x04034b50, 4);
	put_common(b, w, m, w->large ? 20 : 0);
	bt_buf_puts(b, m->name);
	if (!w->large)
		return;
	bt_buf_uint(b, 1, 2); /* sizes of zip64 */
	bt_buf_uint(b, 16, 2);
	bt_buf_uint(b, m->size, 8);
	bt_buf_uint(b, m->packed, 8);
}

/* Its size and checksum, and, if it is deflated, its bytes. */
static int measure(const struct bt_zip_writer *w, struct bt_zip_member *m,
                   const struct bt_span *parts, size_t n, struct bt_buf *packed,
                   struct bt_error *err)
{
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		m->size += parts[i].n;
		if (parts[i].n > 0)
			m->crc = (uint32_t)crc32_z(
			    m->crc, (const uint8_t *)parts[i].p, parts[i].n);
	}
	m->packed = m->size;
	if (w->deflate) {
		r = m->size < NOT_HERE
		        ? deflate_all(m->name, parts, n, packed, err)
		        : too_large(m->name, err);
		if (r != BT_OK)
			return r;
		m->packed = packed->len;
		m->method = DEFLATED;
	}
	if (!w->large && (m->size >= NOT_HERE || w->n >= MEMBERS_MAX ||
	                  m->at >= NOT_HERE - m->packed))
		return too_large(m->name, err);
	return BT_OK;
}

int bt_zip_write(struct bt_zip_writer *w, const char *name,
                 const struct bt_span *parts, size_t n, struct bt_error *err)
{
	struct bt_buf head = BT_BUF_INIT, packed = BT_BUF_INIT;
	struct bt_zip_member *m;
	size_t i;
	int r;

	if (bt_grow(&w->member, &w->cap, w->n + 1, sizeof(*w->member)) != BT_OK)
		return bt_error_nomem(err, "writing a zip file");
	m = &w->member[w->n];
	memset(m, 0, sizeof(*m));
	m->name = bt_strndup(name, strlen(name));
	m->at = bt_out_offset(w->out);
	r = measure(w, m, parts, n, &packed, err);
	w->n++;
	if (r == BT_OK) {
		put_head(&head, w, m);
		r = bt_out_write(w->out, head.data, head.len, err);
	}
	if (w->deflate && r == BT_OK)
		r = bt_out_write(w->out, packed.data, packed.len, err);
	for (i = 0; !w->deflate && i < n && r == BT_OK; i++)
		r = bt_out_write(w->out, parts[i].p, parts[i].n, err);
	bt_buf_clear(&head);
	bt_buf_clear(&packed);
	return r;
}

static void put_entry(struct bt_buf *b, const struct bt_zip_writer *w,
                      const struct bt_zip_member *m)
{
	bt_buf_uint(b, 0x02014b50, 4);
	bt_buf_uint(b, needs(w) | UNIX << 8, 2);
	put_common(b, w, m, w->large ? 28 : 0);
	bt_buf_uint(b, 0, 6);                       /* comment, disk, binary */
	bt_buf_uint(b, (uint64_t)0100644 << 16, 4); /* mode */
	bt_buf_uint(b, in_32_bits(w, m->at), 4);
	bt_buf_puts(b, m->name);
	if (!w->large)
		return;
	bt_buf_uint(b, 1, 2);
	bt_buf_uint(b, 24, 2);
	bt_buf_uint(b, m->size, 8);
	bt_buf_uint(b, m->packed, 8);
	bt_buf_uint(b, m->at, 8);
}

static void put_large_end(struct bt_buf *b, const struct bt_zip_writer *w,
                          uint64_t at, uint64_t size)
{
	bt_buf_uint(b, 0x06064b50, 4); /* the end of zip64 */
	bt_buf_uint(b, 44, 8);
	bt_buf_uint(b, needs(w) | UNIX << 8, 2);
	bt_buf_uint(b, needs(w), 2);
	bt_buf_uint(b, 0, 8); /* disks */
	bt_buf_uint(b, w->n, 8);
	bt_buf_uint(b, w->n, 8);
	bt_buf_uint(b, size, 8);
	bt_buf_uint(b, at, 8);
	bt_buf_uint(b, 0x07064b50, 4); /* where that is */
	bt_buf_uint(b, 0, 4);
	bt_buf_uint(b, at + size, 8);
	bt_buf_uint(b, 1, 4);
}

int bt_zip_write_end(struct bt_zip_writer *w, struct bt_error *err)
{
	uint64_t at = bt_out_offset(w->out), size;
	uint64_t n = w->n < MEMBERS_MAX ? w->n : MEMBERS_MAX;
	struct bt_buf b = BT_BUF_INIT;
	size_t i;
	int r;

	for (i = 0; i < w->n; i++)
		put_entry(&b, w, &w->member[i]);
	size = b.len;
	if (w->large)
		put_large_end(&b, w, at, size);
	bt_buf_uint(&b, 0x06054b50, 4); /* the end */
	bt_buf_uint(&b, 0, 4);
	bt_buf_uint(&b, n, 2);
	bt_buf_uint(&b, n, 2);
	bt_buf_uint(&b, size < NOT_HERE ? size : NOT_HERE, 4);
	bt_buf_uint(&b, at < NOT_HERE ? at : NOT_HERE, 4);
	bt_buf_uint(&b, 0, 2);
	r = b.oom ? bt_error_nomem(err, "writing a zip file")
	          : bt_out_write(w->out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

void bt_zip_writer_clear(struct bt_zip_writer *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		free(w->member[i].name);
	free(w->member);
	w->member = NULL;
	w->n = w->cap = 0;
}

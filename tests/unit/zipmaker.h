/* SPDX-License-Identifier: MIT */
/* Zip files for tests, sound ones and ones that lie. */
#ifndef ZIPMAKER_H
#define ZIPMAKER_H

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"

#define ZIP_ENTRIES 16

struct zip_entry {
	const char *name;
	const void *data;
	size_t n;    /* bytes as they stand in the file */
	size_t size; /* once they are unpacked; 0: n */
	unsigned method;
	uint32_t crc; /* 0: of the data */
	size_t at;    /* filled in by zip_make */
	size_t central;
};

static inline void zip_number(struct bt_buf *b, uint64_t v, int bytes)
{
	bt_buf_put(b, &v, (size_t)bytes);
}

/* What both headers of an entry have in common. */
static inline void zip_common(struct bt_buf *b, const struct zip_entry *e)
{
	size_t size = e->size != 0 ? e->size : e->n;
	uint32_t crc = e->crc;

	if (crc == 0)
		crc = (uint32_t)crc32(0, e->data, (uInt)e->n);
	zip_number(b, 20, 2);
	zip_number(b, 0, 2);
	zip_number(b, e->method, 2);
	zip_number(b, 0, 4);
	zip_number(b, crc, 4);
	zip_number(b, e->n, 4);
	zip_number(b, size, 4);
	zip_number(b, strlen(e->name), 2);
	zip_number(b, 0, 2);
}

/* Appends a zip file of n entries to b, which is empty. */
static inline void zip_make(struct bt_buf *b, struct zip_entry *e, size_t n)
{
	size_t i, begin;

	for (i = 0; i < n; i++) {
		e[i].at = b->len;
		bt_buf_put(b, "PK\3\4", 4);
		zip_common(b, &e[i]);
		bt_buf_puts(b, e[i].name);
		bt_buf_put(b, e[i].data, e[i].n);
	}
	begin = b->len;
	for (i = 0; i < n; i++) {
		e[i].central = b->len;
		bt_buf_put(b, "PK\1\2\24\0", 6);
		zip_common(b, &e[i]);
		zip_number(b, 0, 2); /* comment, disk, attributes */
		zip_number(b, 0, 2);
		zip_number(b, 0, 2);
		zip_number(b, 0, 4);
		zip_number(b, e[i].at, 4);
		bt_buf_puts(b, e[i].name);
	}
	n = b->len - begin;
	bt_buf_put(b, "PK\5\6\0\0\0\0", 8);
	zip_number(b, i, 2);
	zip_number(b, i, 2);
	zip_number(b, n, 4);
	zip_number(b, begin, 4);
	zip_number(b, 0, 2);
}

#endif

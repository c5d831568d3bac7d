/* SPDX-License-Identifier: MIT */
#include "ckpt_format/zip_int.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/span.h"

#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR_SIZE 20
#define CENTRAL_SIZE 46
#define LOCAL_SIZE 30
#define ENTRIES_MAX ((uint64_t)1 << 20)
#define NOT_HERE UINT32_MAX /* a size that stands in the zip64 field */
#define ENCRYPTED 1
#define SIZES_BEHIND 8 /* the header before the data need not know them */
#define RATIO_MAX 1032 /* deflate: 258 bytes from two bits */
#define CHUNK ((size_t)1 << 30)

static unsigned u16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t u64(const uint8_t *p)
{
	return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* Where the directory is. */
struct place {
	uint64_t n, at, size;
	uint64_t behind; /* where what follows it begins */
};

bool bt_zip_knows(const uint8_t *data, size_t size)
{
	return size >= 4 && (memcmp(data, "PK\3\4", 4) == 0 ||
	                     memcmp(data, "PK\5\6", 4) == 0);
}

static int find_end(const struct bt_ckpt_file *f, size_t *at,
                    struct bt_error *err)
{
	size_t i,
	    most = f->size < END_SIZE + 65535 ? f->size : END_SIZE + 65535;

	for (i = END_SIZE; i <= most; i++) {
		const uint8_t *p = f->data + f->size - i;

		if (u32(p) == 0x06054b50 && u16(p + 20) == i - END_SIZE) {
			*at = f->size - i;
			return BT_OK;
		}
	}
	return bt_error_set(err, BT_ETRUNCATED,
	                    "a zip file without its end: it is cut off or "
	                    "something follows");
}

/* Sizes that 32 bits do not hold stand in a second end before the first. */
static int find_end64(const struct bt_ckpt_file *f, size_t end, struct place *d,
                      struct bt_error *err)
{
	const uint8_t *p = f->data + end - LOCATOR_SIZE;
	uint64_t at;

	if (end < LOCATOR_SIZE || u32(p) != 0x07064b50)
		return BT_OK; /* the 32 bits mean what they say */
	at = u64(p + 8);
	if (end - LOCATOR_SIZE < END64_SIZE ||
	    at > end - LOCATOR_SIZE - END64_SIZE ||
	    u32(f->data + at) != 0x06064b50)
		return bt_error_set(err, BT_ECORRUPT,
		                    "the zip file's end points to none for "
		                    "large files");
	p = f->data + at;
	d->n = u64(p + 32);
	d->size = u64(p + 40);
	d->at = u64(p + 48);
	d->behind = at;
	return BT_OK;
}

static int find_directory(const struct bt_ckpt_file *f, struct place *d,
                          struct bt_error *err)
{
	const uint8_t *p;
	size_t end = 0;
	int r = find_end(f, &end, err);

	if (r != BT_OK)
		return r;
	p = f->data + end;
	if (u16(p + 4) != 0 && u16(p + 4) != 0xffff)
		return bt_error_set(err, BT_EFORMAT,
		                    "a part of a zip file in several parts");
	d->n = u16(p + 10);
	d->size = u32(p + 12);
	d->at = u32(p + 16);
	d->behind = end;
	r = find_end64(f, end, d, err);
	if (r == BT_OK && (d->at > d->behind || d->size != d->behind - d->at))
		r = bt_error_set(err, BT_ECORRUPT,
		                 "the zip file's directory of %llu bytes at "
		                 "byte %llu does not end at byte %llu, where "
		                 "the end begins",
		                 (unsigned long long)d->size,
		                 (unsigned long long)d->at,
		                 (unsigned long long)d->behind);
	if (r == BT_OK && d->n > ENTRIES_MAX)
		r = bt_error_set(
		    err, BT_ELIMIT, "a zip file of %llu entries (at most %llu)",
		    (unsigned long long)d->n, (unsigned long long)ENTRIES_MAX);
	return r;
}

/* Takes the sizes from the zip64 field, which holds those that are not in the
 * entry itself, in this order. */
static bool read_large(const uint8_t *x, size_t n, uint64_t *size,
                       uint64_t *packed, uint64_t *at)
{
	uint64_t *const v[3] = {size, packed, at};
	size_t k, len;
	const uint8_t *p;

	for (; n >= 4; x += 4 + len, n -= 4 + len) {
		len = u16(x + 2);
		if (len > n - 4)
			return false;
		if (u16(x) != 1)
			continue;
		p = x + 4;
		for (k = 0; k < 3; k++) {
			if (*v[k] != NOT_HERE)
				continue;
			if (p + 8 > x + 4 + len)
				return false;
			*v[k] = u64(p);
			p += 8;
		}
		return true;
	}
	return *size != NOT_HERE && *packed != NOT_HERE && *at != NOT_HERE;
}

static int damaged(const struct bt_zip_entry *e, const char *why,
                   struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "zip entry '%.*s': %s",
	                    (int)(e->n_name < 100 ? e->n_name : 100), e->name,
	                    why);
}

/* What stands before the data must be of the same entry. */
static int check_local(const struct bt_ckpt_file *f, struct bt_zip_entry *e,
                       const uint8_t *central, uint64_t packed, uint64_t limit,
                       struct bt_error *err)
{
	const uint8_t *p = f->data + e->at;
	uint64_t head;

	if (e->at > limit || limit - e->at < LOCAL_SIZE || u32(p) != 0x04034b50)
		return damaged(e, "nothing of it stands where it should", err);
	head = LOCAL_SIZE + u16(p + 26) + u16(p + 28);
	if (head > limit - e->at)
		return damaged(e, "its header is cut off", err);
	if (u16(p + 26) != e->n_name ||
	    memcmp(p + LOCAL_SIZE, e->name, e->n_name) != 0)
		return damaged(e, "another name stands before its data", err);
	if (u16(p + 8) != e->method)
		return damaged(e, "it is packed in two ways", err);
	if ((u16(p + 6) & SIZES_BEHIND) == 0 &&
	    ((u32(p + 18) != NOT_HERE && u32(p + 18) != u32(central + 20)) ||
	     (u32(p + 22) != NOT_HERE && u32(p + 22) != u32(central + 24)) ||
	     u32(p + 14) != e->crc))
		return damaged(e, "other sizes stand before its data", err);
	if (packed > limit - e->at - head)
		return damaged(e, "its data reach into the directory", err);
	e->packed = p + head;
	e->n_packed = (size_t)packed;
	return BT_OK;
}

/* Reads the entry at *p, of n bytes, and steps over it. */
static int read_entry(const struct bt_ckpt_file *f, const struct place *d,
                      const uint8_t **p, size_t n, struct bt_zip_entry *e,
                      struct bt_error *err)
{
	const uint8_t *q = *p;
	uint64_t size, packed;
	size_t head;

	if (n < CENTRAL_SIZE || u32(q) != 0x02014b50)
		return bt_error_set(err, BT_ECORRUPT,
		                    "the zip file's directory is damaged at "
		                    "byte %zu",
		                    (size_t)(q - f->data));
	head = CENTRAL_SIZE + (size_t)u16(q + 28) + u16(q + 30) + u16(q + 32);
	if (head > n)
		return bt_error_set(err, BT_ECORRUPT,
		                    "the zip file's directory is cut off");
	e->name = (const char *)q + CENTRAL_SIZE;
	e->n_name = u16(q + 28);
	e->method = u16(q + 10);
	e->crc = u32(q + 16);
	packed = u32(q + 20);
	size = u32(q + 24);
	e->at = u32(q + 42);
	if (!read_large(q + CENTRAL_SIZE + e->n_name, u16(q + 30), &size,
	                &packed, &e->at) ||
	    size > SIZE_MAX)
		return damaged(e, "its sizes are missing", err);
	if (u16(q + 8) & ENCRYPTED)
		return bt_error_set(err, BT_EFORMAT, "an encrypted zip file");
	if (e->method == 0 && size != packed)
		return damaged(e, "stored, but of two sizes", err);
	e->size = (size_t)size;
	*p = q + head;
	return check_local(f, e, q, packed, d->at, err);
}

static int by_place(const void *a, const void *b)
{
	const struct bt_zip_entry *s = a, *t = b;

	return (s->at > t->at) - (s->at < t->at);
}

static int by_name(const void *a, const void *b)
{
	const struct bt_zip_entry *s = a, *t = b;

	return bt_span_compare((struct bt_span){s->name, s->n_name},
	                       (struct bt_span){t->name, t->n_name});
}

static int check_entries(struct bt_zip *z, struct bt_error *err)
{
	size_t i;

	if (z->n < 2)
		return BT_OK;
	qsort(z->e, z->n, sizeof(*z->e), by_place);
	for (i = 1; i < z->n; i++)
		if (z->e[i - 1].packed + z->e[i - 1].n_packed >
		    z->f->data + z->e[i].at)
			return damaged(&z->e[i], "it overlaps another", err);
	qsort(z->e, z->n, sizeof(*z->e), by_name);
	for (i = 1; i < z->n; i++)
		if (by_name(&z->e[i - 1], &z->e[i]) == 0)
			return damaged(&z->e[i], "it is there twice", err);
	return BT_OK;
}

int bt_zip_open(struct bt_zip *z, const struct bt_ckpt_file *f,
                struct bt_error *err)
{
	struct place d = {0};
	const uint8_t *p, *end;
	int r = find_directory(f, &d, err);

	memset(z, 0, sizeof(*z));
	z->f = f;
	if (r != BT_OK)
		return r;
	p = f->data + d.at;
	end = p + d.size;
	if (d.n > d.size / CENTRAL_SIZE)
		return bt_error_set(err, BT_ECORRUPT,
		                    "the zip file's directory is too short "
		                    "for its %llu entries",
		                    (unsigned long long)d.n);
	z->e = bt_array0((size_t)d.n, sizeof(*z->e));
	if (z->e == NULL)
		return bt_error_nomem(err, "reading a zip file");
	for (z->n = 0; z->n < d.n && r == BT_OK; z->n++)
		r = read_entry(f, &d, &p, (size_t)(end - p), &z->e[z->n], err);
	if (r == BT_OK && p != end)
		r = bt_error_set(err, BT_ECORRUPT,
		                 "the zip file's directory holds more than "
		                 "its %llu entries",
		                 (unsigned long long)d.n);
	if (r == BT_OK)
		r = check_entries(z, err);
	if (r != BT_OK)
		bt_zip_clear(z);
	return r;
}

void bt_zip_clear(struct bt_zip *z)
{
	free(z->e);
	memset(z, 0, sizeof(*z));
}

const struct bt_zip_entry *bt_zip_find(const struct bt_zip *z, const char *name,
                                       size_t n)
{
	struct bt_zip_entry key = {.name = name, .n_name = n};

	if (z->n == 0)
		return NULL;
	return bsearch(&key, z->e, z->n, sizeof(*z->e), by_name);
}

/* Inflates all of e to out, which has room for its size. */
static int inflate_to(const struct bt_zip_entry *e, uint8_t *out,
                      struct bt_error *err)
{
	size_t in = 0, done = 0;
	z_stream s = {0};
	uint8_t spare = 0; /* where a byte too many would go */
	int r = inflateInit2(&s, -15);

	if (r != Z_OK)
		return bt_error_nomem(err, "reading a zip file");
	do {
		size_t a = e->n_packed - in, b = e->size - done;

		a = a < CHUNK ? a : CHUNK;
		b = b < CHUNK ? b : CHUNK;
		s.next_in = (Bytef *)(uintptr_t)(e->packed + in);
		s.avail_in = (uInt)a;
		s.next_out = b > 0 ? out + done : &spare;
		s.avail_out = b > 0 ? (uInt)b : 1;
		r = inflate(&s, Z_NO_FLUSH);
		in += a - s.avail_in;
		if (b == 0 && s.avail_out == 0)
			r = Z_DATA_ERROR;
		done += b > 0 ? b - s.avail_out : 0;
	} while (r == Z_OK);
	inflateEnd(&s);
	if (r == Z_MEM_ERROR)
		return bt_error_nomem(err, "reading a zip file");
	if (r != Z_STREAM_END || done != e->size || in != e->n_packed ||
	    crc32_z(0, out, e->size) != e->crc)
		return damaged(e, "its deflated data are damaged", err);
	return BT_OK;
}

static int unpack(struct bt_zip *z, struct bt_ckpt *c,
                  const struct bt_zip_entry *e, const uint8_t **data,
                  struct bt_error *err)
{
	uint8_t *p;
	int r;

	if (e->method != 8)
		return bt_error_set(err, BT_EFORMAT,
		                    "zip entry '%.*s' is packed by method %u; "
		                    "stored and deflated ones are read",
		                    (int)(e->n_name < 100 ? e->n_name : 100),
		                    e->name, e->method);
	if (e->size / RATIO_MAX > e->n_packed)
		return damaged(e, "so much cannot come of its data", err);
	if (e->size > BT_ZIP_INFLATED - z->inflated)
		return bt_error_set(err, BT_ELIMIT,
		                    "a zip file of more than %llu GiB once it "
		                    "is unpacked; unpack it or save it "
		                    "uncompressed",
		                    (unsigned long long)BT_ZIP_INFLATED >> 30);
	p = bt_ckpt_keep(c, e->size);
	if (p == NULL)
		return bt_error_nomem(err, "reading a zip file");
	r = inflate_to(e, p, err);
	if (r != BT_OK)
		return r;
	z->inflated += e->size;
	c->unpacked += e->size;
	*data = p;
	return BT_OK;
}

int bt_zip_sums(const struct bt_zip *z, struct bt_ckpt *c, struct bt_error *err)
{
	const struct bt_zip_entry *e;

	for (e = z->e; e < z->e + z->n; e++)
		/* PyTorch leaves 0 where it is asked to take no checksums */
		if (e->method == 0 && e->crc != 0 &&
		    bt_ckpt_add_sum(c, z->f, e->name, e->n_name, e->packed,
		                    e->size, e->crc) != BT_OK)
			return bt_error_nomem(err, "reading a zip file");
	return BT_OK;
}

int bt_zip_data(struct bt_zip *z, struct bt_ckpt *c,
                const struct bt_zip_entry *e, const uint8_t **data,
                struct bt_error *err)
{
	struct bt_zip_entry *mine = &z->e[e - z->e];
	int r = BT_OK;

	if (e->data == NULL && e->method != 0)
		r = unpack(z, c, e, &mine->data, err);
	else if (e->data == NULL)
		mine->data = e->packed;
	if (r == BT_OK)
		*data = e->data;
	return r;
}

/* SPDX-License-Identifier: MIT */
/* The directory at the end of a zip archive says what it holds; of it, no more
 * is read than one file and some names take. */
#include "io/unzip_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/span.h"
#include "base/str.h"

#define END 22                        /* bytes, and a comment */
#define TAIL ((uint64_t)END + 65535)  /* in which it is */
#define ENTRY 46                      /* and name, extra field, comment */
#define LOCAL 30                      /* and name, extra field */
#define DIRECTORY ((size_t)512 << 10) /* bytes of it that are read */
#define NAMES_SHOWN 100               /* bytes, about */
#define ELSEWHERE UINT32_MAX          /* stands in a field of zip64 */

struct zip_archive {
	int fd;
	const char *name;
	uint64_t size;
	uint8_t *bytes; /* of the end, then of the directory */
	uint64_t n_all; /* entries */
	uint64_t at;    /* of the directory */
	size_t n;       /* its bytes */
};

static unsigned u16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static int bad(const struct zip_archive *a, enum bt_err code, const char *what,
               struct bt_error *err)
{
	return bt_error_set(err, code, "cannot read %s: its zip archive %s",
	                    a->name, what);
}

static int damaged(const struct zip_archive *a, struct bt_error *err)
{
	return bad(a, BT_ECORRUPT, "is damaged: its directory does not fit",
	           err);
}

static int read_at(const struct zip_archive *a, uint8_t *to, size_t n,
                   uint64_t at, struct bt_error *err)
{
	size_t got = 0;
	ssize_t r;

	while (got < n) {
		r = pread(a->fd, to + got, n - got, (off_t)(at + got));
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return bt_error_sys(err, errno, "cannot read %s",
			                    a->name);
		if (r == 0)
			return bad(a, BT_ETRUNCATED, "is cut short", err);
		got += (size_t)r;
	}
	return BT_OK;
}

/* The end of the archive, which says where the directory is. */
static int find_directory(struct zip_archive *a, struct bt_error *err)
{
	size_t n = (size_t)(a->size < TAIL ? a->size : TAIL), i = END;
	const uint8_t *p = NULL;
	int r = read_at(a, a->bytes, n, a->size - n, err);

	if (r != BT_OK)
		return r;
	for (; i <= n; i++) {
		p = a->bytes + n - i;
		if (u32(p) == 0x06054b50 && u16(p + 20) == i - END)
			break;
	}
	if (i > n)
		return bad(a, BT_ETRUNCATED,
		           "has no end: it is cut short, or something follows",
		           err);
	a->n_all = u16(p + 10);
	a->at = u32(p + 16);
	if (a->n_all == UINT16_MAX || a->at == ELSEWHERE)
		return bad(a, BT_ELIMIT,
		           "is one of large files (zip64), which are not read",
		           err);
	if (u32(p + 12) != a->size - i - a->at || a->at > a->size - i)
		return damaged(a, err);
	a->n = u32(p + 12) < DIRECTORY ? u32(p + 12) : DIRECTORY;
	return read_at(a, a->bytes, a->n, a->at, err);
}

/* The bytes of the entry at p, in which n are; 0: it is not whole. */
static size_t entry(const uint8_t *p, size_t n, struct bt_span *name)
{
	size_t len;

	if (n < ENTRY || u32(p) != 0x02014b50)
		return 0;
	*name = (struct bt_span){(const char *)p + ENTRY, u16(p + 28)};
	len = ENTRY + name->n + u16(p + 30) + u16(p + 32);
	return len <= n ? len : 0;
}

/* Not a folder, nor what macOS adds. */
static bool is_file(struct bt_span name)
{
	static const char store[] = ".DS_Store", mac[] = "__MACOSX/";
	const char *end = name.p + name.n;

	return name.n > 0 && end[-1] != '/' &&
	       (name.n < 9 || (memcmp(name.p, mac, 9) != 0 &&
	                       memcmp(end - 9, store, 9) != 0));
}

/* The only file's entry; or an error that names those that there are. */
static int find_entry(const struct zip_archive *a, const uint8_t **found,
                      struct bt_error *err)
{
	const uint8_t *p = a->bytes, *end = p + a->n;
	struct bt_buf b = BT_BUF_INIT;
	uint64_t i, files = 0;
	struct bt_span name;
	size_t len = 1;
	int r = BT_OK;

	for (i = 0; i < a->n_all && len > 0; i++, p += len) {
		len = entry(p, (size_t)(end - p), &name);
		if (len == 0 || !is_file(name))
			continue;
		*found = p;
		if (b.len < NAMES_SHOWN)
			bt_buf_printf(&b, "%s'%.*s'", files > 0 ? ", " : "",
			              (int)(name.n < 60 ? name.n : 60), name.p);
		else if (b.data[b.len - 1] != '.')
			bt_buf_puts(&b, ", ...");
		files++;
	}
	if (files > 1)
		r = bt_error_hint(
		    err, BT_HINT_UNZIP,
		    bt_error_set(err, BT_EFORMAT,
		                 "cannot read %s: it is a zip archive of "
		                 "several files: %s",
		                 a->name, bt_buf_str(&b)));
	else if (len == 0)
		r = damaged(a, err);
	else if (files == 0)
		r = bad(a, BT_EFORMAT, "holds no file", err);
	bt_buf_clear(&b);
	return r;
}

/* What the entry says of the file. */
static int take_entry(const struct zip_archive *a, const uint8_t *p,
                      struct bt_unzip_file *z, struct bt_error *err)
{
	uint8_t local[LOCAL];
	uint64_t at = u32(p + 42);
	unsigned method = u16(p + 10);
	int r;

	*z = (struct bt_unzip_file){.deflate = method == 8,
	                            .packed = u32(p + 20),
	                            .size = u32(p + 24),
	                            .crc = u32(p + 16)};
	if ((u16(p + 8) & 1) != 0)
		return bt_error_hint(err, BT_HINT_UNZIP,
		                     bad(a, BT_EFORMAT, "is encrypted", err));
	if (method != 0 && method != 8)
		return bt_error_hint(
		    err, BT_HINT_UNZIP,
		    bad(a, BT_EFORMAT,
		        "is compressed by another method than deflate", err));
	if (z->packed == ELSEWHERE || z->size == ELSEWHERE || at == ELSEWHERE)
		return bt_error_hint(
		    err, BT_HINT_UNZIP,
		    bad(a, BT_ELIMIT,
		        "holds a large file (zip64), which is not read", err));
	if (at + LOCAL > a->at)
		return damaged(a, err);
	r = read_at(a, local, LOCAL, at, err);
	if (r != BT_OK)
		return r;
	z->at = at + LOCAL + u16(local + 26) + u16(local + 28);
	if (u32(local) != 0x04034b50 || z->at > a->at ||
	    z->packed > a->at - z->at || (!z->deflate && z->packed != z->size))
		return damaged(a, err);
	return BT_OK;
}

int bt_unzip_find(int fd, const char *name, struct bt_unzip_file *z,
                  struct bt_error *err)
{
	struct zip_archive a = {.fd = fd, .name = name};
	const uint8_t *p = NULL;
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return bt_error_hint(
		    err, BT_HINT_UNZIP,
		    bad(&a, BT_EFORMAT,
		        "comes through a pipe, and its directory stands at "
		        "its end",
		        err));
	a.size = (uint64_t)st.st_size;
	a.bytes = bt_array(DIRECTORY, 1);
	if (a.bytes == NULL)
		return bt_error_nomem(err, "reading a zip archive");
	r = find_directory(&a, err);
	if (r == BT_OK)
		r = find_entry(&a, &p, err);
	if (r == BT_OK)
		r = take_entry(&a, p, z, err);
	free(a.bytes);
	return r;
}

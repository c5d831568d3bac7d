/* SPDX-License-Identifier: MIT */
/*
 * zlib and libzstd decompress one member or frame; what lies between them is
 * looked at here, so that damage is not taken for the end. Memory is bounded:
 * by 32 KiB for gzip and zip, by WINDOW_LOG for zstd, whatever a frame claims.
 * Of a zip archive, the one file in it is read where its directory says.
 */
#define ZLIB_CONST
#include "io/decompress_int.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "io/fd_int.h"
#include "io/unzip_int.h"

#define BUFFER ((size_t)1 << 18)
#define PIECE ((size_t)4 << 10) /* that libzstd loses at most */
#define WINDOW_LOG 27           /* the most of zstd -22 --ultra, 128 MiB */
#define RECORD_HEAD 12

struct bt_decompress {
	enum bt_compression how;
	int fd;
	int wake;     /* or -1 */
	bool end;     /* the system has reported end of file */
	bool inside;  /* a member or frame has begun */
	bool pending; /* the last step filled its output: there may be more */
	const char *name;
	uint64_t base;   /* offset of buf[0] in the input */
	size_t pos, len; /* bytes not used yet: buf[pos .. len-1] */
	z_stream z;
	bool z_open;
	ZSTD_DCtx *zstd;
	struct bt_unzip_file zip; /* its data that are not read yet: packed */
	uint64_t made;            /* bytes of it, decompressed */
	uint32_t crc;             /* of them */
	bool begun;
	bool salvage;
	struct bt_error failed; /* what the next read returns, if its code is
	                         * not 0 */
	uint8_t *buf;
	size_t cap;
};

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* A frame, or one that decoders skip. */
static bool is_zstd(const uint8_t *p)
{
	uint32_t magic = load32(p);

	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) ==
	           ZSTD_MAGIC_SKIPPABLE_START;
}

/* True if the n bytes may be the first ones of a zstd magic number. */
static bool may_be_zstd(const uint8_t *p, size_t n)
{
	static const uint8_t frame[4] = {0x28, 0xb5, 0x2f, 0xfd};
	static const uint8_t skip[4] = {0x50, 0x2a, 0x4d, 0x18};

	return memcmp(p, frame, n) == 0 ||
	       ((p[0] & 0xf0) == skip[0] &&
	        memcmp(p + 1, skip + 1, n - 1) == 0);
}

/* Whether the first bytes, as far as there are four, are these. */
static bool begins(const uint8_t *p, size_t n, const char *four)
{
	return memcmp(p, four, n < 4 ? n : 4) == 0;
}

enum bt_compression bt_compression_of(const uint8_t *p, size_t n, bool end)
{
	enum bt_compression how = BT_COMPRESSION_NONE;

	if (n == 0)
		return end ? BT_COMPRESSION_NONE : BT_COMPRESSION_MORE;
	if (p[0] == 0x1f && (n < 2 || p[1] == 0x8b))
		how = n < 2 ? BT_COMPRESSION_MORE : BT_COMPRESSION_GZIP;
	else if (begins(p, n, "PK\3\4") || begins(p, n, "PK\5\6"))
		how = n < 4 ? BT_COMPRESSION_MORE : BT_COMPRESSION_ZIP;
	else if (n < 4 ? may_be_zstd(p, n) : is_zstd(p))
		how = n < 4 ? BT_COMPRESSION_MORE : BT_COMPRESSION_ZSTD;
	if (how == BT_COMPRESSION_NONE)
		return how;
	if (n < RECORD_HEAD && !end)
		return BT_COMPRESSION_MORE;
	/* a record of 35,615 bytes begins as gzip does */
	if (n >= RECORD_HEAD &&
	    bt_crc32c_mask(bt_crc32c(0, p, 8)) == load32(p + 8))
		return BT_COMPRESSION_NONE;
	return how == BT_COMPRESSION_MORE ? BT_COMPRESSION_NONE : how;
}

const char *bt_decompress_name(const struct bt_decompress *u)
{
	return u->how == BT_COMPRESSION_GZIP  ? "gzip"
	       : u->how == BT_COMPRESSION_ZIP ? "zip"
	                                      : "zstd";
}

/* Goes to the data of the file in the archive. */
static int open_zip(struct bt_decompress *u, struct bt_error *err)
{
	int r = bt_unzip_find(u->fd, u->name, &u->zip, err);

	if (r != BT_OK)
		return r;
	u->len = 0;
	u->base = u->zip.at;
	if (lseek(u->fd, (off_t)u->zip.at, SEEK_SET) < 0)
		return bt_error_sys(err, errno, "cannot read %s", u->name);
	return BT_OK;
}

int bt_decompress_new(enum bt_compression how, int fd, const char *name,
                      const uint8_t *first, size_t n,
                      struct bt_decompress **res, struct bt_error *err)
{
	struct bt_decompress *u = bt_array0(1, sizeof(*u));
	int r = BT_OK;

	u->cap = n > BUFFER ? n : BUFFER;
	u->buf = bt_array(u->cap, 1);
	if (u->buf == NULL)
		goto oom;
	u->how = how;
	u->fd = fd;
	u->wake = -1;
	u->name = name;
	memcpy(u->buf, first, n);
	u->len = n;
	if (how != BT_COMPRESSION_ZSTD) {
		u->z_open = inflateInit2(&u->z, how == BT_COMPRESSION_GZIP
		                                    ? 15 + 16
		                                    : -15) == Z_OK;
		if (!u->z_open)
			goto oom;
		if (how == BT_COMPRESSION_ZIP)
			r = open_zip(u, err);
	} else {
		u->zstd = ZSTD_createDCtx();
		if (u->zstd == NULL ||
		    ZSTD_isError(ZSTD_DCtx_setParameter(
		        u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG)))
			goto oom;
	}
	if (r == BT_OK)
		*res = u;
	else
		bt_decompress_free(u);
	return r;
oom:
	bt_decompress_free(u);
	return bt_error_set(err, BT_ENOMEM, "out of memory while reading %s",
	                    name);
}

void bt_decompress_free(struct bt_decompress *u)
{
	if (u == NULL)
		return;
	if (u->z_open)
		inflateEnd(&u->z);
	ZSTD_freeDCtx(u->zstd);
	free(u->buf);
	free(u);
}

static int complain(const struct bt_decompress *u, enum bt_err code,
                    const char *what, struct bt_error *err)
{
	return bt_error_set(err, code,
	                    "cannot read %s: %s data: byte %llu of the "
	                    "compressed file: %s",
	                    u->name, bt_decompress_name(u),
	                    (unsigned long long)(u->base + u->pos), what);
}

static int cut_short(const struct bt_decompress *u, struct bt_error *err)
{
	return bt_error_set(err, BT_ETRUNCATED,
	                    "cannot read %s: the %s data is cut short at byte "
	                    "%llu of the compressed file",
	                    u->name, bt_decompress_name(u),
	                    (unsigned long long)(u->base + u->pos));
}

void bt_decompress_wake(struct bt_decompress *u, int wake)
{
	u->wake = wake;
}

void bt_decompress_salvage(struct bt_decompress *u)
{
	u->salvage = true;
}

/* Reads once, behind the bytes that are not used yet. */
static int refill(struct bt_decompress *u, struct bt_error *err)
{
	ssize_t n;
	size_t room;
	struct pollfd p[2] = {{u->fd, POLLIN, 0}, {u->wake, POLLIN, 0}};
	int r;

	if (u->wake >= 0) { /* until fd can be read */
		do
			r = poll(p, 2, -1);
		while (r < 0 && errno == EINTR);
		if (r > 0 && p[1].revents != 0)
			return bt_error_set(err, BT_ECANCEL,
			                    "no longer needed");
	}
	u->base += u->pos;
	memmove(u->buf, u->buf + u->pos, u->len - u->pos);
	u->len -= u->pos;
	u->pos = 0;
	room = u->cap - u->len;
	if (u->how == BT_COMPRESSION_ZIP && room > u->zip.packed)
		room = (size_t)u->zip.packed;
	n = room > 0 ? bt_fd_read(u->fd, u->buf + u->len, room) : 0;
	if (n < 0)
		return bt_error_sys(err, errno, "cannot read %s", u->name);
	u->end = n == 0;
	u->len += (size_t)n;
	if (u->how == BT_COMPRESSION_ZIP)
		u->zip.packed -= (size_t)n;
	return BT_OK;
}

/* Between two members or frames. 1: another one begins; 0: the end. */
static int begin(struct bt_decompress *u, struct bt_error *err)
{
	static const uint8_t gzip[2] = {0x1f, 0x8b};
	size_t need = u->how == BT_COMPRESSION_GZIP ? 2 : 4, n;
	const uint8_t *p;
	bool fits;
	int r;

	if (u->how == BT_COMPRESSION_ZIP) {
		u->inside = !u->begun;
		u->begun = true;
		return u->inside;
	}
	while (u->len - u->pos < need && !u->end) {
		r = refill(u, err);
		if (r != BT_OK)
			return r;
	}
	p = u->buf + u->pos;
	n = u->len - u->pos;
	if (n == 0)
		return 0;
	if (u->how == BT_COMPRESSION_GZIP)
		fits = memcmp(p, gzip, n < 2 ? n : 2) == 0;
	else
		fits = n < 4 ? may_be_zstd(p, n) : is_zstd(p);
	if (!fits)
		return complain(u, BT_ECORRUPT,
		                "something else follows where the data ends",
		                err);
	if (n < need) {
		u->pos = u->len;
		return cut_short(u, err);
	}
	u->inside = true;
	return 1;
}

static int step_gzip(struct bt_decompress *u, uint8_t *dst, size_t size,
                     size_t *got, struct bt_error *err)
{
	z_stream *z = &u->z;
	unsigned room = size < 1u << 30 ? (unsigned)size : 1u << 30;
	int r;

	z->next_in = u->buf + u->pos;
	z->avail_in = (unsigned)(u->len - u->pos);
	z->next_out = dst;
	z->avail_out = room;
	r = inflate(z, Z_NO_FLUSH);
	u->pos = u->len - z->avail_in;
	*got = room - z->avail_out;
	u->pending = z->avail_out == 0;
	if (r == Z_STREAM_END) {
		u->inside = u->pending = false;
		r = inflateReset(z);
	}
	if (r == Z_OK || r == Z_BUF_ERROR)
		return BT_OK;
	if (r == Z_MEM_ERROR)
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory while reading %s", u->name);
	if (r == Z_NEED_DICT)
		return complain(u, BT_ECORRUPT, "needs a dictionary", err);
	return complain(u, BT_ECORRUPT, z->msg != NULL ? z->msg : "damaged",
	                err);
}

static int step_stored(struct bt_decompress *u, uint8_t *dst, size_t size,
                       size_t *got)
{
	*got = u->len - u->pos < size ? u->len - u->pos : size;
	memcpy(dst, u->buf + u->pos, *got);
	u->pos += *got;
	u->inside = u->zip.packed > 0 || u->pos < u->len;
	return BT_OK;
}

static int step_zip(struct bt_decompress *u, uint8_t *dst, size_t size,
                    size_t *got, struct bt_error *err)
{
	int r = u->zip.deflate ? step_gzip(u, dst, size, got, err)
	                       : step_stored(u, dst, size, got);

	if (r != BT_OK)
		return r;
	u->made += *got;
	u->crc = (uint32_t)crc32_z(u->crc, dst, *got);
	if (u->made > u->zip.size ||
	    (!u->inside &&
	     (u->made < u->zip.size || u->zip.packed > 0 || u->pos < u->len)))
		return complain(u, BT_ECORRUPT, "the archive says another size",
		                err);
	if (!u->inside && u->crc != u->zip.crc)
		return complain(u, BT_ECORRUPT, "the checksum differs", err);
	return BT_OK;
}

static int zstd_failed(const struct bt_decompress *u, size_t code,
                       struct bt_error *err)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory while reading %s", u->name);
	case ZSTD_error_frameParameter_windowTooLarge:
		return complain(u, BT_ELIMIT,
		                "needs a window of more than 128 MiB, as "
		                "zstd's long mode makes them: compress it "
		                "without that",
		                err);
	default:
		return complain(u, BT_ECORRUPT, ZSTD_getErrorName(code), err);
	}
}

static int step_zstd(struct bt_decompress *u, uint8_t *dst, size_t size,
                     size_t *got, struct bt_error *err)
{
	ZSTD_inBuffer in = {u->buf, u->len, u->pos};
	ZSTD_outBuffer out = {dst, u->salvage && size > PIECE ? PIECE : size,
	                      0};
	size_t r = ZSTD_decompressStream(u->zstd, &out, &in);

	u->pos = in.pos;
	*got = out.pos;
	if (ZSTD_isError(r))
		return zstd_failed(u, r, err);
	u->inside = r != 0;
	u->pending = u->inside && out.pos == out.size;
	return BT_OK;
}

int bt_decompress_read(struct bt_decompress *u, uint8_t *dst, size_t size,
                       size_t *got, struct bt_error *err)
{
	int r = BT_OK;

	*got = 0;
	if (u->failed.code != BT_OK) {
		*err = u->failed;
		return err->code;
	}
	while (*got == 0) {
		if (!u->inside) {
			r = begin(u, err);
			if (r != 1)
				return r;
		}
		if (u->pos == u->len && !u->pending && !u->end) {
			r = refill(u, err);
			if (r != BT_OK)
				return r;
		}
		r = u->how == BT_COMPRESSION_GZIP
		        ? step_gzip(u, dst, size, got, err)
		    : u->how == BT_COMPRESSION_ZIP
		        ? step_zip(u, dst, size, got, err)
		        : step_zstd(u, dst, size, got, err);
		if (r != BT_OK && u->salvage && *got > 0) {
			u->failed = *err;
			bt_error_clear(err);
			return BT_OK;
		}
		if (r != BT_OK)
			return r;
		if (*got == 0 && u->inside && u->end && u->pos == u->len)
			return cut_short(u, err);
	}
	return BT_OK;
}

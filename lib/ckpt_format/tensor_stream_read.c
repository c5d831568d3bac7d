/* SPDX-License-Identifier: MIT */
/*
 * A frame's blocks are walked (RFC 8878, 3.1.1), so that no byte behind it is
 * waited for and all of it lies in memory: libzstd then decompresses it in one
 * go, straight to where it stays.
 */
#include "ckpt_format/tensor_stream_read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "ckpt_format/safetensors.h"
#include "ckpt_format/tensor_stream_int.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "io/path.h"

#define BLOCK_MAX ((uint64_t)1 << 17) /* bytes that come of a block */

struct bt_ts_reader {
	struct bt_in *in;
	size_t limit;
	ZSTD_DCtx *zstd;
	struct bt_ckpt *c;
	uint8_t *blob;
	size_t room, size;
	const uint8_t *packed; /* the last frame, still to be skipped */
	size_t n_packed;
	uint32_t packed_crc;

	/* of this stream */
	bool inside; /* it has begun and not ended */
	uint64_t here, here_bytes;
	uint32_t crc;

	/* of all */
	uint64_t frames, streams;
};

int bt_ts_reader_open(const char *path, size_t limit, struct bt_ts_reader **res,
                      struct bt_error *err)
{
	struct bt_ts_reader *t = bt_array0(1, sizeof(*t));
	int r;

	t->zstd = ZSTD_createDCtx();
	t->limit = limit != 0 ? limit : BT_TS_READER_LIMIT;
	r = t->zstd != NULL ? bt_in_open(path, &t->in, err)
	                    : bt_error_nomem(err, "reading tensors");
	if (r == BT_OK)
		r = bt_in_refuse_terminal(t->in, err);
	if (r != BT_OK) {
		bt_ts_reader_close(t);
		return path != NULL && bt_path_is_dir(path) /* a model's */
		           ? bt_error_hint(err, BT_HINT_WRITE_TENSORS, r)
		           : r;
	}
	bt_in_as_is(t->in);
	*res = t;
	return BT_OK;
}

void bt_ts_reader_close(struct bt_ts_reader *t)
{
	if (t == NULL)
		return;
	bt_ckpt_close(t->c);
	bt_in_close(t->in);
	ZSTD_freeDCtx(t->zstd);
	free(t->blob);
	free(t);
}

const char *bt_ts_reader_name(const struct bt_ts_reader *t)
{
	return bt_in_name(t->in);
}

uint64_t bt_ts_reader_streams(const struct bt_ts_reader *t)
{
	return t->streams;
}

const void *bt_ts_reader_packed(const struct bt_ts_reader *t, size_t *n,
                                uint32_t *crc)
{
	*n = t->n_packed;
	*crc = t->packed_crc;
	return t->packed;
}

size_t bt_ts_reader_size(const struct bt_ts_reader *t)
{
	return t->size;
}

int bt_ts_reader_prefix(const struct bt_ts_reader *t, struct bt_error *err)
{
	return bt_error_prefix(err, "cannot read %s: frame %llu",
	                       bt_ts_reader_name(t),
	                       (unsigned long long)t->frames);
}

/* The n bytes that come next, all of them. */
static int need(struct bt_ts_reader *t, size_t n, const uint8_t **p,
                struct bt_error *err)
{
	size_t got;
	int r = bt_in_peek(t->in, n, p, &got, err);

	if (r == BT_OK && got < n)
		return bt_error_set(
		    err, BT_ETRUNCATED,
		    "cannot read %s: the stream is cut off in or behind frame "
		    "%llu, at byte %llu: it has no end record",
		    bt_ts_reader_name(t), (unsigned long long)t->frames + 1,
		    (unsigned long long)(bt_in_offset(t->in) + got));
	return r;
}

/* A frame that this module cannot have written, or whose bytes changed. */
static int bad(const struct bt_ts_reader *t, int code, const char *why,
               struct bt_error *err)
{
	return bt_error_set(
	    err, code, "cannot read %s: frame %llu, at byte %llu: %s",
	    bt_ts_reader_name(t), (unsigned long long)t->frames + 1,
	    (unsigned long long)bt_in_offset(t->in), why);
}

/* Reads a frame's header: its length and how many bytes the blob has. */
static int frame_header(struct bt_ts_reader *t, size_t *len, uint64_t *size,
                        struct bt_error *err)
{
	static const uint8_t fields[4] = {0, 2, 4, 8};
	const uint8_t *p;
	char why[80];
	uint8_t d;
	int r = need(t, 5, &p, err);

	if (r != BT_OK)
		return r;
	d = p[4]; /* the descriptor */
	if ((d & 3) != 0 || (d & 4) == 0 || (d & 0xe0) == 0)
		return bad(t, BT_EFORMAT,
		           "no frame of a tensor stream: it needs a checksum, "
		           "the size of its content and no dictionary",
		           err);
	*len = 5 + (size_t) !(d & 0x20) +
	       ((d & 0xc0) == 0 ? 1 : (size_t)fields[d >> 6]);
	r = need(t, *len, &p, err);
	if (r == BT_OK)
		*size = ZSTD_getFrameContentSize(p, *len);
	if (r == BT_OK && *size >= ZSTD_CONTENTSIZE_ERROR)
		return bad(t, BT_ECORRUPT, "damaged header", err);
	if (r == BT_OK && *size > t->limit) {
		snprintf(why, sizeof(why), "%llu bytes, the limit is %zu",
		         (unsigned long long)*size, t->limit);
		return bad(t, BT_ELIMIT, why, err);
	}
	return r;
}

/* Makes all of the next frame available: p[0 .. n-1], of a blob of size. */
static int whole_frame(struct bt_ts_reader *t, const uint8_t **p, size_t *n,
                       uint64_t *size, struct bt_error *err)
{
	uint64_t most = 0;
	uint32_t head = 0;
	int r = frame_header(t, n, size, err);

	while (r == BT_OK && (head & 1) == 0) {
		r = need(t, *n + 3, p, err);
		if (r != BT_OK)
			return r;
		head = (*p)[*n] | (uint32_t)(*p)[*n + 1] << 8 |
		       (uint32_t)(*p)[*n + 2] << 16;
		if ((head >> 1 & 3) == 3 || head >> 3 > BLOCK_MAX)
			return bad(t, BT_ECORRUPT, "damaged block", err);
		*n += 3 + ((head >> 1 & 3) == 1 ? 1 : head >> 3);
		most += BLOCK_MAX;
		/* empty blocks could go on for ever */
		if (*n > ZSTD_compressBound((size_t)*size) + 64)
			return bad(t, BT_ECORRUPT,
			           "longer than what it holds can be", err);
	}
	if (r == BT_OK)
		r = need(t, *n + 4, p, err);
	*n += 4;
	if (r == BT_OK && *size > most)
		return bad(t, BT_ECORRUPT,
		           "it cannot hold as much as its header claims", err);
	return r;
}

static int read_frame(struct bt_ts_reader *t, struct bt_error *err)
{
	struct bt_error why = {0};
	const uint8_t *p;
	uint64_t size = 0;
	size_t n = 0, r;
	char name[32];
	int e = whole_frame(t, &p, &n, &size, err);

	if (e != BT_OK)
		return e;
	if (size > t->room) {
		free(t->blob);
		t->blob = bt_array((size_t)size, 1);
		t->room = t->blob != NULL ? (size_t)size : 0;
		if (t->blob == NULL)
			return bt_error_nomem(err, "reading tensors");
	}
	r = ZSTD_decompressDCtx(t->zstd, t->blob, (size_t)size, p, n);
	if (ZSTD_isError(r))
		return bad(t,
		           ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation
		               ? BT_ENOMEM
		               : BT_ECORRUPT,
		           ZSTD_getErrorName(r), err);
	t->size = r;
	snprintf(name, sizeof(name), "frame %llu",
	         (unsigned long long)t->frames + 1);
	e = bt_safetensors_open(name, t->blob, t->size, &t->c, &why);
	if (e != BT_OK)
		return bt_error_set(err, e == BT_ENOMEM ? e : BT_ECORRUPT,
		                    "cannot read %s: %s", bt_ts_reader_name(t),
		                    why.text);
	t->packed_crc = bt_crc32c(0, p, n);
	t->crc = bt_crc32c_join(t->crc, t->packed_crc, n);
	t->packed = p;
	t->n_packed = n;
	t->frames++;
	t->here++;
	t->here_bytes += r;
	t->inside = true;
	return 1;
}

static int read_end(struct bt_ts_reader *t, struct bt_error *err)
{
	const uint8_t *p;
	uint64_t frames, bytes;
	uint32_t size, crc;
	int r = need(t, BT_TS_END_SIZE, &p, err);

	if (r != BT_OK)
		return r;
	memcpy(&size, p + 4, 4);
	memcpy(&frames, p + BT_TS_FRAMES_AT, 8);
	memcpy(&bytes, p + BT_TS_BYTES_AT, 8);
	memcpy(&crc, p + BT_TS_CRC_AT, 4);
	if (size != BT_TS_END_SIZE - 8 ||
	    memcmp(p + BT_TS_MARK_AT, BT_TS_MARK, 8) != 0)
		return bad(t, BT_ECORRUPT, "no end record of a tensor stream",
		           err);
	if (frames != t->here || bytes != t->here_bytes)
		return bt_error_set(
		    err, BT_ECORRUPT,
		    "cannot read %s: %llu frames of %llu bytes were read, the "
		    "end record tells of %llu of %llu",
		    bt_ts_reader_name(t), (unsigned long long)t->here,
		    (unsigned long long)t->here_bytes,
		    (unsigned long long)frames, (unsigned long long)bytes);
	if (bt_crc32c(t->crc, p, BT_TS_CRC_AT) != crc)
		return bt_error_set(err, BT_ECORRUPT,
		                    "cannot read %s: the checksum of the "
		                    "stream differs",
		                    bt_ts_reader_name(t));
	bt_in_skip(t->in, BT_TS_END_SIZE);
	t->inside = false;
	t->here = t->here_bytes = 0;
	t->crc = 0;
	t->streams++;
	return BT_OK;
}

/* ASCII, as far as the first bytes tell. */
static bool is_text(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < 16; i++)
		if (p[i] >= 0x80 || (!isprint(p[i]) && !isspace(p[i])))
			return false;
	return n > 0;
}

/* What a file that begins with such bytes holds; NULL: that is not known. */
static const char *begun(const uint8_t *p, size_t n, enum bt_hint *hint)
{
	*hint = BT_HINT_ARRAYS_TO_STREAM;
	if (n >= 6 && memcmp(p, "\x93NUMPY", 6) == 0)
		return "a NumPy array";
	if (n >= 4 && memcmp(p, "PK\3\4", 4) == 0)
		return "a zip archive, as of NumPy arrays,";
	*hint = BT_HINT_WRITE_TENSORS;
	if (is_text(p, n))
		return "text";
	*hint = BT_HINT_READ_WITH_TFRECORD_CAT;
	if (bt_tfrecord_begins(p, n))
		return "records";
	*hint = BT_HINT_SAFETENSORS_TO_STREAM;
	return n >= 9 && memcmp(p + 4, "\0\0\0\0{", 5) == 0
	           ? "a safetensors file"
	           : NULL;
}

static int foreign(const struct bt_ts_reader *t, struct bt_error *err)
{
	bool first = t->frames + t->streams == 0;
	const char *held = NULL;
	enum bt_hint hint;
	const uint8_t *p;
	size_t got;

	if (first && bt_in_some(t->in, 1, &p, &got, NULL) == BT_OK)
		held = begun(p, got, &hint);
	if (held != NULL)
		return bt_error_hint(
		    err, hint,
		    bt_error_set(err, BT_EFORMAT,
		                 "cannot read %s: it holds %s and not a stream "
		                 "of tensors",
		                 bt_ts_reader_name(t), held));
	return bt_error_set(err, first ? BT_EFORMAT : BT_ECORRUPT,
	                    "cannot read %s: byte %llu begins neither a frame "
	                    "nor the end of a tensor stream",
	                    bt_ts_reader_name(t),
	                    (unsigned long long)bt_in_offset(t->in));
}

int bt_ts_reader_next(struct bt_ts_reader *t, const struct bt_ckpt **c,
                      struct bt_error *err)
{
	const uint8_t *p;
	uint32_t magic;
	size_t got;
	int r;

	bt_ckpt_close(t->c);
	t->c = NULL;
	bt_in_skip(t->in, t->n_packed);
	t->n_packed = 0;
	t->packed = NULL;
	for (;;) {
		r = bt_in_peek(t->in, 4, &p, &got, err);
		if (r != BT_OK)
			return r;
		if (got == 0 && !t->inside && t->streams > 0)
			return 0;
		r = need(t, 4, &p, err);
		if (r != BT_OK)
			return r;
		memcpy(&magic, p, 4);
		if (magic == BT_TS_FRAME)
			break;
		r = magic == BT_TS_END ? read_end(t, err) : foreign(t, err);
		if (r != BT_OK)
			return r;
	}
	r = read_frame(t, err);
	if (r == 1)
		*c = t->c;
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "format/tfrecord_int.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

#define HEADER BT_TFRECORD_HEADER
#define FOOTER BT_TFRECORD_FOOTER

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int open_next(struct bt_tfrecord *r, struct bt_error *err)
{
	const char *path = r->n_paths == 0 ? NULL : r->paths[r->next_path];
	const char *name;
	int e = bt_in_open(path, &r->in, err);

	if (e == BT_OK && (e = bt_in_refuse_terminal(r->in, err)))
		bt_error_hint(err, BT_HINT_READ_TEXT, e);
	if (e != BT_OK)
		return e;
	bt_in_limit(r->in, r->limit);
	if (r->recover)
		bt_in_salvage(r->in);
	if (r->ahead)
		bt_in_ahead(r->in);
	bt_in_idle(r->in, r->idle, r->idle_ctx);
	r->next_path++;
	r->record = 0;
	r->pending = r->have = 0;
	r->damaged = false;
	r->pipe = bt_in_is_pipe(r->in);
	free(r->file);
	name = bt_in_name(r->in);
	r->file = bt_strndup(name, strlen(name));
	return BT_OK;
}

int bt_tfrecord_open(char *const *paths, int n, struct bt_tfrecord **res,
                     struct bt_error *err)
{
	struct bt_tfrecord *r = bt_array0(1, sizeof(*r));
	int e;

	r->paths = paths;
	r->n_paths = n;
	e = open_next(r, err);
	if (e == BT_OK)
		*res = r;
	else
		bt_tfrecord_close(r);
	return e;
}

void bt_tfrecord_close(struct bt_tfrecord *r)
{
	if (r == NULL)
		return;
	bt_in_close(r->in);
	free(r->file);
	free(r);
}

void bt_tfrecord_limit(struct bt_tfrecord *r, struct bt_in_limit *limit)
{
	r->limit = limit;
	bt_in_limit(r->in, limit);
}

void bt_tfrecord_ahead(struct bt_tfrecord *r)
{
	r->ahead = true;
	if (r->in != NULL)
		bt_in_ahead(r->in);
}

void bt_tfrecord_idle(struct bt_tfrecord *r, bt_in_idle_fn *fn, void *ctx)
{
	r->idle = fn;
	r->idle_ctx = ctx;
	if (r->in != NULL)
		bt_in_idle(r->in, fn, ctx);
}

void bt_tfrecord_expect(struct bt_tfrecord *r, uint64_t n)
{
	r->expected = n;
}

void bt_tfrecord_add_to(struct bt_tfrecord *r, struct bt_tfrecord_sum *sum)
{
	r->sum = sum;
}

/* Whether bytes may be of a text; *ascii: whether all are ASCII. */
static bool is_text(const uint8_t *p, size_t n, bool *ascii)
{
	size_t i;

	*ascii = true;
	for (i = 0; i < n; i++) {
		if (!isprint(p[i]) && !isspace(p[i]) && p[i] < 0x80)
			return false;
		*ascii = *ascii && p[i] < 0x80;
	}
	return true;
}

/* Names the format of a file that is not a TFRecord stream by its first bytes;
 * NULL: unknown. */
static const char *guess(const uint8_t *p, size_t n, enum bt_hint *hint)
{
	bool ascii, text = is_text(p, n, &ascii);

	*hint = BT_HINT_NONE;
	if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
		return "gzip-compressed data (compressed twice)";
	/* which may begin as a text does: "x^2" */
	if (n >= 2 && p[0] == 0x78 && (p[0] * 256 + p[1]) % 31 == 0 &&
	    (p[1] & 0x20) == 0 && !(text && ascii))
		return "zlib-compressed data, which is not read: gzip and "
		       "zstd are";
	if (n >= 4 && load32(p) == 0xFD2FB528u)
		return "zstd-compressed data (compressed twice)";
	if (bt_tfrecord_is_parquet(p, n)) {
		*hint = BT_HINT_READ_PARQUET;
		return "the mark of a Parquet file";
	}
	if (n >= 10 && load64(p) < (uint64_t)1 << 32 &&
	    (memcmp(p + 8, "{\"", 2) == 0 || memcmp(p + 8, "{}", 2) == 0)) {
		*hint = BT_HINT_READ_TENSORS;
		return "tensors";
	}
	if (!text)
		return NULL;
	*hint = BT_HINT_READ_TEXT;
	return "text";
}

bool bt_tfrecord_is_parquet(const void *p, size_t n)
{
	return n >= 4 && memcmp(p, "PAR1", 4) == 0;
}

bool bt_tfrecord_begins(const void *p, size_t n)
{
	return n >= HEADER && bt_tfrecord_crc_holds(p, 8);
}

/* To follow "byte 17". */
static const char *of_what(const struct bt_tfrecord *r)
{
	return bt_in_packing(r->in) != NULL ? " of the decompressed data" : "";
}

/* Of a pipe, a program that fails leaves less than it should (bt_out_abandon),
 * and few look there first. */
static int truncated(const struct bt_tfrecord *r, struct bt_error *err)
{
	if (r->pipe && r->record == 1)
		return bt_error_hint(
		    err, BT_HINT_PIPE_FAILED,
		    bt_error_set(err, BT_ETRUNCATED,
		                 "cannot read %s: it ends before its first "
		                 "record is complete",
		                 r->file));
	bt_error_set(err, BT_ETRUNCATED,
	             "ends inside a record that starts at byte %llu%s",
	             (unsigned long long)bt_in_offset(r->in), of_what(r));
	bt_error_hint(err, r->pipe ? BT_HINT_PIPE_FAILED : BT_HINT_NONE,
	              BT_ETRUNCATED);
	return bt_tfrecord_blame(r, err);
}

static int corrupt(const struct bt_tfrecord *r, const char *what,
                   struct bt_error *err)
{
	bt_error_set(
	    err, BT_ECORRUPT,
	    "checksum of the %s differs (record starts at byte %llu%s)", what,
	    (unsigned long long)bt_in_offset(r->in), of_what(r));
	return bt_tfrecord_blame(r, err);
}

/* Reads and checks the header; *len is the payload's length. Returns 1, 0 at
 * the end of the file, or an error. */
static int read_header(struct bt_tfrecord *r, uint64_t *len,
                       struct bt_error *err)
{
	const uint8_t *p;
	const char *looks;
	enum bt_hint hint;
	size_t got;
	int e = bt_in_peek(r->in, HEADER, &p, &got, err);

	if (e != BT_OK)
		return e;
	if (got == 0)
		return 0;
	r->record++;
	looks = r->record == 1 ? guess(p, got, &hint) : NULL;
	if (got == HEADER && bt_tfrecord_crc_holds(p, 8))
		looks = NULL;
	else if (looks == NULL)
		return got < HEADER ? truncated(r, err)
		                    : corrupt(r, "length", err);
	if (looks != NULL)
		return bt_error_hint(
		    err, hint,
		    bt_error_set(err, BT_EFORMAT,
		                 "%s is not a TFRecord stream: it starts with "
		                 "%s",
		                 r->file, looks));
	*len = load64(p);
	if (*len > BT_TFRECORD_MAX) {
		bt_error_set(err, BT_ELIMIT,
		             "claims to hold %llu bytes, more than the %llu "
		             "allowed",
		             (unsigned long long)*len,
		             (unsigned long long)BT_TFRECORD_MAX);
		return bt_tfrecord_blame(r, err);
	}
	return 1;
}

/* A record that is whole and good in the bytes that are there; false: look
 * closer. */
static inline bool next_there(struct bt_tfrecord *r, const uint8_t **data,
                              size_t *len)
{
	const uint8_t *p = r->next;
	uint64_t n;

	if (r->have < BT_TFRECORD_FRAME || !bt_tfrecord_crc_holds(p, 8))
		return false;
	n = load64(p);
	if (n > r->have - BT_TFRECORD_FRAME || n > BT_TFRECORD_MAX ||
	    !bt_tfrecord_crc_holds(p + HEADER, (size_t)n))
		return false;
	*data = p + HEADER;
	*len = (size_t)n;
	r->next += BT_TFRECORD_FRAME + n;
	r->have -= BT_TFRECORD_FRAME + (size_t)n;
	r->pending += BT_TFRECORD_FRAME + (size_t)n;
	r->record++;
	r->total++;
	return true;
}

/* As bt_tfrecord_next, within the open file. */
static int next_in_file(struct bt_tfrecord *r, const uint8_t **data,
                        size_t *len, struct bt_error *err)
{
	const uint8_t *p;
	uint64_t n = 0;
	size_t got, whole;
	int e;

	bt_in_skip(r->in, r->pending);
	r->pending = 0;
	r->have = 0;
	e = read_header(r, &n, err);
	if (e != 1)
		return e;
	whole = BT_TFRECORD_FRAME + (size_t)n;
	e = bt_in_some(r->in, whole, &p, &got, err);
	if (e != BT_OK)
		return e;
	if (got < whole)
		return truncated(r, err);
	if (!bt_tfrecord_crc_holds(p + HEADER, (size_t)n))
		return corrupt(r, "data", err);
	r->next = p + whole;
	r->have = got - whole;
	*data = p + HEADER;
	*len = (size_t)n;
	r->pending = whole;
	r->total++;
	return 1;
}

static int next_record(struct bt_tfrecord *r, const uint8_t **data, size_t *len,
                       struct bt_error *err)
{
	int e;

	if (next_there(r, data, len))
		return 1;
	for (;;) {
		if (r->in == NULL) {
			if (r->next_path >= r->n_paths)
				break;
			e = open_next(r, err);
			if (e != BT_OK)
				return e;
		}
		e = r->recover ? bt_tfrecord_next_whole(r, data, len, err)
		               : next_in_file(r, data, len, err);
		if (e != 0)
			return e;
		bt_in_close(r->in);
		r->in = NULL;
	}
	if (r->expected == 0 || r->total == r->expected)
		return BT_OK;
	return bt_error_set(
	    err, BT_ETRUNCATED, "expected %llu record%s, found %llu",
	    (unsigned long long)r->expected, bt_plural(r->expected),
	    (unsigned long long)r->total);
}

int bt_tfrecord_next(struct bt_tfrecord *r, const uint8_t **data, size_t *len,
                     struct bt_error *err)
{
	int e = next_record(r, data, len, err);

	if (e == 1 && r->sum != NULL) {
		r->sum->records++;
		r->sum->crc = bt_crc32c(r->sum->crc, *data - HEADER,
		                        *len + BT_TFRECORD_FRAME);
	}
	return e;
}

const char *bt_tfrecord_file(const struct bt_tfrecord *r)
{
	return r->file;
}

uint64_t bt_tfrecord_record(const struct bt_tfrecord *r)
{
	return r->record;
}

uint64_t bt_tfrecord_total(const struct bt_tfrecord *r)
{
	return r->total;
}

int bt_tfrecord_blame(const struct bt_tfrecord *r, struct bt_error *err)
{
	return bt_error_prefix(err, "cannot read %s: %srecord %llu", r->file,
	                       r->recover ? "whole " : "",
	                       (unsigned long long)r->record);
}

int bt_tfrecord_none(const struct bt_tfrecord *r, struct bt_error *err)
{
	return bt_error_hint(
	    err, r->pipe ? BT_HINT_PIPE : BT_HINT_NONE,
	    bt_error_set(err, BT_EFORMAT, "%s holds no records", r->file));
}

int bt_tfrecord_write(struct bt_out *out, const void *data, size_t len,
                      struct bt_error *err)
{
	uint64_t n = len;
	uint32_t crc;
	uint8_t head[HEADER];
	int e;

	memcpy(head, &n, 8);
	crc = bt_crc32c_mask(bt_crc32c(0, head, 8));
	memcpy(head + 8, &crc, 4);
	e = bt_out_write(out, head, HEADER, err);
	if (e == BT_OK)
		e = bt_out_write(out, data, len, err);
	crc = bt_crc32c_mask(bt_crc32c(0, data, len));
	if (e == BT_OK)
		e = bt_out_write(out, &crc, FOOTER, err);
	return e;
}

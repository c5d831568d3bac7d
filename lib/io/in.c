/* SPDX-License-Identifier: MIT */
#include "io/in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/decompress_int.h"
#include "io/fd_int.h"
#include "io/path.h"
#include "io/read_ahead_int.h"
#include "io/url.h"
#include "io/utf16_int.h"

#define POINTER_MAX 1024 /* bytes of a file of Git LFS; really some 130 */
#define BLOCK ((size_t)1 << 20)
#define PIECE (BLOCK / 4)              /* of UTF-16 */
#define MOMENT 20                      /* ms that a stream is waited for */
#define STREAM ((size_t)8 << 10)       /* bytes of its usual read, or more */
#define AHEAD_FROM ((uint64_t)4 << 20) /* less is read before a thread pays */

struct bt_in {
	int fd;
	bool end;                     /* nothing more comes */
	bool known;                   /* whether it is compressed */
	bool over;                    /* more came than the limit allows */
	struct bt_in_limit *limit;    /* or NULL */
	struct bt_decompress *unpack; /* or NULL: it is not */
	bt_in_idle_fn *idle;          /* or NULL */
	void *idle_ctx;
	bool may_ahead, salvage;
	struct bt_read_ahead *ahead; /* of unpack */
	char *name;
	uint8_t *buf;
	size_t cap, pos, len; /* unread bytes: buf[pos .. len-1] */
	uint64_t offset;      /* of buf[pos] in the stream */
	size_t usual;         /* bytes of a read, as a running mean */
	uint8_t *utf16;       /* [PIECE] what is read becomes UTF-8; or NULL */
	struct bt_utf16_rest rest;
};

/* Of a file; a pipe is not looked into, for its bytes may be long in coming. */
static bool is_pointer(int fd, const struct stat *st)
{
	char first[sizeof(BT_LFS_POINTER) - 1];

	return S_ISREG(st->st_mode) && st->st_size <= POINTER_MAX &&
	       pread(fd, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
	       memcmp(first, BT_LFS_POINTER, sizeof(first)) == 0;
}

static bool opened_std; /* in this process */

int bt_in_open(const char *path, struct bt_in **out, struct bt_error *err)
{
	bool std = path == NULL || strcmp(path, "-") == 0;
	struct bt_in *in;
	struct stat st;
	int r = BT_EIO;

	if (bt_url_refuse(path, BT_URL_IN, err) != BT_OK)
		return BT_EREMOTE;
	in = bt_array0(1, sizeof(*in));
	in->fd = STDIN_FILENO;
	if (std && opened_std) {
		r = bt_error_set(err, BT_EARG,
		                 "standard input is given 2 times");
		goto fail;
	}
	in->name =
	    std ? bt_strndup("standard input", 14) : bt_path_quoted(path);
	if (!std)
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) != 0) {
		bt_error_sys(err, errno, "cannot open %s", in->name);
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		bt_error_sys(err, EISDIR, "cannot read %s", in->name);
		goto fail;
	}
	if (is_pointer(in->fd, &st)) {
		r = bt_error_set(err, BT_EFORMAT, "%s " BT_LFS_SAYS, in->name);
		goto fail;
	}
	if (!std && (r = bt_file_use_read(in->fd, in->name, err)) != BT_OK)
		goto fail;
	opened_std |= std;
	*out = in;
	return BT_OK;
fail:
	bt_in_close(in);
	return r;
}

void bt_in_close(struct bt_in *in)
{
	if (in == NULL)
		return;
	bt_read_ahead_free(in->ahead);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	bt_decompress_free(in->unpack);
	free(in->name);
	free(in->buf);
	free(in->utf16);
	free(in);
}

int bt_in_refuse_terminal(const struct bt_in *in, struct bt_error *err)
{
	if (!isatty(in->fd))
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "%s is a terminal and the input is binary: "
	                    "name a file or use a pipe",
	                    in->name);
}

void bt_in_limit(struct bt_in *in, struct bt_in_limit *limit)
{
	in->limit = limit;
}

void bt_in_as_is(struct bt_in *in)
{
	in->known = true;
}

void bt_in_salvage(struct bt_in *in)
{
	in->salvage = true;
}

void bt_in_idle(struct bt_in *in, bt_in_idle_fn *fn, void *ctx)
{
	in->idle = fn;
	in->idle_ctx = ctx;
}

void bt_in_ahead(struct bt_in *in)
{
	in->may_ahead = true;
}

const char *bt_in_name(const struct bt_in *in)
{
	return in->name;
}

bool bt_in_is_pipe(const struct bt_in *in)
{
	struct stat st;

	return fstat(in->fd, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

uint64_t bt_in_offset(const struct bt_in *in)
{
	return in->offset;
}

const char *bt_in_packing(const struct bt_in *in)
{
	return in->unpack != NULL ? bt_decompress_name(in->unpack) : NULL;
}

int bt_in_plain_file(const struct bt_in *in)
{
	struct stat st;

	if (in->unpack != NULL || in->utf16 != NULL || in->offset != 0 ||
	    fstat(in->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	/* what is over the limit was read, but not kept */
	return in->over ||
	               lseek(in->fd, 0, SEEK_CUR) == (off_t)(in->len - in->pos)
	           ? in->fd
	           : -1;
}

/* Makes room for n unread bytes and a block to read into. */
static int make_room(struct bt_in *in, size_t n, struct bt_error *err)
{
	size_t have = in->len - in->pos, cap;
	uint8_t *p;

	if (in->pos > 0 && in->pos + n > in->cap) {
		memmove(in->buf, in->buf + in->pos, have);
		in->pos = 0;
		in->len = have;
	}
	if (in->pos + n <= in->cap && in->len < in->cap)
		return BT_OK;
	/* grow with what has arrived, not with what a header promises */
	cap = in->cap < BLOCK ? BLOCK : in->len + in->len / 2 + BLOCK;
	if (cap > in->pos + n && in->pos + n > BLOCK)
		cap = bt_round_up(in->pos + n, BLOCK);
	p = realloc(in->buf, cap);
	if (p == NULL)
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory while reading %s", in->name);
	in->buf = p;
	in->cap = cap;
	return BT_OK;
}

/* Tells that the next read would wait, where it would. A program that writes as
 * fast as it can only needs a moment, and its pipe gives much at a time; other
 * ones may wait for an answer before they write more. */
static int look_idle(struct bt_in *in, struct bt_error *err)
{
	struct pollfd p = {in->fd, POLLIN, 0};
	int n;

	if (in->idle == NULL)
		return BT_OK;
	do
		n = poll(&p, 1, in->usual < STREAM ? 0 : MOMENT);
	while (n < 0 && errno == EINTR);
	return n == 0 ? in->idle(in->idle_ctx, err) : BT_OK;
}

/* Reads once; sets end at end of file. */
static int read_plain(struct bt_in *in, uint8_t *dst, size_t room, size_t *got,
                      struct bt_error *err)
{
	ssize_t n;
	int r = look_idle(in, err);

	if (r != BT_OK)
		return r;
	n = bt_fd_read(in->fd, dst, room);
	if (n < 0)
		return bt_error_sys(err, errno, "cannot read %s", in->name);
	*got = (size_t)n;
	in->usual = (in->usual + *got) / 2;
	return BT_OK;
}

static int read_packed(struct bt_in *in, uint8_t *dst, size_t room, size_t *got,
                       struct bt_error *err)
{
	if (in->may_ahead && in->offset >= AHEAD_FROM) {
		in->may_ahead = false;
		bt_read_ahead_start(in->ahead);
	}
	return bt_read_ahead_read(in->ahead, dst, room, got, err);
}

/* Reads the first bytes, no more than needed to tell what they are. */
static int find_out(struct bt_in *in, size_t *got, struct bt_error *err)
{
	enum bt_compression how;
	size_t n = 0;
	int r;

	*got = 0;
	do {
		r = read_plain(in, in->buf + *got, in->cap - *got, &n, err);
		if (r != BT_OK)
			return r;
		in->end = n == 0;
		*got += n;
		how = bt_compression_of(in->buf, *got, in->end);
	} while (how == BT_COMPRESSION_MORE);
	in->known = true;
	if (how == BT_COMPRESSION_NONE)
		return BT_OK;
	r = bt_decompress_new(how, in->fd, in->name, in->buf, *got, &in->unpack,
	                      err);
	*got = 0;
	in->end = false;
	if (r != BT_OK)
		return r;
	if (in->salvage)
		bt_decompress_salvage(in->unpack);
	in->ahead = bt_read_ahead_new(in->unpack);
	return BT_OK;
}

/* n bytes of UTF-16 at p go to the end of the buffer, which has room; none are
 * the end. */
static int take_utf16(struct bt_in *in, const uint8_t *p, size_t n,
                      struct bt_error *err)
{
	in->len += bt_utf16_decode(&in->rest, p, n, in->buf + in->len);
	if (n == 0 && in->rest.odd)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "cannot read %s: its UTF-16 text ends in "
		                    "the middle of a character",
		                    in->name);
	return BT_OK;
}

/* Reads once; sets end at the end. */
static int fill(struct bt_in *in, size_t want, struct bt_error *err)
{
	uint8_t *dst;
	size_t n = 0, room;
	int r;

	if (in->over)
		return bt_error_set(err, BT_ELIMIT,
		                    "cannot read %s: there is more than the "
		                    "%llu bytes allowed%s",
		                    in->name,
		                    (unsigned long long)in->limit->max,
		                    in->unpack != NULL ? ", decompressed" : "");
	if (in->utf16 != NULL)
		want = in->len - in->pos + BT_UTF16_ROOM(PIECE);
	r = make_room(in, want, err);
	if (r != BT_OK)
		return r;
	dst = in->utf16 != NULL ? in->utf16 : in->buf + in->len;
	room = in->utf16 != NULL ? PIECE : in->cap - in->len;
	if (!in->known) {
		r = find_out(in, &n, err);
	} else {
		r = in->unpack != NULL ? read_packed(in, dst, room, &n, err)
		                       : read_plain(in, dst, room, &n, err);
		in->end = r == BT_OK && n == 0;
	}
	if (r != BT_OK)
		return r;
	if (in->limit != NULL && n > in->limit->left) {
		/* the error is reported when the rest is read */
		in->over = true;
		n = (size_t)in->limit->left;
	}
	if (in->limit != NULL)
		in->limit->left -= n;
	if (in->utf16 != NULL)
		return n > 0 || in->end ? take_utf16(in, dst, n, err) : BT_OK;
	in->len += n;
	return BT_OK;
}

int bt_in_utf16(struct bt_in *in, enum bt_utf16 *order, struct bt_error *err)
{
	uint8_t *old;
	const uint8_t *p;
	size_t n;
	int r = bt_in_peek(in, 1, &p, &n, err);

	/* the second byte may be long in coming */
	if (r == BT_OK && n == 1 && p[0] >= 0xFE)
		r = bt_in_peek(in, 2, &p, &n, err);
	if (r != BT_OK)
		return r;
	if (n == 2 && p[0] + p[1] == 0xFE + 0xFF) {
		*order = p[0] == 0xFF ? BT_UTF16_LE : BT_UTF16_BE;
		bt_in_skip(in, 2);
	}
	if (*order == BT_UTF16_NONE)
		return BT_OK;
	in->rest.big_endian = *order == BT_UTF16_BE;
	in->utf16 = bt_array(PIECE, 1);
	old = in->buf;
	p = old + in->pos;
	n = in->len - in->pos;
	in->pos = in->len = 0;
	in->cap = BLOCK + BT_UTF16_ROOM(n);
	in->buf = bt_array(in->cap, 1);
	if (in->buf == NULL)
		r = bt_error_nomem(err, "reading UTF-16");
	else if (n > 0 || in->end)
		r = take_utf16(in, p, n, err);
	free(old);
	return r;
}

int bt_in_some(struct bt_in *in, size_t n, const uint8_t **data, size_t *got,
               struct bt_error *err)
{
	int r;

	while (in->len - in->pos < n && !in->end) {
		r = fill(in, n, err);
		if (r != BT_OK)
			return r;
	}
	*data = in->buf + in->pos;
	*got = in->len - in->pos;
	return BT_OK;
}

int bt_in_peek(struct bt_in *in, size_t n, const uint8_t **data, size_t *got,
               struct bt_error *err)
{
	int r = bt_in_some(in, n, data, got, err);

	if (r == BT_OK && *got > n)
		*got = n;
	return r;
}

void bt_in_skip(struct bt_in *in, size_t n)
{
	in->pos += n;
	in->offset += n;
}

int bt_in_skip_mark(struct bt_in *in, struct bt_error *err)
{
	const uint8_t *p;
	size_t got;
	/* more than a byte may be long in coming */
	int r = bt_in_some(in, 1, &p, &got, err);

	got = got > 1 ? 1 : got;
	if (r == BT_OK && got == 1 && *p == 0xEF)
		r = bt_in_peek(in, 3, &p, &got, err);
	if (r == BT_OK && got == 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		bt_in_skip(in, 3);
	return r;
}

int bt_in_line(struct bt_in *in, size_t limit, struct bt_span *line,
               size_t *skip, struct bt_error *err)
{
	const uint8_t *p, *nl = NULL;
	size_t got = 0, seen = 0;
	int r;

	do {
		seen = got;
		if (seen >= limit)
			return bt_error_set(err, BT_ELIMIT,
			                    "%s: a line is longer than %zu "
			                    "bytes",
			                    in->name, limit);
		r = bt_in_some(in, seen + 1, &p, &got, err);
		if (r != BT_OK)
			return r;
		nl = got > seen ? memchr(p + seen, '\n', got - seen) : NULL;
	} while (nl == NULL && got > seen);
	if (got == 0)
		return 0;
	line->p = (const char *)p;
	line->n = nl != NULL ? (size_t)(nl - p) : got;
	*skip = line->n + (nl != NULL);
	if (line->n > 0 && line->p[line->n - 1] == '\r')
		line->n--;
	return 1;
}

int bt_in_whole(const char *path, size_t limit, char **data, size_t *len,
                struct bt_error *err)
{
	struct bt_in *in;
	const uint8_t *p;
	size_t got;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	bt_in_as_is(in);
	r = bt_in_peek(in, limit + 1, &p, &got, err);
	if (r != BT_OK)
		goto out;
	if (got > limit) {
		r = bt_error_set(err, BT_ELIMIT, "%s is larger than %zu bytes",
		                 in->name, limit);
		goto out;
	}
	*data = bt_strndup((const char *)p, got);
	*len = got;
	if (*data == NULL)
		r = bt_error_nomem(err, "reading a file");
out:
	bt_in_close(in);
	return r;
}

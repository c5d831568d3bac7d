/* SPDX-License-Identifier: MIT */
#include "io/out.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/file_use.h"
#include "base/mem.h"
#include "base/sys.h"
#include "io/atomic_file_int.h"
#include "io/path.h"
#include "io/url.h"
#include "io/write_behind_int.h"

#define PAGE ((size_t)4096)
#define BUFFER (BT_OUT_ROOM + PAGE)
#define BEHIND_FROM ((uint64_t)4 << 20) /* less is written before it pays */

struct bt_out {
	struct bt_atomic_file place;
	enum bt_out_kind kind;
	char *name; /* for messages */
	bool settled;
	uint8_t *buf;
	size_t len;
	uint64_t offset;
	struct bt_buf *memory; /* or NULL: it goes to fd */
	ZSTD_CCtx *zstd;       /* or NULL: written as it is */
	uint8_t *packed;       /* [BUFFER] */
	bool may_behind;
	struct bt_write_behind *behind; /* or NULL: written by the caller */
};

static bool opened_std; /* in this process */

static bool is_std(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0;
}

int bt_out_open(const char *path, enum bt_out_kind kind, struct bt_out **res,
                struct bt_error *err)
{
	bool std = is_std(path);
	struct bt_out *out;
	int r = BT_OK;

	if (bt_url_refuse(path, BT_URL_OUT, err) != BT_OK)
		return BT_EREMOTE;
	out = bt_array0(1, sizeof(*out));
	out->place = (struct bt_atomic_file)BT_ATOMIC_FILE_INIT;
	out->kind = kind;
	out->name =
	    std ? bt_strndup("standard output", 15) : bt_path_quoted(path);
	out->buf = bt_array(BUFFER, 1);
	if (bt_atomic_file_open(&out->place, path) != 0)
		r = bt_error_sys(err, errno, "cannot create %s", out->name);
	else if (kind != BT_OUT_TEXT && isatty(out->place.fd))
		r = bt_error_set(err, BT_EARG,
		                 bt_launched() > 1
		                     ? "the launcher makes %s a terminal, and "
		                       "the output is binary: use -o FILE"
		                     : "%s is a terminal and the output is "
		                       "binary: use -o FILE or a pipe",
		                 out->name);
	else if (out->place.target != NULL)
		r = bt_file_use_write(out, out->place.target, out->name, err);
	opened_std |= std && r == BT_OK;
	if (r == BT_OK)
		*res = out;
	else
		bt_out_abandon(out);
	return r;
}

void bt_out_unopened(const char *path)
{
	struct bt_error none = {0};
	struct bt_out *out;

	if (is_std(path) && !opened_std && bt_launched_rank() <= 0 &&
	    bt_out_open(path, BT_OUT_RECORDS, &out, &none) == BT_OK)
		bt_out_abandon(out);
}

int bt_out_spare(const char *path, char *const *inputs, int n,
                 struct bt_error *err)
{
	struct stat out, in;
	int i;

	if (path == NULL || stat(path, &out) != 0 || !S_ISREG(out.st_mode))
		return BT_OK;
	for (i = 0; i < n; i++)
		if (stat(inputs[i], &in) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return bt_error_set(err, BT_EARG,
			                    "'%s' is both input and output, "
			                    "and would be lost",
			                    path);
	return BT_OK;
}

int bt_out_distinct(const char *const *paths, size_t n, struct bt_error *err)
{
	char name[128];
	struct stat st;
	size_t i, k;
	int r = BT_OK;

	for (i = 0; i < n && r == BT_OK; i++) {
		if (is_std(paths[i]) ||
		    (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode)))
			continue;
		snprintf(name, sizeof(name), "'%.100s'", paths[i]);
		r = bt_file_use_write(&paths[i], paths[i], name, err);
	}
	for (k = 0; k < i; k++) /* they are not written yet */
		bt_file_use_written(&paths[k]);
	return r;
}

struct bt_out *bt_out_memory(struct bt_buf *to)
{
	struct bt_out *out = bt_array0(1, sizeof(*out));

	out->place = (struct bt_atomic_file)BT_ATOMIC_FILE_INIT;
	out->memory = to;
	out->name = bt_strndup("memory", 6);
	out->buf = bt_array(BUFFER, 1);
	return out;
}

const char *bt_out_name(const struct bt_out *out)
{
	return out->name;
}

uint64_t bt_out_offset(const struct bt_out *out)
{
	return out->offset;
}

static int failed(struct bt_out *out, int e, struct bt_error *err)
{
	return e == 0 ? BT_OK
	              : bt_error_sys(err, e, "cannot write %s", out->name);
}

/* Returns when all that was handed over is written. */
static int wait_for_it(struct bt_out *out, struct bt_error *err)
{
	return out->behind == NULL
	           ? BT_OK
	           : failed(out, bt_write_behind_wait(out->behind), err);
}

static int write_all(struct bt_out *out, const uint8_t *p, size_t n,
                     struct bt_error *err)
{
	int r;

	if (out->memory != NULL) {
		bt_buf_put(out->memory, p, n);
		return out->memory->oom ? bt_error_nomem(err, "writing")
		                        : BT_OK;
	}
	r = wait_for_it(out, err);
	return r != BT_OK
	           ? r
	           : failed(out, bt_atomic_file_write(&out->place, p, n), err);
}

/* Writes the buffer's n bytes, or has them written. */
static int write_buffer(struct bt_out *out, size_t n, struct bt_error *err)
{
	if (out->may_behind && out->offset >= BEHIND_FROM) {
		out->may_behind = false;
		out->behind = bt_write_behind_new(&out->place, BUFFER);
	}
	if (out->behind == NULL)
		return write_all(out, out->buf, n, err);
	return failed(out, bt_write_behind_give(out->behind, &out->buf, n),
	              err);
}

void bt_out_behind(struct bt_out *out)
{
	out->may_behind = out->memory == NULL && out->zstd == NULL;
}

void bt_out_expect(struct bt_out *out, uint64_t n)
{
	if (n >= BEHIND_FROM && out->offset == 0)
		bt_atomic_file_expect(&out->place, n);
}

int bt_out_zstd(struct bt_out *out, int level, int threads,
                struct bt_error *err)
{
	ZSTD_bounds most = ZSTD_cParam_getBounds(ZSTD_c_nbWorkers);
	/* one worker cuts the data as any number does, none does not */
	int workers = threads > 2 ? threads - 1 : 1;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	if (workers > most.upperBound)
		workers = most.upperBound; /* 0: built without threads */
	out->zstd = c;
	out->may_behind = false; /* its threads do the work */
	out->packed = bt_array(BUFFER, 1);
	if (c == NULL)
		return bt_error_nomem(err, "opening the output");
	if (ZSTD_isError(
	        ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_nbWorkers, workers)))
		return bt_error_set(err, BT_EARG,
		                    "cannot write %s: zstd refuses level %d",
		                    out->name, level);
	return BT_OK;
}

/* Compresses n bytes and writes what comes of them. */
static int write_packed(struct bt_out *out, const uint8_t *p, size_t n,
                        ZSTD_EndDirective how, struct bt_error *err)
{
	ZSTD_inBuffer in = {p, n, 0};
	ZSTD_outBuffer to;
	size_t left;
	int r;

	do {
		to = (ZSTD_outBuffer){out->packed, BUFFER, 0};
		left = ZSTD_compressStream2(out->zstd, &to, &in, how);
		if (ZSTD_isError(left))
			return bt_error_set(err, BT_ENOMEM,
			                    "cannot write %s: zstd: %s",
			                    out->name, ZSTD_getErrorName(left));
		r = write_all(out, out->packed, to.pos, err);
		if (r != BT_OK)
			return r;
	} while (how == ZSTD_e_continue ? in.pos < in.size : left > 0);
	return BT_OK;
}

/* Passes on what is buffered. */
static int pass_on(struct bt_out *out, ZSTD_EndDirective how,
                   struct bt_error *err)
{
	size_t n = out->len;

	out->len = 0;
	return out->zstd != NULL ? write_packed(out, out->buf, n, how, err)
	                         : write_buffer(out, n, err);
}

bool bt_out_is_live(const struct bt_out *out)
{
	return out->place.target == NULL && out->memory == NULL &&
	       out->zstd == NULL;
}

int bt_out_flush(struct bt_out *out, struct bt_error *err)
{
	int r = pass_on(out, ZSTD_e_flush, err);

	return r == BT_OK ? wait_for_it(out, err) : r;
}

int bt_out_hand_on(void *out, struct bt_error *err)
{
	return bt_out_is_live(out) ? bt_out_flush(out, err) : BT_OK;
}

/*
 * Passes on what is buffered, but of a file whole pages only, of which the
 * system would else have to look at the last one again. Less than a page stays.
 */
static int make_room(struct bt_out *out, struct bt_error *err)
{
	size_t rest = out->offset % PAGE;
	const uint8_t *from = out->buf;
	int r;

	if (out->zstd != NULL || out->place.target == NULL || rest >= out->len)
		return pass_on(out, ZSTD_e_continue, err);
	from += out->len - rest;
	out->len -= rest;
	r = pass_on(out, ZSTD_e_continue, err);
	if (r == BT_OK) { /* another thread only reads there */
		memmove(out->buf, from, rest);
		out->len = rest;
	}
	return r;
}

/* More than the buffer holds. */
static int write_large(struct bt_out *out, const uint8_t *p, size_t n,
                       struct bt_error *err)
{
	bool direct = out->behind == NULL && !out->may_behind;
	int r = BT_OK;
	size_t k;

	if (direct) {
		r = pass_on(out, ZSTD_e_continue, err);
		out->offset += n;
		if (r != BT_OK)
			return r;
		return out->zstd != NULL
		           ? write_packed(out, p, n, ZSTD_e_continue, err)
		           : write_all(out, p, n, err);
	}
	/* a copy that another thread is to take over costs little beside
	 * the system's own, which this one need not wait for */
	for (; n > 0 && r == BT_OK; p += k, n -= k) {
		k = BUFFER - out->len;
		k = n < k ? n : k;
		memcpy(out->buf + out->len, p, k);
		bt_out_made(out, k);
		if (out->len == BUFFER)
			r = make_room(out, err);
	}
	return r;
}

int bt_out_write(struct bt_out *out, const void *data, size_t n,
                 struct bt_error *err)
{
	int r;

	if (n > BT_OUT_ROOM)
		return write_large(out, data, n, err);
	if (n > BUFFER - out->len) {
		r = make_room(out, err);
		if (r != BT_OK)
			return r;
	}
	if (n > 0)
		memcpy(out->buf + out->len, data, n);
	bt_out_made(out, n);
	return BT_OK;
}

void *bt_out_room(struct bt_out *out, size_t n, struct bt_error *err)
{
	if (n > BUFFER - out->len && make_room(out, err) != BT_OK)
		return NULL;
	return out->buf + out->len;
}

void bt_out_made(struct bt_out *out, size_t n)
{
	out->len += n;
	out->offset += n;
}

int bt_out_settle(struct bt_out *out, struct bt_error *err)
{
	const char *what;
	int r = BT_OK;

	if (!out->settled)
		r = pass_on(out, ZSTD_e_end, err);
	if (r == BT_OK && !out->settled)
		r = wait_for_it(out, err);
	if (r == BT_OK && !out->settled &&
	    bt_atomic_file_settle(&out->place, &what) != 0)
		r = bt_error_sys(err, errno, "cannot %s %s", what, out->name);
	out->settled = r == BT_OK;
	return r;
}

int bt_out_commit(struct bt_out *out, struct bt_error *err)
{
	int r = bt_out_settle(out, err);

	if (r == BT_OK && bt_atomic_file_appear(&out->place) != 0)
		r = bt_error_sys(err, errno, "cannot create %s", out->name);
	bt_out_abandon(out);
	return r;
}

/* Ends records inside one: with fewer zeros than its length has. */
static void cut(struct bt_out *out)
{
	static const uint8_t zeros[4];
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	/* whoever read it may be gone, which is no reason to end here */
	sigaction(SIGPIPE, &ignore, &before);
	(void)bt_atomic_file_write(&out->place, zeros, sizeof(zeros));
	sigaction(SIGPIPE, &before, NULL);
}

/* Whether a reader may have the beginning of records, or wait for one, that do
 * not come, and would take what it has for all. */
static bool is_awaited(const struct bt_out *out)
{
	struct stat st;

	if (out->kind != BT_OUT_RECORDS || out->settled ||
	    out->place.target != NULL || out->memory != NULL)
		return false;
	if (out->place.written > 0)
		return out->zstd == NULL; /* else its frame has no end */
	return fstat(out->place.fd, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

void bt_out_abandon(struct bt_out *out)
{
	if (out == NULL)
		return;
	bt_write_behind_free(out->behind);
	if (is_awaited(out))
		cut(out);
	bt_atomic_file_clear(&out->place);
	bt_file_use_written(out);
	free(out->name);
	free(out->buf);
	ZSTD_freeCCtx(out->zstd);
	free(out->packed);
	free(out);
}

int bt_out_end(struct bt_out *out, int r, struct bt_error *err)
{
	if (r == BT_OK)
		return bt_out_commit(out, err);
	bt_out_abandon(out);
	return r;
}

int bt_out_whole(const char *path, const void *data, size_t n,
                 struct bt_error *err)
{
	struct bt_out *out;
	int r = bt_out_open(path, BT_OUT_TEXT, &out, err);

	if (r != BT_OK)
		return r;
	r = bt_out_write(out, data, n, err);
	if (r != BT_OK) {
		bt_out_abandon(out);
		return r;
	}
	return bt_out_commit(out, err);
}

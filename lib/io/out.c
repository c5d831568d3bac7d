/* SPDX-License-Identifier: MIT */
/*
 * The unfinished file has no name at all where the system allows that
 * (O_TMPFILE), so that nothing is left behind even by a crash; elsewhere it is
 * a temporary file beside the target.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "io/out.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/remote.h"

#define BUFFER ((size_t)1 << 18)

struct bt_out {
	int fd;
	char *name;   /* for messages */
	char *target; /* path to appear under, or NULL: written directly */
	char *temp;   /* path of the unfinished file, or NULL: nameless */
	uint8_t *buf;
	size_t len;
	uint64_t offset;
	struct bt_buf *memory; /* or NULL: it goes to fd */
	ZSTD_CCtx *zstd;       /* or NULL: written as it is */
	uint8_t *packed;       /* [BUFFER] */
};

/* The path of a name beside the target: "dir/.base.PID<suffix>". */
static char *beside(const char *target, const char *suffix)
{
	char *dir = bt_strndup(target, strlen(target));
	char *base = bt_strndup(target, strlen(target));
	struct bt_buf b = BT_BUF_INIT;

	if (dir != NULL && base != NULL)
		bt_buf_printf(&b, "%s/.%s.%ld%s", dirname(dir), basename(base),
		              (long)getpid(), suffix);
	else
		b.oom = true;
	free(dir);
	free(base);
	return bt_buf_detach(&b);
}

static char *quoted(const char *path)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "'%s'", path);
	return bt_buf_detach(&b);
}

/* Opens the unfinished file; sets out->temp if it has a name. */
static int open_unfinished(struct bt_out *out)
{
	char *copy = bt_strndup(out->target, strlen(out->target));
	mode_t mask;
	int fd;

	if (copy == NULL)
		return -1;
	fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(copy);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR &&
	                errno != EINVAL && errno != ENOENT))
		return fd;
	out->temp = beside(out->target, ".XXXXXX");
	if (out->temp == NULL)
		return -1;
	fd = mkstemp(out->temp);
	if (fd < 0) {
		free(out->temp);
		out->temp = NULL;
		return -1;
	}
	mask = umask(0);
	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
	return fd;
}

static int open_path(struct bt_out *out, const char *path)
{
	size_t n = strlen(path);
	struct stat st;

	/* names no file: seen now, not when all the work is done */
	if (n == 0 || path[n - 1] == '/') {
		errno = n == 0 ? ENOENT : EISDIR;
		return -1;
	}
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			errno = EISDIR;
			return -1;
		}
		if (!S_ISREG(st.st_mode))
			return open(path, O_WRONLY | O_CLOEXEC);
		if (access(path, W_OK) != 0)
			return -1;
		out->target = realpath(path, NULL); /* keep symbolic links */
	} else {
		out->target = bt_strndup(path, strlen(path));
	}
	return out->target == NULL ? -1 : open_unfinished(out);
}

static void free_out(struct bt_out *out)
{
	free(out->name);
	free(out->target);
	free(out->temp);
	free(out->buf);
	ZSTD_freeCCtx(out->zstd);
	free(out->packed);
	free(out);
}

int bt_out_open(const char *path, enum bt_out_kind kind, struct bt_out **res,
                struct bt_error *err)
{
	bool std = path == NULL || strcmp(path, "-") == 0;
	struct bt_out *out;

	if (bt_remote_refuse(path, BT_REMOTE_OUT, err) != BT_OK)
		return BT_EARG;
	out = bt_array0(1, sizeof(*out));
	if (out == NULL)
		return bt_error_nomem(err, "opening the output");
	out->name = std ? bt_strndup("standard output", 15) : quoted(path);
	out->buf = bt_array(BUFFER, 1);
	if (out->name == NULL || out->buf == NULL) {
		free_out(out);
		return bt_error_nomem(err, "opening the output");
	}
	if (std && kind == BT_OUT_BINARY && isatty(STDOUT_FILENO)) {
		free_out(out);
		return bt_error_set(err, BT_EARG,
		                    "standard output is a terminal and the "
		                    "output is binary: use -o FILE or a pipe");
	}
	out->fd = std ? STDOUT_FILENO : open_path(out, path);
	if (out->fd < 0) {
		int e = errno;

		bt_error_sys(err, e, "cannot create %s", out->name);
		free_out(out);
		return BT_EIO;
	}
	*res = out;
	return BT_OK;
}

int bt_out_memory(struct bt_buf *to, struct bt_out **res, struct bt_error *err)
{
	struct bt_out *out = bt_array0(1, sizeof(*out));

	if (out != NULL) {
		out->fd = -1;
		out->memory = to;
		out->name = bt_strndup("memory", 6);
		out->buf = bt_array(BUFFER, 1);
	}
	if (out == NULL || out->name == NULL || out->buf == NULL) {
		bt_out_abandon(out);
		return bt_error_nomem(err, "opening the output");
	}
	*res = out;
	return BT_OK;
}

const char *bt_out_name(const struct bt_out *out)
{
	return out->name;
}

uint64_t bt_out_offset(const struct bt_out *out)
{
	return out->offset;
}

static int write_all(struct bt_out *out, const uint8_t *p, size_t n,
                     struct bt_error *err)
{
	ssize_t w;

	if (out->memory != NULL) {
		bt_buf_put(out->memory, p, n);
		return out->memory->oom ? bt_error_nomem(err, "writing")
		                        : BT_OK;
	}
	while (n > 0) {
		w = write(out->fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return bt_error_sys(err, errno, "cannot write %s",
			                    out->name);
		p += w;
		n -= (size_t)w;
	}
	return BT_OK;
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
	out->packed = bt_array(BUFFER, 1);
	if (c == NULL || out->packed == NULL)
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
	                         : write_all(out, out->buf, n, err);
}

int bt_out_flush(struct bt_out *out, struct bt_error *err)
{
	return pass_on(out, ZSTD_e_flush, err);
}

int bt_out_write(struct bt_out *out, const void *data, size_t n,
                 struct bt_error *err)
{
	int r;

	if (n > BUFFER - out->len) {
		r = pass_on(out, ZSTD_e_continue, err);
		if (r != BT_OK)
			return r;
	}
	out->offset += n;
	if (n > BUFFER)
		return out->zstd != NULL
		           ? write_packed(out, data, n, ZSTD_e_continue, err)
		           : write_all(out, data, n, err);
	if (n > 0)
		memcpy(out->buf + out->len, data, n);
	out->len += n;
	return BT_OK;
}

/* Gives the nameless file its name for a moment, since only rename replaces. */
static int name_it(struct bt_out *out)
{
	char fd[64];

	out->temp = beside(out->target, ".new");
	if (out->temp == NULL) {
		errno = ENOMEM;
		return -1;
	}
	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", out->fd);
	(void)unlink(out->temp);
	return linkat(AT_FDCWD, fd, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW);
}

static int finish_file(struct bt_out *out, struct bt_error *err)
{
	if (fsync(out->fd) != 0 && errno != EINVAL)
		return bt_error_sys(err, errno, "cannot write %s", out->name);
	if (out->temp == NULL && name_it(out) != 0)
		return bt_error_sys(err, errno, "cannot create %s", out->name);
	if (close(out->fd) != 0) {
		out->fd = -1;
		return bt_error_sys(err, errno, "cannot write %s", out->name);
	}
	out->fd = -1;
	if (rename(out->temp, out->target) != 0)
		return bt_error_sys(err, errno, "cannot create %s", out->name);
	free(out->temp);
	out->temp = NULL;
	return BT_OK;
}

int bt_out_commit(struct bt_out *out, struct bt_error *err)
{
	int r = pass_on(out, ZSTD_e_end, err);

	if (r == BT_OK && out->target != NULL)
		r = finish_file(out, err);
	else if (r == BT_OK && out->fd >= 0 && out->fd != STDOUT_FILENO) {
		if (close(out->fd) != 0)
			r = bt_error_sys(err, errno, "cannot write %s",
			                 out->name);
		out->fd = -1;
	}
	bt_out_abandon(out);
	return r;
}

void bt_out_abandon(struct bt_out *out)
{
	if (out == NULL)
		return;
	if (out->fd >= 0 && out->fd != STDOUT_FILENO)
		close(out->fd);
	if (out->temp != NULL)
		unlink(out->temp);
	free_out(out);
}

int bt_out_whole(const char *path, const void *data, size_t n,
                 struct bt_error *err)
{
	struct bt_out *out;
	int r = bt_out_open(path, BT_OUT_BINARY, &out, err);

	if (r != BT_OK)
		return r;
	r = bt_out_write(out, data, n, err);
	if (r != BT_OK) {
		bt_out_abandon(out);
		return r;
	}
	return bt_out_commit(out, err);
}

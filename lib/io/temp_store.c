/* SPDX-License-Identifier: MIT */
#include "io/temp_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define BUFFER ((size_t)1 << 18)

struct bt_temp_store {
	size_t limit;
	struct bt_buf memory;    /* the first bytes */
	struct bt_buf unwritten; /* the last ones, of the file */
	uint64_t written;        /* bytes of the file */
	int fd;                  /* or -1 */
	struct bt_buf read;      /* bytes from read_at on */
	uint64_t read_at;
};

struct bt_temp_store *bt_temp_store_new(size_t limit)
{
	struct bt_temp_store *s = bt_array0(1, sizeof(*s));

	s->limit = limit;
	s->fd = -1;
	return s;
}

void bt_temp_store_free(struct bt_temp_store *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	bt_buf_clear(&s->memory);
	bt_buf_clear(&s->unwritten);
	bt_buf_clear(&s->read);
	free(s);
}

const char *bt_temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir == NULL || *dir == 0 ? "/tmp" : dir;
}

static int open_file(struct bt_temp_store *s, struct bt_error *err)
{
	struct bt_buf path = BT_BUF_INIT;

	bt_buf_printf(&path, "%s/bertutils.XXXXXX", bt_temp_dir());
	s->fd = mkstemp(path.data);
	if (s->fd < 0)
		bt_error_sys(err, errno, "cannot create a file in '%s'",
		             bt_temp_dir());
	else
		unlink(path.data);
	bt_buf_clear(&path);
	return s->fd < 0 ? BT_EIO : BT_OK;
}

int bt_temp_dir_check(struct bt_error *err)
{
	struct bt_temp_store s = {.fd = -1};
	int r = open_file(&s, err);

	if (r == BT_OK)
		close(s.fd);
	return r;
}

static int flush(struct bt_temp_store *s, struct bt_error *err)
{
	size_t done = 0;
	ssize_t w;

	while (done < s->unwritten.len) {
		w = write(s->fd, s->unwritten.data + done,
		          s->unwritten.len - done);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return bt_error_sys(err, errno,
			                    "cannot write a temporary "
			                    "file in '%s'",
			                    bt_temp_dir());
		done += (size_t)w;
	}
	s->written += s->unwritten.len;
	bt_buf_reset(&s->unwritten);
	return BT_OK;
}

int bt_temp_store_put(struct bt_temp_store *s, const void *data, size_t n,
                      struct bt_error *err)
{
	struct bt_buf *to = &s->memory;
	int r = BT_OK;

	if (s->fd < 0 && (n > s->limit || to->len > s->limit - n))
		r = open_file(s, err);
	if (s->fd >= 0) {
		to = &s->unwritten;
		if (to->len > 0 && to->len + n > BUFFER)
			r = flush(s, err);
	}
	if (r != BT_OK)
		return r;
	bt_buf_put(to, data, n);
	return to->oom ? bt_error_nomem(err, "keeping records") : BT_OK;
}

uint64_t bt_temp_store_size(const struct bt_temp_store *s)
{
	return s->memory.len + s->written + s->unwritten.len;
}

/* Reads n bytes of the file. */
static int read_file(struct bt_temp_store *s, uint64_t at, char *to, size_t n,
                     struct bt_error *err)
{
	size_t done = 0;
	ssize_t got;

	while (done < n) {
		got = pread(s->fd, to + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return bt_error_sys(err, got < 0 ? errno : EIO,
			                    "cannot read a temporary "
			                    "file in '%s'",
			                    bt_temp_dir());
		done += (size_t)got;
	}
	return BT_OK;
}

/* Fills s->read with n bytes, wherever they stand. */
static int gather(struct bt_temp_store *s, uint64_t at, size_t n,
                  struct bt_error *err)
{
	const uint64_t in_file = s->memory.len, end = in_file + s->written;
	size_t part;
	int r;

	bt_buf_reset(&s->read);
	if (bt_buf_reserve(&s->read, n + 1) == NULL) {
		s->read.oom = false;
		return bt_error_nomem(err, "reading a temporary file");
	}
	s->read_at = at;
	if (n > 0 && at < in_file) {
		part = n < in_file - at ? n : (size_t)(in_file - at);
		bt_buf_put(&s->read, s->memory.data + at, part);
		at += part;
		n -= part;
	}
	if (n > 0 && at < end) {
		part = n < end - at ? n : (size_t)(end - at);
		r = read_file(s, at - in_file, s->read.data + s->read.len, part,
		              err);
		if (r != BT_OK)
			return r;
		s->read.len += part;
		at += part;
		n -= part;
	}
	if (n > 0)
		bt_buf_put(&s->read, s->unwritten.data + (at - end), n);
	return BT_OK;
}

int bt_temp_store_get(struct bt_temp_store *s, uint64_t at, size_t n,
                      bool ahead, const void **data, struct bt_error *err)
{
	const uint64_t end = s->memory.len + s->written;
	size_t all = n;
	int r;

	if (at + n <= s->memory.len) {
		*data = bt_buf_at(&s->memory, (size_t)at);
		return BT_OK;
	}
	if (at >= end) {
		*data = bt_buf_at(&s->unwritten, (size_t)(at - end));
		return BT_OK;
	}
	if (at < s->read_at || at + n > s->read_at + s->read.len) {
		if (ahead && n < BUFFER)
			all = bt_temp_store_size(s) - at < BUFFER
			          ? (size_t)(bt_temp_store_size(s) - at)
			          : BUFFER;
		r = gather(s, at, all, err);
		if (r != BT_OK)
			return r;
	}
	*data = bt_buf_at(&s->read, (size_t)(at - s->read_at));
	return BT_OK;
}

/* SPDX-License-Identifier: MIT */
#include "task/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define BUFFER ((size_t)1 << 18)

struct bt_store {
	size_t limit;
	struct bt_buf memory;    /* the first payloads, end to end */
	struct bt_buf unwritten; /* of the file */
	struct bt_buf one;       /* read from the file */
	uint64_t *ends;          /* of each payload, counted over both */
	size_t n, cap;
	uint64_t written; /* bytes of the file */
	int fd;           /* or -1 */
};

int bt_store_new(size_t limit, struct bt_store **res, struct bt_error *err)
{
	struct bt_store *s = bt_array0(1, sizeof(*s));

	if (s == NULL)
		return bt_error_nomem(err, "keeping records");
	s->limit = limit;
	s->fd = -1;
	*res = s;
	return BT_OK;
}

void bt_store_free(struct bt_store *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	bt_buf_clear(&s->memory);
	bt_buf_clear(&s->unwritten);
	bt_buf_clear(&s->one);
	free(s->ends);
	free(s);
}

static int open_file(struct bt_store *s, struct bt_error *err)
{
	const char *dir = getenv("TMPDIR");
	struct bt_buf path = BT_BUF_INIT;

	if (dir == NULL || *dir == 0)
		dir = "/tmp";
	bt_buf_printf(&path, "%s/bertutils.XXXXXX", dir);
	if (bt_buf_str(&path) == NULL)
		return bt_error_nomem(err, "keeping records");
	s->fd = mkstemp(path.data);
	if (s->fd < 0)
		bt_error_sys(err, errno, "cannot create a file in '%s'", dir);
	else
		unlink(path.data);
	bt_buf_clear(&path);
	return s->fd < 0 ? BT_EIO : BT_OK;
}

static int flush(struct bt_store *s, struct bt_error *err)
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
			                    "cannot write a temporary file");
		done += (size_t)w;
	}
	s->written += s->unwritten.len;
	bt_buf_reset(&s->unwritten);
	return BT_OK;
}

int bt_store_put(struct bt_store *s, const void *data, size_t len,
                 struct bt_error *err)
{
	uint64_t start = s->n > 0 ? s->ends[s->n - 1] : 0;
	struct bt_buf *to = &s->memory;
	int r = BT_OK;

	if (s->fd < 0 && (len > s->limit || start > s->limit - len))
		r = open_file(s, err);
	if (s->fd >= 0) {
		to = &s->unwritten;
		if (to->len > 0 && to->len + len > BUFFER)
			r = flush(s, err);
	}
	if (r != BT_OK)
		return r;
	bt_buf_put(to, data, len);
	if (to->oom ||
	    bt_grow(&s->ends, &s->cap, s->n + 1, sizeof(*s->ends)) != BT_OK)
		return bt_error_nomem(err, "keeping records");
	s->ends[s->n++] = start + len;
	return BT_OK;
}

size_t bt_store_count(const struct bt_store *s)
{
	return s->n;
}

/* Reads the file's bytes from at into s->one, whose length is set. */
static int read_file(struct bt_store *s, uint64_t at, struct bt_error *err)
{
	size_t done = 0;
	ssize_t n;

	while (done < s->one.len) {
		n = pread(s->fd, s->one.data + done, s->one.len - done,
		          (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return bt_error_sys(err, n < 0 ? errno : EIO,
			                    "cannot read a temporary file");
		done += (size_t)n;
	}
	return BT_OK;
}

int bt_store_get(struct bt_store *s, size_t i, const void **data, size_t *len,
                 struct bt_error *err)
{
	uint64_t start = i > 0 ? s->ends[i - 1] : 0;
	size_t n = (size_t)(s->ends[i] - start);
	int r;

	if (s->ends[i] <= s->memory.len) {
		*data = n > 0 ? s->memory.data + start : "";
		*len = n;
		return BT_OK;
	}
	start -= s->memory.len;
	if (start >= s->written) {
		*data = s->unwritten.data + (start - s->written);
		*len = n;
		return BT_OK;
	}
	bt_buf_reset(&s->one);
	if (bt_buf_reserve(&s->one, n + 1) == NULL)
		return bt_error_nomem(err, "reading a temporary file");
	s->one.len = n;
	r = read_file(s, start, err);
	if (r != BT_OK)
		return r;
	*data = s->one.data;
	*len = n;
	return BT_OK;
}

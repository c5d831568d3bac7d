/* SPDX-License-Identifier: MIT */
#ifdef BT_HAVE_CURL
#define _DEFAULT_SOURCE /* flock */
#include "hub/blob_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

void bt_hub_blob_init(struct bt_hub_blob *b, const struct bt_hub_file *file)
{
	memset(b, 0, sizeof(*b));
	b->file = file;
	b->fd = b->lock_fd = -1;
}

static void let_go(struct bt_hub_blob *b)
{
	if (b->fd >= 0)
		close(b->fd);
	if (b->lock_fd >= 0)
		close(b->lock_fd);
	b->fd = b->lock_fd = -1;
	bt_digest_free(b->digest);
	b->digest = NULL;
}

void bt_hub_blob_clear(struct bt_hub_blob *b)
{
	let_go(b);
	free(b->url);
	free(b->path);
	free(b->partial);
	free(b->lock);
}

/* Whether the file at path has the hash. */
static int is_it(const struct bt_hub_blob *b, bool *yes, struct bt_error *err)
{
	struct bt_digest *d;
	char got[65];
	int fd = open(b->path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return bt_error_sys(err, errno, "cannot open '%s'", b->path);
	d = bt_digest_new(b->file->hash, b->file->size);
	r = bt_digest_add_file(d, fd, b->file->size, b->path, err);
	*yes = bt_digest_agrees(d, got);
	bt_digest_free(d);
	close(fd);
	return r;
}

int bt_hub_blob_look(struct bt_hub_blob *b, struct bt_error *err)
{
	struct stat st;
	bool same = false;
	int r = BT_OK;

	b->there = false;
	if (stat(b->path, &st) != 0)
		return BT_OK;
	same = S_ISREG(st.st_mode) && (uint64_t)st.st_size == b->file->size;
	if (same && !b->by_hash)
		r = is_it(b, &same, err);
	if (r != BT_OK)
		return r;
	b->there = same;
	if (!same && !b->by_hash && !b->replace)
		return bt_error_hint(
		    err, BT_HINT_FORCE,
		    bt_error_set(err, BT_EIO,
		                 "'%s' is there and is not the hub's file",
		                 b->path));
	return BT_OK;
}

/* True when this process has the lock; else it may have it later (*later) or
 * something is wrong. What was locked may have got another name meanwhile. */
static bool lock(struct bt_hub_blob *b, bool *later, struct bt_error *err)
{
	struct stat at, open_one;
	int fd = open(b->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	*later = false;
	if (fd < 0) {
		bt_error_sys(err, errno, "cannot create '%s'", b->lock);
		return false;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		*later = true;
	} else if (fstat(fd, &open_one) == 0 && stat(b->lock, &at) == 0 &&
	           at.st_ino == open_one.st_ino &&
	           at.st_dev == open_one.st_dev) {
		b->lock_fd = fd; /* or the file system has no locks */
		return true;
	} else {
		*later = true;
	}
	close(fd);
	return false;
}

/* Opens the partial file and hashes what is in it. */
static int go_on(struct bt_hub_blob *b, struct bt_error *err)
{
	struct stat st;
	int r = BT_OK;

	b->fd =
	    open(b->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (b->fd < 0 || fstat(b->fd, &st) != 0)
		return bt_error_sys(err, errno, "cannot create '%s'",
		                    b->partial);
	b->have = (uint64_t)st.st_size;
	/* what is complete and not yet named is hashed again, too */
	if (b->have >= b->file->size)
		b->have = 0;
	b->digest = bt_digest_new(b->file->hash, b->file->size);
	r = bt_digest_add_file(b->digest, b->fd, b->have, b->partial, err);
	return r;
}

static int ready(void *ctx, enum bt_hub_ready *what, uint64_t *from,
                 struct bt_error *err)
{
	struct bt_hub_blob *b = ctx;
	bool later = false;
	int r;

	if (b->lock_fd < 0 && !lock(b, &later, err)) {
		*what = BT_HUB_LATER;
		return later ? BT_OK : err->code;
	}
	if (b->fd < 0) {
		/* it came while another process had the lock */
		r = bt_hub_blob_look(b, err);
		if (r == BT_OK && b->there) {
			if (strcmp(b->lock, b->partial) == 0)
				(void)unlink(b->partial);
			b->have = b->file->size;
			let_go(b);
			*what = BT_HUB_DONE;
			return BT_OK;
		}
		if (r == BT_OK)
			r = go_on(b, err);
		if (r != BT_OK)
			return r;
	}
	*what = BT_HUB_GO;
	*from = b->have;
	return BT_OK;
}

static int start(void *ctx, uint64_t from, struct bt_error *err)
{
	struct bt_hub_blob *b = ctx;

	b->resumed = from > 0;
	if (from > 0 && from == b->have)
		return BT_OK;
	bt_digest_free(b->digest);
	b->digest = bt_digest_new(b->file->hash, b->file->size);
	b->have = 0;
	if (ftruncate(b->fd, 0) != 0)
		return bt_error_sys(err, errno, "cannot write '%s'",
		                    b->partial);
	return BT_OK;
}

static int take(void *ctx, const void *data, size_t n, struct bt_error *err)
{
	struct bt_hub_blob *b = ctx;
	const char *p = data;
	ssize_t w;

	if (n > b->file->size - b->have) {
		(void)unlink(b->partial);
		return bt_error_set(err, BT_ECORRUPT,
		                    "more comes than the %llu bytes that the "
		                    "hub lists",
		                    (unsigned long long)b->file->size);
	}
	bt_digest_add(b->digest, data, n);
	b->came += n;
	while (n > 0) {
		w = pwrite(b->fd, p, n, (off_t)b->have);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return bt_error_sys(err, errno, "cannot write '%s'",
			                    b->partial);
		p += w;
		n -= (size_t)w;
		b->have += (uint64_t)w;
	}
	return BT_OK;
}

/* Gives the file its name. The partial one, if it is the lock, goes with it. */
static int appear(struct bt_hub_blob *b, struct bt_error *err)
{
	if (fsync(b->fd) != 0 && errno != EINVAL)
		return bt_error_sys(err, errno, "cannot write '%s'",
		                    b->partial);
	if (rename(b->partial, b->path) != 0)
		return bt_error_sys(err, errno, "cannot create '%s'", b->path);
	let_go(b);
	return BT_OK;
}

static int end(void *ctx, bool *again, struct bt_error *err)
{
	struct bt_hub_blob *b = ctx;
	bool whole = b->have == b->file->size;
	char got[65];

	*again = false;
	if (whole && bt_digest_agrees(b->digest, got))
		return appear(b, err);
	/* the fault may be in what an earlier run left */
	if (b->resumed) {
		*again = true;
		b->resumed = false;
		return start(b, 0, err);
	}
	(void)unlink(b->partial);
	if (!whole)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "%llu bytes come, and the hub lists %llu",
		                    (unsigned long long)b->have,
		                    (unsigned long long)b->file->size);
	return bt_error_set(err, BT_ECORRUPT,
	                    "its hash is %s, and the hub lists %s", got,
	                    b->file->hash);
}

const struct bt_hub_receiver bt_hub_blob_receiver = {ready, start, take, end};

#else
typedef int bt_no_blob; /* an empty file is not C */
#endif

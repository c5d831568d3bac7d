/* SPDX-License-Identifier: MIT */
#include "io/append.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "io/fd_int.h"

struct bt_append {
	int fd;
	char *path;
	uint64_t size;
};

/* Brings the file to its length. */
static int cut(struct bt_append *a, uint64_t keep)
{
	struct stat st;

	if (fstat(a->fd, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	a->size = (uint64_t)st.st_size;
	if (a->size <= keep)
		return 0;
	a->size = keep;
	return ftruncate(a->fd, (off_t)keep);
}

int bt_append_open(const char *path, uint64_t keep, struct bt_append **res,
                   struct bt_error *err)
{
	struct bt_append *a = bt_array0(1, sizeof(*a));
	int r = BT_OK;

	a->path = bt_strndup(path, strlen(path));
	a->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
	             0666);
	if (a->fd < 0 || cut(a, keep) != 0)
		r = bt_error_sys(err, errno, "cannot write '%s'", path);
	if (r == BT_OK) {
		*res = a;
		return BT_OK;
	}
	if (a->fd >= 0)
		close(a->fd);
	free(a->path);
	free(a);
	return r;
}

int bt_append_write(struct bt_append *a, const void *data, size_t n,
                    struct bt_error *err)
{
	const char *p = data;
	ssize_t w;

	while (n > 0) {
		w = bt_fd_write(a->fd, p, n);
		if (w < 0)
			return bt_error_sys(err, errno, "cannot write '%s'",
			                    a->path);
		p += w;
		n -= (size_t)w;
		a->size += (uint64_t)w;
	}
	return BT_OK;
}

int bt_append_sync(struct bt_append *a, struct bt_error *err)
{
	if (fsync(a->fd) != 0 && errno != EINVAL)
		return bt_error_sys(err, errno, "cannot write '%s'", a->path);
	return BT_OK;
}

uint64_t bt_append_size(const struct bt_append *a)
{
	return a->size;
}

int bt_append_close(struct bt_append *a, struct bt_error *err)
{
	int r = BT_OK;

	if (a == NULL)
		return BT_OK;
	if (close(a->fd) != 0)
		r = bt_error_sys(err, errno, "cannot write '%s'", a->path);
	free(a->path);
	free(a);
	return r;
}

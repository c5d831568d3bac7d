/* SPDX-License-Identifier: MIT */
#include "tensor/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/mem.h"

#define OPEN_MAX_FILES                                                         \
	64 /* kept open for bt_ckpt_fetch; the system allows few */

const struct bt_ckpt_file *bt_ckpt_add_memory(struct bt_ckpt *c,
                                              const char *path,
                                              const void *data, size_t size)
{
	struct bt_ckpt_file *f = bt_array0(1, sizeof(*f));

	if (bt_grow(&c->files, &c->cap_files, c->n_files + 1,
	            sizeof(*c->files)) != BT_OK) {
		free(f);
		return NULL;
	}
	f->path = bt_strndup(path, strlen(path));
	f->data = data;
	f->size = size;
	f->fd = -1;
	c->files[c->n_files++] = f;
	return f;
}

/* Where (*f)->fd is fd afterwards, the file owns it; else the caller does. */
static int map_fd(struct bt_ckpt *c, const char *path, int fd,
                  const struct bt_ckpt_file **f, struct bt_error *err)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0)
		return bt_error_sys(err, errno, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not a regular file, as a "
		                    "checkpoint must be",
		                    path);
	if (st.st_size == 0)
		return bt_error_set(err, BT_ETRUNCATED, "'%s' is empty", path);
	if ((uint64_t)st.st_size > SIZE_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "'%s' is too large for this machine", path);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return bt_error_sys(err, errno, "cannot map '%s'", path);
	*f = bt_ckpt_add_memory(c, path, p, (size_t)st.st_size);
	if (*f == NULL) {
		munmap(p, (size_t)st.st_size);
		return bt_error_nomem(err, "opening a checkpoint");
	}
	c->files[c->n_files - 1]->mapped = true;
	if (c->n_files <= OPEN_MAX_FILES)
		c->files[c->n_files - 1]->fd = fd;
	return BT_OK;
}

int bt_ckpt_map(struct bt_ckpt *c, const char *path,
                const struct bt_ckpt_file **f, struct bt_error *err)
{
	/* O_NONBLOCK: a named pipe must not keep us waiting for its writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;
	char name[300];

	if (fd < 0)
		return bt_error_sys(err, errno, "cannot open '%s'", path);
	snprintf(name, sizeof(name), "'%s'", path);
	r = bt_file_use_read(fd, name, err);
	if (r == BT_OK)
		r = map_fd(c, path, fd, f, err);
	if (r != BT_OK || (*f)->fd != fd)
		close(fd);
	return r;
}

void bt_ckpt_unmap(struct bt_ckpt_file *f)
{
	if (f->mapped)
		munmap((void *)f->data, f->size);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

void bt_ckpt_drop_file(struct bt_ckpt *c, const struct bt_ckpt_file *f)
{
	size_t i = 0;

	while (c->files[i] != f)
		i++;
	bt_ckpt_unmap(c->files[i]);
	c->n_files--;
	memmove(c->files + i, c->files + i + 1,
	        (c->n_files - i) * sizeof(*c->files));
}

int bt_ckpt_fetch(const struct bt_ckpt *c, const void *data, size_t n,
                  void *out, struct bt_error *err)
{
	const struct bt_ckpt_file *f = NULL;
	uintptr_t p = (uintptr_t)data, begin;
	uint8_t *to = out;
	off_t at;
	ssize_t k;
	size_t i;

	for (i = 0; i < c->n_files && f == NULL; i++) {
		begin = (uintptr_t)c->files[i]->data;
		if (p >= begin && p - begin < c->files[i]->size)
			f = c->files[i];
	}

	if (f == NULL || f->fd < 0) {
		memcpy(out, data, n);
		return BT_OK;
	}
	at = (off_t)((const uint8_t *)data - f->data);
	for (; n > 0; to += k, at += k, n -= (size_t)k) {
		k = pread(f->fd, to, n, at);
		if (k < 0 && errno == EINTR)
			k = 0;
		else if (k < 0)
			return bt_error_sys(err, errno, "cannot read '%s'",
			                    f->path);
		else if (k == 0)
			return bt_error_set(err, BT_ETRUNCATED,
			                    "'%s' became shorter while it was "
			                    "read",
			                    f->path);
	}
	return BT_OK;
}

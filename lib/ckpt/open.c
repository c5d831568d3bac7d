/* SPDX-License-Identifier: MIT */
/* Finding out what a path is, and mapping it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/tfrecord.h"
#include "io/url.h"
#include "tensor/checkpoint_reader.h"

static const struct bt_ckpt_reader *const readers[] = {
    &bt_safetensors_read, &bt_torch_zip_read, &bt_torch_legacy_read,
    &bt_npy_read,         &bt_gguf_read,      &bt_tf_bundle_read,
    &bt_hdf5_read,
};

#define READERS (sizeof(readers) / sizeof(readers[0]))
#define KEPT 64 /* files that stay open, which may be few */

static int add_file(struct bt_ckpt *c, const char *path, const void *data,
                    size_t size, bool mapped, const struct bt_ckpt_file **res)
{
	struct bt_ckpt_file *f = bt_array0(1, sizeof(*f));

	if (f != NULL)
		f->path = bt_strndup(path, strlen(path));
	if (f == NULL || f->path == NULL ||
	    bt_grow(&c->files, &c->cap_files, c->n_files + 1,
	            sizeof(*c->files)) != BT_OK) {
		if (f != NULL)
			free(f->path);
		free(f);
		return BT_ENOMEM;
	}
	f->data = data;
	f->size = size;
	f->mapped = mapped;
	f->fd = -1;
	c->files[c->n_files++] = f;
	*res = f;
	return BT_OK;
}

/* fd becomes f's, or is left to the caller: f->fd tells. */
static int map_fd(struct bt_ckpt *c, const char *path, int fd,
                  const struct bt_ckpt_file **f, struct bt_error *err)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0)
		return bt_error_sys(err, errno, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not a regular file, which a "
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
	if (add_file(c, path, p, (size_t)st.st_size, true, f) != BT_OK) {
		munmap(p, (size_t)st.st_size);
		return bt_error_nomem(err, "opening a checkpoint");
	}
	if (c->n_files <= KEPT)
		c->files[c->n_files - 1]->fd = fd;
	return BT_OK;
}

int bt_ckpt_map(struct bt_ckpt *c, const char *path,
                const struct bt_ckpt_file **f, struct bt_error *err)
{
	/* O_NONBLOCK: a named pipe must not keep us waiting for its writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;

	if (fd < 0)
		return bt_error_sys(err, errno, "cannot open '%s'", path);
	r = map_fd(c, path, fd, f, err);
	if (r != BT_OK || (*f)->fd != fd)
		close(fd);
	return r;
}

static const struct bt_ckpt_file *file_of(const struct bt_ckpt *c,
                                          const void *data)
{
	uintptr_t at = (uintptr_t)data, begin;
	size_t i;

	for (i = 0; i < c->n_files; i++) {
		begin = (uintptr_t)c->files[i]->data;
		if (at >= begin && at - begin < c->files[i]->size)
			return c->files[i];
	}
	return NULL;
}

int bt_ckpt_fetch(const struct bt_ckpt *c, const void *data, size_t n,
                  void *out, struct bt_error *err)
{
	const struct bt_ckpt_file *f = file_of(c, data);
	uint8_t *to = out;
	off_t at;
	ssize_t k;

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

/* True if it begins with ASCII, more of it than a number has by chance. */
static bool is_text(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < f->size && i < 16; i++)
		if (f->data[i] >= 0x80 ||
		    (!isprint(f->data[i]) && !isspace(f->data[i])))
			return false;
	return i == 16;
}

/* What is known of a file that no reader knows, for the error; or NULL. */
static const char *foreign(const struct bt_ckpt_file *f)
{
	static const uint8_t gzip[] = {0x1F, 0x8B},
	                     zstd[] = {0x28, 0xB5, 0x2F, 0xFD};

	if (f->size >= sizeof(gzip) && memcmp(f->data, gzip, sizeof(gzip)) == 0)
		return "is gzip-compressed data: unpack it first";
	if (f->size >= sizeof(zstd) && memcmp(f->data, zstd, sizeof(zstd)) == 0)
		return "is zstd-compressed data: unpack it first, unless it is "
		       "a stream of tensors, which tensor-cat reads";
	if (bt_tfrecord_begins(f->data, f->size))
		return "holds records, which tfrecord-cat reads, no tensors";
	if (is_text(f))
		return "is text, no checkpoint";
	return NULL;
}

static const struct bt_ckpt_reader *reader_of(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < READERS; i++)
		if (readers[i]->knows(f->data, f->size))
			return readers[i];
	return NULL;
}

/* What a clone without Git's extension for large files has in their place. */
static bool is_pointer(const struct bt_ckpt_file *f)
{
	static const char first[] = "version https://git-lfs.";

	return f->size >= sizeof(first) - 1 &&
	       memcmp(f->data, first, sizeof(first) - 1) == 0;
}

int bt_ckpt_read_file(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      struct bt_error *err)
{
	const struct bt_ckpt_reader *reader = reader_of(f);
	const char *what;

	if (is_pointer(f))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' only says where Git LFS keeps the "
		                    "file: git lfs pull fetches it",
		                    f->path);
	if (reader == NULL) {
		what = foreign(f);
		if (what != NULL)
			return bt_error_set(err, BT_EFORMAT, "'%s' %s", f->path,
			                    what);
		reader = &bt_safetensors_read; /* let it say what is wrong */
	}
	c->format = reader->format;
	return reader->read(c, f, err);
}

static bool is_json(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < f->size && i < 4096; i++)
		if (!isspace(f->data[i]))
			return f->data[i] == '{';
	return false;
}

static int read_path(struct bt_ckpt *c, const char *path, struct bt_error *err)
{
	const struct bt_ckpt_file *f;
	int r = bt_ckpt_map(c, path, &f, err);

	if (r != BT_OK)
		return r;
	if (reader_of(f) == NULL && is_json(f))
		return bt_ckpt_read_index(c, f, err);
	return bt_ckpt_read_file(c, f, err);
}

static int read_dir(struct bt_ckpt *c, const char *dir, struct bt_error *err)
{
	char *path;
	int r = bt_ckpt_find_in(dir, &path, err);

	if (r != BT_OK)
		return r;
	r = read_path(c, path, err);
	free(path);
	return r == BT_OK ? bt_kerashub_task_read(c, dir, err) : r;
}

static int by_name(const void *a, const void *b)
{
	return bt_ckpt_compare(((const struct bt_tensor *)a)->name,
	                       ((const struct bt_tensor *)b)->name);
}

static struct bt_ckpt *new_ckpt(const char *path)
{
	struct bt_ckpt *c = bt_array0(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->path = bt_strndup(path, strlen(path));
	if (c->path == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

static int finish(struct bt_ckpt *c, int r, struct bt_ckpt **res,
                  struct bt_error *err)
{
	if (r != BT_OK) {
		if (err != NULL)
			bt_printable(err->text);
		bt_ckpt_close(c);
		return r;
	}
	if (c->n > 1)
		qsort(c->tensors, c->n, sizeof(*c->tensors), by_name);
	*res = c;
	return BT_OK;
}

int bt_ckpt_open(const char *path, struct bt_ckpt **res, struct bt_error *err)
{
	struct bt_ckpt *c;
	struct stat st;
	char *index;
	int r, e;

	if (bt_url_refuse(path, BT_URL_DIR, err) != BT_OK)
		return BT_EREMOTE;
	c = new_ckpt(path);
	if (c == NULL)
		return bt_error_nomem(err, "opening a checkpoint");
	e = stat(path, &st) != 0 ? errno : 0;
	index = e != 0 || !S_ISDIR(st.st_mode) ? bt_tf_find_index(path) : NULL;
	if (index != NULL)
		r = read_path(c, index, err);
	else if (e != 0)
		r = bt_error_sys(err, e, "cannot open '%s'", path);
	else if (S_ISDIR(st.st_mode))
		r = read_dir(c, path, err);
	else
		r = read_path(c, path, err);
	free(index);
	return finish(c, r, res, err);
}

int bt_ckpt_open_memory(const char *name, const void *data, size_t size,
                        struct bt_ckpt **res, struct bt_error *err)
{
	struct bt_ckpt *c = new_ckpt(name);
	const struct bt_ckpt_file *f;
	int r;

	if (c == NULL || add_file(c, name, data, size, false, &f) != BT_OK) {
		bt_ckpt_close(c);
		return bt_error_nomem(err, "opening a checkpoint");
	}
	r = bt_ckpt_read_file(c, f, err);
	return finish(c, r, res, err);
}

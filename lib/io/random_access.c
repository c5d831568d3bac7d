/* SPDX-License-Identifier: MIT */
#include "io/random_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/temp_store.h"

#define IN_MEMORY ((size_t)64 << 20)
#define BLOCK ((size_t)1 << 20)

struct bt_random_access {
	struct bt_in *in;
	int fd; /* of the file; -1: there is a store */
	uint64_t size;
	struct bt_temp_store *store;
};

static int fill_store(struct bt_random_access *a, struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r;

	a->store = bt_temp_store_new(IN_MEMORY);
	for (;;) {
		r = bt_in_some(a->in, 1, &p, &n, err);
		if (r != BT_OK || n == 0)
			break;
		r = bt_temp_store_put(a->store, p, n, err);
		if (r != BT_OK)
			break;
		bt_in_skip(a->in, n);
	}
	a->size = bt_temp_store_size(a->store);
	return r;
}

int bt_random_access_from(struct bt_in *in, struct bt_random_access **out,
                          struct bt_error *err)
{
	struct bt_random_access *a = bt_array0(1, sizeof(*a));
	struct stat st;
	const uint8_t *p;
	size_t n;
	int r;

	a->in = in;
	r = bt_in_peek(in, 1, &p, &n, err); /* is it compressed? */
	a->fd = r == BT_OK ? bt_in_plain_file(in) : -1;
	if (a->fd >= 0 && fstat(a->fd, &st) == 0)
		a->size = (uint64_t)st.st_size;
	else if (r == BT_OK)
		r = fill_store(a, err);
	if (r != BT_OK) {
		bt_random_access_close(a);
		return r;
	}
	*out = a;
	return BT_OK;
}

void bt_random_access_close(struct bt_random_access *a)
{
	if (a == NULL)
		return;
	bt_temp_store_free(a->store);
	bt_in_close(a->in);
	free(a);
}

uint64_t bt_random_access_size(const struct bt_random_access *a)
{
	return a->size;
}

static int read_store(struct bt_random_access *a, uint64_t at, void *to,
                      size_t n, struct bt_error *err)
{
	const void *p;
	size_t k;
	int r;

	for (; n > 0; n -= k, at += k, to = (char *)to + k) {
		k = n < BLOCK ? n : BLOCK;
		r = bt_temp_store_get(a->store, at, k, false, &p, err);
		if (r != BT_OK)
			return r;
		memcpy(to, p, k);
	}
	return BT_OK;
}

int bt_random_access_read(struct bt_random_access *a, uint64_t at, void *to,
                          size_t n, struct bt_error *err)
{
	ssize_t got;

	if (a->store != NULL)
		return read_store(a, at, to, n, err);
	while (n > 0) {
		got = pread(a->fd, to, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bt_error_sys(err, errno, "cannot read %s",
			                    bt_in_name(a->in));
		if (got == 0)
			return bt_error_set(err, BT_EIO,
			                    "cannot read %s: it became "
			                    "shorter while it was read",
			                    bt_in_name(a->in));
		to = (char *)to + got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return BT_OK;
}

const char *bt_random_access_name(const struct bt_random_access *a)
{
	return bt_in_name(a->in);
}

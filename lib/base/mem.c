/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise, mremap */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool bt_size_mul(size_t a, size_t b, size_t *out)
{
	if (b != 0 && a > SIZE_MAX / b)
		return false;
	*out = a * b;
	return true;
}

bool bt_size_add(size_t a, size_t b, size_t *out)
{
	if (a > SIZE_MAX - b)
		return false;
	*out = a + b;
	return true;
}

static void (*on_failure)(void);

void bt_mem_on_failure(void (*end)(void))
{
	on_failure = end;
}

/* p, or NULL only where that is for many bytes. */
static void *checked(void *p, size_t bytes)
{
	if (p == NULL && bytes < BT_SMALL) {
		if (on_failure != NULL)
			on_failure();
		abort();
	}
	return p;
}

void *bt_array(size_t n, size_t size)
{
	size_t bytes;

	if (!bt_size_mul(n, size, &bytes))
		return NULL;
	return checked(malloc(bytes != 0 ? bytes : 1), bytes);
}

void *bt_array0(size_t n, size_t size)
{
	size_t bytes;

	if (!bt_size_mul(n, size, &bytes))
		return NULL;
	return checked(calloc(1, bytes != 0 ? bytes : 1), bytes);
}

int bt_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap, bytes;
	void *p, *q;

	if (need <= n)
		return BT_OK;
	if (n > SIZE_MAX / 2)
		return BT_ENOMEM;
	n = n < 8 ? 16 : 2 * n;
	if (n < need)
		n = need;
	if (!bt_size_mul(n, size, &bytes))
		return BT_ENOMEM;
	/* copied as bytes: the pointer may be of any type */
	memcpy(&p, array, sizeof(p));
	q = checked(realloc(p, bytes), bytes);
	if (q == NULL)
		return BT_ENOMEM;
	memcpy(array, &q, sizeof(q));
	*cap = n;
	/* cppcheck-suppress memleak ; q is in *array */
	return BT_OK;
}

char *bt_strndup(const char *s, size_t n)
{
	size_t bytes;
	char *p;

	if (!bt_size_add(n, 1, &bytes))
		return NULL;
	p = checked(malloc(bytes), bytes);
	if (p == NULL)
		return NULL;
	if (n != 0)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

int bt_arena_init(struct bt_arena *a, size_t size)
{
	void *p;

	a->base = NULL;
	a->size = 0;
	if (size == 0)
		return BT_OK;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return BT_ENOMEM;
#ifdef MADV_HUGEPAGE
	if (size >= (size_t)8 << 20)
		(void)madvise(p, size, MADV_HUGEPAGE);
#endif
	a->base = p;
	a->size = size;
	return BT_OK;
}

void bt_arena_sparse(struct bt_arena *a, size_t at, size_t bytes)
{
#ifdef MADV_NOHUGEPAGE
	size_t before = at % (size_t)sysconf(_SC_PAGESIZE);

	if (bytes > 0)
		(void)madvise((char *)a->base + (at - before), before + bytes,
		              MADV_NOHUGEPAGE);
#else
	(void)a;
	(void)at;
	(void)bytes;
#endif
}

int bt_arena_resize(struct bt_arena *a, size_t size)
{
	struct bt_arena other = {NULL, size};

	if (size == a->size)
		return BT_OK;
#ifdef MREMAP_MAYMOVE
	if (size != 0 && a->size != 0) {
		other.base = mremap(a->base, a->size, size, MREMAP_MAYMOVE);
		if (other.base == MAP_FAILED)
			return BT_ENOMEM;
		*a = other;
		return BT_OK;
	}
#endif
	if (bt_arena_init(&other, size) != BT_OK)
		return BT_ENOMEM;
	if (size != 0 && a->size != 0)
		memcpy(other.base, a->base, size < a->size ? size : a->size);
	bt_arena_clear(a);
	*a = other;
	return BT_OK;
}

void bt_arena_take(struct bt_arena *a)
{
	if (a->size == 0)
		return;
#ifdef MADV_POPULATE_WRITE
	if (madvise(a->base, a->size, MADV_POPULATE_WRITE) == 0)
		return;
#endif
	memset(a->base, 0, a->size);
}

void bt_arena_clear(struct bt_arena *a)
{
	if (a->base != NULL)
		munmap(a->base, a->size);
	a->base = NULL;
	a->size = 0;
}

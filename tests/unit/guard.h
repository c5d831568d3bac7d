/* SPDX-License-Identifier: MIT */
/* Arrays that end exactly where an unreadable page begins, so that a kernel
 * that reads or writes past the end dies on the spot; what stands before the
 * array is checked when it is freed. */
#ifndef TEST_GUARD_H
#define TEST_GUARD_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/philox.h"

#define GUARDS_MAX 64
#define GUARD_BYTE 0xa5

static struct guard {
	unsigned char *base, *data;
	size_t size;
} guards[GUARDS_MAX];

/* n elements of `size` bytes, filled with GUARD_BYTE. */
static inline void *guard_new(size_t n, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = n * size;
	size_t span = (bytes + page) / page * page + page;
	struct guard *g = guards;

	while (g->base != NULL)
		g++;
	g->base = mmap(NULL, span + page, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g->base == MAP_FAILED)
		abort();
	memset(g->base, GUARD_BYTE, span);
	mprotect(g->base + span, page, PROT_NONE);
	g->data = g->base + span - bytes;
	g->size = span + page;
	return g->data;
}

/* Frees all; returns how many had bytes changed before them. */
static inline int guard_free_all(void)
{
	struct guard *g;
	unsigned char *p;
	int bad = 0;

	for (g = guards; g < guards + GUARDS_MAX && g->base != NULL; g++) {
		for (p = g->base; p < g->data; p++)
			if (*p != GUARD_BYTE) {
				bad++;
				break;
			}
		munmap(g->base, g->size);
		g->base = NULL;
	}
	return bad;
}

/* Numbers in [-scale, scale], the same for the same seed. */
static inline void fill_random(float *x, size_t n, float scale, uint64_t seed)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = scale * ((float)(bt_random_u64(seed, 9, 0, i) >> 40) /
		                    8388608.0f -
		                1.0f);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Small files for unit tests, in the test's own directory. */
#ifndef FILES_H
#define FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static inline void file_put(const char *name, const void *data, size_t n)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Adds a NUL behind the bytes; free() them. */
static inline char *file_get(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	char *data;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size >= 0);
	rewind(f);
	data = malloc((size_t)size + 1);
	assert_non_null(data);
	*n = fread(data, 1, (size_t)size, f);
	assert_int_equal(*n, size);
	data[size] = '\0';
	fclose(f);
	return data;
}

static inline void file_is(const char *name, const char *wanted)
{
	size_t n;
	char *data = file_get(name, &n);

	assert_int_equal(n, strlen(wanted));
	assert_memory_equal(data, wanted, n);
	free(data);
}

/* The path of a file of the optional real data, or NULL where it is not there;
 * lives until the next call. */
static inline const char *real_data(const char *name)
{
	static char path[4096];
	const char *folder = getenv("BT_SHARED_DATA");
	const char *top = getenv("TEST_TOP");
	FILE *f;

	if (folder != NULL)
		snprintf(path, sizeof(path), "%s/%s", folder, name);
	else
		snprintf(path, sizeof(path), "%s/../shared/data/%s",
		         top != NULL ? top : ".", name);
	f = fopen(path, "rb");
	if (f == NULL)
		return NULL;
	fclose(f);
	return path;
}

#endif

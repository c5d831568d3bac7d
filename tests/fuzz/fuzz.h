/* SPDX-License-Identifier: MIT */
/* What the fuzz entries share. Each entry is one file with one function that
 * takes any bytes: readers must refuse them with a word, or give what is safe
 * to use. An abort() is a finding, as is whatever a sanitizer reports. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must always be so. */
#define FUZZ_CHECK(x)                                                          \
	do {                                                                   \
		if (!(x)) {                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
			        __LINE__, #x);                                 \
			abort();                                               \
		}                                                              \
	} while (0)

/* The result of a call is what the library promises: no error, or one with a
 * code and a text. */
static inline int fuzz_told(int r, const struct bt_error *err)
{
	FUZZ_CHECK(r >= 0 || (err->code == r && err->text[0] != '\0'));
	return r;
}

/* Writes a file in the current directory, which is the entry's own. */
static inline void fuzz_put(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	FUZZ_CHECK(f != NULL);
	FUZZ_CHECK(size == 0 || fwrite(data, 1, size, f) == size);
	FUZZ_CHECK(fclose(f) == 0);
}

/* Reads every byte, for the sanitizers. */
static inline void fuzz_read(const void *data, size_t size)
{
	const volatile unsigned char *p = data;
	size_t i;

	for (i = 0; i < size; i++)
		(void)p[i];
}

/* Takes one byte off the front, 0 where there is none. */
static inline unsigned fuzz_byte(const uint8_t **data, size_t *size)
{
	if (*size == 0)
		return 0;
	--*size;
	return *(*data)++;
}

#endif

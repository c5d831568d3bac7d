/* SPDX-License-Identifier: MIT */
/* Checkpoints for tests: the committed ones, and ones made up on the spot. */
#ifndef CKPT_H
#define CKPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckpt/open.h"
#include "tensor/checkpoint.h"

static inline const char *fixture(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("TEST_TOP"),
	         name);
	return path;
}

/* A file of n bytes of data (0, 1, 2, ...) under that header, in a block of
 * exactly *size bytes. */
static inline uint8_t *make_blob(const char *header, size_t n, size_t *size)
{
	uint64_t length = strlen(header);
	uint8_t *p;
	size_t i;

	*size = 8 + length + n;
	p = malloc(*size);
	memcpy(p, &length, 8);
	memcpy(p + 8, header, length);
	for (i = 0; i < n; i++)
		p[8 + length + i] = (uint8_t)i;
	return p;
}

static inline uint8_t *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	p = malloc(*size);
	assert_int_equal(fread(p, 1, *size, f), *size);
	fclose(f);
	return p;
}

/* What was opened, with that result, is used and closed, or refused with a
 * word. Returns 1 if it was taken. */
static inline int taken(int r, const struct bt_error *err, struct bt_ckpt *c,
                        void (*use)(const struct bt_ckpt *c))
{
	if (r == BT_OK) {
		use(c);
		bt_ckpt_close(c);
	} else {
		assert_int_equal(r, err->code);
		assert_true(err->text[0] != '\0');
	}
	return r == BT_OK;
}

/* The same of a copy in a block of its own size, so that a sanitizer sees the
 * smallest step beyond it. */
static inline int try_copy(void (*use)(const struct bt_ckpt *c),
                           const uint8_t *data, size_t size)
{
	uint8_t *p = malloc(size != 0 ? size : 1);
	struct bt_error err = {0};
	struct bt_ckpt *c = NULL;
	int r;

	memcpy(p, data, size);
	r = bt_ckpt_open_memory("m", p, size, &c, &err);
	r = taken(r, &err, c, use);
	free(p);
	return r;
}

#endif

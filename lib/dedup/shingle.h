/* SPDX-License-Identifier: MIT */
/*
 * The shingles of a text: all runs of five characters in it, after lower-casing
 * and with one space for each run of white space, none at the ends. A shorter
 * text is one shingle. Each is known by a hash of 64 bits.
 */
#ifndef BT_DEDUP_SHINGLE_H
#define BT_DEDUP_SHINGLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/* Memory that is used again; zero is empty. */
struct bt_shingles {
	uint64_t *hash; /* [n] in the order of the text, repeated as there */
	size_t n, cap;
	uint32_t *chars;
	size_t chars_cap;
};

/* Returns 0 or BT_ENOMEM. Bytes that are not UTF-8 are characters, too. */
int bt_shingles_make(struct bt_shingles *s, struct bt_span text) BT_MUST_USE;
void bt_shingles_clear(struct bt_shingles *s);

#endif

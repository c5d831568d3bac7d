/* SPDX-License-Identifier: MIT */
/*
 * Slots of tables (dedup/hash_index.h) in a nameless file in $TMPDIR (/tmp),
 * ordered by table and number. The high bits of a slot's number tell where in
 * the file it is found, but for one piece of about BT_HASH_INDEX_FILE_BUCKET
 * slots, which is read. A byte in memory for 16 slots.
 */
#ifndef BT_DEDUP_HASH_INDEX_FILE_H
#define BT_DEDUP_HASH_INDEX_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_HASH_INDEX_FILE_TABLES 256
#define BT_HASH_INDEX_FILE_BUCKET 128

/* The slots of a table, in ascending order. */
struct bt_hash_index_file_part {
	const uint64_t *slot;
	size_t n;
};

struct bt_hash_index_file;

/* A new run of those of old, which may be NULL, and of the parts. */
int bt_hash_index_file_merge(
    struct bt_hash_index_file *old,
    const struct bt_hash_index_file_part part[BT_HASH_INDEX_FILE_TABLES],
    struct bt_hash_index_file **run, struct bt_error *err) BT_MUST_USE;
void bt_hash_index_file_free(struct bt_hash_index_file *r); /* takes NULL */

/* The piece of a table's slots where those stand whose high bits are, if they
 * are anywhere, those of a number: slots[0..n-1], which may begin at any
 * address, borrowed until the next call. */
int bt_hash_index_file_find(struct bt_hash_index_file *r, unsigned table,
                            uint64_t number, const unsigned char **slots,
                            size_t *n, struct bt_error *err) BT_MUST_USE;

#endif

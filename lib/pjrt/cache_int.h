/* SPDX-License-Identifier: MIT */
/*
 * Compiled programs on the disk. A file is named by a hash of what it was made
 * from, which it holds, too: equal hashes of different programs do no harm.
 *
 *	8 bytes   "BTPJRT1\n"
 *	u64       bytes of the key
 *	u64       bytes of the program
 *	          the key: plugin, processor, options, text; the program
 *	u32       CRC-32C of all before it
 */
#ifndef BT_PJRT_CACHE_INT_H
#define BT_PJRT_CACHE_INT_H

#include "pjrt/client_int.h"

/* What decides how a program is compiled. */
void bt_pjrt_cache_key(struct bt_pjrt *p, const char *text, size_t len,
                       const struct bt_buf *options, struct bt_buf *key);

/* Finds a program; false where it is not there, whole. */
bool bt_pjrt_cache_get(const char *dir, const struct bt_buf *key,
                       struct bt_buf *program);

/* Keeps it, whole or not at all; then err says why. */
void bt_pjrt_cache_put(const char *dir, const struct bt_buf *key,
                       const struct bt_buf *program, struct bt_error *err);

#endif

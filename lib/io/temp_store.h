/* SPDX-License-Identifier: MIT */
/*
 * Bytes kept to be read again: in memory up to a limit, the rest in a nameless
 * file in $TMPDIR (/tmp).
 */
#ifndef BT_IO_TEMP_STORE_H
#define BT_IO_TEMP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* $TMPDIR, or /tmp. */
const char *bt_temp_dir(void);

/* Fails where no file can be made there, for who would find it out late. */
int bt_temp_dir_check(struct bt_error *err) BT_MUST_USE;

struct bt_temp_store;

struct bt_temp_store *bt_temp_store_new(size_t limit) BT_MUST_USE;
void bt_temp_store_free(struct bt_temp_store *s); /* takes NULL */

/* Appends n bytes. */
int bt_temp_store_put(struct bt_temp_store *s, const void *data, size_t n,
                      struct bt_error *err) BT_MUST_USE;

/* How many bytes there are, which is where the next ones will stand. */
uint64_t bt_temp_store_size(const struct bt_temp_store *s);

/* n bytes from at on, which are there; borrowed until the next call. With
 * ahead, more is read at once, for who goes on behind them. */
int bt_temp_store_get(struct bt_temp_store *s, uint64_t at, size_t n,
                      bool ahead, const void **data,
                      struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Reads what is whole of damaged record files: behind damage it goes on, byte
 * by byte, at the next place where both checksums of a record hold, and tells
 * the log what was passed over. How many records that were cannot be known.
 */
#ifndef BT_IO_RECOVER_H
#define BT_IO_RECOVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

struct bt_recover;

/* paths[0..n-1] and log are borrowed; n = 0 is standard input. */
int bt_recover_open(char *const *paths, int n, const struct bt_log *log,
                    struct bt_recover **r, struct bt_error *err) BT_MUST_USE;
void bt_recover_close(struct bt_recover *r); /* takes NULL */

/* 1: *data is the next whole record, borrowed until the next call; 0: no more.
 * BT_ECORRUPT where a file that is not empty has not one. */
int bt_recover_next(struct bt_recover *r, const uint8_t **data, size_t *len,
                    struct bt_error *err) BT_MUST_USE;

/* The file of the last record for messages, its number among the whole ones of
 * it, from 1, and all whole ones so far. */
const char *bt_recover_file(const struct bt_recover *r);
uint64_t bt_recover_record(const struct bt_recover *r);
uint64_t bt_recover_total(const struct bt_recover *r);

#endif

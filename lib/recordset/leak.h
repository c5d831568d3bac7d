/* SPDX-License-Identifier: MIT */
/* Texts, or tokens, of one set of records that stand in another, too. */
#ifndef BT_RECORDSET_LEAK_H
#define BT_RECORDSET_LEAK_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "io/in.h"

struct bt_leak;

/* Reads the text or token records of a file, which has no more bytes than the
 * limit allows, unless that is NULL; so much of these stays in memory, the rest
 * in a file (dedup/string_set_disk.h). */
int bt_leak_open(const char *path, size_t memory, struct bt_in_limit *limit,
                 struct bt_leak **leak, struct bt_error *err) BT_MUST_USE;
void bt_leak_close(struct bt_leak *l); /* takes NULL */

/* 1: the file has a record with the same text, or pair of texts, which is
 * appended to out: a tab between two, tabs and line ends as \t, \n and \r; of
 * token records the ids, a space between two; 0: it has none; BT_EFORMAT where
 * the payload is not a record of the same kind. */
int bt_leak_look(struct bt_leak *l, const void *data, size_t len,
                 struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

#endif

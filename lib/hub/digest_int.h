/* SPDX-License-Identifier: MIT */
/* The hashes by which a hub names files. */
#ifndef BT_HUB_DIGEST_INT_H
#define BT_HUB_DIGEST_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_digest;

/* For a file of size bytes that is to have this hash: SHA-256 of its bytes, or
 * git's SHA-1, which begins with the size. */
struct bt_digest *bt_digest_new(const char *hash, uint64_t size) BT_MUST_USE;
void bt_digest_free(struct bt_digest *d);
void bt_digest_add(struct bt_digest *d, const void *data, size_t n);

/* Ends it: whether the bytes have the hash; got is the one they have. */
bool bt_digest_agrees(struct bt_digest *d, char got[65]);

/* Adds the first n bytes of a file that is open as fd. */
int bt_digest_add_file(struct bt_digest *d, int fd, uint64_t n,
                       const char *name, struct bt_error *err) BT_MUST_USE;

#endif

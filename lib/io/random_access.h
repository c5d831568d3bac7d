/* SPDX-License-Identifier: MIT */
/*
 * An input of which any part can be read at any time, as formats need whose
 * table of contents is at the end: a file where it lies; what comes through a
 * pipe, or compressed, through a temporary store (io/temp_store.h).
 */
#ifndef BT_IO_RANDOM_ACCESS_H
#define BT_IO_RANDOM_ACCESS_H

#include <stdint.h>

#include "io/in.h"

struct bt_random_access;

/* Takes over an input of which nothing was consumed, whatever is returned. */
int bt_random_access_from(struct bt_in *in, struct bt_random_access **a,
                          struct bt_error *err) BT_MUST_USE;
void bt_random_access_close(struct bt_random_access *a); /* takes NULL */

uint64_t bt_random_access_size(const struct bt_random_access *a);

/* n bytes from at on, which are there. */
int bt_random_access_read(struct bt_random_access *a, uint64_t at, void *to,
                          size_t n, struct bt_error *err) BT_MUST_USE;

/* As bt_in_name. */
const char *bt_random_access_name(const struct bt_random_access *a);

#endif

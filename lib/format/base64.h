/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, section 4), with padding. */
#ifndef BT_FORMAT_BASE64_H
#define BT_FORMAT_BASE64_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends the text of n bytes. */
void bt_base64_put(struct bt_buf *b, const void *data, size_t n);

/* Appends the bytes of a text. Returns 0, or BT_EFORMAT, with b as it was,
 * where the text is none that bt_base64_put makes. */
int bt_base64_get(struct bt_buf *b, const char *s, size_t n) BT_MUST_USE;

#endif

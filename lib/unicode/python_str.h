/* SPDX-License-Identifier: MIT */
/* Text as Python's str takes it, for scores that are defined by programs in
 * Python. Tables are those of libutf8proc. */
#ifndef BT_UNICODE_PYTHON_STR_H
#define BT_UNICODE_PYTHON_STR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* str.isspace() of a character: what str.split() splits at. */
bool bt_py_is_space(uint32_t c);

/* Part of a word in the sense of \w and \b in regular expressions, but for the
 * underscore: str.isalnum(). */
bool bt_py_is_alnum(uint32_t c);

/* Category P of Unicode, or punctuation or a symbol of ASCII. */
bool bt_py_is_punct(uint32_t c);

/* Appends str.lower() of UTF-8. */
void bt_py_lower(struct bt_span s, struct bt_buf *out);

/* Appends " ".join(str.split()) of UTF-8. */
void bt_py_squeeze(struct bt_span s, struct bt_buf *out);

#endif

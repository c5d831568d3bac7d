/* SPDX-License-Identifier: MIT */
/*
 * Character sets of text files. Inside, all text is UTF-8; what comes from
 * elsewhere is checked or converted here.
 */
#ifndef BT_FORMAT_CHARSET_H
#define BT_FORMAT_CHARSET_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "io/in.h"

/* Their names, for messages and help. */
#define BT_CHARSET_NAMES "utf-8, utf-16, latin1, iso-8859-15 or windows-1252"

enum bt_charset {
	BT_CHARSET_UTF8,
	BT_CHARSET_LATIN1,      /* ISO 8859-1: every byte means something */
	BT_CHARSET_WINDOWS1252, /* 81 8D 8F 90 9D mean nothing */
	BT_CHARSET_LATIN9       /* ISO 8859-15: Latin-1 but for eight, the euro
	                         * sign among them */
};

/* Finds a set by one of its names, such as "utf-8", "latin1", "ISO-8859-15" or
 * "cp1252", in any case and with or without - and _. UTF-16 is UTF-8 once
 * bt_in_utf16 read it in *order: its names, such as "utf-16" or "utf-16be", set
 * both. Returns 0 or BT_EARG. */
int bt_charset_find(const char *name, enum bt_charset *set,
                    enum bt_utf16 *order) BT_MUST_USE;

/* Its first name. */
const char *bt_charset_name(enum bt_charset set);

/*
 * The number of bytes of s that are well-formed in set: n, or where the first
 * ill-formed character begins. UTF-8 is taken strictly: the shortest form only,
 * no surrogates, nothing above U+10FFFF.
 */
size_t bt_charset_check(enum bt_charset set, const char *s, size_t n);

/* Consumes a byte order mark of UTF-8, which is BT_EFORMAT before text of
 * another set. */
int bt_charset_skip_mark(enum bt_charset set, struct bt_in *in,
                         struct bt_error *err) BT_MUST_USE;

/* Appends s with U+FFFD for each run of bytes that begins like a character of
 * UTF-8 and does not go on so, or else for the byte, as Python's
 * errors="replace" has it; returns their number. */
size_t bt_charset_mend(struct bt_buf *b, const char *s, size_t n);

/* Appends s as UTF-8; s must have passed bt_charset_check. Running out of
 * memory shows in the buffer's oom. */
void bt_charset_put(struct bt_buf *b, enum bt_charset set, const char *s,
                    size_t n);

#endif

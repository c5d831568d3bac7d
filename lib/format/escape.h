/* SPDX-License-Identifier: MIT */
/*
 * Bytes from files, in reports and lines: they may be anything, control
 * characters that steer a terminal among them. "Control characters" below are
 * all of bt_utf8_steers (base/utf8.h); those above U+00FF are written as
 * \u202e.
 */
#ifndef BT_FORMAT_ESCAPE_H
#define BT_FORMAT_ESCAPE_H

#include <jansson.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends s with its control characters as \x1b; those that are in letters (of
 * "\t\n\r\\") as a backslash and a letter. */
void bt_escape(struct bt_buf *out, struct bt_span s, const char *letters);

/* Appends s on one line of valid UTF-8, control characters as \t, \n, \r or
 * \x1b; where it has more than `most` bytes, unless that is 0, the first of
 * them and "...". */
void bt_escape_line(struct bt_buf *out, struct bt_span s, size_t most);

/* Appends s as a field of a line whose fields are separated by tabs: tabs and
 * line ends become \t, \n and \r, and all else stays. */
void bt_escape_tabs(struct bt_buf *out, struct bt_span s);

/* Appends s, which is valid UTF-8, as a string of JSON in its quotes. Control
 * characters become \n, \u001b; without letters only the latter. */
void bt_escape_quoted(struct bt_buf *out, struct bt_span s, bool letters);

/* Appends s as bt_escape_quoted does with letters, or null: it is not UTF-8,
 * as an id may be. */
void bt_escape_json_text(struct bt_buf *out, struct bt_span s);

/* Appends a JSON document and a line end. Control characters in its strings
 * become \u202e. */
void bt_escape_document(struct bt_buf *out, const char *json);

/* Appends a program's arguments as a shell takes them, on one line of valid
 * UTF-8; of the program itself without its directory. */
void bt_escape_command(struct bt_buf *out, int argc, char *const *argv);

/* A JSON string, with U+FFFD for invalid UTF-8; NULL when out of memory. */
json_t *bt_escape_json(struct bt_span s);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines: one JSON object (RFC 8259) on each line, or as the other forms of
 * format/json_texts.h, of which the values of some members are wanted. A UTF-8
 * byte order mark is dropped. A key with dots is that of a member of a member
 * ("meta.label"), or has dots itself.
 *
 * An object that is not as it should be is an error behind which reading goes
 * on at the next one. Objects are checked to their end, members that are not
 * wanted included. No more than one is kept in memory. One thread at a time.
 */
#ifndef BT_FORMAT_JSONL_H
#define BT_FORMAT_JSONL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "io/in.h"

struct bt_jsonl;

#define BT_JSONL_LINE_MAX ((size_t)64 << 20) /* bytes of a line */
#define BT_JSONL_DEPTH_MAX 500               /* of values in values */

/* What is wrong with an object. */
enum bt_jsonl_fault {
	BT_JSONL_FINE,
	BT_JSONL_SYNTAX,  /* no JSON object, or a wanted key twice */
	BT_JSONL_KEY,     /* a wanted key is not there */
	BT_JSONL_NESTED,  /* a wanted key holds a list or an object */
	BT_JSONL_NUL,     /* a NUL in a wanted text */
	BT_JSONL_LARGE,   /* beyond a limit */
	BT_JSONL_CHARSET, /* not UTF-8 */
};

/*
 * Takes over an open input, whatever is returned. keys[0..n-1], different ones,
 * are borrowed until the close. max is the longest object, in bytes.
 */
int bt_jsonl_from(struct bt_in *in, const struct bt_span *keys, size_t n,
                  size_t max, struct bt_jsonl **jsonl,
                  struct bt_error *err) BT_MUST_USE;
/* The value of key i may be a list of texts, numbers and booleans, or, for the
 * key of a member, lie in a list of objects: it is then given as a NUL and each
 * of them with a NUL behind it. */
void bt_jsonl_allow_list(struct bt_jsonl *jsonl, size_t i);
void bt_jsonl_close(struct bt_jsonl *jsonl); /* takes NULL */

/*
 * 1: values[i] is the value of keys[i], borrowed until the next call: the text
 * of a string, numbers and booleans as they stand there, p NULL for null; 0: no
 * more; else an error. If bt_jsonl_fault is then not BT_JSONL_FINE the object
 * is bad, and the text is as that of bt_csv_next: "record 3 (line 4): byte 17:
 * expected ':'", where bytes are counted from 1 within the object.
 */
int bt_jsonl_next(struct bt_jsonl *jsonl, const struct bt_span **values,
                  struct bt_error *err) BT_MUST_USE;

/* Whether the last object has a string as value i, where that is no list. */
bool bt_jsonl_is_string(const struct bt_jsonl *jsonl, size_t i);

/* Of the last line, as their namesakes in format/csv.h. */
enum bt_jsonl_fault bt_jsonl_fault(const struct bt_jsonl *jsonl);
int bt_jsonl_blame(const struct bt_jsonl *jsonl, struct bt_error *err);
uint64_t bt_jsonl_line(const struct bt_jsonl *jsonl);
struct bt_span bt_jsonl_raw(const struct bt_jsonl *jsonl);

const char *bt_jsonl_name(const struct bt_jsonl *jsonl);
uint64_t bt_jsonl_offset(const struct bt_jsonl *jsonl);

#endif

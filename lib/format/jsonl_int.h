/* SPDX-License-Identifier: MIT */
/* The members of one JSON object in memory. */
#ifndef BT_FORMAT_JSONL_INT_H
#define BT_FORMAT_JSONL_INT_H

#include <stdbool.h>

#include "base/buf.h"
#include "format/jsonl.h"

struct bt_jsonl_object {
	const struct bt_span *keys; /* [n] wanted */
	size_t n;
	struct bt_span *values; /* [n], in the text or in bytes */
	bool *found;            /* [n] */
	bool *lists;            /* [n] that may be a list */
	bool *texts;            /* [n] whose values are strings */
	struct bt_buf bytes;    /* of strings with escapes, and of lists */
	struct bt_buf key;      /* a key with escapes */
	struct bt_buf path;     /* of a member in another */

	/* the text */
	const char *start, *p, *end;
	size_t depth; /* of the object at p, whose members are wanted */
	enum bt_jsonl_fault fault;
};

/* Reads text, which is UTF-8, as one object. BT_OK, or an error with the fault
 * set. The values are borrowed from text and o. */
int bt_jsonl_parse(struct bt_jsonl_object *o, struct bt_span text,
                   struct bt_error *err) BT_MUST_USE;

/* How to make rows with the key of a text that seems to be a whole table, of
 * which this is the beginning; else BT_HINT_NONE. */
enum bt_hint bt_jsonl_rows_inside(struct bt_jsonl_object *o,
                                  struct bt_span text, struct bt_span key);

/* JSON's words, from o->p on; an error sets o->fault. */
int bt_jsonl_syntax(struct bt_jsonl_object *o, const char *what,
                    struct bt_error *err);
void bt_jsonl_skip_blanks(struct bt_jsonl_object *o);
/* Goes behind the character c if it is next, but for blanks. */
bool bt_jsonl_take(struct bt_jsonl_object *o, char c);
/*
 * The string whose opening quote is next. With out, *v is its text, borrowed
 * from the line, or from out where it has escapes; out has room for it, so that
 * what stands in it does not move.
 */
int bt_jsonl_take_string(struct bt_jsonl_object *o, struct bt_buf *out,
                         struct bt_span *v, struct bt_error *err) BT_MUST_USE;
/* A member's key, likewise, and the colon. */
int bt_jsonl_take_key(struct bt_jsonl_object *o, struct bt_buf *out,
                      struct bt_span *key, struct bt_error *err) BT_MUST_USE;
/* null, true, false or a number; *v is its text, or NULL, 0 for null. */
int bt_jsonl_take_bare(struct bt_jsonl_object *o, struct bt_span *v,
                       struct bt_error *err) BT_MUST_USE;
/* Goes behind the value that is next, whatever it is. */
int bt_jsonl_skip_value(struct bt_jsonl_object *o,
                        struct bt_error *err) BT_MUST_USE;

#endif

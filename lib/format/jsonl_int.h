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
	size_t list;            /* that may be a list; n: none */
	struct bt_buf bytes;    /* of strings with escapes */
	struct bt_buf key;      /* a key with escapes */

	/* the text */
	const char *start, *p, *end;
	enum bt_jsonl_fault fault;
};

/* Reads text, which is UTF-8, as one object. BT_OK, or an error with the fault
 * set. The values are borrowed from text and o. */
int bt_jsonl_parse(struct bt_jsonl_object *o, struct bt_span text,
                   struct bt_error *err) BT_MUST_USE;

#endif

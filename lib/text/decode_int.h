/* SPDX-License-Identifier: MIT */
/* Decoders: how tokens become text again, step by step. */
#ifndef BT_TEXT_DECODE_INT_H
#define BT_TEXT_DECODE_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "text/parts_int.h"

struct bt_tok;

enum bt_decode_kind {
	BT_DECODE_WORDPIECE, /* a = prefix; flag: clean up */
	BT_DECODE_BYTES,
	BT_DECODE_METASPACE, /* a = replacement; flag: the first one goes */
	BT_DECODE_BPE,       /* a = suffix */
	BT_DECODE_REPLACE,   /* norm */
	BT_DECODE_FUSE,
	BT_DECODE_FALLBACK,
	BT_DECODE_STRIP /* a = character; start, stop */
};

struct bt_decode_step {
	enum bt_decode_kind kind;
	char *a; /* owned */
	bool flag;
	size_t start, stop;
	struct bt_norm *norm;
};

#define BT_DECODE_STEPS 16

/* Zero joins tokens with spaces. */
struct bt_decode {
	struct bt_decode_step step[BT_DECODE_STEPS];
	int n;
	char *unknown; /* why it cannot be used, or NULL */
};

void bt_decode_clear(struct bt_decode *d);

/* Appends a step; a is copied, norm taken over in any case. */
int bt_decode_add(struct bt_decode *d, enum bt_decode_kind kind,
                  struct bt_span a, bool flag, struct bt_norm *norm,
                  struct bt_error *err) BT_MUST_USE;

/* Reads the decoder of tokenizer.json. What is not known is noted in
 * d->unknown. */
int bt_decode_read(struct bt_decode *d, json_t *o,
                   struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* Decoders: how tokens become text again, step by step. */
#ifndef BT_TOKENIZER_DECODER_H
#define BT_TOKENIZER_DECODER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/component_int.h"

struct bt_tok;

enum bt_decoder_kind {
	BT_DECODER_WORDPIECE, /* a = prefix; flag: clean up */
	BT_DECODER_BYTES,
	BT_DECODER_METASPACE, /* a = replacement; flag: the first one goes */
	BT_DECODER_BPE,       /* a = suffix */
	BT_DECODER_REPLACE,   /* norm */
	BT_DECODER_FUSE,
	BT_DECODER_FALLBACK,
	BT_DECODER_STRIP /* a = character; start, stop */
};

struct bt_decoder_step {
	enum bt_decoder_kind kind;
	char *a; /* owned */
	bool flag;
	size_t start, stop;
	struct bt_normalizer *norm;
};

#define BT_DECODER_STEPS 16

/* Zero joins tokens with spaces. */
struct bt_decoder {
	struct bt_decoder_step step[BT_DECODER_STEPS];
	int n;
	char *unknown; /* why it cannot be used, or NULL */
};

void bt_decoder_clear(struct bt_decoder *d);

/* Appends a step; a is copied, norm taken over in any case. */
int bt_decoder_add(struct bt_decoder *d, enum bt_decoder_kind kind,
                   struct bt_span a, bool flag, struct bt_normalizer *norm,
                   struct bt_error *err) BT_MUST_USE;

#endif

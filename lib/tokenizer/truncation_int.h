/* SPDX-License-Identifier: MIT */
/* The state of encoding one text or pair: its tokens, and how they are
 * truncated or split into windows. */
#ifndef BT_TOKENIZER_TRUNCATION_INT_H
#define BT_TOKENIZER_TRUNCATION_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "tokenizer/encode.h"

struct bt_tok_scratch {
	struct bt_tok_buffers buffers;
	void (*work_free)(void *work);
	struct bt_pieces seq[2]; /* of each text */

	/* what was encoded last, and how it is cut into windows (truncation.c)
	 */
	struct bt_span source[2];
	struct bt_tok_encode_opts how;
	bool pair;
	size_t keep[2]; /* tokens of each text that have room */
	size_t windows[2];
	size_t cut_first;

	/* the window asked for last */
	int32_t *ids;
	uint8_t *types;
	uint32_t *start, *end, *word;
	struct bt_span *normal;
	int8_t *text;
	size_t cap; /* of each of these seven */
};

/* Sets s->keep and s->windows. */
int bt_tok_share(const struct bt_tok *t, struct bt_tok_scratch *s,
                 struct bt_error *err) BT_MUST_USE;

#endif

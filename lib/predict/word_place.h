/* SPDX-License-Identifier: MIT */
/* Where words stand in a text. */
#ifndef BT_PREDICT_WORD_PLACE_H
#define BT_PREDICT_WORD_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

/* Of a word, in bytes and code points. Zero is before the first one. */
struct bt_word_place {
	size_t byte, byte_end, start, end;
};

/* Moves p from a word on to the next one, where that stands in the text next;
 * false: nowhere behind p. */
bool bt_word_place_find(struct bt_span text, struct bt_span word,
                        struct bt_word_place *p);

/* Appends the next word to the text and moves p on to it: a blank is between
 * two. */
void bt_word_place_join(struct bt_buf *text, struct bt_span word,
                        struct bt_word_place *p);

#endif

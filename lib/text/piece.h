/* SPDX-License-Identifier: MIT */
/* Tokens of a text. */
#ifndef BT_TEXT_PIECE_H
#define BT_TEXT_PIECE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

/* A token and the bytes of the word (or text) that it stands for. */
struct bt_piece {
	int32_t id;
	uint32_t start, end;
};

/* A part of a text. */
struct bt_stretch {
	uint32_t from, to;
};

/* What is told of a piece on demand. */
struct bt_place {
	uint32_t word;        /* of the text, counted from 0 */
	uint32_t from, bytes; /* in the list's normal; 0 bytes: none */
};

/* A list; zero is empty, free(piece) gives the memory back, and that of places
 * the same and bt_buf_clear, where somebody asked for these. */
struct bt_pieces {
	struct bt_piece *piece; /* [n] */
	size_t n, cap;
	struct bt_place *place; /* [n] */
	size_t place_cap;
	struct bt_buf normal; /* text as it was cut */
};

/* Makes room for more pieces behind the n that there are. */
static inline int bt_pieces_room(struct bt_pieces *p, size_t more)
{
	if (p->cap - p->n >= more)
		return BT_OK;
	return bt_grow(&p->piece, &p->cap, p->n + more, sizeof(*p->piece));
}

#endif

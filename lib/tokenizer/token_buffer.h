/* SPDX-License-Identifier: MIT */
/* Tokens of a text. */
#ifndef BT_TOKENIZER_TOKEN_BUFFER_H
#define BT_TOKENIZER_TOKEN_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

/* A token and the bytes of the word (or text) that it stands for. */
struct bt_piece {
	int32_t id;
	uint32_t start, end;
};

/* A part of a text. */
struct bt_word_range {
	uint32_t from, to;
};

/* What is said of a piece on demand. */
struct bt_piece_place {
	uint32_t word;        /* of the text, counted from 0 */
	uint32_t from, bytes; /* in the list's normal; 0 bytes: none */
};

/* A list; zero is empty, bt_pieces_clear gives the memory back. Where nobody
 * asks where they stand the tokens of a text are ids alone. */
struct bt_pieces {
	struct bt_piece *piece; /* [n] */
	int32_t *id;            /* or this [n] */
	size_t n, cap, id_cap;
	bool bare;                    /* the latter */
	struct bt_piece_place *place; /* [n] */
	size_t place_cap;
	struct bt_buf normal; /* text as it was cut */
};

/* Makes room for more pieces behind the n that there are. */
static inline int bt_pieces_room(struct bt_pieces *p, size_t more)
{
	if (p->n + more <= p->cap)
		return BT_OK;
	return bt_grow(&p->piece, &p->cap, p->n + more, sizeof(*p->piece));
}

/* The same where they are ids. */
static inline int bt_pieces_room_ids(struct bt_pieces *p, size_t more)
{
	if (p->n + more <= p->id_cap)
		return BT_OK;
	return bt_grow(&p->id, &p->id_cap, p->n + more, sizeof(*p->id));
}

/* Makes ids of n pieces that stand behind those that there are. */
static inline int bt_pieces_add_ids(struct bt_pieces *p, size_t n)
{
	size_t end = p->n + n;

	if (bt_pieces_room_ids(p, n) != BT_OK)
		return BT_ENOMEM;
	for (; p->n < end; p->n++)
		p->id[p->n] = p->piece[p->n].id;
	return BT_OK;
}

static inline void bt_pieces_clear(struct bt_pieces *p)
{
	free(p->piece);
	free(p->id);
	free(p->place);
	bt_buf_clear(&p->normal);
}

#endif

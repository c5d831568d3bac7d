/* SPDX-License-Identifier: MIT */
#include "stablehlo/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Lists of rows by the room that is left, and of texts by their length: each
 * element names the next one, 0 ends a list, and numbers count from 1. */
struct placing {
	const uint32_t *start;
	int length;
	uint32_t *head;              /* [length + 1] rows with that room */
	uint32_t *next;              /* [n + 1] */
	uint32_t *used;              /* [n + 1] texts of a row */
	uint32_t *texts, *next_text; /* [length + 1], [n + 1] */
	size_t rows;
};

/* Takes out of its list the row with the least room for so many tokens, or a
 * new row, and sets its room. */
static uint32_t take_row(struct placing *p, int tokens, int *room)
{
	uint32_t row;
	int i;

	for (i = tokens; i <= p->length; i++) {
		row = p->head[i];
		if (row != 0) {
			p->head[i] = p->next[row];
			*room = i;
			return row;
		}
	}
	*room = p->length;
	return (uint32_t)++p->rows;
}

static void place_text(struct placing *p, int tokens, struct bt_hlo_place *at)
{
	int room;
	uint32_t row = take_row(p, tokens, &room);

	at->row = row - 1;
	at->column = (uint32_t)(p->length - room);
	at->number = p->used[row]++;
	room -= tokens;
	if (room == 0 || (int)p->used[row] == bt_hlo_row_texts(p->length))
		return; /* full */
	p->next[row] = p->head[room];
	p->head[room] = row;
}

/* Texts by their length, those of equal length in their order. */
static void sort_texts(struct placing *p, size_t n)
{
	uint32_t tokens;
	size_t t;

	for (t = n; t-- > 0;) {
		tokens = p->start[t + 1] - p->start[t];
		p->next_text[t + 1] = p->texts[tokens];
		p->texts[tokens] = (uint32_t)(t + 1);
	}
}

int bt_hlo_place(const uint32_t *start, size_t n, int length,
                 struct bt_hlo_place *place, size_t *rows, struct bt_error *err)
{
	struct placing p = {.start = start, .length = length};
	size_t wide = (size_t)length + 1;
	uint32_t *all = bt_array0(2 * wide + 3 * (n + 1), sizeof(*all)), t;
	int tokens;

	if (all == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	p.head = all;
	p.texts = p.head + wide;
	p.next = p.texts + wide;
	p.used = p.next + n + 1;
	p.next_text = p.used + n + 1;
	sort_texts(&p, n);
	for (tokens = length; tokens > 0; tokens--)
		for (t = p.texts[tokens]; t != 0; t = p.next_text[t])
			place_text(&p, tokens, &place[t - 1]);
	free(all);
	*rows = p.rows;
	return BT_OK;
}

size_t bt_hlo_batch_elements(const struct bt_hlo_batch *b,
                             enum bt_hlo_source source)
{
	return source == BT_HLO_ARG_FIRST ? (size_t)b->size.texts
	       : source == BT_HLO_ARG_SELECTED
	           ? (size_t)b->size.selected
	           : (size_t)b->size.rows * (size_t)b->size.length;
}

int bt_hlo_batch_init(struct bt_hlo_batch *b, const struct bt_graph *g,
                      const struct bt_hlo_size *size, struct bt_error *err)
{
	int i, k;

	memset(b, 0, sizeof(*b));
	b->size = *size;
	b->pad = -1;
	for (i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].op == BT_OP_EMBED) {
			b->position0 = g->nodes[i].u.embed.position0;
			b->pad = g->nodes[i].u.embed.pad;
		}
	for (k = BT_HLO_ARG_IDS; k < BT_HLO_ARG_SOURCES; k++) {
		b->arg[k] = bt_array(
		    bt_hlo_batch_elements(b, (enum bt_hlo_source)k) + 1,
		    sizeof(int32_t));
		if (b->arg[k] == NULL) {
			bt_hlo_batch_clear(b);
			return bt_error_nomem(err, "placing texts in rows");
		}
	}
	bt_hlo_batch_empty(b);
	return BT_OK;
}

void bt_hlo_batch_clear(struct bt_hlo_batch *b)
{
	int k;

	for (k = 0; k < BT_HLO_ARG_SOURCES; k++)
		free(b->arg[k]);
	memset(b, 0, sizeof(*b));
}

void bt_hlo_batch_empty(struct bt_hlo_batch *b)
{
	size_t i, n;
	int k;

	for (k = BT_HLO_ARG_IDS; k < BT_HLO_ARG_SOURCES; k++) {
		n = bt_hlo_batch_elements(b, (enum bt_hlo_source)k);
		for (i = 0; i < n; i++)
			b->arg[k][i] = k == BT_HLO_ARG_SEGMENTS ? -1 : 0;
	}
	b->n_selected = 0;
}

size_t bt_hlo_batch_add(struct bt_hlo_batch *b,
                        const struct bt_hlo_place *place, const int32_t *ids,
                        const uint8_t *types, size_t n)
{
	size_t first = bt_hlo_token(b, place), i, at;
	size_t text = place->row * (size_t)bt_hlo_row_texts(b->size.length) +
	              place->number;
	int32_t position = b->position0;
	bool pads = b->position0 > 0;

	b->arg[BT_HLO_ARG_FIRST][text] = (int32_t)first;
	for (i = 0; i < n; i++) {
		at = first + i;
		b->arg[BT_HLO_ARG_IDS][at] = ids[i];
		b->arg[BT_HLO_ARG_TYPES][at] = types == NULL ? 0 : types[i];
		b->arg[BT_HLO_ARG_PLACES][at] = (int32_t)i;
		b->arg[BT_HLO_ARG_SEGMENTS][at] = (int32_t)text;
		b->arg[BT_HLO_ARG_POSITIONS][at] =
		    pads && ids[i] == b->pad ? b->position0 - 1 : position++;
	}
	return text;
}

bool bt_hlo_batch_select(struct bt_hlo_batch *b,
                         const struct bt_hlo_place *place, size_t i)
{
	if (b->n_selected == b->size.selected)
		return false;
	b->arg[BT_HLO_ARG_SELECTED][b->n_selected++] =
	    (int32_t)(bt_hlo_token(b, place) + i);
	return true;
}

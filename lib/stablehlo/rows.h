/* SPDX-License-Identifier: MIT */
/*
 * Ragged texts for programs of static shapes. A batch is some rows of a fixed
 * length, and each row holds several texts one behind the other. Tokens see
 * those of their own text only and count from its beginning, so what is
 * computed of a text does not depend on where it stands or with which others.
 */
#ifndef BT_STABLEHLO_ROWS_H
#define BT_STABLEHLO_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "stablehlo/program.h"

/* Where a text stands: its row, its first token there, and how many texts are
 * before it in the row. */
struct bt_hlo_place {
	uint32_t row, column, number;
};

/* Texts that a row has room for: those of 4 tokens fill it. */
static inline int bt_hlo_row_texts(int length)
{
	return length / 4;
}

/*
 * Places n texts, of which text t has start[t + 1] - start[t] tokens, 1 to
 * `length`, in as few rows as it can find: the longest first, each where the
 * least room is left. Sets place[t] and the number of rows. Returns 0, or
 * BT_ENOMEM.
 */
int bt_hlo_place(const uint32_t *start, size_t n, int length,
                 struct bt_hlo_place *place, size_t *rows,
                 struct bt_error *err) BT_MUST_USE;

/* The arguments of a batch, as enum bt_hlo_source has them. */
struct bt_hlo_batch {
	struct bt_hlo_size size;
	int position0, pad; /* of the graph's embeddings */
	int32_t *arg[BT_HLO_ARG_SOURCES];
	int n_selected;
};

/* Arrays for batches of that size of a graph: 0, or BT_ENOMEM. */
int bt_hlo_batch_init(struct bt_hlo_batch *b, const struct bt_graph *g,
                      const struct bt_hlo_size *size,
                      struct bt_error *err) BT_MUST_USE;
void bt_hlo_batch_clear(struct bt_hlo_batch *b);

/* Elements of an argument. */
size_t bt_hlo_batch_elements(const struct bt_hlo_batch *b,
                             enum bt_hlo_source source);

/* Leaves nothing but padding in the batch. */
void bt_hlo_batch_empty(struct bt_hlo_batch *b);

/* Adds a text of n tokens at a place, row 0 being the batch's first. Returns
 * the number of the row of texts that it has. */
size_t bt_hlo_batch_add(struct bt_hlo_batch *b,
                        const struct bt_hlo_place *place, const int32_t *ids,
                        const uint8_t *types, size_t n);

/* Selects token i of a text at a place; false where there is no more room. */
bool bt_hlo_batch_select(struct bt_hlo_batch *b,
                         const struct bt_hlo_place *place, size_t i);

/* The number of the first token of a place, of all of a batch. */
static inline size_t bt_hlo_token(const struct bt_hlo_batch *b,
                                  const struct bt_hlo_place *place)
{
	return (size_t)place->row * (size_t)b->size.length + place->column;
}

#endif

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

/* The arguments of a batch, as enum bt_hlo_source has them: of each one of the
 * two arrays, or none where the batch has no such argument. */
struct bt_hlo_batch {
	const struct bt_graph *g;
	struct bt_hlo_size size;
	int position0, pad; /* of the graph's embeddings */
	int32_t *arg[BT_HLO_ARG_SOURCES];
	float *real[BT_HLO_ARG_SOURCES];
	int n_selected;
};

/* Arrays for batches of that size of a graph, which must outlive them; with
 * those of a loss, if it is `learning` from them. 0, or BT_ENOMEM. */
int bt_hlo_batch_init(struct bt_hlo_batch *b, const struct bt_graph *g,
                      const struct bt_hlo_size *size, bool learning,
                      struct bt_error *err) BT_MUST_USE;
void bt_hlo_batch_clear(struct bt_hlo_batch *b);

/* Makes room in a batch that is learned from, with zeros, for what a teacher
 * wants or for given gradients. 0, or BT_ENOMEM. */
int bt_hlo_batch_room(struct bt_hlo_batch *b, enum bt_hlo_source source,
                      struct bt_error *err) BT_MUST_USE;

/* An argument's elements, of 4 bytes each. */
const void *bt_hlo_batch_data(const struct bt_hlo_batch *b,
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

/* What a text is to be learned from: the classes of its rows of logits, of
 * which negative ones have no loss, or the numbers to predict; of spans, the
 * tokens that begin and end one. */
struct bt_hlo_truth {
	const int32_t *labels; /* or NULL */
	const float *targets;  /* or NULL */
	const float *teacher;  /* of whose rows each row of logits has one; or
	                        * NULL */
	const uint32_t *teacher_row;
	const float *grads; /* by its row of logits, [columns]; or NULL */
	float weight;       /* the loss's scale included */
	int32_t next;       /* of the second logits, or negative */
	float next_weight;
	uint32_t token, number; /* in the update: of its first token, its own */
	size_t other;           /* the row of texts of its other pass */
};

/* Sets this of a text of n tokens that has just been added as row `text`, of
 * which so many are selected. */
void bt_hlo_batch_learn(struct bt_hlo_batch *b,
                        const struct bt_hlo_place *place, size_t text, size_t n,
                        size_t selected, const struct bt_hlo_truth *truth);

/* What a text is to be learned from with others, where `learn` is given neither
 * labels nor targets: */
struct bt_hlo_member {
	int32_t group;       /* of choices: the question */
	int32_t pair, equal; /* as BT_HLO_ARG_PAIRS and _EQUAL */
	float weight;        /* the group's, of an anchor or a choice, the
	                      * loss's scale included; else 0 */
	float target;        /* the pair's, of an anchor; the class; of a choice
	                      * 1 where it is the right one */
};

/* Sets this of a row of texts, or of a text of those that are compared. */
void bt_hlo_batch_group(struct bt_hlo_batch *b, size_t text,
                        const struct bt_hlo_member *m);

/* Sets the number that the first row of texts has among those of all devices.
 */
void bt_hlo_batch_own(struct bt_hlo_batch *b, size_t first);

/* Sets what dropout depends on: the seed, the update, and how many tokens of it
 * are before the batch. */
void bt_hlo_batch_random(struct bt_hlo_batch *b, uint64_t seed, uint32_t step,
                         uint32_t token0);

/* The row of texts of a place. */
static inline size_t bt_hlo_text(const struct bt_hlo_batch *b,
                                 const struct bt_hlo_place *place)
{
	return (size_t)place->row * (size_t)bt_hlo_row_texts(b->size.length) +
	       place->number;
}

/* The number of the first token of a place, of all of a batch. */
static inline size_t bt_hlo_token(const struct bt_hlo_batch *b,
                                  const struct bt_hlo_place *place)
{
	return (size_t)place->row * (size_t)b->size.length + place->column;
}

#endif

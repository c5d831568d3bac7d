/* SPDX-License-Identifier: MIT */
/*
 * Training works on four things: the tokens by their text, the words as tokens
 * (struct bt_trainer_word), how often each pair of tokens occurs (struct
 * bt_trainer_pairs), and a queue of merges (struct bt_trainer_queue), each with
 * the list of the words it changes.
 */
#ifndef BT_VOCAB_TRAIN_TRAINER_INT_H
#define BT_VOCAB_TRAIN_TRAINER_INT_H

#include <stdlib.h>

#include "base/mem.h"
#include "vocab_train/trainer.h"

/* Stands where a character is not in the alphabet. */
#define BT_SYMBOL_NONE UINT32_MAX

/* A word of two tokens or more. */
struct bt_trainer_word {
	uint64_t count;
	uint32_t *token; /* [n] ids */
	uint32_t n;
};

struct bt_trainer_state {
	const struct bt_trainer_opts *opts;
	struct bt_trainer *out;
	uint32_t *slot; /* [slots] tokens by hash: 1 + id; 0: free */
	size_t slots;
	struct bt_trainer_word *word; /* [words], at most UINT32_MAX */
	size_t words;
	uint32_t *tokens; /* of all words */
};

/* The id of the token that is a and b together; a new one if it is not known.
 * Returns 0 or BT_ENOMEM. */
int bt_trainer_intern(struct bt_trainer_state *t, struct bt_span a,
                      struct bt_span b, uint32_t *id) BT_MUST_USE;

/* Two tokens, of which there are at most 2^24. */
static inline uint64_t bt_trainer_key(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 24 | b;
}

static inline uint32_t bt_trainer_key_a(uint64_t key)
{
	return (uint32_t)(key >> 24);
}

static inline uint32_t bt_trainer_key_b(uint64_t key)
{
	return (uint32_t)(key & 0xffffff);
}

struct bt_trainer_pair {
	uint64_t key, count;
};

/* Pairs of tokens and how often each occurs. Zero is empty. The large arrays
 * are arenas, which grow without copies. */
struct bt_trainer_pairs {
	struct bt_arena
	    pair; /* struct bt_trainer_pair [n] as they were found */
	size_t n;
	struct bt_arena
	    slot; /* uint32_t [slots] by hash: 1 + number, 0: free */
	size_t slots;
};

static inline struct bt_trainer_pair *
bt_trainer_pair(const struct bt_trainer_pairs *p, uint32_t number)
{
	return (struct bt_trainer_pair *)p->pair.base + number;
}

/* The number of a pair, which is added with a count of 0 if it is new. Returns
 * 0, BT_ENOMEM or BT_ELIMIT. */
int bt_trainer_pairs_find(struct bt_trainer_pairs *p, uint64_t key,
                          uint32_t *number) BT_MUST_USE;
void bt_trainer_pairs_clear(struct bt_trainer_pairs *p);

/* A pair that could be merged in some words. */
struct bt_trainer_merge {
	uint64_t key;
	uint64_t count; /* of the pair, when it was queued */
	union {
		uint32_t one, *many; /* [n] numbers of words, ascending */
	} word;
	uint32_t n;
	uint32_t turn; /* of equal ones the first goes first */
};

/* A heap of merges. Zero is empty. */
struct bt_trainer_queue {
	struct bt_arena heap; /* struct bt_trainer_merge [n] */
	size_t n;
	uint32_t turns;
};

/* Takes over the merge's words in any case. Returns 0 or BT_ENOMEM. */
int bt_trainer_queue_put(struct bt_trainer_queue *q,
                         const struct bt_trainer_merge *merge) BT_MUST_USE;

/* Takes the one of the largest count, of these of the smallest key, out. False:
 * the queue is empty. */
bool bt_trainer_queue_take(struct bt_trainer_queue *q,
                           struct bt_trainer_merge *merge) BT_MUST_USE;
void bt_trainer_queue_clear(struct bt_trainer_queue *q);

static inline void bt_trainer_merge_clear(const struct bt_trainer_merge *m)
{
	if (m->n > 1)
		free(m->word.many);
}

/* Merges pairs until out is full. Returns 0, BT_ENOMEM or BT_ELIMIT. */
int bt_trainer_merge(struct bt_trainer_state *t) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Words and how often each occurs. A distinct word takes about 20 bytes beside
 * its own. A struct bt_word_counts belongs
 * to one thread, its parts to several where bt_word_counts_move says so.
 */
#ifndef BT_VOCAB_TRAIN_WORD_COUNTS_H
#define BT_VOCAB_TRAIN_WORD_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define BT_WORD_COUNTS_PARTS 32

/* A word belongs to the part that its hash says. */
struct bt_word_counts_part {
	struct bt_arena words; /* one after the other */
	struct bt_arena slot;  /* uint32_t [slots] 1 + where a word lies; 0 */
	size_t used;           /* bytes of words */
	size_t slots, n;
};

/* Zero is empty; clear frees the memory. */
struct bt_word_counts {
	struct bt_word_counts_part part[BT_WORD_COUNTS_PARTS];
};

/* The number of distinct words. */
size_t bt_word_counts_n(const struct bt_word_counts *w);

/* Adds count, which is not 0, to the count of a word. Returns 0, BT_ENOMEM or
 * BT_ELIMIT. */
int bt_word_counts_add(struct bt_word_counts *w, const void *word, size_t n,
                       uint64_t count) BT_MUST_USE;

/* Counts the words of a part of `from` in `to`; the part is empty then.
 * Different parts may be moved by different threads at a time. */
int bt_word_counts_move(struct bt_word_counts *to, struct bt_word_counts *from,
                        int part) BT_MUST_USE;

struct bt_word {
	const uint8_t *p; /* borrowed until the next call */
	size_t n;
	uint64_t count;
};

/* A place between two words; begins as zero. */
struct bt_word_counts_at {
	size_t at;
	int part;
};

/* The next word, in no particular order; false: there are no more. */
bool bt_word_counts_next(const struct bt_word_counts *w,
                         struct bt_word_counts_at *at,
                         struct bt_word *word) BT_MUST_USE;

/* The same, and frees the parts that it has passed: after the last word nothing
 * is left. No words may be added meanwhile. */
bool bt_word_counts_take(struct bt_word_counts *w, struct bt_word_counts_at *at,
                         struct bt_word *word) BT_MUST_USE;

void bt_word_counts_clear(struct bt_word_counts *w);

#endif

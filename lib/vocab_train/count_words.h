/* SPDX-License-Identifier: MIT */
/* Counts the words of whole inputs on all threads. */
#ifndef BT_VOCAB_TRAIN_COUNT_WORDS_H
#define BT_VOCAB_TRAIN_COUNT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/pool.h"
#include "vocab_train/word_split.h"

struct bt_count_words_sum {
	uint64_t texts, bytes;
	size_t words; /* distinct ones */
};

/*
 * Counts the words of text records, both texts of a pair, or of lines, in
 * paths[0..n-1] (n = 0: standard input), and adds them to words. An
 * input without a text is BT_EFORMAT. progress may be NULL.
 */
int bt_count_words(const struct bt_word_splitter *splitter,
                   struct bt_pool *pool, bool lines, char *const *paths, int n,
                   struct bt_progress *progress, struct bt_word_counts *words,
                   struct bt_count_words_sum *sum,
                   struct bt_error *err) BT_MUST_USE;

#endif

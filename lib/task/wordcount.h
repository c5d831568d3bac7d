/* SPDX-License-Identifier: MIT */
/* The words of whole inputs, counted on all threads. */
#ifndef BT_TASK_WORDCOUNT_H
#define BT_TASK_WORDCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/pool.h"
#include "text/wordcut.h"

struct bt_wordcount_sum {
	uint64_t texts, bytes;
	size_t words; /* different ones */
};

/*
 * Counts the words of text records, both texts of a pair, or of lines, in
 * paths[0..n-1] (n = 0: standard input), and adds them to words. Inputs without
 * any text are BT_EFORMAT. progress may be NULL.
 */
int bt_wordcount(const struct bt_word_cutter *cutter, struct bt_pool *pool,
                 bool lines, char *const *paths, int n,
                 struct bt_progress *progress, struct bt_words *words,
                 struct bt_wordcount_sum *sum,
                 struct bt_error *err) BT_MUST_USE;

#endif

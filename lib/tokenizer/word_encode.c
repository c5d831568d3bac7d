/* SPDX-License-Identifier: MIT */
#include "tokenizer/word_encode.h"

/* Appends a word that is not kept, and keeps it. */
static int add_new(const struct bt_word_run *run, const struct bt_word_query *q,
                   const uint8_t *text, size_t from, size_t to,
                   struct bt_pieces *out)
{
	size_t before = out->n, n;
	int r = run->cut(run->model, run->work, text, from, to, out);

	if (r != BT_OK)
		return r;
	n = out->n - before;
	bt_word_keep(run->words, q, from, out->piece + before, n);
	if (!out->bare)
		return BT_OK;
	out->n = before;
	return bt_pieces_add_ids(out, n);
}

int bt_word_run(const struct bt_word_run *run, const uint8_t *text, size_t from,
                size_t to, struct bt_pieces *out)
{
	const struct bt_word_slot *kept;
	struct bt_word_query q;

	bt_word_cache_tend(run->words);
	bt_word_seek(run->words, text + from, to - from, text + to, &q);
	kept = bt_word_find(run->words, &q);
	if (kept != NULL)
		return bt_word_recall(&q, kept, from, out);
	return add_new(run, &q, text, from, to, out);
}

/* All lines of the cache are on their way before the first is looked at. */
int bt_word_run_many(const struct bt_word_run *run, const uint8_t *text,
                     size_t end, const struct bt_word_range *word, size_t n,
                     struct bt_pieces *out)
{
	struct bt_word_query q[BT_WORDS_AHEAD];
	const struct bt_word_slot *kept;
	size_t i, k;
	int r;

	for (; n > 0; word += k, n -= k) {
		k = n < BT_WORDS_AHEAD ? n : BT_WORDS_AHEAD;
		bt_word_cache_tend(run->words);
		for (i = 0; i < k; i++)
			bt_word_seek(run->words, text + word[i].from,
			             word[i].to - word[i].from, text + end,
			             &q[i]);
		for (i = 0; i < k; i++) {
			kept = bt_word_find(run->words, &q[i]);
			if (kept == NULL)
				r = add_new(run, &q[i], text, word[i].from,
				            word[i].to, out);
			else if (out->bare)
				r = bt_word_recall_ids(&q[i], kept, out);
			else
				r = bt_word_recall(&q[i], kept, word[i].from,
				                   out);
			if (r != BT_OK)
				return r;
		}
	}
	return BT_OK;
}

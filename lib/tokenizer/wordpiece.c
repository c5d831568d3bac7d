/* SPDX-License-Identifier: MIT */
#include "tokenizer/wordpiece_int.h"

#include "base/utf8.h"
#include "tokenizer/word_encode.h"

/* Bytes that may be looked at for each byte of a word before links are used.
 * Words of languages stay far below. */
#define LOOKS 16

void bt_wordpiece_init(struct bt_wordpiece *wp, const struct bt_vocab *v,
                       struct bt_span prefix, int32_t unknown, size_t max_chars)
{
	wp->vocab = v;
	wp->trie = &v->trie;
	wp->more = bt_trie_walk(wp->trie, prefix.p, prefix.n);
	wp->prefix = prefix.n;
	wp->unknown = unknown;
	wp->max_chars = max_chars;
}

void bt_wordpiece_work_clear(struct bt_wordpiece_work *work)
{
	bt_wordpiece_linear_free(work->links);
	work->links = NULL;
	bt_word_cache_clear(&work->words);
}

static bool is_too_long(const uint8_t *p, const uint8_t *end, size_t max)
{
	size_t n = 0;

	if ((size_t)(end - p) <= max)
		return false;
	for (; p < end && n <= max; p += bt_utf8_len(*p))
		n++;
	return n > max;
}

/* The rest of a word, behind the n pieces that there are, by links. Returns the
 * number of all pieces, 0 if the rest has none, or BT_ENOMEM. */
static int64_t go_on(const struct bt_wordpiece *wp,
                     struct bt_wordpiece_work *work, const uint8_t *text,
                     size_t end, struct bt_piece *piece, size_t n)
{
	int64_t more;

	if (work->links == NULL &&
	    bt_wordpiece_linear_new(wp, &work->links) != BT_OK)
		return BT_ENOMEM;
	more = bt_wordpiece_linear_cut(wp, work->links, text, piece[n - 1].end,
	                               end, piece + n);
	return more > 0 ? (int64_t)n + more : more;
}

/* Cuts text[start .. end-1] into pieces, for which there is room. Returns their
 * number or BT_ENOMEM. */
static int64_t cut(const struct bt_wordpiece *wp,
                   struct bt_wordpiece_work *work, const uint8_t *text,
                   size_t start, size_t end, struct bt_piece *piece)
{
	const struct bt_trie *t = wp->trie;
	size_t n = 0, at = start, i, stop, looks = LOOKS * (end - start);
	uint32_t node = BT_TRIE_ROOT, found;
	bool known = !is_too_long(text + start, text + end, wp->max_chars);
	int64_t all;

	while (known && at < end) {
		found = BT_TRIE_NONE;
		stop = at;
		for (i = at; i < end && node != BT_TRIE_NONE;) {
			node = bt_trie_step(t, node, text[i++]);
			if (node != BT_TRIE_NONE && bt_trie_is_end(t, node)) {
				found = node;
				stop = i;
			}
		}
		if (found == BT_TRIE_NONE)
			break;
		looks -= i - at < looks ? i - at : looks;
		piece[n].id = (int32_t)bt_trie_number(t, found);
		piece[n].start = (uint32_t)at;
		piece[n++].end = (uint32_t)stop;
		at = stop;
		node = wp->more;
		if (looks == 0 && at < end && node != BT_TRIE_NONE) {
			all = go_on(wp, work, text, end, piece, n);
			if (all == 0)
				break;
			return all;
		}
	}
	if (at == end)
		return (int64_t)n;
	piece[0].id = wp->unknown;
	piece[0].start = (uint32_t)start;
	piece[0].end = (uint32_t)end;
	return 1;
}

/* Appends the pieces of a word that is new. */
static int cut_new(const void *model, void *work, const uint8_t *text,
                   size_t start, size_t end, struct bt_pieces *out)
{
	int64_t count;

	if (bt_pieces_room(out, end - start) != BT_OK)
		return BT_ENOMEM;
	count = cut(model, work, text, start, end, out->piece + out->n);
	if (count < 0)
		return BT_ENOMEM;
	out->n += (size_t)count;
	return BT_OK;
}

int bt_wordpiece_encode(const struct bt_wordpiece *wp,
                        struct bt_wordpiece_work *work, const uint8_t *text,
                        size_t start, size_t end, struct bt_pieces *out)
{
	const struct bt_word_run run = {&work->words, cut_new, wp, work};

	return bt_word_run(&run, text, start, end, out);
}

int bt_wordpiece_encode_words(const struct bt_wordpiece *wp,
                              struct bt_wordpiece_work *work,
                              const uint8_t *text, size_t end,
                              const struct bt_word_range *word, size_t n,
                              struct bt_pieces *out)
{
	const struct bt_word_run run = {&work->words, cut_new, wp, work};

	return bt_word_run_many(&run, text, end, word, n, out);
}

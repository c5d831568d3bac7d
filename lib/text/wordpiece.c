/* SPDX-License-Identifier: MIT */
#include "text/wordpiece.h"

#include "text/utf8.h"

void bt_wordpiece_init(struct bt_wordpiece *wp, const struct bt_vocab *v,
                       struct bt_span prefix, int32_t unknown, size_t max_chars)
{
	wp->trie = &v->trie;
	wp->more = bt_trie_walk(wp->trie, prefix.p, prefix.n);
	wp->unknown = unknown;
	wp->max_chars = max_chars;
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

size_t bt_wordpiece_cut(const struct bt_wordpiece *wp, const uint8_t *text,
                        size_t start, size_t end, struct bt_piece *piece)
{
	const struct bt_trie *t = wp->trie;
	uint32_t node = BT_TRIE_ROOT, found;
	size_t n = 0, at = start, i, stop;

	if (is_too_long(text + start, text + end, wp->max_chars))
		goto unknown;
	while (at < end) {
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
			goto unknown;
		piece[n].id = (int32_t)bt_trie_number(t, found);
		piece[n].start = (uint32_t)at;
		piece[n++].end = (uint32_t)stop;
		at = stop;
		node = wp->more;
	}
	return n;
unknown:
	piece[0].id = wp->unknown;
	piece[0].start = (uint32_t)start;
	piece[0].end = (uint32_t)end;
	return 1;
}

/* SPDX-License-Identifier: MIT */
/* A word as symbols, and what they become. */
#include "tokenizer/bpe_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokenizer/word_encode.h"

int bt_bpe_work_new(const struct bt_tok_model *model, void **work)
{
	struct bt_bpe_work *w = bt_array0(1, sizeof(*w));

	(void)model;
	if (w == NULL)
		return BT_ENOMEM;
	if (bt_word_cache_init(&w->words, BT_WORD_BITS) != BT_OK) {
		free(w);
		return BT_ENOMEM;
	}
	*work = w;
	return BT_OK;
}

void bt_bpe_work_free(void *work)
{
	struct bt_bpe_work *w = work;

	if (w == NULL)
		return;
	bt_word_cache_clear(&w->words);
	free(w->symbol);
	free(w->heap);
	free(w);
}

/* The node behind n bytes of the text, as the vocabulary writes them. */
static uint32_t walk(const struct bt_bpe *m, uint32_t node, const uint8_t *p,
                     size_t n)
{
	size_t i, k;

	for (i = 0; i < n && node != BT_TRIE_NONE; i++) {
		if (!m->opts.bytes) {
			node = bt_trie_step(m->trie, node, p[i]);
			continue;
		}
		for (k = 0; k < m->byte_len[p[i]] && node != BT_TRIE_NONE; k++)
			node =
			    bt_trie_step(m->trie, node, m->byte_text[p[i]][k]);
	}
	return node;
}

/* The token of one character, or byte, of a word; -1: there is none. */
static int32_t find_symbol(const struct bt_bpe *m, const uint8_t *p, size_t n,
                           bool first, bool last)
{
	const struct bt_span *end = &m->opts.suffix;
	uint32_t node = first ? BT_TRIE_ROOT : m->more;
	size_t i;

	node = walk(m, node, p, n);
	for (i = 0; last && i < end->n && node != BT_TRIE_NONE; i++)
		node = bt_trie_step(m->trie, node, (uint8_t)end->p[i]);
	if (node == BT_TRIE_NONE || !bt_trie_is_end(m->trie, node))
		return -1;
	return (int32_t)bt_trie_number(m->trie, node);
}

static void add(const struct bt_bpe *m, struct bt_bpe_work *w, int32_t id,
                size_t len)
{
	struct bt_bpe_symbol *s = &w->symbol[w->n];

	s->id = m->symbol_of[id];
	s->len = (uint32_t)len;
	s->prev = (int32_t)w->n - 1;
	s->next = -1;
	if (w->n > 0)
		s[-1].next = (int32_t)w->n;
	w->n++;
}

/* A character as the tokens of its bytes; false: some are missing. */
static bool fall_back(const struct bt_bpe *m, struct bt_bpe_work *w,
                      const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (m->fallback[p[i]] < 0)
			return false;
	for (i = 0; i < n; i++)
		add(m, w, m->fallback[p[i]], 1);
	return true;
}

/* The word as single characters or bytes. What is unknown waits until it is
 * known whether the next is, too. */
static void begin(const struct bt_bpe *m, struct bt_bpe_work *w,
                  const uint8_t *p, const uint8_t *end)
{
	const uint8_t *start = p;
	size_t waits = 0, n;
	int32_t id;

	for (; p < end; p += n) {
		n = m->opts.bytes ? 1 : bt_utf8_len(*p);
		id = m->single ? m->byte_id[*p]
		               : find_symbol(m, p, n, p == start, p + n == end);
		if (id >= 0) {
			if (waits > 0)
				add(m, w, m->opts.unknown, waits);
			waits = 0;
			add(m, w, id, n);
			continue;
		}
		if (m->opts.byte_fallback && fall_back(m, w, p, n))
			continue;
		if (m->opts.unknown < 0)
			continue;
		if (waits > 0 && !m->opts.fuse_unk) {
			add(m, w, m->opts.unknown, waits);
			waits = 0;
		}
		waits += n;
	}
	if (waits > 0)
		add(m, w, m->opts.unknown, waits);
}

/* Short words need no links and no heap. */
static void merge_short(const struct bt_bpe *m, struct bt_bpe_work *w)
{
	struct bt_bpe_symbol *s = w->symbol;
	struct bt_bpe_row r;
	uint32_t at = 0;
	size_t i;

	for (i = 0; i < w->n; i++) {
		r.symbol[i] = s[i].id;
		r.end[i] = at += s[i].len;
	}
	r.n = w->n;
	bt_bpe_look_row(m, &r);
	bt_bpe_merge_row(m, &r);
	for (i = 0, at = 0; i < r.n; at = r.end[i++]) {
		s[i].id = r.symbol[i];
		s[i].len = r.end[i] - at;
	}
	w->n = r.n;
}

/* Sets w->symbol[0 .. n-1] to the pieces of the word. */
static int cut(const struct bt_bpe *m, struct bt_bpe_work *w,
               const uint8_t *text, size_t n)
{
	uint32_t node;
	int r;

	r = bt_grow(&w->symbol, &w->symbol_cap, n, sizeof(*w->symbol));
	if (r != BT_OK)
		return r;
	w->n = 0;
	if (m->opts.ignore_merges) {
		node = walk(m, BT_TRIE_ROOT, text, n);
		if (node != BT_TRIE_NONE && bt_trie_is_end(m->trie, node)) {
			add(m, w, (int32_t)bt_trie_number(m->trie, node), n);
			return BT_OK;
		}
	}
	begin(m, w, text, text + n);
	if (w->n < 2)
		return BT_OK;
	if (w->n <= BT_BPE_ROW && m->pairs.slot != NULL) {
		merge_short(m, w);
		return BT_OK;
	}
	r = bt_grow(&w->heap, &w->heap_cap, 3 * w->n, sizeof(*w->heap));
	if (r == BT_OK)
		bt_bpe_merge_long(m, w);
	return r;
}

/* A short word of bytes, for which there is room. */
static void cut_bytes(const struct bt_bpe *m, const uint8_t *text, size_t from,
                      size_t to, struct bt_pieces *out)
{
	struct bt_piece *p = out->piece + out->n;
	uint32_t at = (uint32_t)from;
	struct bt_bpe_row r;
	size_t i;

	r.n = to - from;
	for (i = 0; i < r.n; i++) {
		r.symbol[i] = m->byte_symbol[text[from + i]];
		r.end[i] = (uint32_t)(from + i + 1);
	}
	for (i = 0; i + 1 < r.n; i++)
		r.merge[i] =
		    m->byte_merge[text[from + i] << 8 | text[from + i + 1]] - 1;
	bt_bpe_merge_row(m, &r);
	for (i = 0; i < r.n; at = r.end[i++])
		p[i] =
		    (struct bt_piece){m->token_of[r.symbol[i]], at, r.end[i]};
	out->n += r.n;
}

/* Appends the pieces of a word that is new. */
static int cut_new(const void *model, void *work, const uint8_t *text,
                   size_t from, size_t to, struct bt_pieces *out)
{
	const struct bt_bpe *m = model;
	struct bt_bpe_work *w = work;
	uint32_t at = (uint32_t)from;
	struct bt_piece *p;
	size_t i;

	if (bt_pieces_room(out, to - from) != BT_OK)
		return BT_ENOMEM;
	if (m->quick && to - from <= BT_BPE_ROW) {
		cut_bytes(m, text, from, to, out);
		return BT_OK;
	}
	if (cut(m, w, text + from, to - from) != BT_OK)
		return BT_ENOMEM;
	p = out->piece + out->n;
	for (i = 0; i < w->n; i++) {
		p[i].id = m->token_of[w->symbol[i].id];
		p[i].start = at;
		at += w->symbol[i].len;
		p[i].end = at;
	}
	out->n += w->n;
	return BT_OK;
}

int bt_bpe_encode(const struct bt_tok_model *model, void *work,
                  const uint8_t *text, size_t from, size_t to,
                  struct bt_pieces *out)
{
	struct bt_bpe_work *w = work;
	const struct bt_word_run run = {&w->words, cut_new, model, work};

	return bt_word_run(&run, text, from, to, out);
}

int bt_bpe_encode_words(const struct bt_tok_model *model, void *work,
                        const uint8_t *text, size_t end,
                        const struct bt_word_range *word, size_t n,
                        struct bt_pieces *out)
{
	struct bt_bpe_work *w = work;
	const struct bt_word_run run = {&w->words, cut_new, model, work};

	return bt_word_run_many(&run, text, end, word, n, out);
}

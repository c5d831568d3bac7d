/* SPDX-License-Identifier: MIT */
/*
 * BERT's pre-tokenizer: cuts at white space and around punctuation. Text in
 * ASCII is taken up to 64 bytes at a time, as sets of bits: the words are found
 * without a branch on each of their bytes.
 */
#include "tokenizer/component_int.h"

#include <stdlib.h>

#include "base/mem.h"
#include "unicode/ascii64.h"

struct pretok {
	struct bt_pre_tokenizer part;
	const struct bt_bert_normalizer *kinds;
};

/* Adds the words that begin in ASCII from *at on, up to one that it does not
 * see the end of. */
static int run_ascii(struct bt_word_batch *b, size_t *at)
{
	uint64_t starts, lasts, punct;
	struct bt_ascii64 s;
	size_t from = *at;
	unsigned open = 0;

	bt_ascii64_look(b->v->text + from, b->end - from, b->v->beyond, &s);
	punct = ~(s.alnum | s.space);
	starts = (s.alnum & ~(s.alnum << 1)) | punct;
	lasts = (s.alnum & ~(s.alnum >> 1)) | punct;
	*at += s.n;
	if (s.n > 0 && s.alnum >> (s.n - 1) & 1 && *at < b->end) {
		open = 63 - (unsigned)__builtin_clzll(starts);
		*at = from + open;
		starts ^= (uint64_t)1 << open;
	}
	if (bt_word_batch_room(b, 64) != BT_OK)
		return BT_ENOMEM;
	for (; starts != 0; starts &= starts - 1, lasts &= lasts - 1)
		bt_word_batch_put(b, from + (unsigned)__builtin_ctzll(starts),
		                  from + (unsigned)__builtin_ctzll(lasts) + 1);
	return BT_OK;
}

/* Adds the word that begins at *at, or what is not one, whatever it is of. */
static int run_any(const struct bt_bert_normalizer *kinds,
                   struct bt_word_batch *b, size_t *at)
{
	const uint8_t *text = b->v->text;
	size_t from = *at, to = from;
	enum bt_char_kind kind = BT_CHAR_WORD;
	unsigned len = 0;

	for (; to < b->end; to += len) {
		kind = bt_bert_normalizer_kind(kinds, text + to, &len);
		if (kind != BT_CHAR_WORD)
			break;
	}
	*at = to;
	if (from < to)
		return bt_word_batch_add(b, from, to);
	*at += len;
	return kind == BT_CHAR_PUNCT ? bt_word_batch_add(b, from, *at) : BT_OK;
}

static int pretok_run(const struct bt_pre_tokenizer *pretok,
                      struct bt_encode_run *run, const struct bt_text_view *v,
                      size_t from, size_t to, int next)
{
	const struct bt_bert_normalizer *kinds =
	    ((const struct pretok *)pretok)->kinds;
	struct bt_word_batch b;
	size_t at = from, before;

	bt_word_batch_init(&b, run, v, to, next);
	while (at < to) {
		before = at;
		if (v->text[at] < 0x80 && run_ascii(&b, &at) != BT_OK)
			return BT_ENOMEM;
		if (at == before && run_any(kinds, &b, &at) != BT_OK)
			return BT_ENOMEM;
	}
	return bt_word_batch_flush(&b);
}

struct bt_pre_tokenizer *
bt_pre_tokenizer_bert(const struct bt_bert_normalizer *kinds)
{
	static const struct bt_pre_tokenizer_ops ops = {pretok_run, NULL};
	struct pretok *p = bt_array0(1, sizeof(*p));

	p->part.ops = &ops;
	p->kinds = kinds;
	return &p->part;
}

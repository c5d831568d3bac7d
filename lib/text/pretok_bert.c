/* SPDX-License-Identifier: MIT */
/*
 * BERT's pre-tokenizer: cuts at white space and around punctuation. Text in
 * ASCII is taken up to 64 bytes at a time, as sets of bits: the words are found
 * without a branch on each of their bytes.
 */
#include "text/parts_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/sixteens_int.h"

struct pretok {
	struct bt_pretok part;
	const struct bt_bertnorm *kinds;
};

/* Some bytes of text in ASCII, bit i for byte i. */
struct bits {
	uint64_t word, punct;
	unsigned n;
};

/* Looks at the n bytes from p on, at most 64, up to one that is not ' ' to '~';
 * so many bytes behind them can be read. */
static void take(const uint8_t *p, size_t n, size_t beyond, struct bits *b)
{
	uint64_t odd = 0, alnum = 0, space = 0;
	uint8_t copy[64];
	struct bt_sixteen k;
	unsigned i;

	n = n < 64 ? n : 64;
	if (n + beyond < 64) {
		memset(copy, 0, sizeof(copy));
		memcpy(copy, p, n);
		p = copy;
	}
	for (i = 0; i < 64; i += 16) {
		k = bt_sixteen_look(p + i);
		odd |= (uint64_t)k.odd << i;
		alnum |= (uint64_t)k.alnum << i;
		space |= (uint64_t)k.space << i;
	}
	if (n < 64)
		odd |= UINT64_MAX << n;
	b->n = odd == 0 ? 64 : (unsigned)__builtin_ctzll(odd);
	if (b->n < 64) {
		alnum &= ~(UINT64_MAX << b->n);
		space |= UINT64_MAX << b->n;
	}
	b->word = alnum;
	b->punct = ~(alnum | space);
}

/* Adds the words that begin in ASCII from *at on, up to one that it does not
 * see the end of. */
static int run_ascii(struct bt_batch *b, size_t *at)
{
	uint64_t starts, lasts;
	struct bits s;
	size_t from = *at;
	unsigned open = 0;

	take(b->v->text + from, b->end - from, b->v->beyond, &s);
	starts = (s.word & ~(s.word << 1)) | s.punct;
	lasts = (s.word & ~(s.word >> 1)) | s.punct;
	*at += s.n;
	if (s.n > 0 && s.word >> (s.n - 1) & 1 && *at < b->end) {
		open = 63 - (unsigned)__builtin_clzll(starts);
		*at = from + open;
		starts ^= (uint64_t)1 << open;
	}
	if (bt_batch_room(b, 64) != BT_OK)
		return BT_ENOMEM;
	for (; starts != 0; starts &= starts - 1, lasts &= lasts - 1)
		bt_batch_put(b, from + (unsigned)__builtin_ctzll(starts),
		             from + (unsigned)__builtin_ctzll(lasts) + 1);
	return BT_OK;
}

/* Adds the word that begins at *at, or what is not one, whatever it is of. */
static int run_any(const struct bt_bertnorm *kinds, struct bt_batch *b,
                   size_t *at)
{
	const uint8_t *text = b->v->text;
	size_t from = *at, to = from;
	enum bt_char_kind kind = BT_CHAR_WORD;
	unsigned len = 0;

	for (; to < b->end; to += len) {
		kind = bt_bertnorm_kind(kinds, text + to, &len);
		if (kind != BT_CHAR_WORD)
			break;
	}
	*at = to;
	if (from < to)
		return bt_batch_add(b, from, to);
	*at += len;
	return kind == BT_CHAR_PUNCT ? bt_batch_add(b, from, *at) : BT_OK;
}

static int pretok_run(const struct bt_pretok *pretok, struct bt_run *run,
                      const struct bt_view *v, size_t from, size_t to, int next)
{
	const struct bt_bertnorm *kinds =
	    ((const struct pretok *)pretok)->kinds;
	struct bt_batch b;
	size_t at = from, before;

	bt_batch_init(&b, run, v, to, next);
	while (at < to) {
		before = at;
		if (v->text[at] < 0x80 && run_ascii(&b, &at) != BT_OK)
			return BT_ENOMEM;
		if (at == before && run_any(kinds, &b, &at) != BT_OK)
			return BT_ENOMEM;
	}
	return bt_batch_flush(&b);
}

static void pretok_free(struct bt_pretok *pretok)
{
	free(pretok);
}

int bt_pretok_bert(const struct bt_bertnorm *kinds, struct bt_pretok **pretok,
                   struct bt_error *err)
{
	static const struct bt_pretok_ops ops = {pretok_run, pretok_free};
	struct pretok *p = bt_array0(1, sizeof(*p));

	if (p == NULL)
		return bt_error_nomem(err, "opening a tokenizer");
	p->part.ops = &ops;
	p->kinds = kinds;
	*pretok = &p->part;
	return BT_OK;
}

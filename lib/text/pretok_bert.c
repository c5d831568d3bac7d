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
#include "text/eights_int.h"

struct pretok {
	struct bt_pretok part;
	const struct bt_bertnorm *kinds;
};

/* Some bytes of text in ASCII, bit i for byte i. */
struct bits {
	uint64_t word, punct;
	unsigned n;
};

static void look(const struct bt_bertnorm *m, const uint8_t *p, unsigned i,
                 struct bits *b)
{
	b->word |= (uint64_t)(m->kind[*p] == BT_CHAR_WORD) << i;
	b->punct |= (uint64_t)(m->kind[*p] == BT_CHAR_PUNCT) << i;
}

/* Looks at the bytes from p on that are ASCII, at most 64. */
static void take(const struct bt_bertnorm *m, const uint8_t *p, size_t n,
                 struct bits *b)
{
	uint64_t v, word;
	unsigned i = 0, k;

	b->word = b->punct = 0;
	n = n < 64 ? n : 64;
	for (; i + 8 <= n; i += 8) {
		memcpy(&v, p + i, 8);
		if (v & BT_EIGHT_TOPS)
			break;
		if (bt_eight_printable(v)) {
			word = bt_eight_bits(bt_eight_alnum(v));
			b->word |= word << i;
			b->punct |=
			    (~(word | bt_eight_bits(bt_eight_is(v, ' '))) &
			     0xff)
			    << i;
		} else {
			for (k = i; k < i + 8; k++)
				look(m, p + k, k, b);
		}
	}
	for (; i < n && p[i] < 0x80; i++)
		look(m, p + i, i, b);
	b->n = i;
}

/* Adds the words that begin in ASCII from *at on, up to one that it does not
 * see the end of. */
static int run_ascii(const struct bt_bertnorm *kinds, struct bt_batch *b,
                     size_t *at)
{
	uint64_t starts, rest;
	struct bits s;
	unsigned i, len;

	take(kinds, b->v->text + *at, b->end - *at, &s);
	starts = (s.word & ~(s.word << 1)) | s.punct;
	for (; starts != 0; starts &= starts - 1) {
		i = (unsigned)__builtin_ctzll(starts);
		rest = ~(s.word >> i);
		len = rest == 0 ? 64 : (unsigned)__builtin_ctzll(rest);
		if (i + len >= s.n && len > 0 && *at + s.n < b->end) {
			*at += i;
			return BT_OK;
		}
		if (bt_batch_add(b, *at + i, *at + i + (len > 0 ? len : 1)) !=
		    BT_OK)
			return BT_ENOMEM;
	}
	*at += s.n;
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
		if (v->text[at] < 0x80 && run_ascii(kinds, &b, &at) != BT_OK)
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

/* SPDX-License-Identifier: MIT */
/* The patterns that byte-level tokenizers cut by; each covers every text. */
#include "base/utf8.h"
#include "tokenizer/pre_tokenizer.h"
#include "unicode/ascii64.h"

#define WORDY (BT_SPLIT_LETTER | BT_SPLIT_NUMBER | BT_SPLIT_WHITE)
#define LONG_S 0x17f /* s in another case */

static unsigned kind(const uint8_t *table, const uint8_t *p)
{
	return table[*p < 0x80 ? *p : bt_utf8_get(p)];
}

/* Behind the characters of which table & mask is want. */
static size_t run(const uint8_t *table, const uint8_t *text, size_t at,
                  size_t to, unsigned mask, unsigned want)
{
	while (at < to && (kind(table, text + at) & mask) == want)
		at += bt_utf8_len(text[at]);
	return at;
}

/* Behind a run of letters, or of numbers, or of what is neither nor white. */
static size_t run_alike(const uint8_t *table, const uint8_t *text, size_t at,
                        size_t to)
{
	unsigned k = kind(table, text + at) & WORDY;

	return run(table, text, at + bt_utf8_len(text[at]), to, WORDY, k);
}

/* White space: all of it at the end of the text, else all but its last
 * character, if that leaves any. */
static size_t run_white(const uint8_t *table, const uint8_t *text, size_t at,
                        size_t to)
{
	size_t end = run(table, text, at, to, BT_SPLIT_WHITE, BT_SPLIT_WHITE);
	size_t last;

	if (end == to)
		return end;
	last = (size_t)(bt_utf8_back(text + end) - text);
	return last > at ? last : end;
}

/* The length of 's, 't, 're, 've, 'm, 'll or 'd at p; 0: none. */
static size_t suffix(const uint8_t *p, size_t n, bool any_case)
{
	unsigned a, b, fold = any_case ? 0x20 : 0;

	if (n < 2 || p[0] != '\'')
		return 0;
	a = p[1] | (p[1] < 0x80 ? fold : 0);
	if (a == 's' || a == 't' || a == 'm' || a == 'd')
		return 2;
	if (n < 3)
		return 0;
	b = p[2] | (p[2] < 0x80 ? fold : 0);
	if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') ||
	    (a == 'l' && b == 'l'))
		return 3;
	return any_case && p[1] >= 0x80 && bt_utf8_get(p + 1) == LONG_S ? 3 : 0;
}

size_t bt_match_gpt2(const uint8_t *table, const uint8_t *text, size_t at,
                     size_t to)
{
	size_t n = suffix(text + at, to - at, false);

	if (n > 0)
		return at + n;
	if (text[at] == ' ' && at + 1 < to &&
	    !(kind(table, text + at + 1) & BT_SPLIT_WHITE))
		return run_alike(table, text, at + 1, to);
	if (kind(table, text + at) & BT_SPLIT_WHITE)
		return run_white(table, text, at, to);
	return run_alike(table, text, at, to);
}

/* Where in the first s->n bytes of text[at .. to-1] words begin, of which the
 * first does, and the last may go on behind them. Fewer bytes are looked at
 * where it is not seen how they go on. */
static uint64_t find_starts(const uint8_t *text, size_t at, size_t to,
                            struct bt_ascii64 *s)
{
	uint64_t seen = s->n < 64 ? ~(UINT64_MAX << s->n) : UINT64_MAX;
	uint64_t space = s->space & seen, letter = s->alnum & ~s->digit;
	uint64_t other = seen & ~(s->alnum | space), starts, left;
	uint64_t last = (uint64_t)1 << (s->n - 1);
	unsigned i;
	size_t n;

	/* a run of one kind, unless a space begins the word; the first space of
	 * some, and the last, if something is behind it */
	starts = seen & ~space & ~(space << 1) & ~(letter & letter << 1) &
	         ~(s->digit & s->digit << 1) & ~(other & other << 1);
	starts |= space & (~(space << 1) | (~(space >> 1) & ~last));
	for (left = starts & other; left != 0;
	     left = starts & other & (UINT64_MAX - 1) << i) {
		i = (unsigned)__builtin_ctzll(left);
		n = suffix(text + at + i, to - at - i, false);
		if (n == 0)
			continue;
		if (i + n >= s->n) {
			s->n = i;
			return starts & ~(UINT64_MAX << i);
		}
		starts &= ~((((uint64_t)1 << n) - 1) << i);
		starts |= (uint64_t)1 << i | (uint64_t)1 << (i + n);
	}
	return starts;
}

/* Adds the words that begin in ASCII from *at on, but for the last, if it is
 * not known to end. */
static int add_ascii(struct bt_word_batch *b, size_t *at)
{
	size_t from = *at, start;
	struct bt_ascii64 s;
	uint64_t starts;

	bt_ascii64_look(b->v->text + from, b->end - from, b->v->beyond, &s);
	starts = s.n > 0 ? find_starts(b->v->text, from, b->end, &s) : 0;
	if (starts == 0)
		return BT_OK;
	if (bt_word_batch_room(b, 64) != BT_OK)
		return BT_ENOMEM;
	start = from; /* the first bit */
	while ((starts &= starts - 1) != 0) {
		*at = from + (unsigned)__builtin_ctzll(starts);
		bt_word_batch_put(b, start, *at);
		start = *at;
	}
	if (from + s.n < b->end)
		return BT_OK;
	bt_word_batch_put(b, start, b->end);
	*at = b->end;
	return BT_OK;
}

int bt_match_gpt2_all(const uint8_t *table, struct bt_word_batch *b, size_t at)
{
	const uint8_t *text = b->v->text;
	size_t before;

	while (at < b->end) {
		before = at;
		if (text[at] < 0x80 && add_ascii(b, &at) != BT_OK)
			return BT_ENOMEM;
		if (at > before)
			continue;
		at = bt_match_gpt2(table, text, at, b->end);
		if (bt_word_batch_add(b, before, at) != BT_OK)
			return BT_ENOMEM;
	}
	return BT_OK;
}

static bool is_line_end(uint8_t c)
{
	return c == '\n' || c == '\r';
}

/* White space: up to its last line end, if it has one. */
static size_t run_lines(const uint8_t *table, const uint8_t *text, size_t at,
                        size_t to)
{
	size_t end = run(table, text, at, to, BT_SPLIT_WHITE, BT_SPLIT_WHITE);

	while (end > at && !is_line_end(text[end - 1]))
		end--;
	return end > at ? end : run_white(table, text, at, to);
}

size_t bt_match_llama3(const uint8_t *table, const uint8_t *text, size_t at,
                       size_t to, int digits)
{
	size_t n = suffix(text + at, to - at, true), next;
	unsigned k, l = 0;

	if (n > 0)
		return at + n;
	k = kind(table, text + at);
	next = at + bt_utf8_len(text[at]);
	if (next < to)
		l = kind(table, text + next);
	if (k & BT_SPLIT_LETTER ||
	    (l & BT_SPLIT_LETTER && !(k & BT_SPLIT_NUMBER) &&
	     !is_line_end(text[at])))
		return run(table, text, next, to, BT_SPLIT_LETTER,
		           BT_SPLIT_LETTER);
	if (k & BT_SPLIT_NUMBER) {
		for (; --digits > 0 && next < to &&
		       kind(table, text + next) & BT_SPLIT_NUMBER;)
			next += bt_utf8_len(text[next]);
		return next;
	}
	if (text[at] == ' ' && next < to && !(l & WORDY))
		at = next;
	else if (k & BT_SPLIT_WHITE)
		return run_lines(table, text, at, to);
	at = run(table, text, at, to, WORDY, 0);
	while (at < to && is_line_end(text[at]))
		at++;
	return at;
}

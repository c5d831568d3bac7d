/* SPDX-License-Identifier: MIT */
/* The patterns that byte-level tokenizers cut by; each covers every text. */
#include "text/pretok_int.h"
#include "text/utf8.h"

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

/* SPDX-License-Identifier: MIT */
#include "tokenizer/added_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "unicode/bert_char_class.h"

static void list_first_bytes(struct bt_added *a, const struct bt_span *pattern)
{
	size_t i;
	int c, count = 0;

	for (i = 0; i < a->n; i++)
		if (pattern[i].n > 0)
			a->first[(uint8_t)pattern[i].p[0]] = true;
	a->only_first = -1;
	for (c = 0; c < 256; c++)
		if (a->first[c]) {
			count++;
			a->only_first = c;
		}
	if (count != 1)
		a->only_first = -1;
}

int bt_added_init(struct bt_added *a, const struct bt_added_token *token,
                  const struct bt_span *pattern, size_t n, struct bt_error *err)
{
	struct bt_span *p = bt_array(n, sizeof(*p));
	size_t same[2];
	int r;

	memset(a, 0, sizeof(*a));
	a->token = bt_array(n, sizeof(*a->token));
	if (n > 0) {
		memcpy(a->token, token, n * sizeof(*token));
		memcpy(p, pattern, n * sizeof(*p));
	}
	a->n = n;
	list_first_bytes(a, p);
	while ((r = bt_trie_init(&a->trie, p, n, same, err)) == BT_EFORMAT)
		p[same[1]].n = 0; /* left out */
	free(p);
	if (r != BT_OK)
		bt_added_clear(a);
	return r;
}

void bt_added_clear(struct bt_added *a)
{
	bt_trie_clear(&a->trie);
	free(a->token);
	memset(a, 0, sizeof(*a));
}

static bool is_white(uint32_t c)
{
	return bt_char_is_white(BT_CHAR_DIALECT_HF, c);
}

/* The longest token that begins at text[at]; *end is where it ends. */
static const struct bt_added_token *match_at(const struct bt_added *a,
                                             const uint8_t *text, size_t at,
                                             size_t n, size_t *end)
{
	const struct bt_added_token *found = NULL;
	uint32_t node = BT_TRIE_ROOT;

	while (at < n) {
		node = bt_trie_step(&a->trie, node, text[at++]);
		if (node == BT_TRIE_NONE)
			break;
		if (bt_trie_is_end(&a->trie, node)) {
			found = &a->token[bt_trie_number(&a->trie, node)];
			*end = at;
		}
	}
	return found;
}

static bool is_in_word(const uint8_t *text, size_t start, size_t end, size_t n)
{
	if (start > 0 &&
	    bt_char_is_word(bt_utf8_get(bt_utf8_back(text + start))))
		return true;
	return end < n && bt_char_is_word(bt_utf8_get(text + end));
}

static size_t white_before(const uint8_t *text, size_t start, size_t floor)
{
	const uint8_t *p = text + start, *q;

	while (p > text + floor) {
		q = bt_utf8_back(p);
		if (!is_white(bt_utf8_get(q)))
			break;
		p = q;
	}
	return (size_t)(p - text);
}

static size_t white_behind(const uint8_t *text, size_t end, size_t n)
{
	while (end < n && is_white(bt_utf8_get(text + end)))
		end += bt_utf8_len(text[end]);
	return end;
}

/* The next place at or behind at where a token may begin, or n. */
static size_t candidate(const struct bt_added *a, const uint8_t *text,
                        size_t at, size_t n)
{
	const uint8_t *p;

	if (a->only_first >= 0) {
		p = at < n ? memchr(text + at, a->only_first, n - at) : NULL;
		return p != NULL ? (size_t)(p - text) : n;
	}
	while (at < n && !a->first[text[at]])
		at++;
	return at;
}

bool bt_added_next(const struct bt_added *a, const uint8_t *text, size_t n,
                   struct bt_added_match *m)
{
	const struct bt_added_token *token;
	size_t at = m->resume, end = 0, floor = m->end, start;

	if (a->n == 0)
		return false;
	while ((at = candidate(a, text, at, n)) < n) {
		token = match_at(a, text, at, n, &end);
		if (token == NULL) {
			at++;
			continue;
		}
		m->resume = end;
		if (token->single_word && is_in_word(text, at, end, n)) {
			at = end;
			continue;
		}
		start = at;
		if (token->lstrip)
			start =
			    at > floor ? white_before(text, at, floor) : floor;
		at = end;
		if (token->rstrip)
			end = white_behind(text, end, n);
		if (start >= end) /* the match before has it all */
			continue;
		m->token = token;
		m->start = start;
		m->end = end;
		return true;
	}
	return false;
}

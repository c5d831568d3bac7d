/* SPDX-License-Identifier: MIT */
/* Where a token stands, without its spaces: the post-processors of byte-level
 * tokenizers. Characters are counted, as the `tokenizers` package does. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tokenizer/encode.h"
#include "unicode/split_char_class.h"

#define FEW 8             /* added tokens that are looked through */
#define BYTE_SPACE 0x120u /* as byte-level vocabularies write it */

static bool is_space(const struct bt_tok *t, const char *p)
{
	uint32_t c = bt_utf8_get((const uint8_t *)p);

	return c == BYTE_SPACE || t->table[c] & BT_SPLIT_WHITE;
}

/* The characters at each end of s that are spaces. */
static void count(const struct bt_tok *t, struct bt_span s, unsigned *before,
                  unsigned *behind)
{
	const char *p = s.p, *end = s.p + s.n, *q;

	*before = *behind = 0;
	for (; p < end && is_space(t, p); p += bt_utf8_len((uint8_t)*p))
		++*before;
	for (; end > s.p; end = q) {
		q = (const char *)bt_utf8_back((const uint8_t *)end);
		if (!is_space(t, q))
			break;
		++*behind;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct bt_added_token *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Whether a text is that of the token, but for what stands around it. */
static bool is_token(struct bt_span text, struct bt_span token)
{
	size_t i;

	for (i = 0; i + token.n <= text.n; i++)
		if (memcmp(text.p + i, token.p, token.n) == 0)
			return true;
	return false;
}

/* What stands for the token: an added one is the text that it was found as, but
 * the unknown one of a word that the model does not know is itself. */
static struct bt_span text_of(const struct bt_tok *t, struct bt_span text,
                              const struct bt_piece *p)
{
	struct bt_added_token key = {.id = p->id};
	struct bt_span found = {text.p + p->start, p->end - p->start};
	size_t i;

	if (p->id == t->role[BT_TOK_UNK] &&
	    !is_token(found, t->vocab.token[p->id]))
		return t->vocab.token[p->id];
	if (t->tokens <= FEW) {
		for (i = 0; i < t->tokens; i++)
			if (t->token[i].id == p->id)
				return found;
	} else if (bsearch(&key, t->token, t->tokens, sizeof(*t->token),
	                   by_id) != NULL) {
		return found;
	}
	return t->vocab.token[p->id];
}

void bt_tok_trim(const struct bt_tok *t, struct bt_span text,
                 struct bt_piece *p, bool first)
{
	const uint8_t *raw = (const uint8_t *)text.p;
	unsigned before, behind, i;
	uint32_t end = p->end;

	count(t, text_of(t, text, p), &before, &behind);
	/* one space at the start is the one that was put there */
	if (before == 1 && t->trim.prefix && (first || p->start == 0))
		before = 0;
	for (i = 0; i < before && p->start < end; i++)
		p->start += bt_utf8_len(raw[p->start]);
	for (i = 0; i < behind && p->end > p->start; i++)
		p->end = (uint32_t)(bt_utf8_back(raw + p->end) - raw);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "predict/final_text.h"

#include <string.h>

#include "base/utf8.h"
#include "unicode/python_str.h"

int bt_final_text_init(struct bt_final_text *f, const struct bt_tok *tok,
                       struct bt_error *err)
{
	memset(f, 0, sizeof(*f));
	f->tok = tok;
	if (!bt_tok_is_bert(tok))
		return bt_error_set(err, BT_EARG,
		                    "answers are found as BERT's run_squad "
		                    "does by tokens of BERT's tokenizer alone, "
		                    "and the model has another");
	return bt_tok_scratch_new(tok, &f->scratch, err);
}

void bt_final_text_clear(struct bt_final_text *f)
{
	bt_tok_scratch_free(f->scratch);
	bt_buf_clear(&f->joined);
	bt_buf_clear(&f->said);
	bt_buf_clear(&f->split);
	memset(f, 0, sizeof(*f));
}

/* str.replace(part, "") */
static void take_out(struct bt_buf *b, const char *part)
{
	const size_t n = strlen(part);
	char *to = bt_buf_at(b, 0), *p = to, *end = bt_buf_at(b, b->len);

	while (p < end)
		if ((size_t)(end - p) >= n && memcmp(p, part, n) == 0)
			p += n;
		else
			*to++ = *p++;
	b->len -= (size_t)(end - to);
}

/* The tokens, those that go on within a word joined to what they follow. */
static void join_tokens(struct bt_final_text *f, const int32_t *ids, size_t n)
{
	struct bt_buf *b = &f->joined;
	struct bt_span token;
	size_t i;

	bt_buf_reset(b);
	bt_buf_reset(&f->said);
	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_putc(b, ' ');
		token = bt_tok_token(f->tok, ids[i]);
		bt_buf_put(b, token.p, token.n);
	}
	take_out(b, " ##");
	take_out(b, "##");
	bt_py_squeeze((struct bt_span){bt_buf_at(b, 0), b->len}, &f->said);
}

/* The words as BERT normalizes and splits them, with blanks between. */
static int split_words(struct bt_final_text *f, struct bt_span words,
                       struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {.offsets = true};
	struct bt_encoding e;
	size_t i;
	int r = bt_tok_encode(f->tok, f->scratch, words,
	                      (struct bt_span){NULL, 0}, &how, &e, err);

	bt_buf_reset(&f->split);
	for (i = 0; r == BT_OK && i < e.n; i++) {
		if (i > 0 && e.word[i] != e.word[i - 1])
			bt_buf_putc(&f->split, ' ');
		if (e.normal[i].p != NULL)
			bt_buf_put(&f->split, e.normal[i].p, e.normal[i].n);
		else
			bt_buf_put(&f->split, words.p + e.start[i],
			           e.end[i] - e.start[i]);
	}
	return r;
}

/* Characters other than blanks. */
static size_t count(const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end; p++)
		n += *p != ' ' && ((uint8_t)*p & 0xc0) != 0x80;
	return n;
}

/* Where the character that is not a blank and has so many before it begins. */
static const char *nth(const char *p, size_t n)
{
	for (;; p++)
		if (*p != ' ' && ((uint8_t)*p & 0xc0) != 0x80 && n-- == 0)
			return p;
}

int bt_final_text_find(struct bt_final_text *f, const int32_t *ids, size_t n,
                       struct bt_span words, struct bt_span *out,
                       struct bt_error *err)
{
	const char *split, *end, *at, *last;
	size_t before, within;
	int r = split_words(f, words, err);

	join_tokens(f, ids, n);
	if (r != BT_OK)
		return r;
	if (f->joined.oom || f->said.oom || f->split.oom)
		return bt_error_nomem(err, "finding answers");
	*out = words;
	split = bt_buf_at(&f->split, 0);
	end = split + f->split.len;
	if (f->said.len == 0)
		return BT_OK;
	at = memmem(split, f->split.len, f->said.data, f->said.len);
	if (at == NULL ||
	    count(split, end) != count(words.p, words.p + words.n))
		return BT_OK;
	before = count(split, at);
	within = count(at, at + f->said.len);
	out->p = nth(words.p, before);
	last = nth(words.p, before + within - 1);
	out->n = (size_t)(last - out->p) + bt_utf8_len((uint8_t)*last);
	return BT_OK;
}

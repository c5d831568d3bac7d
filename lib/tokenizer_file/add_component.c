/* SPDX-License-Identifier: MIT */
/* Appends the parts of SentencePiece's tokenizers to a tokenizer, and notes for
 * its fingerprint what they are. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "tokenizer/normalizers.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer_file/reader.h"

uint32_t bt_tok_crc(const void *data, size_t n)
{
	return bt_crc32c(0, data, n);
}

uint32_t bt_tok_crc_more(uint32_t crc, const void *data, size_t n)
{
	return bt_crc32c(crc, data, n);
}

uint32_t bt_tok_crc_end(struct bt_tok_crc *c)
{
	c->crc = bt_crc32c(c->crc, c->text, c->n);
	c->n = 0;
	return c->crc;
}

void bt_tok_crc_put(struct bt_tok_crc *c, struct bt_span s, char behind)
{
	if (s.n >= sizeof(c->text) - c->n)
		bt_tok_crc_end(c);
	if (s.n >= sizeof(c->text)) {
		c->crc = bt_crc32c(c->crc, s.p, s.n);
		s.n = 0;
	}
	if (s.n > 0)
		memcpy(c->text + c->n, s.p, s.n);
	c->n += s.n;
	c->text[c->n++] = behind;
}

static int too_many(struct bt_error *err)
{
	return bt_error_set(err, BT_ELIMIT,
	                    "more than %d normalizers or pre-tokenizers",
	                    BT_TOK_STEPS);
}

static void note(struct bt_tok *t, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

static void note(struct bt_tok *t, const char *fmt, va_list args)
{
	char text[300];

	vsnprintf(text, sizeof(text), fmt, args);
	bt_buf_printf(&t->steps, " %s", text);
}

int bt_tok_add_norm(struct bt_tok *t, struct bt_normalizer *norm,
                    struct bt_error *err, const char *fmt, ...)
{
	va_list args;

	if (t->norms == BT_TOK_STEPS) {
		bt_normalizer_free(norm);
		return too_many(err);
	}
	t->norm[t->norms++] = norm;
	va_start(args, fmt);
	note(t, fmt, args);
	va_end(args);
	return BT_OK;
}

int bt_tok_add_pretok(struct bt_tok *t, struct bt_pre_tokenizer *pretok,
                      struct bt_error *err, const char *fmt, ...)
{
	va_list args;

	if (t->pretoks == BT_TOK_STEPS) {
		bt_pre_tokenizer_free(pretok);
		return too_many(err);
	}
	if (pretok != NULL)
		t->pretok[t->pretoks++] = pretok;
	va_start(args, fmt);
	note(t, fmt, args);
	va_end(args);
	return BT_OK;
}

int bt_tok_need_table(struct bt_tok *t, struct bt_error *err)
{
	if (t->table == NULL)
		t->table = bt_split_table();
	return t->table != NULL ? BT_OK
	                        : bt_error_nomem(err, "opening a tokenizer");
}

int bt_tok_add_replace(struct bt_tok *t, struct bt_span pattern, bool regex,
                       struct bt_span content, struct bt_error *err)
{
	struct bt_normalizer *norm = NULL;
	int r = bt_normalizer_replace(pattern, regex, content, &norm, err);

	if (r != BT_OK)
		return r;
	return bt_tok_add_norm(t, norm, err, "replace=%d:%08x:%08x", regex,
	                       bt_tok_crc(pattern.p, pattern.n),
	                       bt_tok_crc(content.p, content.n));
}

int bt_tok_add_strip(struct bt_tok *t, bool left, bool right,
                     struct bt_error *err)
{
	return bt_tok_add_norm(t, bt_normalizer_strip(left, right), err,
	                       "strip=%d%d", left, right);
}

int bt_tok_add_simple(struct bt_tok *t, int which, struct bt_error *err)
{
	if (which == BT_NORMALIZER_LOWERCASE)
		t->flags.lower = 1;
	return bt_tok_add_norm(
	    t, bt_normalizer_simple((enum bt_normalizer_simple)which), err,
	    "simple=%d", which);
}

int bt_tok_add_form(struct bt_tok *t, int form, struct bt_error *err)
{
	static const char *const name[] = {"nfc", "nfd", "nfkc", "nfkd"};
	int r = bt_tok_need_table(t, err);

	if (r != BT_OK)
		return r;
	return bt_tok_add_norm(
	    t, bt_normalizer_form(t->table, (enum bt_unicode_form)form), err,
	    "%s", name[form]);
}

int bt_tok_add_metaspace(struct bt_tok *t, struct bt_span mark, int prepend,
                         bool split, struct bt_error *err)
{
	struct bt_pre_tokenizer *pretok = NULL;
	int r;

	/* there is one buffer for what a pre-tokenizer changes */
	if (t->has_metaspace)
		return bt_error_set(err, BT_EFORMAT,
		                    "Metaspace twice is not supported");
	t->has_metaspace = true;
	t->needs_src = t->needs_src || prepend == BT_PREPEND_FIRST;
	r = bt_pre_tokenizer_metaspace(mark, (enum bt_prepend)prepend, split,
	                               &pretok, err);
	return r == BT_OK
	           ? bt_tok_add_pretok(t, pretok, err, "metaspace=%08x:%d%d",
	                               bt_tok_crc(mark.p, mark.n), prepend,
	                               split)
	           : r;
}

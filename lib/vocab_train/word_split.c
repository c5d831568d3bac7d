/* SPDX-License-Identifier: MIT */
#include "vocab_train/word_split.h"

#include <stdlib.h>

#include "base/mem.h"
#include "format/charset.h"
#include "tokenizer/encode.h"
#include "tokenizer_file/reader.h"

/* A tokenizer whose model counts words. */
struct bt_word_splitter {
	struct bt_tok tok;
	struct bt_tok_model model;
};

struct bt_word_splitter_scratch {
	struct bt_tok_buffers buffers;
	struct bt_pieces none;
};

static int count_word(const struct bt_tok_model *model, void *work,
                      const uint8_t *text, size_t from, size_t to,
                      struct bt_pieces *out)
{
	(void)model;
	(void)out;
	return bt_word_counts_add(work, text + from, to - from, 1);
}

static int add_bert(struct bt_tok *t, bool lower, struct bt_error *err)
{
	struct bt_bert_normalizer_opts o = {BT_CHAR_DIALECT_HF, true, true,
	                                    lower, lower};
	int r = bt_normalizer_bert(&o, &t->norm[0], err);

	if (r != BT_OK)
		return r;
	t->pretok[0] =
	    bt_pre_tokenizer_bert(bt_normalizer_bert_table(t->norm[0]));
	t->norms = t->pretoks = 1;
	return BT_OK;
}

int bt_word_splitter_new(enum bt_word_kind kind, bool lower,
                         struct bt_word_splitter **splitter,
                         struct bt_error *err)
{
	static const struct bt_tok_model_ops ops = {.cut = count_word};
	struct bt_word_splitter *c = bt_array0(1, sizeof(*c));
	int r;

	c->model.ops = &ops;
	c->tok.model = &c->model;
	c->tok.bytes.split = true;
	r = kind == BT_WORDS_BERT ? add_bert(&c->tok, lower, err)
	                          : bt_tok_add_bytes(&c->tok, err);
	if (r != BT_OK) {
		bt_word_splitter_free(c);
		return r;
	}
	*splitter = c;
	return BT_OK;
}

void bt_word_splitter_free(struct bt_word_splitter *c)
{
	int i;

	if (c == NULL)
		return;
	for (i = 0; i < c->tok.pretoks; i++)
		bt_pre_tokenizer_free(c->tok.pretok[i]);
	for (i = 0; i < c->tok.norms; i++)
		bt_normalizer_free(c->tok.norm[i]);
	bt_buf_clear(&c->tok.steps);
	free(c->tok.table);
	free(c);
}

struct bt_word_splitter_scratch *bt_word_splitter_scratch_new(void)
{
	return bt_array0(1, sizeof(struct bt_word_splitter_scratch));
}

void bt_word_splitter_scratch_free(struct bt_word_splitter_scratch *s)
{
	if (s == NULL)
		return;
	bt_tok_buffers_clear(&s->buffers);
	free(s->none.piece);
	free(s);
}

int bt_word_split(const struct bt_word_splitter *c,
                  struct bt_word_splitter_scratch *s, struct bt_span text,
                  struct bt_word_counts *words, struct bt_error *err)
{
	size_t good = bt_charset_check(BT_CHARSET_UTF8, text.p, text.n);

	if (text.n > INT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "a text of %zu bytes is too long", text.n);
	if (good != text.n)
		return bt_error_hint(
		    err, BT_HINT_TEXT_ENCODING,
		    bt_error_set(err, BT_EFORMAT,
		                 "the text is not valid UTF-8 at byte %zu",
		                 good));
	s->buffers.work = words;
	if (bt_tok_run(&c->tok, &s->buffers, text, false, &s->none) != BT_OK)
		return bt_error_nomem(err, "counting words");
	return BT_OK;
}

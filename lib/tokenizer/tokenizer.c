/* SPDX-License-Identifier: MIT */
/* Encoding: the tokens of the texts (encode.c) are cut to length and set into
 * the template (truncation.c). */
#include "tokenizer/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/charset.h"
#include "tokenizer/truncation_int.h"

void bt_tok_free(struct bt_tok *t)
{
	int i;

	if (t == NULL)
		return;
	for (i = 0; i < BT_TOK_ROLES; i++)
		free(t->role_name[i]);
	free(t->path);
	free(t->prefix);
	free(t->spm);
	free(t->token);
	bt_vocab_clear(&t->vocab);
	for (i = 0; i < t->norms; i++)
		bt_normalizer_free(t->norm[i]);
	for (i = 0; i < t->pretoks; i++)
		bt_pre_tokenizer_free(t->pretok[i]);
	bt_tok_model_free(t->model);
	free(t->table);
	bt_buf_clear(&t->steps);
	bt_decoder_clear(&t->decode);
	bt_added_clear(&t->raw);
	bt_added_clear(&t->normalized);
	free(t);
}

const char *bt_tok_fingerprint(const struct bt_tok *t)
{
	return t->fingerprint;
}

size_t bt_tok_size(const struct bt_tok *t)
{
	return t->vocab.n;
}

bool bt_tok_is_bert(const struct bt_tok *tok)
{
	return tok->kind == BT_TOK_WORDPIECE && tok->bert_norm &&
	       tok->bert_split && tok->norms == 1 && tok->pretoks == 1;
}

size_t bt_tok_model_size(const struct bt_tok *t)
{
	return t->model_size;
}

size_t bt_tok_max_positions(const struct bt_tok *t)
{
	return t->max_positions;
}

size_t bt_tok_max_length(const struct bt_tok *t)
{
	return t->max_length;
}

size_t bt_tok_seq_length(const struct bt_tok *t)
{
	return t->seq_length == t->max_length ? t->seq_length : 0;
}

struct bt_span bt_tok_token(const struct bt_tok *t, int32_t id)
{
	if (id < 0 || (size_t)id >= t->vocab.n)
		return bt_span("");
	return t->vocab.token[id];
}

int32_t bt_tok_id(const struct bt_tok *t, struct bt_span token)
{
	size_t i;

	for (i = 0; i < t->tokens; i++)
		if (bt_span_equal(t->token[i].content, token))
			return t->token[i].id;
	return (int32_t)bt_vocab_find(&t->vocab, token);
}

int32_t bt_tok_role(const struct bt_tok *t, enum bt_tok_role role)
{
	return t->role[role];
}

int bt_tok_scratch_new(const struct bt_tok *t, struct bt_tok_scratch **scratch,
                       struct bt_error *err)
{
	const struct bt_tok_model_ops *ops = t->model->ops;
	struct bt_tok_scratch *s = bt_array0(1, sizeof(*s));

	if (ops->work_new != NULL &&
	    ops->work_new(t->model, &s->buffers.work) != BT_OK) {
		free(s);
		return bt_error_nomem(err, "starting a tokenizer");
	}
	s->work_free = ops->work_free;
	*scratch = s;
	return BT_OK;
}

void bt_tok_scratch_free(struct bt_tok_scratch *s)
{
	int i;

	if (s == NULL)
		return;
	bt_tok_buffers_clear(&s->buffers);
	if (s->work_free != NULL)
		s->work_free(s->buffers.work);
	for (i = 0; i < 2; i++)
		bt_pieces_clear(&s->seq[i]);
	free(s->ids);
	free(s->types);
	free(s->start);
	free(s->end);
	free(s->word);
	free(s->normal);
	free(s->text);
	free(s);
}

static int encode_text(const struct bt_tok *t, struct bt_tok_scratch *s,
                       int which, struct bt_span text, bool offsets,
                       struct bt_error *err)
{
	size_t good;

	if (text.n > INT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "a text of %zu bytes is too long", text.n);
	good = bt_charset_check(BT_CHARSET_UTF8, text.p, text.n);
	if (good != text.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the text is not valid UTF-8 at byte %zu",
		                    good);
	if (bt_tok_run(t, &s->buffers, text, offsets, &s->seq[which]) == BT_OK)
		return BT_OK;
	if (bt_tok_buffers_hard(&s->buffers))
		return bt_error_set(err, BT_ELIMIT, BT_TOK_TOO_HARD);
	return bt_error_nomem(err, "encoding a text");
}

int bt_tok_encode(const struct bt_tok *t, struct bt_tok_scratch *s,
                  struct bt_span a, struct bt_span b,
                  const struct bt_tok_encode_opts *how, struct bt_encoding *out,
                  struct bt_error *err)
{
	int r = encode_text(t, s, 0, a, how->offsets, err);

	s->seq[1].n = 0;
	if (r == BT_OK && b.p != NULL) {
		r = encode_text(t, s, 1, b, how->offsets, err);
		if (r != BT_OK)
			bt_error_prefix(err, "the second of the pair");
	}
	if (r != BT_OK)
		s->seq[0].n = s->seq[1].n = 0;
	s->cut_first = 0;
	if (b.p != NULL && how->max_first > 0 && s->seq[0].n > how->max_first) {
		s->cut_first = s->seq[0].n - how->max_first;
		s->seq[0].n = how->max_first;
	}
	s->source[0] = a;
	s->source[1] = b;
	s->how = *how;
	/* Google's code takes an empty second text for none */
	s->pair =
	    b.p != NULL && (t->dialect != BT_TOK_GOOGLE || s->seq[1].n > 0);
	if (r == BT_OK)
		r = bt_tok_share(t, s, err);
	return r == BT_OK ? bt_tok_window(t, s, 0, out, err) : r;
}

size_t bt_tok_tokens(const struct bt_tok_scratch *s, int text)
{
	return s->seq[text].n;
}

bool bt_tok_cuts_left(const struct bt_tok *t)
{
	return t->cut_left;
}

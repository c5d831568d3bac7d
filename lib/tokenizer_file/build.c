/* SPDX-License-Identifier: MIT */
/* Puts a tokenizer together from what its files say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/mem.h"
#include "format/model_files.h"
#include "tokenizer/encode.h"
#include "tokenizer_file/reader.h"
#include "tokenizer_file/tokenizer_file.h"

#define GOOGLE_MAX_CHARS 200
#define GARDEN_MAX_CHARS 400

static int find_roles(struct bt_tok *t, struct bt_error *err)
{
	int i;

	for (i = 0; i < BT_TOK_ROLES; i++) {
		t->role[i] = bt_tok_id(t, bt_span(t->role_name[i]));
		/* a byte-level vocabulary knows everything */
		if (t->role[i] < 0 && i != BT_TOK_MASK &&
		    (i != BT_TOK_UNK || t->kind != BT_TOK_BPE))
			return bt_error_set(err, BT_EFORMAT,
			                    "the vocabulary of '%s' lacks the "
			                    "token '%s'",
			                    t->path, t->role_name[i]);
	}
	return BT_OK;
}

static int choose_lower(struct bt_tok *t, const struct bt_tok_opts *o,
                        struct bt_error *err)
{
	const char *why = "as its files say";

	if (o->lower >= 0 && t->flags.lower >= 0 && o->lower != t->flags.lower)
		return bt_error_set(err, BT_EARG,
		                    "'%s' says that text is %smade lower case, "
		                    "which cannot be changed",
		                    t->path, t->flags.lower ? "" : "not ");
	if (t->flags.lower < 0 && o->lower >= 0) {
		t->flags.lower = o->lower;
		why = "as asked for";
	}
	if (t->flags.lower < 0 && t->named_class) {
		t->flags.lower = true;
		why = "as its class does by default";
	}
	if (t->flags.lower < 0) {
		t->flags.lower = bt_vocab_is_lower(&t->vocab);
		why = t->flags.lower ? "since its vocabulary has no capitals"
		                     : "since its vocabulary has capitals";
	}
	if (t->flags.strip < 0)
		t->flags.strip = t->flags.lower;
	bt_log(o->log, BT_LOG_MORE, "'%s': %zu tokens; text is %s, %s", t->path,
	       t->vocab.n, t->flags.lower ? "made lower case" : "left in case",
	       why);
	if (t->model_size > t->vocab.n)
		bt_log(o->log, BT_LOG_MORE,
		       "'%s': the model has room for %zu tokens, the "
		       "vocabulary has %zu",
		       t->path, t->model_size, t->vocab.n);
	if (t->lower_more && !(t->bert_norm && t->flags.lower))
		bt_log_warn(o->log, "lower-case-ignored", BT_HINT_NONE,
		            "'%s/" BT_FILE_SENTENCE
		            "': 'do_lower_case' is ignored: texts keep their "
		            "capitals, which sentence-transformers makes lower "
		            "case",
		            t->path);
	return BT_OK;
}

static void add_part(struct bt_tok_template *tp, int text, int32_t id, int type)
{
	tp->part[tp->n++] =
	    (struct bt_tok_part){(int8_t)text, (uint8_t)type, id};
}

/* [CLS] a [SEP], and b [SEP] of segment 1; RoBERTa's: <s> a </s>, and </s> b
 * </s>, all of segment 0. */
static void use_template(struct bt_tok *t, bool roberta)
{
	int32_t cls = t->role[BT_TOK_CLS], sep = t->role[BT_TOK_SEP];

	t->one = (struct bt_tok_template){
	    {{-1, 0, cls}, {0, 0, 0}, {-1, 0, sep}}, 3};
	t->pair = t->one;
	if (roberta)
		add_part(&t->pair, -1, sep, 0);
	add_part(&t->pair, 1, 0, !roberta);
	add_part(&t->pair, -1, sep, !roberta);
}

/* [bos] a [eos], and [bos] b [eos] of segment 1, where these are wanted. */
static void use_ends(struct bt_tok *t)
{
	int text;

	t->pair.n = 0;
	for (text = 0; text < 2; text++) {
		if (text == 1)
			t->one = t->pair;
		if (t->bos)
			add_part(&t->pair, -1, t->role[BT_TOK_CLS], text);
		add_part(&t->pair, text, 0, text);
		if (t->eos)
			add_part(&t->pair, -1, t->role[BT_TOK_SEP], text);
	}
}

static void choose_template(struct bt_tok *t)
{
	if (t->one.n != 0)
		return;
	if (t->frame == BT_TEMPLATE_KIND_NONE && t->kind == BT_TOK_WORDPIECE)
		t->frame = BT_TEMPLATE_KIND_BERT;
	if (t->frame == BT_TEMPLATE_KIND_ROBERTA ||
	    t->frame == BT_TEMPLATE_KIND_BERT)
		use_template(t, t->frame == BT_TEMPLATE_KIND_ROBERTA);
	else /* of the texts and nothing else where no end is wanted */
		use_ends(t);
}

/* BERT's normalizer, before all others. */
static int make_norm(struct bt_tok *t, struct bt_error *err)
{
	struct bt_bert_normalizer_opts o = {
	    .school = t->dialect == BT_TOK_GOOGLE ? BT_CHAR_DIALECT_GOOGLE
	                                          : BT_CHAR_DIALECT_HF,
	    .clean = t->flags.clean != 0,
	    .cjk = t->flags.cjk != 0,
	    .strip = t->flags.strip != 0,
	    .lower = t->flags.lower != 0,
	};
	int r = bt_normalizer_bert(&o, &t->norm[0], err);

	if (r == BT_OK)
		t->norms = 1;
	return r;
}

/* What was not made as it was read. */
static int make_parts(struct bt_tok *t, struct bt_error *err)
{
	int r = t->bert_norm ? make_norm(t, err) : BT_OK;

	if (r == BT_OK && t->bert_split) {
		t->pretok[0] =
		    bt_pre_tokenizer_bert(bt_normalizer_bert_table(t->norm[0]));
		t->pretoks = 1;
	}
	if (r == BT_OK && t->bytes.on)
		r = bt_tok_add_bytes(t, err);
	if (r == BT_OK && t->trim.on)
		r = bt_tok_need_table(t, err);
	if (r == BT_OK && t->model == NULL)
		t->model = bt_tok_model_wordpiece(&t->vocab, bt_span(t->prefix),
		                                  t->role[BT_TOK_UNK],
		                                  (size_t)t->max_chars);
	return r;
}

/* Replaces a token's content by its normalised form, which keep owns. */
static int normalise(const struct bt_tok *t, struct bt_span *s,
                     struct bt_vocab *keep, struct bt_error *err)
{
	struct bt_text_view v = {(const uint8_t *)s->p, NULL, 0, true};
	struct bt_tok_buffers b = {0};
	size_t from = 0, to = s->n;
	int r = bt_tok_normalize(t, &b, &v, &from, &to, false);

	if (r != BT_OK && bt_tok_buffers_hard(&b))
		r = bt_error_set(err, BT_ELIMIT, BT_TOK_TOO_HARD);
	else if (r != BT_OK)
		r = bt_error_nomem(err, "opening a tokenizer");
	else if (from == to)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': nothing is left of the added token "
		                 "'%.*s' when it is normalised",
		                 t->path, (int)(s->n < 100 ? s->n : 100), s->p);
	s->p = (const char *)v.text + from;
	s->n = to - from;
	if (r == BT_OK)
		r = bt_vocab_put(keep, keep->n, *s, err);
	if (r == BT_OK)
		*s = keep->token[keep->n - 1];
	bt_tok_buffers_clear(&b);
	return r;
}

/* Makes the set of the added tokens that are looked for in normalised text, or
 * of those that are not. */
static int make_added(const struct bt_tok *t, bool normalized,
                      struct bt_added *set, struct bt_error *err)
{
	struct bt_added_token *list = bt_array(t->tokens, sizeof(*list));
	struct bt_span *pattern = bt_array(t->tokens, sizeof(*pattern));
	struct bt_vocab keep = {0};
	size_t i, n = 0;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < t->tokens; i++) {
		if (t->token[i].normalized != normalized)
			continue;
		list[n] = t->token[i];
		pattern[n] = list[n].content;
		if (normalized)
			r = normalise(t, &pattern[n], &keep, err);
		n++;
	}
	if (r == BT_OK)
		r = bt_added_init(set, list, pattern, n, err);
	bt_vocab_clear(&keep);
	free(list);
	free(pattern);
	return r;
}

static int by_id(const void *a, const void *b)
{
	const struct bt_added_token *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void print_template(struct bt_buf *b, const char *name,
                           const struct bt_tok_template *tp)
{
	int i;

	bt_buf_printf(b, " %s=", name);
	for (i = 0; i < tp->n; i++) {
		if (tp->part[i].text >= 0)
			bt_buf_putc(b, tp->part[i].text == 0 ? 'A' : 'B');
		else
			bt_buf_printf(b, "%d", (int)tp->part[i].id);
		bt_buf_printf(b, ":%d,", (int)tp->part[i].type);
	}
}

static void print_model(struct bt_buf *b, const struct bt_tok *t)
{
	const char *side = t->cut_left ? "left" : "right";

	if (t->steps.len > 0) {
		bt_buf_put(b, t->steps.data, t->steps.len);
		bt_buf_putc(b, ' ');
	}
	if (t->kind != BT_TOK_WORDPIECE && !t->bert_norm) {
		bt_buf_printf(b, "cut=%s", side);
		return;
	}
	bt_buf_printf(b,
	              "wordpiece dialect=%s clean=%d cjk=%d strip=%d lower=%d "
	              "prefix=%s max_chars=%lld unk=%d cut=%s",
	              t->dialect == BT_TOK_GOOGLE ? "google" : "hf",
	              t->flags.clean, t->flags.cjk, t->flags.strip,
	              t->flags.lower, t->prefix, (long long)t->max_chars,
	              (int)t->role[BT_TOK_UNK], side);
}

/* The line of settings that change ids. */
static void print_settings(struct bt_buf *b, const struct bt_tok *t)
{
	const struct bt_added_token *a;
	size_t i;

	print_model(b, t);
	print_template(b, "one", &t->one);
	print_template(b, "pair", &t->pair);
	if (t->dialect == BT_TOK_GOOGLE)
		return;
	for (i = 0; i < t->tokens; i++) {
		a = &t->token[i];
		bt_buf_printf(b, " added=%d:%d%d%d%d", (int)a->id, a->lstrip,
		              a->rstrip, a->single_word, a->normalized);
	}
}

static int make_fingerprint(struct bt_tok *t, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_tok_crc all = {.crc = 0};
	uint32_t crc;
	size_t i;

	for (i = 0; i < t->vocab.n; i++)
		bt_tok_crc_put(&all, t->vocab.token[i], '\n');
	print_settings(&b, t);
	crc = bt_crc32c(bt_tok_crc_end(&all), b.data, b.len);
	snprintf(t->fingerprint, sizeof(t->fingerprint), "%08x", crc);
	i = b.oom;
	bt_buf_clear(&b);
	return i ? bt_error_nomem(err, "opening a tokenizer") : BT_OK;
}

/* What transformers gives the tokenizers that it makes of other files. */
static int make_decoder(struct bt_tok *t, struct bt_error *err)
{
	if (t->is_json || t->spm != NULL)
		return BT_OK;
	if (t->kind == BT_TOK_WORDPIECE)
		return bt_decoder_add(&t->decode, BT_DECODER_WORDPIECE,
		                      bt_span(t->prefix), true, NULL, err);
	return bt_decoder_add(&t->decode, BT_DECODER_BYTES, bt_span(NULL),
	                      false, NULL, err);
}

int bt_tok_finish(struct bt_tok *t, const struct bt_tok_opts *o,
                  struct bt_error *err)
{
	int r = find_roles(t, err);

	if (t->kind != BT_TOK_WORDPIECE && t->dialect == BT_TOK_GOOGLE)
		return bt_error_set(err, BT_EARG,
		                    "'%s' is not a WordPiece tokenizer, and "
		                    "the dialect 'google' needs one",
		                    t->path);
	if (r == BT_OK)
		r = choose_lower(t, o, err);
	if (r != BT_OK)
		return r;
	if (t->dialect == BT_TOK_GOOGLE)
		t->max_chars = t->garden ? GARDEN_MAX_CHARS : GOOGLE_MAX_CHARS;
	if (t->max_positions != 0 &&
	    (t->max_length == 0 || t->max_length > t->max_positions))
		t->max_length = t->max_positions;
	choose_template(t);
	if (t->tokens > 0)
		qsort(t->token, t->tokens, sizeof(*t->token), by_id);
	r = make_parts(t, err);
	if (r == BT_OK)
		r = make_decoder(t, err);
	/* Google's code has no added tokens */
	if (r == BT_OK && t->dialect != BT_TOK_GOOGLE)
		r = make_added(t, false, &t->raw, err);
	if (r == BT_OK && t->dialect != BT_TOK_GOOGLE)
		r = make_added(t, true, &t->normalized, err);
	return r == BT_OK ? make_fingerprint(t, err) : r;
}

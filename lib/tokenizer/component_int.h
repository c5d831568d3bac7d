/* SPDX-License-Identifier: MIT */
/*
 * The parts that a tokenizer is put together from: normalizers, which change a
 * text one after the other; pre-tokenizers, each of which cuts what the one
 * before leaves; one model, which makes tokens of a word. A part is a struct of
 * its own that begins with the one here. Parts are immutable once made and
 * shared by threads.
 */
#ifndef BT_TOKENIZER_COMPONENT_INT_H
#define BT_TOKENIZER_COMPONENT_INT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tokenizer/bert_normalizer.h"
#include "tokenizer/token_buffer.h"
#include "tokenizer/vocab.h"
#include "unicode/offset_text.h"

/* A text, valid UTF-8, between two parts. */
struct bt_text_view {
	const uint8_t *text;
	const uint32_t *src; /* for each byte, where in the raw text its
	                      * character begins; NULL: text is the raw text,
	                      * or nobody asks */
	size_t beyond;       /* bytes behind the text's end that can be read */
	bool ordered;        /* src never goes down */
};

struct bt_normalizer;
struct bt_normalizer_ops {
	/*
	 * Normalises text[from .. to-1] into out, which src relates to text.
	 * Returns 0, BT_NORMALIZER_SAME or BT_ENOMEM.
	 */
	int (*run)(const struct bt_normalizer *norm, const uint8_t *text,
	           size_t from, size_t to, struct bt_offset_text *out);
	void (*free)(struct bt_normalizer *norm); /* NULL: free() alone */
};
struct bt_normalizer {
	const struct bt_normalizer_ops *ops;
};
#define BT_NORMALIZER_SAME 1 /* nothing changes; out was not written */

/* One text on its way (encode.c); run.offsets: somebody asks for src. */
struct bt_encode_run;

struct bt_pre_tokenizer;
struct bt_pre_tokenizer_ops {
	/* Cuts text[from .. to-1] of v, not empty, and hands each word on with
	 * bt_encode_run_next(run, ..., next), in their order. Returns 0 or
	 * BT_ENOMEM. */
	int (*run)(const struct bt_pre_tokenizer *pretok,
	           struct bt_encode_run *run, const struct bt_text_view *v,
	           size_t from, size_t to, int next);
	void (*free)(struct bt_pre_tokenizer *pretok); /* NULL: free() alone */
};
struct bt_pre_tokenizer {
	const struct bt_pre_tokenizer_ops *ops;
};

int bt_encode_run_next(struct bt_encode_run *run, const struct bt_text_view *v,
                       size_t from, size_t to, int next) BT_MUST_USE;

/* The same for n words, none empty, in a text that ends at end. */
int bt_encode_run_words(struct bt_encode_run *run, const struct bt_text_view *v,
                        size_t end, const struct bt_word_range *word, size_t n,
                        int next) BT_MUST_USE;

/* Words on their way to the next part, handed on by many. */
#define BT_WORD_BATCH 128
struct bt_word_batch {
	struct bt_encode_run *run;
	const struct bt_text_view *v;
	size_t end; /* of the text */
	int next;
	size_t n;
	struct bt_word_range word[BT_WORD_BATCH];
};

static inline void bt_word_batch_init(struct bt_word_batch *b,
                                      struct bt_encode_run *run,
                                      const struct bt_text_view *v, size_t end,
                                      int next)
{
	b->run = run;
	b->v = v;
	b->end = end;
	b->next = next;
	b->n = 0;
}

static inline int bt_word_batch_flush(struct bt_word_batch *b)
{
	size_t n = b->n;

	b->n = 0;
	return bt_encode_run_words(b->run, b->v, b->end, b->word, n, b->next);
}

/* Makes room for n more, at most BT_WORD_BATCH. */
static inline int bt_word_batch_room(struct bt_word_batch *b, size_t n)
{
	return b->n + n > BT_WORD_BATCH ? bt_word_batch_flush(b) : BT_OK;
}

/* Adds a word, for which there is room. */
static inline void bt_word_batch_put(struct bt_word_batch *b, size_t from,
                                     size_t to)
{
	b->word[b->n].from = (uint32_t)from;
	b->word[b->n++].to = (uint32_t)to;
}

static inline int bt_word_batch_add(struct bt_word_batch *b, size_t from,
                                    size_t to)
{
	if (bt_word_batch_room(b, 1) != BT_OK)
		return BT_ENOMEM;
	bt_word_batch_put(b, from, to);
	return BT_OK;
}

/* For a pre-tokenizer that changes a word, called with next: a text of its own
 * and of this thread's, empty, in which want_src is set as needed. src must
 * relate to the raw text: copy that of the view, or where it has none, the
 * place. */
struct bt_offset_text *bt_encode_run_buffer(struct bt_encode_run *run,
                                            int next);

/* Notes that a regular expression took too many steps, for which BT_ENOMEM is
 * returned then. A normalizer sets out->hard. */
int bt_encode_run_too_hard(struct bt_encode_run *run) BT_MUST_USE;

struct bt_tok_model;
struct bt_tok_model_ops {
	/* Appends the pieces of the word text[from .. to-1], not empty, to out;
	 * their start and end are places in text. Returns 0 or BT_ENOMEM. */
	int (*cut)(const struct bt_tok_model *model, void *work,
	           const uint8_t *text, size_t from, size_t to,
	           struct bt_pieces *out);
	/* Appends the pieces of n words, in a text that can be read up to
	 * end, or with out->bare their ids alone; or NULL. */
	int (*cut_words)(const struct bt_tok_model *model, void *work,
	                 const uint8_t *text, size_t end,
	                 const struct bt_word_range *word, size_t n,
	                 struct bt_pieces *out);
	/* What a thread needs for cut; both NULL if nothing (work is NULL). */
	int (*work_new)(const struct bt_tok_model *model, void **work);
	void (*work_free)(void *work);
	void (*free)(struct bt_tok_model *model); /* NULL: free() alone */
};
struct bt_tok_model {
	const struct bt_tok_model_ops *ops;
};

/* BERT's parts. The pre-tokenizer borrows kinds. */
int bt_normalizer_bert(const struct bt_bert_normalizer_opts *opts,
                       struct bt_normalizer **norm,
                       struct bt_error *err) BT_MUST_USE;
const struct bt_bert_normalizer *
bt_normalizer_bert_table(const struct bt_normalizer *norm);
struct bt_pre_tokenizer *
bt_pre_tokenizer_bert(const struct bt_bert_normalizer *kinds) BT_MUST_USE;

/* WordPiece over a vocabulary, which is borrowed. */
struct bt_tok_model *bt_tok_model_wordpiece(const struct bt_vocab *vocab,
                                            struct bt_span prefix,
                                            int32_t unknown,
                                            size_t max_chars) BT_MUST_USE;

void bt_normalizer_free(struct bt_normalizer *norm); /* these take NULL */
void bt_pre_tokenizer_free(struct bt_pre_tokenizer *pretok);
void bt_tok_model_free(struct bt_tok_model *model);

#endif

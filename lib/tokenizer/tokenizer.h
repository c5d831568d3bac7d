/* SPDX-License-Identifier: MIT */
/*
 * The tokenizer of a model directory: text in, token ids out, equal to those of
 * the programs that the model was trained with. Callers need not know which
 * kind it is: WordPiece, BPE or Unigram.
 *
 * A struct bt_tok is immutable once opened and shared by threads. Each thread
 * encodes with a struct bt_tok_scratch of its own, which after a few texts
 * holds all the memory that is needed.
 */
#ifndef BT_TOKENIZER_TOKENIZER_H
#define BT_TOKENIZER_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct bt_tok;
struct bt_tok_scratch;

/* Whose tokens are wanted, where implementations differ. */
enum bt_tok_dialect {
	BT_TOK_ANY = 0, /* the directory's, else BT_TOK_HF */
	BT_TOK_HF,      /* Hugging Face's fast tokenizers */
	BT_TOK_GOOGLE,  /* the tokenization.py of BERT */
	BT_TOK_GARDEN   /* that of TF Model Garden: words may be longer */
};

void bt_tok_free(struct bt_tok *tok); /* takes NULL */

/* Eight hex digits that are equal for tokenizers which give equal ids, from
 * whatever files they were read. (Scores count as floats; beyond these, the
 * text of a number decides between ways to cut a word that are equally good.)
 */
const char *bt_tok_fingerprint(const struct bt_tok *tok);

/* Tokens of the vocabulary; ids are smaller. */
size_t bt_tok_size(const struct bt_tok *tok);

/* Whether texts are normalized and split as BERT's are, and words cut by
 * WordPiece, and nothing else is done. */
bool bt_tok_is_bert(const struct bt_tok *tok);

/* Rows of the model's table of tokens, as its configuration says; 0: not said.
 * At least bt_tok_size: a larger vocabulary is refused when opening. */
size_t bt_tok_model_size(const struct bt_tok *tok);

/* Most tokens of a sequence that the model has positions for, and that its
 * tokenizer asks for (not more than that); 0: not said. */
size_t bt_tok_max_positions(const struct bt_tok *tok);
size_t bt_tok_max_length(const struct bt_tok *tok);

/* The max_seq_length of sentence-transformers, if bt_tok_max_length is that;
 * else 0. */
size_t bt_tok_seq_length(const struct bt_tok *tok);

/* The token of an id, empty where there is none; lives as long as tok. */
struct bt_span bt_tok_token(const struct bt_tok *tok, int32_t id);

/* The id of a token, or -1. */
int32_t bt_tok_id(const struct bt_tok *tok, struct bt_span token);

/* Tokens with a role; a vocabulary that lacks one was refused, but for the mask
 * and the unknown token of BPE: -1. */
enum bt_tok_role {
	BT_TOK_UNK,
	BT_TOK_CLS,
	BT_TOK_SEP,
	BT_TOK_PAD,
	BT_TOK_MASK,
	BT_TOK_ROLES
};
int32_t bt_tok_role(const struct bt_tok *tok, enum bt_tok_role role);

/* Special tokens that a text, or a pair of texts, is given. */
size_t bt_tok_specials(const struct bt_tok *tok, bool pair);

/* A scratch serves the tokenizer that it was made for, and goes before it. */
int bt_tok_scratch_new(const struct bt_tok *tok,
                       struct bt_tok_scratch **scratch,
                       struct bt_error *err) BT_MUST_USE;
void bt_tok_scratch_free(struct bt_tok_scratch *scratch); /* takes NULL */

/* Which text of a pair gives where both together are too long. */
enum bt_tok_truncation {
	BT_TOK_TRUNCATION_LONGEST, /* the longer one, token by token */
	BT_TOK_TRUNCATION_FIRST,
	BT_TOK_TRUNCATION_SECOND
};

/* How to encode. Zero: all tokens of the text and nothing else. */
struct bt_tok_encode_opts {
	bool special;      /* add the special tokens */
	bool offsets;      /* where in the text each token stands */
	size_t max_length; /* cut what is longer, special tokens counted; 0: do
	                    * not. BT_EARG if no token of a text has room */
	size_t max_first;  /* of a pair: the first text is cut to so many tokens
	                    * of its own before; 0: it is not */
	enum bt_tok_truncation cut;
	bool windows;  /* what is cut off is in further windows */
	size_t stride; /* tokens that a window has in common with the next */
};

/* A text as tokens; borrowed from the scratch until its next use. */
struct bt_encoding {
	const int32_t *ids;   /* [n] */
	const uint8_t *types; /* [n] segments */
	/* with offsets: bytes start .. end-1 of text 0 or 1; of special tokens
	 * 0 .. 0 and text -1 */
	const uint32_t *start, *end; /* [n] */
	const int8_t *text;          /* [n] */
	/* with offsets, too; of special tokens 0 and NULL: the number of the
	 * word of its text, and what normalizers and pre-tokenizers made of
	 * these bytes, NULL also of added tokens */
	const uint32_t *word;         /* [n] */
	const struct bt_span *normal; /* [n] */
	size_t n;
	size_t cut;       /* tokens of the texts that were left out */
	size_t cut_first; /* tokens that max_first left out, and no other
	                   * number here counts */
	size_t unknown;   /* words among the n that became the unknown token */
	size_t whole;     /* tokens if nothing had to be cut off */
	size_t windows;   /* 1, or more where some was cut off */
	bool bare;        /* the texts have no token at all */
};

/*
 * Encodes a text, or a pair where b.p is not NULL. Texts must be UTF-8: what is
 * not is BT_EFORMAT with the byte. Texts of 2^31 bytes are BT_ELIMIT. With
 * windows this is the first, and it must be longer than the stride.
 */
int bt_tok_encode(const struct bt_tok *tok, struct bt_tok_scratch *scratch,
                  struct bt_span a, struct bt_span b,
                  const struct bt_tok_encode_opts *how, struct bt_encoding *out,
                  struct bt_error *err) BT_MUST_USE;

/* Tokens of text 0 or 1 of what was encoded last, also where that failed for
 * want of room; special tokens and those cut by max_first not counted. */
size_t bt_tok_tokens(const struct bt_tok_scratch *scratch, int text);

/* Whether texts are cut, and their windows begin, at their end. */
bool bt_tok_cuts_left(const struct bt_tok *tok);

/* Window k, from 0 on, of what was encoded last; the texts must be there still.
 * Of a pair in which both are cut, each window of one is with each of the
 * other, in the order of the `tokenizers` package. */
int bt_tok_window(const struct bt_tok *tok, struct bt_tok_scratch *scratch,
                  size_t k, struct bt_encoding *out,
                  struct bt_error *err) BT_MUST_USE;

/* What a thread decodes with. BT_EFORMAT, naming it, if the tokenizer's decoder
 * is none of those that are known. */
struct bt_tok_decoder;
int bt_tok_decoder_new(const struct bt_tok *tok,
                       struct bt_tok_decoder **decoder,
                       struct bt_error *err) BT_MUST_USE;
void bt_tok_decoder_free(struct bt_tok_decoder *decoder); /* takes NULL */

/* Appends the text of n tokens, without special ones if these are to be
 * skipped. It is UTF-8. BT_EFORMAT for a number that is no id. */
int bt_tok_decode(const struct bt_tok *tok, struct bt_tok_decoder *decoder,
                  const int32_t *ids, size_t n, bool skip_special,
                  struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

#endif

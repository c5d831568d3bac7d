/* SPDX-License-Identifier: MIT */
/* What the files of a tokenizer are read into, and how it is put together. */
#ifndef BT_TOKENIZER_TOKENIZER_PARTS_H
#define BT_TOKENIZER_TOKENIZER_PARTS_H

#include <jansson.h>

#include "base/buf.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/component_int.h"
#include "tokenizer/decoder.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocab.h"

#define BT_TOK_UNSET (-1)
#define BT_TOK_PARTS 16
#define BT_TOK_ADDED_MAX 10000
#define BT_TOK_STEPS 16 /* normalizers, pre-tokenizers */

/* A template: what stands where. */
struct bt_tok_part {
	int8_t text; /* 0 or 1, or -1: the special token id */
	uint8_t type;
	int32_t id;
};

struct bt_tok_template {
	struct bt_tok_part part[BT_TOK_PARTS];
	int n;
};

/* What tokenizer_config.json and tokenizer.json may say; BT_TOK_UNSET: not. */
struct bt_tok_flags {
	int clean, cjk, strip, lower;
};

enum bt_tok_kind { BT_TOK_WORDPIECE, BT_TOK_UNIGRAM, BT_TOK_BPE };

/* Where special tokens go if no template says. */
enum bt_template_kind {
	BT_TEMPLATE_KIND_NONE,
	BT_TEMPLATE_KIND_BERT,    /* [CLS] a [SEP], and b [SEP] of segment 1 */
	BT_TEMPLATE_KIND_ROBERTA, /* <s> a </s>, and </s> b </s>, all of segment
	                             0 */
	BT_TEMPLATE_KIND_ENDS /* bos a eos, and bos b eos of segment 1, each if
	                         so */
};

struct bt_tok {
	char *path; /* as given to bt_tok_open */
	bool is_dir, is_json;
	bool is_keras;          /* the directory is a preset of KerasHub */
	char *spm;              /* the SentencePiece model it is of, or NULL */
	const char *class_name; /* in transformers, if its files must say so */
	bool has_config;        /* there is a tokenizer_config.json */

	enum bt_tok_kind kind;
	enum bt_tok_dialect dialect; /* HF or GOOGLE */
	bool garden;                 /* GOOGLE, as in Model Garden */
	struct bt_tok_flags flags;   /* none unset once opened */
	bool cut_left;               /* truncation takes away from the left */
	char *prefix;
	int64_t max_chars;
	size_t max_length, max_positions, model_size;

	struct bt_vocab vocab;        /* the model's, then the added ones */
	size_t model_tokens;          /* of the model's own vocabulary */
	struct bt_added_token *token; /* [tokens] added ones */
	size_t tokens, tokens_cap;

	char *role_name[BT_TOK_ROLES];
	int32_t role[BT_TOK_ROLES];
	struct bt_tok_template one, pair; /* n = 0: BERT's */

	struct bt_normalizer *norm[BT_TOK_STEPS];
	struct bt_pre_tokenizer *pretok[BT_TOK_STEPS];
	int norms, pretoks;
	struct bt_tok_model *model;
	struct bt_decoder decode;
	struct bt_buf steps; /* what the parts are, for the fingerprint */
	uint8_t *table;      /* of bt_split_table, or NULL */
	bool bert_norm;      /* BERT's normalizer, made of flags, is first */
	bool bert_split;     /* and its pre-tokenizer */
	struct {
		bool on, prefix, split;
		bool top; /* it is all of the pre-tokenizer */
	} bytes;          /* the pre-tokenizer ByteLevel */
	struct {
		bool on, prefix;
	} trim; /* spaces are no part of where a token stands; prefix: but
	         * for one at the start */
	enum bt_template_kind frame;
	bool bos, eos;    /* of BT_TEMPLATE_KIND_ENDS */
	bool mask_lstrip; /* the white space before a mask belongs to it, if
	                   * the files do not say */
	bool has_metaspace;
	bool needs_src; /* parts ask where in the text they are */
	struct bt_added raw, normalized; /* to look for before, after */
	char fingerprint[9];
};

/* What a thread encodes with. */
struct bt_tok_buffers {
	struct bt_offset_text
	    norm[2]; /* before and after a normalizer, in turns */
	struct bt_offset_text word[BT_TOK_STEPS]; /* pre-tokenizers' own */
	void *work;                               /* the model's */
};
void bt_tok_buffers_clear(struct bt_tok_buffers *b); /* but for work */

/* True, once, if what failed took too many steps: see bt_encode_run_too_hard.
 */
bool bt_tok_buffers_hard(struct bt_tok_buffers *b);
#define BT_TOK_TOO_HARD "a regular expression of the tokenizer takes too long"

struct bt_tok_scratch {
	struct bt_tok_buffers buffers;
	void (*work_free)(void *work);
	struct bt_pieces seq[2]; /* of each text */

	/* what was encoded last, and how it is cut into windows (truncation.c)
	 */
	struct bt_span source[2];
	struct bt_tok_encode_opts how;
	bool pair;
	size_t keep[2]; /* tokens of each text that have room */
	size_t windows[2];

	/* the window asked for last */
	int32_t *ids;
	uint8_t *types;
	uint32_t *start, *end, *word;
	struct bt_span *normal;
	int8_t *text;
	size_t cap; /* of each of these seven */
};

/* Sets s->keep and s->windows. */
int bt_tok_share(const struct bt_tok *t, struct bt_tok_scratch *s,
                 struct bt_error *err) BT_MUST_USE;

/* The pieces of a text, valid UTF-8, with offsets; else their ids alone.
 * Returns 0 or BT_ENOMEM. */
int bt_tok_run(const struct bt_tok *t, struct bt_tok_buffers *b,
               struct bt_span text, bool offsets,
               struct bt_pieces *out) BT_MUST_USE;

/* Takes the spaces of its token away from where a piece of a text stands, as
 * t->trim says; first: it is the text's first. */
void bt_tok_trim(const struct bt_tok *t, struct bt_span text,
                 struct bt_piece *p, bool first);

/* Puts v->text[*from .. *to-1] through all normalizers; v, *from and *to are
 * then the result. Returns 0 or BT_ENOMEM. */
int bt_tok_normalize(const struct bt_tok *t, struct bt_tok_buffers *b,
                     struct bt_text_view *v, size_t *from, size_t *to,
                     bool offsets) BT_MUST_USE;

/* tokenizer.json */
int bt_tok_read_json(struct bt_tok *t, const char *path,
                     struct bt_error *err) BT_MUST_USE;

/* The dialect that tokenizer_config.json names. */
int bt_tok_read_dialect(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

/* tokenizer_config.json, special_tokens_map.json, added_tokens.json; then what
 * config.json or bert_config.json says of the model. */
int bt_tok_read_config(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;
int bt_tok_read_model_config(struct bt_tok *t,
                             struct bt_error *err) BT_MUST_USE;

/*
 * Adds a token with its flags; id -1: what it is in the vocabulary, or the next
 * one. A token that is there already stays as it is. An id that is neither the
 * vocabulary's nor the next one is BT_EFORMAT.
 */
int bt_tok_add(struct bt_tok *t, const struct bt_added_token *token,
               struct bt_error *err) BT_MUST_USE;

/* Reads content and flags of {"content": ..., "lstrip": ...}; borrowed. */
int bt_tok_read_added(const json_t *o, struct bt_added_token *token,
                      struct bt_error *err) BT_MUST_USE;

/* Adds the tokens of o's member: a list of strings or of such objects, or an
 * object of them. Nothing where there is none. */
int bt_tok_add_list(struct bt_tok *t, json_t *o, const char *key,
                    struct bt_error *err) BT_MUST_USE;

/* Adds the tokens of {"id": {"content": ...}} or, where specials are not NULL,
 * of {"token": id}: those that are keys of specials are special, the others are
 * looked for in normalised text. */
int bt_tok_add_table(struct bt_tok *t, json_t *table, const json_t *specials,
                     struct bt_error *err) BT_MUST_USE;

/* Puts together what was read. */
int bt_tok_finish(struct bt_tok *t, const struct bt_tok_opts *opts,
                  struct bt_error *err) BT_MUST_USE;

/*
 * Append a part to those that a text goes through, which is taken over in any
 * case, and note for the fingerprint what it is; a pre-tokenizer that is NULL
 * does nothing to a text. The others make it first (normalizers.h; which is an
 * enum bt_normalizer_simple, form an enum bt_unicode_form, prepend an enum
 * bt_prepend).
 */
int bt_tok_add_norm(struct bt_tok *t, struct bt_normalizer *norm,
                    struct bt_error *err, const char *fmt, ...) BT_MUST_USE
    BT_PRINTF(4, 5);
int bt_tok_add_pretok(struct bt_tok *t, struct bt_pre_tokenizer *pretok,
                      struct bt_error *err, const char *fmt, ...) BT_MUST_USE
    BT_PRINTF(4, 5);
int bt_tok_add_replace(struct bt_tok *t, struct bt_span pattern, bool regex,
                       struct bt_span content,
                       struct bt_error *err) BT_MUST_USE;
int bt_tok_add_strip(struct bt_tok *t, bool left, bool right,
                     struct bt_error *err) BT_MUST_USE;
int bt_tok_add_simple(struct bt_tok *t, int which,
                      struct bt_error *err) BT_MUST_USE;
int bt_tok_add_form(struct bt_tok *t, int form,
                    struct bt_error *err) BT_MUST_USE;
int bt_tok_add_bytes(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

/* Reads a SentencePiece model, as transformers converts it. */
int bt_tok_read_spm(struct bt_tok *t, const char *path,
                    struct bt_error *err) BT_MUST_USE;

/* Makes t->table if it is not there. */
int bt_tok_need_table(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

/* Reads vocab.json and merges.txt. */
int bt_tok_read_merges(struct bt_tok *t, const char *vocab, const char *merges,
                       struct bt_error *err) BT_MUST_USE;
int bt_tok_add_whitespace_split(struct bt_tok *t,
                                struct bt_error *err) BT_MUST_USE;
int bt_tok_add_metaspace(struct bt_tok *t, struct bt_span mark, int prepend,
                         bool split, struct bt_error *err) BT_MUST_USE;
uint32_t bt_tok_crc(const void *data, size_t n);
uint32_t bt_tok_crc_more(uint32_t crc, const void *data, size_t n);

/* The CRC of many short texts, which are gathered. Begin with zero. */
struct bt_tok_crc {
	uint32_t crc;
	size_t n;
	char text[4096];
};
void bt_tok_crc_put(struct bt_tok_crc *c, struct bt_span s, char behind);
uint32_t bt_tok_crc_end(struct bt_tok_crc *c);

/* Makes the model Unigram of the vocabulary, not yet indexed, and the score of
 * each token, which is taken over in any case; unknown is the id of that
 * token. */
int bt_tok_set_unigram(struct bt_tok *t, double *score, int64_t unknown,
                       bool bytes, struct bt_error *err) BT_MUST_USE;

/* Makes the model BPE of the vocabulary, which was indexed. */
struct bt_bpe_merge;
struct bt_bpe_opts;
int bt_tok_set_bpe(struct bt_tok *t, const struct bt_bpe_merge *merge, size_t n,
                   const struct bt_bpe_opts *o,
                   struct bt_error *err) BT_MUST_USE;

/* Names the token of a role; names those that the vocabulary lacks by other
 * usual names that it has. */
int bt_tok_set_role(struct bt_tok *t, enum bt_tok_role role, struct bt_span s,
                    struct bt_error *err) BT_MUST_USE;
int bt_tok_guess_roles(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

extern const char *const bt_tok_role_key[BT_TOK_ROLES]; /* "unk_token" ... */

#endif

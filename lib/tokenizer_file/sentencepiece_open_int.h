/* SPDX-License-Identifier: MIT */
/* What the conversion of a SentencePiece model is made of. */
#ifndef BT_TOKENIZER_FILE_SENTENCEPIECE_OPEN_INT_H
#define BT_TOKENIZER_FILE_SENTENCEPIECE_OPEN_INT_H

#include <jansson.h>

#include "tokenizer/bpe.h"
#include "tokenizer_file/reader.h"
#include "tokenizer_file/sentencepiece_proto.h"

#define BT_SPM_MARK "\xe2\x96\x81" /* U+2581 */

/* A token before the pieces. */
struct bt_spm_extra {
	const char *text;
	double score;
};

/* How text is cleaned before its spaces are made visible. */
enum bt_spm_clean {
	BT_SPM_CLEAN_XLMR,
	BT_SPM_CLEAN_ALBERT,
	BT_SPM_CLEAN_DEBERTA,
	BT_SPM_CLEAN_NONE /* Llama */
};

struct bt_spm_family {
	const char *type;  /* model_type of config.json */
	const char *class; /* tokenizer_class, without "Fast" */
	struct bt_spm_extra before[6];
	size_t drop;      /* pieces that those stand for */
	const char *mask; /* or NULL */
	bool mask_piece;  /* the mask is a piece, the last */
	bool mask_lstrip;
	const char *role[BT_TOK_ROLES];
	enum bt_template_kind frame;
	enum bt_spm_clean clean;
	const char *special[3];
};

/* What tokenizer_config.json says. */
struct bt_spm_settings {
	const struct bt_spm_family *family;
	bool lower, keep_accents, split_by_punct;
	bool prefix;   /* add_prefix_space */
	bool legacy;   /* a space before each part of a text, not the first */
	bool bos, eos; /* put around a text, where the family does not say */
};

/* The family's tokens and the pieces, in the order of their ids, into an empty
 * vocabulary, and the score of each, of which there is room for m->n + 8. The
 * texts stay m's. */
int bt_spm_vocab(const struct bt_spm_proto *m, const struct bt_spm_family *f,
                 struct bt_vocab *v, double *score,
                 struct bt_error *err) BT_MUST_USE;

/* The id of the unknown token of a Unigram model. */
int bt_spm_unknown(const struct bt_spm_proto *m, const struct bt_spm_family *f);

/* The components as tokenizer.json has them; NULL when out of memory. */
json_t *bt_spm_normalizer(const struct bt_spm_proto *m,
                          const struct bt_spm_settings *s) BT_MUST_USE;
json_t *bt_spm_pretok(const struct bt_spm_settings *s) BT_MUST_USE;
json_t *bt_spm_decoder(const struct bt_spm_settings *s) BT_MUST_USE;

/*
 * Merges of a BPE model: each piece can be made of any two tokens that it is
 * put together from. Those of the best score come first, in Llama's family
 * those of the least id; then the longest halves, or the shortest. The list is
 * to be freed and lives as long as v, which was indexed.
 */
int bt_spm_merges(const struct bt_vocab *v, const double *score, bool by_id,
                  struct bt_bpe_merge **merge, size_t *n,
                  struct bt_error *err) BT_MUST_USE;

/* The file t->spm and what the configuration beside it says of it. */
int bt_spm_load(const struct bt_tok *t, struct bt_spm_proto *m,
                struct bt_spm_settings *s, struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* A tokenizer: its vocabulary, components and settings. tokenizer_file/ fills
 * it in, encode.c and truncation.c use it. */
#ifndef BT_TOKENIZER_TOKENIZER_PARTS_H
#define BT_TOKENIZER_TOKENIZER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/component_int.h"
#include "tokenizer/decoder.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocab.h"

#define BT_TOK_UNSET (-1)
#define BT_TOK_PARTS 16
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
	char *path; /* of its file, or of the directory with its files */
	bool is_dir, is_json;
	bool is_keras;          /* the directory is a preset of KerasHub */
	char *spm;              /* the SentencePiece model it is of, or NULL */
	const char *class_name; /* in transformers, if its files must say so */
	bool has_config;        /* there is a tokenizer_config.json */
	bool named_class;       /* which names the class of a vocab.txt */

	enum bt_tok_kind kind;
	enum bt_tok_dialect dialect; /* HF or GOOGLE */
	bool garden;                 /* GOOGLE, as in Model Garden */
	struct bt_tok_flags flags;   /* none unset once opened */
	bool cut_left;               /* truncation takes away from the left */
	char *prefix;
	int64_t max_chars;
	size_t max_length, max_positions, model_size;
	size_t seq_length; /* the max_length that sentence-transformers has for
	                    * the model; 0: it has none */
	bool lower_more;   /* and its do_lower_case */

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
	bool mask_lstrip; /* of a SentencePiece family: its mask token takes
	                   * the white space before it, unless the files
	                   * say otherwise */
	bool has_metaspace;
	bool needs_src; /* parts ask where in the text they are */
	struct bt_added raw, normalized; /* to look for before, after */
	char fingerprint[9];
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Texts into token records, a block at a time: texts are gathered, encoded in
 * pieces by the threads of a pool, and written in the order in which they came,
 * whatever the number of threads. Where ranks share the work (dist/dist.h), all
 * of them add the same texts, each encodes some of the pieces, and rank 0
 * writes all.
 */
#ifndef BT_TOKENIZE_JOB_H
#define BT_TOKENIZE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/pool.h"
#include "dist/dist.h"
#include "io/out.h"
#include "record/labels.h"
#include "record/record.h"
#include "tokenizer/tokenizer.h"

struct bt_tokenize;

enum bt_tokenize_format {
	BT_TOKENIZE_TFRECORD, /* token records */
	BT_TOKENIZE_IDS,      /* a line of ids a text */
	BT_TOKENIZE_JSON,     /* a line of JSON a text */
	BT_TOKENIZE_EXPLAIN   /* a line a token: where it stands */
};

/* What label_ids holds of a record's label. */
enum bt_label_type {
	BT_LABEL_CLASS, /* its number among the labels */
	BT_LABEL_INT,   /* itself, a whole number */
	BT_LABEL_FLOAT, /* itself, a number */
	BT_LABEL_NONE   /* nothing: there is no label_ids */
};

struct bt_tokenize_opts {
	enum bt_tokenize_format format;
	bool lines;        /* the texts are bare, not text records */
	bool special;      /* add the special tokens */
	size_t max_length; /* 0: no limit */
	bool cut;          /* what is longer: cut it, or fail */
	enum bt_tok_truncation which;
	bool windows;   /* cut it into several records */
	bool label_all; /* words: training is to learn from all their tokens */
	bool apart;     /* both texts of a pair get a record of their own, */
	/* and so do these fields [n_fields], texts that the first is not to be
	 * near; borrowed */
	const char *const *fields;
	size_t n_fields;
	size_t stride;
	/* of questions: their windows, and the most tokens of a question */
	size_t question_length, question_stride, max_question;
	bool mend;          /* invalid UTF-8 becomes U+FFFD, else fail */
	const char *prompt; /* goes before each text, of a pair before the
	                     * first; borrowed, or NULL */
	size_t pad;         /* 0: do not; else not below max_length */
	bool attend_pad;    /* it is part of the text: input_mask is 1 there */
	bool keep_text; /* it stays in its record; of the full layout alone */
	enum bt_token_layout layout;
	enum bt_label_type label_type;
	/* for BT_LABEL_CLASS; borrowed, or NULL for no label_ids */
	const struct bt_labels *labels;
	bool model_labels;       /* they are the model's; for messages */
	bool only_labels;        /* fail on a label that is not one of them */
	const char *dummy_label; /* for records without a label, or NULL */
	bool number_of_id; /* example_id is in the id, else counted from 0 */
	uint64_t expect;   /* records; 0: any number */
	struct bt_in_limit *limit; /* on what is read; borrowed, or NULL */
	struct bt_dist *dist; /* ranks that share the work; borrowed, or NULL */
};

#define BT_TOKENIZE_LENGTHS 32

struct bt_tokenize_stats {
	uint64_t texts, records;
	uint64_t tokens, unknown; /* tokens and [UNK]s written */
	uint64_t bare_texts;      /* without a token of the text itself */
	uint64_t bare_first;  /* the first of them, from 1 on over all files */
	uint64_t empty_texts; /* those of them that have no byte either */
	/* those whose tokens are all unknown, without texts in words, and the
	 * first of them */
	uint64_t unknown_texts, unknown_first;
	uint64_t windowed_texts;        /* of several windows */
	uint64_t cut_texts, cut_tokens; /* cut_tokens: lost */
	uint64_t labelled, weighted;    /* records with a label_ids, a weight */
	uint64_t mended_texts, mended;
	/* questions; those whose context has several windows, that were cut,
	 * the tokens lost, and those whose answer no window has */
	uint64_t questions, contexts_cut, questions_cut, question_tokens_cut;
	uint64_t answers_lost;
	uint64_t bytes; /* read */
	/* texts of 2^k to 2^(k+1)-1 tokens before any were cut off; [0] also of
	 * none */
	uint64_t length[BT_TOKENIZE_LENGTHS];
};

/* tok and pool are borrowed. */
int bt_tokenize_new(const struct bt_tok *tok, struct bt_pool *pool,
                    const struct bt_tokenize_opts *opts,
                    struct bt_tokenize **job, struct bt_error *err) BT_MUST_USE;
void bt_tokenize_free(struct bt_tokenize *job); /* takes NULL */

/* Copies a text record's payload, or a line, into the block; its file and
 * number are for messages. */
int bt_tokenize_add(struct bt_tokenize *job, const void *data, size_t len,
                    const char *file, uint64_t number,
                    struct bt_error *err) BT_MUST_USE;

/* True when the block should be written before more is added. */
bool bt_tokenize_full(const struct bt_tokenize *job);

/* Encodes the block and writes it; the block is empty afterwards. The error of
 * the first bad text counts; nothing of its block is written then. All ranks
 * call this, of which rank 0 alone uses out. */
int bt_tokenize_write(struct bt_tokenize *job, struct bt_out *out,
                      struct bt_error *err) BT_MUST_USE;

/*
 * All of it: reads the records of files, or their lines, and writes them. n = 0
 * is standard input. progress may be NULL. On failure part of it may have been
 * written.
 */
int bt_tokenize_files(struct bt_tokenize *job, char *const *paths, int n,
                      struct bt_out *out, struct bt_progress *progress,
                      struct bt_error *err) BT_MUST_USE;

/* Where a run reads and writes. */
struct bt_tokenize_io {
	char *const *paths;
	int n;
	const char *output;
	int threads, zstd;            /* zstd 0: not compressed */
	struct bt_progress *progress; /* or NULL */
};

/* bt_tokenize_files with all that is around it: the output appears when all is
 * done. Of several ranks, all of which call this, rank 0 has one and *stats. */
int bt_tokenize_all(const struct bt_tok *tok,
                    const struct bt_tokenize_opts *opts,
                    const struct bt_tokenize_io *io,
                    struct bt_tokenize_stats *stats,
                    struct bt_error *err) BT_MUST_USE;

/* What max_length, pad and stride may be, of which tok knows more. BT_EARG. */
int bt_tokenize_check(const struct bt_tok *tok,
                      const struct bt_tokenize_opts *opts, const char *model,
                      struct bt_error *err) BT_MUST_USE;

/* Warns where the model expects a vocabulary of quite another size. */
void bt_tokenize_warn_size(const struct bt_tok *tok, const struct bt_log *log);

/* Warns of texts without a token, and of those without a known one: all of them
 * look the same to the model. */
void bt_tokenize_warn_bare(const struct bt_tokenize_stats *stats,
                           const struct bt_log *log);

/* Logs what was done in seconds: a summary, warnings of many unknown words, of
 * texts without a token and of features that TensorFlow's readers will miss,
 * and with BT_LOG_MORE how long the texts are. */
void bt_tokenize_report(const struct bt_tok *tok,
                        const struct bt_tokenize_opts *opts,
                        const struct bt_tokenize_stats *stats, double seconds,
                        const struct bt_log *log);

/* What was written so far; on other ranks than 0 only the number of texts. */
struct bt_tokenize_stats bt_tokenize_stats(const struct bt_tokenize *job);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Questions as Model Garden cuts them: the context is divided into words at
 * white space, each word is tokenized by itself, and windows of the tokens
 * stand behind the question. (The windows of tokenize/job.h are those of
 * transformers, which tokenizes the context as a whole.)
 */
#ifndef BT_TOKENIZE_SQUAD_WINDOWS_H
#define BT_TOKENIZE_SQUAD_WINDOWS_H

#include "base/log.h"
#include "io/out.h"
#include "tokenizer/tokenizer.h"

struct bt_squad_windows_opts {
	const struct bt_tok *tok;
	int64_t max_length, max_question; /* tokens of a record, which is
	                                   * padded; of the question */
	int64_t stride; /* tokens from one window to the next */
	bool negatives; /* questions may have no answer */
	/* Records to predict from, not to train on: with what answers are found
	 * by, and what token records of questions have beside that. No question
	 * is left out. */
	bool predicts;
	bool scores;        /* of these each must have its answers */
	bool once;          /* no two questions have one id */
	const char *limits; /* the names of the first two, for messages */
};

struct bt_squad_windows_stats {
	uint64_t questions, records;
	uint64_t lost;       /* questions left out: their answer is not where it
	                      * should be */
	struct bt_buf first; /* the id of the first of them */
};

/* Reads the files of questions and writes the records. stats is zero before and
 * to be cleared in any case. */
int bt_squad_windows_write(char *const *paths, int n,
                           const struct bt_squad_windows_opts *o,
                           struct bt_out *out, const struct bt_log *log,
                           struct bt_squad_windows_stats *stats,
                           struct bt_error *err) BT_MUST_USE;
/* The same into a file of that name, which it tells of. *records is set to
 * their number. */
int bt_squad_windows_file(char *const *paths, int n,
                          const struct bt_squad_windows_opts *o,
                          const char *path, const struct bt_log *log,
                          uint64_t *records, struct bt_error *err) BT_MUST_USE;
void bt_squad_windows_stats_clear(struct bt_squad_windows_stats *stats);

#endif

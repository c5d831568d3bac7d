/* SPDX-License-Identifier: MIT */
/*
 * Records for pre-training as create_pretraining_data.py of Model Garden makes
 * them of texts: two segments, of which the second follows the first or is of
 * another document, with masked tokens. All random choices are as there, drawn
 * by the same generator, so records of the same texts and seed are equal; but
 * for the sizes of n-grams, which it draws by a generator without a seed.
 *
 * Tokens and sequences are in memory up to a limit, and beyond it in temporary
 * files.
 */
#ifndef BT_PRETRAIN_PRETRAINING_DATA_H
#define BT_PRETRAIN_PRETRAINING_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

/* What the flags say, under their names. */
struct bt_pretraining {
	char *const *input_file; /* [n_input_files] lines of text, an empty one
	                          * between documents */
	int n_input_files;
	const char *output_file; /* or several, divided by commas: records go
	                          * to them in turns */
	const char *vocab_file;
	bool do_lower_case, do_whole_word_mask, use_v2_feature_names;
	int64_t max_ngram_size; /* 0: 1; else only with whole words */
	int64_t max_seq_length, max_predictions_per_seq, random_seed,
	    dupe_factor;
	double masked_lm_prob, short_seq_prob;

	struct bt_progress *progress; /* or NULL */
	const struct bt_log *log;
};

#define BT_PRETRAINING_LEAST 5 /* tokens of a sequence */

/* All of it. Makes the directories of the outputs; these appear when all are
 * complete. */
int bt_pretraining_make(const struct bt_pretraining *f,
                        struct bt_error *err) BT_MUST_USE;

#endif

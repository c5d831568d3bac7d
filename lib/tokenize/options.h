/* SPDX-License-Identifier: MIT */
/* What bert-tokenize is asked for, in the words of its options. */
#ifndef BT_TOKENIZE_OPTIONS_H
#define BT_TOKENIZE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "tokenize/job.h"

/* The options by their names; NULL, 0 and false where not given. */
struct bt_tokenize_options {
	const char *model, *pad, *format, *dialect, *lower;
	const char *layout, *labels, *label_type, *dummy, *example_id;
	const char *meta, *part, *processor;
	const char *prompt, *prompt_text; /* the model's, by name; a text */
	int64_t max_length, max_question;
	const char *truncation;
	struct bt_opt_maybe stride;
	bool apart, label_all;
	struct bt_opt_list negative;
	bool no_truncation, lines, no_special, mend, attend_pad, keep_text;
	bool detokenize, skip_special;
	bool explain;   /* is format "explain" */
	int64_t pad_to; /* 0: none */
	int64_t expect; /* 0: any number of records */
	struct bt_opt_maybe max_bytes;
};

int bt_tokenize_options_open(const struct bt_tokenize_options *ask,
                             const struct bt_log *log, struct bt_tok **tok,
                             struct bt_error *err) BT_MUST_USE;

/* The labels to number, which must outlive how, and what a record is to have
 * of them. */
int bt_tokenize_options_labels(const struct bt_tokenize_options *ask,
                               struct bt_labels *labels,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err) BT_MUST_USE;

/* The text to put before each text, to be freed, which must outlive how; or
 * NULL. Warns of a default prompt that is not wanted and not declined. */
int bt_tokenize_options_prompt(const struct bt_tokenize_options *ask,
                               const struct bt_log *log, char **prompt,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err) BT_MUST_USE;

/* Sets the rest of how. BT_EARG for what the model or the meta data that are
 * there cannot have. */
int bt_tokenize_options_settle(const struct bt_tokenize_options *ask,
                               const struct bt_tok *tok,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err) BT_MUST_USE;

/* Writes the meta data, if they are asked for. */
int bt_tokenize_options_tell(const struct bt_tokenize_options *ask,
                             const struct bt_tokenize_opts *how,
                             const struct bt_tokenize_stats *stats,
                             struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which words made a model say what it said: their contributions
 * (finetune/contributions.h) to the output of the predicted class, of each
 * label that holds, of each number, or of one that is asked for. As a table
 * (id, label, position, text, word, start, end, contribution) or as JSON Lines,
 * an object for each text and label.
 */
#ifndef BT_EVALUATE_EXPLAIN_OUTPUT_H
#define BT_EVALUATE_EXPLAIN_OUTPUT_H

#include "finetune/predict_stream.h"
#include "io/out.h"

/* The contributions of a text's words add up to the difference that the text
 * makes to the output, but for an error. A warning
 * counts those beyond this share of the difference. */
#define BT_EXPLAIN_TOLERANCE .02

#define BT_EXPLAIN_STEPS 50

enum bt_explain_baseline { BT_EXPLAIN_MASK, BT_EXPLAIN_PAD };
#define BT_EXPLAIN_BASELINES "mask|pad"

struct bt_explain_opts {
	bool json;
	char delimiter;        /* of the table */
	int steps;             /* 0: BT_EXPLAIN_STEPS */
	const char *label;     /* NULL: what is predicted */
	const char *threshold; /* of that (predict/thresholds.h), or NULL */
	bool special;          /* special tokens are listed, too */
	enum bt_explain_baseline baseline; /* what stands for all others */
	const struct bt_log *log;          /* or NULL */
};

struct bt_explain_output;

/* For the predictions of s, which must be open, with `explains`, and stay so;
 * out is borrowed, too. BT_EARG where the model's task is not explained or the
 * label is not its. */
int bt_explain_output_new(const struct bt_explain_opts *o,
                          struct bt_predict_stream *s, struct bt_out *out,
                          struct bt_explain_output **x,
                          struct bt_error *err) BT_MUST_USE;
void bt_explain_output_free(struct bt_explain_output *x); /* takes NULL */

/* Notes the texts of a payload, record k of a block that begins (0) or goes on.
 */
int bt_explain_output_look(struct bt_explain_output *x, size_t k,
                           const void *data, size_t len,
                           struct bt_error *err) BT_MUST_USE;

/* Example k of d, number i of all from 0, is to be explained: _flush explains
 * and writes all that were added, while d is as it was. */
int bt_explain_output_add(struct bt_explain_output *x, uint64_t i,
                          const struct bt_dataset *d, size_t k,
                          const float *logits,
                          struct bt_error *err) BT_MUST_USE;
int bt_explain_output_flush(struct bt_explain_output *x,
                            struct bt_error *err) BT_MUST_USE;

/* Warns of what does not add up, of records without texts, and of those without
 * a label that holds. */
void bt_explain_output_tell(const struct bt_explain_output *x,
                            const struct bt_log *log);

#endif

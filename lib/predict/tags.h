/* SPDX-License-Identifier: MIT */
/*
 * Tags of words as CoNLL columns (the input's lines with one column more, or
 * word and tag; an empty line behind each sentence), CSV (id, number of the
 * word from 0 on, word, tag) or JSON Lines (id, tokens, tags, entities; the
 * text, where the records have it, and the entities as spans in it); or the
 * logits of each word, which a function takes. Every
 * word of a record has a tag: windows of a sentence are joined. Where the
 * records have no words, as those of Model Garden, there are tags alone, by
 * which tokens begin a word.
 */
#ifndef BT_PREDICT_TAGS_H
#define BT_PREDICT_TAGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"
#include "base/span.h"
#include "io/out.h"
#include "record/labels.h"

struct bt_tags;

enum bt_tags_format { BT_TAGS_CONLL, BT_TAGS_CSV, BT_TAGS_JSONL, BT_TAGS_ROWS };

/* Takes the logits of word `word` of sentence i, both from 0 on. */
typedef int bt_tags_row_fn(void *ctx, uint64_t i, struct bt_span id,
                           size_t word, const float *logits,
                           struct bt_error *err);

struct bt_tags_opts {
	enum bt_tags_format format;
	bool proba;          /* the probability of each tag, too */
	const char *scheme;  /* that tags are to follow (record/entities.h); or
	                      * NULL */
	bt_tags_row_fn *row; /* of BT_TAGS_ROWS */
	void *ctx;
};

/* labels and out are borrowed; out may be NULL for BT_TAGS_ROWS. BT_EARG where
 * a label is not the scheme's. */
int bt_tags_new(const struct bt_tags_opts *o, const struct bt_labels *labels,
                struct bt_out *out, struct bt_tags **t,
                struct bt_error *err) BT_MUST_USE;
void bt_tags_free(struct bt_tags *t); /* takes NULL */

/* Keeps the payload of record k of a block that begins (0) or goes on, record
 * `number` of all, from 1. */
int bt_tags_look(struct bt_tags *t, size_t k, uint64_t number, const void *data,
                 size_t len, struct bt_error *err) BT_MUST_USE;

/* Record k of the block, which goes on with the record before if it continues
 * it: n tokens, of which each with a label for which bt_token_begins is a
 * word's first; logits [n][labels]. */
int bt_tags_add(struct bt_tags *t, size_t k, bool continues,
                const int32_t *token_label, size_t n, const float *logits,
                struct bt_error *err) BT_MUST_USE;

/* Sees that the last sentence is complete. */
int bt_tags_finish(struct bt_tags *t, struct bt_error *err) BT_MUST_USE;

/* Says how many words there were, and how many got each tag. */
void bt_tags_tell(const struct bt_tags *t, const struct bt_log *log);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The large parts of tokenizer.json, the vocabulary and the merges, read where
 * they lie, without a json_t for each token. Only what is plain is taken; all
 * else, above all whatever is wrong, is left in the JSON, so that one place
 * alone refuses files.
 */
#ifndef BT_TOKENIZER_FILE_FAST_VOCAB_INT_H
#define BT_TOKENIZER_FILE_FAST_VOCAB_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tokenizer/bpe.h"
#include "tokenizer/vocab.h"

/* Merges are read into this; zero is empty, free(merge). */
struct bt_merges {
	struct bt_bpe_merge *merge;
	size_t n, cap;
};

/* Appends "a b"; a line that says the version is not a merge. */
int bt_merges_add(struct bt_merges *l, struct bt_span a, struct bt_span b,
                  struct bt_error *err) BT_MUST_USE;
int bt_merges_add_line(struct bt_merges *l, struct bt_span s,
                       struct bt_error *err) BT_MUST_USE;

/* What a member of the model was taken as. */
enum bt_fast_vocab_vocab {
	BT_FAST_VOCAB_NONE,  /* it was not */
	BT_FAST_VOCAB_IDS,   /* {"token": id, ...}: indexed */
	BT_FAST_VOCAB_SCORES /* [["piece", score], ...]: not indexed */
};

/* Zero is empty. */
struct bt_fast_vocab {
	enum bt_fast_vocab_vocab kind;
	struct bt_vocab vocab; /* owns what all spans point into */
	double *score;         /* [vocab.n], of BT_FAST_VOCAB_SCORES */
	bool has_merges;
	struct bt_merges merges;
};

/*
 * Reads a tokenizer.json. What b holds then is missing from *rest, where an
 * empty object or list stands for it.
 */
int bt_fast_vocab_read(const char *path, struct bt_fast_vocab *b, json_t **rest,
                       struct bt_error *err) BT_MUST_USE;

/* Reads a vocab.json: into b, *rest is NULL, or into *rest, b is empty. */
int bt_fast_vocab_read_vocab(const char *path, struct bt_fast_vocab *b,
                             json_t **rest, struct bt_error *err) BT_MUST_USE;

void bt_fast_vocab_clear(struct bt_fast_vocab *b);

#endif

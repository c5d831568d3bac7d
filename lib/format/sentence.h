/* SPDX-License-Identifier: MIT */
/*
 * What sentence-transformers says in a model directory of the model's
 * embeddings: modules.json and the files that belong to it.
 */
#ifndef BT_FORMAT_SENTENCE_H
#define BT_FORMAT_SENTENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* A linear layer behind the pooling; its weights are in files of its own. */
struct bt_sentence_dense {
	char folder[64]; /* in the directory */
	int in, out;     /* columns */
	bool bias;
	const char *act; /* none, tanh, relu or gelu */
};

#define BT_SENTENCE_DENSE 4 /* at most */

struct bt_sentence {
	const char *pooling; /* cls, mean or max; NULL: no modules.json */
	struct bt_sentence_dense dense[BT_SENTENCE_DENSE];
	int n_dense;
	bool normalize;     /* embeddings are scaled to length 1 */
	bool leaves_prompt; /* the prompt's tokens are not pooled */
};

/* Reads how the model makes an embedding of its encoder's outputs. BT_EFORMAT,
 * with file and key, where that is something else than these: several poolings
 * at once, another module. */
int bt_sentence_read(const char *dir, struct bt_sentence *s,
                     struct bt_error *err) BT_MUST_USE;

/* Writes that layout into a model directory: embeddings of so many columns,
 * texts of that many tokens at most. Prompts, and max_seq_length, stay those of
 * the directory `from`, if it has some; or NULL. */
int bt_sentence_write(const char *dir, const char *from,
                      const struct bt_sentence *s, int width, int longest,
                      struct bt_error *err) BT_MUST_USE;

/* Removes from a model directory what bt_sentence_write put there, so that
 * another kind of model can take its place. Returns whether there was any. */
bool bt_sentence_remove(const char *dir);

/* Sets *length to max_seq_length and *lower to do_lower_case, each if it is
 * said in a directory that has a modules.json. */
int bt_sentence_length(const char *dir, int64_t *length, bool *lower,
                       struct bt_error *err) BT_MUST_USE;

/* The prompt of that name, to be freed. BT_EFORMAT, with the names there are,
 * if the directory has none of it. */
int bt_sentence_prompt(const char *dir, const char *name, char **prompt,
                       struct bt_error *err) BT_MUST_USE;

/* The name of the prompt that sentence-transformers uses where none is chosen,
 * to be freed; NULL: none, or one without a text. */
int bt_sentence_default_prompt(const char *dir, char **name,
                               struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* Writing a trained vocabulary. */
#ifndef BT_VOCAB_TRAIN_SAVE_VOCAB_H
#define BT_VOCAB_TRAIN_SAVE_VOCAB_H

#include <stdbool.h>

#include "base/err.h"
#include "vocab_train/trainer.h"

/* The output, opened before the work so that an error is reported at once.
 * Existing files stay until bt_vocab_out_save is done. */
struct bt_vocab_out;

/* Opens a vocab.txt: a token a line. path NULL or "-" is standard output. */
int bt_vocab_out_file(const char *path, struct bt_vocab_out **out,
                      struct bt_error *err) BT_MUST_USE;

/* Opens a directory that bt_tok_open can read afterwards: vocab.txt, or for
 * bytes vocab.json and merges.txt, and tokenizer_config.json with the value of
 * lower. A missing directory is created when the vocabulary is written; that it
 * can be created is checked here. BT_EARG: it holds a model's weights, or a
 * tokenizer of another kind. */
int bt_vocab_out_dir(const char *dir, enum bt_word_kind kind, bool lower,
                     struct bt_vocab_out **out,
                     struct bt_error *err) BT_MUST_USE;

/* Writes all of it, or nothing; out is freed whatever is returned. */
int bt_vocab_out_save(struct bt_vocab_out *out, const struct bt_trainer *s,
                      struct bt_error *err) BT_MUST_USE;

/* Writes nothing: existing files stay, and a directory that was created is
 * removed. Takes NULL. */
void bt_vocab_out_abandon(struct bt_vocab_out *out);

#endif

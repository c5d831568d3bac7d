/* SPDX-License-Identifier: MIT */
/* Writing a trained vocabulary. */
#ifndef BT_TEXT_VOCABSAVE_H
#define BT_TEXT_VOCABSAVE_H

#include <stdbool.h>

#include "base/err.h"
#include "text/subwords.h"

/* Writes vocab.txt: a token a line. path NULL or "-" is standard output. */
int bt_vocab_save_lines(const struct bt_subwords *s, const char *path,
                        struct bt_error *err) BT_MUST_USE;

/* Writes a directory, which is made if it is not there, that opens as a
 * tokenizer: vocab.txt, or for bytes vocab.json and merges.txt, and
 * tokenizer_config.json. */
int bt_vocab_save_dir(const struct bt_subwords *s, enum bt_word_kind kind,
                      bool lower, const char *dir,
                      struct bt_error *err) BT_MUST_USE;

#endif

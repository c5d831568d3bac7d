/* SPDX-License-Identifier: MIT */
/* The tokenizer of a model directory: opened, saved and exported. */
#ifndef BT_TOKENIZER_FILE_TOKENIZER_FILE_H
#define BT_TOKENIZER_FILE_TOKENIZER_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "tokenizer/tokenizer.h"

struct bt_tok_opts {
	enum bt_tok_dialect dialect;
	int lower; /* 1: to lower case, 0: not; -1: as the files say */
	const struct bt_log
	    *log; /* reports the choices at BT_LOG_MORE; or NULL */
};

#define BT_TOK_OPTS_INIT                                                       \
	{                                                                      \
		BT_TOK_ANY, -1, NULL                                           \
	}

/*
 * Opens the tokenizer of a model directory, or a vocab.txt or tokenizer.json
 * alone. In a directory the first of these counts: tokenizer.json, vocab.txt,
 * vocab.json with merges.txt, a
 * SentencePiece model; a SavedModel may have its vocab.txt in assets. opts may
 * be NULL. A component or setting that is not supported is an error that names
 * it.
 */
int bt_tok_open(const char *path, const struct bt_tok_opts *opts,
                struct bt_tok **tok, struct bt_error *err) BT_MUST_USE;

/*
 * Writes the tokenizer into an existing directory, so that it gives the same
 * ids there, here and in transformers: copies of the files it was read from, a
 * tokenizer.json for a SentencePiece model, and a tokenizer_config.json if
 * there was none. max_length, the most tokens the model takes, is for that
 * file; 0: unknown.
 */
int bt_tok_save(const struct bt_tok *tok, const char *dir, size_t max_length,
                struct bt_error *err) BT_MUST_USE;

/*
 * The same for programs that read tokenizer.json only: creates the directory if
 * needed, and converts vocab.txt, or vocab.json with merges.txt. BT_EARG for a
 * dialect other than Hugging Face's.
 */
int bt_tok_export(const struct bt_tok *tok, const char *dir,
                  struct bt_error *err) BT_MUST_USE;

/* A tokenizer file in dir that bt_tok_save would not overwrite, so that it
 * would be read with the new ones; NULL if there is none. tok NULL: nothing
 * would be written. */
const char *bt_tok_left(const struct bt_tok *tok, const char *dir);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Documents as tokens: their sentences, which are lines of text, one behind the
 * other. Tokens are in memory up to a limit, and beyond it in a temporary file.
 */
#ifndef BT_PRETRAIN_DOCUMENTS_INT_H
#define BT_PRETRAIN_DOCUMENTS_INT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "io/temp_store.h"
#include "tokenizer/tokenizer.h"

struct bt_document {
	uint32_t first, n; /* sentences */
};

struct bt_documents {
	struct bt_document *document; /* [n] */
	uint32_t n;
	uint64_t *start; /* [sentences + 1] first token of each */
	uint32_t sentences;
	struct bt_temp_store *tokens; /* int32_t */
	uint64_t unknown;             /* of them */
	size_t cap, start_cap;
};

/* Reads lines of UTF-8 from files; an empty line, or one of white space, stands
 * between documents. Lines without a token count as none. BT_EFORMAT, naming
 * file and line, for what is not UTF-8, and where there is no token at all. d
 * is to be cleared in any case. */
int bt_documents_read(char *const *paths, int n, const struct bt_tok *tok,
                      size_t limit, struct bt_progress *progress,
                      struct bt_documents *d, struct bt_error *err) BT_MUST_USE;
void bt_documents_clear(struct bt_documents *d);

/* Copies tokens from .. to-1 of all. */
int bt_documents_tokens(struct bt_documents *d, uint64_t from, uint64_t to,
                        int32_t *ids, struct bt_error *err) BT_MUST_USE;

#endif

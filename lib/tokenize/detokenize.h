/* SPDX-License-Identifier: MIT */
/* Token records, or lines of ids, back to text. */
#ifndef BT_TOKENIZE_DETOKENIZE_H
#define BT_TOKENIZE_DETOKENIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/out.h"
#include "tokenize/job.h"
#include "tokenizer/tokenizer.h"

struct bt_detokenize_opts {
	bool lines;                /* the input is lines of ids */
	bool json;                 /* write lines of JSON, else of text */
	bool skip_special;         /* leave special tokens out */
	uint64_t expect;           /* records; 0: any number */
	int threads;               /* 0: one for each core */
	struct bt_in_limit *limit; /* on what is read; borrowed, or NULL */
};

/* Reads files, n = 0 is standard input, and writes a line for each record or
 * line, of which *texts is the number. A text with a line end in it is
 * BT_EFORMAT without json. */
int bt_detokenize_files(const struct bt_tok *tok,
                        const struct bt_detokenize_opts *opts,
                        char *const *paths, int n, struct bt_out *out,
                        uint64_t *texts, struct bt_error *err) BT_MUST_USE;

/* The same with the output around it. */
int bt_detokenize_all(const struct bt_tok *tok,
                      const struct bt_detokenize_opts *opts,
                      const struct bt_tokenize_io *io, uint64_t *texts,
                      struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Byte pair encoding: a word begins as its characters, or as its bytes, and of
 * all neighbours the pair that was merged first in training becomes one token,
 * until no pair is known. Short words are scanned, long ones take a heap, so
 * that a word of n bytes takes O(n log n); a thread keeps the pieces of the
 * words that it met.
 */
#ifndef BT_TOKENIZER_BPE_H
#define BT_TOKENIZER_BPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/component_int.h"

/* Two tokens that become one; the order of the list is that of merging. */
struct bt_bpe_merge {
	struct bt_span a, b;
};

struct bt_bpe_opts {
	bool bytes;            /* tokens are written as bt_byte_chars are */
	bool fuse_unk;         /* unknown neighbours are one unknown token */
	bool byte_fallback;    /* the unknown are bytes: <0x00> ... */
	bool ignore_merges;    /* a word that is a token is left whole */
	struct bt_span prefix; /* before tokens that do not begin a word */
	struct bt_span suffix; /* behind those that end one */
	int32_t unknown;       /* id; -1: what is unknown is dropped */
};

/* vocab, indexed, is borrowed; the rest only during the call. A merge of what
 * the vocabulary lacks is BT_EFORMAT. */
int bt_tok_model_bpe(const struct bt_vocab *vocab,
                     const struct bt_bpe_merge *merge, size_t merges,
                     const struct bt_bpe_opts *opts,
                     struct bt_tok_model **model,
                     struct bt_error *err) BT_MUST_USE;

/* The characters, all below U+0144, that bytes are written as in byte-level
 * vocabularies: those that can be printed are themselves. */
void bt_byte_chars(uint16_t c[256]);

#endif

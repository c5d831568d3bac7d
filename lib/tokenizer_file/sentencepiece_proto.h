/* SPDX-License-Identifier: MIT */
/*
 * The file of a SentencePiece model (sentencepiece.bpe.model, spiece.model,
 * spm.model, tokenizer.model): a message ModelProto of Protocol Buffers, read
 * in place.
 * https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto
 */
#ifndef BT_TOKENIZER_FILE_SENTENCEPIECE_PROTO_H
#define BT_TOKENIZER_FILE_SENTENCEPIECE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

enum bt_spm_type {
	BT_SPM_NORMAL = 1,
	BT_SPM_UNKNOWN = 2,
	BT_SPM_CONTROL = 3, /* never found in text */
	BT_SPM_USER = 4,    /* always one piece */
	BT_SPM_UNUSED = 5,
	BT_SPM_BYTE = 6
};

enum bt_spm_kind {
	BT_SPM_UNIGRAM = 1,
	BT_SPM_BPE = 2,
	BT_SPM_WORD = 3,
	BT_SPM_CHAR = 4
};

struct bt_spm_piece {
	struct bt_span text; /* UTF-8, not empty */
	float score;
	uint8_t type;
};

/* Zero is empty; clear frees the memory. */
struct bt_spm_proto {
	char *data; /* what the spans point into */
	struct bt_spm_piece *piece;
	size_t n, cap;
	uint64_t kind;
	int unk_id; /* of the piece of type UNKNOWN */
	bool byte_fallback, suffix;
	struct bt_span charsmap;      /* n is 0: none */
	bool prefix, squeeze, escape; /* add_dummy_prefix,
	                               * remove_extra_whitespaces,
	                               * escape_whitespaces */
};

/*
 * Reads a file, or n bytes, which are taken over and freed in any case. What is
 * no such message is BT_ECORRUPT, one that makes no sense BT_EFORMAT.
 */
int bt_spm_proto_read(struct bt_spm_proto *m, const char *path,
                      struct bt_error *err) BT_MUST_USE;
int bt_spm_proto_parse(struct bt_spm_proto *m, char *data, size_t n,
                       struct bt_error *err) BT_MUST_USE;
void bt_spm_proto_clear(struct bt_spm_proto *m);

#endif

/* SPDX-License-Identifier: MIT */
/* Notes of a GGUF file that is written. */
#ifndef BT_CKPT_FORMAT_GGUF_INT_H
#define BT_CKPT_FORMAT_GGUF_INT_H

#include <jansson.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "ckpt_format/writer.h"
#include "tensor/tensor.h"

/* The types of elements that are read, in the order in which they are looked
 * for. Q8_0 (8) is read as F32. */
struct bt_gguf_type {
	uint32_t number;
	enum bt_dtype dtype;
};
#define BT_GGUF_TYPES 9
extern const struct bt_gguf_type bt_gguf_types[BT_GGUF_TYPES];

struct bt_gguf_notes {
	struct bt_buf b;
	uint64_t n;
};

/* Whether a tensor becomes Q8_0 where that is asked for: F32, multiplied, with
 * rows of whole blocks. */
bool bt_gguf_packs(const struct bt_tensor *t);

/* A source of such tensors packed, whose bytes are fewer, and of the others as
 * they are. from must outlive it. */
struct bt_gguf_q8;
int bt_gguf_q8_new(const struct bt_tensor_source *from, struct bt_gguf_q8 **q,
                   struct bt_error *err) BT_MUST_USE;
void bt_gguf_q8_free(struct bt_gguf_q8 *q); /* takes NULL */
const struct bt_tensor_source *bt_gguf_q8_source(const struct bt_gguf_q8 *q);

/* Types of values. */
enum {
	BT_GGUF_U8 = 0,
	BT_GGUF_U32 = 4,
	BT_GGUF_I32 = 5,
	BT_GGUF_F32 = 6,
	BT_GGUF_BOOL = 7,
	BT_GGUF_STRING = 8,
	BT_GGUF_ARRAY = 9
};

/* Adds a note; a text as it stands in an array of strings. */
void bt_gguf_put_text(struct bt_buf *b, const char *s, size_t n);
void bt_gguf_note_text(struct bt_gguf_notes *n, const char *key, const char *v);
void bt_gguf_note_u32(struct bt_gguf_notes *n, const char *key, uint32_t v);
void bt_gguf_note_f32(struct bt_gguf_notes *n, const char *key, double v);
void bt_gguf_note_bool(struct bt_gguf_notes *n, const char *key, bool v);
void bt_gguf_note_array(struct bt_gguf_notes *n, const char *key, uint32_t type,
                        const struct bt_buf *items, uint64_t count);

/* What llama.cpp wants to know of the model in a directory, or beside a file:
 * by its configuration and its tokenizer's files, as far as these are there,
 * and by the tensors that are written. */
int bt_gguf_describe(const char *from, const struct bt_tensor_source *s,
                     struct bt_gguf_notes *notes,
                     struct bt_error *err) BT_MUST_USE;

/* Notes the tokenizer of a directory, if it has files of one, with at least
 * `rows` tokens, as many as the model has. */
int bt_gguf_note_tokenizer(const char *dir, uint64_t rows,
                           struct bt_gguf_notes *n,
                           struct bt_error *err) BT_MUST_USE;

/* The same of a tokenizer.json whose model is BPE or Unigram. */
int bt_gguf_note_tokenizer_json(const json_t *o, uint64_t rows,
                                struct bt_gguf_notes *n,
                                struct bt_error *err) BT_MUST_USE;

/* The same in an object of what vocab.json and merges.txt of a directory say;
 * the caller json_decref()s it. */
int bt_gguf_bpe_json(const char *dir, json_t **o,
                     struct bt_error *err) BT_MUST_USE;

/* Kinds of tokens, which are listed as they come: text, kind and, for some
 * models, score. */
enum {
	BT_GGUF_NORMAL = 1,
	BT_GGUF_UNKNOWN,
	BT_GGUF_CONTROL,
	BT_GGUF_USER,
	BT_GGUF_UNUSED
};

struct bt_gguf_tokens {
	struct bt_buf text, kinds, scores;
	uint64_t n;
};

void bt_gguf_tokens_add(struct bt_gguf_tokens *t, const char *s, size_t n,
                        uint32_t kind);
/* Adds tokens that are not used, up to so many. */
void bt_gguf_tokens_fill(struct bt_gguf_tokens *t, uint64_t rows);
/* Notes them and clears t. */
void bt_gguf_tokens_note(struct bt_gguf_tokens *t, struct bt_gguf_notes *n);

/* The note of the number that a special token has, by its text, or NULL. */
const char *bt_gguf_role(struct bt_span token);

#endif

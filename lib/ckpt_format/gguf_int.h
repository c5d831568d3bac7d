/* SPDX-License-Identifier: MIT */
/* Notes of a GGUF file that is written. */
#ifndef BT_CKPT_FORMAT_GGUF_INT_H
#define BT_CKPT_FORMAT_GGUF_INT_H

#include <stdint.h>

#include "base/buf.h"
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

/* What llama.cpp wants to know of the model in a directory, or beside a file:
 * by its config.json and its vocab.txt, as far as these are there. */
int bt_gguf_describe(const char *from, struct bt_gguf_notes *notes,
                     struct bt_error *err) BT_MUST_USE;

#endif

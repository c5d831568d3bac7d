/* SPDX-License-Identifier: MIT */
/*
 * safetensors: a u64 N, N bytes of JSON that say for each tensor its type, its
 * shape and its place, then the data. Files are read through
 * tensor/checkpoint.h; here is the writer. What it writes is, byte for byte,
 * what the Rust library writes from the same tensors: types in the order of
 * enum bt_dtype from the last to the first, equal types by name, blanks behind
 * the JSON until the data begin at a multiple of eight.
 */
#ifndef BT_CKPT_FORMAT_SAFETENSORS_H
#define BT_CKPT_FORMAT_SAFETENSORS_H

#include "io/out.h"
#include "tensor/checkpoint.h"

/* Longer headers are refused, as the Rust library does. */
#define BT_SAFETENSORS_HEADER_MAX 100000000

/*
 * What to write. Of a tensor, name, dtype, rank and shape count, and data,
 * unless it is NULL: then fill is called to write exactly the bytes of tensor i
 * to out. So nothing has to be in memory as a whole.
 */
struct bt_safetensors {
	const struct bt_tensor *tensors; /* in any order */
	size_t count;
	const struct bt_ckpt_note *notes; /* for models: {"format", "pt"} */
	size_t n_notes;
	int (*fill)(void *ctx, size_t i, struct bt_out *out,
	            struct bt_error *err);
	void *ctx;
	bool behind; /* bt_safetensors_save: as bt_out_behind */
};

/*
 * Appends a whole safetensors blob to out, which the caller commits or
 * abandons. BT_EFORMAT where the tensors cannot be written: two of the same
 * name, a name that is not UTF-8 or is "__metadata__", a shape that makes no
 * sense. BT_EARG: a fill that wrote too little or too much.
 */
int bt_safetensors_write(struct bt_out *out, const struct bt_safetensors *s,
                         struct bt_error *err) BT_MUST_USE;

/* Opens a blob in memory, which must outlive *c. */
int bt_safetensors_open(const char *name, const void *data, size_t size,
                        struct bt_ckpt **c, struct bt_error *err) BT_MUST_USE;

/* Writes a file, which appears complete or not at all. */
int bt_safetensors_save(const char *path, const struct bt_safetensors *s,
                        struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Tensors on their way into a file, whose bytes are made one tensor at a time,
 * so that nothing has to be in memory as a whole; and the formats that they can
 * be written in.
 */
#ifndef BT_CKPT_FORMAT_WRITER_H
#define BT_CKPT_FORMAT_WRITER_H

#include <jansson.h>

#include "io/out.h"
#include "tensor/checkpoint.h"

struct bt_tensor_source {
	/* of which name, dtype, rank, shape, count and bytes count */
	const struct bt_tensor *tensors;
	size_t count;

	/* The bytes of tensor i, borrowed until the next call. */
	int (*bytes)(void *ctx, size_t i, const void **data,
	             struct bt_error *err);
	/* NULL: by way of bytes. Writes them, made where out keeps what it
	 * will write, and sets *crc, unless that is NULL, to their CRC-32C.
	 * That a tensor is damaged may be told when it is written. */
	int (*put)(void *ctx, size_t i, struct bt_out *out, uint32_t *crc,
	           struct bt_error *err);
	void *ctx;
	bool behind; /* as bt_out_behind */
};

/* Tells out how much there is, and that it may be written behind. */
void bt_tensor_source_begin(const struct bt_tensor_source *s,
                            struct bt_out *out);

/* As s->put. */
int bt_tensor_source_put(const struct bt_tensor_source *s, size_t i,
                         struct bt_out *out, uint32_t *crc,
                         struct bt_error *err) BT_MUST_USE;

/* Writes the bytes of a tensor that is in memory, in the order of its shape. */
int bt_tensor_put(struct bt_out *out, const struct bt_tensor *t, size_t bytes,
                  struct bt_error *err) BT_MUST_USE;

/* An error where two tensors have the same name, or one has a name that our
 * readers refuse. */
int bt_tensor_source_check_names(const struct bt_tensor_source *s,
                                 struct bt_error *err) BT_MUST_USE;

/* Writes a file of head and the values of all tensors, each filled up with
 * zeros to a multiple of align, a power of two up to 64. */
int bt_tensor_source_save(const struct bt_tensor_source *s, const char *path,
                          const struct bt_buf *head, size_t align,
                          struct bt_error *err) BT_MUST_USE;

/*
 * Writers. Their files appear complete or not at all. BT_EFORMAT where a format
 * cannot hold a tensor, or two have the same name.
 */

int bt_safetensors_write_tensors(const struct bt_tensor_source *s,
                                 const char *path,
                                 const struct bt_ckpt_note *notes,
                                 size_t n_notes,
                                 struct bt_error *err) BT_MUST_USE;

/* Files "dir/model-0000I-of-0000N.safetensors" of at most so many bytes of
 * tensors each, unless one tensor alone has more, and their index. */
int bt_safetensors_write_shards(const struct bt_tensor_source *s,
                                const char *dir, size_t most,
                                const struct bt_ckpt_note *notes,
                                size_t n_notes,
                                struct bt_error *err) BT_MUST_USE;

/* NumPy's archive of arrays, not compressed. */
int bt_npz_write(const struct bt_tensor_source *s, const char *path,
                 struct bt_error *err) BT_MUST_USE;

/* HDF5; names that are paths are arrays in groups. Where they are layers, their
 * order is noted, which is that by which Keras loads them. */
int bt_keras_h5_write(const struct bt_tensor_source *s, const char *path,
                      bool layers, struct bt_error *err) BT_MUST_USE;

/* GGUF, with what llama.cpp wants to know of a model, which is read from the
 * directory that from is, or is in. q8: F32 tensors that are multiplied become
 * Q8_0, where their rows are whole blocks of it. */
int bt_gguf_write(const struct bt_tensor_source *s, const char *path,
                  const char *from, bool q8, struct bt_error *err) BT_MUST_USE;

/* Bytes that it makes of t. */
size_t bt_gguf_bytes(const struct bt_tensor *t, bool q8);

/* Whether llama.cpp only multiplies by a tensor; others must be F32 there. */
bool bt_gguf_multiplies(const char *name, int rank);

/* Of the table of positions that a configuration is of, how many rows are not
 * of texts' tokens, and are not in GGUF files. */
int bt_gguf_position_offset(const json_t *config, int64_t *offset,
                            struct bt_error *err) BT_MUST_USE;

/*
 * "prefix.index" and "prefix.data-00000-of-00001". Where there are names of
 * Model Garden (BT_NAMES_TF2), the graph of their objects and a save_counter
 * are written as well, so that Checkpoint.read and restore take it, as
 * "encoder" and as "model".
 */
int bt_tf_bundle_write(const struct bt_tensor_source *s, const char *prefix,
                       struct bt_error *err) BT_MUST_USE;

#endif

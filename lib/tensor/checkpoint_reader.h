/* SPDX-License-Identifier: MIT */
/*
 * What the readers of checkpoint formats share. A new format is a struct
 * bt_ckpt_reader in a file of its own and a row in the table in
 * ckpt/read_file.c.
 */
#ifndef BT_TENSOR_CHECKPOINT_READER_H
#define BT_TENSOR_CHECKPOINT_READER_H

#include "tensor/checkpoint.h"

struct bt_ckpt_file {
	char *path;
	const uint8_t *data;
	size_t size;
	bool mapped;
	int fd; /* open as well, or -1 */
};

struct bt_ckpt_block; /* memory for names and shapes */

/* Bytes of a file that it has a CRC-32 of. */
struct bt_ckpt_sum {
	const struct bt_ckpt_file *f;
	const char *name; /* not ended by a NUL */
	size_t n_name;
	const uint8_t *data;
	size_t size;
	uint32_t crc;
};

#define BT_CKPT_NOTES_MAX 4096 /* of a file that may have any number */

struct bt_ckpt {
	char *path;
	const char *format;
	struct bt_ckpt_file **files;
	size_t n_files, cap_files;
	struct bt_tensor *tensors;
	size_t n, cap;
	struct bt_ckpt_note *notes;
	size_t n_notes, cap_notes;
	size_t left_out; /* notes that stand for what is no tensor of numbers */
	size_t first_left_out; /* the first of these */
	struct bt_ckpt_block *blocks;
	struct bt_ckpt_sum *sums;
	size_t n_sums, cap_sums;
	size_t claimed;  /* bytes of tensors that may share those of the file */
	size_t unpacked; /* bytes that were compressed in the file */
	const uint8_t
	    *graph; /* of a TensorFlow checkpoint's objects, or NULL */
	size_t graph_size;
};

/* How the elements of a tensor stand that are not in the order of its shape. */
struct bt_tensor_from {
	const uint8_t *data;   /* the first element, or block */
	const int64_t *stride; /* steps of each dimension, in elements; NULL:
	                        * blocks of Q8_0 */
};

struct bt_ckpt_reader {
	const char *format;

	/* True when the bytes can only be meant to be of this format, sound or
	 * not. */
	bool (*knows)(const uint8_t *data, size_t size);

	/* Adds the tensors and notes of f to c. Errors start with the name of
	 * the file. */
	int (*read)(struct bt_ckpt *c, const struct bt_ckpt_file *f,
	            struct bt_error *err);
};

/* An empty checkpoint, to be filled and then finished by bt_ckpt_opened. */
struct bt_ckpt *bt_ckpt_new(const char *path) BT_MUST_USE;

/* Where r is BT_OK, the tensors of c are sorted and *res is set to c; else c is
 * closed. Returns r. */
int bt_ckpt_opened(struct bt_ckpt *c, int r, struct bt_ckpt **res,
                   struct bt_error *err) BT_MUST_USE;

/* Memory that lives as long as c, aligned for an int64_t; NULL as for
 * bt_array, so a short name or a shape needs no check. */
void *bt_ckpt_keep(struct bt_ckpt *c, size_t n) BT_MUST_USE;
const char *bt_ckpt_keep_str(struct bt_ckpt *c, const char *s) BT_MUST_USE;

/* Appends an empty tensor; NULL when out of memory. */
struct bt_tensor *bt_ckpt_add(struct bt_ckpt *c) BT_MUST_USE;

/* Copies key and value. Returns 0 or BT_ENOMEM. */
int bt_ckpt_add_note(struct bt_ckpt *c, const char *key,
                     const char *value) BT_MUST_USE;

/* Such a note, unless there are BT_CKPT_NOTES_MAX, of what the file holds
 * beside tensors of numbers: its name, and what it is instead. */
int bt_ckpt_leave_out(struct bt_ckpt *c, const char *name,
                      const char *what) BT_MUST_USE;

/* name and data, bytes of f, are borrowed. Returns 0 or BT_ENOMEM. */
int bt_ckpt_add_sum(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                    const char *name, size_t n_name, const uint8_t *data,
                    size_t size, uint32_t crc) BT_MUST_USE;

/* BT_ECORRUPT where a tensor's name is not UTF-8 or holds a NUL, BT_ELIMIT
 * where it is too long. */
int bt_tensor_check_name(const char *name, size_t n,
                         struct bt_error *err) BT_MUST_USE;

/*
 * Appends a tensor of that name, which is copied, to be filled and then placed:
 * BT_ECORRUPT where a name is not UTF-8 or holds a NUL, BT_ELIMIT where it is
 * too long.
 */
int bt_ckpt_add_named(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      const char *name, size_t n, struct bt_tensor **t,
                      struct bt_error *err) BT_MUST_USE;

/*
 * Tells where the elements of t are, whose dtype, rank and shape are set: from
 * element offset of a storage of size bytes of f, with strides in elements, or
 * in the order of the shape where stride is NULL. stride is borrowed for as
 * long as c lives. Storages may be shared, but not beyond reason: what all
 * tensors claim is bounded by the size of the file.
 */
int bt_ckpt_place(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                  struct bt_tensor *t, const uint8_t *storage, size_t size,
                  uint64_t offset, const int64_t *stride,
                  struct bt_error *err) BT_MUST_USE;

/* The same for n bytes of Q8_0, read as F32. */
int bt_ckpt_place_q8(struct bt_ckpt *c, struct bt_tensor *t,
                     const uint8_t *data, size_t n,
                     struct bt_error *err) BT_MUST_USE;

/* No two of the tensors from first on have one name. */
int bt_ckpt_check_names(const struct bt_ckpt *c, size_t first,
                        struct bt_error *err) BT_MUST_USE;

/* Elements of a tensor without data, by its from; the range was checked. */
void bt_tensor_gather(const struct bt_tensor *t, size_t first, size_t n,
                      void *out);

#endif

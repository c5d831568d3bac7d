/* SPDX-License-Identifier: MIT */
/*
 * A named array of numbers as it stands in a checkpoint: what it is and where
 * its bytes are. Row major, little endian.
 *
 * Some formats keep elements in another order (a transposed view of PyTorch, an
 * array of Fortran) or packed (Q8_0 of GGUF). Such a tensor has no data: its
 * type, shape and bytes are those it has once it is read, which the functions
 * here do for every tensor alike.
 */
#ifndef BT_TENSOR_TENSOR_H
#define BT_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Types of elements, under the names that safetensors gives them and in the
 * order that its Rust writer sorts by, so the values say what stands first. */
enum bt_dtype {
	BT_DTYPE_BOOL,
	BT_DTYPE_F4, /* two to a byte */
	BT_DTYPE_F6_E2M3,
	BT_DTYPE_F6_E3M2,
	BT_DTYPE_U8,
	BT_DTYPE_I8,
	BT_DTYPE_F8_E5M2,
	BT_DTYPE_F8_E4M3,
	BT_DTYPE_F8_E8M0,
	BT_DTYPE_F8_E4M3FNUZ,
	BT_DTYPE_F8_E5M2FNUZ,
	BT_DTYPE_I16,
	BT_DTYPE_U16,
	BT_DTYPE_F16,
	BT_DTYPE_BF16,
	BT_DTYPE_I32,
	BT_DTYPE_U32,
	BT_DTYPE_F32,
	BT_DTYPE_C64,
	BT_DTYPE_F64,
	BT_DTYPE_I64,
	BT_DTYPE_U64,
	BT_DTYPES /* how many there are */
};

const char *bt_dtype_name(enum bt_dtype dtype); /* "F32" */
unsigned bt_dtype_bits(enum bt_dtype dtype);    /* 4, 6, 8, 16, 32 or 64 */

/* True when bt_tensor_to_f32 can read it: all but F4, F6 and C64. */
bool bt_dtype_is_real(enum bt_dtype dtype);

/* Returns 0, or BT_EARG for a name that is not in the list. */
int bt_dtype_parse(const char *name, enum bt_dtype *dtype) BT_MUST_USE;

/* What NumPy calls it, "<f4"; NULL for what it lacks, as BF16. */
const char *bt_dtype_numpy(enum bt_dtype dtype);

#define BT_TENSOR_MAX_RANK 64

struct bt_tensor_from;

struct bt_tensor {
	const char *name; /* UTF-8 */
	enum bt_dtype dtype;
	int rank;             /* 0: one number */
	const int64_t *shape; /* rank dimensions, none negative */
	size_t count;         /* elements */
	size_t bytes;
	const void *data; /* not aligned to anything; NULL where from is not,
	                   * and both where the file is missing */
	const struct bt_tensor_from *from; /* not NULL: the file holds the
	                                    * elements in another order, or
	                                    * packed: bt_tensor_read */
	const char *file;                  /* path of the file that holds it */
	bool has_crc; /* the file has a checksum of the data */
	uint32_t crc; /* CRC-32C, masked */
};

/* BT_EIO where the file with the data is missing. */
int bt_tensor_there(const struct bt_tensor *t,
                    struct bt_error *err) BT_MUST_USE;

/* The same, and BT_ECORRUPT where the data do not match their checksum. */
int bt_tensor_verify(const struct bt_tensor *t,
                     struct bt_error *err) BT_MUST_USE;

/* The latter of a tensor with a checksum, whose data's CRC-32C is known. */
int bt_tensor_sum(const struct bt_tensor *t, uint32_t crc,
                  struct bt_error *err) BT_MUST_USE;

/*
 * Elements and bytes of a tensor. A negative dimension, a rank over
 * BT_TENSOR_MAX_RANK, a product that overflows (taken from the left, as the
 * Rust reader does, even where a later dimension is 0) or a last byte that is
 * not full is BT_ECORRUPT.
 */
int bt_tensor_size(enum bt_dtype dtype, int rank, const int64_t *shape,
                   size_t *count, size_t *bytes,
                   struct bt_error *err) BT_MUST_USE;

/*
 * Copies elements first .. first+n-1 as they are, in the order of the shape.
 * Elements out of the tensor, or that begin or end inside a byte, are BT_EARG.
 * Thread-safe.
 */
int bt_tensor_read(const struct bt_tensor *t, size_t first, size_t n, void *out,
                   struct bt_error *err) BT_MUST_USE;

/* How the file holds t where it is not in its own type, "Q8_0", or NULL. */
const char *bt_tensor_packed(const struct bt_tensor *t);

/*
 * Elements first .. first+n-1 as numbers, rounded to nearest where the type is
 * finer. BOOL gives 0 and 1. Elements out of the tensor are BT_EARG, a type
 * without real numbers is BT_EFORMAT. Thread-safe.
 */
int bt_tensor_to_f32(const struct bt_tensor *t, size_t first, size_t n,
                     float *out, struct bt_error *err) BT_MUST_USE;
int bt_tensor_to_f64(const struct bt_tensor *t, size_t first, size_t n,
                     double *out, struct bt_error *err) BT_MUST_USE;

#endif

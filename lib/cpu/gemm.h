/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of linear layers, behind one small interface. A provider
 * ("native": kernels of our own, "onednn", "openblas", "ref": plain C)
 * multiplies in f32 or, `bf16`, takes bf16 and accumulates in f32, if need be
 * of widened operands; "int8", always `bf16`, quantises both sides and only
 * goes forward. A layer's weight W [n, k] is packed into the provider's own
 * layout after each update.
 *
 * A product is cut by the caller into row ranges and by the weight into chunks
 * of output columns; each call does one such block in the calling thread. How
 * it is cut depends on shapes only, so results do not depend on threads.
 *
 * Rows: a provider may work on whole groups of rows. Buffers must have room for
 * bt_gemm_room(rows) rows; what stands in rows beyond the real ones is read and
 * overwritten. A row range must begin at a multiple of 32 and, unless it is the
 * last, be a multiple of 32 long.
 */
#ifndef BT_CPU_GEMM_H
#define BT_CPU_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_GEMM_GROUP 32

struct bt_gemm;
struct bt_gemm_weight;

enum bt_gemm_pass {
	BT_GEMM_FORWARD, /* Y [rows, n] = X [rows, k] W' + bias */
	BT_GEMM_BACKWARD /* dX [rows, k] = dY [rows, n] W */
};

/* Rows that a buffer for so many rows must have room for. */
size_t bt_gemm_room(size_t rows);

/* name: "native", "onednn", "openblas", "int8", "ref", or NULL for the best
 * there is that is exact but for rounding to its type. BT_EARG if it is
 * unknown, not there or cannot do this type. worker arguments below are 0 ..
 * workers-1. */
int bt_gemm_new(const char *name, bool bf16, int workers, struct bt_gemm **g,
                struct bt_error *err) BT_MUST_USE;
void bt_gemm_free(struct bt_gemm *g);
const char *bt_gemm_name(const struct bt_gemm *g);

/* What a user should know of the choice, a line; NULL: nothing. */
const char *bt_gemm_warning(const struct bt_gemm *g);

/* True if that provider, or for NULL one that may be chosen, multiplies bf16
 * faster than f32 on a processor made for it. */
bool bt_gemm_fast_bf16(const char *name);

/* A weight of n x k; backward: also for BT_GEMM_BACKWARD, and BT_EARG where
 * that cannot be. */
int bt_gemm_weight_new(struct bt_gemm *g, int n, int k, bool backward,
                       struct bt_gemm_weight **w,
                       struct bt_error *err) BT_MUST_USE;
void bt_gemm_weight_free(struct bt_gemm_weight *w);

/* Bytes that its packed forms take, and about how many those of a weight to
 * be made would. */
size_t bt_gemm_weight_bytes(const struct bt_gemm_weight *w);
size_t bt_gemm_weight_estimate(const struct bt_gemm *g, int n, int k,
                               bool backward);

/* About how many bytes the provider comes to hold beside weights. */
size_t bt_gemm_own_estimate(const struct bt_gemm *g);

/* Into how many chunks the output columns of a pass are cut, and chunk c. */
int bt_gemm_chunks(const struct bt_gemm_weight *w, enum bt_gemm_pass pass);
void bt_gemm_chunk(const struct bt_gemm_weight *w, enum bt_gemm_pass pass,
                   int c, int *first, int *count);

/* Packs chunk c of a pass from src [n, k] f32, which must stay where it is, and
 * unchanged while products run: a provider may read it again. */
int bt_gemm_pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                 const float *src, int worker) BT_MUST_USE;

/* What a block of a product reads and writes. */
struct bt_gemm_block {
	size_t rows;
	const void *x;     /* [rows, k] forward, [rows, n] backward */
	void *y;           /* first row of the whole output; the chunk's
	                    * columns are written */
	bool y_bf16;       /* bf16 output (only with a `bf16` provider) */
	bool add;          /* y += (f32 output only) */
	const float *bias; /* [n], forward; or NULL */
};

int bt_gemm_run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const struct bt_gemm_block *b, int worker) BT_MUST_USE;

/* dW[n0 .. n1-1, :] = dY' X, or +=: rows n0 .. n1-1 of the gradient of a weight
 * [n, k], from dy [rows, n] and x [rows, k]. Rows of both beyond the real ones,
 * to bt_gemm_room(rows), must be zeros. */
struct bt_gemm_gradient {
	int n, k, n0, n1;
	size_t rows;
	const void *dy, *x;
	float *dw; /* row 0 */
	bool add;
};

int bt_gemm_gradient(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                     int worker) BT_MUST_USE;

/* How many rows of a gradient a block should take. */
int bt_gemm_gradient_step(const struct bt_gemm *g, int n, int k);

#endif

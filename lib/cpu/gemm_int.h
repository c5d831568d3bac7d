/* SPDX-License-Identifier: MIT */
/* A provider of products: what bt_gemm_* call. */
#ifndef BT_CPU_GEMM_INT_H
#define BT_CPU_GEMM_INT_H

#include "cpu/gemm.h"

#define BT_GEMM_CHUNKS_MAX 64

/* Of a library, the code it makes and the pages of its own that it touches in
 * its first products: 4 to 8 MB of oneDNN's. */
#define BT_GEMM_LIBRARY_BYTES ((size_t)5 << 20)

struct bt_gemm {
	const struct bt_gemm_ops *ops;
	bool bf16;
	int workers;
	void *state;         /* the provider's */
	struct bt_gemm *f32; /* of bt_gemm_widened: the provider behind it */
};

struct bt_gemm_weight {
	struct bt_gemm *gemm;
	int size[2]; /* n, k */
	bool backward;
	int chunks[2]; /* by pass */
	void *packed[2][BT_GEMM_CHUNKS_MAX];
	size_t bytes;
};

/* C [m, n] = A [m, k] B [k, n], or +=: row by row, or transposed, with
 * distances between the rows as they are stored. */
struct bt_sgemm {
	bool transposed_a, transposed_b;
	int m, n, k;
	const float *a, *b;
	int lda, ldb;
	float *c;
	int ldc;
	bool add;
};

struct bt_gemm_ops {
	const char *name;
	/* whether its `bf16` products are faster than f32 ones can be where the
	 * processor has a bf16 dot product; NULL: no */
	bool (*fast_bf16)(void);
	size_t own_bytes, worker_bytes; /* that it comes to hold beside weights,
	                                 * and for each worker; about */
	int (*open)(struct bt_gemm *g, struct bt_error *err);
	void (*close)(struct bt_gemm *g);
	const char *(*warning)(const struct bt_gemm *g); /* or NULL */
	int chunk_columns; /* the width of chunks aimed at */
	int gradient_rows; /* of W, in one block of its gradient */
	int depth_max;     /* the longest sum; 0: any */

	/* makes w->packed[pass][c] and adds to w->bytes */
	int (*chunk_new)(struct bt_gemm_weight *w, enum bt_gemm_pass pass,
	                 int c);
	void (*chunk_free)(struct bt_gemm_weight *w, enum bt_gemm_pass pass,
	                   int c);
	int (*pack)(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
	            const float *src, int worker);
	int (*run)(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
	           const struct bt_gemm_block *b, int worker);
	/* NULL: it goes forward only */
	int (*gradient)(struct bt_gemm *g, const struct bt_gemm_gradient *a,
	                int worker);
	/* A B' or A' B of any f32 matrices in the calling thread, by which
	 * bt_gemm_widened multiplies bf16; NULL: none. */
	int (*sgemm)(struct bt_gemm *g, const struct bt_sgemm *p, int worker);
};

extern const struct bt_gemm_ops bt_gemm_ref;
extern const struct bt_gemm_ops bt_gemm_native;
extern const struct bt_gemm_ops bt_gemm_dnnl;
extern const struct bt_gemm_ops bt_gemm_blas;
extern const struct bt_gemm_ops bt_gemm_int8;
/* bf16 where no library multiplies it: widened, then multiplied as f32. */
extern const struct bt_gemm_ops bt_gemm_widened;

/* For ops->gradient of f32: one product by ops->sgemm. */
int bt_gemm_gradient_f32(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                         int worker);

/* Y = X W' + bias, or +=, of bf16 by AMX tiles; w: what bt_kernels.pack has
 * packed in blocks of 16 columns whose rows of blocks are one behind the other,
 * with zeros behind the last of an odd number of blocks of columns; rows of Y
 * are ld apart. */
struct bt_pack;
void bt_gemm_tiles(const struct bt_gemm_block *b, const struct bt_pack *w,
                   size_t ld);

/* And a gradient, as ops->gradient, with so many bytes of scratch that are
 * aligned to
 * 64. The sums of an element are taken in the order of the rows, however the
 * gradient is cut. */
size_t bt_gemm_tiles_scratch(const struct bt_gemm_gradient *a);
void bt_gemm_gradient_tiles(const struct bt_gemm_gradient *a, void *scratch);

/* The bias into n columns of the rows, or added to them. */
void bt_gemm_put_bias(float *y, size_t rows, size_t n, size_t ld,
                      const float *bias, bool add);

/* Columns of the output of a pass, and the length of its sums. */
static inline int bt_gemm_out(const struct bt_gemm_weight *w,
                              enum bt_gemm_pass pass)
{
	return w->size[pass == BT_GEMM_FORWARD ? 0 : 1];
}

static inline int bt_gemm_depth(const struct bt_gemm_weight *w,
                                enum bt_gemm_pass pass)
{
	return w->size[pass == BT_GEMM_FORWARD ? 1 : 0];
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the operators: one table of functions for each instruction
 * set. Every kernel works on a range of rows in one thread; how the work is cut
 * is the engine's affair. The plain C table is the definition: the others must
 * agree with it (tests/unit/cpu/kernels.c says how closely), and give the same
 * dropout masks bit for bit.
 *
 * Values are f32 or, where a pointer is `const void *` beside a `bool bf16`,
 * bf16 if that is true; a bf16 result below the smallest normal number may be
 * zero. Sums, norms, exponentials are f32 throughout. Pointers need no
 * alignment beyond their element's.
 */
#ifndef BT_CPU_KERNELS_H
#define BT_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/half.h"
#include "base/sys.h"
#include "op/graph.h"

/*
 * Inverted dropout. Element (row, col) is dropped where its 16 random bits are
 * below threshold. Bits: Philox with key `seed` and counter (16 * (col / 128) +
 * col % 16, row, step, stream) gives four words; group g = col % 128 / 16 takes
 * the low half of word g / 2 if g is even, else the high half.
 */
struct bt_dropout {
	uint32_t threshold; /* 65536 * probability; 0: nothing is dropped */
	float scale;        /* 65536 / (65536 - threshold) */
	uint64_t seed;
	uint32_t step;
	uint32_t stream; /* a number of the operator */
	uint32_t row0;   /* number of row 0 in the whole update */
};

/* probability in [0, 1); 0 switches off. */
struct bt_dropout bt_dropout_make(float probability, uint64_t seed,
                                  uint32_t step, uint32_t stream,
                                  uint32_t row0);

/* Layer norm of z = residual + drop(x), or of z itself where x is NULL. */
struct bt_norm {
	size_t cols;
	const float *residual; /* [rows, cols] */
	const void *x;         /* [rows, cols] or NULL */
	bool x_bf16;
	const float *gamma, *beta;
	float eps;
	bool rms;                   /* the mean is taken for 0 */
	struct bt_dropout drop;     /* of x */
	struct bt_dropout drop_out; /* of the result (embeddings) */
	float *z;         /* [rows, cols]: saved for the backward pass */
	float *stats;     /* [rows, 2]: mean and 1/sqrt(var + eps), saved */
	float *y;         /* [rows, cols] or NULL */
	uint16_t *y_bf16; /* [rows, cols] bf16, or NULL */

	/* backward */
	const float *dy;  /* [rows, cols] */
	float *dresidual; /* [rows, cols]: dz is stored, or added */
	bool add_residual;
	void *dx; /* [rows, cols] drop'(dz), or NULL */
	bool dx_bf16;
};

/* y = residual + drop(x), a row after the other. */
struct bt_sum {
	size_t cols;
	const float *residual; /* [rows, cols] */
	const void *x;         /* [rows, cols] */
	bool x_bf16;
	struct bt_dropout drop; /* of x */
	float *y;               /* [rows, cols] or NULL */
	uint16_t *y_bf16;       /* [rows, cols] bf16, or NULL */

	/* backward */
	const float *dy;  /* [rows, cols] */
	float *dresidual; /* [rows, cols]: dy is stored, or added */
	bool add_residual;
	void *dx; /* [rows, cols] drop'(dy) */
	bool dx_bf16;
};

/* y = act(one half of x) * the other one. */
struct bt_glu {
	enum bt_activation act;
	size_t cols;        /* of y */
	size_t gate, other; /* where a row's halves begin: 0 or cols */
	const void *x;      /* [rows, 2 cols] */
	bool x_bf16;
	float *y;         /* [rows, cols] or NULL */
	uint16_t *y_bf16; /* [rows, cols] bf16, or NULL */

	/* backward */
	const void *dy; /* [rows, cols] */
	bool dy_bf16;
	void *dx; /* [rows, 2 cols] */
	bool dx_bf16;
};

struct bt_embed {
	size_t cols;
	const float *word, *position, *type; /* tables; type may be NULL */
	const int32_t *ids;                  /* [tokens] */
	const int32_t *positions;            /* [tokens] */
	const uint8_t *types;                /* [tokens] */
};

/* One head of one sequence: q rows of queries against n keys. */
struct bt_attend {
	size_t q_rows, n, d;
	const void *q, *k, *v; /* first element of the head's columns */
	size_t q_ld, kv_ld;    /* elements from row to row */
	bool bf16;             /* type of q, k, v, o and their gradients */
	float scale;           /* 1/sqrt(d) */
	const float *bias;     /* NULL, or bias[j - i] is added to the score of
	                        * query i and key j: 1-q_rows .. n-1 */
	const float *rotary;   /* NULL, or for token i at rotary[i * d] d/2
	                        * cosines and d/2 sines that its query and key
	                        * are rotated by */
	bool neighbours;       /* columns 2c and 2c + 1, not c and c + d/2 */
	/* relative positions' keys and queries, of the head's columns, or NULL;
	 * query i and key j take row rel_row[i - j] - rel_row0, which never
	 * falls as i - j rises */
	const void *rel_k, *rel_q;
	size_t rel_ld;
	const int32_t *rel_row;
	int32_t rel_row0;       /* row 0 of rel_k and rel_q */
	size_t window;          /* 0, or keys that far from i are seen by it */
	struct bt_dropout drop; /* of the probabilities, as one row */
	void *o;                /* [q_rows, d] with o_ld; the backward pass
	                         * reads it */
	size_t o_ld;
	float *lse; /* log of the sum of exponentials of row i
	             * at lse[i * lse_ld]; saved, unless NULL */
	size_t lse_ld;
	float *scratch; /* bt_attend_scratch floats */

	/* backward */
	const void *dout;   /* as o */
	void *dq, *dk, *dv; /* as q, k, v */
	/* heads that share keys and values run one after the other with the
	 * same scratch: dk and dv go on from the one before; they are left
	 * for the next one */
	bool resumes, continues;
	float *dbias; /* as bias; added to */
	/* of rows that are d rounded up to 16 apart, for a scale of 1; added
	 * to */
	float *drel_k, *drel_q;
};

/* Floats of scratch that a head of such a size needs, with relative positions
 * or without.
 */
size_t bt_attend_scratch(size_t q_rows, size_t n, size_t d, bool relative_bias);

/*
 * Constants of one step of Adam and its kin; differences from 1 are taken in
 * double before they are rounded. A step takes x, the gradient times grad_scale
 * and then held within +-limit, and does
 *   m = beta1 m + fresh1 x;  v = beta2 v + fresh2 x^2
 *   p = p keep - rate m / (sqrt(v) correct2 + eps)
 */
struct bt_adamw {
	float beta1, beta2;   /* decay of the moments */
	float fresh1, fresh2; /* 1 - beta */
	float rate;           /* of learning; with its correction of m */
	float correct2;       /* of sqrt(v), which began at 0 */
	float eps;
	float keep;       /* 1 - learning rate * weight decay */
	float decay;      /* weight decay; of lamb only */
	float grad_scale; /* makes gradients no longer than wanted */
	float limit;      /* of an element of them; INFINITY: any */
};

/* The gradient of a table of which a batch has few rows: that of row ids[k] is
 * values[k], those of all other rows are zero. */
struct bt_row_grads {
	const int32_t *ids;  /* [n] each once, in any order */
	const float *values; /* [n][columns of the table] */
	size_t n;
};

/* Of one step of descent with momentum: x as above, plus decay p, then
 *   m = momentum m + x;  p = p - rate m */
struct bt_sgd {
	float momentum, rate, decay;
	float grad_scale, limit;
};

/*
 * A matrix [k, n] laid out in blocks, as the second operand of a product. A
 * block has n_block columns and 16 rows, in f32 row by row; or 32 rows, in bf16
 * by pairs of rows: (0,0) (1,0) (0,1) (1,1) ..., then rows 2 and 3. What a
 * block has beyond the matrix is filled with zeros.
 */
struct bt_pack {
	const float *src;
	size_t k, n;
	size_t k_step, n_step; /* floats from row to row, column to column; one
	                        * of them is 1 */
	bool bf16;
	void *dst;
	size_t n_block;
	size_t k_stride, n_stride; /* elements from block to block */
};

/* C [m, n] = A B + bias, or +=. An element is the same bits whatever the other
 * rows and columns are: its products are added in the order of k. */
struct bt_multiply {
	size_t m, n, k;
	const float *a;
	size_t a_row; /* floats from row to row */
	const float *b;
	size_t b_row;
	float *c;
	size_t c_row;
	bool add;
	const float *bias; /* [n] or NULL */
	float *scratch;
};

/* Of sums, at a time. */
#define BT_PRODUCT_DEPTH ((size_t)384)
/* What fits into the scratch of product_at: tiles and panels. */
#define BT_PRODUCT_ROWS ((size_t)384)
#define BT_PRODUCT_COLUMNS ((size_t)192)
#define BT_PRODUCT_SCRATCH                                                     \
	((BT_PRODUCT_ROWS + BT_PRODUCT_COLUMNS) * BT_PRODUCT_DEPTH)

struct bt_kernels {
	enum bt_isa isa;

	void (*to_bf16)(const float *x, uint16_t *y, size_t n);
	void (*from_bf16)(const uint16_t *x, float *y, size_t n);

	/* m[0..n-1] = 0 or scale for the elements of one row */
	void (*dropout)(const struct bt_dropout *d, uint32_t row, size_t n,
	                float *m);

	/* z = sum of three table rows, for tokens t0 .. t1-1 */
	void (*embed)(const struct bt_embed *a, float *z, size_t t0, size_t t1);

	/* scratch: 2 * cols floats, rounded up to 128, for both */
	void (*norm)(const struct bt_norm *a, size_t row0, size_t row1,
	             float *scratch);
	/* dgamma[cols], dbeta[cols] are added to */
	void (*norm_back)(const struct bt_norm *a, size_t row0, size_t row1,
	                  float *dgamma, float *dbeta, float *scratch);

	/* scratch: cols floats, rounded up to 128, for both */
	void (*add)(const struct bt_sum *a, size_t row0, size_t row1,
	            float *scratch);
	void (*add_back)(const struct bt_sum *a, size_t row0, size_t row1,
	                 float *scratch);

	/* scratch: 2 * cols floats, for both */
	void (*glu)(const struct bt_glu *a, size_t row0, size_t row1,
	            float *scratch);
	void (*glu_back)(const struct bt_glu *a, size_t row0, size_t row1,
	                 float *scratch);

	/* y = act(x), and dx = dy * act'(x) from the same x; rows of cols
	 * elements, ld apart in all of them */
	void (*act)(enum bt_activation act, bool bf16, const void *x, void *y,
	            size_t rows, size_t cols, size_t ld);
	void (*act_back)(enum bt_activation act, bool bf16, const void *x,
	                 const void *dy, void *dx, size_t rows, size_t cols,
	                 size_t ld);

	/* sum[0..cols-1] += column sums of x, rows ld apart */
	void (*column_sums)(bool bf16, const void *x, size_t rows, size_t cols,
	                    size_t ld, float *sum);

	void (*attend)(const struct bt_attend *a);
	void (*attend_back)(const struct bt_attend *a);

	void (*pack)(const struct bt_pack *a);

	/* A [m, k] and B [k, n], laid out by bt_product_layout in blocks of
	 * `panel` columns, a multiple of 16 */
	size_t panel;
	void (*product)(const struct bt_multiply *p);
	/* A' B of A [k, m] and B [k, n], without a bias; scratch:
	 * BT_PRODUCT_SCRATCH floats */
	void (*product_at)(const struct bt_multiply *p);

	/* y += a x */
	void (*axpy)(float a, const float *x, float *y, size_t n);

	/* sum of squares, with a fixed order for a given n */
	double (*sum_squares)(const float *x, size_t n);

	/* One update of p, m, v from the gradient g. */
	void (*adamw)(const struct bt_adamw *a, float *p, float *m, float *v,
	              const float *g, size_t n);
	/* The same with gradients of zero, once for each of a[steps]. m, v:
	 * NULL where they are zeros and stay so. */
	void (*adamw_idle)(const struct bt_adamw *a, size_t steps, float *p,
	                   float *m, float *v, size_t n);

	/* The first half of a step of LAMB: m and v as in adamw. With u = rate
	 * m / (sqrt(v) correct2 + eps) + decay p, what p and u add to their
	 * squared norms is added to norms[0] and norms[1]. */
	void (*lamb)(const struct bt_adamw *a, const float *p, float *m,
	             float *v, const float *g, size_t n, double norms[2]);
	/* The second half: p as in adamw. */
	void (*lamb_apply)(const struct bt_adamw *a, float *p, const float *m,
	                   const float *v, size_t n);

	void (*sgd)(const struct bt_sgd *a, float *p, float *m, const float *g,
	            size_t n);
};

/* How B [k, n] is laid out for `product`: all but the source and where to.
 * Takes bt_product_floats. */
struct bt_pack bt_product_layout(const struct bt_kernels *kernels, size_t k,
                                 size_t n);
size_t bt_product_floats(const struct bt_pack *layout);

/* The table of an instruction set: the best one not above isa that is built. */
const struct bt_kernels *bt_kernels_for(enum bt_isa isa);

#endif

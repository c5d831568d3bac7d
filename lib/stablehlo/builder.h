/* SPDX-License-Identifier: MIT */
/*
 * Writes the body of a StableHLO function, value by value. Every value has a
 * type and dimensions, which are worked out here from those of its operands and
 * checked: what does not fit is an error, and no text. After a failure all
 * functions return BT_HLO_NONE, so that a program is written in a row and
 * checked once, by bt_hlo_failed.
 *
 * The text is MLIR's generic form, whose spelling has not changed in years.
 * Values are numbered as they are made: of the arguments of a call one makes
 * values at most, since compilers do not agree which comes first.
 */
#ifndef BT_STABLEHLO_BUILDER_H
#define BT_STABLEHLO_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define BT_HLO_NONE (-1)
#define BT_HLO_RANK 5

enum bt_hlo_type {
	BT_HLO_F32,
	BT_HLO_BF16,
	BT_HLO_I32,
	BT_HLO_U32,
	BT_HLO_U64,
	BT_HLO_BOOL,
	BT_HLO_TYPES
};

struct bt_hlo_shape {
	enum bt_hlo_type type;
	int rank;
	int64_t dim[BT_HLO_RANK];
};

struct bt_hlo_value {
	struct bt_hlo_shape shape;
	int argument; /* number, or -1: made by an operation */
};

struct bt_hlo {
	struct bt_buf body;
	struct bt_hlo_value *values;
	size_t cap;
	int n, n_arguments;
	bool failed;
	struct bt_error *err; /* the first failure, or NULL */
};

void bt_hlo_init(struct bt_hlo *b, struct bt_error *err);
void bt_hlo_clear(struct bt_hlo *b);

/* 0, or the first error. */
int bt_hlo_failed(const struct bt_hlo *b) BT_MUST_USE;

/* Reports what a device cannot do, or a defect of the caller. Returns
 * BT_HLO_NONE. */
int bt_hlo_fail(struct bt_hlo *b, int code, const char *fmt, ...)
    BT_PRINTF(3, 4);

const char *bt_hlo_type_name(enum bt_hlo_type type); /* "f32" */
void bt_hlo_put_shape(struct bt_buf *out, const struct bt_hlo_shape *s);
void bt_hlo_put_value(struct bt_buf *out, const struct bt_hlo *b, int x);
bool bt_hlo_same_shape(const struct bt_hlo_shape *a,
                       const struct bt_hlo_shape *b);

/* The shape of a value; of type f32 and rank 0 after a failure. */
struct bt_hlo_shape bt_hlo_shape_of(const struct bt_hlo *b, int x);
int64_t bt_hlo_dim(const struct bt_hlo *b, int x, int dim);

static inline struct bt_hlo_shape bt_hlo_vector(enum bt_hlo_type type,
                                                int64_t n)
{
	return (struct bt_hlo_shape){type, 1, {n}};
}

static inline struct bt_hlo_shape bt_hlo_matrix(enum bt_hlo_type type,
                                                int64_t rows, int64_t cols)
{
	return (struct bt_hlo_shape){type, 2, {rows, cols}};
}

/* The next argument of the function. */
int bt_hlo_argument(struct bt_hlo *b, const struct bt_hlo_shape *s);

/* Constants: one number everywhere, of any type; numbers; 0, 1, ... along a
 * dimension. */
int bt_hlo_splat(struct bt_hlo *b, struct bt_hlo_shape s, double v);
int bt_hlo_ints(struct bt_hlo *b, const int32_t *v, int64_t n);
int bt_hlo_floats(struct bt_hlo *b, const float *v, int64_t n);
int bt_hlo_iota(struct bt_hlo *b, struct bt_hlo_shape s, int dim);

/* Element by element, by the operation's name: "exponential", "add". */
int bt_hlo_unary(struct bt_hlo *b, const char *op, int x);
/* x, which compilers would else compute again for each use, and what it is
 * computed from likewise. */
int bt_hlo_once(struct bt_hlo *b, int x);
int bt_hlo_binary(struct bt_hlo *b, const char *op, int x, int y);

/* op of x and the same number everywhere. */
int bt_hlo_with(struct bt_hlo *b, const char *op, int x, double v);
int bt_hlo_convert(struct bt_hlo *b, int x, enum bt_hlo_type type);

/* direction: EQ, NE, LT, LE, GT, GE -> bool */
int bt_hlo_compare(struct bt_hlo *b, const char *direction, int x, int y);
int bt_hlo_compare_with(struct bt_hlo *b, const char *direction, int x,
                        double v);
int bt_hlo_select(struct bt_hlo *b, int where, int x, int y);

/* x's dimension i becomes dimension map[i]; the others repeat it. The type is
 * x's. */
int bt_hlo_broadcast(struct bt_hlo *b, int x, struct bt_hlo_shape to,
                     const int *map);
/* A vector along dimension dim of what `like` has. */
int bt_hlo_along(struct bt_hlo *b, int x, int like, int dim);
int bt_hlo_reshape(struct bt_hlo *b, int x, int rank, const int64_t *dim);
int bt_hlo_transpose(struct bt_hlo *b, int x, const int *permutation);

/* from .. to - 1 of a dimension; zeros before and behind it; pieces one behind
 * the other along it. */
int bt_hlo_slice(struct bt_hlo *b, int x, int dim, int64_t from, int64_t to);
int bt_hlo_pad(struct bt_hlo *b, int x, int dim, int64_t low, int64_t high);
int bt_hlo_concat(struct bt_hlo *b, const int *x, int n, int dim);

/* Of a product: dimensions that both have, and those that are summed over.
 * Result: the former, what is left of x, what is left of y; f32. */
struct bt_hlo_product {
	int batches, sums;
	int x_batch[2], y_batch[2];
	int x_sum[2], y_sum[2];
};
int bt_hlo_dot(struct bt_hlo *b, int x, int y, struct bt_hlo_product p);
/* The same, rounded to the operands' type. */
int bt_hlo_rounded_dot(struct bt_hlo *b, int x, int y, struct bt_hlo_product p);

/* X Y and X' Y of matrices. */
int bt_hlo_dot_nn(struct bt_hlo *b, int x, int y);
int bt_hlo_dot_tn(struct bt_hlo *b, int x, int y);

/* op: add, maximum, minimum; the dimension is gone. */
int bt_hlo_reduce(struct bt_hlo *b, const char *op, int x, int dim);

/* The sum of x over so many devices, x itself for one. */
int bt_hlo_all_reduce(struct bt_hlo *b, int x, int replicas);

/* Rows of x (its first dimension) by their numbers, of any shape of rank 1. */
int bt_hlo_gather(struct bt_hlo *b, int x, int at);

/* The rows of `into`, each with those of x added (or op) whose number it is;
 * rows with other numbers are left out. distinct: no two numbers are equal, and
 * devices need not take rows one after the other. */
int bt_hlo_scatter(struct bt_hlo *b, const char *op, int into, int at, int x,
                   bool distinct);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Rows of frames as vectors in f32 with their ids, in memory; their cosines,
 * and their products with other rows.
 */
#ifndef BT_TENSORSTREAM_VECTORS_H
#define BT_TENSORSTREAM_VECTORS_H

#include "base/buf.h"
#include "base/log.h"
#include "base/pool.h"
#include "tensorstream/frame.h"

struct bt_vectors {
	bool as_they_are; /* set before the first row: zeros, too, are taken, x
	                   * is not scaled, and a length is any */
	size_t n, width;  /* width: 0 before the first row */
	char model[9];    /* the first fingerprint of a frame, or "" */
	bool mixed;       /* another frame had another one */
	uint64_t named;   /* rows that came with an id */
	uint64_t before;  /* rows that were forgotten */
	float *x; /* [n, width], each times a power of two, which is exact, and
	           * room for a product's last rows */
	double *length; /* of each: from 0.5 to 1 */
	struct bt_buf ids;
	size_t *id_end; /* in ids */
	size_t x_cap, length_cap, id_cap;
};

/* Zero is an empty one. */
void bt_vectors_clear(struct bt_vectors *v);

/* Forgets the rows, but how many they were, and keeps the memory. */
void bt_vectors_reset(struct bt_vectors *v);

/*
 * Adds the rows of the one tensor of f that is not an id; a row without an id
 * has its number, from 0, for one. Another number of tensors, another width
 * than before, a row of zeros and one with a number that is not finite are
 * BT_EFORMAT.
 */
int bt_vectors_add(struct bt_vectors *v, const struct bt_frame *f,
                   struct bt_error *err) BT_MUST_USE;

/* Whether some rows of a and b are embeddings of different models, as far as
 * their frames say whose they are. */
bool bt_vectors_mixed(const struct bt_vectors *a, const struct bt_vectors *b);

/* Warns of that. */
void bt_vectors_warn_mixed(const struct bt_log *log);

struct bt_span bt_vectors_id(const struct bt_vectors *v, size_t i);

/* The cosine of row i of a and row j of b, of the same width. It is computed in
 * double, in an order of its own: equal rows have equal cosines. */
float bt_vectors_cosine(const struct bt_vectors *a, size_t i,
                        const struct bt_vectors *b, size_t j);

/* How far a product of two rows, divided by their lengths, is at most from
 * their cosine. */
double bt_vectors_error(size_t width);

/* Products of rows with each other, on all threads. */
struct bt_products;

int bt_products_new(int threads, struct bt_products **p,
                    struct bt_error *err) BT_MUST_USE;
void bt_products_free(struct bt_products *p); /* takes NULL */
struct bt_pool *bt_products_pool(struct bt_products *p);

/* Takes the products of rows first .. first+rows-1 with all columns:
 * y [rows, columns]. */
typedef void bt_products_fn(void *arg, size_t first, size_t rows,
                            const float *y);

/*
 * x [rows, width] times columns [n_columns, width], to fn in pieces that do not
 * depend on the number of threads, on any of them. x has room as bt_vectors
 * has it.
 */
struct bt_product {
	const float *x, *columns;
	size_t rows, n_columns, width;
	bt_products_fn *fn;
	void *arg;
};

int bt_products_run(struct bt_products *p, const struct bt_product *a,
                    struct bt_error *err) BT_MUST_USE;

#endif

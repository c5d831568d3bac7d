/* SPDX-License-Identifier: MIT */
/*
 * The first two principal components of rows: the directions in which they vary
 * most. The covariance is summed in double, in the order of the rows; its
 * directions are found by subspace iteration (Golub and Van Loan, "Matrix
 * Computations", 8.2.4), with some more directions than are asked for.
 */
#ifndef BT_TENSORSTREAM_PRINCIPAL_H
#define BT_TENSORSTREAM_PRINCIPAL_H

#include "tensorstream/vectors.h"

/* Iterations at most: so many are needed only where other directions have
 * nearly the same variance, and then any of them shows as much. */
#define BT_PRINCIPAL_ROUNDS 500

struct bt_principal {
	double *x, *y;   /* [rows]: how far each is from the mean, along both */
	double share[2]; /* of the variance */
};

/*
 * Of all rows of v, which were taken as they are. A direction's largest
 * component is positive. The result is the same for any number of threads (0:
 * one for each core). Less than two rows, rows of one value, and rows that are
 * all equal are BT_EFORMAT.
 */
int bt_principal_find(const struct bt_vectors *v, int threads,
                      struct bt_principal *p, struct bt_error *err) BT_MUST_USE;
void bt_principal_clear(struct bt_principal *p);

#endif

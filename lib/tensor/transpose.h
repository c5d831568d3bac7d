/* SPDX-License-Identifier: MIT */
/* Matrices turned over, some of their columns at a time. */
#ifndef BT_TENSOR_TRANSPOSE_H
#define BT_TENSOR_TRANSPOSE_H

#include <stddef.h>

/* How many columns of so many rows give about bytes when they are turned; all
 * but the last lot of them should be so many. At least 16. */
size_t bt_transpose_columns(size_t rows, size_t width, size_t bytes);

/* Columns first .. first+n-1 of in[rows][cols], as out[n][rows]. Elements have
 * width bytes: 1, 2, 4 or 8; neither side need be aligned. */
void bt_transpose(const void *in, size_t rows, size_t cols, size_t first,
                  size_t n, size_t width, void *out);

#endif

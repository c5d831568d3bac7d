/* SPDX-License-Identifier: MIT */
/*
 * In squares of SIDE by SIDE, down a strip of columns: what is written at one
 * time stays in the cache, and of what is read whole lines are used.
 */
#include "tensor/transpose.h"

#include <stdint.h>
#include <string.h>

#define SIDE ((size_t)16)

/* One square or less: n rows of m columns. */
#define PLAIN(name, type)                                                      \
	static void name(const uint8_t *in, size_t in_row, uint8_t *out,       \
	                 size_t out_row, size_t n, size_t m)                   \
	{                                                                      \
		size_t i, j;                                                   \
                                                                               \
		for (j = 0; j < m; j++)                                        \
			for (i = 0; i < n; i++)                                \
				memcpy(out + j * out_row + i * sizeof(type),   \
				       in + i * in_row + j * sizeof(type),     \
				       sizeof(type));                          \
	}

PLAIN(plain8, uint8_t)
PLAIN(plain16, uint16_t)
PLAIN(plain32, uint32_t)
PLAIN(plain64, uint64_t)

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define VECTORS 1
#endif
#endif

#ifdef VECTORS
typedef uint16_t v8 __attribute__((vector_size(16)));
typedef uint32_t v4 __attribute__((vector_size(16)));
typedef uint64_t v2 __attribute__((vector_size(16)));

/* The first or the second halves of two vectors, element by element. */
#define LOW8(a, b)                                                             \
	__builtin_shufflevector((v8)(a), (v8)(b), 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH8(a, b)                                                            \
	__builtin_shufflevector((v8)(a), (v8)(b), 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW4(a, b) __builtin_shufflevector((v4)(a), (v4)(b), 0, 4, 1, 5)
#define HIGH4(a, b) __builtin_shufflevector((v4)(a), (v4)(b), 2, 6, 3, 7)
#define LOW2(a, b) __builtin_shufflevector((v2)(a), (v2)(b), 0, 2)
#define HIGH2(a, b) __builtin_shufflevector((v2)(a), (v2)(b), 1, 3)

static inline v4 load(const uint8_t *p)
{
	v4 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void store(uint8_t *p, v2 v)
{
	memcpy(p, &v, sizeof(v));
}

/* Four by four of four bytes. */
static inline void turn4(const uint8_t *in, size_t in_row, uint8_t *out,
                         size_t out_row)
{
	v4 a = load(in), b = load(in + in_row);
	v4 c = load(in + 2 * in_row), d = load(in + 3 * in_row);
	v4 ab = LOW4(a, b), cd = LOW4(c, d);

	store(out, LOW2(ab, cd));
	store(out + out_row, HIGH2(ab, cd));
	ab = HIGH4(a, b);
	cd = HIGH4(c, d);
	store(out + 2 * out_row, LOW2(ab, cd));
	store(out + 3 * out_row, HIGH2(ab, cd));
}

/* Eight by eight of two bytes. */
static inline void turn8(const uint8_t *in, size_t in_row, uint8_t *out,
                         size_t out_row)
{
	v4 r[8], p[8], q[8];
	int i;

	for (i = 0; i < 8; i++)
		r[i] = load(in + (size_t)i * in_row);
	for (i = 0; i < 4; i++) { /* of rows 2i and 2i+1 */
		p[i] = (v4)LOW8(r[2 * i], r[2 * i + 1]);
		p[i + 4] = (v4)HIGH8(r[2 * i], r[2 * i + 1]);
	}
	for (i = 0; i < 4; i++) { /* two columns of four rows */
		q[2 * i] = LOW4(p[2 * i], p[2 * i + 1]);
		q[2 * i + 1] = HIGH4(p[2 * i], p[2 * i + 1]);
	}
	for (i = 0; i < 8; i += 2) { /* those of the other four beside */
		const v4 *top = q + (i & 4) + (i >> 1 & 1), *low = top + 2;

		store(out + (size_t)i * out_row, LOW2(*top, *low));
		store(out + (size_t)(i + 1) * out_row, HIGH2(*top, *low));
	}
}
#endif

typedef void square_fn(const uint8_t *in, size_t in_row, uint8_t *out,
                       size_t out_row, size_t n, size_t m);

static void square32(const uint8_t *in, size_t in_row, uint8_t *out,
                     size_t out_row, size_t n, size_t m)
{
#ifdef VECTORS
	size_t i, j;

	if (n == SIDE && m == SIDE) {
		for (j = 0; j < SIDE; j += 4)
			for (i = 0; i < SIDE; i += 4)
				turn4(in + i * in_row + j * 4, in_row,
				      out + j * out_row + i * 4, out_row);
		return;
	}
#endif
	plain32(in, in_row, out, out_row, n, m);
}

static void square16(const uint8_t *in, size_t in_row, uint8_t *out,
                     size_t out_row, size_t n, size_t m)
{
#ifdef VECTORS
	size_t i, j;

	if (n == SIDE && m == SIDE) {
		for (j = 0; j < SIDE; j += 8)
			for (i = 0; i < SIDE; i += 8)
				turn8(in + i * in_row + j * 2, in_row,
				      out + j * out_row + i * 2, out_row);
		return;
	}
#endif
	plain16(in, in_row, out, out_row, n, m);
}

size_t bt_transpose_columns(size_t rows, size_t width, size_t bytes)
{
	size_t n = rows != 0 ? bytes / width / rows : 0;

	return n < SIDE ? SIDE : n / SIDE * SIDE;
}

void bt_transpose(const void *in, size_t rows, size_t cols, size_t first,
                  size_t n, size_t width, void *out)
{
	square_fn *square = width == 4   ? square32
	                    : width == 2 ? square16
	                    : width == 8 ? plain64
	                                 : plain8;
	const uint8_t *from = (const uint8_t *)in + first * width;
	uint8_t *to = out;
	size_t i, j;

	for (i = 0; i < rows; i += SIDE)
		for (j = 0; j < n; j += SIDE)
			square(from + (i * cols + j) * width, cols * width,
			       to + (j * rows + i) * width, rows * width,
			       rows - i < SIDE ? rows - i : SIDE,
			       n - j < SIDE ? n - j : SIDE);
}

/* SPDX-License-Identifier: MIT */
/* Principal components of rows whose components are known. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "tensorstream/principal.h"

#define N 300 /* rows of more than a piece, with more values than a piece */
#define D 301

static struct bt_vectors rows_of(float *x, size_t n, size_t width)
{
	struct bt_vectors v = {
	    .as_they_are = true, .n = n, .width = width, .x = x};

	return v;
}

/* Ten times (3, 4, 0) / 5, five times (-4, 3, 0) / 5 and once (0, 0, 1), to
 * both sides of a mean. */
TEST(test_known)
{
	static float x[6][3] = {{106, 8, -7},  {94, -8, -7}, {96, 3, -7},
	                        {104, -3, -7}, {100, 0, -6}, {100, 0, -8}};
	static const double px[6] = {10, -10, 0, 0, 0, 0};
	static const double py[6] = {0, 0, -5, 5, 0, 0};
	struct bt_vectors v = rows_of(x[0], 6, 3);
	struct bt_error err = {0};
	struct bt_principal p;
	int i;

	assert_ok(bt_principal_find(&v, 1, &p, &err));
	assert_true(fabs(p.share[0] - 200. / 252) < 1e-12);
	assert_true(fabs(p.share[1] - 50. / 252) < 1e-12);
	for (i = 0; i < 6; i++) {
		assert_true(fabs(p.x[i] - px[i]) < 1e-9);
		assert_true(fabs(p.y[i] - py[i]) < 1e-9);
	}
	bt_principal_clear(&p);
}

/* Two rows have one direction. */
TEST(test_line)
{
	static float x[2][2] = {{1, 1}, {4, 5}};
	struct bt_vectors v = rows_of(x[0], 2, 2);
	struct bt_error err = {0};
	struct bt_principal p;

	assert_ok(bt_principal_find(&v, 2, &p, &err));
	assert_true(fabs(p.share[0] - 1) < 1e-12 && p.share[1] == 0);
	assert_true(fabs(p.x[0] + 2.5) < 1e-12 && fabs(p.x[1] - 2.5) < 1e-12);
	assert_true(p.y[0] == 0 && p.y[1] == 0);
	bt_principal_clear(&p);
}

/* Two directions that no start along the axes would find, below noise in all
 * others; and the threads. */
TEST(test_threads)
{
	float *x = malloc(sizeof(*x) * N * D);
	struct bt_vectors v = rows_of(x, N, D);
	struct bt_error err = {0};
	struct bt_principal p, q;
	double random[2], off = 0;
	size_t r, i;

	assert_non_null(x);
	for (r = 0; r < N; r++)
		for (i = 0; i < D; i++) {
			bt_random_normal(1, 1, (uint32_t)r, i, 0, random);
			x[r * D + i] =
			    (float)(random[0] * .01 + cos((double)r) +
			            (i % 2 == 0 ? .3 : -.3) *
			                sin(2. * (double)r));
		}
	assert_ok(bt_principal_find(&v, 1, &p, &err));
	assert_ok(bt_principal_find(&v, 3, &q, &err));
	assert_memory_equal(p.share, q.share, sizeof(p.share));
	assert_memory_equal(p.x, q.x, N * sizeof(*p.x));
	assert_memory_equal(p.y, q.y, N * sizeof(*p.y));
	assert_true(p.share[0] > p.share[1] && p.share[1] > .05);
	assert_true(p.share[0] + p.share[1] > .999);
	for (r = 1; r < N; r++) /* a mean of 0 goes out of the differences */
		off = fmax(off, fabs((p.x[r] - p.x[0]) / sqrt(D) -
		                     (cos((double)r) - 1)));
	assert_true(off < .01);
	bt_principal_clear(&p);
	bt_principal_clear(&q);
	free(x);
}

TEST(test_refused)
{
	static float x[3][2] = {{.1F, 2}, {.1F, 2}, {.1F, 2}};
	struct bt_vectors v = rows_of(x[0], 3, 2);
	struct bt_error err = {0};
	struct bt_principal p;

	assert_err(bt_principal_find(&v, 1, &p, &err), BT_EFORMAT,
	           "the 3 rows are all equal");
	v.n = 1;
	assert_err(bt_principal_find(&v, 1, &p, &err), BT_EFORMAT,
	           "1 row, expected two or more");
	v.n = 2;
	v.width = 1;
	assert_err(bt_principal_find(&v, 1, &p, &err), BT_EFORMAT,
	           "rows of one value, expected two or more");
}

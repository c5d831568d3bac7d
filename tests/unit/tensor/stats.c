/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "tensor/stats.h"

#define N 700001 /* more than two pieces, and not a whole number of them */

static struct bt_tensor tensor(enum bt_dtype dtype, const void *data, size_t n)
{
	struct bt_tensor t = {.name = "t", .dtype = dtype, .count = n};

	t.bytes = n * bt_dtype_bits(dtype) / 8;
	t.data = data;
	return t;
}

static struct bt_tensor_stats stats_of(struct bt_tensor t, int threads)
{
	const struct bt_tensor *list[] = {&t};
	struct bt_error err = {0};
	struct bt_tensor_stats s;
	struct bt_pool *pool;

	assert_ok(bt_pool_new(threads, &pool, &err));
	assert_ok(bt_stats(list, 1, pool, &s, &err));
	bt_pool_free(pool);
	return s;
}

static float *normals(float mean)
{
	float *v = malloc(N * sizeof(*v));
	double two[2];
	size_t i;

	for (i = 0; i < N; i++) {
		bt_random_normal(5, BT_PURPOSE_INIT, 0, i, 0, two);
		v[i] = mean + (float)two[0];
	}
	return v;
}

/* Against sums in long double, where the mean is large beside the deviation. */
TEST(against_a_plain_sum)
{
	float *v = normals(1000), lo = v[0], hi = v[0];
	long double sum = 0, squares = 0;
	struct bt_tensor_stats s;
	size_t i;

	for (i = 0; i < N; i++) {
		sum += (long double)v[i];
		lo = fminf(lo, v[i]);
		hi = fmaxf(hi, v[i]);
	}
	for (i = 0; i < N; i++)
		squares += ((long double)v[i] - sum / N) *
		           ((long double)v[i] - sum / N);
	s = stats_of(tensor(BT_DTYPE_F32, v, N), 2);
	assert_true(s.known && s.nan == 0 && s.inf == 0);
	assert_true(s.min == (double)lo && s.max == (double)hi);
	assert_true(fabs(s.mean / (double)(sum / N) - 1) < 1e-14);
	assert_true(fabs(s.std / (double)sqrtl(squares / N) - 1) < 1e-12);
	free(v);
}

TEST(bad_values)
{
	float *v = normals(0);
	struct bt_tensor_stats s, t;

	v[N - 1] = NAN;
	v[N - 2] = INFINITY;
	v[300000] = -INFINITY;
	s = stats_of(tensor(BT_DTYPE_F32, v, N), 1);
	assert_int_equal(s.nan, 1);
	assert_int_equal(s.inf, 2);
	assert_int_equal(s.first_bad, 300000);
	assert_true(isfinite(s.min) && isfinite(s.max) && isfinite(s.mean));
	v[0] = NAN;
	t = stats_of(tensor(BT_DTYPE_F32, v, N), 3);
	assert_int_equal(t.first_bad, 0);
	assert_int_equal(t.nan, 2);
	v[0] = NAN, v[1] = INFINITY;
	s = stats_of(tensor(BT_DTYPE_F32, v, 2), 1);
	assert_true(s.nan == 1 && s.inf == 1 && isnan(s.min) && isnan(s.std));
	s = stats_of(tensor(BT_DTYPE_F32, v, 0), 1);
	assert_true(s.known && s.nan == 0 && isnan(s.mean));
	s = stats_of(tensor(BT_DTYPE_C64, v, 1), 1);
	assert_false(s.known);
	free(v);
}

TEST(any_number_of_threads)
{
	float *v = normals(3);
	struct bt_tensor_stats one, more;
	int threads;

	one = stats_of(tensor(BT_DTYPE_F32, v, N), 1);
	for (threads = 2; threads <= 5; threads++) {
		more = stats_of(tensor(BT_DTYPE_F32, v, N), threads);
		assert_memory_equal(&one.min, &more.min, 4 * sizeof(double));
	}
	free(v);
}

static struct bt_tensor_diff diff_of(struct bt_tensor a, struct bt_tensor b)
{
	const struct bt_tensor *p = &a, *q = &b;
	struct bt_tensor_diff *rows, d;
	struct bt_error err = {0};
	struct bt_pool *pool;
	size_t n;

	assert_ok(bt_pool_new(2, &pool, &err));
	assert_ok(bt_stats_diff(&p, 1, &q, 1, pool, &rows, &n, &err));
	assert_int_equal(n, 1);
	d = rows[0];
	free(rows);
	bt_pool_free(pool);
	return d;
}

TEST(differences)
{
	float *v = normals(0), *w = malloc(N * sizeof(*w));
	struct bt_tensor_diff d;

	memcpy(w, v, N * sizeof(*v));
	d = diff_of(tensor(BT_DTYPE_F32, v, N), tensor(BT_DTYPE_F32, w, N));
	assert_true(d.compared && d.numbers && !bt_tensor_differs(&d));
	v[5] = 1, w[5] = 3;
	v[N - 1] = 1.5f, w[N - 1] = 1;
	d = diff_of(tensor(BT_DTYPE_F32, v, N), tensor(BT_DTYPE_F32, w, N));
	assert_true(bt_tensor_differs(&d));
	assert_int_equal(d.differing, 2);
	assert_true(d.max == 2 && fabs(d.mean * N / 2.5 - 1) < 1e-14);
	v[5] = w[5] = 0;
	v[7] = NAN, w[7] = -NAN; /* other bits, no difference */
	v[8] = 0.0f, w[8] = -0.0f;
	v[9] = w[9] = INFINITY;
	d = diff_of(tensor(BT_DTYPE_F32, v, N), tensor(BT_DTYPE_F32, w, N));
	assert_int_equal(d.differing, 1);
	assert_true(d.max == 0.5);
	w[7] = 1;
	w[9] = -INFINITY;
	d = diff_of(tensor(BT_DTYPE_F32, v, N), tensor(BT_DTYPE_F32, w, N));
	assert_int_equal(d.differing, 3);
	assert_true(isnan(d.max) && isnan(d.mean));
	free(v);
	free(w);
}

TEST(differences_of_types)
{
	static const int64_t a[] = {INT64_MIN, (int64_t)1 << 60},
	                     b[] = {INT64_MAX, ((int64_t)1 << 60) + 1};
	static const uint8_t u[] = {0x11, 0x22, 0x33, 0x44},
	                     w[] = {0x11, 0x21, 0x33, 0x54};
	static const float f[] = {1, 2}, g[] = {1, 2.25f};
	static const double h[] = {1, 2.125};
	struct bt_tensor x = tensor(BT_DTYPE_I64, a, 2);
	struct bt_tensor y = tensor(BT_DTYPE_I64, b, 2);
	struct bt_tensor_diff d = diff_of(x, y);

	assert_int_equal(d.differing, 2);
	assert_true(d.max == 0x1p64);
	d = diff_of(tensor(BT_DTYPE_I64, a + 1, 1),
	            tensor(BT_DTYPE_I64, b + 1, 1));
	assert_true(d.differing == 1 && d.max == 1); /* equal as doubles */
	d = diff_of(tensor(BT_DTYPE_F4, u, 8), tensor(BT_DTYPE_F4, w, 8));
	assert_true(d.compared && !d.numbers && d.differing == 2);
	d = diff_of(tensor(BT_DTYPE_C64, f, 1), tensor(BT_DTYPE_C64, g, 1));
	assert_true(d.compared && !d.numbers && d.differing == 1);
	d = diff_of(tensor(BT_DTYPE_F32, f, 2), tensor(BT_DTYPE_F64, h, 2));
	assert_true(d.dtype && d.compared && d.numbers && d.max == 0.125);
	d = diff_of(tensor(BT_DTYPE_C64, f, 1), tensor(BT_DTYPE_F64, h, 1));
	assert_true(d.dtype && !d.compared && bt_tensor_differs(&d));
}

TEST(shapes_and_names)
{
	static const int64_t s[] = {2, 3}, r[] = {3, 2};
	static const float v[6] = {0};
	struct bt_tensor a[] = {
	    {.name = "l.2", .dtype = BT_DTYPE_F32, .rank = 2, .shape = s},
	    {.name = "l.10", .dtype = BT_DTYPE_F32},
	    {.name = "m", .dtype = BT_DTYPE_F32, .rank = 2, .shape = s},
	};
	struct bt_tensor b[] = {
	    {.name = "l.1", .dtype = BT_DTYPE_F32},
	    {.name = "l.10", .dtype = BT_DTYPE_F32},
	    {.name = "m", .dtype = BT_DTYPE_F32, .rank = 2, .shape = r},
	};
	const struct bt_tensor *p[] = {a, a + 1, a + 2};
	const struct bt_tensor *q[] = {b, b + 1, b + 2};
	struct bt_tensor_diff *rows;
	struct bt_error err = {0};
	struct bt_pool *pool;
	size_t n;

	a[0].data = a[1].data = a[2].data = v;
	b[0].data = b[1].data = b[2].data = v;
	a[2].count = b[2].count = 6;
	a[1].count = b[1].count = 1;
	assert_ok(bt_pool_new(1, &pool, &err));
	assert_ok(bt_stats_diff(p, 3, q, 3, pool, &rows, &n, &err));
	assert_int_equal(n, 4);
	assert_true(rows[0].a == NULL && rows[0].b == b);
	assert_true(rows[1].a == a && rows[1].b == NULL);
	assert_false(bt_tensor_differs(&rows[2]));
	assert_true(rows[3].shape && !rows[3].compared);
	free(rows);
	assert_ok(bt_stats_diff(p, 0, q, 0, pool, &rows, &n, &err));
	assert_int_equal(n, 0);
	free(rows);
	bt_pool_free(pool);
}

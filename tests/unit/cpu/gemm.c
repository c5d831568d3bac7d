/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Products of each provider, against plain C: shapes with remainders, both
 * passes, gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/philox.h"
#include "cpu/gemm.h"
#include "cpu/kernels.h"
#include "test.h"

struct shape {
	int n, k;
	size_t rows;
};

static const struct shape shapes[] = {
    {1, 1, 1},       {3, 5, 2},       {33, 70, 31},  {384, 96, 64},
    {500, 130, 257}, {96, 1152, 300}, {30, 96, 600},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

enum { FORWARD, BIASED, LOW, BACKWARD, ADDED, GRADIENT, RESULTS };

static const char *const results[RESULTS] = {
    "forward", "with a bias", "bf16 output", "backward", "added", "gradient"};

static float noise(uint32_t what, size_t i)
{
	double v[2];

	bt_random_normal(5, BT_PURPOSE_INIT, what, i, 0, v);
	return (float)v[0];
}

static void *operand(bool bf16, uint32_t what, size_t rows, size_t cols)
{
	void *p = calloc(bt_gemm_room(rows) * cols, sizeof(float));
	size_t i;

	for (i = 0; i < rows * cols; i++)
		if (bf16)
			((uint16_t *)p)[i] = bt_f32_to_bf16(noise(what, i));
		else
			((float *)p)[i] = noise(what, i);
	return p;
}

/* y of one pass, all chunks. */
static void run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, const void *x,
                const struct shape *s, const float *bias, bool low, bool add,
                float *y, size_t cols)
{
	size_t room = bt_gemm_room(s->rows) * cols, i;
	uint16_t *h = calloc(room, sizeof(*h));
	struct bt_gemm_block b = {.rows = s->rows,
	                          .x = x,
	                          .y = low ? (void *)h : y,
	                          .y_bf16 = low,
	                          .add = add,
	                          .bias = bias};
	int c;

	for (c = 0; c < bt_gemm_chunks(w, pass); c++)
		assert_int_equal(bt_gemm_run(w, pass, c, &b, 1), BT_OK);
	for (i = 0; low && i < s->rows * cols; i++)
		y[i] = bt_bf16_to_f32(h[i]);
	free(h);
}

/* All that a provider computes; false: it is not here. */
static bool compute(const char *name, bool bf16, const struct shape *s,
                    float *out[RESULTS])
{
	size_t n = (size_t)s->n, k = (size_t)s->k, i;
	size_t room = bt_gemm_room(s->rows);
	void *x = operand(bf16, 1, s->rows, k);
	void *dy = operand(bf16, 2, s->rows, n);
	float *weight = calloc(n * k, sizeof(*weight));
	float *bias = calloc(n, sizeof(*bias));
	struct bt_gemm_gradient g = {
	    .n = s->n, .k = s->k, .rows = s->rows, .dy = dy, .x = x};
	struct bt_gemm_weight *w = NULL;
	struct bt_gemm *gemm = NULL;
	struct bt_error err = {0};
	int pass, c, step;
	bool here = bt_gemm_new(name, bf16, 2, &gemm, &err) == BT_OK;

	for (i = 0; i < RESULTS; i++)
		out[i] = calloc(i == GRADIENT ? n * k
		                              : room * (i < BACKWARD ? n : k),
		                sizeof(float));
	for (i = 0; i < n * k; i++)
		weight[i] = noise(3, i);
	for (i = 0; i < n; i++)
		bias[i] = noise(4, i);
	for (i = 0; i < s->rows * k; i++)
		out[ADDED][i] = noise(6, i);
	if (!here)
		goto out;
	assert_string_equal(bt_gemm_name(gemm), name);
	assert_ok(bt_gemm_weight_new(gemm, s->n, s->k, true, &w, &err));
	for (pass = 0; pass < 2; pass++)
		for (c = 0; c < bt_gemm_chunks(w, (enum bt_gemm_pass)pass); c++)
			assert_int_equal(bt_gemm_pack(w,
			                              (enum bt_gemm_pass)pass,
			                              c, weight, 0),
			                 BT_OK);
	run(w, BT_GEMM_FORWARD, x, s, NULL, false, false, out[FORWARD], n);
	run(w, BT_GEMM_FORWARD, x, s, bias, false, false, out[BIASED], n);
	if (bf16)
		run(w, BT_GEMM_FORWARD, x, s, bias, true, false, out[LOW], n);
	run(w, BT_GEMM_BACKWARD, dy, s, NULL, false, false, out[BACKWARD], k);
	run(w, BT_GEMM_BACKWARD, dy, s, NULL, false, true, out[ADDED], k);
	g.dw = out[GRADIENT];
	step = bt_gemm_gradient_step(gemm, s->n, s->k);
	for (c = 0; c < 2; c++, g.add = true) /* and the same once more */
		for (g.n0 = 0; g.n0 < s->n; g.n0 = g.n1) {
			g.n1 = g.n0 + step < s->n ? g.n0 + step : s->n;
			assert_int_equal(bt_gemm_gradient(gemm, &g, 1), BT_OK);
		}
out:
	bt_gemm_weight_free(w);
	bt_gemm_free(gemm);
	free(x);
	free(dy);
	free(weight);
	free(bias);
	return here;
}

/* Sums in another order, and for LOW another rounding of them. */
static void compare(const char *name, const struct shape *s, int result,
                    const float *got, const float *want)
{
	size_t cols = (size_t)(result < BACKWARD ? s->n : s->k), i;
	size_t n = (result == GRADIENT ? (size_t)s->n : s->rows) * cols;
	double norm = 0, diff = 0, d;

	for (i = 0; i < n; i++) {
		d = (double)got[i] - (double)want[i];
		diff += d * d;
		norm += (double)want[i] * (double)want[i];
	}
	if (!(sqrt(diff) <= (result == LOW ? 4e-3 : 1e-5) * sqrt(norm)))
		fail_msg("%s, %d x %d, %zu rows, %s: apart by %g of the norm",
		         name, s->n, s->k, s->rows, results[result],
		         sqrt(diff / norm));
}

/* What plain C computes of a shape, once for all providers. */
static float *const *wanted(bool bf16, size_t shape)
{
	static float *want[2][SHAPES][RESULTS];
	float **w = want[bf16][shape];

	if (w[0] == NULL)
		assert_true(compute("ref", bf16, &shapes[shape], w));
	return w;
}

static void against_ref(const char *name, bool bf16)
{
	float *const *want, *got[RESULTS];
	bool here = true;
	size_t i;
	int k;

	for (i = 0; i < SHAPES && here; i++) {
		here = compute(name, bf16, &shapes[i], got);
		want = here ? wanted(bf16, i) : NULL;
		for (k = 0; k < RESULTS; k++) {
			if (here)
				compare(name, &shapes[i], k, got[k], want[k]);
			free(got[k]);
		}
	}
	if (!here)
		skip();
}

TEST(onednn)
{
	against_ref("onednn", false);
}

TEST(onednn_bf16)
{
	against_ref("onednn", true);
}

TEST(openblas)
{
	against_ref("openblas", false);
}

TEST(openblas_bf16)
{
	against_ref("openblas", true);
}

TEST(native)
{
	against_ref("native", false);
}

TEST(native_bf16)
{
	against_ref("native", true);
}

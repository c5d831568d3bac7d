/* SPDX-License-Identifier: MIT */
/* Int8 products of this instruction set (BT_ISA) against a plain computation,
 * bit for bit, at all tails and with guard pages; and a model run with them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "base/sys.h"
#include "cpu/gemm.h"
#include "cpu/kernels.h"
#include "guard.h"
#include "task/task.h"
#include "tiny.h"

/* Largest x of a row to 127, the others along, rounded to even. */
static float quantise(const float *x, size_t k, int *q)
{
	float max = 0, f;
	size_t i;

	for (i = 0; i < k; i++)
		if (!(fabsf(x[i]) <= max))
			max = fabsf(x[i]);
	f = max > 0 ? 127 / max : 0;
	for (i = 0; i < k; i++)
		q[i] = isfinite(max) ? (int)nearbyintf(x[i] * f) : 0;
	return isfinite(max) ? max / 127 : NAN;
}

struct product {
	size_t rows, n, k;
	bool y_low, add;
	uint16_t *x;
	float *w, *bias;
	void *y, *want;
};

static void *output(const struct product *p)
{
	size_t n = p->rows * p->n;
	uint16_t *h;
	float *f;

	if (p->y_low) {
		h = guard_new(n, sizeof(*h));
		return h;
	}
	f = guard_new(n, sizeof(*f));
	fill_random(f, n, 1, 5);
	return f;
}

static void product_new(struct product *p, size_t rows, size_t n, size_t k)
{
	float *x = malloc((rows * k + 1) * sizeof(*x));
	size_t i;

	memset(p, 0, sizeof(*p));
	p->rows = rows;
	p->n = n;
	p->k = k;
	p->y_low = (n + rows) % 2;
	p->add = !p->y_low && n % 3 == 0;
	fill_random(x, rows * k, 1 + (float)(k % 5), rows);
	p->x = guard_new(rows * k, sizeof(*p->x));
	for (i = 0; i < rows * k; i++)
		p->x[i] = bt_f32_to_bf16(x[i]);
	free(x);
	p->w = guard_new(n * k, sizeof(*p->w));
	fill_random(p->w, n * k, 0.1f, n);
	if (k % 4 != 1) {
		p->bias = guard_new(n, sizeof(*p->bias));
		fill_random(p->bias, n, 1, 3);
	}
	p->y = output(p);
	p->want = output(p);
}

static void expected(const struct product *p)
{
	int *qx = malloc(p->k * sizeof(int)), *qw = malloc(p->k * sizeof(int));
	float *x = malloc(p->k * sizeof(*x)), sx, sw, y;
	size_t r, c, i, at;
	int64_t sum;

	for (r = 0; r < p->rows; r++) {
		for (i = 0; i < p->k; i++)
			x[i] = bt_bf16_to_f32(p->x[r * p->k + i]);
		sx = quantise(x, p->k, qx);
		for (c = 0; c < p->n; c++) {
			sw = quantise(p->w + c * p->k, p->k, qw);
			sum = 0;
			for (i = 0; i < p->k; i++)
				sum += qx[i] * qw[i];
			at = r * p->n + c;
			y = (float)sum * (sx * sw);
			if (p->bias != NULL)
				y += p->bias[c];
			if (p->y_low)
				((uint16_t *)p->want)[at] = bt_f32_to_bf16(y);
			else if (p->add)
				((float *)p->want)[at] += y;
			else
				((float *)p->want)[at] = y;
		}
	}
	free(qx);
	free(qw);
	free(x);
}

/* Runs it as the engine does, in blocks of 256 rows and by chunks, or whole. */
static void multiply(const struct product *p, size_t step)
{
	struct bt_gemm_block b = {0};
	struct bt_gemm_weight *w;
	struct bt_error err = {0};
	struct bt_gemm *g;
	size_t r, size = p->y_low ? 2 : 4;
	int c;

	assert_ok(bt_gemm_new("int8", true, 2, &g, &err));
	assert_ok(bt_gemm_weight_new(g, (int)p->n, (int)p->k, false, &w, &err));
	b.y_bf16 = p->y_low;
	b.add = p->add;
	b.bias = p->bias;
	for (c = 0; c < bt_gemm_chunks(w, BT_GEMM_FORWARD); c++) {
		assert_ok(bt_gemm_pack(w, BT_GEMM_FORWARD, c, p->w, 0));
		for (r = 0; r < p->rows; r += step) {
			b.rows = p->rows - r < step ? p->rows - r : step;
			b.x = p->x + r * p->k;
			b.y = (char *)p->y + r * p->n * size;
			assert_ok(bt_gemm_run(w, BT_GEMM_FORWARD, c, &b, 1));
		}
	}
	bt_gemm_weight_free(w);
	bt_gemm_free(g);
}

static void check(const struct product *p)
{
	size_t size = p->y_low ? 2 : 4, i;

	expected(p);
	for (i = 0; i < p->rows * p->n; i++)
		if (memcmp((char *)p->y + i * size, (char *)p->want + i * size,
		           size) != 0)
			fail_msg("%zu x %zu x %zu: row %zu, column %zu differs",
			         p->rows, p->n, p->k, i / p->n, i % p->n);
	assert_int_equal(guard_free_all(), 0);
}

static void one(size_t rows, size_t n, size_t k, size_t step)
{
	struct product p;

	product_new(&p, rows, n, k);
	multiply(&p, step);
	check(&p);
}

TEST(tails)
{
	size_t i;

	for (i = 1; i < 68; i++) {
		one(i, 19, 24, 256);
		one(3, i, 24, 256);
		one(5, 17, i, 256);
		one(i, 68 - i, i, 32);
	}
	one(13, 40, 771, 256);
}

/* More rows than are quantised at a time, more columns than a chunk has. */
TEST(many)
{
	one(600, 33, 40, 256);
	one(300, 7, 65, 300);
	one(14, 1100, 36, 256);
}

/* Sums as large as they get: nothing saturates, nothing overflows. */
TEST(largest_sums)
{
	static const size_t depths[] = {8, 67, 65536};
	struct product p;
	size_t i, k;

	for (k = 0; k < 3; k++) {
		product_new(&p, 2, 3, depths[k]);
		for (i = 0; i < 2 * p.k; i++)
			p.x[i] = bt_f32_to_bf16(i < p.k ? 1 : -1);
		for (i = 0; i < 3 * p.k; i++)
			p.w[i] = i < p.k ? 0.5f : i < 2 * p.k ? -0.5f : 0.0f;
		multiply(&p, 256);
		check(&p);
	}
}

/* A row without numbers gives none, and leaves the others alone; a row of zeros
 * gives the bias. */
TEST(odd_rows)
{
	struct product p;
	const float *y;
	size_t c;

	product_new(&p, 5, 21, 40);
	assert_true(p.bias != NULL && !p.y_low);
	p.add = false;
	p.x[3] = 0x7fc0;          /* row 0: NaN */
	p.x[40 + 39] = 0xff80;    /* row 1: an infinity */
	memset(p.x + 80, 0, 80);  /* row 2: zeros */
	memset(p.x + 120, 0, 80); /* row 3: too small to divide by */
	p.x[120 + 5] = bt_f32_to_bf16(1e-38f);
	multiply(&p, 256);
	y = p.y;
	for (c = 0; c < p.n; c++) {
		assert_true(isnan(y[c]) && isnan(y[p.n + c]));
		assert_true(y[2 * p.n + c] == p.bias[c]);
		assert_true(y[3 * p.n + c] == p.bias[c]);
		assert_true(isfinite(y[4 * p.n + c]));
	}
	assert_int_equal(guard_free_all(), 0);
}

TEST(refusals)
{
	struct bt_error err = {0};
	struct bt_gemm_weight *w;
	struct bt_gemm *g;

	assert_err(bt_gemm_new("int8", false, 1, &g, &err), BT_EARG, "not f32");
	assert_ok(bt_gemm_new("int8", true, 1, &g, &err));
	assert_err(bt_gemm_weight_new(g, 8, 8, true, &w, &err), BT_EARG,
	           "cannot train");
	assert_err(bt_gemm_weight_new(g, 8, 65537, false, &w, &err), BT_ELIMIT,
	           "at most 65536");
	bt_gemm_free(g);
	assert_ok(bt_gemm_new(NULL, true, 1, &g, &err));
	assert_string_not_equal(bt_gemm_name(g), "int8");
	bt_gemm_free(g);
}

/* The tiny model's logits, products as named. */
static void logits(const char *gemm, bool low, int threads, float *out)
{
	struct bt_engine_opts o = {.bf16 = low,
	                           .gemm = gemm,
	                           .max_tokens = TINY_TOKENS,
	                           .max_sequences = TINY_TEXTS,
	                           .max_length = 32};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;

	memset(&t, 0, sizeof(t));
	bt_graph_init(&t.g, &err);
	assert_ok(
	    bt_task_graph(&bt_task_classification, &t.g, &c, TINY_CLASSES));
	assert_ok(bt_pool_new(threads, &t.pool, &err));
	o.pool = t.pool;
	assert_ok(bt_engine_new(&t.g, &o, &t.e, &err));
	tiny_params(&t.g, bt_engine_params(t.e));
	assert_ok(bt_engine_pack(t.e, &err));
	tiny_batch(&t, false);
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	memcpy(out, bt_engine_logits(t.e),
	       TINY_TEXTS * TINY_CLASSES * sizeof(*out));
	tiny_close(&t);
}

TEST(a_model)
{
	float want[TINY_TEXTS * TINY_CLASSES], a[TINY_TEXTS * TINY_CLASSES];
	float b[TINY_TEXTS * TINY_CLASSES];
	double norm = 0, diff = 0;
	int i;

	logits("ref", false, 1, want);
	logits("int8", true, 1, a);
	logits("int8", true, 3, b);
	assert_memory_equal(a, b, sizeof(a));
	for (i = 0; i < TINY_TEXTS * TINY_CLASSES; i++) {
		norm += (double)want[i] * (double)want[i];
		diff += ((double)a[i] - (double)want[i]) *
		        ((double)a[i] - (double)want[i]);
	}
	/* 8 bits of the largest number: each input errs by up to 2^-8 of it */
	if (!(sqrt(diff / norm) < 0.03) || diff == 0)
		fail_msg("logits differ by %g", sqrt(diff / norm));
}

int main(void)
{
	struct bt_error err = {0};
	enum bt_isa isa;

	if (bt_isa(&isa, &err) != BT_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return run_listed();
}

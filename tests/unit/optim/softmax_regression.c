/* SPDX-License-Identifier: MIT */
/* Softmax regression beside scikit-learn 1.9's LogisticRegression. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "optim/softmax_regression.h"

#define N 24
#define COLS 3
#define CLASSES 3

static float x[N][COLS], weight[N];
static int32_t y[N];

static void make_data(void)
{
	int i;

	for (i = 0; i < N; i++) {
		x[i][0] = (float)sin(i * 1.7);
		x[i][1] = (float)cos(i * 0.9);
		x[i][2] = (float)(i * 7 % 11 / 11.0);
		y[i] = i * 5 % 7 % 3;
		weight[i] = 1 + (float)(i % 4) / 2;
	}
}

/* The rows at ctx. */
static int rows(void *ctx, size_t first, size_t n, const float **to,
                struct bt_error *err)
{
	(void)n;
	(void)err;
	*to = (const float *)ctx + first * COLS;
	return BT_OK;
}

TEST(as_scikit_learn)
{
	static const struct {
		double c, w[CLASSES][COLS], b[CLASSES];
	} want[] = {{1,
	             {{-0.402251, -0.105536, -0.236931},
	              {-0.077387, -1.318164, 0.205211},
	              {0.479638, 1.4237, 0.03172}},
	             {0.721617, -0.322718, -0.398899}},
	            {30,
	             {{-0.810966, -0.468834, -0.453401},
	              {-0.291746, -2.329331, 0.435094},
	              {1.102712, 2.798164, 0.018307}},
	             {1.230097, -0.330415, -0.899682}}};
	struct bt_softmax_regression p = {.rows = rows,
	                                  .ctx = &x[0][0],
	                                  .scale = 1,
	                                  .y = y,
	                                  .weight = weight,
	                                  .n = N,
	                                  .cols = COLS,
	                                  .classes = CLASSES};
	float w[CLASSES][COLS], b[CLASSES], mean;
	struct bt_error err = {0};
	size_t i, k, j;

	make_data();
	assert_ok(bt_pool_new(1, &p.pool, &err));
	for (i = 0; i < 2; i++) {
		p.c = want[i].c;
		assert_ok(bt_softmax_regression(&p, &w[0][0], b, &err));
		mean = (b[0] + b[1] + b[2]) / CLASSES;
		for (k = 0; k < CLASSES; k++) {
			assert_true(fabs((double)(b[k] - mean) - want[i].b[k]) <
			            2e-4);
			for (j = 0; j < COLS; j++)
				assert_true(fabs((double)w[k][j] -
				                 want[i].w[k][j]) < 2e-4);
		}
	}
	bt_pool_free(p.pool);
}

/* For two classes scikit-learn has one row of weights, here with C = 2. */
TEST(two_classes)
{
	static const double want[COLS + 1] = {0.356390, 0.017147, 0.429733,
	                                      -0.029947};
	struct bt_softmax_regression p = {.rows = rows,
	                                  .ctx = &x[0][0],
	                                  .scale = 1,
	                                  .y = y,
	                                  .weight = weight,
	                                  .n = N,
	                                  .cols = COLS,
	                                  .classes = 2,
	                                  .c = 1};
	float w[2][COLS], b[2];
	struct bt_error err = {0};
	size_t i;

	make_data();
	for (i = 0; i < N; i++)
		y[i] = y[i] > 0;
	assert_ok(bt_pool_new(1, &p.pool, &err));
	assert_ok(bt_softmax_regression(&p, &w[0][0], b, &err));
	for (i = 0; i < COLS; i++)
		assert_true(fabs((double)(w[1][i] - w[0][i]) - want[i]) < 2e-4);
	assert_true(fabs((double)(b[1] - b[0]) - want[COLS]) < 2e-4);
	bt_pool_free(p.pool);
}

/* More rows than are in memory at once: each row COPIES times, and the penalty
 * as much larger. */
TEST(more_rows_than_a_block)
{
	enum { COPIES = 301 };
	static float many[COPIES * N][COLS], weights[COPIES * N];
	static int32_t classes[COPIES * N];
	float w[CLASSES][COLS], b[CLASSES], w1[CLASSES][COLS], b1[CLASSES];
	struct bt_softmax_regression p = {.rows = rows,
	                                  .ctx = &x[0][0],
	                                  .scale = 1,
	                                  .y = y,
	                                  .weight = weight,
	                                  .n = N,
	                                  .cols = COLS,
	                                  .classes = CLASSES,
	                                  .c = 3};
	struct bt_error err = {0};
	size_t i;

	make_data();
	assert_ok(bt_pool_new(2, &p.pool, &err));
	assert_ok(bt_softmax_regression(&p, &w1[0][0], b1, &err));
	for (i = 0; i < COPIES * N; i++) {
		memcpy(many[i], x[i % N], sizeof(many[i]));
		classes[i] = y[i % N];
		weights[i] = weight[i % N];
	}
	p.ctx = &many[0][0];
	p.y = classes;
	p.weight = weights;
	p.n = COPIES * N;
	p.c /= COPIES;
	assert_ok(bt_softmax_regression(&p, &w[0][0], b, &err));
	for (i = 0; i < CLASSES * COLS; i++)
		assert_true(fabsf((&w[0][0])[i] - (&w1[0][0])[i]) < 1e-3f);
	for (i = 0; i < CLASSES; i++)
		assert_true(fabsf(b[i] - b1[i]) < 1e-3f);
	bt_pool_free(p.pool);
}

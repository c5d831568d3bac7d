/* SPDX-License-Identifier: MIT */
/* Dropout masks, activations, add and gated in plain C. */
#include <math.h>

#include "base/philox.h"
#include "cpu/ref_int.h"

void bt_ref_dropout(const struct bt_dropout *d, uint32_t row, size_t n,
                    float *m)
{
	uint32_t c[4], w[4], bits;
	size_t i, group;

	for (i = 0; i < n; i++) {
		if (d->threshold == 0) {
			m[i] = 1;
			continue;
		}
		c[0] = (uint32_t)(i / 128 * 16 + i % 16);
		c[1] = d->row0 + row;
		c[2] = d->step;
		c[3] = d->stream;
		bt_philox(d->seed, c, w);
		group = i % 128 / 16;
		bits = w[group / 2] >> (group % 2 * 16) & 0xffff;
		m[i] = bits < d->threshold ? 0 : d->scale;
	}
}

#define SQRT_HALF 0.70710678118654752440f
#define SQRT_2_OVER_PI 0.79788456080286535588f
#define INV_SQRT_2PI 0.39894228040143267794f

static float act_value(enum bt_activation act, float x)
{
	switch (act) {
	case BT_ACT_GELU:
		return 0.5f * x * (1 + erff(x * SQRT_HALF));
	case BT_ACT_GELU_TANH:
		return 0.5f * x *
		       (1 +
		        tanhf(SQRT_2_OVER_PI * (x + 0.044715f * x * x * x)));
	case BT_ACT_RELU:
		return x > 0 ? x : 0;
	case BT_ACT_TANH:
		return tanhf(x);
	case BT_ACT_SOFTPLUS: /* in this order a NaN stays one */
		return (x < 0 ? 0 : x) + log1pf(expf(-fabsf(x)));
	case BT_ACT_SILU:
		return x / (1 + expf(-x));
	default:
		return x;
	}
}

static float act_slope(enum bt_activation act, float x)
{
	float t;

	switch (act) {
	case BT_ACT_GELU:
		return 0.5f * (1 + erff(x * SQRT_HALF)) +
		       x * INV_SQRT_2PI * expf(-0.5f * x * x);
	case BT_ACT_GELU_TANH:
		t = tanhf(SQRT_2_OVER_PI * (x + 0.044715f * x * x * x));
		return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) *
		                            SQRT_2_OVER_PI *
		                            (1 + 3 * 0.044715f * x * x);
	case BT_ACT_RELU:
		return x > 0 ? 1 : 0;
	case BT_ACT_TANH:
		t = tanhf(x);
		return 1 - t * t;
	case BT_ACT_SOFTPLUS:
		return 1 / (1 + expf(-x));
	case BT_ACT_SILU:
		t = 1 / (1 + expf(-x));
		return t * (1 + x * (1 - t));
	default:
		return 1;
	}
}

void bt_ref_act(enum bt_activation act, bool bf16, const void *x, void *y,
                size_t rows, size_t cols, size_t ld)
{
	size_t r, i;

	for (r = 0; r < rows; r++)
		for (i = r * ld; i < r * ld + cols; i++)
			put(y, i, bf16, act_value(act, get(x, i, bf16)));
}

void bt_ref_act_back(enum bt_activation act, bool bf16, const void *x,
                     const void *dy, void *dx, size_t rows, size_t cols,
                     size_t ld)
{
	size_t r, i;

	for (r = 0; r < rows; r++)
		for (i = r * ld; i < r * ld + cols; i++)
			put(dx, i, bf16,
			    get(dy, i, bf16) * act_slope(act, get(x, i, bf16)));
}

void bt_ref_add(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, at;
	float y;

	for (r = row0; r < row1; r++) {
		bt_ref_dropout(&a->drop, (uint32_t)r, a->cols, m);
		for (i = 0; i < a->cols; i++) {
			at = r * a->cols + i;
			y = a->residual[at] + m[i] * get(a->x, at, a->x_bf16);
			if (a->y != NULL)
				a->y[at] = y;
			if (a->y_bf16 != NULL)
				a->y_bf16[at] = bt_f32_to_bf16(y);
		}
	}
}

void bt_ref_add_back(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, at;

	for (r = row0; r < row1; r++) {
		bt_ref_dropout(&a->drop, (uint32_t)r, a->cols, m);
		for (i = 0; i < a->cols; i++) {
			at = r * a->cols + i;
			put(a->dx, at, a->dx_bf16, m[i] * a->dy[at]);
			if (a->add_residual)
				a->dresidual[at] += a->dy[at];
			else
				a->dresidual[at] = a->dy[at];
		}
	}
}

void bt_ref_glu(const struct bt_glu *a, size_t row0, size_t row1, float *y)
{
	size_t r, i, at;

	for (r = row0; r < row1; r++)
		for (i = 0; i < a->cols; i++) {
			at = 2 * r * a->cols + i;
			y[0] = get(a->x, at + a->gate, a->x_bf16);
			bt_ref_act(a->act, false, y, y, 1, 1, 1);
			y[0] *= get(a->x, at + a->other, a->x_bf16);
			at = r * a->cols + i;
			if (a->y != NULL)
				a->y[at] = y[0];
			if (a->y_bf16 != NULL)
				a->y_bf16[at] = bt_f32_to_bf16(y[0]);
		}
}

void bt_ref_glu_back(const struct bt_glu *a, size_t row0, size_t row1,
                     float *scratch)
{
	float x, dy, gate;
	size_t r, i, at;

	for (r = row0; r < row1; r++)
		for (i = 0; i < a->cols; i++) {
			at = 2 * r * a->cols + i;
			x = get(a->x, at + a->gate, a->x_bf16);
			gate = get(a->x, at + a->other, a->x_bf16);
			dy = get(a->dy, r * a->cols + i, a->dy_bf16);
			gate *= dy;
			bt_ref_act_back(a->act, false, &x, &gate, &scratch[0],
			                1, 1, 1);
			bt_ref_act(a->act, false, &x, &scratch[1], 1, 1, 1);
			put(a->dx, at + a->gate, a->dx_bf16, scratch[0]);
			put(a->dx, at + a->other, a->dx_bf16, scratch[1] * dy);
		}
}

/* SPDX-License-Identifier: MIT */
/*
 * The kernels in plain C: what each one means, and the fallback on any CPU.
 * Formulas stand in op/ops.h.
 */
#include <math.h>
#include <string.h>

#include "cpu/kernels_int.h"

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
			bt_ref_put(y, i, bf16,
			           act_value(act, bt_ref_get(x, i, bf16)));
}

void bt_ref_act_back(enum bt_activation act, bool bf16, const void *x,
                     const void *dy, void *dx, size_t rows, size_t cols,
                     size_t ld)
{
	size_t r, i;

	for (r = 0; r < rows; r++)
		for (i = r * ld; i < r * ld + cols; i++)
			bt_ref_put(dx, i, bf16,
			           bt_ref_get(dy, i, bf16) *
			               act_slope(act, bt_ref_get(x, i, bf16)));
}

static void add(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, at;
	float y;

	for (r = row0; r < row1; r++) {
		bt_ref_dropout(&a->drop, (uint32_t)r, a->cols, m);
		for (i = 0; i < a->cols; i++) {
			at = r * a->cols + i;
			y = a->residual[at] +
			    m[i] * bt_ref_get(a->x, at, a->x_bf16);
			if (a->y != NULL)
				a->y[at] = y;
			if (a->y_bf16 != NULL)
				a->y_bf16[at] = bt_f32_to_bf16(y);
		}
	}
}

static void add_back(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, at;

	for (r = row0; r < row1; r++) {
		bt_ref_dropout(&a->drop, (uint32_t)r, a->cols, m);
		for (i = 0; i < a->cols; i++) {
			at = r * a->cols + i;
			bt_ref_put(a->dx, at, a->dx_bf16, m[i] * a->dy[at]);
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
			y[0] = bt_ref_get(a->x, at + a->gate, a->x_bf16);
			bt_ref_act(a->act, false, y, y, 1, 1, 1);
			y[0] *= bt_ref_get(a->x, at + a->other, a->x_bf16);
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
			x = bt_ref_get(a->x, at + a->gate, a->x_bf16);
			gate = bt_ref_get(a->x, at + a->other, a->x_bf16);
			dy = bt_ref_get(a->dy, r * a->cols + i, a->dy_bf16);
			gate *= dy;
			bt_ref_act_back(a->act, false, &x, &gate, &scratch[0],
			                1, 1, 1);
			bt_ref_act(a->act, false, &x, &scratch[1], 1, 1, 1);
			bt_ref_put(a->dx, at + a->gate, a->dx_bf16, scratch[0]);
			bt_ref_put(a->dx, at + a->other, a->dx_bf16,
			           scratch[1] * dy);
		}
}

static void to_bf16(const float *x, uint16_t *y, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		y[i] = bt_f32_to_bf16(x[i]);
}

static void from_bf16(const uint16_t *x, float *y, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		y[i] = bt_bf16_to_f32(x[i]);
}

static void embed(const struct bt_embed *a, float *z, size_t t0, size_t t1)
{
	size_t t, i, h = a->cols;

	for (t = t0; t < t1; t++)
		for (i = 0; i < h; i++) {
			float s = a->word[(size_t)a->ids[t] * h + i] +
			          a->position[(size_t)a->positions[t] * h + i];

			if (a->type != NULL)
				s += a->type[(size_t)a->types[t] * h + i];
			z[t * h + i] = s;
		}
}

/* Makes z of one row and its mean and 1/sqrt(var + eps). */
static void norm_row(const struct bt_norm *a, size_t r, float *m)
{
	size_t i, h = a->cols;
	float *z = a->z + r * h;
	double sum = 0, squares = 0, mean;

	if (a->x != NULL) {
		bt_ref_dropout(&a->drop, (uint32_t)r, h, m);
		for (i = 0; i < h; i++)
			z[i] = a->residual[r * h + i] +
			       m[i] * bt_ref_get(a->x, r * h + i, a->x_bf16);
	}
	for (i = 0; i < h && !a->rms; i++)
		sum += z[i];
	mean = sum / (double)h;
	for (i = 0; i < h; i++)
		squares += (z[i] - mean) * (z[i] - mean);
	a->stats[2 * r] = (float)mean;
	a->stats[2 * r + 1] =
	    (float)(1 / sqrt(squares / (double)h + (double)a->eps));
}

static void norm(const struct bt_norm *a, size_t row0, size_t row1,
                 float *scratch)
{
	size_t r, i, h = a->cols;
	float y, mean, rstd;

	for (r = row0; r < row1; r++) {
		norm_row(a, r, scratch);
		mean = a->stats[2 * r];
		rstd = a->stats[2 * r + 1];
		bt_ref_dropout(&a->drop_out, (uint32_t)r, h, scratch);
		for (i = 0; i < h; i++) {
			y = (a->z[r * h + i] - mean) * rstd * a->gamma[i] +
			    a->beta[i];
			y *= scratch[i];
			if (a->y != NULL)
				a->y[r * h + i] = y;
			if (a->y_bf16 != NULL)
				a->y_bf16[r * h + i] = bt_f32_to_bf16(y);
		}
	}
}

static void norm_back(const struct bt_norm *a, size_t row0, size_t row1,
                      float *dgamma, float *dbeta, float *scratch)
{
	size_t r, i, h = a->cols;
	float *m = scratch, *dy = scratch + bt_drop_room(h);
	float mean, rstd, n, dz;
	double g_sum, gn_sum;

	for (r = row0; r < row1; r++) {
		mean = a->stats[2 * r];
		rstd = a->stats[2 * r + 1];
		bt_ref_dropout(&a->drop_out, (uint32_t)r, h, m);
		g_sum = gn_sum = 0;
		for (i = 0; i < h; i++) {
			dy[i] = m[i] * a->dy[r * h + i];
			n = (a->z[r * h + i] - mean) * rstd;
			dgamma[i] += dy[i] * n;
			dbeta[i] += dy[i];
			g_sum += dy[i] * a->gamma[i];
			gn_sum += dy[i] * a->gamma[i] * n;
		}
		if (a->rms)
			g_sum = 0;
		bt_ref_dropout(&a->drop, (uint32_t)r, h, m);
		for (i = 0; i < h; i++) {
			n = (a->z[r * h + i] - mean) * rstd;
			dz = rstd *
			     (dy[i] * a->gamma[i] - (float)(g_sum / (double)h) -
			      n * (float)(gn_sum / (double)h));
			if (a->add_residual)
				a->dresidual[r * h + i] += dz;
			else
				a->dresidual[r * h + i] = dz;
			if (a->dx != NULL)
				bt_ref_put(a->dx, r * h + i, a->dx_bf16,
				           m[i] * dz);
		}
	}
}

static void column_sums(bool bf16, const void *x, size_t rows, size_t cols,
                        size_t ld, float *sum)
{
	size_t r, i;

	for (r = 0; r < rows; r++)
		for (i = 0; i < cols; i++)
			sum[i] += bt_ref_get(x, r * ld + i, bf16);
}

static void axpy(float a, const float *x, float *y, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		y[i] += a * x[i];
}

static double sum_squares(const float *x, size_t n)
{
	double s = 0;
	size_t i;

	for (i = 0; i < n; i++)
		s += (double)x[i] * (double)x[i];
	return s;
}

/* The gradient as a step takes it. */
static float held(float g, float scale, float limit)
{
	return fminf(fmaxf(g * scale, -limit), limit);
}

static void adam_moments(const struct bt_adamw *a, float *m, float *v, float g)
{
	float x = held(g, a->grad_scale, a->limit);

	*m = a->beta1 * *m + a->fresh1 * x;
	*v = a->beta2 * *v + a->fresh2 * x * x;
}

static float adam_step(const struct bt_adamw *a, float m, float v)
{
	return a->rate * m / (sqrtf(v) * a->correct2 + a->eps);
}

static float adam_apply(const struct bt_adamw *a, float p, float m, float v)
{
	return p * a->keep - adam_step(a, m, v);
}

static void lamb_apply(const struct bt_adamw *a, float *p, const float *m,
                       const float *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = adam_apply(a, p[i], m[i], v[i]);
}

static void adamw(const struct bt_adamw *a, float *p, float *m, float *v,
                  const float *g, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		adam_moments(a, &m[i], &v[i], g[i]);
	lamb_apply(a, p, m, v, n);
}

static void adamw_idle(const struct bt_adamw *a, size_t steps, float *p,
                       float *m, float *v, size_t n)
{
	size_t i, s;

	for (i = 0; i < n; i++)
		for (s = 0; s < steps; s++) {
			if (m != NULL)
				adam_moments(&a[s], &m[i], &v[i], 0);
			p[i] = m != NULL ? adam_apply(&a[s], p[i], m[i], v[i])
			                 : p[i] * a[s].keep;
		}
}

static void lamb(const struct bt_adamw *a, const float *p, float *m, float *v,
                 const float *g, size_t n, double norms[2])
{
	size_t i;
	float u;

	for (i = 0; i < n; i++) {
		adam_moments(a, &m[i], &v[i], g[i]);
		u = adam_step(a, m[i], v[i]) + a->decay * p[i];
		norms[0] += (double)p[i] * (double)p[i];
		norms[1] += (double)u * (double)u;
	}
}

static void sgd(const struct bt_sgd *a, float *p, float *m, const float *g,
                size_t n)
{
	float x;
	size_t i;

	for (i = 0; i < n; i++) {
		x = held(g[i], a->grad_scale, a->limit) + a->decay * p[i];
		m[i] = a->momentum * m[i] + x;
		p[i] -= a->rate * m[i];
	}
}

static void pair_bf16(const float *x, const float *y, uint32_t *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = bt_f32_to_bf16(x[i]) | (uint32_t)bt_f32_to_bf16(y[i])
		                                    << 16;
}

static void transpose16(const uint32_t *src, size_t step, uint32_t *out,
                        size_t width)
{
	size_t i, j;

	for (i = 0; i < 16; i++)
		for (j = 0; j < 16; j++)
			out[i * width + j] = src[j * step + i];
}

static void pack_end(void)
{
}

#include "cpu/pack_int.h"

#define PANEL ((size_t)16)

/* One element of the sum of either product. */
static void product_end(const struct bt_multiply *p, size_t i, size_t j,
                        float s)
{
	float *c = p->c + i * p->c_row + j;

	if (p->add)
		s += *c;
	*c = p->bias != NULL ? s + p->bias[j] : s;
}

static void product(const struct bt_multiply *p)
{
	size_t b_panel = bt_round_up(p->k, PACK_K) * PANEL, i, j, q;
	const float *b;
	float s;

	for (i = 0; i < p->m; i++)
		for (j = 0; j < p->n; j++) {
			b = p->b + j / PANEL * b_panel + j % PANEL;
			s = 0;
			for (q = 0; q < p->k; q++)
				s += p->a[i * p->a_row + q] * b[q * PANEL];
			product_end(p, i, j, s);
		}
}

static void product_at(const struct bt_multiply *p)
{
	size_t i, j, q;
	float s;

	for (i = 0; i < p->m; i++)
		for (j = 0; j < p->n; j++) {
			s = 0;
			for (q = 0; q < p->k; q++)
				s += p->a[q * p->a_row + i] *
				     p->b[q * p->b_row + j];
			product_end(p, i, j, s);
		}
}

const struct bt_kernels bt_kernels_ref = {
    .isa = BT_ISA_REF,
    .to_bf16 = to_bf16,
    .from_bf16 = from_bf16,
    .dropout = bt_ref_dropout,
    .embed = embed,
    .norm = norm,
    .norm_back = norm_back,
    .add = add,
    .add_back = add_back,
    .glu = bt_ref_glu,
    .glu_back = bt_ref_glu_back,
    .act = bt_ref_act,
    .act_back = bt_ref_act_back,
    .column_sums = column_sums,
    .pack = pack_matrix,
    .panel = PANEL,
    .product = product,
    .product_at = product_at,
    .attend = bt_ref_attend,
    .attend_back = bt_ref_attend_back,
    .axpy = axpy,
    .sum_squares = sum_squares,
    .adamw = adamw,
    .adamw_idle = adamw_idle,
    .lamb = lamb,
    .lamb_apply = lamb_apply,
    .sgd = sgd,
};

/* SPDX-License-Identifier: MIT */
/* Template, part 4: kernels of the optimizers. Each reads and writes
 * an array once. */
#ifndef BT_CPU_SIMD_OPTIM_INT_H
#define BT_CPU_SIMD_OPTIM_INT_H

#include "cpu/simd_math_int.h"

/* VL floats, or the n that are left with zeros behind them. */
VEC vf take(const float *p, size_t n)
{
	return n >= VL ? v_load(p) : v_loadn(p, n);
}

VEC void give(float *p, vf x, size_t n)
{
	if (n >= VL)
		v_store(p, x);
	else
		v_storen(p, x, n);
}

/* The gradient as a step takes it. */
VEC vf held(vf g, float scale, float limit)
{
	vf x = v_mul(g, v_set1(scale));

	return v_min(v_max(x, v_set1(-limit)), v_set1(limit));
}

VEC void adam_moments(const struct bt_adamw *a, vf g, vf *m, vf *v)
{
	vf x = held(g, a->grad_scale, a->limit);

	*m = v_fma(v_set1(a->fresh1), x, v_mul(v_set1(a->beta1), *m));
	*v = v_fma(v_mul(v_set1(a->fresh2), x), x, v_mul(v_set1(a->beta2), *v));
}

VEC vf adam_step(const struct bt_adamw *a, vf m, vf v)
{
	return v_div(v_mul(v_set1(a->rate), m),
	             v_fma(v_sqrt(v), v_set1(a->correct2), v_set1(a->eps)));
}

VEC vf adam_apply(const struct bt_adamw *a, vf p, vf m, vf v)
{
	return v_sub(v_mul(p, v_set1(a->keep)), adam_step(a, m, v));
}

static void adamw(const struct bt_adamw *a, float *p, float *m, float *v,
                  const float *g, size_t n)
{
	const struct bt_adamw c = *a; /* stores cannot change it */
	size_t i;
	vf x, y;

	for (i = 0; i < n; i += VL) {
		x = take(m + i, n - i);
		y = take(v + i, n - i);
		adam_moments(&c, take(g + i, n - i), &x, &y);
		give(m + i, x, n - i);
		give(v + i, y, n - i);
		give(p + i, adam_apply(&c, take(p + i, n - i), x, y), n - i);
	}
}

/* A vector goes through all steps before the next one is read. */
static void adamw_idle(const struct bt_adamw *a, size_t steps, float *p,
                       float *m, float *v, size_t n)
{
	size_t i, s;
	vf w, x, y;

	for (i = 0; i < n; i += VL) {
		w = take(p + i, n - i);
		if (m == NULL) {
			for (s = 0; s < steps; s++)
				w = v_mul(w, v_set1(a[s].keep));
			give(p + i, w, n - i);
			continue;
		}
		x = take(m + i, n - i);
		y = take(v + i, n - i);
		for (s = 0; s < steps; s++) {
			adam_moments(&a[s], v_set1(0), &x, &y);
			w = adam_apply(&a[s], w, x, y);
		}
		give(m + i, x, n - i);
		give(v + i, y, n - i);
		give(p + i, w, n - i);
	}
}

/* f32 sums over short runs, added up in double. */
static void lamb(const struct bt_adamw *a, const float *p, float *m, float *v,
                 const float *g, size_t n, double norms[2])
{
	const struct bt_adamw c = *a;
	size_t i = 0, end;
	vf x, y, w, ps, us;

	while (i < n) {
		end = n - i > 64 * VL ? i + 64 * VL : n;
		ps = us = v_set1(0);
		for (; i < end; i += VL) {
			x = take(m + i, n - i);
			y = take(v + i, n - i);
			adam_moments(&c, take(g + i, n - i), &x, &y);
			give(m + i, x, n - i);
			give(v + i, y, n - i);
			w = take(p + i, n - i);
			x = v_fma(w, v_set1(c.decay), adam_step(&c, x, y));
			ps = v_fma(w, w, ps);
			us = v_fma(x, x, us);
		}
		norms[0] += (double)v_sum(ps);
		norms[1] += (double)v_sum(us);
	}
}

static void lamb_apply(const struct bt_adamw *a, float *p, const float *m,
                       const float *v, size_t n)
{
	const struct bt_adamw c = *a;
	size_t i;
	vf x;

	for (i = 0; i < n; i += VL) {
		x = adam_apply(&c, take(p + i, n - i), take(m + i, n - i),
		               take(v + i, n - i));
		give(p + i, x, n - i);
	}
}

static void sgd(const struct bt_sgd *a, float *p, float *m, const float *g,
                size_t n)
{
	const struct bt_sgd c = *a;
	vf x, w;
	size_t i;

	for (i = 0; i < n; i += VL) {
		w = take(p + i, n - i);
		x = held(take(g + i, n - i), c.grad_scale, c.limit);
		x = v_fma(w, v_set1(c.decay), x);
		x = v_fma(take(m + i, n - i), v_set1(c.momentum), x);
		give(m + i, x, n - i);
		give(p + i, v_fnma(v_set1(c.rate), x, w), n - i);
	}
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Template, part 1: functions of vectors. A file for one instruction set
 * includes its vec_*_int.h, which defines the words below for vectors `vf` of
 * VL floats and `vu` of VL unsigned 32-bit numbers, of which the processor has
 * REGISTERS, and then the parts.
 *
 *   v_load v_store            whole vectors
 *   v_loadn v_storen          of these the first n < VL; the other lanes are 0
 *                             or not written
 *   v_load_bf16 ...           the same from and to bf16, rounded to even
 *   v_set1 v_add v_sub v_mul v_div v_sqrt v_max v_min v_abs
 *   v_fma(a,b,c)              a b + c; v_fnma(a,b,c): c - a b
 *   v_rcp                     1/a to about one unit in the last place
 *   v_rcp_approx              1/a to 2^-14 or better
 *   v_if_negative(x,a,b)      a where x < 0, else b
 *   v_round                   to the nearest whole number
 *   v_times_2_to(a,n)         a * 2^n for whole n in -126 .. 127
 *   v_sum v_highest           over the lanes
 *   u_set1 u_count u_add u_xor u_low16 u_high16
 *   u_mul_wide(a,b,&h,&l)     64-bit products, upper and lower halves
 *   u_stream                  whole vectors of integers to an aligned place
 *                             that is not read again soon; u_stream_end after
 *   v_pair_bf16(x,y)          each lane x in bf16, with y in bf16 above it
 *   v_dot_pairs(a,b,c)        c + a b, the sum of two products in each lane
 *                             of a and b, pairs of bf16; and
 *   v_store_pairs(p,x,y)      v_pair_bf16(x,y) as such pairs, where the
 *                             processor has them: PAIRS 1
 *   u_transpose(s,p,d,q,far)  d[i * q + j] = s[j * p + i] for i, j below VL
 *                             of 32 bits each; far: as by u_stream
 *   v_keep(bits,t,s)          s where bits >= t (both < 2^16), else 0
 */
#ifndef BT_CPU_SIMD_MATH_INT_H
#define BT_CPU_SIMD_MATH_INT_H

#include <math.h>
#include <stdbool.h>

#include "base/philox.h"
#include "cpu/kernels_int.h"

/* Loads and stores of either type; n <= VL lanes. */
VEC vf get(bool bf16, const void *x, size_t i)
{
	return bf16 ? v_load_bf16((const uint16_t *)x + i)
	            : v_load((const float *)x + i);
}

VEC vf getn(bool bf16, const void *x, size_t i, size_t n)
{
	return bf16 ? v_loadn_bf16((const uint16_t *)x + i, n)
	            : v_loadn((const float *)x + i, n);
}

VEC void put(bool bf16, void *y, size_t i, vf v)
{
	if (bf16)
		v_store_bf16((uint16_t *)y + i, v);
	else
		v_store((float *)y + i, v);
}

VEC void putn(bool bf16, void *y, size_t i, vf v, size_t n)
{
	if (bf16)
		v_storen_bf16((uint16_t *)y + i, v, n);
	else
		v_storen((float *)y + i, v, n);
}

/*
 * e^x to about 2 units in the last place; below -87 it is 0 or nearly so, above
 * 88 it stays at e^88. x = n ln 2 + r, |r| <= ln 2 / 2; e^r = 1 + r + r^2 p(r)
 * with p fitted for the least largest relative error (3e-9).
 */
VEC vf v_exp(vf x)
{
	vf n, r, p;

	/* in this order a NaN stays one */
	x = v_min(v_set1(88.0f), v_max(v_set1(-87.0f), x));
	n = v_round(v_mul(x, v_set1(1.44269504f)));
	r = v_fnma(n, v_set1(0.693145752f), x); /* ln 2 in two parts */
	r = v_fnma(n, v_set1(1.42860677e-6f), r);
	p = v_set1(0.0013814596f);
	p = v_fma(p, r, v_set1(0.0083687175f));
	p = v_fma(p, r, v_set1(0.04166839f));
	p = v_fma(p, r, v_set1(0.16666521f));
	p = v_fma(p, r, v_set1(0.49999994f));
	p = v_fma(p, v_mul(r, r), r);
	p = v_add(p, v_set1(1.0f));
	return v_times_2_to(p, n);
}

/* 2^x to 3e-6, for what becomes bf16, by a polynomial of degree 4; |x| <= 126.
 */
VEC vf v_exp2_bf16(vf x)
{
	vf n = v_round(x), r = v_sub(x, n), p;

	p = v_set1(0.0096004f);
	p = v_fma(p, r, v_set1(0.05591689f));
	p = v_fma(p, r, v_set1(0.24023718f));
	p = v_fma(p, r, v_set1(0.69312199f));
	p = v_fma(p, r, v_set1(1.0f));
	return v_times_2_to(p, n);
}

/* e^x in the same way; beyond +-87 it stays. */
VEC vf v_exp_bf16(vf x)
{
	vf v = v_mul(x, v_set1(1.44269504f));

	/* in this order a NaN stays one */
	return v_exp2_bf16(v_min(v_set1(126.0f), v_max(v_set1(-126.0f), v)));
}

/*
 * Phi(x), the normal distribution, and *bell = e^(-x^2/2). For a = |x| the
 * upper tail is t P(t) e^(-a^2/2) with t = 1/(1 + 0.27 a) and P of degree 8
 * fitted to a relative error of 2e-8 over 0 <= a <= 13 (4e-7 in f32).
 */
VEC vf v_normal(vf x, vf *bell)
{
	vf a = v_abs(x), t, p, tail;

	*bell = v_exp(v_mul(v_mul(a, a), v_set1(-0.5f)));
	t = v_rcp(v_fma(a, v_set1(0.27f), v_set1(1.0f)));
	p = v_set1(0.028811641f);
	p = v_fma(p, t, v_set1(-0.12573212f));
	p = v_fma(p, t, v_set1(0.16816485f));
	p = v_fma(p, t, v_set1(-0.06727223f));
	p = v_fma(p, t, v_set1(0.10641984f));
	p = v_fma(p, t, v_set1(0.07268119f));
	p = v_fma(p, t, v_set1(0.10163937f));
	p = v_fma(p, t, v_set1(0.10756843f));
	p = v_fma(p, t, v_set1(0.10771906f));
	tail = v_mul(v_mul(t, p), *bell);
	return v_if_negative(x, tail, v_sub(v_set1(1.0f), tail));
}

/*
 * The same for what becomes bf16, to 1.5e-4, a thirteenth of half its last
 * place: P of degree 4 with t = 1/(1 + 0.37 a), fitted to 2e-5.
 */
VEC vf v_normal_bf16(vf x, vf *bell)
{
	vf a = v_abs(x), v, t, p, tail;

	v = v_mul(v_mul(a, a), v_set1(-0.72134752f));
	/* in this order a NaN stays one */
	*bell = v_exp2_bf16(v_max(v_set1(-126.0f), v));
	t = v_rcp_approx(v_fma(a, v_set1(0.37f), v_set1(1.0f)));
	p = v_set1(-0.09302455f);
	p = v_fma(p, t, v_set1(0.21612358f));
	p = v_fma(p, t, v_set1(0.07110378f));
	p = v_fma(p, t, v_set1(0.15906264f));
	p = v_fma(p, t, v_set1(0.14672527f));
	tail = v_mul(v_mul(t, p), *bell);
	return v_if_negative(x, tail, v_sub(v_set1(1.0f), tail));
}

/*
 * x Phi(x) for what becomes bf16: max(x, 0) - a Phi(-a) with a = |x|. The
 * logarithm of the upper tail to base 2 by a polynomial of degree 5, fitted to
 * 2.2e-4 where a Phi(-a) is above 1e-6, so that the tail is off by 1.5e-4; it
 * falls on to a = 12, 1e-33.
 */
VEC vf v_gelu_bf16(vf x)
{
	/* in this order a NaN stays one */
	vf a = v_min(v_set1(12.0f), v_abs(x)), p;

	p = v_set1(-1.87948162e-4f);
	p = v_fma(p, a, v_set1(4.66576672e-3f));
	p = v_fma(p, a, v_set1(-0.0446695067f));
	p = v_fma(p, a, v_set1(-0.468661906f));
	p = v_fma(p, a, v_set1(-1.14703877f));
	p = v_fma(p, a, v_set1(-1.0003403f));
	return v_fnma(a, v_exp2_bf16(p), v_max(v_set1(0), x));
}

/* sqrt(2/pi) (x + 0.044715 x^3) */
VEC vf gelu_tanh_argument(vf x)
{
	vf x2 = v_mul(x, x);

	return v_mul(x, v_fma(x2, v_set1(0.035677408f), v_set1(0.79788456f)));
}

VEC vf v_gelu(bool bf16, vf x)
{
	vf bell;

	return bf16 ? v_gelu_bf16(x) : v_mul(x, v_normal(x, &bell));
}

VEC vf v_gelu_slope(bool bf16, vf x)
{
	vf bell, p = bf16 ? v_normal_bf16(x, &bell) : v_normal(x, &bell);

	return v_fma(v_mul(x, v_set1(0.39894228f)), bell, p);
}

/*
 * The logistic function s = e^x / (1 + e^x), and *rest = 1 - s. From 60 on s is
 * 1; e^88 would make *rest subnormal, which is flushed to zero, and s with it.
 */
VEC vf v_logistic(vf x, vf *rest)
{
	vf e = v_exp(v_min(v_set1(60.0f), x)); /* so that a NaN stays one */

	*rest = v_div(v_set1(1.0f), v_add(e, v_set1(1.0f)));
	return v_mul(e, *rest);
}

/* With the logistic function s of twice the argument u, (1 + tanh u) / 2 = s:
 * the value is x s and the slope s + 2 x s (1 - s) du/dx. */
VEC vf gelu_tanh_share(vf x, vf *rest)
{
	return v_logistic(v_mul(gelu_tanh_argument(x), v_set1(2.0f)), rest);
}

VEC vf v_gelu_tanh(vf x)
{
	vf rest;

	return v_mul(x, gelu_tanh_share(x, &rest));
}

VEC vf v_gelu_tanh_slope(vf x)
{
	vf rest, s = gelu_tanh_share(x, &rest);
	vf du = v_fma(v_mul(x, x), v_set1(0.10703222f), v_set1(0.79788456f));

	return v_fma(v_mul(v_mul(x, v_set1(2.0f)), v_mul(s, rest)), du, s);
}

/* With the logistic function s: the value is x s, the slope s + x s (1 - s). */
VEC vf v_silu(vf x)
{
	vf e = v_exp(x);

	return v_mul(x, v_div(e, v_add(e, v_set1(1.0f))));
}

VEC vf v_silu_slope(vf x)
{
	vf rest, s = v_logistic(x, &rest);

	return v_fma(v_mul(x, s), rest, s);
}

/* Philox for VL counters that differ in their first word. */
VEC void v_philox(uint64_t seed, vu c0, uint32_t c1, uint32_t c2, uint32_t c3,
                  vu out[4])
{
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
	vu x0 = c0, x1 = u_set1(c1), x2 = u_set1(c2), x3 = u_set1(c3);
	vu h0, l0, h1, l1;
	int i;

	for (i = 0; i < 10; i++) {
		u_mul_wide(x0, u_set1(BT_PHILOX_M0), &h0, &l0);
		u_mul_wide(x2, u_set1(BT_PHILOX_M1), &h1, &l1);
		x0 = u_xor(u_xor(h1, x1), u_set1(k0));
		x1 = l1;
		x2 = u_xor(u_xor(h0, x3), u_set1(k1));
		x3 = l0;
		k0 += BT_PHILOX_W0;
		k1 += BT_PHILOX_W1;
	}
	out[0] = x0;
	out[1] = x1;
	out[2] = x2;
	out[3] = x3;
}

/* As the kernel `dropout`, for elements 128 * block0 on; writes whole blocks of
 * 128, so m needs room for them. */
static void drop_fill(const struct bt_dropout *d, uint32_t row, size_t block0,
                      size_t n, float *m)
{
	vu threshold = u_set1(d->threshold), w[4];
	vf scale = v_set1(d->scale);
	size_t b, lane, i;

	if (d->threshold == 0) {
		for (i = 0; i < bt_drop_room(n); i += VL)
			v_store(m + i, v_set1(1.0f));
		return;
	}
	for (b = 0; b * 128 < n; b++, m += 128)
		for (lane = 0; lane < 16; lane += VL) {
			v_philox(
			    d->seed,
			    u_add(u_count(),
			          u_set1((uint32_t)((block0 + b) * 16 + lane))),
			    d->row0 + row, d->step, d->stream, w);
			for (i = 0; i < 4; i++) {
				v_store(
				    m + 32 * i + lane,
				    v_keep(u_low16(w[i]), threshold, scale));
				v_store(
				    m + 32 * i + 16 + lane,
				    v_keep(u_high16(w[i]), threshold, scale));
			}
		}
}

#endif

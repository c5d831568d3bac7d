/* SPDX-License-Identifier: MIT */
/*
 * Template, part 2: kernels over rows and plain ranges. See
 * simd_math_int.h; what each computes is said in kernels.h and ref.c.
 */
#ifndef BT_CPU_SIMD_ROWS_INT_H
#define BT_CPU_SIMD_ROWS_INT_H

#include "cpu/simd_math_int.h"

static void to_bf16(const float *x, uint16_t *y, size_t n)
{
	size_t i;

	for (i = 0; i + VL <= n; i += VL)
		v_store_bf16(y + i, v_load(x + i));
	if (i < n)
		v_storen_bf16(y + i, v_loadn(x + i, n - i), n - i);
}

static void from_bf16(const uint16_t *x, float *y, size_t n)
{
	size_t i;

	for (i = 0; i + VL <= n; i += VL)
		v_store(y + i, v_load_bf16(x + i));
	if (i < n)
		v_storen(y + i, v_loadn_bf16(x + i, n - i), n - i);
}

static void dropout(const struct bt_dropout *d, uint32_t row, size_t n,
                    float *m)
{
	float last[128];
	size_t whole = n / 128 * 128, i;

	drop_fill(d, row, 0, whole, m);
	if (whole == n)
		return;
	drop_fill(d, row, whole / 128, n - whole, last);
	for (i = whole; i < n; i++)
		m[i] = last[i - whole];
}

static void embed(const struct bt_embed *a, float *z, size_t t0, size_t t1)
{
	const float *w, *p, *s;
	size_t t, i, h = a->cols;
	vf v;

	for (t = t0; t < t1; t++) {
		w = a->word + (size_t)a->ids[t] * h;
		p = a->position + (size_t)a->positions[t] * h;
		s = a->type != NULL ? a->type + (size_t)a->types[t] * h : NULL;
		for (i = 0; i + VL <= h; i += VL) {
			v = v_add(v_load(w + i), v_load(p + i));
			if (s != NULL)
				v = v_add(v, v_load(s + i));
			v_store(z + t * h + i, v);
		}
		if (i < h) {
			v = v_add(v_loadn(w + i, h - i), v_loadn(p + i, h - i));
			if (s != NULL)
				v = v_add(v, v_loadn(s + i, h - i));
			v_storen(z + t * h + i, v, h - i);
		}
	}
}

/* The next n of at most VL elements. */
VEC vf get_upto(bool bf16, const void *x, size_t at, size_t n)
{
	return n == VL ? get(bf16, x, at) : getn(bf16, x, at, n);
}

VEC void put_upto(bool bf16, void *y, size_t at, size_t n, vf v)
{
	if (n == VL)
		put(bf16, y, at, v);
	else
		putn(bf16, y, at, v, n);
}

VEC size_t lanes(size_t i, size_t end)
{
	return end - i < VL ? end - i : VL;
}

/* Elements i .. of row r of z, made where they are not there yet; m: the
 * multipliers of dropout, or NULL. */
VEC vf norm_z(const struct bt_norm *a, size_t r, size_t i, size_t n,
              const float *m)
{
	size_t at = r * a->cols + i;
	vf x;

	if (a->x == NULL)
		return get_upto(false, a->z, at, n);
	x = get_upto(a->x_bf16, a->x, at, n);
	if (m != NULL)
		x = v_mul(x, v_load(m + i));
	x = v_add(x, get_upto(false, a->residual, at, n));
	put_upto(false, a->z, at, n, x);
	return x;
}

/* Sums of one vector would each wait for the one before. */
VEC float sum_of_four(const vf s[4])
{
	return v_sum(v_add(v_add(s[0], s[1]), v_add(s[2], s[3])));
}

/* z of row r where it is not there yet; returns the sum of its elements. */
VEC float norm_sum(const struct bt_norm *a, size_t r, const float *m)
{
	vf sum[4] = {v_set1(0), v_set1(0), v_set1(0), v_set1(0)};
	size_t i = 0, h = a->cols, n, k;

	for (; i + 4 * VL <= h; i += 4 * VL)
		for (k = 0; k < 4; k++)
			sum[k] = v_add(sum[k], norm_z(a, r, i + k * VL, VL, m));
	for (; i < h; i += n) {
		n = lanes(i, h);
		sum[0] = v_add(sum[0], norm_z(a, r, i, n, m));
	}
	return sum_of_four(sum);
}

/* Sum of squared deviations of n elements from their mean. */
VEC float squared_deviations(const float *z, size_t n, float mean)
{
	vf sum[4] = {v_set1(0), v_set1(0), v_set1(0), v_set1(0)};
	vf d, c = v_set1(mean);
	float s, rest = 0;
	size_t i = 0, k;

	for (; i + 4 * VL <= n; i += 4 * VL)
		for (k = 0; k < 4; k++) {
			d = v_sub(v_load(z + i + k * VL), c);
			sum[k] = v_fma(d, d, sum[k]);
		}
	for (; i + VL <= n; i += VL) {
		d = v_sub(v_load(z + i), c);
		sum[0] = v_fma(d, d, sum[0]);
	}
	for (; i < n; i++) {
		s = z[i] - mean;
		rest += s * s;
	}
	return sum_of_four(sum) + rest;
}

VEC void norm_out(const struct bt_norm *a, size_t at, size_t n, vf y)
{
	if (n == VL) {
		if (a->y != NULL)
			v_store(a->y + at, y);
		if (a->y_bf16 != NULL)
			v_store_bf16(a->y_bf16 + at, y);
	} else {
		if (a->y != NULL)
			v_storen(a->y + at, y, n);
		if (a->y_bf16 != NULL)
			v_storen_bf16(a->y_bf16 + at, y, n);
	}
}

/* Row r of the result; m: the multipliers of its dropout, or NULL. */
VEC void norm_row(const struct bt_norm *a, size_t r, const float *m)
{
	vf c = v_set1(a->stats[2 * r]), s = v_set1(a->stats[2 * r + 1]), y;
	size_t i, n, h = a->cols, at = r * h;

	for (i = 0; i < h; i += n) {
		n = lanes(i, h);
		y = v_mul(v_sub(get_upto(false, a->z, at + i, n), c), s);
		y = v_fma(y, get_upto(false, a->gamma, i, n),
		          get_upto(false, a->beta, i, n));
		if (m != NULL)
			y = v_mul(y, v_load(m + i));
		norm_out(a, at + i, n, y);
	}
}

/* The multipliers of a row's dropout in m; NULL: nothing is dropped. */
VEC const float *multipliers(const struct bt_dropout *d, size_t r, size_t n,
                             float *m)
{
	if (d->threshold == 0)
		return NULL;
	drop_fill(d, (uint32_t)r, 0, n, m);
	return m;
}

static void norm_mean(const struct bt_norm *a, size_t r, float *scratch)
{
	const float *m =
	    a->x != NULL ? multipliers(&a->drop, r, a->cols, scratch) : NULL;
	float sum = m != NULL ? norm_sum(a, r, m) : norm_sum(a, r, NULL);

	a->stats[2 * r] = a->rms ? 0 : sum / (float)a->cols;
}

static void norm_deviation(const struct bt_norm *a, size_t r)
{
	size_t h = a->cols;
	float s = squared_deviations(a->z + r * h, h, a->stats[2 * r]);

	a->stats[2 * r + 1] = 1.0f / sqrtf(s / (float)h + a->eps);
}

/* Rows together: while one waits for its sum, another adds up. */
#define NORM_ROWS ((size_t)4)

static void norm(const struct bt_norm *a, size_t row0, size_t row1,
                 float *scratch)
{
	size_t r, end;
	const float *m;

	for (; row0 < row1; row0 = end) {
		end = row1 - row0 < NORM_ROWS ? row1 : row0 + NORM_ROWS;
		for (r = row0; r < end; r++)
			norm_mean(a, r, scratch);
		for (r = row0; r < end; r++)
			norm_deviation(a, r);
		for (r = row0; r < end; r++) {
			m = multipliers(&a->drop_out, r, a->cols, scratch);
			if (m != NULL)
				norm_row(a, r, m);
			else
				norm_row(a, r, NULL);
		}
	}
}

/* First pass of a row's backward: dy with its dropout, the sums for gamma and
 * beta, and the two means of the formula. */
VEC void norm_back_sums(const struct bt_norm *a, size_t r, float *dy,
                        float *dgamma, float *dbeta, float means[2])
{
	size_t i, h = a->cols, at = r * h, n;
	vf c = v_set1(a->stats[2 * r]), s = v_set1(a->stats[2 * r + 1]);
	vf d, g, x, sum_g = v_set1(0), sum_gx = v_set1(0);

	for (i = 0; i + VL <= h; i += VL) {
		d = v_mul(v_load(dy + i), v_load(a->dy + at + i));
		x = v_mul(v_sub(v_load(a->z + at + i), c), s);
		v_store(dy + i, d);
		v_store(dbeta + i, v_add(v_load(dbeta + i), d));
		v_store(dgamma + i, v_fma(d, x, v_load(dgamma + i)));
		g = v_mul(d, v_load(a->gamma + i));
		sum_g = v_add(sum_g, g);
		sum_gx = v_fma(g, x, sum_gx);
	}
	if (i < h) {
		n = h - i;
		d = v_mul(v_loadn(dy + i, n), v_loadn(a->dy + at + i, n));
		x = v_mul(v_sub(v_loadn(a->z + at + i, n), c), s);
		v_storen(dy + i, d, n);
		v_storen(dbeta + i, v_add(v_loadn(dbeta + i, n), d), n);
		v_storen(dgamma + i, v_fma(d, x, v_loadn(dgamma + i, n)), n);
		g = v_mul(d, v_loadn(a->gamma + i, n));
		sum_g = v_add(sum_g, g);
		sum_gx = v_fma(g, x, sum_gx);
	}
	means[0] = a->rms ? 0 : v_sum(sum_g) / (float)h;
	means[1] = v_sum(sum_gx) / (float)h;
}

/* Second pass: dz, and from it the gradients of residual and x. */
VEC void norm_back_out(const struct bt_norm *a, size_t r, const float *dy,
                       const float *m, const float means[2])
{
	size_t i, h = a->cols, at = r * h, n;
	vf c = v_set1(a->stats[2 * r]), s = v_set1(a->stats[2 * r + 1]);
	vf m0 = v_set1(means[0]), m1 = v_set1(means[1]), x, dz;
	bool bf16 = a->dx_bf16;

	for (i = 0; i + VL <= h; i += VL) {
		x = v_mul(v_sub(v_load(a->z + at + i), c), s);
		dz = v_mul(v_load(dy + i), v_load(a->gamma + i));
		dz = v_mul(v_fnma(x, m1, v_sub(dz, m0)), s);
		if (a->dx != NULL)
			put(bf16, a->dx, at + i, v_mul(dz, v_load(m + i)));
		if (a->add_residual)
			dz = v_add(dz, v_load(a->dresidual + at + i));
		v_store(a->dresidual + at + i, dz);
	}
	if (i < h) {
		n = h - i;
		x = v_mul(v_sub(v_loadn(a->z + at + i, n), c), s);
		dz = v_mul(v_loadn(dy + i, n), v_loadn(a->gamma + i, n));
		dz = v_mul(v_fnma(x, m1, v_sub(dz, m0)), s);
		if (a->dx != NULL)
			putn(bf16, a->dx, at + i, v_mul(dz, v_loadn(m + i, n)),
			     n);
		if (a->add_residual)
			dz = v_add(dz, v_loadn(a->dresidual + at + i, n));
		v_storen(a->dresidual + at + i, dz, n);
	}
}

static void norm_back(const struct bt_norm *a, size_t row0, size_t row1,
                      float *dgamma, float *dbeta, float *scratch)
{
	float *m = scratch, *dy = scratch + bt_drop_room(a->cols);
	float means[2];
	size_t r;

	for (r = row0; r < row1; r++) {
		drop_fill(&a->drop_out, (uint32_t)r, 0, a->cols, dy);
		norm_back_sums(a, r, dy, dgamma, dbeta, means);
		drop_fill(&a->drop, (uint32_t)r, 0, a->cols, m);
		norm_back_out(a, r, dy, m, means);
	}
}

/* bf16: the sums of one */
VEC vf act_value(enum bt_activation act, bool bf16, vf x)
{
	return act == BT_ACT_GELU   ? v_gelu(bf16, x)
	       : act == BT_ACT_SILU ? v_silu(x)
	                            : v_gelu_tanh(x);
}

VEC vf act_slope(enum bt_activation act, bool bf16, vf x)
{
	return act == BT_ACT_GELU   ? v_gelu_slope(bf16, x)
	       : act == BT_ACT_SILU ? v_silu_slope(x)
	                            : v_gelu_tanh_slope(x);
}

VEC void act_rows(enum bt_activation act, bool bf16, const void *x, void *y,
                  size_t rows, size_t cols, size_t ld)
{
	size_t r, i, at, n;

	for (r = 0; r < rows; r++) {
		for (i = 0; i + VL <= cols; i += VL) {
			at = r * ld + i;
			put(bf16, y, at,
			    act_value(act, bf16, get(bf16, x, at)));
		}
		if (i < cols) {
			at = r * ld + i;
			n = cols - i;
			putn(bf16, y, at,
			     act_value(act, bf16, getn(bf16, x, at, n)), n);
		}
	}
}

VEC void act_back_rows(enum bt_activation act, bool bf16, const void *x,
                       const void *dy, void *dx, size_t rows, size_t cols,
                       size_t ld)
{
	size_t r, i, at, n;
	vf v;

	for (r = 0; r < rows; r++) {
		for (i = 0; i + VL <= cols; i += VL) {
			at = r * ld + i;
			v = act_slope(act, bf16, get(bf16, x, at));
			put(bf16, dx, at, v_mul(v, get(bf16, dy, at)));
		}
		if (i < cols) {
			at = r * ld + i;
			n = cols - i;
			v = act_slope(act, bf16, getn(bf16, x, at, n));
			putn(bf16, dx, at, v_mul(v, getn(bf16, dy, at, n)), n);
		}
	}
}

/* The branches are hoisted here: below them act and bf16 are constants. */
static void act(enum bt_activation a, bool bf16, const void *x, void *y,
                size_t rows, size_t cols, size_t ld)
{
	if (a == BT_ACT_GELU && bf16)
		act_rows(BT_ACT_GELU, true, x, y, rows, cols, ld);
	else if (a == BT_ACT_GELU)
		act_rows(BT_ACT_GELU, false, x, y, rows, cols, ld);
	else if (a == BT_ACT_GELU_TANH && bf16)
		act_rows(BT_ACT_GELU_TANH, true, x, y, rows, cols, ld);
	else if (a == BT_ACT_GELU_TANH)
		act_rows(BT_ACT_GELU_TANH, false, x, y, rows, cols, ld);
	else
		bt_ref_act(a, bf16, x, y, rows, cols, ld);
}

static void act_back(enum bt_activation a, bool bf16, const void *x,
                     const void *dy, void *dx, size_t rows, size_t cols,
                     size_t ld)
{
	if (a == BT_ACT_GELU && bf16)
		act_back_rows(BT_ACT_GELU, true, x, dy, dx, rows, cols, ld);
	else if (a == BT_ACT_GELU)
		act_back_rows(BT_ACT_GELU, false, x, dy, dx, rows, cols, ld);
	else if (a == BT_ACT_GELU_TANH && bf16)
		act_back_rows(BT_ACT_GELU_TANH, true, x, dy, dx, rows, cols,
		              ld);
	else if (a == BT_ACT_GELU_TANH)
		act_back_rows(BT_ACT_GELU_TANH, false, x, dy, dx, rows, cols,
		              ld);
	else
		bt_ref_act_back(a, bf16, x, dy, dx, rows, cols, ld);
}

static void column_sums(bool bf16, const void *x, size_t rows, size_t cols,
                        size_t ld, float *sum)
{
	size_t r, i, n;
	vf s;

	for (i = 0; i + VL <= cols; i += VL) {
		s = v_load(sum + i);
		for (r = 0; r < rows; r++)
			s = v_add(s, get(bf16, x, r * ld + i));
		v_store(sum + i, s);
	}
	if (i < cols) {
		n = cols - i;
		s = v_loadn(sum + i, n);
		for (r = 0; r < rows; r++)
			s = v_add(s, getn(bf16, x, r * ld + i, n));
		v_storen(sum + i, s, n);
	}
}

static void axpy(float a, const float *x, float *y, size_t n)
{
	vf c = v_set1(a);
	size_t i;

	for (i = 0; i + VL <= n; i += VL)
		v_store(y + i, v_fma(c, v_load(x + i), v_load(y + i)));
	if (i < n)
		v_storen(y + i,
		         v_fma(c, v_loadn(x + i, n - i), v_loadn(y + i, n - i)),
		         n - i);
}

/* f32 sums over short runs, added up in double. */
static double sum_squares(const float *x, size_t n)
{
	double total = 0;
	size_t i, end;
	vf s, v;

	for (i = 0; i + VL <= n;) {
		end = i + 64 * VL < n ? i + 64 * VL : n;
		s = v_set1(0);
		for (; i + VL <= end; i += VL) {
			v = v_load(x + i);
			s = v_fma(v, v, s);
		}
		total += (double)v_sum(s);
	}
	for (; i < n; i++)
		total += (double)x[i] * (double)x[i];
	return total;
}

/* Sums and gates of layers with norms before their parts. */

VEC void put_both(float *y, uint16_t *bf16, size_t at, size_t n, vf v)
{
	if (y != NULL && n == VL)
		v_store(y + at, v);
	else if (y != NULL)
		v_storen(y + at, v, n);
	if (bf16 != NULL && n == VL)
		v_store_bf16(bf16 + at, v);
	else if (bf16 != NULL)
		v_storen_bf16(bf16 + at, v, n);
}

static void add(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, h = a->cols, at, n;
	vf y;

	for (r = row0; r < row1; r++) {
		drop_fill(&a->drop, (uint32_t)r, 0, h, m);
		for (i = 0; i < h; i += VL) {
			at = r * h + i;
			n = lanes(i, h);
			y = v_fma(get_upto(a->x_bf16, a->x, at, n),
			          v_load(m + i),
			          get_upto(false, a->residual, at, n));
			put_both(a->y, a->y_bf16, at, n, y);
		}
	}
}

static void add_back(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, h = a->cols, at, n;
	vf d;

	for (r = row0; r < row1; r++) {
		drop_fill(&a->drop, (uint32_t)r, 0, h, m);
		for (i = 0; i < h; i += VL) {
			at = r * h + i;
			n = lanes(i, h);
			d = get_upto(false, a->dy, at, n);
			put_upto(a->dx_bf16, a->dx, at, n,
			         v_mul(d, v_load(m + i)));
			if (a->add_residual)
				d = v_add(d,
				          get_upto(false, a->dresidual, at, n));
			put_upto(false, a->dresidual, at, n, d);
		}
	}
}

VEC void gated_rows(enum bt_activation act, const struct bt_glu *a, size_t row0,
                    size_t row1)
{
	size_t r, i, h = a->cols, n, at;
	vf x;

	for (r = row0; r < row1; r++)
		for (i = 0; i < h; i += VL) {
			n = lanes(i, h);
			at = 2 * r * h + i;
			x = act_value(
			    act, false,
			    get_upto(a->x_bf16, a->x, at + a->gate, n));
			x = v_mul(x,
			          get_upto(a->x_bf16, a->x, at + a->other, n));
			put_both(a->y, a->y_bf16, r * h + i, n, x);
		}
}

/* Activations that have no vector form are the plain kernel's. */
static void glu(const struct bt_glu *a, size_t row0, size_t row1,
                float *scratch)
{
	if (a->act == BT_ACT_GELU)
		gated_rows(BT_ACT_GELU, a, row0, row1);
	else if (a->act == BT_ACT_GELU_TANH)
		gated_rows(BT_ACT_GELU_TANH, a, row0, row1);
	else if (a->act == BT_ACT_SILU)
		gated_rows(BT_ACT_SILU, a, row0, row1);
	else
		bt_ref_glu(a, row0, row1, scratch);
}

VEC void gated_back_rows(enum bt_activation act, const struct bt_glu *a,
                         size_t row0, size_t row1)
{
	size_t r, i, h = a->cols, n, at;
	vf x, gate, dy;

	for (r = row0; r < row1; r++)
		for (i = 0; i < h; i += VL) {
			n = lanes(i, h);
			at = 2 * r * h + i;
			x = get_upto(a->x_bf16, a->x, at + a->gate, n);
			gate = get_upto(a->x_bf16, a->x, at + a->other, n);
			dy = get_upto(a->dy_bf16, a->dy, r * h + i, n);
			gate = v_mul(v_mul(gate, dy), act_slope(act, false, x));
			put_upto(a->dx_bf16, a->dx, at + a->gate, n, gate);
			dy = v_mul(dy, act_value(act, false, x));
			put_upto(a->dx_bf16, a->dx, at + a->other, n, dy);
		}
}

static void glu_back(const struct bt_glu *a, size_t row0, size_t row1,
                     float *scratch)
{
	if (a->act == BT_ACT_GELU)
		gated_back_rows(BT_ACT_GELU, a, row0, row1);
	else if (a->act == BT_ACT_GELU_TANH)
		gated_back_rows(BT_ACT_GELU_TANH, a, row0, row1);
	else if (a->act == BT_ACT_SILU)
		gated_back_rows(BT_ACT_SILU, a, row0, row1);
	else
		bt_ref_glu_back(a, row0, row1, scratch);
}

#endif

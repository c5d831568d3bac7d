/* SPDX-License-Identifier: MIT */
/* Attention, and the masks of dropout, in plain C. Formulas stand in op/ops.h.
 */
#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "cpu/kernels_int.h"

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

/* The two columns that are rotated by angle c. */
static size_t left_of(const struct bt_attend *a, size_t c)
{
	return a->neighbours ? 2 * c : c;
}

static size_t right_of(const struct bt_attend *a, size_t c)
{
	return a->neighbours ? 2 * c + 1 : a->d / 2 + c;
}

/* Column c of a head's row i, rotated where that is wanted. */
static float rotated(const struct bt_attend *a, const void *x, size_t ld,
                     size_t i, size_t c)
{
	size_t half = a->d / 2, angle;
	const float *t;
	float u, v;

	if (a->rotary == NULL)
		return bt_ref_get(x, i * ld + c, a->bf16);
	angle = a->neighbours ? c / 2 : c % half;
	t = a->rotary + i * a->d + angle;
	u = bt_ref_get(x, i * ld + left_of(a, angle), a->bf16);
	v = bt_ref_get(x, i * ld + right_of(a, angle), a->bf16);
	return c == left_of(a, angle) ? u * t[0] - v * t[half]
	                              : v * t[0] + u * t[half];
}

/* Rotates the d columns of a gradient of row i back. */
static void rotate_back(const struct bt_attend *a, size_t i, float *dx)
{
	size_t half = a->d / 2, c;
	const float *t = a->rotary + i * a->d;
	float *l, *r, u;

	for (c = 0; c < half; c++) {
		l = dx + left_of(a, c);
		r = dx + right_of(a, c);
		u = *l;
		*l = u * t[c] + *r * t[half + c];
		*r = *r * t[c] - u * t[half + c];
	}
}

/* Product of row i of x with row r of relative positions. */
static float rel_product(const struct bt_attend *a, const void *x, size_t ld,
                         size_t i, const void *rows, size_t r)
{
	float s = 0;
	size_t c;

	for (c = 0; c < a->d && rows != NULL; c++)
		s += bt_ref_get(x, i * ld + c, a->bf16) *
		     bt_ref_get(rows, r * a->rel_ld + c, a->bf16);
	return s;
}

/* The row of relative positions that query i and key j take. */
static size_t rel_row_of(const struct bt_attend *a, size_t i, size_t j)
{
	return (size_t)(a->rel_row[(ptrdiff_t)i - (ptrdiff_t)j] - a->rel_row0);
}

/* From the gradient d of the score of query i and key j: adds to those of their
 * place, and to dq and dk for a scale of 1. */
static void rel_back(const struct bt_attend *a, size_t i, size_t j, float d,
                     float *dq, float *dk)
{
	size_t r = rel_row_of(a, i, j), dw = bt_round_up(a->d, 16), c;

	for (c = 0; c < a->d && a->rel_k != NULL; c++) {
		a->drel_k[r * dw + c] +=
		    d * bt_ref_get(a->q, i * a->q_ld + c, a->bf16);
		dq[c] += d * bt_ref_get(a->rel_k, r * a->rel_ld + c, a->bf16);
	}
	for (c = 0; c < a->d && a->rel_q != NULL; c++) {
		a->drel_q[r * dw + c] +=
		    d * bt_ref_get(a->k, j * a->kv_ld + c, a->bf16);
		dk[c] += d * bt_ref_get(a->rel_q, r * a->rel_ld + c, a->bf16);
	}
}

static bool sees(const struct bt_attend *a, size_t i, size_t j)
{
	return a->window == 0 || (i < j ? j - i : i - j) <= a->window;
}

/* Row i of the scores of one head. */
static void scores(const struct bt_attend *a, size_t i, float *s)
{
	size_t j, c;

	for (j = 0; j < a->n; j++) {
		s[j] = sees(a, i, j) ? 0 : -INFINITY;
		for (c = 0; c < a->d && sees(a, i, j); c++)
			s[j] += rotated(a, a->q, a->q_ld, i, c) *
			        rotated(a, a->k, a->kv_ld, j, c);
		if (a->rel_row != NULL)
			s[j] += rel_product(a, a->q, a->q_ld, i, a->rel_k,
			                    rel_row_of(a, i, j)) +
			        rel_product(a, a->k, a->kv_ld, j, a->rel_q,
			                    rel_row_of(a, i, j));
		s[j] *= a->scale;
		if (a->bias != NULL)
			s[j] += a->bias[(ptrdiff_t)j - (ptrdiff_t)i];
	}
}

void bt_ref_attend(const struct bt_attend *a)
{
	float *m = a->scratch, *p = m + bt_drop_room(a->q_rows * a->n);
	size_t i, j, c;
	float max, sum, o;

	bt_ref_dropout(&a->drop, 0, a->q_rows * a->n, m);
	for (i = 0; i < a->q_rows; i++) {
		scores(a, i, p);
		max = -INFINITY;
		for (j = 0; j < a->n; j++)
			max = fmaxf(max, p[j]);
		sum = 0;
		for (j = 0; j < a->n; j++)
			sum += expf(p[j] - max);
		if (a->lse != NULL)
			a->lse[i * a->lse_ld] = max + logf(sum);
		for (j = 0; j < a->n; j++)
			p[j] = expf(p[j] - max) / sum * m[i * a->n + j];
		for (c = 0; c < a->d; c++) {
			o = 0;
			for (j = 0; j < a->n; j++)
				o += p[j] * bt_ref_get(a->v, j * a->kv_ld + c,
				                       a->bf16);
			bt_ref_put(a->o, i * a->o_ld + c, a->bf16, o);
		}
	}
}

/* Adds what row i of the queries gives to dk and dv ([n, d] f32 each), and
 * stores its dq. p and dp hold n floats, dp d more. */
static void attend_back_row(const struct bt_attend *a, size_t i, const float *m,
                            float *dk, float *dv, float *p, float *dp)
{
	float dot = 0, x, *dq = dp + a->n;
	size_t j, c;

	scores(a, i, p);
	for (j = 0; j < a->n; j++) {
		p[j] = expf(p[j] - a->lse[i * a->lse_ld]);
		dp[j] = 0;
		for (c = 0; c < a->d; c++) {
			x = bt_ref_get(a->dout, i * a->o_ld + c, a->bf16);
			dp[j] +=
			    x * bt_ref_get(a->v, j * a->kv_ld + c, a->bf16);
			dv[j * a->d + c] += p[j] * m[j] * x;
		}
		dp[j] *= m[j];
		dot += p[j] * dp[j];
	}
	memset(dq, 0, a->d * sizeof(*dq));
	for (j = 0; j < a->n; j++) {
		dp[j] = p[j] * (dp[j] - dot);
		if (a->bias != NULL)
			a->dbias[(ptrdiff_t)j - (ptrdiff_t)i] += dp[j];
		for (c = 0; c < a->d; c++) {
			dk[j * a->d + c] +=
			    dp[j] * rotated(a, a->q, a->q_ld, i, c);
			dq[c] += dp[j] * rotated(a, a->k, a->kv_ld, j, c);
		}
		if (a->rel_row != NULL)
			rel_back(a, i, j, dp[j], dq, dk + j * a->d);
	}
	if (a->rotary != NULL)
		rotate_back(a, i, dq);
	for (c = 0; c < a->d; c++)
		bt_ref_put(a->dq, i * a->q_ld + c, a->bf16, a->scale * dq[c]);
}

void bt_ref_attend_back(const struct bt_attend *a)
{
	size_t nd = a->n * a->d, i, j, c;
	float *m = a->scratch, *dk = m + bt_drop_room(a->q_rows * a->n);
	float *dv = dk + nd, *p = dv + nd, *dp = p + a->n;

	bt_ref_dropout(&a->drop, 0, a->q_rows * a->n, m);
	if (!a->resumes)
		memset(dk, 0, 2 * nd * sizeof(*dk));
	for (i = 0; i < a->q_rows; i++)
		attend_back_row(a, i, m + i * a->n, dk, dv, p, dp);
	if (a->continues)
		return;
	for (j = 0; j < a->n && a->rotary != NULL; j++)
		rotate_back(a, j, dk + j * a->d);
	for (j = 0; j < a->n; j++)
		for (c = 0; c < a->d; c++) {
			bt_ref_put(a->dk, j * a->kv_ld + c, a->bf16,
			           a->scale * dk[j * a->d + c]);
			bt_ref_put(a->dv, j * a->kv_ld + c, a->bf16,
			           dv[j * a->d + c]);
		}
}

/* SPDX-License-Identifier: MIT */
/* Int8 products in plain C, and the packing of weights. */
#include <string.h>

#include "cpu/int8_int.h"
#include "cpu/kernels.h"

static float largest(const float *x, size_t n)
{
	float max = 0, sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (fabsf(x[i]) > max)
			max = fabsf(x[i]);
		sum += x[i] * 0; /* not 0 if one is not finite */
	}
	return max + sum;
}

void bt_int8_pack(const float *src, size_t n, size_t k,
                  struct bt_int8_weight *w)
{
	size_t groups = bt_round_up(k, 4) / 4, r, i;
	int32_t sum, q;
	int8_t *to;
	float f;

	memset(w->q, 0, bt_int8_packed(n, k));
	for (r = 0; r < n; r++, src += k) {
		f = bt_int8_factor(largest(src, k), &w->scale[r]);
		to = w->q + (r / 16 * groups * 16 + r % 16) * 4;
		sum = 0;
		for (i = 0; i < k; i++) {
			/* a NaN times 0 would not fit */
			q = f != 0 ? bt_int8_round(src[i] * f) : 0;
			to[i / 4 * 64 + i % 4] = (int8_t)q;
			sum += q;
		}
		w->offset[r] = 128 * sum;
	}
}

static void quantise(const uint16_t *x, size_t rows, size_t k, void *q,
                     float *scale)
{
	int8_t *to = q;
	uint16_t max;
	size_t r, i;
	float f;

	for (r = 0; r < rows; r++, x += k, to += bt_int8_ld(k)) {
		max = 0;
		for (i = 0; i < k; i++)
			if ((x[i] & 0x7fff) > max)
				max = x[i] & 0x7fff;
		f = bt_int8_factor(bt_bf16_to_f32(max), &scale[r]);
		for (i = 0; i < k; i++)
			to[i] = f != 0 ? (int8_t)bt_int8_round(
			                     bt_bf16_to_f32(x[i]) * f)
			               : 0;
	}
}

static int32_t dot(const int8_t *x, const int8_t *w, size_t k)
{
	int32_t sum = 0;
	size_t i;

	for (i = 0; i < k; i++)
		sum += x[i] * w[i / 4 * 64 + i % 4];
	return sum;
}

static void product(const struct bt_int8_product *p)
{
	size_t groups = bt_round_up(p->k, 4) / 4, r, c, at;
	const int8_t *x = p->x;
	float y;

	for (r = 0; r < p->rows; r++, x += bt_int8_ld(p->k))
		for (c = 0; c < p->n; c++) {
			at = r * p->y_ld + c;
			y = (float)dot(x,
			               p->w->q +
			                   (c / 16 * groups * 16 + c % 16) * 4,
			               p->k) *
			    (p->x_scale[r] * p->w->scale[c]);
			if (p->bias != NULL)
				y += p->bias[c];
			if (p->y_bf16)
				((uint16_t *)p->y)[at] = bt_f32_to_bf16(y);
			else if (p->add)
				((float *)p->y)[at] += y;
			else
				((float *)p->y)[at] = y;
		}
}

const struct bt_int8_kernels bt_int8_ref = {
    .element = 1,
    .quantise = quantise,
    .product = product,
};

/* SPDX-License-Identifier: MIT */
/*
 * Int8 products by AVX-512 VNNI. Its dot product takes one side without sign,
 * so inputs are stored as q + 128 and 128 times the sums of the weights are
 * taken off the result.
 */
#ifdef __AVX512VNNI__
#include "cpu/vec_avx512_int.h"

#include "cpu/int8_int.h"
#include "cpu/kernels.h"

/* A tile of 12 rows by two vectors of columns keeps 24 sums in registers: two
 * vectors of weights and 12 broadcasts feed 24 dot products. */
#define TILE 12

static uint16_t largest(const uint16_t *x, size_t n)
{
	__m512i max = _mm512_setzero_si512(), v;
	__m512i mask = _mm512_set1_epi16(0x7fff);
	__m256i h;
	size_t i;

	for (i = 0; i < n; i += 32) {
		v = n - i >= 32
		        ? _mm512_loadu_si512(x + i)
		        : _mm512_maskz_loadu_epi16((1u << (n - i)) - 1, x + i);
		max = _mm512_max_epu16(max, _mm512_and_si512(v, mask));
	}
	h = _mm256_max_epu16(_mm512_castsi512_si256(max),
	                     _mm512_extracti64x4_epi64(max, 1));
	max = _mm512_cvtepu16_epi32(h);
	return (uint16_t)_mm512_reduce_max_epi32(max);
}

/* 16 numbers quantised. A zero has the bits of `zero`: adding 128 turns the
 * highest. */
VEC __m128i quantise_16(vf x, vf factor, __m128i zero)
{
	__m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(x, factor));

	return _mm_xor_si128(_mm512_cvtepi32_epi8(q), zero);
}

VEC void quantise_rows(const uint16_t *x, size_t rows, size_t k, void *q,
                       float *scale, __m128i zero)
{
	size_t r, i, tail = k % 16, full = k - tail;
	uint8_t *to = q;
	float f;
	vf v;

	for (r = 0; r < rows; r++, x += k, to += bt_int8_ld(k)) {
		f = bt_int8_factor(bt_bf16_to_f32(largest(x, k)), &scale[r]);
		/* room behind the row: bt_int8_ld */
		for (i = 0; i < k && f == 0; i += 16)
			_mm_storeu_si128((__m128i *)(to + i), zero);
		if (f == 0)
			continue;
		v = v_set1(f);
		for (i = 0; i < full; i += 16)
			_mm_storeu_si128(
			    (__m128i *)(to + i),
			    quantise_16(v_load_bf16(x + i), v, zero));
		if (tail > 0)
			_mm_storeu_si128(
			    (__m128i *)(to + i),
			    quantise_16(v_loadn_bf16(x + i, tail), v, zero));
	}
}

static void quantise(const uint16_t *x, size_t rows, size_t k, void *q,
                     float *scale)
{
	quantise_rows(x, rows, k, q, scale, _mm_set1_epi8(-128));
}

void bt_int8_quantise_512(const uint16_t *x, size_t rows, size_t k, void *q,
                          float *scale)
{
	quantise_rows(x, rows, k, q, scale, _mm_setzero_si128());
}

/* One vector of one row: columns c .. c + n - 1, n <= 16. */
VEC void finish_sums(const struct bt_int8_product *p, __m512i sum, size_t r,
                     size_t c, size_t n)
{
	size_t at = r * p->y_ld + c;
	vf y, s;

	s = v_mul(v_set1(p->x_scale[r]), v_loadn(p->w->scale + c, n));
	y = v_mul(_mm512_cvtepi32_ps(sum), s);
	if (p->bias != NULL)
		y = v_add(y, v_loadn(p->bias + c, n));
	if (p->y_bf16) {
		v_storen_bf16((uint16_t *)p->y + at, y, n);
		return;
	}
	if (p->add)
		y = v_add(v_loadn((float *)p->y + at, n), y);
	v_storen((float *)p->y + at, y, n);
}

VEC size_t upto(size_t n, size_t most)
{
	return n < most ? n : most;
}

VEC void finish(const struct bt_int8_product *p, const int32_t *sums, size_t r,
                size_t c, size_t n)
{
	__m512i offset = _mm512_maskz_loadu_epi32(v_mask(n), p->w->offset + c);

	finish_sums(p, _mm512_sub_epi32(_mm512_load_si512(sums), offset), r, c,
	            n);
}

void bt_int8_finish_512(const struct bt_int8_product *p, const int32_t *sums,
                        size_t r, size_t c)
{
	finish_sums(p, _mm512_load_si512(sums), r, c, upto(p->n - c, 16));
}

/* Columns c .. c + 15, all of which there are, of rows r .. r + rows - 1: one
 * half of their sums. */
VEC void finish_full(const struct bt_int8_product *p, int32_t (*sums)[2][16],
                     int half, size_t r, size_t c, size_t rows)
{
	__m512i offset = _mm512_loadu_si512(p->w->offset + c), sum;
	vf scale = v_load(p->w->scale + c), y;
	vf bias = p->bias != NULL ? v_load(p->bias + c) : v_set1(0);
	size_t i, at = r * p->y_ld + c;

	for (i = 0; i < rows; i++, at += p->y_ld) {
		sum =
		    _mm512_sub_epi32(_mm512_load_si512(sums[i][half]), offset);
		y = v_mul(_mm512_cvtepi32_ps(sum),
		          v_mul(v_set1(p->x_scale[r + i]), scale));
		if (p->bias != NULL)
			y = v_add(y, bias);
		if (p->y_bf16)
			v_store_bf16((uint16_t *)p->y + at, y);
		else if (p->add)
			v_store((float *)p->y + at,
			        v_add(v_load((float *)p->y + at), y));
		else
			v_store((float *)p->y + at, y);
	}
}

/* Rows r .. of which `rows` are real, of T; columns c .. c + 31. */
VEC void tile(const struct bt_int8_product *p, size_t r, size_t c, size_t rows,
              const int T)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, g, n;
	const uint8_t *x = (const uint8_t *)p->x + r * ld;
	const int8_t *w0 = p->w->q + c * groups * 4, *w1 = w0 + groups * 64;
	_Alignas(64) int32_t out[TILE][2][16];
	__m512i sum[TILE][2], a, b, v;
	int32_t four;
	int i;

	for (i = 0; i < T; i++)
		sum[i][0] = sum[i][1] = _mm512_setzero_si512();
	for (g = 0; g < groups; g++) {
		a = _mm512_loadu_si512(w0 + g * 64);
		b = _mm512_loadu_si512(w1 + g * 64);
		for (i = 0; i < T; i++) {
			__builtin_memcpy(&four, x + (size_t)i * ld + g * 4, 4);
			v = _mm512_set1_epi32(four);
			sum[i][0] = _mm512_dpbusd_epi32(sum[i][0], v, a);
			sum[i][1] = _mm512_dpbusd_epi32(sum[i][1], v, b);
		}
	}
	/* a loop over registers must be short, or they would not be ones */
	for (i = 0; i < T; i++) {
		_mm512_store_si512(out[i][0], sum[i][0]);
		_mm512_store_si512(out[i][1], sum[i][1]);
	}
	n = upto(p->n - c, 32);
	if (n == 32) {
		finish_full(p, out, 0, r, c, rows);
		finish_full(p, out, 1, r, c + 16, rows);
		return;
	}
	for (i = 0; (size_t)i < rows; i++) {
		finish(p, out[i][0], r + (size_t)i, c, upto(n, 16));
		if (n > 16)
			finish(p, out[i][1], r + (size_t)i, c + 16, n - 16);
	}
}

/* Columns outside: their weights stay in the cache for all rows. */
static void product(const struct bt_int8_product *p)
{
	size_t r, c;

	for (c = 0; c < p->n; c += BT_INT8_COLUMNS) {
		for (r = 0; p->rows - r >= TILE; r += TILE)
			tile(p, r, c, TILE, TILE);
		if (p->rows - r > 8)
			tile(p, r, c, p->rows - r, 12);
		else if (p->rows - r > 4)
			tile(p, r, c, p->rows - r, 8);
		else if (p->rows - r > 0)
			tile(p, r, c, p->rows - r, 4);
	}
}

const struct bt_int8_kernels bt_int8_vnni = {
    .element = 1,
    .quantise = quantise,
    .product = product,
};
#else
typedef int bt_no_int8_vnni; /* a translation unit must not be empty */
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Int8 products by AVX2, exactly: its product of bytes saturates, so both sides
 * are widened to 16 bits. Inputs are stored as such, weights widened as they
 * are loaded. A vector of sums is that of 4 columns, even and odd pairs apart.
 */
#ifdef __AVX2__
#include "cpu/vec_avx2_int.h"

#include "cpu/int8_int.h"
#include "cpu/kernels.h"

#define TILE 4

static uint16_t largest(const uint16_t *x, size_t n)
{
	__m256i max = _mm256_setzero_si256(), mask = _mm256_set1_epi16(0x7fff);
	uint16_t v[16], m = 0;
	size_t i;

	for (i = 0; i + 16 <= n; i += 16)
		max = _mm256_max_epu16(
		    max,
		    _mm256_and_si256(
		        _mm256_loadu_si256((const __m256i *)(x + i)), mask));
	for (; i < n; i++)
		m = (x[i] & 0x7fff) > m ? x[i] & 0x7fff : m;
	_mm256_storeu_si256((__m256i *)v, max);
	for (i = 0; i < 16; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

VEC __m128i quantise_8(vf x, vf factor)
{
	__m256i q = _mm256_cvtps_epi32(_mm256_mul_ps(x, factor));

	q = _mm256_packs_epi32(q, q);
	return _mm256_castsi256_si128(_mm256_permute4x64_epi64(q, 0x08));
}

static void quantise(const uint16_t *x, size_t rows, size_t k, void *q,
                     float *scale)
{
	size_t r, i, tail = k % 8, full = k - tail;
	int16_t *to = q;
	float f;
	vf v;

	for (r = 0; r < rows; r++, x += k, to += bt_int8_ld(k)) {
		f = bt_int8_factor(bt_bf16_to_f32(largest(x, k)), &scale[r]);
		/* room behind the row: bt_int8_ld */
		for (i = 0; i < k && f == 0; i += 8)
			_mm_storeu_si128((__m128i *)(to + i),
			                 _mm_setzero_si128());
		if (f == 0)
			continue;
		v = v_set1(f);
		for (i = 0; i < full; i += 8)
			_mm_storeu_si128((__m128i *)(to + i),
			                 quantise_8(v_load_bf16(x + i), v));
		if (tail > 0)
			_mm_storeu_si128(
			    (__m128i *)(to + i),
			    quantise_8(v_loadn_bf16(x + i, tail), v));
	}
}

/* Columns c .. c + n - 1 of one row, n <= 8. */
VEC void finish(const struct bt_int8_product *p, const int32_t *sums, size_t r,
                size_t c, size_t n)
{
	__m256i sum = _mm256_loadu_si256((const __m256i *)sums);
	size_t at = r * p->y_ld + c;
	vf y, s;

	s = v_mul(v_set1(p->x_scale[r]), v_loadn(p->w->scale + c, n));
	y = v_mul(_mm256_cvtepi32_ps(sum), s);
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

VEC __m256i widen(const int8_t *w)
{
	return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)w));
}

/* Rows r .. of which `rows` are real, of TILE; columns c .. c + 7. */
static void tile(const struct bt_int8_product *p, size_t r, size_t c,
                 size_t rows)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, g, n;
	const int16_t *x = (const int16_t *)p->x + r * ld;
	const int8_t *w = p->w->q + (c / 16 * groups * 16 + c % 16) * 4;
	int32_t out[TILE][8];
	__m256i sum[TILE][2], a, b, v;
	int64_t four;
	int i;

	for (i = 0; i < TILE; i++)
		sum[i][0] = sum[i][1] = _mm256_setzero_si256();
	for (g = 0; g < groups; g++) {
		a = widen(w + g * 64);
		b = widen(w + g * 64 + 16);
		for (i = 0; i < TILE; i++) {
			memcpy(&four, x + (size_t)i * ld + g * 4, 8);
			v = _mm256_set1_epi64x(four);
			sum[i][0] = _mm256_add_epi32(sum[i][0],
			                             _mm256_madd_epi16(v, a));
			sum[i][1] = _mm256_add_epi32(sum[i][1],
			                             _mm256_madd_epi16(v, b));
		}
	}
	n = p->n - c < 8 ? p->n - c : 8;
	/* a loop over registers must be short, or they would not be ones */
	for (i = 0; i < TILE; i++) {
		v = _mm256_hadd_epi32(sum[i][0], sum[i][1]);
		v = _mm256_permute4x64_epi64(v, 0xd8);
		_mm256_storeu_si256((__m256i *)out[i], v);
	}
	for (i = 0; (size_t)i < rows; i++)
		finish(p, out[i], r + (size_t)i, c, n);
}

static void product(const struct bt_int8_product *p)
{
	size_t r, c;

	for (c = 0; c < p->n; c += 8)
		for (r = 0; r < p->rows; r += TILE)
			tile(p, r, c, p->rows - r < TILE ? p->rows - r : TILE);
}

const struct bt_int8_kernels bt_int8_avx2 = {
    .element = 2,
    .quantise = quantise,
    .product = product,
};
#else
typedef int bt_no_int8_avx2; /* a translation unit must not be empty */
#endif

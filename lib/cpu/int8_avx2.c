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

/* A tile of 6 rows by 8 columns keeps 12 sums in registers; beside them are two
 * vectors of weights, a broadcast and a product. */
#define TILE 6

uint16_t bt_int8_largest_256(const uint16_t *x, size_t n)
{
	__m256i max = _mm256_setzero_si256(), mask = _mm256_set1_epi16(0x7fff);
	uint16_t m;
	__m128i h;
	size_t i;

	for (i = 0; i + 16 <= n; i += 16)
		max = _mm256_max_epu16(
		    max,
		    _mm256_and_si256(
		        _mm256_loadu_si256((const __m256i *)(x + i)), mask));
	h = _mm_max_epu16(_mm256_castsi256_si128(max),
	                  _mm256_extracti128_si256(max, 1));
	/* the instruction finds the least, so all bits are turned */
	h = _mm_minpos_epu16(_mm_xor_si128(h, _mm_set1_epi16(-1)));
	m = (uint16_t)~_mm_extract_epi16(h, 0);
	for (; i < n; i++)
		m = (x[i] & 0x7fff) > m ? x[i] & 0x7fff : m;
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
	uint16_t max;
	float f;
	vf v;

	for (r = 0; r < rows; r++, x += k, to += bt_int8_ld(k)) {
		max = bt_int8_largest_256(x, k);
		f = bt_int8_factor(bt_bf16_to_f32(max), &scale[r]);
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
VEC void finish_row(const struct bt_int8_product *p, vf sum, vf scale, vf bias,
                    size_t r, size_t c, size_t n)
{
	size_t at = r * p->y_ld + c;
	vf y = v_mul(sum, v_mul(v_set1(p->x_scale[r]), scale));

	if (p->bias != NULL)
		y = v_add(y, bias);
	if (p->y_bf16 && n == 8)
		v_store_bf16((uint16_t *)p->y + at, y);
	else if (p->y_bf16)
		v_storen_bf16((uint16_t *)p->y + at, y, n);
	else if (p->add)
		v_storen((float *)p->y + at,
		         v_add(v_loadn((float *)p->y + at, n), y), n);
	else
		v_storen((float *)p->y + at, y, n);
}

void bt_int8_finish_256(const struct bt_int8_product *p, const int32_t *sums,
                        size_t r, size_t c, size_t rows)
{
	size_t n = p->n - c < 8 ? p->n - c : 8, i;
	vf scale = v_loadn(p->w->scale + c, n);
	vf bias = p->bias != NULL ? v_loadn(p->bias + c, n) : v_set1(0);
	__m256i sum;

	for (i = 0; i < rows; i++) {
		sum = _mm256_load_si256((const __m256i *)(sums + 8 * i));
		finish_row(p, _mm256_cvtepi32_ps(sum), scale, bias, r + i, c,
		           n);
	}
}

VEC __m256i widen(const int8_t *w)
{
	return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)w));
}

/* sum += the products of pairs. Left to gcc, each sum would move to another
 * register and back in every step. */
VEC void add_pairs(__m256i *sum, __m256i x, __m256i w)
{
	__asm__("vpaddd %1, %0, %0"
	        : "+x"(*sum)
	        : "x"(_mm256_madd_epi16(x, w)));
}

/* Rows r .. of which `rows` are real, of T; columns c .. c + 7. */
VEC void tile(const struct bt_int8_product *p, size_t r, size_t c, size_t rows,
              const int T)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, g;
	const int16_t *x = (const int16_t *)p->x + r * ld;
	const int8_t *w = p->w->q + (c / 16 * groups * 16 + c % 16) * 4;
	_Alignas(32) int32_t out[TILE][8];
	__m256i sum[TILE][2], a, b, v;
	int64_t four;
	int i;

	for (i = 0; i < T; i++)
		sum[i][0] = sum[i][1] = _mm256_setzero_si256();
	for (g = 0; g < groups; g++) {
		a = widen(w + g * 64);
		b = widen(w + g * 64 + 16);
		for (i = 0; i < T; i++) {
			__builtin_memcpy(&four, x + (size_t)i * ld + g * 4, 8);
			v = _mm256_set1_epi64x(four);
			add_pairs(&sum[i][0], v, a);
			add_pairs(&sum[i][1], v, b);
		}
	}
	/* a loop over registers must be short, or they would not be ones */
	for (i = 0; i < T; i++) {
		v = _mm256_hadd_epi32(sum[i][0], sum[i][1]);
		v = _mm256_permute4x64_epi64(v, 0xd8);
		_mm256_store_si256((__m256i *)out[i], v);
	}
	bt_int8_finish_256(p, out[0], r, c, rows);
}

static void product(const struct bt_int8_product *p)
{
	size_t r, c;

	for (c = 0; c < p->n; c += 8) {
		for (r = 0; p->rows - r >= TILE; r += TILE)
			tile(p, r, c, TILE, TILE);
		if (p->rows - r > 3)
			tile(p, r, c, p->rows - r, 6);
		else if (p->rows - r > 0)
			tile(p, r, c, p->rows - r, 3);
	}
}

const struct bt_int8_kernels bt_int8_avx2 = {
    .element = 2,
    .quantise = quantise,
    .product = product,
};
#else
typedef int bt_no_int8_avx2; /* a translation unit must not be empty */
#endif

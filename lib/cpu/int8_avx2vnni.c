/* SPDX-License-Identifier: MIT */
/*
 * Int8 products by AVX-VNNI, the dot product of AVX-512 VNNI on the registers
 * of AVX2. It takes one side without sign, so inputs are stored as q + 128, and
 * sums begin with what that adds to them taken off. They may overflow on the
 * way, modulo 2^32, and are exact in the end.
 */
#ifdef __AVXVNNI__
#include "cpu/vec_avx2_int.h"

#include "cpu/int8_int.h"
#include "cpu/kernels.h"

/* A tile of 6 rows by two vectors of columns keeps 12 sums in registers, as
 * many as two dot products a cycle of five cycles each need; beside them are
 * two vectors of weights and a broadcast. */
#define TILE 6

VEC __m256i quantise_8(const uint16_t *x, vf factor)
{
	return _mm256_cvtps_epi32(_mm256_mul_ps(v_load_bf16(x), factor));
}

/* n numbers, n <= 8, written as 8. */
VEC void quantise_tail(const uint16_t *x, size_t n, vf factor, uint8_t *to)
{
	vf v = n == 8 ? v_load_bf16(x) : v_loadn_bf16(x, n);
	__m256i q = _mm256_cvtps_epi32(_mm256_mul_ps(v, factor));
	__m128i h = _mm_packs_epi32(_mm256_castsi256_si128(q),
	                            _mm256_extracti128_si256(q, 1));

	h = _mm_xor_si128(_mm_packs_epi16(h, h), _mm_set1_epi8(-128));
	_mm_storel_epi64((__m128i *)to, h);
}

/* Packing works within each half of a vector, whence the permutation. */
static void quantise_row(const uint16_t *x, size_t k, vf factor, uint8_t *to)
{
	__m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), a, b;
	size_t i;

	for (i = 0; i + 32 <= k; i += 32) {
		a = _mm256_packs_epi32(quantise_8(x + i, factor),
		                       quantise_8(x + i + 8, factor));
		b = _mm256_packs_epi32(quantise_8(x + i + 16, factor),
		                       quantise_8(x + i + 24, factor));
		a = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b),
		                                order);
		a = _mm256_xor_si256(a, _mm256_set1_epi8(-128));
		_mm256_storeu_si256((__m256i *)(to + i), a);
	}
	for (; i < k; i += 8) /* room behind the row: bt_int8_ld */
		quantise_tail(x + i, k - i < 8 ? k - i : 8, factor, to + i);
}

static void quantise(const uint16_t *x, size_t rows, size_t k, void *q,
                     float *scale)
{
	uint8_t *to = q;
	uint16_t max;
	size_t r;
	float f;

	for (r = 0; r < rows; r++, x += k, to += bt_int8_ld(k)) {
		max = bt_int8_largest_256(x, k);
		f = bt_int8_factor(bt_bf16_to_f32(max), &scale[r]);
		if (f == 0)
			memset(to, 128, bt_round_up(k, 4));
		else
			quantise_row(x, k, v_set1(f), to);
	}
}

/* Asks for the places of a tile's outputs, which are seldom in the first cache,
 * while it still multiplies. */
VEC void fetch_outputs(const struct bt_int8_product *p, size_t r, size_t c,
                       size_t rows)
{
	size_t element = p->y_bf16 ? sizeof(uint16_t) : sizeof(float), i;
	const char *y = (const char *)p->y + (r * p->y_ld + c) * element;

	for (i = 0; i < rows; i++)
		__builtin_prefetch(y + i * p->y_ld * element, 1);
}

/* Rows r .. of which `rows` are real, of T; columns c .. c + 15. */
VEC void tile(const struct bt_int8_product *p, size_t r, size_t c, size_t rows,
              const int T)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, g;
	const uint8_t *x = (const uint8_t *)p->x + r * ld;
	const int8_t *w = p->w->q + c * groups * 4;
	size_t n = p->n - c < 16 ? p->n - c : 16;
	_Alignas(32) int32_t out[2][TILE][8], offset[16] = {0};
	__m256i sum[TILE][2], a, b, v;
	int32_t four;
	int i;

	fetch_outputs(p, r, c, rows);
	memcpy(offset, p->w->offset + c, n * sizeof(*offset));
	a = _mm256_load_si256((const __m256i *)offset);
	b = _mm256_load_si256((const __m256i *)(offset + 8));
	for (i = 0; i < T; i++) {
		sum[i][0] = _mm256_sub_epi32(_mm256_setzero_si256(), a);
		sum[i][1] = _mm256_sub_epi32(_mm256_setzero_si256(), b);
	}
	for (g = 0; g < groups; g++) {
		a = _mm256_loadu_si256((const __m256i *)(w + g * 64));
		b = _mm256_loadu_si256((const __m256i *)(w + g * 64 + 32));
		for (i = 0; i < T; i++) {
			__builtin_memcpy(&four, x + (size_t)i * ld + g * 4, 4);
			v = _mm256_set1_epi32(four);
			sum[i][0] = _mm256_dpbusd_avx_epi32(sum[i][0], v, a);
			sum[i][1] = _mm256_dpbusd_avx_epi32(sum[i][1], v, b);
		}
	}
	/* a loop over registers must be short, or they would not be ones */
	for (i = 0; i < T; i++) {
		_mm256_store_si256((__m256i *)out[0][i], sum[i][0]);
		_mm256_store_si256((__m256i *)out[1][i], sum[i][1]);
	}
	bt_int8_finish_256(p, out[0][0], r, c, rows);
	if (n > 8)
		bt_int8_finish_256(p, out[1][0], r, c + 8, rows);
}

/* Columns outside: their weights stay in the cache for all rows. */
static void product(const struct bt_int8_product *p)
{
	size_t r, c;

	for (c = 0; c < p->n; c += 16) {
		for (r = 0; p->rows - r >= TILE; r += TILE)
			tile(p, r, c, TILE, TILE);
		if (p->rows - r > 4)
			tile(p, r, c, p->rows - r, 6);
		else if (p->rows - r > 2)
			tile(p, r, c, p->rows - r, 4);
		else if (p->rows - r > 0)
			tile(p, r, c, p->rows - r, 2);
	}
}

const struct bt_int8_kernels bt_int8_avx2vnni = {
    .element = 1,
    .quantise = quantise,
    .product = product,
};
#else
typedef int bt_no_int8_avx2vnni; /* a translation unit must not be empty */
#endif

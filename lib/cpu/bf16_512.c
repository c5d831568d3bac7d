/* SPDX-License-Identifier: MIT */
/* How numbers are laid out for tiles of bf16, by AVX-512. Built with that
 * instruction set's flags; empty elsewhere. */
#ifdef __AVX512BW__
#include <immintrin.h>

#include "cpu/bf16_int.h"

void bt_bf16_pairs_512(const uint16_t *x, size_t ld, uint16_t *tiles)
{
	__m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
	                                 4, 3, 2, 1, 0);
	__m512i first = _mm512_add_epi32(
	    _mm512_mullo_epi32(count, _mm512_set1_epi32(0x10001)),
	    _mm512_set1_epi32(0x200000));
	__m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(0x100010));
	int i;

	for (i = 0; i < 16; i++, x += 2 * ld, tiles += 32) {
		__m512i a = _mm512_loadu_si512(x);
		__m512i b = _mm512_loadu_si512(x + ld);

		_mm512_store_si512(tiles,
		                   _mm512_permutex2var_epi16(a, first, b));
		_mm512_store_si512(tiles + 512,
		                   _mm512_permutex2var_epi16(a, second, b));
	}
}

static __m128i eight(const uint16_t *x)
{
	return _mm_loadu_si128((const __m128i *)x);
}

/* 8 columns: lanes hold rows i, i + 8, i + 16 and i + 24, and are turned each
 * by itself. */
static void turn_columns(const uint16_t *x, size_t ld, uint16_t *out)
{
	__m512i a[8], b[8];
	int i, j;

	for (i = 0; i < 8; i++, x += ld) {
		a[i] = _mm512_castsi128_si512(eight(x));
		a[i] = _mm512_mask_broadcast_i32x4(a[i], 0x00f0,
		                                   eight(x + 8 * ld));
		a[i] = _mm512_mask_broadcast_i32x4(a[i], 0x0f00,
		                                   eight(x + 16 * ld));
		a[i] = _mm512_mask_broadcast_i32x4(a[i], 0xf000,
		                                   eight(x + 24 * ld));
	}
	for (i = 0; i < 8; i += 2) {
		b[i] = _mm512_unpacklo_epi16(a[i], a[i + 1]);
		b[i + 1] = _mm512_unpackhi_epi16(a[i], a[i + 1]);
	}
	for (i = 0; i < 8; i += 4)
		for (j = 0; j < 2; j++) {
			a[i + 2 * j] =
			    _mm512_unpacklo_epi32(b[i + j], b[i + 2 + j]);
			a[i + 2 * j + 1] =
			    _mm512_unpackhi_epi32(b[i + j], b[i + 2 + j]);
		}
	for (i = 0; i < 4; i++, out += 64) {
		_mm512_store_si512(out, _mm512_unpacklo_epi64(a[i], a[4 + i]));
		_mm512_store_si512(out + 32,
		                   _mm512_unpackhi_epi64(a[i], a[4 + i]));
	}
}

void bt_bf16_turn_512(const uint16_t *x, size_t ld, uint16_t *tiles)
{
	int i;

	for (i = 0; i < 4; i++)
		turn_columns(x + 8 * i, ld, tiles + 256 * i);
}
#else
typedef int bt_no_bf16_512; /* a translation unit must not be empty */
#endif

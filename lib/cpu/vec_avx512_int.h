/* SPDX-License-Identifier: MIT */
/* The vector vocabulary of simd_*_int.h for AVX-512: 16 floats. What each word
 * means is said in simd_math_int.h. */
#ifndef BT_CPU_VEC_AVX512_INT_H
#define BT_CPU_VEC_AVX512_INT_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VL 16
#define REGISTERS 32
#define VEC static inline __attribute__((always_inline))

typedef __m512 vf;
typedef __m512i vu;

VEC __mmask16 v_mask(size_t n)
{
	return (__mmask16)((1u << n) - 1);
}

VEC vf v_set1(float x)
{
	return _mm512_set1_ps(x);
}

VEC vf v_load(const float *p)
{
	return _mm512_loadu_ps(p);
}

VEC void v_store(float *p, vf x)
{
	_mm512_storeu_ps(p, x);
}

VEC vf v_loadn(const float *p, size_t n)
{
	return _mm512_maskz_loadu_ps(v_mask(n), p);
}

VEC void v_storen(float *p, vf x, size_t n)
{
	_mm512_mask_storeu_ps(p, v_mask(n), x);
}

VEC vf v_of_bf16(__m256i h)
{
	return _mm512_castsi512_ps(
	    _mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}

/* Rounded to bf16, which is the upper half. */
VEC vu u_round_bf16(vf x)
{
	__m512i u = _mm512_castps_si512(x);
	__m512i odd =
	    _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
	__m512i r = _mm512_add_epi32(
	    u, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
	__mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);

	return _mm512_mask_or_epi32(r, nan, u, _mm512_set1_epi32(0x400000));
}

/* The instruction makes zeros of denormal numbers. */
VEC __m256i v_to_bf16(vf x)
{
#ifdef __AVX512BF16__
	return (__m256i)_mm512_cvtneps_pbh(x);
#else
	return _mm512_cvtepi32_epi16(_mm512_srli_epi32(u_round_bf16(x), 16));
#endif
}

VEC vf v_load_bf16(const uint16_t *p)
{
	return v_of_bf16(_mm256_loadu_si256((const __m256i *)p));
}

VEC vf v_loadn_bf16(const uint16_t *p, size_t n)
{
	return v_of_bf16(_mm256_maskz_loadu_epi16(v_mask(n), p));
}

VEC void v_store_bf16(uint16_t *p, vf x)
{
	_mm256_storeu_si256((__m256i *)p, v_to_bf16(x));
}

VEC void v_storen_bf16(uint16_t *p, vf x, size_t n)
{
	_mm256_mask_storeu_epi16(p, v_mask(n), v_to_bf16(x));
}

VEC vf v_add(vf a, vf b)
{
	return _mm512_add_ps(a, b);
}

VEC vf v_sub(vf a, vf b)
{
	return _mm512_sub_ps(a, b);
}

VEC vf v_mul(vf a, vf b)
{
	return _mm512_mul_ps(a, b);
}

VEC vf v_div(vf a, vf b)
{
	return _mm512_div_ps(a, b);
}

VEC vf v_sqrt(vf a)
{
	return _mm512_sqrt_ps(a);
}

VEC vf v_max(vf a, vf b)
{
	return _mm512_max_ps(a, b);
}

VEC vf v_min(vf a, vf b)
{
	return _mm512_min_ps(a, b);
}

VEC vf v_abs(vf a)
{
	return _mm512_abs_ps(a);
}

VEC vf v_fma(vf a, vf b, vf c)
{
	return _mm512_fmadd_ps(a, b, c);
}

VEC vf v_fnma(vf a, vf b, vf c)
{
	return _mm512_fnmadd_ps(a, b, c);
}

/* 14 bits from the table, doubled by one Newton step */
VEC vf v_rcp(vf a)
{
	vf r = _mm512_rcp14_ps(a);

	return _mm512_fmadd_ps(_mm512_fnmadd_ps(a, r, _mm512_set1_ps(1.0f)), r,
	                       r);
}

VEC vf v_rcp_approx(vf a)
{
	return _mm512_rcp14_ps(a);
}

VEC vf v_if_negative(vf x, vf yes, vf no)
{
	return _mm512_mask_blend_ps(
	    _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ), no, yes);
}

VEC vf v_round(vf a)
{
	return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT |
	                                   _MM_FROUND_NO_EXC);
}

VEC vf v_times_2_to(vf a, vf n)
{
	return _mm512_scalef_ps(a, n);
}

VEC float v_sum(vf a)
{
	return _mm512_reduce_add_ps(a);
}

VEC float v_highest(vf a)
{
	return _mm512_reduce_max_ps(a);
}

VEC vu u_set1(uint32_t x)
{
	return _mm512_set1_epi32((int)x);
}

VEC vu u_count(void)
{
	return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
	                        1, 0);
}

VEC vu u_add(vu a, vu b)
{
	return _mm512_add_epi32(a, b);
}

VEC vu u_xor(vu a, vu b)
{
	return _mm512_xor_si512(a, b);
}

VEC vu u_low16(vu a)
{
	return _mm512_and_si512(a, _mm512_set1_epi32(0xffff));
}

VEC vu u_high16(vu a)
{
	return _mm512_srli_epi32(a, 16);
}

VEC void u_mul_wide(vu a, vu b, vu *high, vu *low)
{
	vu even = _mm512_mul_epu32(a, b);
	vu odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32),
	                          _mm512_srli_epi64(b, 32));

	*low =
	    _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
	*high =
	    _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}

VEC void u_stream(uint32_t *p, vu x)
{
	_mm512_stream_si512((__m512i *)p, x);
}

VEC void u_stream_end(void)
{
	_mm_sfence();
}

VEC vu v_pair_bf16(vf x, vf y)
{
#ifdef __AVX512BF16__
	vu in_turn = _mm512_add_epi32(
	    _mm512_mullo_epi32(u_count(), _mm512_set1_epi32(0x10001)),
	    _mm512_set1_epi32(0x100000));

	return _mm512_permutexvar_epi16(in_turn, (vu)_mm512_cvtne2ps_pbh(y, x));
#else
	return _mm512_or_si512(
	    _mm512_srli_epi32(u_round_bf16(x), 16),
	    _mm512_and_si512(u_round_bf16(y), _mm512_set1_epi32(-65536)));
#endif
}

#ifdef __AVX512BF16__
#define PAIRS 1

VEC vf v_dot_pairs(vf a, vf b, vf c)
{
	return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

VEC void v_store_pairs(float *p, vf x, vf y)
{
	_mm512_storeu_si512(p, v_pair_bf16(x, y));
}

/* p[i] = the pair of x[i] and y[i], i < 32, of the first n <= 32 numbers of
 * each and zeros behind; y NULL: zeros. */
VEC void v_store_row_pairs(float *p, const uint16_t *x, const uint16_t *y,
                           size_t n)
{
	__mmask32 mask = n < 32 ? (1u << n) - 1 : 0xffffffffu;
	vu a = _mm512_maskz_loadu_epi16(mask, x);
	vu b = y != NULL ? _mm512_maskz_loadu_epi16(mask, y)
	                 : _mm512_setzero_si512();
	vu first = _mm512_add_epi32(
	    _mm512_mullo_epi32(u_count(), _mm512_set1_epi32(0x10001)),
	    _mm512_set1_epi32(0x200000));
	vu second = _mm512_add_epi32(first, _mm512_set1_epi32(0x100010));

	_mm512_storeu_si512(p, _mm512_permutex2var_epi16(a, first, b));
	_mm512_storeu_si512(p + 16, _mm512_permutex2var_epi16(a, second, b));
}
#endif

/* Within each of the four lanes, then between them. */
VEC void u_transpose(const void *src, size_t step, void *out, size_t width,
                     bool stream)
{
	const uint32_t *from = src;
	uint32_t *to = out;
	__m512i a[16], b[16];
	int i, j;

	for (i = 0; i < 16; i++)
		a[i] = _mm512_loadu_si512(from + (size_t)i * step);
	for (i = 0; i < 16; i += 2) {
		b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
		b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
	}
	for (i = 0; i < 16; i += 4)
		for (j = 0; j < 2; j++) {
			a[i + 2 * j] =
			    _mm512_unpacklo_epi64(b[i + j], b[i + 2 + j]);
			a[i + 2 * j + 1] =
			    _mm512_unpackhi_epi64(b[i + j], b[i + 2 + j]);
		}
	for (i = 0; i < 4; i++) {
		b[i] = _mm512_shuffle_i32x4(a[i], a[4 + i], 0x88);
		b[4 + i] = _mm512_shuffle_i32x4(a[i], a[4 + i], 0xdd);
		b[8 + i] = _mm512_shuffle_i32x4(a[8 + i], a[12 + i], 0x88);
		b[12 + i] = _mm512_shuffle_i32x4(a[8 + i], a[12 + i], 0xdd);
	}
	for (i = 0; i < 4; i++) {
		a[i] = _mm512_shuffle_i32x4(b[i], b[8 + i], 0x88);
		a[8 + i] = _mm512_shuffle_i32x4(b[i], b[8 + i], 0xdd);
		a[4 + i] = _mm512_shuffle_i32x4(b[4 + i], b[12 + i], 0x88);
		a[12 + i] = _mm512_shuffle_i32x4(b[4 + i], b[12 + i], 0xdd);
	}
	for (i = 0; i < 16; i++, to += width)
		if (stream)
			u_stream(to, a[i]);
		else
			_mm512_storeu_si512(to, a[i]);
}

VEC vf v_keep(vu bits, vu threshold, vf scale)
{
	return _mm512_maskz_mov_ps(_mm512_cmpge_epu32_mask(bits, threshold),
	                           scale);
}

#endif

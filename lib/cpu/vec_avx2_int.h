/* SPDX-License-Identifier: MIT */
/* The vector vocabulary of simd_*_int.h for AVX2 with FMA: 8 floats. What each
 * word means is said in simd_math_int.h. */
#ifndef BT_CPU_VEC_AVX2_INT_H
#define BT_CPU_VEC_AVX2_INT_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VL 8
#define REGISTERS 16
#define VEC static inline __attribute__((always_inline))

typedef __m256 vf;
typedef __m256i vu;

/* Lanes 0 .. n-1 all ones. */
VEC __m256i v_mask(size_t n)
{
	static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

	return _mm256_loadu_si256((const __m256i *)(ones + 8 - n));
}

VEC vf v_set1(float x)
{
	return _mm256_set1_ps(x);
}

VEC vf v_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

VEC void v_store(float *p, vf x)
{
	_mm256_storeu_ps(p, x);
}

VEC vf v_loadn(const float *p, size_t n)
{
	return _mm256_maskload_ps(p, v_mask(n));
}

VEC void v_storen(float *p, vf x, size_t n)
{
	_mm256_maskstore_ps(p, v_mask(n), x);
}

VEC vf v_of_bf16(__m128i h)
{
	return _mm256_castsi256_ps(
	    _mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}

/* Rounded to bf16, which is the upper half. */
VEC vu u_round_bf16(vf x)
{
	__m256i u = _mm256_castps_si256(x);
	__m256i odd =
	    _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
	__m256i r = _mm256_add_epi32(
	    u, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
	__m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
	__m256i quiet = _mm256_or_si256(u, _mm256_set1_epi32(0x400000));

	return _mm256_blendv_epi8(r, quiet, nan);
}

VEC __m128i v_to_bf16(vf x)
{
	__m256i r = _mm256_srli_epi32(u_round_bf16(x), 16);

	r = _mm256_packus_epi32(r, r);
	return _mm256_castsi256_si128(_mm256_permute4x64_epi64(r, 0x08));
}

VEC vf v_load_bf16(const uint16_t *p)
{
	return v_of_bf16(_mm_loadu_si128((const __m128i *)p));
}

VEC vf v_loadn_bf16(const uint16_t *p, size_t n)
{
	uint16_t t[8] = {0};

	memcpy(t, p, n * sizeof(*p));
	return v_load_bf16(t);
}

VEC void v_store_bf16(uint16_t *p, vf x)
{
	_mm_storeu_si128((__m128i *)p, v_to_bf16(x));
}

VEC void v_storen_bf16(uint16_t *p, vf x, size_t n)
{
	uint16_t t[8];

	v_store_bf16(t, x);
	memcpy(p, t, n * sizeof(*p));
}

VEC vf v_add(vf a, vf b)
{
	return _mm256_add_ps(a, b);
}

VEC vf v_sub(vf a, vf b)
{
	return _mm256_sub_ps(a, b);
}

VEC vf v_mul(vf a, vf b)
{
	return _mm256_mul_ps(a, b);
}

VEC vf v_div(vf a, vf b)
{
	return _mm256_div_ps(a, b);
}

VEC vf v_sqrt(vf a)
{
	return _mm256_sqrt_ps(a);
}

VEC vf v_max(vf a, vf b)
{
	return _mm256_max_ps(a, b);
}

VEC vf v_min(vf a, vf b)
{
	return _mm256_min_ps(a, b);
}

VEC vf v_abs(vf a)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

VEC vf v_fma(vf a, vf b, vf c)
{
	return _mm256_fmadd_ps(a, b, c);
}

VEC vf v_fnma(vf a, vf b, vf c)
{
	return _mm256_fnmadd_ps(a, b, c);
}

/* 12 bits from the table, doubled by one Newton step */
VEC vf v_rcp(vf a)
{
	vf r = _mm256_rcp_ps(a);

	return _mm256_fmadd_ps(_mm256_fnmadd_ps(a, r, _mm256_set1_ps(1.0f)), r,
	                       r);
}

VEC vf v_rcp_approx(vf a)
{
	return v_rcp(a);
}

VEC vf v_if_negative(vf x, vf yes, vf no)
{
	return _mm256_blendv_ps(
	    no, yes, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ));
}

VEC vf v_round(vf a)
{
	return _mm256_round_ps(a,
	                       _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

VEC vf v_times_2_to(vf a, vf n)
{
	__m256i e =
	    _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));

	return _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(e, 23)));
}

VEC float v_sum(vf a)
{
	__m128 s =
	    _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));

	s = _mm_add_ps(s, _mm_movehl_ps(s, s));
	return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

VEC float v_highest(vf a)
{
	__m128 s =
	    _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));

	s = _mm_max_ps(s, _mm_movehl_ps(s, s));
	return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}

VEC vu u_set1(uint32_t x)
{
	return _mm256_set1_epi32((int)x);
}

VEC vu u_count(void)
{
	return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
}

VEC vu u_add(vu a, vu b)
{
	return _mm256_add_epi32(a, b);
}

VEC vu u_xor(vu a, vu b)
{
	return _mm256_xor_si256(a, b);
}

VEC vu u_low16(vu a)
{
	return _mm256_and_si256(a, _mm256_set1_epi32(0xffff));
}

VEC vu u_high16(vu a)
{
	return _mm256_srli_epi32(a, 16);
}

VEC void u_mul_wide(vu a, vu b, vu *high, vu *low)
{
	vu even = _mm256_mul_epu32(a, b);
	vu odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32),
	                          _mm256_srli_epi64(b, 32));

	*low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	*high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

VEC void u_stream(uint32_t *p, vu x)
{
	_mm256_stream_si256((__m256i *)p, x);
}

VEC void u_stream_end(void)
{
	_mm_sfence();
}

VEC vu v_pair_bf16(vf x, vf y)
{
	return _mm256_blend_epi16(_mm256_srli_epi32(u_round_bf16(x), 16),
	                          u_round_bf16(y), 0xaa);
}

/* Within each of the two lanes, then between them. */
VEC void u_transpose(const void *src, size_t step, void *out, size_t width,
                     bool stream)
{
	const uint32_t *from = src;
	uint32_t *to = out;
	__m256i a[8], b[8];
	int i, j;

	for (i = 0; i < 8; i++)
		a[i] = _mm256_loadu_si256(
		    (const __m256i *)(from + (size_t)i * step));
	for (i = 0; i < 8; i += 2) {
		b[i] = _mm256_unpacklo_epi32(a[i], a[i + 1]);
		b[i + 1] = _mm256_unpackhi_epi32(a[i], a[i + 1]);
	}
	for (i = 0; i < 8; i += 4)
		for (j = 0; j < 2; j++) {
			a[i + 2 * j] =
			    _mm256_unpacklo_epi64(b[i + j], b[i + 2 + j]);
			a[i + 2 * j + 1] =
			    _mm256_unpackhi_epi64(b[i + j], b[i + 2 + j]);
		}
	for (i = 0; i < 4; i++) {
		b[i] = _mm256_permute2x128_si256(a[i], a[4 + i], 0x20);
		b[4 + i] = _mm256_permute2x128_si256(a[i], a[4 + i], 0x31);
	}
	for (i = 0; i < 8; i++, to += width)
		if (stream)
			u_stream(to, b[i]);
		else
			_mm256_storeu_si256((__m256i *)to, b[i]);
}

/* both sides are below 2^16: signed comparison will do */
VEC vf v_keep(vu bits, vu threshold, vf scale)
{
	__m256i below = _mm256_cmpgt_epi32(threshold, bits);

	return _mm256_andnot_ps(_mm256_castsi256_ps(below), scale);
}

#endif

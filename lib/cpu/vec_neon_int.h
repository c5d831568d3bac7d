/* SPDX-License-Identifier: MIT */
/* The vector vocabulary of simd_*_int.h for arm64: 4 floats. What each word
 * means is said in simd_math_int.h. */
#ifndef BT_CPU_VEC_NEON_INT_H
#define BT_CPU_VEC_NEON_INT_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VL 4
#define REGISTERS 32
#define VEC static inline __attribute__((always_inline))

typedef float32x4_t vf;
typedef uint32x4_t vu;

VEC vf v_set1(float x)
{
	return vdupq_n_f32(x);
}

VEC vf v_load(const float *p)
{
	return vld1q_f32(p);
}

VEC void v_store(float *p, vf x)
{
	vst1q_f32(p, x);
}

VEC vf v_loadn(const float *p, size_t n)
{
	float t[4] = {0};

	memcpy(t, p, n * sizeof(*p));
	return v_load(t);
}

VEC void v_storen(float *p, vf x, size_t n)
{
	float t[4];

	v_store(t, x);
	memcpy(p, t, n * sizeof(*p));
}

VEC vf v_load_bf16(const uint16_t *p)
{
	return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}

VEC vf v_loadn_bf16(const uint16_t *p, size_t n)
{
	uint16_t t[4] = {0};

	memcpy(t, p, n * sizeof(*p));
	return v_load_bf16(t);
}

VEC uint16x4_t v_to_bf16(vf x)
{
	uint32x4_t u = vreinterpretq_u32_f32(x);
	uint32x4_t odd = vandq_u32(vshrq_n_u32(u, 16), vdupq_n_u32(1));
	uint32x4_t r = vaddq_u32(u, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
	uint32x4_t good = vceqq_f32(x, x);

	r = vbslq_u32(good, r, vorrq_u32(u, vdupq_n_u32(0x400000)));
	return vshrn_n_u32(r, 16);
}

VEC void v_store_bf16(uint16_t *p, vf x)
{
	vst1_u16(p, v_to_bf16(x));
}

VEC void v_storen_bf16(uint16_t *p, vf x, size_t n)
{
	uint16_t t[4];

	v_store_bf16(t, x);
	memcpy(p, t, n * sizeof(*p));
}

VEC vf v_add(vf a, vf b)
{
	return vaddq_f32(a, b);
}

VEC vf v_sub(vf a, vf b)
{
	return vsubq_f32(a, b);
}

VEC vf v_mul(vf a, vf b)
{
	return vmulq_f32(a, b);
}

VEC vf v_div(vf a, vf b)
{
	return vdivq_f32(a, b);
}

VEC vf v_sqrt(vf a)
{
	return vsqrtq_f32(a);
}

VEC vf v_max(vf a, vf b)
{
	return vmaxq_f32(a, b);
}

VEC vf v_min(vf a, vf b)
{
	return vminq_f32(a, b);
}

VEC vf v_abs(vf a)
{
	return vabsq_f32(a);
}

VEC vf v_fma(vf a, vf b, vf c)
{
	return vfmaq_f32(c, a, b);
}

VEC vf v_fnma(vf a, vf b, vf c)
{
	return vfmsq_f32(c, a, b);
}

VEC vf v_rcp(vf a)
{
	return vdivq_f32(vdupq_n_f32(1.0f), a);
}

VEC vf v_rcp_approx(vf a)
{
	return v_rcp(a);
}

VEC vf v_if_negative(vf x, vf yes, vf no)
{
	return vbslq_f32(vcltzq_f32(x), yes, no);
}

VEC vf v_round(vf a)
{
	return vrndnq_f32(a);
}

VEC vf v_times_2_to(vf a, vf n)
{
	int32x4_t e = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));

	return vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32(e, 23)));
}

VEC float v_sum(vf a)
{
	return vaddvq_f32(a);
}

VEC float v_highest(vf a)
{
	return vmaxvq_f32(a);
}

VEC vu u_set1(uint32_t x)
{
	return vdupq_n_u32(x);
}

VEC vu u_count(void)
{
	static const uint32_t n[4] = {0, 1, 2, 3};

	return vld1q_u32(n);
}

VEC vu u_add(vu a, vu b)
{
	return vaddq_u32(a, b);
}

VEC vu u_xor(vu a, vu b)
{
	return veorq_u32(a, b);
}

VEC vu u_low16(vu a)
{
	return vandq_u32(a, vdupq_n_u32(0xffff));
}

VEC vu u_high16(vu a)
{
	return vshrq_n_u32(a, 16);
}

VEC void u_mul_wide(vu a, vu b, vu *high, vu *low)
{
	uint64x2_t x = vmull_u32(vget_low_u32(a), vget_low_u32(b));
	uint64x2_t y = vmull_high_u32(a, b);

	*low = vuzp1q_u32(vreinterpretq_u32_u64(x), vreinterpretq_u32_u64(y));
	*high = vuzp2q_u32(vreinterpretq_u32_u64(x), vreinterpretq_u32_u64(y));
}

VEC void u_stream(uint32_t *p, vu x)
{
	vst1q_u32(p, x);
}

VEC void u_stream_end(void)
{
}

VEC vu v_pair_bf16(vf x, vf y)
{
	return vorrq_u32(vmovl_u16(v_to_bf16(x)),
	                 vshll_n_u16(v_to_bf16(y), 16));
}

/* As bytes, which may be those of any type. */
VEC uint32x4_t load_bytes(const void *src, size_t words)
{
	return vreinterpretq_u32_u8(vld1q_u8((const uint8_t *)src + 4 * words));
}

VEC void store_bytes(void *out, size_t words, uint32x2_t low, uint32x2_t high)
{
	vst1q_u8((uint8_t *)out + 4 * words,
	         vreinterpretq_u8_u32(vcombine_u32(low, high)));
}

VEC void u_transpose(const void *src, size_t step, void *out, size_t width,
                     bool stream)
{
	uint32x4x2_t a = vtrnq_u32(load_bytes(src, 0), load_bytes(src, step));
	uint32x4x2_t b =
	    vtrnq_u32(load_bytes(src, 2 * step), load_bytes(src, 3 * step));

	(void)stream;
	store_bytes(out, 0, vget_low_u32(a.val[0]), vget_low_u32(b.val[0]));
	store_bytes(out, width, vget_low_u32(a.val[1]), vget_low_u32(b.val[1]));
	store_bytes(out, 2 * width, vget_high_u32(a.val[0]),
	            vget_high_u32(b.val[0]));
	store_bytes(out, 3 * width, vget_high_u32(a.val[1]),
	            vget_high_u32(b.val[1]));
}

VEC vf v_keep(vu bits, vu threshold, vf scale)
{
	return vreinterpretq_f32_u32(vandq_u32(vcgeq_u32(bits, threshold),
	                                       vreinterpretq_u32_f32(scale)));
}

#endif

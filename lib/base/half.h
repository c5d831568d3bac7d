/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits: half precision (f16) and bfloat16 (bf16). */
#ifndef BT_BASE_HALF_H
#define BT_BASE_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float bt_f32_of_bits(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline uint32_t bt_bits_of_f32(float v)
{
	uint32_t b;

	memcpy(&b, &v, sizeof(b));
	return b;
}

static inline float bt_f16_to_f32(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t exponent = (h >> 10) & 31, mantissa = h & 0x3ff;
	float v;

	if (exponent == 31) /* infinity, or NaN with its payload */
		return bt_f32_of_bits(sign | 0x7f800000 | mantissa << 13);
	if (exponent != 0)
		return bt_f32_of_bits(sign | (exponent + 112) << 23 |
		                      mantissa << 13);
	v = (float)mantissa * 0x1p-24f;
	return sign != 0 ? -v : v;
}

static inline float bt_bf16_to_f32(uint16_t h)
{
	return bt_f32_of_bits((uint32_t)h << 16);
}

/* Both round to the nearest, ties to even, and keep a NaN one. */
static inline uint16_t bt_f32_to_bf16(float v)
{
	uint32_t b = bt_bits_of_f32(v);

	if (isnan(v))
		return (uint16_t)(b >> 16 | 0x40);
	return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

static inline uint16_t bt_f32_to_f16(float v)
{
	uint32_t b = bt_bits_of_f32(v), sign = b >> 16 & 0x8000;

	b &= 0x7fffffff;
	if (b > 0x7f800000)
		return (uint16_t)(sign | 0x7e00 | (b >> 13 & 0x3ff));
	if (b >= 0x477ff000) /* 65520 and more round to infinity */
		return (uint16_t)(sign | 0x7c00);
	if (b < 0x38800000) /* below 2^-14: multiples of 2^-24 */
		return (uint16_t)(sign | (uint32_t)lrintf(fabsf(v) * 0x1p24f));
	b += 0xfff + (b >> 13 & 1);
	return (uint16_t)(sign | ((b >> 13) - (112 << 10)));
}

#endif

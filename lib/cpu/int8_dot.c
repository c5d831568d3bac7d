/* SPDX-License-Identifier: MIT */
/* Int8 products on an arm64 with the dot product of bytes. */
#ifdef __ARM_FEATURE_DOTPROD
#include "cpu/vec_neon_int.h"

struct sums {
	int32x4_t all;
};

VEC void dot(struct sums *s, int8x16_t x, int8x16_t w)
{
	s->all = vdotq_s32(s->all, x, w);
}

VEC int32x4_t total(const struct sums *s)
{
	return s->all;
}

#define TABLE bt_int8_dot
#include "cpu/int8_neon_int.h"
#else
typedef int bt_no_int8_dot; /* a translation unit must not be empty */
#endif

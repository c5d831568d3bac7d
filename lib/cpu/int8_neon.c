/* SPDX-License-Identifier: MIT */
/* Int8 products on any arm64: two bytes' products fit 16 bits, and are added in
 * pairs to 32. */
#ifdef __aarch64__
#include "cpu/vec_neon_int.h"

/* Of 4 columns: the even and the odd pairs of the first two, of the others. */
struct sums {
	int32x4_t bf16, high;
};

VEC void dot(struct sums *s, int8x16_t x, int8x16_t w)
{
	s->bf16 =
	    vpadalq_s16(s->bf16, vmull_s8(vget_low_s8(x), vget_low_s8(w)));
	s->high = vpadalq_s16(s->high, vmull_high_s8(x, w));
}

VEC int32x4_t total(const struct sums *s)
{
	return vpaddq_s32(s->bf16, s->high);
}

#define TABLE bt_int8_neon
#include "cpu/int8_neon_int.h"
#else
typedef int bt_no_int8_neon; /* a translation unit must not be empty */
#endif

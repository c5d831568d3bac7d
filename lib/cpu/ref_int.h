/* SPDX-License-Identifier: MIT */
/* What the files of kernels in plain C share. */
#ifndef BT_CPU_REF_INT_H
#define BT_CPU_REF_INT_H

#include "cpu/kernels_int.h"

static inline float get(const void *x, size_t i, bool bf16)
{
	return bf16 ? bt_bf16_to_f32(((const uint16_t *)x)[i])
	            : ((const float *)x)[i];
}

static inline void put(void *y, size_t i, bool bf16, float v)
{
	if (bf16)
		((uint16_t *)y)[i] = bt_f32_to_bf16(v);
	else
		((float *)y)[i] = v;
}

void bt_ref_dropout(const struct bt_dropout *d, uint32_t row, size_t n,
                    float *m);
void bt_ref_attend(const struct bt_attend *a);
void bt_ref_attend_back(const struct bt_attend *a);

#endif

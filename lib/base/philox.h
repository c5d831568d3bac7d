/* SPDX-License-Identifier: MIT */
/*
 * Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
 * SC 2011): a counter and a key give four random words. Nothing is remembered,
 * so every random number of the project is a function of
 * (seed, purpose, step, element) and does not depend on threads, on how a batch
 * is cut or on when a run was resumed.
 */
#ifndef BT_BASE_PHILOX_H
#define BT_BASE_PHILOX_H

#include <stdint.h>

/* What a stream of numbers is for; dropout adds the number of its node. */
enum bt_purpose {
	BT_PURPOSE_INIT = 1,    /* initial weights; step = index of parameter */
	BT_PURPOSE_SHUFFLE = 2, /* order of examples; step = epoch */
	BT_PURPOSE_SPLIT = 3,   /* choice of the evaluation share */
	BT_PURPOSE_SHARE = 4,   /* choice of the share trained on */
	BT_PURPOSE_CLUSTER = 5, /* first centres; step = index of centre */
	BT_PURPOSE_PAIRS = 6,   /* circles of a class's texts; step = epoch */
	BT_PURPOSE_MASK = 7,    /* tokens that are masked; step = update */
	BT_PURPOSE_RESAMPLE = 8, /* examples with replacement; step = sample */
	BT_PURPOSE_PRINCIPAL =
	    9,                /* directions to begin with; step = direction */
	BT_PURPOSE_TUNE = 10, /* settings that are tried; step = setting */
	BT_PURPOSE_DROPOUT = 256
};

#define BT_PHILOX_M0 0xD2511F53u
#define BT_PHILOX_M1 0xCD9E8D57u
#define BT_PHILOX_W0 0x9E3779B9u
#define BT_PHILOX_W1 0xBB67AE85u

static inline void bt_philox(uint64_t seed, const uint32_t counter[4],
                             uint32_t out[4])
{
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
	uint32_t c0 = counter[0], c1 = counter[1];
	uint32_t c2 = counter[2], c3 = counter[3];
	uint64_t p0, p1;
	int i;

	for (i = 0; i < 10; i++) {
		p0 = (uint64_t)BT_PHILOX_M0 * c0;
		p1 = (uint64_t)BT_PHILOX_M1 * c2;
		c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)p1;
		c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)p0;
		k0 += BT_PHILOX_W0;
		k1 += BT_PHILOX_W1;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* One of the many: 64 random bits. */
uint64_t bt_random_u64(uint64_t seed, uint32_t purpose, uint32_t step,
                       uint64_t element);

/* Uniform in 0 .. n-1 without bias; n > 0. */
uint64_t bt_random_below(uint64_t seed, uint32_t purpose, uint32_t step,
                         uint64_t element, uint64_t n);

/* Two independent standard normal numbers (Box-Muller) cut off at +-limit
 * standard deviations by drawing again; limit 0: not cut off. */
void bt_random_normal(uint64_t seed, uint32_t purpose, uint32_t step,
                      uint64_t element, double limit, double out[2]);

/* Fills perm[0..n-1] with a random order of 0..n-1 (Fisher-Yates). */
void bt_random_order(uint64_t seed, uint32_t purpose, uint32_t step,
                     uint32_t *perm, uint32_t n);

#endif

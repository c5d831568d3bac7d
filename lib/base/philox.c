/* SPDX-License-Identifier: MIT */
/*
 * Counter words: low and high half of the element, the step, and the purpose
 * with the number of the attempt in its upper bits (attempts beyond the first
 * are made where a draw was rejected).
 */
#include "base/philox.h"

#include <math.h>

#define ATTEMPT_SHIFT 20
#define TWO_PI 6.283185307179586476925

static void draw(uint64_t seed, uint32_t purpose, uint32_t step,
                 uint64_t element, uint32_t attempt, uint32_t out[4])
{
	uint32_t c[4];

	c[0] = (uint32_t)element;
	c[1] = (uint32_t)(element >> 32);
	c[2] = step;
	c[3] = purpose + (attempt << ATTEMPT_SHIFT);
	bt_philox(seed, c, out);
}

uint64_t bt_random_u64(uint64_t seed, uint32_t purpose, uint32_t step,
                       uint64_t element)
{
	uint32_t w[4];

	draw(seed, purpose, step, element, 0, w);
	return (uint64_t)w[1] << 32 | w[0];
}

uint64_t bt_random_below(uint64_t seed, uint32_t purpose, uint32_t step,
                         uint64_t element, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, v;
	uint32_t w[4], attempt;

	for (attempt = 0;; attempt++) {
		draw(seed, purpose, step, element, attempt, w);
		v = (uint64_t)w[1] << 32 | w[0];
		if (v < limit)
			return v % n;
	}
}

/* In (0, 1): the middle of one of 2^32 equal parts. */
static double unit(uint32_t w)
{
	return ((double)w + 0.5) * (1.0 / 4294967296.0);
}

void bt_random_normal(uint64_t seed, uint32_t purpose, uint32_t step,
                      uint64_t element, double limit, double out[2])
{
	uint32_t w[4], attempt;
	double r, angle;
	int have = 0, i;

	for (attempt = 0; have < 2; attempt++) {
		draw(seed, purpose, step, element, attempt, w);
		for (i = 0; i < 4 && have < 2; i += 2) {
			r = sqrt(-2.0 * log(unit(w[i])));
			angle = TWO_PI * unit(w[i + 1]);
			out[have] = r * cos(angle);
			if (limit == 0 || fabs(out[have]) <= limit)
				have++;
			if (have == 2)
				break;
			out[have] = r * sin(angle);
			if (limit == 0 || fabs(out[have]) <= limit)
				have++;
		}
	}
}

void bt_random_order(uint64_t seed, uint32_t purpose, uint32_t step,
                     uint32_t *perm, uint32_t n)
{
	uint32_t i, j, t;

	for (i = 0; i < n; i++)
		perm[i] = i;
	for (i = n; i > 1; i--) {
		j = (uint32_t)bt_random_below(seed, purpose, step, i, i);
		t = perm[i - 1];
		perm[i - 1] = perm[j];
		perm[j] = t;
	}
}

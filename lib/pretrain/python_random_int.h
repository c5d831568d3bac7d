/* SPDX-License-Identifier: MIT */
/* What Python's random.Random makes of its generator. */
#ifndef BT_PRETRAIN_PYTHON_RANDOM_INT_H
#define BT_PRETRAIN_PYTHON_RANDOM_INT_H

#include <stddef.h>
#include <stdint.h>

#include "base/mt19937.h"

/* Random(seed) */
void bt_python_random_init(struct bt_mt19937 *t, int64_t seed);

/* random(), in [0, 1) */
double bt_python_random_real(struct bt_mt19937 *t);

/* randrange(n), and what randint and choice draw; n > 0 */
uint32_t bt_python_random_below(struct bt_mt19937 *t, uint32_t n);

/* shuffle() of n elements of `size` bytes, 16 at most. */
void bt_python_random_shuffle(struct bt_mt19937 *t, void *v, uint32_t n,
                              size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Hashes for tables in memory: fast, the same everywhere, not for secrets and
 * not against people who look for collisions. */
#ifndef BT_BASE_HASH_H
#define BT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Every bit of h decides about every bit of the result, which has one h only
 * (the finalizer of MurmurHash3). */
static inline uint64_t bt_hash_mix(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 33;
}

static inline uint64_t bt_hash(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = n * 0x9e3779b97f4a7c15u, w;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = bt_hash_mix(h ^ w);
	}
	w = 0;
	if (n > 0)
		memcpy(&w, p, n);
	return bt_hash_mix(h ^ w);
}

#endif

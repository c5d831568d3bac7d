/* SPDX-License-Identifier: MIT */
/* Sixteen bytes of text at a time: sets of them have bit i for byte i. */
#ifndef BT_UNICODE_SIMD16_H
#define BT_UNICODE_SIMD16_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unicode/swar8_int.h"

#ifdef __SSE2__
#include <emmintrin.h>

/* Signed bytes: those from 0x80 are below the others. */
static inline __m128i bt_simd16_in(__m128i v, char first, char last)
{
	return _mm_andnot_si128(
	    _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(first)),
	                 _mm_cmpgt_epi8(v, _mm_set1_epi8(last))),
	    _mm_set1_epi8(-1));
}
#endif

struct bt_simd16 {
	uint32_t odd; /* not ' ' to '~'; of these bytes nothing else is said */
	uint32_t alnum, digit, space;
};

static inline struct bt_simd16 bt_simd16_look(const uint8_t *p)
{
	struct bt_simd16 k;
#ifdef __SSE2__
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i small = _mm_or_si128(v, _mm_set1_epi8(0x20));

	k.odd = 0xffff ^ (uint32_t)_mm_movemask_epi8(bt_simd16_in(v, ' ', '~'));
	k.alnum = (uint32_t)_mm_movemask_epi8(_mm_or_si128(
	    bt_simd16_in(small, 'a', 'z'), bt_simd16_in(v, '0', '9')));
	k.digit = (uint32_t)_mm_movemask_epi8(bt_simd16_in(v, '0', '9'));
	k.space =
	    (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')));
#else
	uint64_t v, low;
	unsigned i;

	memset(&k, 0, sizeof(k));
	for (i = 0; i < 16; i += 8) {
		memcpy(&v, p + i, 8);
		low = v & ~BT_SWAR8_TOPS;
		k.odd |= (uint32_t)bt_swar8_bits(
		             (v | ~bt_swar8_in(low, ' ', '~')) & BT_SWAR8_TOPS)
		         << i;
		k.alnum |= (uint32_t)bt_swar8_bits(bt_swar8_alnum(low)) << i;
		k.digit |= (uint32_t)bt_swar8_bits(bt_swar8_in(low, '0', '9'))
		           << i;
		k.space |= (uint32_t)bt_swar8_bits(bt_swar8_is(low, ' ')) << i;
	}
#endif
	return k;
}

/* Copies sixteen bytes, capitals made small if asked for. False: not all of
 * them are ' ' to '~', and what was written is of no use. */
static inline bool bt_simd16_copy(const uint8_t *p, bool lower, uint8_t *to)
{
#ifdef __SSE2__
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p), big;
	bool good = _mm_movemask_epi8(bt_simd16_in(v, ' ', '~')) == 0xffff;

	big = _mm_and_si128(bt_simd16_in(v, 'A', 'Z'),
	                    _mm_set1_epi8(lower ? 0x20 : 0));
	_mm_storeu_si128((__m128i *)(void *)to, _mm_or_si128(v, big));
	return good;
#else
	uint64_t v[2];

	memcpy(v, p, 16);
	if (!bt_swar8_printable(v[0]) || !bt_swar8_printable(v[1]))
		return false;
	if (lower) {
		v[0] = bt_swar8_lower(v[0]);
		v[1] = bt_swar8_lower(v[1]);
	}
	memcpy(to, v, 16);
	return true;
#endif
}

#endif

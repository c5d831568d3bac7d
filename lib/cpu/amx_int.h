/* SPDX-License-Identifier: MIT */
/*
 * AMX tiles: eight, each of 16 rows of 64 bytes.
 *
 * A test without such a processor defines the operations and BT_TILES_IMITATED
 * itself, before it includes a file that uses them.
 */
#ifndef BT_CPU_AMX_INT_H
#define BT_CPU_AMX_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef BT_TILES_IMITATED
#include <immintrin.h>
#define TILE_CONFIG(c) _tile_loadconfig(c)
#define TILE_RELEASE() _tile_release()
#define TILE_ZERO(t) _tile_zero(t)
/* gcc's does not say that it reads memory, so what was written there might
 * still be on its way, or left out */
#define TILE_LOAD(t, p, stride)                                                \
	do {                                                                   \
		__asm__ volatile("" ::: "memory");                             \
		_tile_loadd(t, p, stride);                                     \
	} while (0)
#define TILE_STORE(t, p, stride) _tile_stored(t, p, stride)
#define TILE_DOT_INT8(sum, x, w) _tile_dpbssd(sum, x, w)
#define TILE_DOT_BF16(sum, x, w) _tile_dpbf16ps(sum, x, w)
#endif

#define TILE_SIDE ((size_t)16) /* rows of a tile, and columns of its sums */

/* Intel SDM volume 1, "tile configuration": palette 1. */
struct tile_config {
	uint8_t palette, start_row, zero[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

/* Asks for the lines that rows from .. end-1 of a block of 32 columns will be
 * written to; ld: numbers from row to row. */
static inline void tile_want_rows(const void *block, size_t ld, bool bf16,
                                  size_t from, size_t end)
{
	const size_t row = ld * (bf16 ? sizeof(uint16_t) : sizeof(float));
	const char *y = (const char *)block + from * row;

	for (; from < end; from++, y += row) {
		__builtin_prefetch(y, 1);
		if (!bf16)
			__builtin_prefetch(y + 64, 1);
	}
}

static const struct tile_config tile_config = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 16},
};

#endif

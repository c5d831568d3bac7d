/* SPDX-License-Identifier: MIT */
/* Cutting tensors into pieces for a pool of threads. */
#ifndef BT_TENSOR_STATS_INT_H
#define BT_TENSOR_STATS_INT_H

#include "tensor/stats.h"

#define BT_PIECE ((size_t)1 << 18) /* elements: 1 MiB of f32 */
#define BT_PIECE_BLOCK 1024        /* elements converted at once */

static inline size_t bt_pieces_of(size_t count)
{
	return count / BT_PIECE + (count % BT_PIECE != 0);
}

/* Elements of piece k of count elements. */
static inline size_t bt_piece_size(size_t count, size_t k)
{
	size_t left = count - k * BT_PIECE;

	return left < BT_PIECE ? left : BT_PIECE;
}

#endif

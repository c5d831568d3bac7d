/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), and the masked form
 * that TFRecord and TensorFlow's tables store. Uses the CPU's instruction where
 * there is one, three at a time in long runs. Thread-safe.
 */
#ifndef BT_BASE_CRC32C_H
#define BT_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* crc is the value for the bytes before, 0 at the start. */
uint32_t bt_crc32c(uint32_t crc, const void *data, size_t n);

/* The CRC of bytes with the CRC a and n_b more behind them with the CRC b, both
 * begun at 0. */
uint32_t bt_crc32c_join(uint32_t a, uint32_t b, uint64_t n_b);

/* One of the ways to compute it, without the inversion at both ends. */
typedef uint32_t bt_crc32c_fn(uint32_t crc, const uint8_t *p, size_t n);

/* For tests: the name of way i = 0, 1, ..., NULL behind the last; *fn is NULL
 * where this machine cannot go it. */
const char *bt_crc32c_path(int i, bt_crc32c_fn **fn);

/* Rotated right by 15 bits plus a constant, so that a CRC of bytes that hold
 * their own CRC stays meaningful. */
static inline uint32_t bt_crc32c_mask(uint32_t crc)
{
	return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), and the masked form
 * that TFRecord and TensorFlow's tables store. Uses the CPU's instruction where
 * there is one. Thread-safe.
 */
#ifndef BT_IO_CRC32C_H
#define BT_IO_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* crc is the value for the bytes before, 0 at the start. */
uint32_t bt_crc32c(uint32_t crc, const void *data, size_t n);

/* As bt_crc32c, in plain C: the fallback, and what tests compare with. */
uint32_t bt_crc32c_ref(uint32_t crc, const void *data, size_t n);

/* Rotated right by 15 bits plus a constant, so that a CRC of bytes that hold
 * their own CRC stays meaningful. */
static inline uint32_t bt_crc32c_mask(uint32_t crc)
{
	return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "io/crc32c.h"

#include <pthread.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

typedef uint32_t crc_fn(uint32_t crc, const uint8_t *p, size_t n);

/* table[k][b]: the CRC of byte b followed by k zero bytes. */
static uint32_t table[8][256];
static crc_fn *fastest;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v; /* little-endian machines only; checked in setup */
}

static uint32_t crc_table(uint32_t crc, const uint8_t *p, size_t n)
{
	uint64_t v;

	for (; n >= 8; n -= 8, p += 8) {
		v = load64(p) ^ crc;
		crc = table[7][v & 0xff] ^ table[6][v >> 8 & 0xff] ^
		      table[5][v >> 16 & 0xff] ^ table[4][v >> 24 & 0xff] ^
		      table[3][v >> 32 & 0xff] ^ table[2][v >> 40 & 0xff] ^
		      table[1][v >> 48 & 0xff] ^ table[0][v >> 56];
	}
	for (; n > 0; n--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
crc_hardware(uint32_t crc, const uint8_t *p, size_t n)
{
	uint64_t c = crc;

	for (; n >= 8; n -= 8, p += 8)
		c = __builtin_ia32_crc32di(c, load64(p));
	crc = (uint32_t)c;
	for (; n > 0; n--, p++)
		crc = __builtin_ia32_crc32qi(crc, *p);
	return crc;
}

static int have_hardware(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
__attribute__((target("+crc"))) static uint32_t
crc_hardware(uint32_t crc, const uint8_t *p, size_t n)
{
	for (; n >= 8; n -= 8, p += 8)
		crc = __crc32cd(crc, load64(p));
	for (; n > 0; n--, p++)
		crc = __crc32cb(crc, *p);
	return crc;
}

static int have_hardware(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}
#else
#define crc_hardware crc_table

static int have_hardware(void)
{
	return 0;
}
#endif

static void setup(void)
{
	uint32_t b, c;
	int k;

	for (b = 0; b < 256; b++) {
		c = b;
		for (k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0x82F63B78u : c >> 1;
		table[0][b] = c;
	}
	for (k = 1; k < 8; k++)
		for (b = 0; b < 256; b++)
			table[k][b] = table[k - 1][b] >> 8 ^
			              table[0][table[k - 1][b] & 0xff];
	fastest = have_hardware() ? crc_hardware : crc_table;
}

uint32_t bt_crc32c(uint32_t crc, const void *data, size_t n)
{
	pthread_once(&once, setup);
	return ~fastest(~crc, data, n);
}

uint32_t bt_crc32c_ref(uint32_t crc, const void *data, size_t n)
{
	pthread_once(&once, setup);
	return ~crc_table(~crc, data, n);
}

/* SPDX-License-Identifier: MIT */
#include "base/crc32c.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#endif

#define POLYNOMIAL 0x82F63B78u /* reflected: bit 31 is x^0 */

/* table[k][b]: the CRC of byte b followed by k zero bytes. */
static uint32_t table[8][256];
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
	uint32_t v4;
	uint16_t v2;

	for (; n >= 8; n -= 8, p += 8)
		c = __builtin_ia32_crc32di(c, load64(p));
	crc = (uint32_t)c;
	if (n & 4) {
		memcpy(&v4, p, 4);
		crc = __builtin_ia32_crc32si(crc, v4);
		p += 4;
	}
	if (n & 2) {
		memcpy(&v2, p, 2);
		crc = __builtin_ia32_crc32hi(crc, v2);
		p += 2;
	}
	return n & 1 ? __builtin_ia32_crc32qi(crc, *p) : crc;
}

/*
 * The instruction takes 1 cycle but its result comes after 3, so long runs are
 * read as three streams (Gopal et al., "Fast CRC computation for iSCSI
 * polynomial using CRC32 instruction", 2011). The CRC of two parts is the one
 * of the first, times x^(8 * bytes of the second), plus that of the second. Of
 * bit-reflected numbers the carry-less product has a factor x^1 too many, and
 * the instruction that reduces it multiplies by x^32: the power is less by 33.
 */
#define STREAMS 3 /* lengths of them */
static const size_t stream_len[STREAMS] = {1024, 128, 32};
static uint64_t stream_power[STREAMS][2]; /* for one more, for two more */

static void setup_streams(void)
{
	size_t k, bits;
	uint32_t v;
	int i, m;

	for (i = 0; i < STREAMS; i++)
		for (m = 0; m < 2; m++) {
			bits = 8 * stream_len[i] * (size_t)(m + 1) - 33;
			v = 0x80000000u;
			for (k = 0; k < bits; k++)
				v = v & 1 ? v >> 1 ^ POLYNOMIAL : v >> 1;
			stream_power[i][m] = v;
		}
}

__attribute__((target("sse4.2,pclmul"))) static uint64_t
times_power(uint64_t crc, uint64_t power)
{
	__m128i a = _mm_cvtsi64_si128((long long)crc);
	__m128i b = _mm_cvtsi64_si128((long long)power);
	__m128i product = _mm_clmulepi64_si128(a, b, 0);

	return __builtin_ia32_crc32di(0, (uint64_t)_mm_cvtsi128_si64(product));
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t
crc_streams(uint32_t crc, const uint8_t *p, size_t n)
{
	uint64_t c0 = crc, c1, c2;
	size_t len, k;
	int i;

	for (i = 0; i < STREAMS; i++) {
		len = stream_len[i];
		for (; n >= 3 * len; n -= 3 * len, p += 3 * len) {
			c1 = c2 = 0;
			for (k = 0; k < len; k += 8) {
				c0 = __builtin_ia32_crc32di(c0, load64(p + k));
				c1 = __builtin_ia32_crc32di(
				    c1, load64(p + len + k));
				c2 = __builtin_ia32_crc32di(
				    c2, load64(p + 2 * len + k));
			}
			c0 = times_power(c0, stream_power[i][1]) ^
			     times_power(c1, stream_power[i][0]) ^ c2;
		}
	}
	return crc_hardware((uint32_t)c0, p, n);
}

static bool have_hardware(void)
{
	return __builtin_cpu_supports("sse4.2");
}

static bool have_streams(void)
{
	return have_hardware() && __builtin_cpu_supports("pclmul");
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

static bool have_hardware(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}
#endif

static bool always(void)
{
	return true;
}

/* The fastest first. */
static const struct path {
	const char *name;
	bt_crc32c_fn *fn;
	bool (*present)(void);
} paths[] = {
#if defined(__x86_64__)
    {"pclmul", crc_streams, have_streams},
    {"sse4.2", crc_hardware, have_hardware},
#elif defined(__aarch64__)
    {"armv8", crc_hardware, have_hardware},
#endif
    {"table", crc_table, always},
};

static void setup(void)
{
	uint32_t b, c;
	int k;

	for (b = 0; b < 256; b++) {
		c = b;
		for (k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
		table[0][b] = c;
	}
	for (k = 1; k < 8; k++)
		for (b = 0; b < 256; b++)
			table[k][b] = table[k - 1][b] >> 8 ^
			              table[0][table[k - 1][b] & 0xff];
#if defined(__x86_64__)
	setup_streams();
#endif
}

static uint32_t first_use(uint32_t crc, const uint8_t *p, size_t n);

static _Atomic(bt_crc32c_fn *) fastest = first_use;

static uint32_t first_use(uint32_t crc, const uint8_t *p, size_t n)
{
	size_t i = 0;

	pthread_once(&once, setup);
	while (!paths[i].present())
		i++;
	atomic_store_explicit(&fastest, paths[i].fn, memory_order_release);
	return paths[i].fn(crc, p, n);
}

uint32_t bt_crc32c(uint32_t crc, const void *data, size_t n)
{
	bt_crc32c_fn *fn = atomic_load_explicit(&fastest, memory_order_acquire);

	return ~fn(~crc, data, n);
}

const char *bt_crc32c_path(int i, bt_crc32c_fn **fn)
{
	if (i < 0 || (size_t)i >= sizeof(paths) / sizeof(paths[0]))
		return NULL;
	pthread_once(&once, setup);
	*fn = paths[i].present() ? paths[i].fn : NULL;
	return paths[i].name;
}

/* a(x) b(x) modulo the polynomial. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a != 0; a <<= 1) {
		if (a & 0x80000000u)
			product ^= b;
		b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
	}
	return product;
}

/* n_b bytes behind it multiply a by x^(8 n_b). */
uint32_t bt_crc32c_join(uint32_t a, uint32_t b, uint64_t n_b)
{
	uint32_t square = 0x00800000u; /* x^8 */

	for (; n_b != 0; n_b >>= 1) {
		if (n_b & 1)
			a = multiply(square, a);
		square = multiply(square, square);
	}
	return a ^ b;
}

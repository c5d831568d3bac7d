/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bt_parse_i64(const char *s, int64_t lo, int64_t hi, int64_t *out)
{
	const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
	long long v;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return BT_EARG;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno != 0 || *end != '\0' || v < lo || v > hi)
		return BT_EARG;
	*out = v;
	return BT_OK;
}

int bt_parse_u64(const char *s, uint64_t *out)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return BT_EARG;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0')
		return BT_EARG;
	*out = v;
	return BT_OK;
}

int bt_parse_f64(const char *s, double lo, double hi, double *out)
{
	double v;
	char *end;

	if (*s == '\0' || s[strspn(s, "0123456789+-.eE")] != '\0')
		return BT_EARG;
	errno = 0;
	v = strtod(s, &end);
	if (end == s || *end != '\0' || !isfinite(v) || v < lo || v > hi)
		return BT_EARG;
	*out = v;
	return BT_OK;
}

/* w / 10^k by whole numbers: w and 5^k are shifted to 64 bits, their quotient
 * has 64 or 65, and what is left of the division only counts as not 0. */
static double divide(uint64_t w, uint64_t five, int k)
{
	int left = __builtin_clzll(w), up = __builtin_clzll(five);
	int e = up - left - k - 64;
	unsigned __int128 top = (unsigned __int128)(w << left) << 64;
	unsigned __int128 q = top / (five << up);
	bool more = q * (five << up) != top;
	uint64_t m, low;

	if (q >> 64 != 0) {
		more |= (q & 1) != 0;
		q >>= 1;
		e++;
	}
	low = (uint64_t)q & 0x7ff;
	m = (uint64_t)q >> 11;
	/* to the nearest, from the middle to the even one */
	m += low > 0x400 || (low == 0x400 && (more || (m & 1) != 0));
	return ldexp((double)m, e + 11);
}

double bt_decimal_f64(uint64_t w, int digits)
{
	static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
	                              1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	                              1e18, 1e19, 1e20, 1e21, 1e22};
	uint64_t five = 1;
	int i;

	if (w == 0)
		return 0;
	/* both are exact, so that it is rounded once */
	if (w <= (uint64_t)1 << 53 && digits <= 22)
		return (double)w / tens[digits];
	for (i = 0; i < digits; i++)
		five *= 5; /* 5^27 < 2^63 */
	return divide(w, five, digits);
}

int bt_parse_bytes(const char *s, size_t *out)
{
	static const char units[] = "KMGT";
	const char *u;
	size_t n;
	char *end;
	unsigned long long v;
	ptrdiff_t i;

	if (!isdigit((unsigned char)*s))
		return BT_EARG;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || v > SIZE_MAX)
		return BT_EARG;
	n = (size_t)v;
	if (*end != '\0') {
		u = strchr(units, toupper((unsigned char)*end));
		if (u == NULL || end[1] != '\0')
			return BT_EARG;
		for (i = 0; i <= u - units; i++) {
			if (n > SIZE_MAX / 1024)
				return BT_EARG;
			n *= 1024;
		}
	}
	*out = n;
	return BT_OK;
}

/*
 * The nearest decimal of each length is tried, from the shortest that can do.
 * At a power of two the next number below is half as far as the next above,
 * and a decimal on the far side may read back where the nearest does not: that
 * is the nearest to the upper end of what is read as the number.
 */
int bt_parse_hex4(const char *s)
{
	int v = 0, i, c;

	for (i = 0; i < 4; i++) {
		c = s[i] >= '0' && s[i] <= '9'   ? s[i] - '0'
		    : s[i] >= 'a' && s[i] <= 'f' ? s[i] - 'a' + 10
		    : s[i] >= 'A' && s[i] <= 'F' ? s[i] - 'A' + 10
		                                 : -1;
		if (c < 0)
			return -1;
		v = v << 4 | c;
	}
	return v;
}

int bt_format_f32(char *s, size_t size, float v)
{
	int digits = fabsf(v) < FLT_MIN ? 1 : FLT_DIG, n = 0, e;
	bool power = fabsf(frexpf(v, &e)) == 0.5f && fabsf(v) < FLT_MAX / 2;
	double end = v;

	if (power)
		end += ((double)nextafterf(v, copysignf(FLT_MAX, v)) - v) / 2;
	for (; digits <= 9; digits++) {
		n = snprintf(s, size, "%.*g", digits, (double)v);
		if (strtof(s, NULL) == v)
			break;
		if (!power)
			continue;
		n = snprintf(s, size, "%.*g", digits, end);
		if (strtof(s, NULL) == v)
			break;
	}
	return n;
}

int bt_format_f64(char *s, size_t size, double v)
{
	int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG, n = 0, e;
	bool power = fabs(frexp(v, &e)) == 0.5 && fabs(v) < DBL_MAX / 2;
	long double end = v;

	if (power)
		end +=
		    ((long double)nextafter(v, copysign(DBL_MAX, v)) - v) / 2;
	for (; digits <= 17; digits++) {
		n = snprintf(s, size, "%.*g", digits, v);
		if (strtod(s, NULL) == v)
			break;
		if (!power)
			continue;
		n = snprintf(s, size, "%.*Lg", digits, end);
		if (strtod(s, NULL) == v)
			break;
	}
	return n;
}

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

#include "base/str.h"

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

int bt_parse_weights(const char *s, size_t n, const char *item, double *weights,
                     struct bt_error *err)
{
	double largest = 0;
	size_t count = 1, i, len;
	char one[64];

	for (i = 0; s[i] != '\0'; i++)
		count += s[i] == ',';
	if (count != n)
		return bt_error_set(err, BT_EARG, "%zu weight%s for %zu %s%s",
		                    count, bt_plural(count), n, item,
		                    bt_plural(n));
	for (i = 0; i < n; i++, s += len + 1) {
		len = strcspn(s, ",");
		snprintf(one, sizeof(one), "%.*s", (int)(len < 63 ? len : 63),
		         s);
		if (bt_parse_f64(one, 0, 1e100, &weights[i]) != BT_OK)
			return bt_error_set(err, BT_EARG,
			                    "bad weight '%s': expected a "
			                    "number from 0 to 1e100",
			                    one);
		largest = fmax(largest, weights[i]);
	}
	if (largest == 0)
		return bt_error_set(err, BT_EARG, "all weights are 0");
	/* products with denormal numbers have few bits; this changes none */
	for (i = 0; i < n; i++)
		weights[i] = ldexp(weights[i], -ilogb(largest));
	return BT_OK;
}

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

/*
 * The nearest decimal of each length is tried, from the shortest that can do.
 * At a power of two the next number below is half as far as the next above,
 * and a decimal on the far side may read back where the nearest does not: that
 * is the nearest to the upper end of what is read as the number.
 */
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

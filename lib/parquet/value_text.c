/* SPDX-License-Identifier: MIT */
#include "parquet/value_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/num.h"
#include "format/json.h"
#include "format/python_repr.h"

#define DAY ((int64_t)86400)
#define EPOCH 2440588   /* the Julian day of 1970-01-01 */
#define DECIMAL_MAX 32  /* bytes of a decimal number */
#define DIGITS_MAX 1100 /* of it, with those of the largest scale */

/* A number in the lowest bytes, with its sign. */
static int64_t whole(struct bt_span value)
{
	int64_t v = 0;
	int32_t v32;

	if (value.n == 4) {
		memcpy(&v32, value.p, 4);
		return v32;
	}
	memcpy(&v, value.p, value.n < 8 ? value.n : 8);
	return v;
}

static uint64_t natural(struct bt_span value)
{
	return value.n == 4 ? (uint32_t)whole(value) : (uint64_t)whole(value);
}

/* A float as the double that is written with the same digits. */
static double real(struct bt_span value)
{
	char text[32];
	uint16_t half;
	float f;
	double d;

	if (value.n == 8) {
		memcpy(&d, value.p, 8);
		return d;
	}
	if (value.n == 4) {
		memcpy(&f, value.p, 4);
	} else {
		memcpy(&half, value.p, 2);
		f = bt_f16_to_f32(half);
	}
	if (!isfinite(f))
		return f;
	bt_format_f32(text, sizeof(text), f);
	return strtod(text, NULL);
}

static void put_date(struct bt_buf *b, int64_t days)
{
	/* years of 365.2425 days that begin in March, from year 0 on */
	int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t day = z - era * 146097;
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t of_year = day - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;

	day = of_year - (153 * month + 2) / 5 + 1;
	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	bt_buf_printf(b, "%04lld-%02d-%02d", (long long)year, (int)month,
	              (int)day);
}

/* Seconds of a day and billionths of a second. */
static void put_clock(struct bt_buf *b, int64_t s, int64_t billionths)
{
	bt_buf_printf(b, "%02lld:%02d:%02d", (long long)(s / 3600),
	              (int)(s / 60 % 60), (int)(s % 60));
	if (billionths % 1000 != 0)
		bt_buf_printf(b, ".%09d", (int)billionths);
	else if (billionths != 0)
		bt_buf_printf(b, ".%06d", (int)(billionths / 1000));
}

static void put_time(struct bt_buf *b, const struct bt_parquet_node *node,
                     struct bt_span value)
{
	int64_t per = node->unit == 3   ? 1000
	              : node->unit == 6 ? 1000000
	                                : 1000000000;
	bool stamp = node->kind == BT_PARQUET_IS_TIMESTAMP;
	int64_t v = whole(value), s = v / per, rest = v % per, days;
	uint32_t julian;

	if (rest < 0) {
		rest += per;
		s--;
	}
	rest *= 1000000000 / per;
	days = s / DAY - (s % DAY < 0);
	if (node->type == BT_PARQUET_INT96) {
		memcpy(&julian, value.p + 8, 4);
		days += (int64_t)julian - EPOCH;
	}
	if (stamp) {
		put_date(b, days);
		bt_buf_putc(b, ' ');
	}
	put_clock(b, ((s % DAY) + DAY) % DAY, rest);
	if (stamp && node->utc)
		bt_buf_puts(b, "+00:00");
}

/* Digits of a number whose bytes come highest first, without its sign, lowest
 * digit first; bytes becomes 0. Returns their number. */
static size_t digits_of(uint8_t *bytes, size_t n, char *digits)
{
	size_t k = 0, i;
	unsigned rest;
	bool more;

	do {
		rest = 0;
		more = false;
		for (i = 0; i < n; i++) {
			rest = rest << 8 | bytes[i];
			bytes[i] = (uint8_t)(rest / 10);
			rest %= 10;
			more |= bytes[i] != 0;
		}
		digits[k++] = (char)('0' + rest);
	} while (more);
	return k;
}

static bool put_decimal(struct bt_buf *b, const struct bt_parquet_node *node,
                        struct bt_span value)
{
	bool low_first =
	    node->type == BT_PARQUET_INT32 || node->type == BT_PARQUET_INT64;
	size_t n = value.n, i, k, scale = (size_t)node->scale;
	uint8_t bytes[DECIMAL_MAX];
	char digits[DIGITS_MAX];
	unsigned carry = 1;

	if (n == 0 || n > DECIMAL_MAX)
		return false;
	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)value.p[low_first ? n - 1 - i : i];
	if (bytes[0] & 0x80) {
		bt_buf_putc(b, '-');
		for (i = n; i-- > 0; carry >>= 8) {
			carry += (uint8_t)~bytes[i];
			bytes[i] = (uint8_t)carry;
		}
	}
	k = digits_of(bytes, n, digits);
	while (k <= scale)
		digits[k++] = '0';
	while (k-- > 0) {
		bt_buf_putc(b, digits[k]);
		if (k == scale && k > 0)
			bt_buf_putc(b, '.');
	}
	return true;
}

static void put_uuid(struct bt_buf *b, struct bt_span value)
{
	size_t i;

	for (i = 0; i < value.n; i++)
		bt_buf_printf(b, "%s%02x",
		              i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
		              (unsigned char)value.p[i]);
}

static enum bt_parquet_found find_class(const struct bt_string_set *classes,
                                        int64_t number, struct bt_span *name)
{
	if (number == -1)
		return BT_PARQUET_NULL;
	if (number < 0 || (uint64_t)number >= bt_string_set_count(classes))
		return BT_PARQUET_NOT;
	*name = bt_string_set_get(classes, (size_t)number);
	return BT_PARQUET_VALUE;
}

enum bt_parquet_found bt_parquet_value_put(const struct bt_parquet_node *node,
                                           const struct bt_string_set *classes,
                                           struct bt_span value,
                                           struct bt_buf *b)
{
	enum bt_parquet_found found = BT_PARQUET_VALUE;
	struct bt_span name = {NULL, 0};

	switch (node->kind) {
	case BT_PARQUET_IS_BOOL:
		bt_buf_puts(b, value.p[0] ? "true" : "false");
		break;
	case BT_PARQUET_IS_INT:
		if (classes == NULL)
			bt_buf_decimal(b, whole(value));
		else
			found = find_class(classes, whole(value), &name);
		bt_buf_put(b, name.p, name.n);
		break;
	case BT_PARQUET_IS_UINT:
		bt_buf_printf(b, "%llu", (unsigned long long)natural(value));
		break;
	case BT_PARQUET_IS_REAL:
		bt_py_real(real(value), b);
		break;
	case BT_PARQUET_IS_DATE:
		put_date(b, whole(value));
		break;
	case BT_PARQUET_IS_TIME:
	case BT_PARQUET_IS_TIMESTAMP:
		put_time(b, node, value);
		break;
	case BT_PARQUET_IS_DECIMAL:
		if (!put_decimal(b, node, value))
			found = BT_PARQUET_NOT;
		break;
	case BT_PARQUET_IS_UUID:
		put_uuid(b, value);
		break;
	default:
		bt_buf_put(b, value.p, value.n);
	}
	return found;
}

json_t *bt_parquet_value_json(const struct bt_parquet_node *node,
                              const struct bt_string_set *classes,
                              struct bt_span value, struct bt_buf *scratch)
{
	double x;

	if (node->kind == BT_PARQUET_IS_TEXT)
		return json_stringn(value.p, value.n);
	if (node->kind == BT_PARQUET_IS_BOOL)
		return json_boolean(value.p[0] != 0);
	if (node->kind == BT_PARQUET_IS_INT && classes == NULL)
		return json_integer(whole(value));
	if (node->kind == BT_PARQUET_IS_UINT && natural(value) <= INT64_MAX)
		return json_integer((json_int_t)natural(value));
	if (node->kind == BT_PARQUET_IS_REAL) {
		x = real(value);
		return bt_json_finite(x);
	}
	bt_buf_reset(scratch);
	switch (bt_parquet_value_put(node, classes, value, scratch)) {
	case BT_PARQUET_VALUE:
		return json_stringn(bt_buf_at(scratch, 0), scratch->len);
	case BT_PARQUET_NULL:
		return json_null();
	default:
		return NULL;
	}
}

/* SPDX-License-Identifier: MIT */
#include "tokenizer_file/json_score_int.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/num.h"

#define POWER_MAX 308 /* of ten, in a double */
#define DIGITS_MAX (1 << 28)

struct number {
	const char *p;
	uint64_t w;   /* digits */
	int exponent; /* of ten */
	bool full;    /* no more digits fit */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* True if the digit fits, too; if not, no later one does. */
static bool add(struct number *n, char c)
{
	uint64_t digit = (uint64_t)(c - '0');

	n->full = n->full || n->w > (UINT64_MAX - digit) / 10;
	if (!n->full)
		n->w = n->w * 10 + digit;
	return !n->full;
}

/* Digits before the point; those that do not fit are zeros. */
static bool take_whole(struct number *n)
{
	const char *first = n->p;

	if (*first == '0' && is_digit(first[1]))
		return false;
	for (; is_digit(*n->p); n->p++)
		if (!add(n, *n->p) && n->exponent < DIGITS_MAX)
			n->exponent++;
	return n->p > first;
}

/* Digits behind the point; those that do not fit are none. */
static bool take_fraction(struct number *n)
{
	const char *first = n->p;

	n->full = false;
	for (; is_digit(*n->p); n->p++)
		if (add(n, *n->p) && n->exponent > -DIGITS_MAX)
			n->exponent--;
	return n->p > first;
}

static bool take_exponent(struct number *n)
{
	bool minus = *n->p == '-';
	const char *first;
	int e = 0;

	n->p += minus || *n->p == '+';
	for (first = n->p; is_digit(*n->p); n->p++)
		if (e < DIGITS_MAX / 16)
			e = e * 10 + (*n->p - '0');
	n->exponent += minus ? -e : e;
	return n->p > first;
}

/* The double nearest to 10^k. */
static double power(int k)
{
	static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
	                              1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	                              1e18, 1e19, 1e20, 1e21, 1e22};
	char text[16];
	double v = 0;

	if (k < (int)(sizeof(tens) / sizeof(*tens)))
		return tens[k];
	snprintf(text, sizeof(text), "1e%d", k);
	return bt_parse_f64(text, 0, HUGE_VAL, &v) == BT_OK ? v : 0;
}

static bool scale(const struct number *n, double *v)
{
	int e = n->exponent;

	*v = (double)n->w;
	if (n->w == 0)
		return true;
	for (; e<-POWER_MAX && * v> 0; e += POWER_MAX)
		*v /= power(POWER_MAX);
	if (e < 0)
		*v = *v > 0 ? *v / power(-e) : 0;
	else if (e > POWER_MAX)
		return false;
	else
		*v *= power(e);
	return isfinite(*v);
}

bool bt_json_score_read(const char **p, double *v)
{
	struct number n = {.p = *p};
	bool minus = *n.p == '-', whole = true;

	n.p += minus;
	if (!take_whole(&n))
		return false;
	if (*n.p == '.') {
		whole = false;
		n.p++;
		if (!take_fraction(&n))
			return false;
	}
	if (*n.p == 'e' || *n.p == 'E') {
		whole = false;
		n.p++;
		if (!take_exponent(&n))
			return false;
	}
	if (!scale(&n, v))
		return false;
	if (minus && (n.w != 0 || !whole)) /* a whole 0 has no sign */
		*v = -*v;
	*p = n.p;
	return true;
}

double bt_json_score_reread(double v)
{
	char text[32];
	const char *p = text;
	double again;

	if (v == 0)
		return v;
	bt_format_f64(text, sizeof(text), v);
	return bt_json_score_read(&p, &again) ? again : v;
}

/* SPDX-License-Identifier: MIT */
/*
 * What a plain scalar is: the rules of PyYAML's resolver, tried in its order,
 * and behind them the one that Model Garden adds, for whole numbers with an
 * exponent. Hence 1e-5 is a number, 3.0e5 a string and 1:30 ninety.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "garden/yaml.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_sign(const char *s)
{
	return s + (*s == '-' || *s == '+');
}

/* Past digits of the set and underscores. */
static const char *skip(const char *s, const char *set)
{
	return s + strspn(s, set);
}

#define DIGITS "0123456789_"

static bool in_list(const char *s, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(s, *list) == 0)
			return true;
	return false;
}

static bool is_bool(const char *s, bool *truth)
{
	static const char *const yes[] = {"yes",  "Yes", "YES", "true", "True",
	                                  "TRUE", "on",  "On",  "ON",   NULL};
	static const char *const no[] = {"no",    "No",    "NO",  "false",
	                                 "False", "FALSE", "off", "Off",
	                                 "OFF",   NULL};

	*truth = in_list(s, yes);
	return *truth || in_list(s, no);
}

static bool is_null(const char *s)
{
	static const char *const nulls[] = {"",     "~",    "null",
	                                    "Null", "NULL", NULL};

	return in_list(s, nulls);
}

/* (":" [0-5]? [0-9])+; NULL if there is none. */
static const char *skip_sixties(const char *s)
{
	if (*s != ':')
		return NULL;
	while (*s == ':' && is_digit(s[1])) {
		if (is_digit(s[2]) && s[1] <= '5')
			s += 3;
		else
			s += 2;
	}
	return s;
}

/* [eE] sign digits, where `sign` says that there must be one; s where there is
 * no exponent. */
static const char *skip_exponent(const char *s, bool sign)
{
	const char *p = s;

	if (*p != 'e' && *p != 'E')
		return s;
	p++;
	if (sign && *p != '-' && *p != '+')
		return s;
	p = skip_sign(p);
	if (!is_digit(*p))
		return s;
	while (is_digit(*p))
		p++;
	return p;
}

static bool is_special(const char *s)
{
	static const char *const inf[] = {".inf", ".Inf", ".INF", NULL};
	static const char *const nan[] = {".nan", ".NaN", ".NAN", NULL};

	return in_list(skip_sign(s), inf) || in_list(s, nan);
}

static bool is_real(const char *s)
{
	const char *p = skip_sign(s), *q;

	if (is_special(s))
		return true;
	if (*s == '.' && is_digit(s[1]))
		return *skip_exponent(skip(s + 1, DIGITS), true) == '\0';
	if (!is_digit(*p))
		return false;
	p = skip(p, DIGITS);
	q = skip_sixties(p);
	if (q != NULL)
		return *q == '.' && *skip(q + 1, DIGITS) == '\0';
	if (*p == '.')
		return *skip_exponent(skip(p + 1, DIGITS), true) == '\0';
	/* Model Garden's own */
	q = skip_exponent(p, false);
	return q != p && *q == '\0';
}

static bool is_int(const char *s)
{
	const char *p = skip_sign(s), *q;

	if (p[0] == '0' && p[1] == 'b')
		return p[2] != '\0' && *skip(p + 2, "01_") == '\0';
	if (p[0] == '0' && p[1] == 'x')
		return p[2] != '\0' &&
		       *skip(p + 2, "0123456789abcdefABCDEF_") == '\0';
	if (p[0] == '0')
		return *skip(p + 1, "01234567_") == '\0';
	if (!is_digit(*p))
		return false;
	p = skip(p, DIGITS);
	q = skip_sixties(p);
	return q != NULL ? *q == '\0' : *p == '\0';
}

/* Past that many digits, or at least one of at most that many; NULL if they are
 * not there. */
static const char *digits(const char *s, int least, int most)
{
	int n = 0;

	while (s != NULL && n < most && is_digit(s[n]))
		n++;
	return s != NULL && n >= least ? s + n : NULL;
}

static const char *want(const char *s, char c)
{
	return s != NULL && *s == c ? s + 1 : NULL;
}

/* What may follow a day: a time, perhaps with a zone. */
static bool is_time(const char *s)
{
	const char *p = skip(s, " \t");

	if (p == s && *s != 'T' && *s != 't')
		return false;
	p = digits(p == s ? s + 1 : p, 1, 2);
	p = digits(want(p, ':'), 2, 2);
	p = digits(want(p, ':'), 2, 2);
	if (p == NULL)
		return false;
	if (*p == '.')
		p = skip(p + 1, "0123456789");
	if (*p == '\0')
		return true;
	p = skip(p, " \t");
	if (*p == 'Z')
		return p[1] == '\0';
	if (*p != '-' && *p != '+')
		return false;
	p = digits(p + 1, 1, 2);
	if (p != NULL && *p == ':')
		p = digits(p + 1, 2, 2);
	return p != NULL && *p == '\0';
}

static bool is_date(const char *s)
{
	const char *p = digits(s, 4, 4), *q;

	q = digits(want(digits(want(p, '-'), 2, 2), '-'), 2, 2);
	if (q != NULL && *q == '\0')
		return true;
	q = digits(want(digits(want(p, '-'), 1, 2), '-'), 1, 2);
	return q != NULL && is_time(q);
}

/* The text without underscores and signs. */
static void clean(const char *s, struct bt_buf *out)
{
	for (s = skip_sign(s); *s != '\0'; s++)
		if (*s != '_')
			bt_buf_putc(out, *s);
}

/* Numbers to the base of 60, the last of which may have a fraction. */
static double sixties(const char *s)
{
	double v = 0;

	for (;;) {
		v = v * 60 + strtod(s, NULL);
		s = strchr(s, ':');
		if (s == NULL)
			return v;
		s++;
	}
}

/* Digits to a base; false if there are none or they are too many. */
static bool whole(const char *s, int base, int64_t *v)
{
	char *end;

	errno = 0;
	*v = (int64_t)strtoll(s, &end, base);
	return *s != '\0' && end != s && *end == '\0' && errno == 0;
}

int bt_yaml_scalar(const char *text, struct bt_yaml *v, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *t;
	bool good = true;

	v->kind = BT_YAML_NULL;
	if (is_null(text))
		return BT_OK;
	if (is_bool(text, &v->truth)) {
		v->kind = BT_YAML_BOOL;
		return BT_OK;
	}
	if (is_int(text))
		v->kind = BT_YAML_INT;
	else if (is_real(text))
		v->kind = BT_YAML_REAL;
	else {
		v->kind = is_date(text) ? BT_YAML_DATE : BT_YAML_STR;
		v->text = bt_strndup(text, strlen(text));
		return BT_OK;
	}
	clean(text, &b);
	t = bt_buf_str(&b);
	if (v->kind == BT_YAML_REAL && is_special(text))
		v->real = t[1] == 'i' || t[1] == 'I' ? HUGE_VAL : (double)NAN;
	else if (v->kind == BT_YAML_REAL || strchr(t, ':') != NULL)
		v->real = sixties(t);
	else if (t[0] == '0' && (t[1] == 'b' || t[1] == 'x'))
		good = whole(t + 2, t[1] == 'b' ? 2 : 16, &v->whole);
	else
		good = whole(t, t[0] == '0' ? 8 : 10, &v->whole);
	if (v->kind == BT_YAML_INT && strchr(t, ':') != NULL) {
		good = v->real < 9e15; /* below that a double is exact */
		v->whole = good ? (int64_t)v->real : 0;
	}
	bt_buf_clear(&b);
	if (*text == '-') {
		v->real = -v->real;
		v->whole = -v->whole;
	}
	if (!good)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%.60s' is not a whole number of 64 bits",
		                    text);
	return BT_OK;
}

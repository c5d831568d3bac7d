/* SPDX-License-Identifier: MIT */
#include "tune/space.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/philox.h"

void bt_tune_space_clear(struct bt_tune_space *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->setting[i].value);
	free(s->setting);
	*s = (struct bt_tune_space){0};
}

/* Copies n bytes; BT_EARG if they are none or too many. */
static int copy(char to[BT_TUNE_VALUE], const char *from, size_t n,
                const char *text, struct bt_error *err)
{
	if (n == 0 || n >= BT_TUNE_VALUE)
		return bt_error_set(
		    err, BT_EARG,
		    "'%s': expected NAME=A..B, or NAME=VALUE,VALUE and so on, "
		    "each of 1 to %d bytes",
		    text, BT_TUNE_VALUE - 1);
	memcpy(to, from, n);
	to[n] = '\0';
	return BT_OK;
}

static int read_range(struct bt_tune_setting *t, const char *text,
                      struct bt_error *err)
{
	const char *a = t->value[0], *b = t->value[1];

	if (bt_parse_f64(a, -DBL_MAX, DBL_MAX, &t->lo) != BT_OK ||
	    bt_parse_f64(b, -DBL_MAX, DBL_MAX, &t->hi) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "'%s': a range goes from one number to "
		                    "another",
		                    text);
	if (!(t->lo < t->hi))
		return bt_error_set(err, BT_EARG,
		                    "'%s': the range is empty, %s is not "
		                    "below %s",
		                    text, a, b);
	t->range = true;
	t->whole = strspn(a, "0123456789") == strlen(a) &&
	           strspn(b, "0123456789") == strlen(b) && t->hi - t->lo > 1;
	t->powers = t->lo > 0 && 10 * t->lo <= t->hi;
	return BT_OK;
}

/* The values behind the '='. */
static int read_values(struct bt_tune_setting *t, const char *values,
                       const char *text, struct bt_error *err)
{
	const char *dots = strstr(values, ".."), *p = values;
	size_t n = 1, i, len;
	int r = BT_OK;

	for (i = 0; values[i] != '\0'; i++)
		n += values[i] == ',';
	if (n == 1 && dots == NULL && values[0] != '\0')
		return bt_error_set(err, BT_EARG,
		                    "'%s': one value leaves nothing to try",
		                    text);
	t->n = dots != NULL ? 2 : n;
	t->value = bt_array0(t->n, sizeof(*t->value));
	if (t->value == NULL)
		return bt_error_nomem(err, "reading settings");
	if (dots != NULL) {
		if ((r = copy(t->value[0], p, (size_t)(dots - p), text, err)) ||
		    (r = copy(t->value[1], dots + 2, strlen(dots + 2), text,
		              err)))
			return r;
		return read_range(t, text, err);
	}
	for (i = 0; i < n && r == BT_OK; i++, p += len + 1) {
		len = strcspn(p, ",");
		r = copy(t->value[i], p, len, text, err);
	}
	return r;
}

int bt_tune_space_add(struct bt_tune_space *s, const char *text,
                      struct bt_error *err)
{
	size_t at = strcspn(text, "="), i;
	struct bt_tune_setting *t;
	int r;

	if (bt_grow(&s->setting, &s->cap, s->n + 1, sizeof(*t)) != BT_OK)
		return bt_error_nomem(err, "reading settings");
	t = &s->setting[s->n];
	memset(t, 0, sizeof(*t));
	if ((r = copy(t->name, text, text[at] == '=' ? at : 0, text, err)))
		return r;
	for (i = 0; i < s->n; i++)
		if (strcmp(s->setting[i].name, t->name) == 0)
			return bt_error_set(err, BT_EARG,
			                    "'%s': %s was given before", text,
			                    t->name);
	s->n++;
	return read_values(t, text + at + 1, text, err);
}

/* Newton's method. */
static double root(size_t d)
{
	double g = 1.5, f, p;
	int i;

	for (i = 0; i < 60; i++) {
		p = pow(g, (double)d);
		f = p * g - g - 1;
		g -= f / ((double)(d + 1) * p - 1);
	}
	return g;
}

static void draw(const struct bt_tune_setting *t, double u,
                 char out[BT_TUNE_VALUE])
{
	double hi = t->hi + (t->whole ? 1 : 0), x;
	char digits[32];
	size_t i;

	if (!t->range) {
		i = (size_t)(u * (double)t->n);
		memcpy(out, t->value[i < t->n ? i : t->n - 1], BT_TUNE_VALUE);
		return;
	}
	x = t->powers ? t->lo * pow(hi / t->lo, u) : t->lo + u * (hi - t->lo);
	if (t->whole) {
		x = floor(x + 1e-9);
	} else {
		snprintf(digits, sizeof(digits), "%.1e", x);
		x = strtod(digits, NULL);
	}
	x = x < t->lo ? t->lo : x > t->hi ? t->hi : x;
	bt_format_f64(out, BT_TUNE_VALUE, x);
}

void bt_tune_space_draw(struct bt_tune_space *s, uint64_t seed, uint64_t j,
                        char (*value)[BT_TUNE_VALUE])
{
	uint64_t bits;
	double u, whole;
	size_t k;

	if (s->root == 0)
		s->root = root(s->n);
	for (k = 0; k < s->n; k++) {
		bits = bt_random_u64(seed, BT_PURPOSE_TUNE, 0, k) >> 11;
		u = (double)bits * 0x1p-53 +
		    (double)(j + 1) / pow(s->root, (double)(k + 1));
		u = modf(u, &whole);
		draw(&s->setting[k], u, value[k]);
	}
}

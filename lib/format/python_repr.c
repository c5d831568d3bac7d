/* SPDX-License-Identifier: MIT */
#include "format/python_repr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* The significant digits of a finite number, and where its point stands: after
 * so many of them. */
static int digits_of(double v, char digits[32])
{
	char s[32];
	const char *p;
	int n = 0, point = 0, e = 0;
	bool seen = false;

	bt_format_f64(s, sizeof(s), fabs(v));
	for (p = s; *p != '\0' && *p != 'e'; p++) {
		if (*p == '.') {
			seen = true;
			continue;
		}
		if (n == 0 && *p == '0') { /* leading zeros */
			point -= seen;
			continue;
		}
		digits[n++] = *p;
		point += !seen;
	}
	if (*p == 'e')
		e = atoi(p + 1);
	while (n > 0 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return point + e;
}

static void put_plain(const char *digits, int point, struct bt_buf *out)
{
	int n = (int)strlen(digits), i;

	if (point <= 0)
		bt_buf_puts(out, "0.");
	for (i = point; i < 0; i++)
		bt_buf_putc(out, '0');
	for (i = 0; i < n || i < point; i++) {
		if (i == point && i > 0)
			bt_buf_putc(out, '.');
		bt_buf_putc(out, i < n ? digits[i] : '0');
	}
	if (point >= n && point > 0)
		bt_buf_puts(out, ".0");
	else if (n == 0)
		bt_buf_putc(out, '0');
}

void bt_py_real(double v, struct bt_buf *out)
{
	char digits[32];
	int point;

	if (isnan(v)) {
		bt_buf_puts(out, "nan");
		return;
	}
	if (signbit(v))
		bt_buf_putc(out, '-');
	if (isinf(v)) {
		bt_buf_puts(out, "inf");
		return;
	}
	point = digits_of(v, digits);
	if (digits[0] == '\0' || (point > -4 && point <= 16)) {
		put_plain(digits, digits[0] == '\0' ? 0 : point, out);
		return;
	}
	bt_buf_printf(out, "%c%s%se%c%02d", digits[0],
	              digits[1] != '\0' ? "." : "", digits + 1,
	              point > 0 ? '+' : '-', abs(point - 1));
}

void bt_py_str(const char *s, struct bt_buf *out)
{
	char q = strchr(s, '\'') != NULL && strchr(s, '"') == NULL ? '"' : '\'';

	bt_buf_putc(out, q);
	for (; *s != '\0'; s++) {
		if (*s == q || *s == '\\')
			bt_buf_putc(out, '\\');
		if (*s == '\n')
			bt_buf_puts(out, "\\n");
		else
			bt_buf_putc(out, *s);
	}
	bt_buf_putc(out, q);
}

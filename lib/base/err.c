/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static void BT_PRINTF(2, 0)
    format(struct bt_error *err, const char *fmt, va_list ap)
{
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int bt_error_set(struct bt_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL || err->code != 0)
		return code;
	err->code = code;
	va_start(ap, fmt);
	format(err, fmt, ap);
	va_end(ap);
	return code;
}

int bt_error_sys(struct bt_error *err, int errnum, const char *fmt, ...)
{
	int code = errnum == ENOMEM ? BT_ENOMEM : BT_EIO;
	size_t n;
	va_list ap;

	if (err == NULL || err->code != 0)
		return code;
	err->code = code;
	va_start(ap, fmt);
	format(err, fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s",
	         strerror(errnum));
	return code;
}

int bt_error_prefix(struct bt_error *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	size_t n;
	va_list ap;

	if (err == NULL)
		return BT_OK;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	format(err, fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s", old);
	return err->code;
}

int bt_error_hint(struct bt_error *err, enum bt_hint hint, int code)
{
	if (err != NULL && err->hint == BT_HINT_NONE)
		err->hint = hint;
	return code;
}

int bt_error_nomem(struct bt_error *err, const char *what)
{
	return bt_error_set(err, BT_ENOMEM, "out of memory while %s", what);
}

const char *bt_error_word(int code)
{
	static const char *const words[] = {
	    [-BT_ENOMEM] = "memory",        [-BT_EIO] = "io",
	    [-BT_ETRUNCATED] = "truncated", [-BT_ECORRUPT] = "corrupt",
	    [-BT_EFORMAT] = "format",       [-BT_ELIMIT] = "limit",
	    [-BT_EARG] = "usage",           [-BT_ECANCEL] = "stopped",
	    [-BT_EREMOTE] = "address"};

	return code < 0 && code >= BT_EREMOTE ? words[-code] : "none";
}

void bt_error_clear(struct bt_error *err)
{
	if (err != NULL) {
		err->code = BT_OK;
		err->hint = BT_HINT_NONE;
		err->text[0] = '\0';
	}
}

void bt_printable(char *text)
{
	size_t n = strlen(text);
	unsigned k;

	while (n > 0) {
		k = bt_utf8_steers((const uint8_t *)text, n);
		memset(text, '?', k);
		text += k > 0 ? k : 1;
		n -= k > 0 ? k : 1;
	}
}

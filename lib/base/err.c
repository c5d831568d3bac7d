/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
		return BT_EIO;
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

/* Behind a word and its number: "rank 2: ". */
static const char *skip_who(const char *text)
{
	static const char *const words[] = {"rank ", "fold ", "seed "};
	size_t i, n;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = strlen(words[i]);
		if (strncmp(text, words[i], n) != 0)
			continue;
		n += strspn(text + n, "0123456789");
		if (strncmp(text + n, ": ", 2) == 0)
			return skip_who(text + n + 2);
	}
	return text;
}

/* The number behind the first of a word up to end; 0: there is none. */
static uint64_t number_of(const char *from, const char *end, const char *word)
{
	const char *at = strstr(from, word);
	char *to;
	uint64_t n;

	if (at == NULL || at >= end || at[strlen(word)] < '0' ||
	    at[strlen(word)] > '9')
		return 0;
	errno = 0;
	n = strtoull(at + strlen(word), &to, 10);
	return errno == 0 && to <= end ? n : 0;
}

/* The end of what is quoted at `at`, or NULL. A name may hold quotes, too. */
static const char *quoted_to(const char *at)
{
	const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;

	while (end != NULL && end[1] != '\0' && strchr(":;, ", end[1]) == NULL)
		end = strchr(end + 1, '\'');
	return end;
}

void bt_error_place(int code, const char *text, struct bt_error_place *place)
{
	static const char cannot[] = "cannot ", in[] = " in '";
	const char *at = skip_who(text), *end;
	bool verb = strncmp(at, cannot, sizeof(cannot) - 1) == 0;

	memset(place, 0, sizeof(*place));
	if (verb) /* "read", "create a file in" */
		at += strspn(at, "abcdefghijklmnopqrstuvwxyz ");
	end = quoted_to(at);
	if (verb && end != NULL && strncmp(end + 1, in, sizeof(in) - 1) == 0) {
		at = end + sizeof(in) - 1; /* "column 'x' in 'x.csv'" */
		end = quoted_to(at);
	}
	if (end != NULL && end - at - 1 < (long)sizeof(place->file) &&
	    (verb || end[1] == ':' || code != BT_EARG)) {
		memcpy(place->file, at + 1, (size_t)(end - at - 1));
		at = end + 1;
	}
	end = at + strcspn(at, "'"); /* what follows quotes the contents */
	place->record = number_of(at, end, "record ");
	place->line = number_of(at, end, "line ");
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

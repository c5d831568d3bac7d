/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void bt_buf_clear(struct bt_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

void bt_buf_reset(struct bt_buf *b)
{
	b->len = 0;
	b->oom = false;
}

void *bt_buf_reserve(struct bt_buf *b, size_t n)
{
	size_t need;

	if (b->oom)
		return NULL;
	if (!bt_size_add(b->len, n, &need) ||
	    bt_grow(&b->data, &b->cap, need, 1) != BT_OK) {
		b->oom = true;
		return NULL;
	}
	return b->data + b->len;
}

void bt_buf_put(struct bt_buf *b, const void *data, size_t n)
{
	if (n == 0)
		return;
	/* most appends are of a few bytes that fit */
	if ((b->oom || n > b->cap - b->len) && bt_buf_reserve(b, n) == NULL)
		return;
	memcpy(b->data + b->len, data, n);
	b->len += n;
}

void bt_buf_putc(struct bt_buf *b, char c)
{
	bt_buf_put(b, &c, 1);
}

void bt_buf_puts(struct bt_buf *b, const char *s)
{
	bt_buf_put(b, s, strlen(s));
}

void bt_buf_printf(struct bt_buf *b, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	p = bt_buf_reserve(b, (size_t)n + 1);
	if (p == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void bt_buf_decimal(struct bt_buf *b, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char s[20];
	size_t n = sizeof(s);

	do
		s[--n] = (char)('0' + u % 10);
	while ((u /= 10) != 0);
	if (v < 0)
		s[--n] = '-';
	bt_buf_put(b, s + n, sizeof(s) - n);
}

const char *bt_buf_str(struct bt_buf *b)
{
	char *p = bt_buf_reserve(b, 1);

	if (p == NULL)
		return NULL;
	*p = '\0';
	return b->data;
}

char *bt_buf_detach(struct bt_buf *b)
{
	char *p = NULL;

	if (bt_buf_str(b) != NULL) {
		p = b->data;
		b->data = NULL;
	}
	bt_buf_clear(b);
	return p;
}

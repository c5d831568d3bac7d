/* SPDX-License-Identifier: MIT */
/* A borrowed run of bytes, text or not, without a NUL behind it. */
#ifndef BT_BASE_SPAN_H
#define BT_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bt_span {
	const char *p; /* NULL: absent, which differs from empty */
	size_t n;
};

static inline struct bt_span bt_span(const char *s)
{
	struct bt_span v = {s, s != NULL ? strlen(s) : 0};

	return v;
}

static inline bool bt_span_equal(struct bt_span a, struct bt_span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* True of what cannot be a string of C. */
static inline bool bt_span_has_nul(struct bt_span s)
{
	return s.n > 0 && memchr(s.p, '\0', s.n) != NULL;
}

/* Copies s as a string into a buffer of size bytes; false where it cannot be
 * one or is too long. */
static inline bool bt_span_str(struct bt_span s, char *buffer, size_t size)
{
	if (s.n >= size || bt_span_has_nul(s))
		return false;
	if (s.n > 0)
		memcpy(buffer, s.p, s.n);
	buffer[s.n] = '\0';
	return true;
}

/* Without the characters of blanks at both ends. */
static inline struct bt_span bt_span_trim(struct bt_span s, const char *blanks)
{
	size_t k = strlen(blanks);

	while (s.n > 0 && memchr(blanks, s.p[s.n - 1], k) != NULL)
		s.n--;
	for (; s.n > 0 && memchr(blanks, *s.p, k) != NULL; s.n--)
		s.p++;
	return s;
}

/* Byte order, a prefix before what continues it; as strcmp. */
static inline int bt_span_compare(struct bt_span a, struct bt_span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n != 0 ? memcmp(a.p, b.p, n) : 0;

	if (c != 0)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The short way through a row: where all of it is in the input's buffer and no
 * quoted field holds a quote or a line end, fields are found by comparing 16
 * bytes at a time, and stay where they are. Everything else, bad rows too, is
 * left to the long way (csv_parse.c), which begins the row anew.
 */
#include <string.h>

#include "base/mem.h"
#include "format/csv_int.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* True at delim, LF, CR and NUL. */
static bool is_special(uint8_t c, char delim)
{
	return c == (uint8_t)delim || c == '\n' || c == '\r' || c == '\0';
}

#ifdef __SSE2__
/* A bit for each of 16 bytes, set where it is special. */
static unsigned specials(const uint8_t *p, char delim)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i a = _mm_cmpeq_epi8(v, _mm_set1_epi8(delim));
	__m128i b = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
	__m128i c = _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'));
	__m128i d = _mm_cmpeq_epi8(v, _mm_setzero_si128());

	return (unsigned)_mm_movemask_epi8(
	    _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)));
}
#define STEP 16
#else
/* A top bit for each of 8 bytes; the lowest one set is that of the first
 * special byte. */
static uint64_t specials(const uint8_t *p, char delim)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t v, a, b, c;

	memcpy(&v, p, 8);
	a = v ^ ones * (uint8_t)delim;
	b = v ^ ones * '\n';
	c = v ^ ones * '\r';
	return (((v - ones) & ~v) | ((a - ones) & ~a) | ((b - ones) & ~b) |
	        ((c - ones) & ~c)) &
	       tops;
}
#define STEP 8
#endif

/* The first special byte in [p, end), or end. */
static const uint8_t *find_special(const uint8_t *p, const uint8_t *end,
                                   char delim)
{
	uint64_t hit;

	for (; end - p >= STEP; p += STEP) {
		hit = specials(p, delim);
		if (hit != 0)
			return p + __builtin_ctzll(hit) / (STEP == 8 ? 8 : 1);
	}
	while (p < end && !is_special(*p, delim))
		p++;
	return p;
}

/* The field at p, without its quotes. Returns what follows it, which is before
 * end, or NULL. */
static const uint8_t *one_field(const struct bt_csv_opts *o, const uint8_t *p,
                                const uint8_t *end, struct bt_span *field)
{
	const uint8_t *q;

	if (!o->quotes || p == end || *p != '"') {
		q = find_special(p, end, o->delimiter);
		*field = (struct bt_span){(const char *)p, (size_t)(q - p)};
		return q < end ? q : NULL;
	}
	p++;
	q = memchr(p, '"', (size_t)(end - p));
	if (q == NULL || q + 1 == end || !is_special(q[1], o->delimiter) ||
	    find_special(p, q, '\n') < q)
		return NULL;
	*field = (struct bt_span){(const char *)p, (size_t)(q - p)};
	return q + 1;
}

/* Bytes of the line end at p, 0 where that cannot be told. */
static size_t line_end(const uint8_t *p, const uint8_t *end)
{
	if (*p == '\n')
		return 1;
	if (*p != '\r' || p + 1 == end)
		return 0;
	return p[1] == '\n' ? 2 : 1;
}

static int find_fields(struct bt_csv_parse *x, const uint8_t *p, size_t n)
{
	const uint8_t *at = p, *end = p + n;
	size_t k = 0;

	for (;;) {
		if (k == x->fields_cap &&
		    bt_grow(&x->fields, &x->fields_cap, k + 1,
		            sizeof(*x->fields)) != BT_OK)
			return BT_ENOMEM;
		at = one_field(&x->opts, at, end, &x->fields[k]);
		if (at == NULL || x->fields[k].n > x->opts.max_field ||
		    ++k > x->opts.max_columns)
			return 0;
		if (*at != (uint8_t)x->opts.delimiter)
			break;
		at++;
	}
	n = line_end(at, end);
	x->n = k;
	x->used = (size_t)(at - p) + n;
	return n > 0;
}

int bt_csv_parse_fast(struct bt_csv_parse *x, struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r = bt_in_some(x->in, &p, &n, err);

	if (r != BT_OK)
		return r;
	if (n == 0 || *p == '\n' || *p == '\r')
		return 0;
	r = find_fields(x, p, n);
	if (r == BT_ENOMEM)
		return bt_error_nomem(err, "reading a row");
	if (r == 0) {
		x->used = x->n = 0;
		return 0;
	}
	x->row_line = x->last_line = x->line++;
	return 1;
}

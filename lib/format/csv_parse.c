/* SPDX-License-Identifier: MIT */
/*
 * One row after the other out of an input, whose buffer keeps a row until it is
 * complete. Most rows go the short way: where no quoted field holds a quote or
 * a line end, fields are found by comparing 16 bytes at a time and stay where
 * they are. For all others the end of the row is looked for first, which is the
 * first line end outside quotes; libcsv then gets the whole row.
 *
 * If a quote is never closed, reading goes on behind the line of that quote.
 * All quotes behind it stand in pairs, or the field would have been closed; so
 * no field that begins there stays open, and no byte is read a third time.
 */
#include "format/csv_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/tfrecord.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define RAW_MAX ((size_t)1 << 20) /* bytes kept of a row that is too long */

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

/* Bytes of the line end at p. */
static size_t line_end(const uint8_t *p, const uint8_t *end)
{
	return *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
}

/* The short way through a row of which n bytes are at p. 1: it was read; 0: it
 * is not for the short way. */
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
	if (*at == '\0' || (*at == '\r' && at + 1 == end))
		return 0;
	x->n = k;
	x->used = (size_t)(at - p) + line_end(at, end);
	return 1;
}

/* Takes down the row's bytes so far, before they are consumed. */
static void keep_raw(struct bt_csv_parse *x)
{
	struct bt_error none = {0};
	const uint8_t *p;
	size_t n;

	/* they were looked at already: this neither reads nor fails */
	if (x->raw.len < RAW_MAX &&
	    bt_in_peek(x->in, x->used, &p, &n, &none) == BT_OK)
		bt_buf_put(&x->raw, p, n < RAW_MAX ? n : RAW_MAX);
}

int bt_csv_parse_raw(struct bt_csv_parse *x, struct bt_span *row,
                     struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r = bt_in_peek(x->in, x->used, &p, &n, err);

	if (r != BT_OK)
		return r;
	if (x->raw.len > 0) {
		keep_raw(x);
		p = (const uint8_t *)x->raw.data;
		n = x->raw.len;
	}
	if (x->raw.oom)
		return bt_error_nomem(err, "reading a row");
	if (n > 0 && p[n - 1] == '\n')
		n--;
	if (n > 0 && p[n - 1] == '\r')
		n--;
	*row = (struct bt_span){n > 0 ? (const char *)p : "", n};
	return BT_OK;
}

/* Ends a line at byte `at`, where its line end begins. */
static int end_line(struct bt_csv_parse *x, size_t at, struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r = bt_in_some(x->in, at + 1, &p, &n, err);

	if (r == BT_OK && n == at + 1 && p[at] == '\r')
		r = bt_in_some(x->in, at + 2, &p, &n, err);
	if (r == BT_OK) {
		x->used = at + line_end(p + at, p + n);
		x->line++;
	}
	return r;
}

/* Ends the row at the next line end, whether it is in quotes or not. */
static int skip_line(struct bt_csv_parse *x, struct bt_error *err)
{
	const uint8_t *p;
	size_t n, at;
	int r;

	while ((r = bt_in_some(x->in, x->used + 1, &p, &n, err)) == BT_OK &&
	       n > x->used) {
		at = (size_t)(find_special(p + x->used, p + n, '\n') - p);
		if (at < n && p[at] != '\0')
			return end_line(x, at, err);
		x->used = at < n ? at + 1 : n;
		keep_raw(x);
		bt_in_skip(x->in, x->used);
		x->used = 0;
	}
	return r;
}

/* Marks the row as bad; the first fault and the first text stay. */
static struct bt_error *bad(struct bt_csv_parse *x, enum bt_csv_fault fault)
{
	if (x->fault == BT_CSV_FINE)
		x->fault = fault;
	return &x->why;
}

/* Ends a row whose field is too long or never closed: at the end of the line on
 * which the field begins. */
static int go_back(struct bt_csv_parse *x, struct bt_error *err)
{
	if (x->field_next == 0)
		return skip_line(x, err);
	x->used = x->field_next;
	x->line = x->field_line + 1;
	return BT_OK;
}

static int too_large(struct bt_csv_parse *x, bool quoted, struct bt_error *err)
{
	size_t limit = x->opts.max_field;

	if (x->used > 4 * limit)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "longer than %zu bytes", 4 * limit);
	else if (quoted)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "the quote opened on line %llu is not closed "
		             "within %zu bytes",
		             (unsigned long long)x->field_line, limit);
	else
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "a field is longer than %zu bytes", limit);
	return go_back(x, err);
}

/* Text after a closing quote. The field is over, wherever the row ends: goes on
 * at the next line. */
static int malformed(struct bt_csv_parse *x, struct bt_error *err)
{
	struct bt_error *why = bad(x, BT_CSV_QUOTES);

	if (x->line == x->row_line)
		bt_error_set(why, BT_EFORMAT, "text after a closing quote");
	else
		bt_error_set(why, BT_EFORMAT,
		             "text after a closing quote on line %llu",
		             (unsigned long long)x->line);
	return skip_line(x, err);
}

/* Where in a field the row's end is looked for. */
enum state {
	BEGIN,
	PLAIN,
	QUOTED,
	QUOTE /* behind a quote that closes the field or is doubled */
};

/*
 * Moves x->used on, to the next line end among the n bytes at p or to n.
 * *begin is where the field begins, its quotes left out. Returns false at text
 * after a closing quote.
 */
static bool find_line_end(struct bt_csv_parse *x, const uint8_t *p, size_t n,
                          enum state *state, size_t *begin)
{
	const char delim = x->opts.delimiter;
	size_t at = x->used;

	while (at < n) {
		if (p[at] == '"' && x->opts.quotes && *state != PLAIN) {
			*begin += *state != QUOTE;
			*state = *state == QUOTED ? QUOTE : QUOTED;
			at++;
			continue;
		}
		if (*state == QUOTE && !is_special(p[at], delim))
			break;
		if (*state == BEGIN)
			*state = PLAIN;
		at = (size_t)(find_special(p + at, p + n,
		                           *state == QUOTED ? '"' : delim) -
		              p);
		if (at == n || p[at] == '\n' || p[at] == '\r')
			break;
		if (p[at] == '"' && *state == QUOTED)
			continue;
		if (p[at] == '\0') {
			bt_error_set(bad(x, BT_CSV_NUL), BT_EFORMAT,
			             "a NUL byte");
			if (*state == QUOTE)
				break;
		} else {
			*state = BEGIN;
			x->field_line = x->line;
			x->field_next = 0;
			*begin = at + 1;
		}
		at++;
	}
	x->used = at;
	return at == n || p[at] == '\n' || p[at] == '\r';
}

/* Moves x->used behind the row, which may turn out to be bad. As
 * bt_csv_parse_row. */
static int find_end(struct bt_csv_parse *x, struct bt_error *err)
{
	enum state state = BEGIN;
	size_t n, begin = 0;
	const uint8_t *p;
	int r;

	x->row_line = x->field_line = x->line;
	for (;;) {
		r = bt_in_some(x->in, x->used + 1, &p, &n, err);
		if (r != BT_OK)
			return r;
		x->last_line = x->line;
		if (n == x->used)
			break;
		if (!find_line_end(x, p, n, &state, &begin))
			return malformed(x, err);
		if (x->used < n) {
			r = end_line(x, x->used, err);
			if (r != BT_OK || state != QUOTED)
				return r;
			if (x->field_next == 0)
				x->field_next = x->used;
		}
		if (x->used > begin + x->opts.max_field ||
		    x->used > 4 * x->opts.max_field)
			return too_large(x, state == QUOTED, err);
	}
	if (state != QUOTED)
		return BT_OK;
	bt_error_set(bad(x, BT_CSV_QUOTES), BT_ETRUNCATED,
	             "the quote opened on line %llu is never closed",
	             (unsigned long long)x->field_line);
	return go_back(x, err);
}

/* What libcsv calls. */
static void on_field(void *s, size_t n, void *ctx)
{
	struct bt_csv_parse *x = ctx;

	if (x->fault != BT_CSV_FINE)
		return;
	if (n > x->opts.max_field)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "a field is longer than %zu bytes",
		             x->opts.max_field);
	else if (x->n == x->opts.max_columns)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "more than %zu fields", x->opts.max_columns);
	else if (bt_grow(&x->fields, &x->fields_cap, x->n + 1,
	                 sizeof(*x->fields)) != BT_OK)
		x->bytes.oom = true;
	else {
		bt_buf_put(&x->bytes, s, n);
		x->fields[x->n++].n = n;
	}
}

/* Makes fields of the row's bytes. */
static int split(struct bt_csv_parse *x, struct bt_error *err)
{
	struct bt_span row;
	size_t i, at = 0;
	int r = bt_csv_parse_raw(x, &row, err);

	if (r != BT_OK)
		return r;
	/* a field longer than libcsv's buffer makes it grow once, not by 128
	 * bytes at a time */
	csv_set_blk_size(&x->parser, row.n + 1);
	if (csv_parse(&x->parser, row.p, row.n, on_field, NULL, x) < row.n ||
	    csv_fini(&x->parser, on_field, NULL, x) != 0 || x->bytes.oom)
		return bt_error_nomem(err, "reading a row");
	for (i = 0; i < x->n; i++) {
		x->fields[i].p = bt_buf_at(&x->bytes, at);
		at += x->fields[i].n;
	}
	return BT_OK;
}

int bt_csv_parse_row(struct bt_csv_parse *x, struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r;

	bt_error_clear(&x->why);
	bt_buf_reset(&x->bytes);
	bt_buf_reset(&x->raw);
	x->fault = BT_CSV_FINE;
	x->field_next = 0;
	do { /* empty lines are passed over */
		bt_in_skip(x->in, x->used);
		x->used = x->n = 0;
		r = bt_in_some(x->in, 1, &p, &n, err);
		if (r != BT_OK || n == 0)
			return r;
		if (*p != '\n' && *p != '\r')
			break;
		r = end_line(x, 0, err);
	} while (r == BT_OK);
	if (r == BT_OK)
		r = find_fields(x, p, n);
	if (r == BT_ENOMEM)
		return bt_error_nomem(err, "reading a row");
	if (r == 1) {
		x->row_line = x->last_line = x->line++;
		return 1;
	}
	r = find_end(x, err);
	if (r == BT_OK && x->fault == BT_CSV_FINE)
		r = split(x, err);
	return r == BT_OK ? 1 : r;
}

/* Goes behind a UTF-8 byte order mark and refuses what is plainly not CSV. */
static int check_start(struct bt_csv_parse *x, struct bt_error *err)
{
	static const struct {
		uint8_t first[8];
		size_t n;
		const char *what;
		enum bt_hint hint;
	} others[] = {
	    {{0xFF, 0xFF, 0xFF, 0xFF},
	     4,
	     "an Arrow stream, not CSV",
	     BT_HINT_ARROW},
	    {"ARROW1", 8, "an Arrow or Feather file, not CSV", BT_HINT_ARROW},
	    {{0xFF, 0xFE}, 2, "UTF-16 text; convert it to UTF-8 first", 0},
	    {{0xFE, 0xFF}, 2, "UTF-16 text; convert it to UTF-8 first", 0},
	    {{0x1F, 0x8B}, 2, "gzip-compressed twice", 0},
	    {{0x28, 0xB5, 0x2F, 0xFD}, 4, "zstd-compressed twice", 0},
	    {{'P', 'K', 3, 4}, 4, "a zip archive in another", BT_HINT_UNZIP},
	    {"BZh91A", 6, "compressed by bzip2", BT_HINT_DECOMPRESS},
	    {{0xFD, '7', 'z', 'X', 'Z', 0},
	     6,
	     "compressed by xz",
	     BT_HINT_DECOMPRESS},
	    {{0xD0, 0xCF, 0x11, 0xE0}, 4, "a spreadsheet, not CSV", 0},
	    {"PAR1", 4, "a Parquet file, not CSV", 0},
	    {"%PDF", 4, "a PDF file, not CSV", 0},
	    {"<!DO", 4, "an HTML page, not CSV", 0},
	    {"<htm", 4, "an HTML page, not CSV", 0},
	};
	const size_t n_others = sizeof(others) / sizeof(others[0]);
	const uint8_t *p;
	size_t got, i;
	int r = bt_in_some(x->in, 1, &p, &got, err);

	if (r == BT_OK && bt_tfrecord_begins(p, got))
		return bt_error_hint(
		    err, BT_HINT_READ_RECORDS,
		    bt_error_set(err, BT_EFORMAT,
		                 "cannot read %s: it is a TFRecord stream, not "
		                 "a table",
		                 bt_in_name(x->in)));
	for (i = 0; r == BT_OK && got > 0 && i < n_others; i++) {
		/* a row of one letter is answered before more comes */
		if (got < others[i].n && memcmp(p, others[i].first, got) == 0)
			r = bt_in_some(x->in, others[i].n, &p, &got, err);
		if (r == BT_OK && got >= others[i].n &&
		    memcmp(p, others[i].first, others[i].n) == 0)
			return bt_error_hint(
			    err, others[i].hint,
			    bt_error_set(err, BT_EFORMAT,
			                 "cannot read %s: it is %s",
			                 bt_in_name(x->in), others[i].what));
	}
	if (r != BT_OK)
		return r;
	return bt_in_skip_mark(x->in, err);
}

static int never(unsigned char c)
{
	(void)c;
	return 0;
}

int bt_csv_parse_init(struct bt_csv_parse *x, struct bt_in *in,
                      const struct bt_csv_opts *opts, struct bt_error *err)
{
	memset(x, 0, sizeof(*x));
	x->in = in;
	x->opts = *opts;
	x->line = 1;
	csv_init(&x->parser, 0);
	csv_set_delim(&x->parser, (unsigned char)opts->delimiter);
	csv_set_space_func(&x->parser, never); /* blanks are data */
	if (!opts->quotes)
		csv_set_quote(&x->parser, 0); /* rows with a NUL are bad */
	return check_start(x, err);
}

void bt_csv_parse_clear(struct bt_csv_parse *x)
{
	csv_free(&x->parser);
	bt_in_close(x->in);
	bt_buf_clear(&x->bytes);
	bt_buf_clear(&x->raw);
	free(x->fields);
	memset(x, 0, sizeof(*x));
}

/* SPDX-License-Identifier: MIT */
/*
 * Where the short way (csv_fast.c) does not lead, the input is fed to libcsv in
 * pieces that end where a line does, so that its callbacks know which line they
 * are on, and a row never ends inside a piece.
 *
 * The bytes of a row stay in the input's buffer until the row is complete: if
 * its last quote is never closed, reading resumes behind the line of that
 * quote. All quotes behind it stand in pairs, or the field would have been
 * closed; so no field that begins there stays open, and no byte is read a third
 * time.
 */
#include "format/csv_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/tfrecord.h"

#define PIECE ((size_t)1 << 18)   /* most bytes fed at once */
#define RAW_MAX ((size_t)1 << 20) /* bytes kept of a row that is too long */
#define STRICT (CSV_STRICT | CSV_STRICT_FINI)

/* A stretch of one line. */
struct piece {
	const uint8_t *p;
	size_t n;    /* bytes before what ends it */
	size_t end;  /* bytes of the line end, or of the NULs, behind them */
	bool is_nul; /* what ends it */
};

/* The position of the first LF, CR or NUL; n if there is none. */
static size_t find_end(const uint8_t *p, size_t n)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t v, lf, cr, hit;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		memcpy(&v, p + i, 8);
		lf = v ^ ones * '\n';
		cr = v ^ ones * '\r';
		/* the lowest top bit set is that of the first zero byte */
		hit = ((v - ones) & ~v) | ((lf - ones) & ~lf) |
		      ((cr - ones) & ~cr);
		if ((hit & tops) != 0)
			return i + (size_t)__builtin_ctzll(hit & tops) / 8;
	}
	while (i < n && p[i] != '\n' && p[i] != '\r' && p[i] != '\0')
		i++;
	return i;
}

/* Looks at what follows the bytes already used. 1, 0 at the end, an error. */
static int next_piece(struct bt_csv_parse *x, struct piece *piece,
                      struct bt_error *err)
{
	const uint8_t *p;
	size_t got, n;
	int r = bt_in_peek(x->in, x->used + 1, &p, &got, err);

	if (r == BT_OK)
		r = bt_in_some(x->in, &p, &got, err);
	if (r != BT_OK)
		return r;
	if (got <= x->used)
		return 0;
	got = got - x->used < PIECE ? got - x->used : PIECE;
	n = find_end(p + x->used, got);
	piece->end = n < got;
	piece->is_nul = n < got && p[x->used + n] == '\0';
	/* as one, or a file of nothing else takes a round for each */
	while (piece->is_nul && n + piece->end < got &&
	       p[x->used + n + piece->end] == '\0')
		piece->end++;
	if (n < got && p[x->used + n] == '\r') {
		r = bt_in_peek(x->in, x->used + n + 2, &p, &got, err);
		if (r != BT_OK)
			return r;
		if (got == x->used + n + 2 && p[got - 1] == '\n')
			piece->end = 2;
	}
	piece->p = p + x->used;
	piece->n = n;
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

/* Consumes the input up to the end of the line. */
static int skip_line(struct bt_csv_parse *x, struct bt_error *err)
{
	struct piece piece;
	int r;

	do {
		keep_raw(x);
		bt_in_skip(x->in, x->used);
		x->used = 0;
		r = next_piece(x, &piece, err);
		if (r == 1)
			x->used = piece.n + piece.end;
	} while (r == 1 && (piece.end == 0 || piece.is_nul));
	x->line += r == 1;
	return r < 0 ? r : BT_OK;
}

static int never(unsigned char c)
{
	(void)c;
	return 0;
}

static void parser_init(struct bt_csv_parse *x)
{
	csv_init(&x->parser, STRICT);
	csv_set_delim(&x->parser, (unsigned char)x->opts.delimiter);
	csv_set_blk_size(&x->parser, PIECE);
	csv_set_space_func(&x->parser, never); /* blanks are data */
	if (!x->opts.quotes)
		csv_set_quote(&x->parser, 0); /* NULs are never fed */
}

/* Marks the row as bad; the first fault and the first text stay. */
static struct bt_error *bad(struct bt_csv_parse *x, enum bt_csv_fault fault)
{
	if (x->fault == BT_CSV_FINE)
		x->fault = fault;
	return &x->why;
}

static void keep_field(struct bt_csv_parse *x, const void *s, size_t n)
{
	if (bt_grow(&x->ends, &x->ends_cap, x->n + 1, sizeof(*x->ends)) !=
	    BT_OK) {
		x->oom = true;
		return;
	}
	bt_buf_put(&x->bytes, s, n);
	x->ends[x->n++] = x->bytes.len;
}

static void take_field(struct bt_csv_parse *x, const void *s, size_t n)
{
	x->field_line = x->line;
	x->field_next = 0;
	if (x->fault != BT_CSV_FINE)
		return;
	if (n > x->opts.max_field)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "a field is longer than %zu bytes",
		             x->opts.max_field);
	else if (x->n == x->opts.max_columns)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "more than %zu fields", x->opts.max_columns);
	else
		keep_field(x, s, n);
}

/* What libcsv calls. */
static void on_field(void *s, size_t n, void *ctx)
{
	take_field(ctx, s, n);
}

static void on_row(int end, void *ctx)
{
	struct bt_csv_parse *x = ctx;

	(void)end;
	x->done = true;
}

/*
 * Gives n bytes to libcsv, which refuses two things alike: a quote inside a
 * field that does not begin with one, which is data to us and is fed to it in
 * lenient mode, and text after a closing quote. Returns false at the latter.
 */
static bool feed(struct bt_csv_parse *x, const uint8_t *p, size_t n)
{
	struct csv_parser *parser = &x->parser;
	size_t k = csv_parse(parser, p, n, on_field, on_row, x);

	while (k < n && csv_error(parser) == CSV_EPARSE && !parser->quoted) {
		csv_set_opts(parser, 0);
		k += csv_parse(parser, p + k, 1, on_field, on_row, x);
		csv_set_opts(parser, STRICT);
		k += csv_parse(parser, p + k, n - k, on_field, on_row, x);
	}
	if (k == n)
		return true;
	if (csv_error(parser) != CSV_EPARSE)
		x->oom = true;
	return false;
}

/* Ends a row that has no end of its own. */
static void give_up(struct bt_csv_parse *x)
{
	csv_free(&x->parser);
	parser_init(x);
	x->done = true;
}

/* The same, and goes on behind the line on which the open field begins. */
static int go_back(struct bt_csv_parse *x, struct bt_error *err)
{
	give_up(x);
	if (x->field_next == 0)
		return skip_line(x, err);
	x->used = x->field_next;
	x->line = x->field_line + 1;
	return BT_OK;
}

/* Text after a closing quote. The field is over, wherever the row ends: goes on
 * at the next line. */
static int malformed(struct bt_csv_parse *x, const struct piece *piece,
                     struct bt_error *err)
{
	struct bt_error *why = bad(x, BT_CSV_QUOTES);

	if (x->line == x->row_line)
		bt_error_set(why, BT_EFORMAT, "text after a closing quote");
	else
		bt_error_set(why, BT_EFORMAT,
		             "text after a closing quote on line %llu",
		             (unsigned long long)x->line);
	give_up(x);
	if (piece->end == 0 || piece->is_nul)
		return skip_line(x, err);
	x->line++;
	return BT_OK;
}

static int too_large(struct bt_csv_parse *x, struct bt_error *err)
{
	size_t limit = x->opts.max_field;

	if (x->used > 4 * limit)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "longer than %zu bytes", 4 * limit);
	else if (x->parser.quoted)
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "the quote opened on line %llu is not closed "
		             "within %zu bytes",
		             (unsigned long long)x->field_line, limit);
	else
		bt_error_set(bad(x, BT_CSV_LARGE), BT_ELIMIT,
		             "a field is longer than %zu bytes", limit);
	return go_back(x, err);
}

static int take_piece(struct bt_csv_parse *x, const struct piece *piece,
                      struct bt_error *err)
{
	bool line_ends = piece->end > 0 && !piece->is_nul;
	bool fed;

	if (!x->begun) {
		x->begun = true;
		x->row_line = x->field_line = x->line;
	}
	fed = feed(x, piece->p, piece->n + (line_ends ? piece->end : 0));
	if (fed && piece->is_nul) {
		bt_error_set(bad(x, BT_CSV_NUL), BT_EFORMAT, "a NUL byte");
		fed = feed(x, (const uint8_t *)" ", 1); /* in its place */
	}
	x->used += piece->n + piece->end;
	x->last_line = x->line;
	if (x->oom || x->bytes.oom)
		return bt_error_nomem(err, "reading a row");
	if (!fed)
		return malformed(x, piece, err);
	if (line_ends) {
		x->line++;
		if (!x->done && x->field_next == 0)
			x->field_next = x->used;
	}
	if (!x->done && (x->parser.entry_pos > x->opts.max_field ||
	                 x->used > 4 * x->opts.max_field))
		return too_large(x, err);
	return BT_OK;
}

/* The input has ended. As bt_csv_parse_row. */
static int last_row(struct bt_csv_parse *x, struct bt_error *err)
{
	int r;

	if (!x->begun)
		return 0;
	if (csv_fini(&x->parser, on_field, on_row, x) == 0)
		return 1;
	bt_error_set(bad(x, BT_CSV_QUOTES), BT_ETRUNCATED,
	             "the quote opened on line %llu is never closed",
	             (unsigned long long)x->field_line);
	r = go_back(x, err);
	return r == BT_OK ? 1 : r;
}

static void begin_row(struct bt_csv_parse *x)
{
	bt_in_skip(x->in, x->used);
	x->used = 0;
	x->begun = x->done = false;
	x->field_next = 0;
	x->fault = BT_CSV_FINE;
	bt_error_clear(&x->why);
	bt_buf_reset(&x->bytes);
	bt_buf_reset(&x->raw);
	x->n = 0;
}

/* Points x->fields at the fields of the row just read. */
static int place_fields(struct bt_csv_parse *x, struct bt_error *err)
{
	size_t i, start = 0;

	if (bt_grow(&x->fields, &x->fields_cap, x->n, sizeof(*x->fields)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading a row");
	for (i = 0; i < x->n; i++) {
		x->fields[i].p = bt_buf_at(&x->bytes, start);
		x->fields[i].n = x->ends[i] - start;
		start = x->ends[i];
	}
	return 1;
}

int bt_csv_parse_row(struct bt_csv_parse *x, struct bt_error *err)
{
	struct piece piece;
	int r;

	begin_row(x);
	r = bt_csv_parse_fast(x, err);
	if (r != 0)
		return r;
	while (!x->done) {
		r = next_piece(x, &piece, err);
		if (r < 0)
			return r;
		if (r == 0) {
			r = last_row(x, err);
			if (r != 1)
				return r;
			break;
		}
		if (!x->begun && piece.n == 0 && !piece.is_nul) {
			bt_in_skip(x->in, piece.end);
			x->line++;
			continue;
		}
		r = take_piece(x, &piece, err);
		if (r != BT_OK)
			return r;
	}
	return place_fields(x, err);
}

/* Goes behind a UTF-8 byte order mark and refuses what is plainly no CSV. */
static int check_start(struct bt_csv_parse *x, struct bt_error *err)
{
	static const struct {
		uint8_t first[4];
		size_t n;
		const char *what;
	} others[] = {
	    {{0xFF, 0xFE}, 2, "UTF-16 text; convert it to UTF-8 first"},
	    {{0xFE, 0xFF}, 2, "UTF-16 text; convert it to UTF-8 first"},
	    {{0x1F, 0x8B}, 2, "gzip-compressed twice"},
	    {{0x28, 0xB5, 0x2F, 0xFD}, 4, "zstd-compressed twice"},
	    {{'P', 'K', 3, 4}, 4, "a zip archive or a spreadsheet, no CSV"},
	    {{0xD0, 0xCF, 0x11, 0xE0}, 4, "a spreadsheet, no CSV"},
	    {{'P', 'A', 'R', '1'}, 4, "a Parquet file, no CSV"},
	    {{'%', 'P', 'D', 'F'}, 4, "a PDF file, no CSV"},
	    {{'<', '!', 'D', 'O'}, 4, "an HTML page, no CSV"},
	    {{'<', 'h', 't', 'm'}, 4, "an HTML page, no CSV"},
	};
	const uint8_t *p;
	size_t got, i;
	int r = bt_in_some(x->in, &p, &got, err);

	if (r == BT_OK && bt_tfrecord_begins(p, got))
		return bt_error_set(err, BT_EFORMAT,
		                    "cannot read %s: it holds records already, "
		                    "which go to bert-tokenize or, of tokens, "
		                    "to bert-train",
		                    bt_in_name(x->in));
	if (r == BT_OK)
		r = bt_in_peek(x->in, 4, &p, &got, err);
	if (r != BT_OK)
		return r;
	if (got >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		bt_in_skip(x->in, 3);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (got >= others[i].n &&
		    memcmp(p, others[i].first, others[i].n) == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "cannot read %s: it is %s",
			                    bt_in_name(x->in), others[i].what);
	return BT_OK;
}

int bt_csv_parse_init(struct bt_csv_parse *x, struct bt_in *in,
                      const struct bt_csv_opts *opts, struct bt_error *err)
{
	memset(x, 0, sizeof(*x));
	x->in = in;
	x->opts = *opts;
	x->line = 1;
	parser_init(x);
	return check_start(x, err);
}

void bt_csv_parse_clear(struct bt_csv_parse *x)
{
	csv_free(&x->parser);
	bt_in_close(x->in);
	bt_buf_clear(&x->bytes);
	bt_buf_clear(&x->raw);
	free(x->ends);
	free(x->fields);
	memset(x, 0, sizeof(*x));
}

/* SPDX-License-Identifier: MIT */
#include "format/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/csv_int.h"

struct bt_csv {
	struct bt_csv_parse lex;
	uint64_t record; /* number of the last row, without the header */
	size_t width;
	bool held; /* the last row is still to be given out */
	enum bt_csv_fault fault;

	struct bt_span *names;
	char *names_bytes; /* what they point to */
};

void bt_csv_put(struct bt_buf *b, struct bt_span v, char delimiter)
{
	bool quote = false;
	size_t i;

	for (i = 0; i < v.n && !quote; i++)
		quote = v.p[i] == delimiter || v.p[i] == '"' ||
		        v.p[i] == '\n' || v.p[i] == '\r';
	if (!quote) {
		bt_buf_put(b, v.p, v.n);
		return;
	}
	bt_buf_putc(b, '"');
	for (i = 0; i < v.n; i++) {
		if (v.p[i] == '"')
			bt_buf_putc(b, '"');
		bt_buf_putc(b, v.p[i]);
	}
	bt_buf_putc(b, '"');
}

int bt_csv_two_names(const char *header, struct bt_span name[2],
                     struct bt_error *err)
{
	const char *comma = strchr(header, ',');

	if (comma == NULL || strchr(comma + 1, ',') != NULL)
		return bt_error_set(err, BT_EARG,
		                    "the header '%s' does not name two columns "
		                    "(as in id,label)",
		                    header);
	name[0] = (struct bt_span){header, (size_t)(comma - header)};
	name[1] = bt_span(comma + 1);
	return BT_OK;
}

int bt_csv_delimiter(const char *s, char *delimiter)
{
	static const struct {
		const char *name;
		char c;
	} named[] = {{"tab", '\t'},
	             {"\\t", '\t'},
	             {"comma", ','},
	             {"semicolon", ';'},
	             {"pipe", '|'}};
	int i = BT_STR_ROW_BY(s, named, name);

	if (i < 0 && (s[0] == '\0' || s[1] != '\0' || (s[0] & 0x80) != 0 ||
	              strchr("\"\r\n", s[0]) != NULL))
		return BT_EARG;
	*delimiter = i < 0 ? s[0] : named[i].c;
	return BT_OK;
}

static int wrong_width(struct bt_csv *c, struct bt_error *err)
{
	const struct bt_csv_parse *x = &c->lex;

	c->fault = BT_CSV_FIELDS;
	if (x->last_line > x->row_line)
		bt_error_set(err, BT_EFORMAT,
		             "%zu field%s, expected %zu (the row ends on line "
		             "%llu)",
		             x->n, bt_plural(x->n), c->width,
		             (unsigned long long)x->last_line);
	else
		bt_error_set(err, BT_EFORMAT, "%zu field%s, expected %zu", x->n,
		             bt_plural(x->n), c->width);
	if (x->n > c->width)
		bt_error_hint(err, BT_HINT_QUOTE_FIELDS, BT_EFORMAT);
	return bt_csv_blame(c, err);
}

/* Reads a row into c->lex.fields; as bt_csv_next. */
static int read_row(struct bt_csv *c, struct bt_error *err)
{
	int r;

	c->fault = BT_CSV_FINE;
	r = bt_csv_parse_row(&c->lex, err);
	if (r != 1)
		return r;
	c->record++;
	if (c->lex.fault != BT_CSV_FINE) {
		c->fault = c->lex.fault;
		bt_error_set(err, c->lex.why.code, "%s", c->lex.why.text);
		return bt_csv_blame(c, err);
	}
	if (c->width != 0 && c->lex.n != c->width)
		return wrong_width(c, err);
	c->width = c->lex.n;
	return 1;
}

/* Makes the row just read the header. */
static int keep_names(struct bt_csv *c, struct bt_error *err)
{
	const struct bt_span *f = c->lex.fields;
	size_t i, total = 0, at = 0;

	for (i = 0; i < c->width; i++)
		total += f[i].n;
	c->names = bt_array(c->width, sizeof(*c->names));
	c->names_bytes = bt_array(total + 1, 1);
	if (c->names == NULL || c->names_bytes == NULL)
		return bt_error_nomem(err, "reading a header");
	for (i = 0; i < c->width; i++) {
		if (f[i].n > 0)
			memcpy(c->names_bytes + at, f[i].p, f[i].n);
		c->names[i].p = c->names_bytes + at;
		c->names[i].n = f[i].n;
		at += f[i].n;
	}
	c->record = 0;
	return BT_OK;
}

static int read_first(struct bt_csv *c, struct bt_error *err)
{
	struct bt_error why = {0};
	int r = read_row(c, &why);

	if (r == 0)
		return bt_error_set(err, BT_EFORMAT, "%s is empty",
		                    bt_csv_name(c));
	if (c->lex.opts.header && c->fault != BT_CSV_FINE)
		return bt_error_set(
		    err, why.code, "cannot read %s: header (line %llu): %s%s",
		    bt_csv_name(c), (unsigned long long)c->lex.row_line,
		    c->lex.why.text,
		    c->fault == BT_CSV_NUL
		        ? ": is it UTF-16, or no text at all?"
		    : c->fault == BT_CSV_QUOTES
		        ? ": are fields divided by something else?"
		        : "");
	if (r < 0 && c->fault == BT_CSV_FINE)
		return bt_error_set(err, why.code, "%s", why.text);
	if (c->lex.opts.header)
		return keep_names(c, err);
	c->held = true;
	return BT_OK;
}

int bt_csv_open(const char *path, const struct bt_csv_opts *opts,
                struct bt_csv **csv, struct bt_error *err)
{
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	return r == BT_OK ? bt_csv_from(in, opts, csv, err) : r;
}

int bt_csv_from(struct bt_in *in, const struct bt_csv_opts *opts,
                struct bt_csv **csv, struct bt_error *err)
{
	struct bt_csv *c = bt_array0(1, sizeof(*c));
	int r;

	if (opts->ahead)
		bt_in_ahead(in);
	r = bt_csv_parse_init(&c->lex, in, opts, err);
	if (r == BT_OK)
		r = read_first(c, err);
	if (r != BT_OK) {
		bt_csv_close(c);
		return r;
	}
	*csv = c;
	return BT_OK;
}

void bt_csv_close(struct bt_csv *c)
{
	if (c == NULL)
		return;
	bt_csv_parse_clear(&c->lex);
	free(c->names);
	free(c->names_bytes);
	free(c);
}

const struct bt_span *bt_csv_first(const struct bt_csv *c)
{
	return c->held && c->fault == BT_CSV_FINE ? c->lex.fields : NULL;
}

int bt_csv_take_header(struct bt_csv *c, struct bt_error *err)
{
	c->held = false;
	return keep_names(c, err);
}

const struct bt_span *bt_csv_names(const struct bt_csv *c)
{
	return c->names;
}

size_t bt_csv_width(const struct bt_csv *c)
{
	return c->width;
}

int bt_csv_next(struct bt_csv *c, const struct bt_span **fields,
                struct bt_error *err)
{
	int r = 1;

	if (!c->held) {
		r = read_row(c, err);
	} else if (c->fault != BT_CSV_FINE) {
		bt_error_set(err, c->lex.why.code, "%s", c->lex.why.text);
		r = bt_csv_blame(c, err);
	}
	c->held = false;
	if (r == 1)
		*fields = c->lex.fields;
	return r;
}

enum bt_csv_fault bt_csv_fault(const struct bt_csv *c)
{
	return c->fault;
}

int bt_csv_raw(struct bt_csv *c, struct bt_span *row, struct bt_error *err)
{
	return bt_csv_parse_raw(&c->lex, row, err);
}

uint64_t bt_csv_line(const struct bt_csv *c)
{
	return c->lex.row_line;
}

int bt_csv_blame(const struct bt_csv *c, struct bt_error *err)
{
	return bt_error_prefix(err, "record %llu (line %llu)",
	                       (unsigned long long)c->record,
	                       (unsigned long long)c->lex.row_line);
}

const char *bt_csv_name(const struct bt_csv *c)
{
	return bt_in_name(c->lex.in);
}

uint64_t bt_csv_offset(const struct bt_csv *c)
{
	return bt_in_offset(c->lex.in);
}

/* SPDX-License-Identifier: MIT */
#include "table/csv_objects.h"

#include <stdlib.h>

#include "base/mem.h"
#include "table/literal.h"
#include "table/table_int.h"

struct rows {
	struct bt_csv *csv;
	enum bt_charset charset;
	const struct bt_csv_object_column *columns; /* [n] */
	size_t n, *at; /* [n] where they are, or BT_TABLE_ABSENT */
	struct bt_buf text;
};

static int find_columns(struct rows *r, struct bt_error *err)
{
	struct bt_table_header h;
	size_t i;
	int e = bt_table_header_init(&h, r->csv, r->charset, err);

	r->at = bt_array(r->n + 1, sizeof(*r->at));
	for (i = 0; e == BT_OK && i < r->n; i++) {
		r->at[i] = BT_TABLE_ABSENT;
		if (r->columns[i].needed)
			e = bt_table_find_column(
			    &h, bt_span(r->columns[i].name), &r->at[i], err);
		else if (r->columns[i].name != NULL &&
		         bt_table_find_name(&h, bt_span(r->columns[i].name),
		                            &r->at[i], err) < 0)
			e = err->code;
	}
	bt_table_header_clear(&h);
	/* it is there in any case */
	if (err != NULL && err->hint == BT_HINT_TABLE_NO_HEADER)
		err->hint = BT_HINT_NONE;
	return e;
}

/* A field as UTF-8, or a list. */
static int read_field(struct rows *r, size_t i, struct bt_span v, json_t *row,
                      struct bt_error *err)
{
	const char *name = r->columns[i].name;
	size_t at = bt_charset_check(r->charset, v.p, v.n);
	json_t *value = NULL;

	if (at < v.n) {
		bt_error_set(err, BT_EFORMAT,
		             "'%s' is not valid %s (byte %02X at position %zu)",
		             name, bt_charset_name(r->charset),
		             (unsigned char)v.p[at], at + 1);
		return bt_error_hint(err,
		                     r->charset == BT_CHARSET_UTF8
		                         ? BT_HINT_TABLE_ENCODING
		                         : BT_HINT_NONE,
		                     BT_EFORMAT);
	}
	bt_buf_reset(&r->text);
	bt_charset_put(&r->text, r->charset, v.p, v.n);
	v = (struct bt_span){bt_buf_str(&r->text), r->text.len};
	if (v.p == NULL)
		return bt_error_nomem(err, "reading a row");
	if (r->columns[i].lists)
		value = bt_table_literal(v);
	if (value == NULL)
		value = json_stringn(v.p, v.n);
	return json_object_set_new(row, name, value) == 0
	           ? BT_OK
	           : bt_error_nomem(err, "reading a row");
}

static int read_row(struct rows *r, const struct bt_span *fields, json_t *row,
                    struct bt_error *err)
{
	size_t i;
	int e = BT_OK;

	for (i = 0; e == BT_OK && i < r->n; i++)
		if (r->at[i] != BT_TABLE_ABSENT)
			e = read_field(r, i, fields[r->at[i]], row, err);
	return e;
}

static int read_rows(struct rows *r,
                     int (*take)(void *arg, const json_t *row,
                                 struct bt_error *err),
                     void *arg, struct bt_error *err)
{
	const struct bt_span *fields;
	json_t *row;
	int e, more;

	while ((more = bt_csv_next(r->csv, &fields, err)) == 1) {
		row = json_object();
		e = read_row(r, fields, row, err);
		if (e == BT_OK)
			e = take(arg, row, err);
		json_decref(row);
		if (e == BT_EFORMAT)
			bt_csv_blame(r->csv, err);
		if (e != BT_OK)
			return e;
	}
	if (bt_csv_fault(r->csv) == BT_CSV_QUOTES)
		bt_error_hint(err, BT_HINT_TABLE_NO_QUOTE, more);
	return more;
}

int bt_csv_objects(struct bt_in *in, const struct bt_csv_opts *csv,
                   enum bt_charset charset,
                   const struct bt_csv_object_column *columns, size_t n,
                   int (*take)(void *arg, const json_t *row,
                               struct bt_error *err),
                   void *arg, struct bt_error *err)
{
	struct rows r = {.charset = charset, .columns = columns, .n = n};
	int e = bt_csv_from(in, csv, &r.csv, err);

	if (e != BT_OK)
		return e;
	e = find_columns(&r, err);
	if (e == BT_OK) {
		e = read_rows(&r, take, arg, err);
		if (e == BT_EFORMAT || e == BT_ELIMIT ||
		    bt_csv_fault(r.csv) != BT_CSV_FINE)
			bt_error_prefix(err, "cannot read %s",
			                bt_csv_name(r.csv));
	}
	bt_csv_close(r.csv);
	bt_buf_clear(&r.text);
	free(r.at);
	return e;
}

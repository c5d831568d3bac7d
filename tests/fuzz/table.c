/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Options and any bytes as a CSV file: rows and text records. */
#include "fuzz.h"

#include "table/table.h"

static const char delimiters[] = ",\t;|";

/* Fields are borrowed and whole; what is put out reads back. */
static void rows(const struct bt_csv_opts *o)
{
	const struct bt_span *f;
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_csv *c;
	uint64_t at = 0;
	size_t i;
	int r;

	if (fuzz_told(bt_csv_open("input.csv", o, &c, &err), &err) != BT_OK)
		return;
	for (;;) {
		bt_error_clear(&err);
		r = fuzz_told(bt_csv_next(c, &f, &err), &err);
		FUZZ_CHECK(r != 1 || bt_csv_fault(c) == BT_CSV_FINE);
		if (r == 0 || (r < 0 && bt_csv_fault(c) == BT_CSV_FINE))
			break;
		FUZZ_CHECK(bt_csv_offset(c) >= at);
		at = bt_csv_offset(c);
		for (i = 0; r == 1 && i < bt_csv_width(c); i++) {
			bt_csv_put(&b, f[i], o->delimiter);
			FUZZ_CHECK(f[i].n <= o->max_field);
		}
		bt_buf_reset(&b);
	}
	bt_buf_clear(&b);
	bt_csv_close(c);
}

static void records(const struct bt_table_opts *o)
{
	static char name[] = "input.csv";
	static char *const paths[] = {name, name};
	struct bt_text_rec rec;
	struct bt_table_stats s;
	struct bt_error err = {0};
	struct bt_table *t;
	uint64_t n = 0;

	if (fuzz_told(bt_table_open(paths, 2, o, &t, &err), &err) != BT_OK)
		return;
	while (fuzz_told(bt_table_next(t, &rec, &err), &err) == 1) {
		FUZZ_CHECK(rec.text_a.p != NULL);
		FUZZ_CHECK(bt_charset_check(BT_CHARSET_UTF8, rec.text_a.p,
		                            rec.text_a.n) == rec.text_a.n);
		n++;
	}
	bt_table_stats(t, &s);
	FUZZ_CHECK(s.records == n);
	bt_table_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct bt_table_where where[] = {
	    {{"2", 1}, {"1", 1}, false}, {{"a", 1}, {NULL, 0}, false}};
	struct bt_table_opts o = {.csv = BT_CSV_OPTS_INIT, .where = where};
	unsigned how = fuzz_byte(&data, &size);
	unsigned what = fuzz_byte(&data, &size);

	o.csv.delimiter = delimiters[how & 3];
	o.csv.quotes = (how & 4) == 0;
	o.csv.header = (how & 8) == 0;
	if (how & 16)
		o.csv.max_field = 7;
	if (how & 32)
		o.csv.max_columns = 3;
	o.skip_bad = (how & 64) != 0;
	o.charset = what & 1   ? BT_CHARSET_LATIN1
	            : what & 2 ? BT_CHARSET_WINDOWS1252
	                       : BT_CHARSET_UTF8;
	o.text = what & 4 ? "1" : what & 8 ? "a,b" : NULL;
	o.pair = what & 16 ? "3" : NULL;
	o.one_hot = size % 4 == 1;
	o.numbers = o.decimal_comma = size % 4 == 2;
	o.html = size % 5 == 3;
	o.text_lists = size % 7 == 5;
	o.label_lists = size % 4 == 3;
	o.label = (what & 32) == 0 ? NULL : o.one_hot ? "2,1" : "2";
	o.id = what & 64 ? "id" : NULL;
	o.n_where = what & 128 ? 1 + (how >> 7) : 0;
	fuzz_put("input.csv", data, size);
	rows(&o.csv);
	records(&o);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Options and any bytes as a file that is joined to a table: refused with a
 * word, or each row has the columns of the row with its key. */
#include "fuzz.h"

#include "table/table.h"

static void records(const struct bt_table_opts *o)
{
	static char name[] = "rows.csv";
	static char *const paths[] = {name};
	struct bt_text_rec rec;
	struct bt_table_stats s;
	struct bt_error err = {0};
	struct bt_table *t;
	uint64_t n = 0;
	int r;

	if (fuzz_told(bt_table_open(paths, 1, o, &t, &err), &err) != BT_OK)
		return;
	while ((r = fuzz_told(bt_table_next(t, &rec, &err), &err)) == 1) {
		fuzz_read(rec.text_a.p, rec.text_a.n);
		fuzz_read(rec.text_b.p, rec.text_b.n);
		FUZZ_CHECK(rec.n_kept == 1);
		fuzz_read(rec.kept[0].value.p, rec.kept[0].value.n);
		n++;
	}
	bt_table_stats(t, &s);
	FUZZ_CHECK(s.records == n);
	FUZZ_CHECK(r < 0 || n + s.skipped + s.others == 5);
	bt_table_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char table[] = "k,m\n1,a\na,1\n,a\n1,b\nb,\n";
	static const struct bt_table_where where[] = {
	    {{"k.b", 3}, {"1", 1}, false}};
	struct bt_table_opts o = {.csv = BT_CSV_OPTS_INIT, .where = where};
	struct bt_table_join joins[2] = {{{NULL, 0}, NULL, NULL, 0}};
	struct bt_error err = {0};
	unsigned how = fuzz_byte(&data, &size);

	FUZZ_CHECK(bt_table_join_init(&joins[0],
	                              how & 1 ? "k=joined:b" : "k=joined",
	                              &err) == BT_OK);
	FUZZ_CHECK(bt_table_join_init(&joins[1],
	                              how & 2 ? "k=joined:1" : "m=joined",
	                              &err) == BT_OK);
	joins[0].delimiter = joins[1].delimiter = how & 4 ? '\t' : ',';
	o.csv.quotes = (how & 8) == 0;
	o.csv.max_field = 64;
	o.charset = how & 16 ? BT_CHARSET_LATIN1 : BT_CHARSET_UTF8;
	o.skip_bad = (how & 32) != 0;
	o.text = how & 2 ? "k.b" : "k.b,m.2";
	o.pair = how & 64 ? "k.t.x,k.b" : "k";
	o.keep = "k.b";
	o.n_where = how >> 7;
	o.text_lists = size % 3 == 1;
	o.label = size % 3 == 2 ? "k.t" : NULL;
	o.joins = joins;
	o.n_joins = 2;
	fuzz_put("rows.csv", table, sizeof(table) - 1);
	fuzz_put("joined", data, size);
	records(&o);
	bt_table_join_clear(&joins[0]);
	bt_table_join_clear(&joins[1]);
	return 0;
}

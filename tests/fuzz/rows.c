/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a table: refused with a word, or records that can be read back.
 * The first byte chooses options, the rest is written to a file in the current
 * directory. */
#include <stdlib.h>

#include "table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct bt_table *t)
{
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_text_rec rec, back;
	struct bt_error err = {0};
	struct bt_span v;
	int r;

	while ((r = bt_table_next(t, &rec, &err)) == 1) {
		v = bt_text_rec_make(&w, &rec);
		if (v.p == NULL || bt_text_rec_read(v.p, v.n, &back, &err) ||
		    !bt_span_equal(rec.text_a, back.text_a) ||
		    !bt_span_equal(rec.text_b, back.text_b) ||
		    rec.several != back.several)
			if (!rec.several || rec.n_labels != 1)
				abort();
	}
	if (r < 0 && (err.code == 0 || err.text[0] == '\0'))
		abort(); /* refused without a word */
	bt_example_clear(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tasks[] = {NULL,   NULL,   NULL,      NULL,
	                                    "cola", "imdb", "ag-news", "sts-b"};
	struct bt_table_opts o = {.csv = BT_CSV_OPTS_INIT};
	struct bt_error err = {0};
	char path[] = "fuzz-table", *paths[] = {path};
	struct bt_table *t;
	int how;

	if (size == 0)
		return 0;
	how = data[0];
	o.csv.max_field = 64;
	o.csv.max_columns = 8;
	o.csv.header = (how & 1) == 0;
	o.csv.quotes = (how & 2) == 0;
	o.text = how & 4 ? "1,2" : "1";
	o.label = how & 8 ? "3" : how & 16 ? "3,4" : NULL;
	o.label_lists = how & 8 && how & 128;
	o.label_separator = how & 8 && how & 16 && !o.label_lists ? ";" : NULL;
	o.weight = how & 16 && how & 4 ? "2" : NULL;
	o.rejects = how & 128 ? "fuzz-rejects" : NULL;
	if (size > 1 && data[1] == '{' && (how & 32) == 0) {
		/* JSON Lines, with members and lists */
		o.text = how & 4 ? "1,q.t" : "1";
		o.choices = how & 1 ? "c" : how & 2 ? "c.t" : NULL;
		o.choice_names = how & 3 && how & 4 ? "c.n" : NULL;
	}
	o.keep = how & 2 && how & 4 ? "2,1" : NULL;
	o.drop_duplicates = how & 64;
	o.na = how & 64  ? BT_TABLE_NA_PANDAS
	       : how & 4 ? BT_TABLE_NA_DROP
	                 : BT_TABLE_NA_KEEP;
	o.strip = how & 8;
	o.fold_case = how & 16;
	if (how & 32 && tasks[how & 7] != NULL)
		o.task = bt_published_find(tasks[how & 7]);
	if (bt_out_whole(path, data + 1, size - 1, NULL) != BT_OK)
		return 0;
	if (bt_table_open(paths, 1, &o, &t, &err) != BT_OK) {
		if (err.code == 0 || err.text[0] == '\0')
			abort();
		return 0;
	}
	use(t);
	bt_table_close(t);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* All rows of a table as a stream of records. */
#include "format/tfrecord.h"
#include "table/table.h"

int bt_table_write(struct bt_table *table, struct bt_out *out,
                   void (*show)(void *ctx, const struct bt_table *table),
                   void *ctx, struct bt_error *err)
{
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_text_rec rec;
	struct bt_span v;
	int r;

	while ((r = bt_table_next(table, &rec, err)) == 1) {
		v = bt_text_rec_make(&w, &rec);
		if (v.p == NULL)
			r = bt_error_nomem(err, "writing a record");
		else
			r = bt_tfrecord_write(out, v.p, v.n, err);
		if (r != BT_OK)
			break;
		if (show != NULL)
			show(ctx, table);
	}
	bt_example_clear(&w);
	return r;
}

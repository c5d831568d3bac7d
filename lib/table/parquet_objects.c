/* SPDX-License-Identifier: MIT */
#include "table/parquet_objects.h"

#include "parquet/parquet.h"

#define ROW_MAX ((size_t)64 << 20) /* bytes of a value, or of a list */

int bt_parquet_objects(struct bt_in *in, const char *const *names, size_t n,
                       int (*take)(void *arg, const json_t *row,
                                   struct bt_error *err),
                       void *arg, struct bt_error *err)
{
	struct bt_parquet *p;
	json_t *row;
	size_t i;
	int r = bt_parquet_open(in, ROW_MAX, NULL, &p, err);

	if (r != BT_OK)
		return r;
	for (i = 0; r >= 0 && i < n; i++)
		r = bt_parquet_want_all(p, names[i], err);
	while (r >= 0 && (r = bt_parquet_next_object(p, &row, err)) == 1) {
		r = take(arg, row, err);
		json_decref(row);
		if (r == BT_EFORMAT)
			bt_parquet_blame(p, err);
		if (r == BT_EFORMAT || r == BT_ELIMIT)
			bt_error_prefix(err, "%s", bt_parquet_name(p));
		if (r != BT_OK)
			goto out;
	}
	if (r < 0 && bt_parquet_fault(p) != BT_PARQUET_FINE)
		bt_error_prefix(err, "%s", bt_parquet_name(p));
out:
	bt_parquet_close(p);
	return r;
}

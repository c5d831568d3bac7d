/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a Parquet file: its rows as texts and as JSON objects. */
#include "fuzz.h"

#include "parquet/parquet.h"

#define MOST 20000 /* bytes of values */

/* The file with all its columns that are read; NULL where it is refused or has
 * none. */
static struct bt_parquet *open_all(struct bt_in_limit *limit)
{
	struct bt_error err = {0};
	struct bt_parquet *p;
	struct bt_in *in;
	size_t i, n = 0;

	*limit = (struct bt_in_limit){MOST, MOST};
	if (fuzz_told(bt_in_open("input.parquet", &in, &err), &err) != BT_OK)
		return NULL; /* a pointer of Git LFS */
	bt_in_as_is(in);
	if (fuzz_told(bt_parquet_open(in, 1000, limit, &p, &err), &err) !=
	    BT_OK)
		return NULL;
	for (i = 0; i < bt_parquet_width(p); i++) {
		bt_error_clear(&err);
		fuzz_read(bt_parquet_names(p)[i].p, bt_parquet_names(p)[i].n);
		n += fuzz_told(bt_parquet_want(p, i, &err), &err) == BT_OK;
	}
	if (n > 0)
		return p;
	bt_parquet_close(p);
	return NULL;
}

/* Returns whether reading goes on behind a row. */
static bool goes_on(const struct bt_parquet *p, int r)
{
	FUZZ_CHECK(r != 1 || bt_parquet_fault(p) == BT_PARQUET_FINE);
	return r == 1 || (r < 0 && bt_parquet_fault(p) != BT_PARQUET_FINE);
}

static void texts(void)
{
	struct bt_error err = {0};
	struct bt_in_limit limit;
	struct bt_parquet *p = open_all(&limit);
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_span *f;
	size_t i;
	int r;

	if (p == NULL)
		return;
	do {
		bt_error_clear(&err);
		r = fuzz_told(bt_parquet_next(p, &f, &err), &err);
		for (i = 0; r == 1 && i < bt_parquet_width(p); i++)
			fuzz_read(f[i].p, f[i].n);
		if (goes_on(p, r) && bt_parquet_row(p) % 16 == 1)
			bt_parquet_put_row(p, &b);
	} while (goes_on(p, r));
	bt_buf_clear(&b);
	bt_parquet_close(p);
}

static void objects(void)
{
	struct bt_error err = {0};
	struct bt_in_limit limit;
	struct bt_parquet *p = open_all(&limit);
	json_t *o;
	int r;

	if (p == NULL)
		return;
	do {
		bt_error_clear(&err);
		r = fuzz_told(bt_parquet_next_object(p, &o, &err), &err);
		if (r == 1) {
			FUZZ_CHECK(json_is_object(o));
			json_decref(o);
		}
	} while (goes_on(p, r));
	bt_parquet_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_put("input.parquet", data, size);
	texts();
	objects();
	return 0;
}

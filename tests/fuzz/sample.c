/* SPDX-License-Identifier: MIT */
/* Any bytes as a sample submission, which is then filled in. */
#include "fuzz.h"

#include "task/sample.h"

static char a[] = "a", b[] = "b", c[] = "c";

static void fill_in(struct bt_sample *s)
{
	static const double p[] = {0.5, 0.25, 0.25};
	struct bt_csv_opts o = BT_CSV_OPTS_INIT;
	const struct bt_span *f;
	struct bt_error err = {0};
	struct bt_csv *csv;
	struct bt_out *out;
	int r;

	FUZZ_CHECK(bt_csv_open("sample.csv", &o, &csv, &err) == BT_OK);
	while ((r = bt_csv_next(csv, &f, &err)) == 1)
		FUZZ_CHECK(bt_sample_set(s, f[0], 1, p, &err) == BT_OK);
	FUZZ_CHECK(r == 0);
	bt_csv_close(csv);
	FUZZ_CHECK(bt_out_open("/dev/null", BT_OUT_TEXT, &out, &err) == BT_OK);
	FUZZ_CHECK(bt_sample_write(s, out, &err) == BT_OK);
	FUZZ_CHECK(bt_out_commit(out, &err) == BT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);
	char *const text[] = {a, b, c};
	struct bt_labels labels = {0};
	struct bt_error err = {0};
	struct bt_sample *s;
	int i, n = how & 2 ? 2 : 3;

	for (i = 0; i < n; i++)
		FUZZ_CHECK(bt_labels_add(&labels, bt_span(text[i]), &err) == i);
	fuzz_put("sample.csv", data, size);
	if (fuzz_told(bt_sample_open("sample.csv", how & 1, &labels, &s, &err),
	              &err) == BT_OK) {
		fill_in(s);
		bt_sample_free(s);
	}
	bt_labels_clear(&labels);
	return 0;
}

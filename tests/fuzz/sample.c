/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a sample submission, which is then filled in. */
#include "fuzz.h"

#include "predict/submission.h"

static char a[] = "a", b[] = "b", c[] = "c";

/* Whether it can be filled in depends on where its ids stand and what divides
 * its fields; a failure is reported, and nothing is written then. */
static void fill_in(struct bt_submission *s)
{
	static const double p[] = {0.5, 0.25, 0.25};
	struct bt_csv_opts o = BT_CSV_OPTS_INIT;
	const struct bt_span *f;
	struct bt_error err = {0};
	struct bt_csv *csv;
	struct bt_out *out;
	int r;

	if (bt_csv_open("sample.csv", &o, &csv, &err) != BT_OK)
		return;
	while (bt_csv_next(csv, &f, &err) == 1)
		if (fuzz_told(bt_submission_set(s, f[0], 1, p, &err), &err))
			break;
	bt_csv_close(csv);
	bt_error_clear(&err);
	FUZZ_CHECK(bt_out_open("/dev/null", BT_OUT_TEXT, &out, &err) == BT_OK);
	r = fuzz_told(bt_submission_write(s, out, &err), &err);
	bt_error_clear(&err);
	if (r == BT_OK)
		FUZZ_CHECK(bt_out_commit(out, &err) == BT_OK);
	else
		bt_out_abandon(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);
	char *const text[] = {a, b, c};
	struct bt_submission_opts o = {.path = "sample.csv",
	                               .id = how & 8    ? "none"
	                                     : how & 16 ? "2"
	                                                : NULL,
	                               .in_order = (how & 4) != 0,
	                               .proba = (how & 1) != 0};
	struct bt_labels labels = {0};
	struct bt_error err = {0};
	struct bt_submission *s;
	int i, n = how & 2 ? 2 : 3;

	for (i = 0; i < n; i++)
		FUZZ_CHECK(bt_labels_add(&labels, bt_span(text[i]), &err) == i);
	fuzz_put("sample.csv", data, size);
	if (fuzz_told(bt_submission_open(&o, &labels, &s, &err), &err) ==
	    BT_OK) {
		fill_in(s);
		bt_submission_free(s);
	}
	bt_labels_clear(&labels);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "format/lines.h"

#include "format/tfrecord.h"

int bt_lines_begin(struct bt_in *in, struct bt_error *err)
{
	enum bt_utf16 order = BT_UTF16_NONE; /* unless a mark says it */
	const uint8_t *p;
	size_t got = 0;
	int r = bt_in_some(in, 1, &p, &got, err);

	if (r == BT_OK && bt_tfrecord_begins(p, got))
		r = bt_error_hint(err, BT_HINT_NO_LINES,
		                  bt_error_set(err, BT_EFORMAT,
		                               "%s holds records, not lines",
		                               bt_in_name(in)));
	if (r == BT_OK && bt_tfrecord_is_parquet(p, got))
		r = bt_error_hint(err, BT_HINT_READ_PARQUET,
		                  bt_error_set(err, BT_EFORMAT,
		                               "%s is a Parquet file, not "
		                               "lines",
		                               bt_in_name(in)));
	if (r == BT_OK)
		r = bt_in_utf16(in, &order, err);
	if (r == BT_OK)
		r = bt_in_skip_mark(in, err);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "format/tfrecord_int.h"

void bt_tfrecord_recover(struct bt_tfrecord *r, const struct bt_log *log)
{
	r->recover = true;
	bt_in_salvage(r->in);
	r->log = log;
}

static void tell(struct bt_tfrecord *r)
{
	uint64_t to = bt_in_offset(r->in);

	if (r->damaged)
		bt_log_warn(
		    r->log, "damaged-data", BT_HINT_NONE,
		    "%s: %llu bytes from byte %llu on are damaged and left "
		    "out, with an unknown number of records",
		    r->file, (unsigned long long)(to - r->lost_from),
		    (unsigned long long)r->lost_from);
	r->damaged = false;
}

/* 1: a whole record of len bytes stands here; 0: none does; 2: the end. */
static int look(struct bt_tfrecord *r, const uint8_t **data, size_t *len,
                struct bt_error *err)
{
	const uint8_t *p;
	size_t got, whole;
	uint64_t n;
	int e = bt_in_peek(r->in, BT_TFRECORD_HEADER, &p, &got, err);

	if (e != BT_OK)
		return e;
	if (got == 0)
		return 2;
	if (got < BT_TFRECORD_HEADER || !bt_tfrecord_crc_holds(p, 8))
		return 0;
	memcpy(&n, p, sizeof(n));
	if (n > BT_TFRECORD_MAX)
		return 0;
	whole = BT_TFRECORD_HEADER + (size_t)n + BT_TFRECORD_FOOTER;
	e = bt_in_peek(r->in, whole, &p, &got, err);
	if (e != BT_OK)
		return e;
	if (got < whole ||
	    !bt_tfrecord_crc_holds(p + BT_TFRECORD_HEADER, (size_t)n))
		return 0;
	*data = p + BT_TFRECORD_HEADER;
	*len = (size_t)n;
	return 1;
}

/* Whether the error e is damage of compressed data, behind which nothing can be
 * read. Then it warns, and what came before is kept. */
static bool ends_early(const struct bt_tfrecord *r, int e, struct bt_error *err)
{
	if ((e != BT_ETRUNCATED && e != BT_ECORRUPT) || r->record == 0 ||
	    bt_in_packing(r->in) == NULL)
		return false;
	bt_log_warn(r->log, "damaged-data", BT_HINT_NONE,
	            "%s; records are kept up to there", err->text);
	bt_error_clear(err);
	return true;
}

int bt_tfrecord_next_whole(struct bt_tfrecord *r, const uint8_t **data,
                           size_t *len, struct bt_error *err)
{
	int e;

	bt_in_skip(r->in, r->pending);
	r->pending = 0;
	while ((e = look(r, data, len, err)) == 0) {
		if (!r->damaged)
			r->lost_from = bt_in_offset(r->in);
		r->damaged = true;
		bt_in_skip(r->in, 1);
	}
	if (e < 0 && !ends_early(r, e, err))
		return e;
	if (e < 0)
		e = 2;
	if (e == 2 && r->record == 0 && r->damaged)
		return bt_error_set(err, BT_ECORRUPT,
		                    "cannot recover %s: not one record of it "
		                    "is whole",
		                    r->file);
	tell(r);
	if (e == 2)
		return 0;
	r->record++;
	r->total++;
	r->pending = BT_TFRECORD_HEADER + *len + BT_TFRECORD_FOOTER;
	return 1;
}

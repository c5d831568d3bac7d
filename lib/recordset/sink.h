/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the records that were chosen: they are written, as they are
 * or as JSON Lines, or something is found out about them and written in their
 * place.
 */
#ifndef BT_RECORDSET_SINK_H
#define BT_RECORDSET_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/out.h"
#include "recordset/input.h"

enum bt_sink_what {
	BT_SINK_RECORDS,
	BT_SINK_JSON,
	BT_SINK_COUNT,
	BT_SINK_VERIFY,
	BT_SINK_STATS,
	BT_SINK_LEAK,
	BT_SINK_PAIRS
};

/* True where text comes in place of the records. */
static inline bool bt_sink_is_report(enum bt_sink_what what)
{
	return what > BT_SINK_JSON;
}

struct bt_sink;

struct bt_sink_opts {
	enum bt_sink_what what;
	const char *leak;  /* the other file of LEAK, */
	bool limited;      /* which has */
	uint64_t max;      /* bytes at most */
	const char *field; /* the feature of PAIRS, a text */
	double near;       /* how alike they are at least (dedup/minhash.h) */
	size_t memory;     /* for their texts, the rest goes to a file */
};

/* The strings of opts are borrowed. */
int bt_sink_new(const struct bt_sink_opts *opts, struct bt_sink **put,
                struct bt_error *err) BT_MUST_USE;
void bt_sink_free(struct bt_sink *p); /* takes NULL */

/* One record, to out or into what will be reported. in is where it was just
 * read, or NULL where that is no longer known (not for LEAK and PAIRS). */
int bt_sink_record(struct bt_sink *p, struct bt_out *out,
                   const struct bt_input *in, const void *data, size_t len,
                   struct bt_error *err) BT_MUST_USE;

/* After the last record: writes COUNT, VERIFY or STATS. BT_EFORMAT where there
 * were records and none had the feature of PAIRS. */
int bt_sink_end(struct bt_sink *p, struct bt_out *out,
                struct bt_error *err) BT_MUST_USE;

/* Records put so far, and what LEAK (of these) or PAIRS found. */
uint64_t bt_sink_count(const struct bt_sink *p);
uint64_t bt_sink_found(const struct bt_sink *p);

#endif

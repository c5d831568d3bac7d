/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the records that were chosen: they are written, as they are
 * or as JSON Lines, or something is found out about them and written in their
 * place.
 */
#ifndef BT_TASK_PUT_H
#define BT_TASK_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/out.h"
#include "task/source.h"

enum bt_put_what {
	BT_PUT_RECORDS,
	BT_PUT_JSON,
	BT_PUT_COUNT,
	BT_PUT_VERIFY,
	BT_PUT_STATS,
	BT_PUT_LEAK,
	BT_PUT_PAIRS
};

/* True where text comes in place of the records. */
static inline bool bt_put_is_report(enum bt_put_what what)
{
	return what > BT_PUT_JSON;
}

struct bt_put;

struct bt_put_opts {
	enum bt_put_what what;
	const char *leak;  /* the other file of LEAK */
	const char *field; /* the feature of PAIRS, a text */
	double near;       /* how alike they are at least (dedup/minhash.h) */
	size_t memory;     /* for their texts, the rest goes to a file */
};

/* The strings of opts are borrowed. */
int bt_put_new(const struct bt_put_opts *opts, struct bt_put **put,
               struct bt_error *err) BT_MUST_USE;
void bt_put_free(struct bt_put *p); /* takes NULL */

/* One record, to out or into what will be reported. in is where it was just
 * read, or NULL where that is no longer known (not for LEAK and PAIRS). */
int bt_put_record(struct bt_put *p, struct bt_out *out,
                  const struct bt_source *in, const void *data, size_t len,
                  struct bt_error *err) BT_MUST_USE;

/* After the last record: writes COUNT, VERIFY or STATS. BT_EFORMAT where there
 * were records and none had the feature of PAIRS. */
int bt_put_end(struct bt_put *p, struct bt_out *out,
               struct bt_error *err) BT_MUST_USE;

/* Records put so far, and what LEAK (of these) or PAIRS found. */
uint64_t bt_put_count(const struct bt_put *p);
uint64_t bt_put_found(const struct bt_put *p);

#endif

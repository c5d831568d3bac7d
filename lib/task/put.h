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
	BT_PUT_LEAK
};

/* True where text comes in place of the records. */
static inline bool bt_put_is_report(enum bt_put_what what)
{
	return what > BT_PUT_JSON;
}

struct bt_put;

/* leak: the other file of LEAK, borrowed. */
int bt_put_new(enum bt_put_what what, const char *leak, struct bt_put **put,
               struct bt_error *err) BT_MUST_USE;
void bt_put_free(struct bt_put *p); /* takes NULL */

/* One record, to out or into what will be reported. in is where it was just
 * read, or NULL where that is no longer known (not for LEAK). */
int bt_put_record(struct bt_put *p, struct bt_out *out,
                  const struct bt_source *in, const void *data, size_t len,
                  struct bt_error *err) BT_MUST_USE;

/* After the last record: writes COUNT, VERIFY or STATS. */
int bt_put_end(struct bt_put *p, struct bt_out *out,
               struct bt_error *err) BT_MUST_USE;

/* Records put so far and, of these, the ones that LEAK found. */
uint64_t bt_put_count(const struct bt_put *p);
uint64_t bt_put_found(const struct bt_put *p);

#endif

/* SPDX-License-Identifier: MIT */
/* A reader of records, shared by the strict way to go through a file
 * (tfrecord.c) and the one past damage (tfrecord_recover.c). */
#ifndef BT_FORMAT_TFRECORD_INT_H
#define BT_FORMAT_TFRECORD_INT_H

#include <stdbool.h>
#include <string.h>

#include "base/crc32c.h"
#include "format/tfrecord.h"
#include "io/in.h"

#define BT_TFRECORD_HEADER 12 /* length and its checksum */
#define BT_TFRECORD_FOOTER 4

struct bt_tfrecord {
	char *const *paths;
	int n_paths;
	int next_path;
	struct bt_in *in; /* NULL between files */
	char *file;       /* name of the last file, kept for messages */
	bool pipe;        /* it is one */
	uint64_t record;
	uint64_t total;
	uint64_t expected;   /* 0: any number */
	size_t pending;      /* bytes given out, skipped before more are read */
	const uint8_t *next; /* bytes that are there behind these, [have] */
	size_t have;
	struct bt_in_limit *limit;   /* or NULL */
	struct bt_tfrecord_sum *sum; /* or NULL */
	bool ahead;
	bt_in_idle_fn *idle; /* or NULL */
	void *idle_ctx;
	bool recover;
	const struct bt_log *log; /* of what was passed over, or NULL */
	bool damaged;             /* from byte lost_from on */
	uint64_t lost_from;
};

/* True if the masked checksum of the n bytes at p stands behind them. */
static inline bool bt_tfrecord_crc_holds(const uint8_t *p, size_t n)
{
	uint32_t crc;

	memcpy(&crc, p + n, sizeof(crc));
	return bt_crc32c_mask(bt_crc32c(0, p, n)) == crc;
}

/* As bt_tfrecord_next, within the open file and past damage. */
int bt_tfrecord_next_whole(struct bt_tfrecord *r, const uint8_t **data,
                           size_t *len, struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The work of tfrecord-cat: records read, chosen (recordset/filter.h), arranged
 * (recordset/order.h) and put (recordset/sink.h) into files that appear
 * together.
 */
#ifndef BT_RECORDSET_JOB_H
#define BT_RECORDSET_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "recordset/filter.h"
#include "recordset/input.h"
#include "recordset/sink.h"

struct bt_recordset_opts {
	struct bt_input_opts from;
	bool counts; /* expect is how many records there must be */
	uint64_t expect;

	struct bt_filter_opts choose;
	bool last; /* of the chosen ones only the last tail */
	uint64_t tail;

	bool shuffle;
	const char *split; /* "NAME=SHARE,..." or NULL */
	int shards, folds; /* or 0; of the three at most one */
	const char *stratify;
	uint64_t seed;
	size_t memory; /* for records kept, where they must be */

	struct bt_sink_opts put;
	const char *output; /* or the beginning of several names */
	int zstd;           /* level to compress it by, 0: not compressed */
	int threads;        /* for that, where there is one output */
	const struct bt_log *log;
};

#define BT_RECORDSET_OPTS_INIT                                                 \
	{                                                                      \
		.choose = BT_FILTER_OPTS_INIT,                                 \
		.memory = BT_RECORD_STORE_DEFAULT,                             \
		.put.memory = BT_RECORD_STORE_DEFAULT                          \
	}

/* What was done. */
struct bt_recordset_sum {
	uint64_t count;   /* records put */
	uint64_t dropped; /* as duplicates */
	uint64_t found;   /* by LEAK or PAIRS */
};

/* paths[0..n-1]; n = 0 is standard input. BT_EARG where an option makes no
 * sense. */
int bt_recordset(const struct bt_recordset_opts *opts, char *const *paths,
                 int n, struct bt_recordset_sum *sum,
                 struct bt_error *err) BT_MUST_USE;

#endif

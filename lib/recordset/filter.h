/* SPDX-License-Identifier: MIT */
/*
 * Which records of a stream go on: those for which conditions hold, of these
 * the first one of each value, of these a range.
 */
#ifndef BT_RECORDSET_FILTER_H
#define BT_RECORDSET_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "dedup/record_store.h"

struct bt_filter_opts {
	const char *const
	    *where; /* conditions (record/predicate.h), borrowed */
	int n_where;
	const char *dedupe; /* a feature whose values are to differ, or NULL */
	double near; /* texts in it: not be so alike (dedup/minhash.h), or 0 */
	size_t memory;     /* for the values, the rest goes to a file */
	uint64_t from, to; /* numbers from 0; to is the first one not meant */
};

#define BT_FILTER_OPTS_INIT                                                    \
	{                                                                      \
		.to = UINT64_MAX, .memory = BT_RECORD_STORE_DEFAULT            \
	}

struct bt_filter;

/* BT_EARG where a condition is none. */
int bt_filter_new(const struct bt_filter_opts *opts, struct bt_filter **choose,
                  struct bt_error *err) BT_MUST_USE;
void bt_filter_free(struct bt_filter *c); /* takes NULL */

/* 1: the record goes on; 0: it does not; else an error. */
int bt_filter_take(struct bt_filter *c, const void *data, size_t len,
                   struct bt_error *err) BT_MUST_USE;

/* True when no later record can go on. */
bool bt_filter_full(const struct bt_filter *c);

/* After the last record: BT_EFORMAT where there were records and none had the
 * feature of a condition or of dedupe. */
int bt_filter_end(const struct bt_filter *c, struct bt_error *err) BT_MUST_USE;

/* Records that dedupe has kept back. */
uint64_t bt_filter_dropped(const struct bt_filter *c);

/* Warns where some of these had another label than the record that went on. */
void bt_filter_tell(const struct bt_filter *c, const struct bt_log *log);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Where payloads come from: record files, or JSON Lines that become payloads
 * (record/recjson.h). Several inputs are read as if they were one.
 */
#ifndef BT_RECORDSET_INPUT_H
#define BT_RECORDSET_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "io/in.h"

enum bt_input_kind {
	BT_INPUT_RECORDS,
	BT_INPUT_RECOVER, /* records, past damage (bt_tfrecord_recover) */
	BT_INPUT_JSON
};

struct bt_input;

struct bt_input_opts {
	enum bt_input_kind kind;
	bool limited; /* max is the most that may be read, in bytes, */
	uint64_t max; /* of all inputs together, decompressed */
	const struct bt_log *log; /* for RECOVER, borrowed */
	bool ahead;               /* as bt_in_ahead, bt_out_behind */
	bt_in_idle_fn *idle;      /* as bt_in_idle, or NULL */
	void *idle_ctx;
};

/* paths[0..n-1] are borrowed; n = 0 is standard input. */
int bt_input_open(char *const *paths, int n, const struct bt_input_opts *opts,
                  struct bt_input **s, struct bt_error *err) BT_MUST_USE;
void bt_input_close(struct bt_input *s); /* takes NULL */

/* 1: *data is the next payload, borrowed until the next call; 0: no more. */
int bt_input_next(struct bt_input *s, const uint8_t **data, size_t *len,
                  struct bt_error *err) BT_MUST_USE;

/* The file of the last payload for messages, and its number in it, from 1: of
 * the record or of the line. */
const char *bt_input_file(const struct bt_input *s);
uint64_t bt_input_record(const struct bt_input *s);

/* Payloads read from all files so far. */
uint64_t bt_input_total(const struct bt_input *s);

/* Puts the file and the number before the text in err, unless it is one of
 * memory or of temporary files; returns err's code. */
int bt_input_blame(const struct bt_input *s, struct bt_error *err);

#endif

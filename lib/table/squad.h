/* SPDX-License-Identifier: MIT */
/*
 * Questions that a text answers into text records: JSON as SQuAD's (data,
 * paragraphs, context, qas; or data with a question in each element), or JSON
 * Lines, Parquet or CSV with a question in each. Features of a record:
 * answer_starts, answers (where they are known), context, id, question, title
 * (where there is one).
 */
#ifndef BT_TABLE_SQUAD_H
#define BT_TABLE_SQUAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/span.h"
#include "io/in.h"
#include "io/out.h"

struct bt_squad_opts {
	bool no_answers; /* leave them out */
	bool realign;    /* an answer that does not stand at its answer_start is
	                  * taken from the nearest place where it does */
	bool unchecked;  /* answers are taken as they are, wherever they stand
	                  * and whatever is_impossible says */
	bt_in_idle_fn *idle; /* as bt_in_idle, or NULL */
	void *idle_ctx;
};

struct bt_squad_stats {
	uint64_t questions, unknown; /* unknown: without a list of answers */
	uint64_t impossible;         /* with an empty one */
	uint64_t realigned;          /* answers */
	uint64_t repeated; /* answers without a place that have several */
	uint64_t same_id;  /* that have the id of an earlier one */
};

/* A question; borrowed for the call that takes it. */
struct bt_squad_question {
	struct bt_span id, question, context;
	struct bt_span title; /* p NULL: none */
	bool known;           /* there is a list of answers, perhaps empty */
	bool impossible;      /* is_impossible says so */
	const struct bt_span *answer; /* [n] */
	const int64_t *start;         /* [n] code points */
	size_t n;
};

/* Takes a question. What it finds wrong with it is BT_EFORMAT. */
typedef int (*bt_squad_take)(void *arg, const struct bt_squad_question *q,
                             struct bt_error *err);

/* Reads the files (none: standard input) and hands each question on; warns of
 * ids that come again. What is wrong is BT_EFORMAT with the file and the
 * question. A file that is one JSON text is held in memory, of JSON Lines a
 * line. */
int bt_squad_read(char *const *paths, int n, const struct bt_squad_opts *opts,
                  bt_squad_take take, void *arg, const struct bt_log *log,
                  struct bt_squad_stats *stats,
                  struct bt_error *err) BT_MUST_USE;

/* Reads the files likewise and writes a text record for each question. */
int bt_squad_convert(char *const *paths, int n,
                     const struct bt_squad_opts *opts, struct bt_out *out,
                     const struct bt_log *log, struct bt_squad_stats *stats,
                     struct bt_error *err) BT_MUST_USE;

#endif

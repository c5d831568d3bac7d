/* SPDX-License-Identifier: MIT */
/*
 * Questions that a text answers into text records: JSON as SQuAD's (data,
 * paragraphs, context, qas; or data with a question in each element), or JSON
 * Lines with a question in each. Features of a record: answer_starts, answers
 * (where they are known), context, id, question, title (where there is one).
 */
#ifndef BT_TABLE_SQUAD_H
#define BT_TABLE_SQUAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "io/out.h"

struct bt_squad_opts {
	bool no_answers; /* leave them out */
	bool realign;    /* an answer that does not stand at its answer_start is
	                  * taken from the nearest place where it does */
};

struct bt_squad_stats {
	uint64_t questions, unknown; /* unknown: without a list of answers */
	uint64_t impossible;         /* with an empty one */
	uint64_t realigned;          /* answers */
};

/* Reads the files (none: standard input) and writes their records; warns of ids
 * that come again. What is wrong is BT_EFORMAT with the file and the question.
 * A file that is one JSON text is held in memory, of JSON Lines a line. */
int bt_squad_convert(char *const *paths, int n,
                     const struct bt_squad_opts *opts, struct bt_out *out,
                     const struct bt_log *log, struct bt_squad_stats *stats,
                     struct bt_error *err) BT_MUST_USE;

#endif

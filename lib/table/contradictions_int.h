/* SPDX-License-Identifier: MIT */
/*
 * Rows with a text that an earlier row has with another label. A text is
 * remembered by a hash of 64 bits, with its first row and a hash of the label
 * there, in 16 bytes of a table that is at most 4/5 full.
 */
#ifndef BT_TABLE_CONTRADICTIONS_INT_H
#define BT_TABLE_CONTRADICTIONS_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/log.h"
#include "record/record.h"

#define BT_CONTRADICTIONS_FIRST 50000 /* rows, unless all are asked for */

struct bt_contradiction_slot;

struct bt_contradictions {
	bool on, all; /* false: nothing is remembered; only of the first rows */
	bool dropped; /* rows with an earlier text are not in the output */
	bool partial; /* rows, or texts, were not looked at */
	char *const *paths; /* of the files; NULL: standard input */
	uint64_t *begins;   /* [n_begun] rows before each file */
	size_t n_begun, cap;
	struct bt_contradiction_slot *slot; /* [slots] */
	size_t slots, used;
	uint64_t texts, rows;      /* that contradict; rows without the first */
	uint64_t first, second;    /* rows of the first text that does */
	uint64_t hash, label, row; /* the row at hand; row 0: there is none */
};

void bt_contradictions_clear(struct bt_contradictions *c);

/* Another file begins, behind so many rows. */
void bt_contradictions_file(struct bt_contradictions *c, uint64_t rows);

/* Row `row` of the file, from 1, becomes the one at hand. It is looked up only
 * by the next function: the memory for that arrives in the meantime. */
void bt_contradictions_note(struct bt_contradictions *c,
                            const struct bt_text_rec *rec, uint64_t row);

/* Looks up the row at hand, if there is one. Returns the earlier row with
 * another label, counted over all files, or 0. */
uint64_t bt_contradictions_check(struct bt_contradictions *c);

/* Appends "kept: row 3 has this text with another label": what the rejects say
 * of a row of the last file. */
void bt_contradictions_put(const struct bt_contradictions *c, uint64_t row,
                           struct bt_buf *b);

/* Warns of all, with the first as an example; rejects is the file that lists
 * them, or NULL. */
void bt_contradictions_tell(const struct bt_contradictions *c,
                            const char *rejects, const struct bt_log *log);

#endif

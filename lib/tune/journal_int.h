/* SPDX-License-Identifier: MIT */
/* The file of a search, a JSON object on each line: first what the search is
 * of, then a line for each time that a trial was measured, last what came of
 * it. */
#ifndef BT_TUNE_JOURNAL_INT_H
#define BT_TUNE_JOURNAL_INT_H

#include <jansson.h>

#include "io/append.h"

struct bt_tune_journal {
	char *path;
	struct bt_append *to;
	json_t *head;   /* NULL: the file is empty */
	json_t **line;  /* [n] of trials */
	json_t *result; /* NULL: the search is not over */
	size_t n, cap;
	uint64_t size; /* bytes of whole lines */
};

/* Reads what there is. j is zero. */
int bt_tune_journal_open(struct bt_tune_journal *j, const char *dir,
                         struct bt_error *err) BT_MUST_USE;
void bt_tune_journal_clear(struct bt_tune_journal *j);

/* Forgets it all, and removes the file. */
void bt_tune_journal_forget(struct bt_tune_journal *j);

/* Adds a line, which is then the journal's; NULL: out of memory. */
int bt_tune_journal_add(struct bt_tune_journal *j, json_t *line,
                        struct bt_error *err) BT_MUST_USE;

/* The line of a trial, from 1, at that share; or NULL. */
const json_t *bt_tune_journal_find(const struct bt_tune_journal *j,
                                   size_t trial, double share);

#endif

/* SPDX-License-Identifier: MIT */
/* Answers to questions that stand in a file, as SQuAD's scripts take them: a
 * JSON object with a text for each id, "" where the question is taken for
 * unanswerable. Memory holds the files. */
#ifndef BT_EVALUATE_ANSWER_FILE_H
#define BT_EVALUATE_ANSWER_FILE_H

#include <stdbool.h>

#include "base/log.h"
#include "format/tfrecord.h"
#include "metrics/metrics.h"

/* Whether a file begins as a JSON object does. */
int bt_answer_file_is(const char *path, bool *is,
                      struct bt_error *err) BT_MUST_USE;

struct bt_answer_file_opts {
	const char *answers; /* path */
	const char
	    *null_odds;       /* of an object with a number for each id, the
	                       * higher the less likely is an answer; or NULL */
	char *const *records; /* [n_records] text or token records */
	int n_records;
	uint64_t expect;             /* records; 0: any number */
	struct bt_tfrecord_sum *sum; /* they are added to it; or NULL */
	const struct bt_log *log; /* warns of ids that do not match; or NULL */
};

/*
 * Adds the answers to all questions of the records, windows of a text as one,
 * to metrics of questions. One that is missing is wrong; ids that no record has
 * are passed over. *unlabelled is set to the number of questions whose answers
 * the records do not have.
 */
int bt_answer_file_score(const struct bt_answer_file_opts *o,
                         struct bt_metrics *m, uint64_t *unlabelled,
                         struct bt_error *err) BT_MUST_USE;

#endif

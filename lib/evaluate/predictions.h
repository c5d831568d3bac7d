/* SPDX-License-Identifier: MIT */
/* Predictions that stand in files, beside the labels of records: what a model
 * would put out, without one. Memory holds the files and the labels. */
#ifndef BT_EVALUATE_PREDICTIONS_H
#define BT_EVALUATE_PREDICTIONS_H

#include "base/log.h"
#include "finetune/dataset.h"
#include "metrics/metrics.h"
#include "record/windows.h"
#include "task/task.h"

struct bt_predictions_opts {
	const char *const *files; /* [n_files]; their values are averaged */
	size_t n_files;
	const char *separator; /* stands between several labels of an answer;
	                        * NULL: a blank */
	const struct bt_task *task; /* NULL: what the first file says, several
	                             * labels with a separator, or what the
	                             * first label looks like */
	char *const *records;       /* [n_records] token records */
	int n_records;
	uint64_t expect; /* records; 0: any number */
	/* called, unless it is NULL, for each record, as bt_predict_stream_opts
	 * has it; k counts all of them */
	int (*look)(void *ctx, size_t k, uint64_t number, const void *data,
	            size_t len, struct bt_error *err);
	void *look_ctx;
	enum bt_windows_join windows; /* but EACH: a text has one row */
};

struct bt_predictions {
	const struct bt_task *task, *guess; /* the task if it was guessed */
	const char *separator;
	struct bt_labels labels; /* in the order of the first file's columns */
	enum bt_metrics_output output;
	struct bt_dataset data; /* the records' ids and labels, no tokens */
	float *value;           /* [data.n][labels.n] */
	/* rows that predict something else than is likeliest, or likelier than
	 * .5 */
	uint64_t differ;
};

/*
 * Reads records and files. Rows belong to records by their ids, where both have
 * some, else by their order. BT_EFORMAT where they do not match one to one.
 */
int bt_predictions_read(const struct bt_predictions_opts *o,
                        struct bt_predictions *p,
                        struct bt_error *err) BT_MUST_USE;
void bt_predictions_clear(struct bt_predictions *p);

#endif

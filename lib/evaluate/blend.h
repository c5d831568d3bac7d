/* SPDX-License-Identifier: MIT */
/* Files of predictions of the same texts, averaged and written as those of a
 * model are. Memory holds two files at a time, and their mean. */
#ifndef BT_EVALUATE_BLEND_H
#define BT_EVALUATE_BLEND_H

#include "predict/predict.h"
#include "task/task.h"

struct bt_blend_opts {
	const char *const *files; /* [n_files] as evaluate/prediction_file.h has
	                           * them */
	size_t n_files;
	/* what they predict; NULL: as the first says, a tensor stream */
	const struct bt_task *task;
	const double *weights; /* [n_files], or NULL: all count alike */
	bool ranks; /* what is averaged is the rank of a text among all, from 0
	             * to 1, of each label, or number, by itself */
	const char *output;            /* path; NULL: standard output */
	struct bt_predict_opts labels; /* the form is set here */
	const struct bt_log *log;      /* or NULL */
};

/*
 * Averages probabilities, numbers, or ranks, in the order of the first file's
 * rows and labels, and writes what follows from that. Rows are matched by their
 * ids or, where no file has any, in order. BT_EFORMAT where the files do not
 * have the same ids or labels, BT_EARG where an option makes no sense.
 */
int bt_blend(const struct bt_blend_opts *o, struct bt_error *err) BT_MUST_USE;

#endif

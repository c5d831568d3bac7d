/* SPDX-License-Identifier: MIT */
/*
 * A search for settings within a budget: the settings as given are trained
 * first, then others by successive halving (tune/plan.h), as many at a time as
 * the rest of the budget is enough for, until it is not enough for one more.
 * The model that the metric of evaluation likes best becomes that of the
 * directory.
 *
 * Trials are trained in the directory, in trial-1, trial-2 ..., of which those
 * are kept that may still be needed. The file of the search has a line for each
 * time that a trial was measured. What it has is not done again: the search is
 * a function of its settings and of that file.
 */
#ifndef BT_TUNE_TUNE_H
#define BT_TUNE_TUNE_H

#include "base/command.h"
#include "train/job.h"
#include "tune/space.h"

#define BT_TUNE_FILE "tune.jsonl"

struct bt_tune_opts {
	double minutes; /* of all trainings; or 0 and */
	int64_t steps;  /* updates of all */
	uint64_t seed;
	struct bt_tune_space space;
	const struct bt_tool *tool;
	struct bt_command command; /* that trains as given, into the directory
	                            */
	const char *same; /* in words, what a search that is gone on with has in
	                   * common with the earlier one */
	bool force;       /* a finished model in the directory is replaced */
	bool anew;        /* an unfinished search is */
	const struct bt_log *log;

	/* Sets *job to what a command says; what it refers to is the
	 * command's. BT_EARG where its options make no sense. */
	int (*job)(void *ctx, const struct bt_command *c,
	           struct bt_job_opts *job, struct bt_error *err);
	/* Called with each line of the table. */
	void (*print)(void *ctx, const char *line);
	void *ctx;
};

/* BT_EARG for a space with values that the command cannot take. */
int bt_tune_check(struct bt_tune_opts *o, struct bt_error *err) BT_MUST_USE;

/*
 * Does it all. *end is that of the run that was stopped, or the last. BT_EARG
 * for a space with values that the command cannot take, and for a budget that
 * one training exceeds.
 */
int bt_tune_run(struct bt_tune_opts *o, struct bt_train_result *end,
                struct bt_error *err) BT_MUST_USE;

/* The standard error of a metric of n examples: of a share p
 * sqrt(p (1 - p) / n), of a correlation r (1 - r^2) / sqrt(n - 1), of the mean
 * of squares m, whose errors are normal, m sqrt(2 / n). NaN of other metrics.
 */
double bt_tune_standard_error(const char *metric, double value, size_t n);

#endif

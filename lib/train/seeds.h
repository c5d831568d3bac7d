/* SPDX-License-Identifier: MIT */
/* The same training with several seeds: how much chance decides. */
#ifndef BT_TRAIN_SEEDS_H
#define BT_TRAIN_SEEDS_H

#include "train/job.h"

/* What the runs came to, beside their models. */
#define BT_SEEDS_FILE "seeds.json"

struct bt_seeds {
	size_t n;
	uint64_t first;     /* they are first, first + 1 ... */
	const char *metric; /* of all */
	char *then;         /* that of earlier runs, or NULL */
	json_t *inputs;     /* bt_job_inputs */
	double *value;      /* [n] the metric of the model that was kept; NaN:
	                     * it is undefined */
	bool *done;         /* [n] whether it is there */
	double mean;
	double deviation; /* the square root of the unbiased variance */
	size_t best;      /* of them, the first of equal ones; n: the metric is
	                   * undefined for all */
};

/*
 * Trains a model for each seed that the file does not have, or with force for
 * all, into o->train.out/seed-SEED, and goes on with one that was stopped,
 * unless they are to begin anew. s->n and first are set before. There must be
 * records to evaluate on. An end of *end but BT_TRAIN_ALL and _NO_BETTER is
 * that of a run that was stopped.
 */
int bt_seeds_run(struct bt_seeds *s, const struct bt_job_opts *o, bool force,
                 bool anew, struct bt_train_result *end,
                 struct bt_error *err) BT_MUST_USE;
void bt_seeds_clear(struct bt_seeds *s);

void bt_seeds_report(const struct bt_seeds *s, struct bt_buf *b);

/* The same for programs. */
void bt_seeds_facts(const struct bt_seeds *s, struct bt_summary *to);

#endif

/* SPDX-License-Identifier: MIT */
/* What a configuration asks of this machine: the job, and what goes on around
 * it. */
#ifndef BT_GARDEN_EXPERIMENT_JOB_INT_H
#define BT_GARDEN_EXPERIMENT_JOB_INT_H

#include <jansson.h>

#include "garden/config.h"
#include "garden/file_patterns.h"
#include "garden/lr_schedule.h"
#include "train/job.h"

enum bt_experiment_job_metric {
	BT_EXPERIMENT_JOB_ACCURACY,
	BT_EXPERIMENT_JOB_F1,
	BT_EXPERIMENT_JOB_MCC,
	BT_EXPERIMENT_JOB_CORRELATION, /* mean of Pearson's and Spearman's */
	BT_EXPERIMENT_JOB_TAGS         /* F1, precision, recall, accuracy */
};

struct bt_experiment_job {
	struct bt_lr_schedule rate;
	struct bt_file_patterns train, eval;
	struct bt_optim_opts optim;
	int classes; /* or tags; 1: a number */
	/* classification, regression, tagging, qa */
	const struct bt_task *task;
	char *tags; /* their names, with commas between; or NULL */
	enum bt_experiment_job_metric metric;
	int64_t train_steps, steps_per_loop;
	int64_t eval_interval, eval_steps; /* eval_steps -1: all */
	int64_t eval_batch;
	double loss_bound;
	int64_t bound_from; /* updates */
	int64_t recoveries;
	const char *best_in; /* directory below the model's; "": none */
	const char *best_by; /* "cls_accuracy" */
	bool best_falls;
};

/*
 * Fails with BT_EARG, naming the key, for what asks for something that is not
 * built or for what makes no sense. trains, evaluates: what the mode needs.
 */
int bt_experiment_job_check(const struct bt_garden *c, bool trains,
                            bool evaluates, const struct bt_log *log,
                            struct bt_error *err) BT_MUST_USE;

/* Fills p, whose strings are the configuration's; bt_experiment_job_clear frees
 * the rest. The files of the data are looked for. */
int bt_experiment_job_make(const struct bt_garden *c, bool trains,
                           bool evaluates, struct bt_experiment_job *p,
                           struct bt_error *err) BT_MUST_USE;
void bt_experiment_job_clear(struct bt_experiment_job *p);

/* Whether words are tagged. */
bool bt_experiment_job_tags(const struct bt_garden *c);
/* Whether its task is to answer questions (experiment_squad.c), which has other
 * keys than classification. */
bool bt_experiment_squad(const struct bt_garden *c);

/* Its own keys; one of the two sets of data, whose keys begin with `at`; and
 * whether a metric of that name is reported. */
void bt_experiment_squad_check(const struct bt_garden *c, struct bt_error *err);
void bt_experiment_squad_check_data(const struct bt_garden *c, const char *at,
                                    struct bt_error *err);
bool bt_experiment_squad_measures(const struct bt_garden *c, const char *name);

/* The optimizer alone (experiment_job_optim.c). */
int bt_experiment_job_optim(const struct bt_garden *c, struct bt_optim_opts *o,
                            struct bt_error *err) BT_MUST_USE;

/* The encoder as bert_config.json has it. */
json_t *bt_experiment_job_encoder(const struct bt_garden *c);

#endif

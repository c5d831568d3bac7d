/* SPDX-License-Identifier: MIT */
/*
 * Model Garden's run_glue: an experiment "bert/sentence_prediction" whose
 * configuration is made from the name of a task of GLUE, the meta data and a
 * few flags; and predictions in the form that the benchmark's server takes.
 *
 * The model that is best by the task's measure is kept in DIR/best_ckpt, and
 * predicts.
 */
#ifndef BT_GARDEN_GLUE_H
#define BT_GARDEN_GLUE_H

#include "base/opt.h"
#include "base/span.h"
#include "garden/config.h"
#include "garden/experiment.h"

#define BT_GLUE_TASKS "AX|COLA|MNLI|MRPC|QNLI|QQP|RTE|SST-2|STS-B|WNLI"

struct bt_glue {
	const char *task;      /* one of BT_GLUE_TASKS */
	const char *meta_data; /* file */
	const char *encoder;   /* bert_config.json, or NULL: as configured */
	const char *train, *eval, *test; /* patterns, or NULL */
	const char *predictions;         /* file to write, or NULL */
	const char *dir, *init;          /* init: checkpoint, or NULL */
	const char *hub;                 /* module of TensorFlow Hub, or NULL */
	const struct bt_opt_list *files; /* of the configuration; with any the
	                                  * flags above and below are not used
	                                  * for it */
	int64_t batch, epochs, evals_per_epoch;
	double rate, warmup; /* warmup: share of the updates */
};

/* The task's classes in the order of their numbers, NULL behind the last; NULL
 * where it has none. */
const char *const *bt_glue_classes(const char *task);

/* How many those are; 1 where a number is predicted. */
int bt_glue_width(const char *task);

/* The configuration of the experiment, checked. *c is the caller's to free. */
int bt_glue_configure(const struct bt_glue *g, struct bt_garden **c,
                      struct bt_error *err) BT_MUST_USE;

/* Predicts g->test's records by the best model of e->dir on e->devices, in the
 * order of their example_id, into g->predictions. */
int bt_glue_predict(const struct bt_glue *g, const struct bt_experiment *e,
                    struct bt_error *err) BT_MUST_USE;

/*
 * The leaderboard's zip: a file of predictions for each test set, all eleven in
 * one archive.
 */
struct bt_glue_zip {
	const char *dir;    /* with CoLA.tsv, SST-2.tsv and so on */
	const char *output; /* the archive */
	const char *fill;   /* "WNLI=0,AX=neutral": what stands in each row of a
	                     * file that is missing; or NULL */
	bool any_size;      /* files may have fewer or more rows than the test
	                     * sets */
	const struct bt_log *log;
};

/* A test set. */
struct bt_glue_set {
	const char *name; /* of its file, without ".tsv" */
	const char *task; /* one of BT_GLUE_TASKS */
	size_t rows;
};

/* Ends with one whose name is NULL. */
extern const struct bt_glue_set bt_glue_sets[];

/* Checks the text of a file of predictions: its header, that rows are numbered
 * from 0, that each has one of the task's classes or a number from 0 to 5;
 * rows: how many there must be, or SIZE_MAX. The error names the line. */
int bt_glue_check(const struct bt_glue_set *set, struct bt_span text,
                  size_t rows, struct bt_error *err) BT_MUST_USE;

/* Checks all files and writes the archive. A warning names every file that is
 * missing or wrong; then nothing is written. */
int bt_glue_zip(const struct bt_glue_zip *z, struct bt_error *err) BT_MUST_USE;

#endif

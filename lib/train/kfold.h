/* SPDX-License-Identifier: MIT */
/*
 * Cross-validation: a model for each of K folds of the records, trained on the
 * other folds, which then predicts it. No fold has a part in the training or
 * the choice of the model that predicts it.
 */
#ifndef BT_TRAIN_KFOLD_H
#define BT_TRAIN_KFOLD_H

#include "train/job.h"

/* What is written beside the models, which are in fold-1 ... fold-K: a tensor
 * stream with the logits of all records, in their order; and the metrics. */
#define BT_KFOLD_PREDICTIONS "out-of-fold.ts"
#define BT_KFOLD_METRICS "folds.json"

struct bt_kfold_values {
	const char *name; /* of a metric */
	double *value;    /* [folds] */
	double mean;
	double deviation; /* the square root of the unbiased variance */
	double all;       /* of the predictions of all folds together */
};

struct bt_kfold_result {
	int folds;
	struct bt_kfold_values *metric; /* [metrics] */
	size_t metrics;
	size_t texts;
};

/*
 * Trains the models that are not finished in o->train.out,one for each fold,
 * all of them with force, and goes on with one that was stopped, unless they
 * are to begin anew; then predicts each fold, writes the files
 * and sets *res. An end of *end but BT_TRAIN_ALL and _NO_BETTER is that of a
 * fold that was stopped: there is nothing in *res.
 */
int bt_kfold_run(const struct bt_job_opts *o, bool force, bool anew,
                 struct bt_train_result *end, struct bt_kfold_result *res,
                 struct bt_error *err) BT_MUST_USE;
void bt_kfold_clear(struct bt_kfold_result *res);

void bt_kfold_report(const struct bt_kfold_result *res, struct bt_buf *b);

/* The same for programs. */
void bt_kfold_facts(const struct bt_kfold_result *res, struct bt_summary *s);

#endif

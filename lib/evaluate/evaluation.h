/* SPDX-License-Identifier: MIT */
/* The evaluation of a model, or of predictions in files, on labelled records:
 * metrics and, of models, reports. */
#ifndef BT_EVALUATE_EVALUATION_H
#define BT_EVALUATE_EVALUATION_H

#include "evaluate/answers.h"
#include "evaluate/bootstrap.h"
#include "evaluate/calibrate.h"
#include "evaluate/coverage.h"
#include "evaluate/predictions.h"
#include "evaluate/report.h"
#include "evaluate/tune_threshold.h"

/* Bytes of probabilities that are kept for ROC AUC and average precision,
 * unless these are asked for. */
#define BT_EVALUATION_KEEP ((size_t)32 << 20)

struct bt_evaluation_opts {
	/* the model and how it runs; its labels, look are set here. Without a
	 * model its log, expect and windows are those of: */
	struct bt_predict_stream_opts stream;
	const char *const *files; /* [n_files] of predictions; borrowed */
	size_t n_files;
	const struct bt_task *task; /* of these, or NULL */
	const char *separator;      /* of several labels there, or NULL */
	const char *null_odds;      /* beside answers, or NULL */
	char *const *records;       /* [n_records]; none: standard input */
	int n_records;
	struct bt_answers_opts answers; /* its requirements are for all tasks */
	bool google; /* answers of a model are found as run_squad does */
	struct bt_report_opts report; /* its issues are set here */
	size_t truncate_dim;          /* values of embeddings that are
	                               * compared, the first; 0: all */
	bool issues;                  /* look for them */
	const char *threshold;        /* or NULL */
	const char *scheme;           /* of tags, or NULL */
	/* keep what thresholds are found by, for this goal; or NULL. Borrowed
	 */
	const struct bt_threshold_goal *tune;
	bool fits;            /* keep the outputs, which are not calibrated */
	bool covers;          /* keep the outputs */
	bool agrees;          /* keep them, to compare what they predict */
	size_t samples;       /* for confidence intervals; 0: none */
	const char *group_by; /* feature of which all examples with a value
	                       * are drawn together, or NULL */
};

/* Zero is not open. Not to be moved while it is. */
struct bt_evaluation {
	struct bt_evaluation_opts o;
	struct bt_predict_stream s;
	struct bt_predictions p;
	const struct bt_task *task; /* of s or p */
	const struct bt_labels *labels;
	struct bt_metrics m;
	struct bt_answers answers; /* of m, where it is of questions */
	bool answer_file;          /* the files are of such answers */
	double *bound;             /* [labels] of m; or NULL */
	struct bt_scores scores;   /* likewise; unused where its n is 0 */
	struct bt_report report;
	struct bt_label_issues issues;
	struct bt_outputs outputs; /* if these are needed */
	struct bt_bootstrap intervals;
	struct bt_groups groups; /* that these are drawn by */
	uint64_t unlabelled;
	struct bt_tfrecord_sum sum; /* of the records */
};

/* Opens the model, or reads the predictions: the task is known. */
int bt_evaluation_open(struct bt_evaluation *v,
                       const struct bt_evaluation_opts *o,
                       struct bt_error *err) BT_MUST_USE;
void bt_evaluation_close(struct bt_evaluation *v);

/* BT_EARG where the task lacks what was asked for. No labelled record is an
 * error. */
int bt_evaluation_run(struct bt_evaluation *v,
                      struct bt_error *err) BT_MUST_USE;

/* Appends the report; or as JSON, of which NULL is out of memory. */
void bt_evaluation_print(struct bt_evaluation *v, struct bt_buf *out);
json_t *bt_evaluation_json(struct bt_evaluation *v);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Measures of a classifier, as scikit-learn defines them: classes present in
 * truth or prediction count; 0/0 is 0; macro is the plain mean over those
 * classes, weighted the mean by true count. And of a model that predicts
 * numbers, as scikit-learn and SciPy define them.
 */
#ifndef BT_TASK_METRICS_H
#define BT_TASK_METRICS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "task/labels.h"

struct bt_metrics {
	int classes;
	uint64_t *count; /* [truth][prediction] */
	uint64_t n;      /* examples */
	double loss_sum; /* of their cross entropies */

	/* of numbers: */
	bool number;
	double *truth, *guess; /* [n] */
	size_t truth_cap, guess_cap;
};

int bt_metrics_init(struct bt_metrics *m, int classes,
                    struct bt_error *err) BT_MUST_USE;
/* The same for numbers. */
void bt_metrics_init_number(struct bt_metrics *m);
void bt_metrics_clear(struct bt_metrics *m);
void bt_metrics_reset(struct bt_metrics *m);

/* One example: its class and the logits; the largest logit predicts, the first
 * of equal ones. */
void bt_metrics_add(struct bt_metrics *m, int truth, const float *logits);

/* One example of numbers. */
int bt_metrics_add_number(struct bt_metrics *m, double truth, double guess,
                          struct bt_error *err) BT_MUST_USE;

struct bt_class_metrics {
	double precision, recall, f1;
	uint64_t support, predicted;
};

void bt_metrics_class(const struct bt_metrics *m, int k,
                      struct bt_class_metrics *c);

enum bt_measured { BT_MEASURED_ANY, BT_MEASURED_CLASSES, BT_MEASURED_NUMBERS };

struct bt_metrics_summary {
	enum bt_measured of; /* which of these are set; ANY: none, all names
	                      * are known */
	double loss, accuracy;
	double macro_precision, macro_recall, macro_f1;
	double weighted_precision, weighted_recall, weighted_f1;
	double mcc; /* Matthews correlation */

	/* of numbers; the loss is the mse */
	double mse, mae; /* mean squared, absolute error */
	double r2;       /* coefficient of determination */
	double pearson, spearman;
	double pearson_spearman; /* mean of both: GLUE's */
};

/* Makes the summary; BT_ENOMEM for numbers alone. */
void bt_metrics_summary(const struct bt_metrics *m,
                        struct bt_metrics_summary *s);

/* A measure by name ("accuracy", "weighted_f1", ...); dashes count as
 * underscores. BT_EARG for a name that is unknown or of the other kind. */
int bt_metrics_find(const struct bt_metrics_summary *s, const char *name,
                    double *value, struct bt_error *err) BT_MUST_USE;

/* The name of measure i = 0, 1, ... and its value; NULL behind the last. */
const char *bt_metrics_name(size_t i, const struct bt_metrics_summary *s,
                            double *value);

/* True if a larger value of that measure is worse. */
bool bt_metrics_falls(const char *name);

/* The report as text: a line a class, averages, accuracy and loss; with
 * confusion also the pairs of classes most often taken for one another. */
void bt_metrics_report(const struct bt_metrics *m, const struct bt_labels *l,
                       int confusions, struct bt_buf *out);

/* The report as a JSON object, with the whole confusion matrix. NULL when out
 * of memory; the caller json_decref()s it. */
json_t *bt_metrics_json(const struct bt_metrics *m, const struct bt_labels *l);

#endif

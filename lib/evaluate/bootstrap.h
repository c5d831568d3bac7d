/* SPDX-License-Identifier: MIT */
/*
 * Confidence intervals of metrics [Efron 1979]: from samples as large as the
 * set of examples, drawn from it with replacement, the metrics of each; an
 * interval goes from one percentile of these to another, between two values
 * linearly, as numpy.percentile has it.
 *
 * Element j of sample b is example
 *	bt_random_below(seed, BT_PURPOSE_RESAMPLE, b, j, n)
 * An example is a text, with all of its words, or a question; where examples
 * have groups, these are drawn, with all of their examples.
 */
#ifndef BT_EVALUATE_BOOTSTRAP_H
#define BT_EVALUATE_BOOTSTRAP_H

#include "base/pool.h"
#include "evaluate/outputs.h"

/* Metrics that rank more than two classes are left out where examples, classes
 * and samples multiply to more. */
#define BT_BOOTSTRAP_RANKED 1e8

#define BT_BOOTSTRAP_LEVEL .95

struct bt_bootstrap_opts {
	size_t samples; /* 0: none */
	uint64_t seed;
	int threads;
	const char *scheme; /* of tags, or NULL */
	const struct bt_labels *labels;
};

struct bt_interval {
	const char *name; /* of a metric */
	double value;     /* that of the examples themselves */
	double lo, hi;    /* NaN where no sample has the metric */
};

struct bt_bootstrap {
	size_t samples, n; /* of n examples, or groups, each */
	bool grouped;
	struct bt_interval *interval;
	size_t n_intervals;
	bool unranked; /* metrics were left out */
};

/* BT_EARG where the kind of metrics is not a matter of single examples. */
int bt_bootstrap_check(const struct bt_metrics_kind *kind,
                       struct bt_error *err) BT_MUST_USE;

/* m has the examples' metrics and, of questions, the examples; else these are
 * in o. Zero b is none. */
int bt_bootstrap(struct bt_bootstrap *b, const struct bt_bootstrap_opts *opts,
                 const struct bt_metrics *m, const struct bt_outputs *o,
                 struct bt_error *err) BT_MUST_USE;
void bt_bootstrap_clear(struct bt_bootstrap *b);

void bt_bootstrap_report(const struct bt_bootstrap *b, struct bt_buf *out);
json_t *bt_bootstrap_json(const struct bt_bootstrap *b);

#endif

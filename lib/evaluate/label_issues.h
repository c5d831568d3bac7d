/* SPDX-License-Identifier: MIT */
/*
 * Examples whose labels are probably wrong, by confident learning [Northcutt et
 * al. 2021, "Confident Learning: Estimating Uncertainty in Dataset Labels"],
 * found and ordered as cleanlab 2 does (find_label_issues with filter_by
 * "confident_learning", ranked by self-confidence). All examples are kept:
 * their probabilities, ids and texts.
 */
#ifndef BT_EVALUATE_LABEL_ISSUES_H
#define BT_EVALUATE_LABEL_ISSUES_H

#include <jansson.h>

#include "base/buf.h"
#include "base/log.h"
#include "finetune/dataset.h"
#include "metrics/metrics.h"
#include "task/task.h"

struct bt_label_issues_record;

struct bt_label_issues {
	const struct bt_labels *labels; /* borrowed */
	enum bt_metrics_output output;
	struct bt_buf bytes;                   /* of ids and texts */
	struct bt_label_issues_record *record; /* [n] */
	float *p; /* [added][labels] probabilities */
	size_t n, added, cap, p_cap;
	size_t block;      /* the record that example 0 of the data set is */
	bool pairs, texts; /* some record has two texts; one */
};

/* Zero is empty. */
void bt_label_issues_clear(struct bt_label_issues *s);

/* Before the first example; texts may have been noted. labels are borrowed and
 * stay. BT_EARG where the task is not that of one class, or outputs have no
 * probabilities. */
int bt_label_issues_init(struct bt_label_issues *s, const struct bt_task *task,
                         const struct bt_labels *labels,
                         enum bt_metrics_output output,
                         struct bt_error *err) BT_MUST_USE;

/* Notes the texts of the next record that is read, labelled or not
 * (bt_predict_stream_opts.look); k is 0 for the first one of a data set. */
int bt_label_issues_look(void *ctx, size_t k, uint64_t number, const void *data,
                         size_t len, struct bt_error *err);

/* Example k of d, which has a label and was looked at, with the output for each
 * class. It is text i, from 0, which names it if it has no id. */
int bt_label_issues_add(struct bt_label_issues *s, uint64_t i,
                        const struct bt_dataset *d, size_t k,
                        const float *output, struct bt_error *err) BT_MUST_USE;

/*
 * Writes the issues as CSV, with tabs where the name ends in .tsv, the least
 * probable label first, equal ones in input order; and tells how many there are
 * and which labels they mix up.
 *
 * The threshold t(k) of class k is the mean probability p(k) of the examples
 * with that label. An example with label y is an issue where p(k) >= t(k) for
 * some class, k is the only such class or else the likeliest of all, k is not
 * y, and y is not the likeliest class. Comparisons allow for 1e-6.
 */
int bt_label_issues_write(const struct bt_label_issues *s, const char *path,
                          const struct bt_log *log,
                          struct bt_error *err) BT_MUST_USE;

/* How many issues there are of how many examples ("found", "of"), and the first
 * most of them in that order ("worst"). NULL: out of memory. */
json_t *bt_label_issues_json(const struct bt_label_issues *s, size_t most);

#endif

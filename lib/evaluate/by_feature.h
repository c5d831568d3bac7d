/* SPDX-License-Identifier: MIT */
/*
 * Measures of a model for each value of a feature: examples that have the same
 * are a group. Those without the feature are a group of their own.
 */
#ifndef BT_EVALUATE_BY_FEATURE_H
#define BT_EVALUATE_BY_FEATURE_H

#include "finetune/dataset.h"
#include "metrics/metrics.h"

/* More groups than this are an error: the feature is no category. */
#define BT_BY_FEATURE_MAX 1000

struct bt_by_feature;

/* Measures are of the kind of like; field and like are borrowed. The field
 * "length", where the first record has no feature of that name, is the number
 * of tokens, in groups that end at powers of two: 1, 2, 3-4, 5-8, 9-16 ... */
struct bt_by_feature *bt_by_feature_new(const char *field,
                                        const struct bt_metrics *like);
void bt_by_feature_free(struct bt_by_feature *g); /* takes NULL */

/* Looks at the payload of example k of a block that begins or goes on. */
int bt_by_feature_look(struct bt_by_feature *g, size_t k, const void *data,
                       size_t len, struct bt_error *err) BT_MUST_USE;

/* The answer to example k of the block, which has a label. BT_EFORMAT where no
 * example so far had the feature, which is found after one block. */
int bt_by_feature_add(struct bt_by_feature *g, const struct bt_dataset *d,
                      size_t k, const float *answer,
                      struct bt_error *err) BT_MUST_USE;

/* A table: a group a line, in ascending order of values, as numbers where all
 * are numbers. The JSON is an object with the field and its groups, NULL when
 * out of memory. */
void bt_by_feature_report(struct bt_by_feature *g, struct bt_buf *out);
json_t *bt_by_feature_json(struct bt_by_feature *g);

#endif

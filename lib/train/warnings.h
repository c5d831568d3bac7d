/* SPDX-License-Identifier: MIT */
/* Warnings in the log of what a user has hardly meant. */
#ifndef BT_TRAIN_WARNINGS_H
#define BT_TRAIN_WARNINGS_H

#include "train/job_int.h"

/* Of examples: labels that are nearly as many as these, numbers for classes,
 * texts that are all the same, that are evaluated on and trained on, or that
 * lack the first token, and evaluation on one label. */
int bt_warn_data(const struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* How many texts of e, a fold that is held out, are in d, too; and warns of the
 * number of all folds' if it is not small beside the texts. */
int bt_warn_leak_count(const struct bt_dataset *d, const struct bt_dataset *e,
                       size_t *both, struct bt_error *err) BT_MUST_USE;
void bt_warn_leak_folds(size_t both, size_t texts, const struct bt_log *log);

/* The classifier of the starting model, which has as many classes, is not
 * trained on: a note, and a warning where that is hardly meant. */
void bt_warn_replaced(const struct bt_job *j, const char *from);

/* Says which labels of the run the classifier of the starting model knows, kept
 * of them, and which of its own are not among them. */
void bt_warn_classes(const struct bt_job *j, const char *from, int kept);

/* Of settings, with n examples: batches, warm-up, learning rate. */
void bt_warn_plan(const struct bt_train_opts *o, size_t n, int64_t total,
                  int64_t warmup);

/* Of a run that is over: it learnt no more than how frequent labels are or,
 * with few updates of a recipe that nobody chose, little more. */
void bt_warn_result(const struct bt_job *j, const struct bt_train_result *r);

#endif

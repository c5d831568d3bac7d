/* SPDX-License-Identifier: MIT */
/* Parts of tasks: from the labels of a record to its targets. */
#ifndef BT_TASK_TARGET_H
#define BT_TASK_TARGET_H

#include "task/task.h"

/* The error of a label that the set does not have. */
int bt_target_unknown(struct bt_span s, const struct bt_labels *labels,
                      struct bt_error *err);

/* Adds the labels "0" to the decimal text of number, so that a class's number
 * is its place. Returns that place, or an error. */
int bt_target_numbered(int64_t number, struct bt_labels *labels,
                       struct bt_error *err);

/* The class that is given by its number alone: *label, which stays as it is
 * where there is no such class and mode lets that pass. */
int bt_target_by_number(int64_t number, enum bt_label_mode mode,
                        struct bt_labels *labels, int32_t *label,
                        struct bt_error *err) BT_MUST_USE;

/* Makes room for n targets. */
int bt_target_reserve(struct bt_token_rec *rec, size_t n,
                      struct bt_error *err) BT_MUST_USE;

/* Sets all targets to 0, one for each label. The names that the record gives,
 * if it does, must be the labels, each once; the first record's become the
 * labels (COLLECT). */
int bt_target_check_names(struct bt_token_rec *rec, enum bt_label_mode mode,
                          struct bt_labels *labels,
                          struct bt_error *err) BT_MUST_USE;

/* Reads label_ids as floats, behind the targets; *n is their number. */
int bt_target_read_list(struct bt_token_rec *rec, size_t *n,
                        struct bt_error *err) BT_MUST_USE;

/* The number of a record that has one: label_ids where it holds one, else the
 * text. *has says whether there is one. */
int bt_target_read_number(const struct bt_token_rec *rec, double *v, bool *has,
                          struct bt_error *err) BT_MUST_USE;

/* Moves n numbers from behind the targets to their places. bits: they must be 0
 * or 1. */
int bt_target_place_list(struct bt_token_rec *rec, size_t n, bool bits,
                         const struct bt_labels *labels,
                         struct bt_error *err) BT_MUST_USE;

/* The result of reading a record's targets, where why says what is wrong with
 * them: in mode OPTIONAL the record then has none. */
int bt_target_settle(struct bt_token_rec *rec, enum bt_label_mode mode,
                     const struct bt_error *why,
                     struct bt_error *err) BT_MUST_USE;

/* The mean over the targets' columns of the loss that predicting a constant
 * has, where of(mean, mean of squares) is that of one column. */
double bt_target_guess(const struct bt_task_data *d,
                       double (*of)(double mean, double squares));

/* That of the cross entropy of numbers from 0 to 1; a task's guess. */
double bt_target_guess_entropy(const struct bt_task_data *d, int outputs,
                               double smoothing);

/* Finds each label of the data among those of the model. */
bool bt_target_map(const struct bt_labels *found, const struct bt_labels *known,
                   int *map);

#endif

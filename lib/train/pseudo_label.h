/* SPDX-License-Identifier: MIT */
/* Labels that a model gave to texts which have none [Lee 2013, "Pseudo-Label:
 * The Simple and Efficient Semi-Supervised Learning Method for Deep Neural
 * Networks"]. */
#ifndef BT_TRAIN_PSEUDO_LABEL_H
#define BT_TRAIN_PSEUDO_LABEL_H

#include "base/log.h"
#include "finetune/dataset.h"

struct bt_pseudo_label {
	const char *file; /* predictions with probabilities (evaluate/
	                   * prediction_file.h); NULL: none */
	double least;     /* probability of a label that is taken */
	double weight;    /* that a text with it has, times its own */
};

/*
 * Gives each text of d without a label the likeliest one of its row in the
 * file, found by its id, if its probability is at least that; other texts
 * without a label are dropped. l are the labels of the others. Logs how many
 * there are of each class. BT_EFORMAT where all have a label, or rows, ids or
 * labels do not match.
 */
int bt_pseudo_label(const struct bt_pseudo_label *o, const struct bt_task *task,
                    const struct bt_labels *l, struct bt_dataset *d,
                    const struct bt_log *log, struct bt_error *err) BT_MUST_USE;

#endif

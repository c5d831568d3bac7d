/* SPDX-License-Identifier: MIT */
/* Measures how often a model predicts the same in int8 as in the type that it
 * computes in else, and what of the metric is lost. */
#ifndef BT_EVALUATE_AGREEMENT_H
#define BT_EVALUATE_AGREEMENT_H

#include "evaluate/evaluation.h"
#include "finetune/agreement.h"

/*
 * v has run in int8 and kept its outputs (struct bt_evaluation_opts: agrees).
 * Its records go through the model once more, in the other type; what differs
 * is appended to report, as text or JSON, and, on the first rank, kept in the
 * model directory. a->least is set before.
 */
int bt_agreement_measure(const struct bt_evaluation *v, struct bt_agreement *a,
                         bool json, struct bt_buf *report,
                         struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
#ifndef BT_PREDICT_SUBMISSION_VALUES_H
#define BT_PREDICT_SUBMISSION_VALUES_H

#include "base/buf.h"
#include "base/span.h"

#define BT_SUBMISSION_FEW 3 /* names in a message */

/* Some of many names, for a message. */
struct bt_submission_values {
	size_t n;
	struct bt_buf names; /* of the first */
};

void bt_submission_values_add(struct bt_submission_values *f,
                              struct bt_span name);
const char *bt_submission_values_str(
    struct bt_submission_values *f); /* "'a', 'b', 'c', ..." */

#endif

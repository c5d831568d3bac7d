/* SPDX-License-Identifier: MIT */
#ifndef BT_EVALUATE_BY_FEATURE_INT_H
#define BT_EVALUATE_BY_FEATURE_INT_H

#include "base/buf.h"
#include "base/span.h"
#include "base/string_set.h"
#include "evaluate/by_feature.h"

/* Examples of one value. */
struct bt_by_feature_group {
	struct bt_metrics m;
	bool none; /* of those without the feature */
	/* while there is a report: */
	struct bt_span value;
	bool numeric;
	double number;
};

struct bt_by_feature {
	const char *field;
	const struct bt_metrics *like;
	struct bt_string_set *values;
	struct bt_by_feature_group
	    *group; /* [of] that many, by the number of the value */
	size_t cap, of;
	struct bt_by_feature_group none;
	uint32_t *value; /* of each example of the block */
	size_t value_cap;
	uint64_t seen, found; /* records, and of them with the feature */
	bool length;
	struct bt_buf text;  /* of a value */
	struct bt_buf names; /* features of the first record */
};

#endif

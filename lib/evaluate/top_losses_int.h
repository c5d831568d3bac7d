/* SPDX-License-Identifier: MIT */
#ifndef BT_EVALUATE_TOP_LOSSES_INT_H
#define BT_EVALUATE_TOP_LOSSES_INT_H

#include "base/buf.h"
#include "evaluate/top_losses.h"

/* One of them, in memory that the next one in its place reuses. */
struct bt_top_losses_example {
	uint64_t number; /* of the record */
	double loss;
	bool has_id;
	int texts; /* that are known */
	struct bt_buf text[2];
	int32_t label;
	struct bt_buf id, ids, types;  /* int32_t, uint8_t of each token */
	struct bt_buf targets, answer; /* floats */
};

struct bt_top_losses {
	size_t most, n, cap;
	/* [n] a heap: each is less wrong than the two under it, 2i + 1 and
	 * 2i + 2; after bt_top_losses_sort the worst first */
	struct bt_top_losses_example **heap;
	const struct bt_metrics *like;
	const struct bt_answer_form *form;
	const struct bt_labels *labels;
	bool sorted;
};

void bt_top_losses_sort(struct bt_top_losses *w);

#endif

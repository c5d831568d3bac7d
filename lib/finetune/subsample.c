/* SPDX-License-Identifier: MIT */
/* A share of the examples, as large of each label. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"
#include "finetune/dataset.h"

int bt_dataset_subsample(struct bt_dataset *d, double share, uint64_t seed,
                         struct bt_error *err)
{
	/* left: examples of the labels, from -1 on, that stay */
	uint32_t *order = bt_array(d->n, sizeof(*order)), *left;
	uint8_t *gone = bt_array0(d->n, 1);
	size_t i, k, labels = 0;
	int r;

	for (i = 0; i < d->n; i++)
		if ((size_t)(d->label[i] + 1) >= labels)
			labels = (size_t)(d->label[i] + 1) + 1;
	left = bt_array0(labels, sizeof(*left));
	if (order == NULL || gone == NULL || left == NULL) {
		r = bt_error_nomem(err, "choosing a share of the examples");
	} else {
		bt_random_order(seed, BT_PURPOSE_SHARE, 0, order,
		                (uint32_t)d->n);
		for (i = 0; i < d->n; i++)
			left[d->label[i] + 1]++;
		for (k = 0; k < labels; k++) /* 0.07 * 100 is not to be 8 */
			left[k] = (uint32_t)ceil(share * (double)left[k] *
			                         (1 - 1e-12));
		/* of each label, all that come behind its share go */
		for (i = 0; i < d->n; i++) {
			k = (size_t)(d->label[order[i]] + 1);
			if (left[k] > 0)
				left[k]--;
			else
				gone[order[i]] = 1;
		}
		r = bt_dataset_divide(d, gone, NULL, err);
	}
	free(order);
	free(gone);
	free(left);
	return r;
}

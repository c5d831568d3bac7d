/* SPDX-License-Identifier: MIT */
#include "finetune/device_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MOST_TOKENS ((uint64_t)1 << 18)
#define MOST_LOGITS ((size_t)1 << 28) /* 1 GB */

size_t bt_device_examples_fit(const struct bt_dataset *d, size_t first,
                              size_t cols)
{
	size_t n = 1, rows = bt_dataset_rows(d, first);

	for (; first + n < d->n; n++) {
		rows += bt_dataset_rows(d, first + n);
		if (d->start[first + n + 1] - d->start[first] > MOST_TOKENS ||
		    rows > MOST_LOGITS / cols)
			break;
	}
	return n;
}

static int select_tokens(struct bt_device_examples *x,
                         const struct bt_dataset *d, size_t first, size_t n,
                         struct bt_error *err)
{
	uint64_t at, from = d->start[first];
	size_t k = 0, i, all = 0;

	for (i = first; i < first + n; i++)
		all += bt_dataset_selected(d, i);
	if (bt_grow(&x->selected, &x->selected_cap, all + 1,
	            sizeof(*x->selected)) != BT_OK)
		return bt_error_nomem(err, "placing texts in rows");
	for (at = from; at < d->start[first + n]; at++)
		if (bt_token_begins(d->token_label[at]))
			x->selected[k++] = (uint32_t)(at - from);
	x->texts.selected = x->selected;
	x->texts.n_selected = k;
	return BT_OK;
}

int bt_device_examples_take(struct bt_device_examples *x,
                            const struct bt_dataset *d, size_t first, size_t n,
                            struct bt_error *err)
{
	uint64_t from = d->start[first];
	size_t i;

	if (bt_grow(&x->start, &x->start_cap, n + 1, sizeof(*x->start)) !=
	    BT_OK)
		return bt_error_nomem(err, "placing texts in rows");
	for (i = 0; i <= n; i++)
		x->start[i] = (uint32_t)(d->start[first + i] - from);
	x->texts = (struct bt_device_texts){.n = n,
	                                    .start = x->start,
	                                    .ids = d->ids + from,
	                                    .types = d->types + from};
	return d->selects ? select_tokens(x, d, first, n, err) : BT_OK;
}

void bt_device_examples_clear(struct bt_device_examples *x)
{
	free(x->start);
	free(x->selected);
	memset(x, 0, sizeof(*x));
}

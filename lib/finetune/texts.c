/* SPDX-License-Identifier: MIT */
/* The texts of a data set, some of which are several examples: their windows.
 */
#include "base/crc32c.h"
#include "base/mem.h"
#include "finetune/dataset.h"

size_t bt_dataset_texts(const struct bt_dataset *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n; i++)
		n += i == 0 || !d->continues[i];
	return n;
}

uint32_t *bt_dataset_find_texts(const struct bt_dataset *d, size_t *n)
{
	uint32_t *first = bt_array(bt_dataset_texts(d), sizeof(*first));
	size_t i;

	*n = 0;
	for (i = 0; i < d->n && first != NULL; i++)
		if (i == 0 || !d->continues[i])
			first[(*n)++] = (uint32_t)i;
	return first;
}

void bt_dataset_share_weights(struct bt_dataset *d)
{
	size_t i, end;
	float weight;

	for (i = 0; i < d->n; i = end) {
		for (end = i + 1; end < d->n && d->continues[end];)
			end++;
		if (end == i + 1)
			continue;
		d->has_weights = true;
		for (weight = (float)(end - i); i < end; i++) {
			d->weight[i] /= weight;
			d->crc = bt_crc32c(d->crc, &d->weight[i],
			                   sizeof(d->weight[i]));
		}
	}
}

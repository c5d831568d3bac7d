/* SPDX-License-Identifier: MIT */
#include "finetune/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_join_init(struct bt_join *j, enum bt_windows_join how, size_t width,
                 struct bt_error *err)
{
	*j = (struct bt_join){.how = how, .width = width};
	j->sum = bt_array(width, sizeof(*j->sum));
	j->row = bt_array(width, sizeof(*j->row));
	if (j->sum != NULL && j->row != NULL)
		return BT_OK;
	bt_join_clear(j);
	return bt_error_nomem(err, "joining windows");
}

void bt_join_clear(struct bt_join *j)
{
	free(j->sum);
	free(j->row);
	memset(j, 0, sizeof(*j));
}

const float *bt_join_add(struct bt_join *j, const struct bt_dataset *d,
                         size_t k, const float *row)
{
	bool within = d->continues[k] == BT_CONTINUES_TEXT;
	bool more =
	    k + 1 < d->n ? d->continues[k + 1] == BT_CONTINUES_TEXT : d->cut;
	bool max = j->how == BT_WINDOWS_MAX;
	size_t i;

	if (j->how == BT_WINDOWS_EACH || (!within && !more))
		return row;
	if (!within)
		j->n = 0;
	for (i = 0; i < j->width; i++)
		if (j->n == 0)
			j->sum[i] = (double)row[i];
		else if (!max)
			j->sum[i] += (double)row[i];
		else if ((double)row[i] > j->sum[i])
			j->sum[i] = (double)row[i];
	j->n++;
	for (i = 0; i < j->width && !more; i++)
		j->row[i] = (float)(j->sum[i] / (max ? 1 : (double)j->n));
	return more ? NULL : j->row;
}

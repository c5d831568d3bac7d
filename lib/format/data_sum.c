/* SPDX-License-Identifier: MIT */
#include "format/data_sum.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "format/tfrecord.h"
#include "io/path.h"

static int add(char *const *paths, int n, struct bt_tfrecord_sum *sum,
               struct bt_error *err)
{
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < n; i++)
		r = bt_path_refuse_pipe(paths[i], err);
	if (r == BT_OK)
		r = bt_tfrecord_open(paths, n, &in, err);
	if (r != BT_OK)
		return r;
	bt_tfrecord_add_to(in, sum);
	do
		r = bt_tfrecord_next(in, &data, &len, err);
	while (r == 1);
	bt_tfrecord_close(in);
	return r;
}

int bt_data_sum(char *const *files, int n, const char *eval, char sum[9],
                struct bt_error *err)
{
	struct bt_tfrecord_sum all = {0};
	char *const one[] = {(char *)eval};
	char parted[24];
	int r = add(files, n, &all, err);

	if (r == BT_OK && eval != NULL) {
		snprintf(parted, sizeof(parted), "%llu",
		         (unsigned long long)all.records);
		all.crc = bt_crc32c(all.crc, parted, strlen(parted));
		r = add(one, 1, &all, err);
	}
	snprintf(sum, 9, "%08x", (unsigned)all.crc);
	return r;
}

int bt_data_sum_check(const json_t *then, const char *sum, const char *dir,
                      const char *name, enum bt_hint hint, struct bt_error *err)
{
	const char *old = json_string_value(json_object_get(then, BT_DATA_SUM));

	if (old == NULL || strcmp(old, sum) == 0)
		return BT_OK;
	return bt_error_hint(err, hint,
	                     bt_error_set(err, BT_EARG,
	                                  "'%s/%s' is of other records than "
	                                  "those that are given now",
	                                  dir, name));
}

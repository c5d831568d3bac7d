/* SPDX-License-Identifier: MIT */
/* Whether what several runs share is still the data of the earlier ones. */
#ifndef BT_FORMAT_DATA_SUM_H
#define BT_FORMAT_DATA_SUM_H

#include <jansson.h>

#include "base/err.h"

/* The member of JSON that holds the sum. */
#define BT_DATA_SUM "data"

/* *sum: 8 hexadecimal digits and a NUL, the CRC-32C, frames and all, of the
 * records of these n files and, unless eval is NULL, of their number in decimal
 * digits and the records of eval. BT_EARG for a pipe, since all are read again.
 */
int bt_data_sum(char *const *files, int n, const char *eval, char sum[9],
                struct bt_error *err) BT_MUST_USE;

/* BT_EARG, with the hint, where the file of that name in dir was written for
 * other data; then is what it holds. Earlier versions wrote no sum. */
int bt_data_sum_check(const json_t *then, const char *sum, const char *dir,
                      const char *name, enum bt_hint hint,
                      struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* Whether what several runs share is still that of the earlier ones. */
#ifndef BT_FINETUNE_INPUTS_H
#define BT_FINETUNE_INPUTS_H

#include <jansson.h>

#include "base/err.h"

/* Files and directories; NULL: none. */
struct bt_inputs {
	char *const *records; /* [n_records] to train on */
	int n_records;
	const char *eval; /* to evaluate on */
	const char *model;
	const char *config; /* of a model that starts from nothing */
	const char *teacher, *pseudo_labels; /* predictions */
};

/*
 * Sets *sums to an object of checksums, 8 hexadecimal digits each:
 * "data": the CRC-32C, frames and all, of the records to train on and, where
 * there is a file to evaluate on, of their number in decimal digits and its
 * records;
 * "model": of the first values of each tensor of the starting model;
 * "config", "teacher", "pseudo_labels": of the bytes of these files.
 * null is what there is none of. A member is missing where the model or a file
 * cannot be read, which is for the run to say. BT_EARG for a pipe, since all
 * are read again.
 */
int bt_inputs_sum(const struct bt_inputs *o, json_t **sums,
                  struct bt_error *err) BT_MUST_USE;

/* BT_EARG, with the hint, where the file of that name in dir was written for
 * others; then is what it holds. Earlier versions wrote fewer. */
int bt_inputs_check(const json_t *then, const json_t *sums, const char *dir,
                    const char *name, enum bt_hint hint,
                    struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* The likeliest tags of a sentence that follow a scheme. */
#ifndef BT_PREDICT_TAG_PATH_H
#define BT_PREDICT_TAG_PATH_H

#include <stddef.h>

#include "record/entities.h"

/*
 * Sets tag[words] to those with the largest sum of logits [words][n] among all
 * in which every entity is whole by the scheme; tags [n] are what each is
 * [Viterbi 1967]. Of equal sums, that with the first tags from the end on.
 * BT_EFORMAT where the model has no such tags; BT_ENOMEM.
 */
int bt_tag_path(const struct bt_entity_scheme *scheme,
                const struct bt_entity_tag *tags, int n, const float *logits,
                size_t words, int *tag, struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* Whether a checkpoint is that of an earlier time. */
#ifndef BT_CKPT_FINGERPRINT_H
#define BT_CKPT_FINGERPRINT_H

#include "base/log.h"
#include "tensor/checkpoint.h"

/* *sum is a checksum of the first values of each tensor of floating point
 * numbers, in Hugging Face's form, whatever the format and the order; of their
 * signs alone, which copies in f16 and bf16 have, too. */
int bt_ckpt_fingerprint(const struct bt_ckpt *c, bool signs, uint32_t *sum,
                        struct bt_error *err) BT_MUST_USE;

/* The note of an adapter's file that has the fingerprint, by signs, of the
 * model that it was trained on: 8 hexadecimal digits. */
#define BT_FINGERPRINT_NOTE "base_model"

/* Warns where the directory has an adapter with such a note, and the model that
 * it changes is another. */
void bt_fingerprint_warn(const char *dir, const struct bt_log *log);

#endif

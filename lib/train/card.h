/* SPDX-License-Identifier: MIT */
/* The model card, README.md, as Hugging Face's hub reads it. */
#ifndef BT_TRAIN_CARD_H
#define BT_TRAIN_CARD_H

#include "train/job.h"

/*
 * Writes the card into the directory of a finished run. A file of that name is
 * kept, with a warning, unless this run wrote it before it was resumed and
 * nobody changed it since. The cards of equal runs are equal but for their last
 * line, which says how fast the run was and has the checksum of the card.
 */
int bt_card_write(const struct bt_job *j, const struct bt_train_result *res,
                  struct bt_error *err) BT_MUST_USE;

/* Whether the file at path is a card that was written so and stayed as it was.
 */
bool bt_card_is_own(const char *path);

/* Warns that another one stays. */
void bt_card_warn_kept(const struct bt_log *log, const char *path);

#endif

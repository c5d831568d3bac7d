/* SPDX-License-Identifier: MIT */
/* Whether the training of a model came to its end, as its directory shows. */
#ifndef BT_FINETUNE_UNFINISHED_H
#define BT_FINETUNE_UNFINISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

/* In the directory of a run: the newest checkpoint, which may be kept when the
 * run has ended, and the note in it that is the state of the run; and what the
 * run came to, a line for each time that it was looked at. */
#define BT_CHECKPOINT_FILE "checkpoint.safetensors"
#define BT_CHECKPOINT_NOTE "bertutils_training_state"
#define BT_HISTORY_FILE "history.jsonl"

/*
 * A run that writes a model before its end marks the directory, since it may be
 * killed before its first checkpoint. The mark names the step and how many
 * there are to be; the end of the run takes it away.
 */
#define BT_UNFINISHED_FILE "unfinished.txt"
int bt_unfinished_mark(const char *dir, int64_t step, int64_t all,
                       struct bt_error *err) BT_MUST_USE;
void bt_unfinished_end(const char *dir);

/* Whether these are of a run that was stopped. */
bool bt_unfinished(const char *dir);

/* Warns where these are of a run that was stopped, where a run is writing to
 * the directory at this moment, and of an adapter of another model
 * (ckpt/fingerprint.h). */
int bt_unfinished_warn(const char *dir, const struct bt_log *log,
                       struct bt_error *err) BT_MUST_USE;

#endif

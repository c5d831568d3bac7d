/* SPDX-License-Identifier: MIT */
/*
 * TensorBoard's event files: TFRecords of Event messages, here of scalars as
 * TensorFlow 2 writes them. Laid out as Keras does: DIR/train and
 * DIR/validation, and speeds in DIR itself.
 */
#ifndef BT_TRAIN_EVENTS_INT_H
#define BT_TRAIN_EVENTS_INT_H

#include "train/append_log_int.h"

enum bt_event_stream {
	BT_EVENTS_TRAIN,
	BT_EVENTS_VALIDATION,
	BT_EVENTS_SPEED,
	BT_EVENT_STREAMS
};

struct bt_events {
	struct bt_append_log file[BT_EVENT_STREAMS];
};

/* Makes the directories. dir is borrowed; NULL: nothing will be written. The
 * curves of training and validation go into dir's directory "below/", or with
 * NULL into dir. */
int bt_events_open(struct bt_events *e, const char *dir, const char *below,
                   struct bt_error *err) BT_MUST_USE;

/* True if that file is one of this stream, in its directory. */
bool bt_events_names(enum bt_event_stream s, const char *name);

/* Adds a scalar, to be written by bt_events_flush. */
void bt_events_scalar(struct bt_events *e, enum bt_event_stream s, int64_t step,
                      double value, const char *fmt, ...) BT_PRINTF(5, 6);

int bt_events_flush(struct bt_events *e, const struct bt_log *log,
                    struct bt_error *err) BT_MUST_USE;
int bt_events_sync(struct bt_events *e, struct bt_error *err) BT_MUST_USE;
int bt_events_close(struct bt_events *e, struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* A run that diverged goes back to its last checkpoint. Repeated as it was it
 * would diverge again, to the same bits; so it goes on with another order of
 * examples, which checkpoints remember by the number of the trial. */
#include "train/train_int.h"

uint64_t bt_train_order_seed(const struct bt_train_run *t)
{
	return t->o->batching.seed + (uint64_t)t->s.trial * 0x9e3779b97f4a7c15u;
}

int bt_train_recover(struct bt_train_run *t, struct bt_error *err)
{
	/* files that grow go on behind what they have */
	uint64_t history = t->history.size, events[BT_EVENT_STREAMS];
	int64_t trial = t->s.trial + 1;
	double seconds = t->s.seconds;
	int i, r = err->code;

	if (t->recovered >= t->o->recoveries || t->saved_step < 0)
		return r;
	bt_log_warn(t->o->log, "diverged", BT_HINT_NONE,
	            "%s: back to the checkpoint of step %lld, and on with the "
	            "examples in another order (%lld of at most %lld times)",
	            err->text, (long long)t->saved_step,
	            (long long)t->recovered + 1, (long long)t->o->recoveries);
	bt_error_clear(err);
	for (i = 0; i < BT_EVENT_STREAMS; i++)
		events[i] = t->events.file[i].size;
	r = bt_train_load_state(t, err);
	t->history.size = history;
	for (i = 0; i < BT_EVENT_STREAMS; i++)
		t->events.file[i].size = events[i];
	if (r || (r = t->on->load(t, err)))
		return r;
	t->recovered++;
	t->s.trial = trial;
	t->s.seconds = seconds; /* what was in vain took time, too */
	t->batches.o.seed = bt_train_order_seed(t);
	t->shown_loss = 0;
	return bt_train_begun(t, err);
}

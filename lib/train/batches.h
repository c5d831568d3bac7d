/* SPDX-License-Identifier: MIT */
/*
 * Which examples make an update. Each epoch goes through a random order of all
 * examples, a function of seed and epoch; batches are runs of that order, of so
 * many examples or of at most so many tokens; an update is made of `accumulate`
 * batches, fewer at the end of an epoch.
 *
 * Examples that are texts of a group (finetune/dataset.h) stay together, and
 * count as one.
 *
 * Or each example is a pair with another of its class: the next one in a random
 * circle of them, so that an epoch has each example twice. One that is alone in
 * its class is paired with itself.
 *
 * Or the epochs are a stream: a batch that an epoch cannot fill goes on into
 * the next, so that all batches have as many examples.
 */
#ifndef BT_TRAIN_BATCHES_H
#define BT_TRAIN_BATCHES_H

#include "finetune/dataset.h"

struct bt_batching {
	size_t size;    /* examples of a batch, or groups of them; 0: as many
	                 * as tokens allow */
	size_t tokens;  /* of a batch at most; 0: any number */
	int accumulate; /* batches of an update */
	bool stream;    /* for batches by number of examples */
	bool pairs;     /* of examples with a class */
	uint64_t seed;
};

struct bt_batches {
	struct bt_batching o;
	const struct bt_dataset *d;
	uint32_t *order; /* of the current epoch; of a stream the next one's
	                  * behind it */
	uint32_t *first; /* [groups] example of each group; NULL: each is one */
	size_t groups;
	uint32_t *other; /* [d->n] the second of each pair; NULL: no pairs */
	uint32_t *last;  /* [classes] example that was put into a pair */
	size_t classes;
	size_t n;      /* examples of an epoch's order */
	int64_t epoch; /* from 0; -1: before the first */
	size_t pos;    /* examples of the epoch used up */
};

/* BT_EARG where an update of a stream takes more examples than there are. */
int bt_batches_init(struct bt_batches *b, const struct bt_dataset *d,
                    const struct bt_batching *o,
                    struct bt_error *err) BT_MUST_USE;
void bt_batches_clear(struct bt_batches *b);

/* Goes to a place: epoch and examples of it used up. */
void bt_batches_seek(struct bt_batches *b, int64_t epoch, size_t pos);

/* Examples of the batch that begins at a position of the current order. */
size_t bt_batches_at(const struct bt_batches *b, size_t pos);

/* Where part s of `parts` of the n examples at pos begins, counted from there;
 * s = parts: n. Parts have as many tokens, as nearly as whole groups can. */
size_t bt_batches_part(const struct bt_batches *b, size_t pos, size_t n, int s,
                       int parts);

/* Where the update that begins at pos ends; of a stream perhaps in the next
 * epoch, whose examples count on from b->n. */
size_t bt_batches_update_end(const struct bt_batches *b, size_t pos);

/* Examples of the current order from pos to end, a group or a pair counted as
 * one. */
size_t bt_batches_between(const struct bt_batches *b, size_t pos, size_t end);

/* Updates of an epoch. Moves to its start. */
int64_t bt_batches_count(struct bt_batches *b, int64_t epoch);

/* Updates of so many epochs, the last perhaps a part of one (rounded up). */
int64_t bt_batches_total(struct bt_batches *b, double epochs);

/* No batch has more tokens or texts than these. */
size_t bt_batches_max_tokens(const struct bt_batches *b);
size_t bt_batches_max_texts(const struct bt_batches *b);

/* ... and no update than these. */
size_t bt_batches_update_tokens(const struct bt_batches *b);
size_t bt_batches_update_texts(const struct bt_batches *b);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a run will need, known before any of it is taken: memory by kind, the
 * largest batches, the number of updates.
 */
#ifndef BT_TRAIN_MEMORY_PLAN_H
#define BT_TRAIN_MEMORY_PLAN_H

#include "train/train.h"

struct bt_memory_plan {
	size_t parameters, frozen; /* their number; of them */
	size_t moved;         /* bytes of what is kept while words are moved */
	int64_t steps;        /* updates */
	size_t texts, tokens; /* of the largest training batch */
	size_t eval_texts, eval_tokens; /* of the largest one to evaluate */
	size_t selected; /* tokens of a batch of either, at most */
	/* of the largest update, where texts are compared over its batches;
	 * else 0 */
	size_t update_texts, update_tokens;

	/* bytes */
	struct bt_engine_memory engine;
	size_t shards;      /* their sums of gradients that wait for others */
	size_t moments;     /* of the optimizer */
	size_t data;        /* examples, and a batch of them */
	size_t other;       /* the program, its libraries and their buffers */
	size_t elsewhere;   /* parameters, gradients and moments on each device
	                     * that trains, which are in no sum here; 0: none
	                     * does */
	size_t total;       /* of all these: the peak of the process */
	size_t held;        /* of them already there */
	uint64_t available; /* that can still be taken */
};

/* Largest batches that training and evaluation will ask of the engine. eval and
 * masking, of training, may be NULL. */
int bt_memory_plan_batches(struct bt_memory_plan *n,
                           const struct bt_dataset *train,
                           const struct bt_dataset *eval,
                           const struct bt_batching *o,
                           const struct bt_masking *masking,
                           struct bt_error *err) BT_MUST_USE;

/* All else, once m's engine is planned and the data are read; on_device: it
 * does not train. */
int bt_memory_plan_memory(struct bt_memory_plan *n, const struct bt_model *m,
                          const struct bt_dataset *train,
                          const struct bt_dataset *eval,
                          const struct bt_train_opts *o, bool on_device,
                          struct bt_error *err) BT_MUST_USE;

/* Appends it as a table for people. */
void bt_memory_plan_print(const struct bt_memory_plan *n, struct bt_buf *out);

/* BT_ENOMEM, saying what to change, if more is needed than is available. */
int bt_memory_plan_check(const struct bt_memory_plan *n,
                         const struct bt_train_opts *o,
                         struct bt_error *err) BT_MUST_USE;

#endif

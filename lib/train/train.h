/* SPDX-License-Identifier: MIT */
/*
 * Fine-tuning: epochs of updates, evaluation after each epoch, the best model
 * kept in the output directory, and a checkpoint from which a stopped run goes
 * on to the same bits.
 */
#ifndef BT_TRAIN_TRAIN_H
#define BT_TRAIN_TRAIN_H

#include "base/log.h"
#include "base/profile.h"
#include "task/metrics.h"
#include "task/model.h"
#include "train/batches.h"
#include "train/optim.h"
#include "train/schedule.h"

struct bt_train_opts {
	double epochs;
	int64_t steps; /* updates in all; 0: as many as epochs have */
	struct bt_batching batching;
	double lr;
	enum bt_schedule schedule;
	double warmup; /* updates, or a share of them if below 1 */
	struct bt_optim_opts optim;
	double smoothing;
	bool recompute;     /* activations; see cpu/engine.h */
	bool detect;        /* values that are not finite; likewise */
	const char *metric; /* that chooses the best model */
	int64_t save_steps; /* a checkpoint every so many updates; 0: none */
	bool resume;
	const char *out; /* the model directory to write; exists */

	/* After bt_model_save wrote a model: adds what else belongs into the
	 * directory. May be NULL. */
	int (*save_more)(void *ctx, const char *dir, struct bt_error *err);
	void *ctx;

	bool (*stopped)(void); /* asked after each update; may be NULL */
	const struct bt_log *log;
	struct bt_progress *progress; /* may be NULL */
	struct bt_profile *profile;   /* the engine's too; may be NULL */
};

/* What a run did. */
struct bt_train_result {
	int64_t steps; /* updates of the whole run, resumed ones included */
	int64_t total; /* that it was to have */
	bool finished; /* false: stopped, with a checkpoint to go on from */
	bool kept;     /* the directory holds a model of this run */
	/* of this process */
	double seconds; /* of training, evaluation left out */
	uint64_t examples, tokens;
	double flop;       /* of the model's products */
	double flop_limit; /* operations a second that products alone reach on
	                    * this machine; 0: not measured */
	int best_epoch;    /* from 1 */
	double best;       /* the measure there */
};

/*
 * Trains m, whose engine was built for training and for the batches that
 * opts->batching makes of `train`. eval may be NULL: then the last epoch's
 * model is the one kept.
 *
 * A loss or gradient that is not finite ends the run with BT_ELIMIT; the
 * directory then holds the last good epoch's model, if there was one.
 */
int bt_train(struct bt_model *m, const struct bt_dataset *train,
             const struct bt_dataset *eval, const struct bt_train_opts *opts,
             struct bt_train_result *res, struct bt_error *err) BT_MUST_USE;

/* Updates that a run of these batches is to have. */
int64_t bt_train_steps(struct bt_batches *b, const struct bt_train_opts *o);

/* Where the checkpoint of a run into that directory stands; free() it. */
char *bt_train_checkpoint(const char *out);

#endif

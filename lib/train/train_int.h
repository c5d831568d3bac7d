/* SPDX-License-Identifier: MIT */
/* A run in progress, for the files that make up training. */
#ifndef BT_TRAIN_TRAIN_INT_H
#define BT_TRAIN_TRAIN_INT_H

#include <jansson.h>

#include "train/append_log_int.h"
#include "train/events_int.h"
#include "train/shards.h"
#include "train/train.h"
#include "train/whole_update.h"

struct bt_train_run;
struct bt_shard_sum;
struct bt_train_update;

/* What computes the updates of a run: this machine's CPU, by the engine of the
 * model (on_cpu.c), or a device (on_device.c). What is in memory is the
 * parameters of that engine, and the optimizer's moments. */
struct bt_train_on {
	/* Says how the optimizer, which was just made, is used. */
	int (*begin)(struct bt_train_run *t, struct bt_error *err);

	/* Begins with the parameters and moments that are in memory. */
	int (*load)(struct bt_train_run *t, struct bt_error *err);

	/* The embeddings of the texts of the batch in t->gather, which begins
	 * at that position of the epoch, as batch() computes them: [texts]
	 * [t->whole.width]. Nothing is set where a device computes nothing. */
	int (*embed)(struct bt_train_run *t, size_t pos, float *to,
	             struct bt_error *err);

	/* The loss and the gradients, perhaps added to those of earlier
	 * batches, of the batch in t->gather, which begins at that position of
	 * the epoch; adds to what *sum counts, but for the tokens and what
	 * outcome() adds. */
	int (*batch)(struct bt_train_run *t, size_t pos, bool add,
	             struct bt_shard_sum *sum, struct bt_error *err);

	/* Moves the words by their gradients, FGM's way; and back, unless that
	 * failed. The gradients of the place, if they were computed, are added
	 * to those of the update. */
	int (*move)(struct bt_train_run *t, struct bt_error *err);
	void (*move_back)(struct bt_train_run *t, bool computed);

	/* Updates the parameters; sets t->norm, or outcome() does. */
	int (*update)(struct bt_train_run *t, struct bt_error *err);

	/* Waits for the earliest update that was not asked for: sets t->norm
	 * and adds to u->sum. NULL where they are known before. */
	int (*outcome)(struct bt_train_run *t, struct bt_train_update *u,
	               struct bt_error *err);

	/* With outcome(): whether nothing has to be waited for. */
	bool (*is_idle)(const struct bt_train_run *t);

	/* Brings the parameters, and the moments, to memory. */
	int (*read)(struct bt_train_run *t, bool moments, struct bt_error *err);
};

extern const struct bt_train_on bt_train_on_cpu;
extern const struct bt_train_on bt_train_on_device;

/* Everything that a checkpoint holds besides the arenas and the lengths of the
 * files that grow. */
struct bt_train_state {
	int64_t step;    /* updates done */
	int64_t epoch;   /* of the next update, from 0 */
	int64_t pos;     /* examples of that epoch used up */
	double loss_sum; /* of the examples since the last report */
	double loss_weight;
	double step_loss_sum; /* likewise, since the last line of log_steps */
	double step_loss_weight;
	int64_t right, seen; /* of them, classified so and all */
	bool have_best;
	double best;
	int64_t best_epoch, best_step;
	int64_t stale;   /* evaluations since the best one */
	double seconds;  /* that the run has taken */
	bool unreported; /* an update whose report is still due */
	int64_t trial;   /* times that it went back to a checkpoint: decides the
	                  * order of examples */
};

/* Of the examples of a shard in one update. */
struct bt_shard_sum {
	double loss;
	int64_t right, seen; /* as in the state */
	uint64_t tokens;
};

/* What is counted of an update. */
struct bt_train_update {
	struct bt_shard_sum sum; /* of all shards */
	size_t examples;
	double weight; /* of them in the loss */
	size_t end;    /* position behind it */
};

struct bt_train_run {
	struct bt_model *m;
	const struct bt_dataset *train, *eval;
	const struct bt_train_opts *o;
	struct bt_train_result *res;
	const struct bt_train_on *on;
	struct bt_optim optim;
	struct bt_batches batches;
	struct bt_gather gather;
	struct bt_whole_update
	    whole; /* x is NULL: batches have their own loss */
	struct bt_shards shards;
	struct bt_shard_sum *shard_sums; /* [shards.n] of the update */
	const float *grads;              /* of the update */
	struct bt_row_grads shard_rows;  /* of a shard, see bt_shards_by_rows */
	struct bt_row_set row_set; /* what the update reads of that table */
	size_t update_end;         /* position behind the update */
	bool comparing;            /* its texts with each other, in t->whole */
	struct bt_fgm fgm;
	bool moved; /* by it: the texts of the update pass again */
	struct bt_metrics metrics;
	struct bt_train_state s;
	struct bt_train_update last; /* update, of s.step, */
	bool uncounted;              /* which s.loss_sum and the like lack */
	struct bt_append_log history;
	struct bt_events events;
	int64_t total, warmup; /* updates */
	uint32_t start_crc;    /* of the weights before the first of them */
	double eval_seconds;   /* of the last evaluation, */
	struct bt_squad_sum answers; /* and of what it found */
	bool answered;
	double shown_loss; /* smoothed, for the progress line */
	double norm;       /* of the last update's gradient */
	double tail_sum;   /* losses of the last quarter of the epoch */
	double tail_weight;

	/* of this process */
	double start;       /* when the updates in progress began */
	double began;       /* when this part of the run did */
	int64_t recovered;  /* times */
	int64_t saved_step; /* of the checkpoint that stands; -1: none */
	double saved_at;    /* when it was written */
	struct {
		double seconds;
		int64_t step;
		uint64_t examples;
	} reported, timed; /* at the last report and measure of speed */
};

/* Computes the gradients of the next update, and sets t->grads and
 * t->update_end (gradients.c). */
int bt_train_gradients(struct bt_train_run *t, struct bt_train_update *u,
                       struct bt_error *err) BT_MUST_USE;

/* The parameter of words whose gradients a run by this machine's CPU has as
 * rows, because an update has few of the vocabulary, *most of them; or -1. All
 * bits are the same. */
int bt_train_by_rows(const struct bt_model *m, const struct bt_batches *b,
                     const struct bt_train_opts *o, size_t *most);

/* Finds the rows that the update reads, and brings them up to date. */
void bt_train_cpu_rows(struct bt_train_run *t);

/* The error of a run in which that is not finite in an update, from 1. */
int bt_train_diverged(const struct bt_train_run *t, int64_t update,
                      const char *what, struct bt_error *err);

/* Adds the time since then to a line of the profile; n_arrays as large as all
 * parameters were read or written. */
void bt_train_add_time(struct bt_train_run *t, const char *name, double since,
                       double n_arrays);

/* Measures the model, with the other ranks, of which rank 0 tells, keeps it if
 * it is the best so far, and adds to the history (evaluate.c). */
int bt_train_report(struct bt_train_run *t, struct bt_error *err) BT_MUST_USE;

/* Measures the model as it is, if the last report was not of it, for
 * t->res->measured alone (evaluate.c). */
int bt_train_measure(struct bt_train_run *t, struct bt_error *err) BT_MUST_USE;

/* Prepares t->metrics for the metric that selects the best model, and refuses
 * one that the evaluation records leave undefined. */
int bt_train_check_metric(struct bt_train_run *t,
                          struct bt_error *err) BT_MUST_USE;

/* What a report says (history.c). s is NULL where nothing was measured. */
int bt_train_history(struct bt_train_run *t, double loss,
                     const struct bt_metrics_summary *s, bool best,
                     struct bt_error *err) BT_MUST_USE;

/* Logs how far the run is, its loss since the last such line and its speed;
 * with log_steps the history and the events get a line as well. */
int bt_train_log_step(struct bt_train_run *t, const struct bt_train_news *n,
                      struct bt_error *err) BT_MUST_USE;

/* Seconds that the rest of the updates will take. */
double bt_train_seconds_left(const struct bt_train_run *t);

/* The mean loss and the share of right answers since the last report. */
double bt_train_loss(const struct bt_train_run *t);
double bt_train_accuracy(const struct bt_train_run *t);

/* The epoch, from 1, that the last update belongs to. */
int64_t bt_train_epoch(const struct bt_train_run *t);

/* Tells the caller that the run begins; of an update, and how fast it went if
 * that is due; and of a report (callbacks.c). */
int bt_train_begun(struct bt_train_run *t, struct bt_error *err) BT_MUST_USE;
int bt_train_updated(struct bt_train_run *t, struct bt_error *err) BT_MUST_USE;
int bt_train_reported(struct bt_train_run *t,
                      const struct bt_metrics_summary *eval, double seconds,
                      bool kept, struct bt_error *err) BT_MUST_USE;

/* The learning rate of the update after t of the run. */
double bt_train_rate(const struct bt_train_run *t, int64_t step);

/* Adds an event that says how fast so many updates and examples went. */
void bt_train_speed(struct bt_train_run *t, double seconds, int64_t updates,
                    uint64_t examples);

/* BT_ECORRUPT where another rank has other settings, data or weights than rank
 * 0, or resumes elsewhere (resume_settings.c). */
int bt_train_ranks_agree(const struct bt_train_run *t,
                         struct bt_error *err) BT_MUST_USE;

/* All that must be the same for a resumed run to give the same bits, and in out
 * what differs between two of them (resume_settings.c). */
json_t *bt_train_settings(const struct bt_train_run *t);
void bt_train_compare(const json_t *then, const json_t *now,
                      struct bt_buf *out);

/* Writes the checkpoint into the output directory (checkpoint.c). */
int bt_train_save_state(struct bt_train_run *t,
                        struct bt_error *err) BT_MUST_USE;

/* After an error of writing, which stays: writes the checkpoint into a new
 * directory of $TMPDIR instead and adds to the error where that is. */
void bt_train_rescue_state(struct bt_train_run *t, struct bt_error *err);

/* Reads one back. BT_EFORMAT, listing the differences, if the run it is of had
 * other data or settings. */
int bt_train_load_state(struct bt_train_run *t,
                        struct bt_error *err) BT_MUST_USE;

/* Goes back to the checkpoint that stands, after an error that is cleared, and
 * takes another order of examples from there (divergence.c). The error stands
 * if that may not be, or no more. */
int bt_train_recover(struct bt_train_run *t, struct bt_error *err) BT_MUST_USE;

/* The seed of the order of examples. */
uint64_t bt_train_order_seed(const struct bt_train_run *t);

/* Removes the checkpoints that stand, unless the run goes on from it: its model
 * will be replaced, and whoever went on from it would have another one for its
 * best (checkpoint_rotation.c). */
int bt_checkpoint_forget_other(const struct bt_train_run *t,
                               struct bt_error *err) BT_MUST_USE;

/* Gives the checkpoint that stands a name with its step beside it, if earlier
 * ones are to be kept; and removes those that are too many
 * (checkpoint_rotation.c). */
int bt_checkpoint_set_aside(const struct bt_train_run *t,
                            struct bt_error *err) BT_MUST_USE;
void bt_checkpoint_prune(const struct bt_train_run *t);

#endif

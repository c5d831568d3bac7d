/* SPDX-License-Identifier: MIT */
/*
 * Fine-tuning: epochs of updates, evaluation after each epoch or every so many
 * updates, the best model kept in the output directory beside a history of the
 * run, and checkpoints from which a stopped run goes on to the same bits.
 */
#ifndef BT_TRAIN_TRAIN_H
#define BT_TRAIN_TRAIN_H

#include "base/log.h"
#include "base/profile.h"
#include "evaluate/answers.h"
#include "finetune/model.h"
#include "metrics/metrics.h"
#include "metrics/squad.h"
#include "optim/fgm.h"
#include "optim/optim.h"
#include "optim/schedule.h"
#include "train/batches.h"

enum bt_train_event {
	BT_TRAIN_BEGUN, /* nothing was done yet, or it goes on from here */
	BT_TRAIN_UPDATED,
	BT_TRAIN_TIMED,   /* log_steps or log_seconds are over */
	BT_TRAIN_REPORTED /* the model was evaluated, and is kept if it is to be
	                   */
};

/* Where a run is. Means are over the examples since the last report. */
struct bt_train_news {
	enum bt_train_event what;
	struct bt_train_run *run; /* for the functions below */
	int64_t step, total;      /* updates done and to be done */
	int64_t epoch;            /* that the last one belongs to, from 1 */
	double loss;
	double accuracy; /* of classes */
	int64_t seen;    /* so many examples */
	const struct bt_task *task;
	double seconds; /* of training; TIMED, REPORTED: since the last one */
	int64_t from;   /* TIMED: the updates before */
	uint64_t examples;                     /* TIMED: in between */
	const struct bt_metrics_summary *eval; /* REPORTED; or NULL */
	const struct bt_squad_sum *answers;    /* REPORTED: to questions, where
	                                        * all are known; or NULL */
	double eval_seconds;                   /* REPORTED: that it took */
	bool kept;                             /* REPORTED */
};

struct bt_train_opts {
	double epochs;
	int64_t steps; /* updates in all; 0: as many as epochs have */
	struct bt_batching batching;
	int shards; /* of a batch, whose gradients are computed one by one and
	             * added up as in dist/shards.h; 0: as many as there are
	             * ranks */
	struct bt_dist *dist; /* the ranks that all call bt_train, with the same
	                       * arguments but for what is logged; NULL: one
	                       * process */
	struct bt_device *device; /* that trains in place of the model's engine,
	                           * which was built without training; NULL:
	                           * none. One process and one shard, Adam or
	                           * its kin, no teacher or fgm, no
	                           * `answered` for training */
	struct bt_device_waiter *waiter; /* of that; NULL where it is */
	struct bt_schedule_opts schedule;
	struct bt_optim_opts optim;
	double smoothing;
	double r_drop; /* weight of how far two passes over a text are apart
	                * (bt_op_softmax_loss); 0: one pass */
	double fgm; /* epsilon of bt_fgm, 0: none; each update has a second pass
	             * over its texts, with the same dropout */
	enum bt_embedding_loss embedding_loss; /* of embeddings */
	struct bt_matryoshka matryoshka;       /* likewise */
	bool recompute;      /* activations; see cpu/engine.h */
	bool detect;         /* values that are not finite; likewise */
	const char *metric;  /* that chooses the best model */
	bool keep_last;      /* the last model is kept, not the best */
	int64_t eval_steps;  /* updates from evaluation to evaluation; 0: an
	                      * epoch */
	int64_t epoch_steps; /* updates of what counts as an epoch, after which
	                      * the model is evaluated; 0: a pass over the data.
	                      * Not with eval_steps */
	int64_t patience;    /* ends after so many evaluations that were not the
	                      * best; 0: does not */
	const char *freeze;  /* as given (model/freeze.h); already in the graph;
	                      * or NULL */
	struct bt_lora lora; /* likewise; of rank 0: none */
	const char *class_weight;   /* as given, */
	const float *class_weights; /* [labels] and as it is; or NULL: already
	                             * in the data's weights */
	const char *pos_weight;     /* as given, */
	const float *pos_weights;   /* [labels] and as it is; or NULL: all 1 */
	const float *teacher; /* [bt_teacher_rows(train)][labels] what it wants,
	                       * as bt_teacher_read makes it; or NULL */
	uint32_t teacher_crc; /* of them */
	double teacher_weight, temperature;
	struct bt_masking *masking;   /* of each update's tokens; or NULL */
	enum bt_windows_join windows; /* of a text: each has its share of the
	                               * weight; how they are joined in
	                               * evaluation */
	double train_share; /* of the examples there were, which the data are
	                     * already; 0: all */

	/* checkpoints; 0: none */
	int64_t save_steps;  /* updates from one to the next */
	int64_t save_first;  /* one more after so many updates */
	bool save_end;       /* and one when all is done */
	double save_minutes; /* likewise */
	int64_t keep;        /* so many are kept, also when the run is over */
	double max_minutes;  /* then the run ends with one; 0: never */
	double asked_at;     /* bt_seconds() from which they count */
	double pause;        /* after this share of the updates the run ends
	                      * with one, and is measured as it is then; 0: does
	                      * not. What follows when it is resumed does not
	                      * depend on that */
	int64_t recoveries;  /* so often the run goes back to the checkpoint
	                      * when it diverged, and on with other batches */
	bool keep_finished;  /* an error rather than to replace a finished
	                      * model in the directory */
	bool resume;
	const char *resume_from; /* NULL: the newest in the directory */

	/* how answers to the questions of evaluation are found and scored;
	 * NULL: as run_qa does */
	const struct bt_answers_opts *answers;

	const char *tensorboard; /* directory for event files; or NULL */
	const char *curves;      /* under which name in it those of training and
	                          * evaluation are, "summaries/"; NULL: "" */
	bool own_curves;         /* they hold what news adds to them, no more */
	int64_t log_steps;       /* updates from one measure of speed to the
	                          * next; 0: as evaluation. Without news, each
	                          * is a line of the log and of the history */
	double log_seconds;      /* without log_steps and news: from one line of
	                          * the log to the next; 0: none */
	const char *out;         /* the model directory to write; exists */

	/* Adds what else belongs into the directory to which bt_model_save
	 * writes. May be NULL. */
	int (*save_more)(void *ctx, const char *dir, struct bt_error *err);
	void *ctx;

	/* Called with what happens. May be NULL. */
	int (*news)(void *ctx, const struct bt_train_news *news,
	            struct bt_error *err);
	void *news_ctx;
	/* Called with the answer to example i of d: logits, or numbers; while
	 * it is trained on, or evaluated. May be NULL. */
	void (*answered)(void *news_ctx, bool training,
	                 const struct bt_dataset *d, size_t i,
	                 const float *answer);

	/* Nothing is trained or kept: the model, or with resume the checkpoint,
	 * is evaluated once and reported. */
	bool measure_only;

	bool (*stopped)(void); /* asked after each update; may be NULL */
	const struct bt_log *log;
	struct bt_progress *progress; /* may be NULL */
	struct bt_profile *profile;   /* the engine's too; may be NULL */
};

enum bt_train_end {
	BT_TRAIN_FAILED,
	BT_TRAIN_ALL,       /* all updates were done */
	BT_TRAIN_NO_BETTER, /* patience was at its end */
	/* with a checkpoint to go on from: */
	BT_TRAIN_STOPPED, /* when asked */
	BT_TRAIN_TIME,    /* after max_minutes */
	BT_TRAIN_PAUSED   /* after the share of the updates asked for */
};

/* What a run did. */
struct bt_train_result {
	int64_t steps; /* updates of the whole run, resumed ones included */
	int64_t total; /* that it was to have */
	enum bt_train_end end;
	bool kept;         /* the directory holds a model of this run */
	bool measure_only; /* as in bt_train_opts */
	/* of this process */
	double seconds;       /* of training, evaluation left out */
	double whole_seconds; /* with it, and with what is saved */
	double run_seconds;   /* so many of the whole run, with what it took
	                       * before it was resumed */
	int64_t begun;        /* updates that had been done then; 0 */
	uint64_t examples, tokens;
	double flop;       /* of the model's products */
	size_t peak;       /* bytes of memory, before that limit was measured */
	double flop_limit; /* operations a second that matrix products reach on
	                    * this machine; 0: not measured */
	int best_epoch;    /* from 1; 0: nothing was measured */
	int64_t best_step;
	double loss;        /* of training, at the last report */
	double end_loss;    /* of the last quarter of that epoch */
	double best;        /* the measure there */
	const char *metric; /* which measure that is */
	struct bt_metrics_summary measured; /* by the last evaluation; kind
	                                     * NULL: there was none */
	size_t eval_texts;                  /* of it */
};

/* What all data would be read for in vain: BT_EARG where there are fewer shards
 * than ranks, BT_EIO where the checkpoint to resume from is not there. */
int bt_train_check(const struct bt_train_opts *o,
                   struct bt_error *err) BT_MUST_USE;

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

/* For news: adds a scalar to a file of events. */
enum bt_train_curve {
	BT_TRAIN_CURVE_TRAIN,
	BT_TRAIN_CURVE_VALIDATION,
	BT_TRAIN_CURVE_SPEED
};
void bt_train_scalar(struct bt_train_run *run, enum bt_train_curve curve,
                     double value, const char *tag);

/* For news: writes the model of this moment into a directory, which is there,
 * with all that belongs to it. */
int bt_train_save_model(struct bt_train_run *run, const char *dir,
                        struct bt_error *err) BT_MUST_USE;

/* For news: the measures of the last evaluation, by class. */
const struct bt_metrics *bt_train_measured(const struct bt_train_run *run);

/* As many shards as are meant. */
static inline int bt_train_shards(const struct bt_train_opts *o)
{
	return o->shards > 0 ? o->shards : bt_dist_size(o->dist);
}

/* Passes over each example of an update. */
static inline size_t bt_train_passes(const struct bt_train_opts *o)
{
	return o->r_drop > 0 ? 2 : 1;
}

/* Updates that a run of these batches is to have. */
int64_t bt_train_steps(struct bt_batches *b, const struct bt_train_opts *o);

/* Where the checkpoint of a run into that directory stands; free() it. */
char *bt_train_checkpoint(const char *out);

/* Removes it, and the model that stands there. */
void bt_train_remove(const char *out);

/* Whether one stands there: of a run that was stopped or killed, or of one that
 * is over and was to keep it. */
bool bt_train_left(const char *out);

#endif

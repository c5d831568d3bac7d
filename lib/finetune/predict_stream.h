/* SPDX-License-Identifier: MIT */
/*
 * Token records through a trained model, block by block: memory does not grow
 * with the input. The model and everything it needs are opened together.
 */
#ifndef BT_FINETUNE_PREDICT_STREAM_H
#define BT_FINETUNE_PREDICT_STREAM_H

#include "base/pool.h"
#include "finetune/device_tell.h"
#include "finetune/ensemble.h"
#include "finetune/forward.h"
#include "finetune/join.h"
#include "finetune/model.h"
#include "record/windows.h"
#include "tokenizer/tokenizer.h"

struct bt_predict_stream_opts {
	const char *model;   /* directory of a trained classifier; or NULL: */
	const char *config;  /* its configuration, */
	const char *weights; /* its checkpoint, */
	int classes;         /* and their number, as bt_model_open_parts */
	const char *const *more; /* n_more further ones, or NULL: the mean of
	                          * all their probabilities is predicted */
	size_t n_more;
	bool apart; /* their answers are not averaged: see bt_predict_stream_fn
	             */
	/* called, unless it is NULL, for each record that is not filling, as it
	 * is read: number k of the next block, record `number` of all inputs,
	 * from 1; data is its payload */
	int (*look)(void *ctx, size_t k, uint64_t number, const void *data,
	            size_t len, struct bt_error *err);
	void *look_ctx;
	const char *embed; /* cls, mean, max: embed texts, by any encoder; auto:
	                    * as sentence-transformers would; NULL: classify
	                    * them */
	/* a classifier of entailment (bt_model_entailment) chooses an answer
	 * where the first of these records, n_records as bt_predict_stream_run
	 * will be given, is a choice */
	bool entails;
	bool singly; /* each choice by itself, as bt_model_open_entailment */
	char *const *records;
	int n_records;
	bool judges;   /* without embed: a model that was not trained for labels
	                * does what it was trained for, if it says so: it embeds
	                * texts, for bt_task_embedding, or tells tokens */
	bool fills;    /* the model tells the masks that stand in texts */
	bool each;     /* one that judges tells each token of a text, when it is
	                * masked by itself; else those that bt_masking_fix masks
	                */
	uint64_t seed; /* of these */
	bool explains; /* bt_contributions will be asked of model.engine */
	bool graded;   /* a ranker's labels may be degrees, above 1 */
	bool raw;      /* the model's calibration is left aside */
	enum bt_precision dtype;
	const char *gemm;         /* or NULL, as it must be with int8 */
	const char *device;       /* a PJRT plugin that computes, by its name or
	                           * path; or NULL: the CPU engine */
	int replicas;             /* devices of it that share the work, as
	                           * bt_device_open takes them; 0: one */
	const struct bt_log *log; /* or NULL; outlives the stream */
	struct bt_progress *progress; /* likewise: of compiling for a device */
	struct bt_profile *profile;   /* times are added; or NULL */
	int threads;
	enum bt_label_mode labels;    /* KNOWN or OPTIONAL */
	enum bt_windows_join windows; /* of a text, to one example */
	uint64_t expect;              /* records; 0: any number */
	bool live; /* texts are answered as soon as more would be waited for,
	            * and not only in whole blocks; not with dist */
	struct bt_dist *dist; /* ranks that share the work and all call the
	                       * functions below, with the same arguments; or
	                       * NULL */
};

struct bt_predict_stream {
	struct bt_predict_stream_opts o;
	struct bt_device *device; /* or NULL */
	struct bt_device_waiter waiter;
	struct bt_pool *pool;
	struct bt_tok *tok; /* NULL: the model directory has none */
	/* looked into before the model was opened, as far as the first record;
	 * or NULL */
	struct bt_tfrecord *in;
	const uint8_t *first; /* NULL: there was none */
	size_t first_len;
	bool entails; /* which is a choice: the model is opened for these */
	struct bt_model model;
	struct bt_sentence own; /* with auto: how it embeds; else zero */
	struct bt_ensemble more;
	struct bt_gather gather;
	struct bt_dataset block;
	struct bt_masking masking; /* where tokens are predicted */
	struct bt_dataset copies;  /* of an example, for each of its tokens */
	struct bt_windows windows;
	struct bt_join join;

	/* of bt_predict_stream_run so far */
	uint64_t records, tokens, pairs; /* of texts */
	uint64_t examples;               /* records, windows of a text as one */
	struct bt_tfrecord_sum sum;      /* of all records */
	double flop;                     /* of products */
	double seconds;
};

int bt_predict_stream_open(const struct bt_predict_stream_opts *o,
                           struct bt_predict_stream *s,
                           struct bt_error *err) BT_MUST_USE;
void bt_predict_stream_close(struct bt_predict_stream *s);

/* Called for each example in input order: i counts those of all inputs, without
 * filling, from 0; of the block d its record, the last one of joined windows,
 * is number k. With apart, logits are n_more + 1 rows, one for each model.
 * Returns 0 to go on. Each
 * rank is called for all examples. */
typedef int bt_predict_stream_fn(void *ctx, uint64_t i,
                                 const struct bt_dataset *d, size_t k,
                                 const float *logits, struct bt_error *err);

/* Runs all records of the inputs (none: standard input). after, which may be
 * NULL, is called behind each block. No record at all is an error. */
int bt_predict_stream_run(struct bt_predict_stream *s, char *const *paths,
                          int n_paths, bt_predict_stream_fn *fn,
                          int (*after)(void *ctx, struct bt_error *err),
                          void *ctx, struct bt_error *err) BT_MUST_USE;

/* Prints the profile, if one was asked for, and as the last line how fast the
 * records went, which `what` names ("prediction"). Measures this machine's
 * limits for that where the run was long enough to be worth it. */
int bt_predict_stream_summary(struct bt_predict_stream *s, const char *what,
                              const struct bt_log *log,
                              struct bt_error *err) BT_MUST_USE;

#endif

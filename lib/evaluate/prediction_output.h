/* SPDX-License-Identifier: MIT */
/* Where a model's predictions go: labels and numbers (predict/predict.h), tags
 * of words, tokens for masks, answers to questions, or rows of numbers, as its
 * task has them; or where what explains them goes. */
#ifndef BT_EVALUATE_PREDICTION_OUTPUT_H
#define BT_EVALUATE_PREDICTION_OUTPUT_H

#include "dedup/duplicate_ids.h"
#include "evaluate/explain_output.h"
#include "evaluate/mask_output.h"
#include "finetune/predict_stream.h"
#include "predict/choices.h"
#include "predict/fields.h"
#include "predict/predict.h"
#include "predict/span_files.h"
#include "predict/tags.h"
#include "tensorstream/row_writer.h"

struct bt_prediction_output_opts {
	const char *output;  /* path; NULL: standard output */
	const char *format;  /* conll, csv, json, jsonl, npy, tensor, tfrecord,
	                      * tsv; NULL: the task's own */
	bool embed;          /* embeddings, not predictions */
	bool normalize;      /* these are divided by their length */
	size_t truncate_dim; /* so many first values of each; 0: all */
	const char *with;    /* fields for labels (predict/fields.h), or NULL */
	struct bt_predict_opts labels; /* form, fields, log, sets are set
	                                * here */
	bool sets; /* of classes are written too, as the model has them */
	struct bt_span_files_opts answers; /* format, output, google are set
	                                    * here */
	bool google;   /* answers are found as run_squad does */
	bool explains; /* not the predictions are written but */
	struct bt_explain_opts explain; /* what explains them; form and log are
	                                 * set here */
	const char *scheme;             /* of tags (predict/tags.h), or NULL */
	const struct bt_log *log;       /* or NULL */
};

/* Zero is not open. Not to be moved while it is. */
struct bt_prediction_output {
	struct bt_prediction_output_opts o;
	const struct bt_model *model;
	struct bt_fields *fields; /* of with, or NULL */
	struct bt_predict *labels;
	struct bt_tags *tags;                /* of words, or: */
	struct bt_mask_output *masks;        /* in texts, or: */
	struct bt_choices *choices;          /* of questions, or: */
	struct bt_explain_output *explained; /* predictions, or: */
	struct bt_span_files answers;        /* to questions, if */
	bool asks;                           /* they are, or: */
	struct bt_row_writer *rows;          /* of tensors and embeddings */
	double *sum;  /* [outputs] of arrays of probabilities: */
	float *proba; /* [outputs] */
	struct bt_out *out;
	uint64_t n; /* records */
	struct bt_duplicate_ids ids;
	bool looks; /* for repeated ids */
};

/* For the predictions of s, which must be open and stay so. BT_EARG where the
 * model's task is not written in that format. */
int bt_prediction_output_open(struct bt_prediction_output *p,
                              const struct bt_prediction_output_opts *o,
                              struct bt_predict_stream *s,
                              struct bt_error *err) BT_MUST_USE;
void bt_prediction_output_clear(struct bt_prediction_output *p);

/* A bt_predict_stream_opts.look; ctx is the output. */
int bt_prediction_output_look(void *ctx, size_t k, uint64_t number,
                              const void *data, size_t len,
                              struct bt_error *err);

/* A bt_predict_stream_fn; ctx is the output. */
int bt_prediction_output_add(void *ctx, uint64_t i, const struct bt_dataset *d,
                             size_t k, const float *logits,
                             struct bt_error *err);

/* As bt_out_is_live. */
bool bt_prediction_output_is_live(const struct bt_prediction_output *p);

/* Explains what was added, if that is asked for; lets the reader at the other
 * end of a pipe have what there is. */
int bt_prediction_output_flush(struct bt_prediction_output *p,
                               struct bt_error *err) BT_MUST_USE;

/* Completes the files if r is BT_OK; abandons them, and returns r, if it is an
 * error. */
int bt_prediction_output_close(struct bt_prediction_output *p, int r,
                               struct bt_error *err) BT_MUST_USE;

/* Says what was written. */
void bt_prediction_output_tell(const struct bt_prediction_output *p,
                               const struct bt_log *log);

#endif

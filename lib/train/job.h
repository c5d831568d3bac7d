/* SPDX-License-Identifier: MIT */
/*
 * A whole training job from files: reads the model and the records, fixes the
 * labels, builds the classifier, and trains it into a directory.
 */
#ifndef BT_TRAIN_JOB_H
#define BT_TRAIN_JOB_H

#include "device/device.h"
#include "finetune/device_tell.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"
#include "train/fold.h"
#include "train/memory_plan.h"
#include "train/pseudo_label.h"

/* What becomes of the head that the starting model may have. */
enum bt_job_head {
	BT_JOB_HEAD_FITS, /* it stays, its classes where they are the labels */
	BT_JOB_HEAD_CLASSES, /* the classes are fresh */
	BT_JOB_HEAD_FRESH    /* all of it is */
};

struct bt_job_opts {
	const char *model;         /* directory to start from, or NULL: then */
	const char *init_config;   /* a configuration file, or "tiny" */
	const json_t *config;      /* in place of init_config; or NULL */
	const char *init_weights;  /* checkpoint for either, or NULL */
	enum bt_job_head old_head; /* what becomes of the starting model's */
	const char *tokenizer;     /* directory or file, or NULL: the model's */
	const struct bt_tok_opts *tokenizer_opts; /* of tokenizer; or NULL */
	const struct bt_task *task; /* NULL: that of the model, classification
	                             * if it has none */
	const char *labels;         /* as bt_labels_parse takes them, or NULL */
	int n_labels;         /* classes by number of label_ids; 0: those that
	                       * the records have */
	char *const *records; /* token records; n_records 0: stdin */
	int n_records;
	uint64_t expect;    /* training records; 0: any number */
	size_t first;       /* of them, that are trained on; 0: all */
	const char *eval;   /* token records, or NULL: then those of */
	char *const *evals; /* n_evals files */
	int n_evals;
	size_t eval_first; /* of them, that are evaluated on; 0: all */
	size_t eval_batch; /* only as many as make full batches of that size;
	                    * 0: all. Never none */
	bool windows;      /* train.windows were asked for */
	size_t longest;    /* tokens of a training record; 0: any */
	size_t eval_longest;
	bool unweighted;     /* the weights of records do not count */
	const char *teacher; /* its predictions of the training records, or
	                      * NULL; train.temperature (0: 2, or 1 for numbers)
	                      * and teacher_weight say how they count */
	struct bt_pseudo_label pseudo; /* of training records without a label */
	double eval_share; /* of the training records, held out; 0: none */
	/* train.train_share: of the examples that are left then */
	const char *embedding_loss;  /* ranking, cosent, cosine; NULL: as the
	                              * pairs have scores or none */
	const char *matryoshka_dims; /* numbers with commas between, for
	                              * train.matryoshka; or NULL */
	const char *pool; /* of BT_POOLED_NAMES, or NULL: as the model has */
	const char *head; /* as bt_head_parse takes it, or NULL: likewise */
	double mask_prob; /* of tokens that are masked; 0: .15 */
	bool whole_words; /* are */
	const char *next_sentence; /* whether it is learnt: yes, no or, also if
	                            * NULL, auto: if the records say it and the
	                            * model can */
	bool few_shot;             /* pairs of texts of one class come first */
	struct bt_fold fold; /* of the training records, that is left out */
	double dropout;      /* for all of the model; below 0: as configured */
	bool twice;          /* the classifier's dropout is applied two times */
	enum bt_precision dtype;
	const char *gemm;   /* or NULL */
	const char *device; /* a PJRT plugin that trains, by its name or file,
	                     * where train says what it can; or NULL: the CPU */
	bool lent;          /* train.device is open, and stays so */
	int replicas;       /* devices of it that train together, as
	                     * bt_device_open takes them; 0: one */
	struct bt_device_costs costs; /* of a job that is planned: to be told,
	                               * of the device's programs */
	int threads;
	bool default_recipe; /* nobody chose both the rate and the number of
	                      * updates: a run that is too short says so */
	struct bt_weights_gaps gaps; /* of the starting model */
	char *const *card_command;   /* [n_card_command] the program's, for the
	                              * model card; 0: none is written */
	int n_card_command;
	const char *card_name;      /* the model's on it; NULL: that of the
	                             * directory */
	struct bt_train_opts train; /* out and log are its; save_more is set */
};

struct bt_job {
	struct bt_job_opts o;
	struct bt_pool *pool;
	struct bt_tok *tok; /* NULL: the model has none */
	struct bt_model model;
	struct bt_dataset train, eval;
	struct bt_masking masking; /* that of o.train, or zero */
	bool has_eval;
	const struct bt_task *old_task; /* of the starting model */
	struct bt_labels old_labels;    /* likewise */
	int *old_row; /* where only some labels of the run are among them, or
	               * in another order: the numbers there, -1 of a new
	               * label; else NULL */
	float *class_weights; /* those of o.train, or NULL */
	float *pos_weights;   /* likewise */
	float *teacher;       /* likewise */
	bool new_head;        /* the head is another than the model's */
	bool keeps_head;      /* the model's classifier is trained on */
	char *base;           /* what adapters call the starting model */
	int claim;            /* of the output directory, or -1 */
	bool normalizes; /* a model that embeds texts scales them to length 1 */
	bool made;       /* the output directory is of this run */
	struct bt_memory_plan need;
	struct bt_device_waiter waiter; /* that of o.train */
};

/* Opens the device that a job names, if it does, before there are threads, for
 * several jobs, one after the other: sets o->lent and o->train.device, to be
 * closed. */
int bt_job_share_device(struct bt_job_opts *o,
                        struct bt_error *err) BT_MUST_USE;

/*
 * Does it all. What stands in the output directory from before stays until the
 * first model is kept. *res is also set when training itself fails.
 */
int bt_job_run(const struct bt_job_opts *o, struct bt_train_result *res,
               struct bt_error *err) BT_MUST_USE;

/* Checksums of what the job reads (finetune/inputs.h). */
int bt_job_inputs(const struct bt_job_opts *o, json_t **sums,
                  struct bt_error *err) BT_MUST_USE;

/* Opens and checks all that the job reads and tells what it will need; takes no
 * memory for it and writes nothing. o->train.out may be NULL. With o->costs the
 * programs of its first batches are compiled. */
int bt_job_plan(const struct bt_job_opts *o, struct bt_memory_plan *need,
                struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A classifier ready to run: its configuration, labels, graph and engine. It is
 * read from and written to a model directory in Hugging Face's layout
 * (config.json, model.safetensors, tokenizer files); Google's bert_config.json
 * is read too.
 */
#ifndef BT_FINETUNE_MODEL_H
#define BT_FINETUNE_MODEL_H

#include "base/log.h"
#include "cpu/engine.h"
#include "device/device.h"
#include "finetune/calibration.h"
#include "finetune/dataset.h"
#include "finetune/weights.h"
#include "model/config.h"
#include "model/family.h"
#include "model/lora.h"
#include "record/labels.h"
#include "task/task.h"

struct bt_model {
	struct bt_config config;
	const struct bt_task *task;
	struct bt_labels labels; /* names of the outputs */
	bool entails, singly;    /* by bt_model_open_entailment */
	bool embeds;             /* it is an encoder that embeds texts */
	enum bt_pooling pooling; /* if so */
	struct bt_sentence_dense dense[BT_SENTENCE_DENSE]; /* behind that */
	int n_dense;
	const char *freeze;  /* what of it is not trained (model/freeze.h); or
	                      * NULL */
	struct bt_lora lora; /* adapters, which alone are trained, with the
	                      * head; of rank 0: none */
	const char *base;    /* name or directory of what they change */
	uint32_t base_sum;   /* its fingerprint by signs (ckpt/fingerprint.h) */
	struct bt_graph graph;
	struct bt_engine *engine;
	struct bt_ckpt *weights;           /* that the engine reads; or NULL */
	struct bt_calibration calibration; /* of its directory, or none */
	/* of an opened model, checksums of the pooling and of the first values
	 * of its parameters, whatever type computes: sum of their bits,
	 * fingerprint of their signs, as embeddings have it */
	uint32_t sum;
	char fingerprint[9];
};

/* Zero is no model. */
void bt_model_clear(struct bt_model *m);

/* Reads the configuration of a model directory, and the labels in it (none: n
 * is 0). */
int bt_model_config(const char *dir, struct bt_config *c, struct bt_labels *l,
                    struct bt_error *err) BT_MUST_USE;

/* The type of matrix products. */
enum bt_precision {
	BT_PRECISION_AUTO, /* the faster of the next two, which depends on who
	                    * multiplies */
	BT_PRECISION_F32,
	BT_PRECISION_BF16,
	BT_PRECISION_INT8 /* all else is bf16 */
};

/* That of "auto", "f32", "bf16", "int8". */
enum bt_precision bt_precision_named(const char *name);

/* Whether the model computes in bf16; on a device, which multiplies it faster
 * unless it is this machine's CPU. */
bool bt_model_low(enum bt_precision dtype, const char *gemm);
bool bt_model_low_on(const struct bt_device *device, enum bt_precision dtype);

/* Loads a model's parameters on a device. */
int bt_model_load_on(const struct bt_model *m, struct bt_device *device,
                     bool low, struct bt_error *err) BT_MUST_USE;

/* Tells what computes the model, and what a user should know of it. */
void bt_model_log(const struct bt_model *m, const struct bt_log *log);

/* Builds graph and engine for m's configuration and labels. bt_model_plan stops
 * where bt_engine_allocate would have to follow. Options without a longest text
 * mean one of as many tokens as the model has positions. */
int bt_model_plan(struct bt_model *m, const struct bt_engine_opts *o,
                  struct bt_error *err) BT_MUST_USE;
int bt_model_build(struct bt_model *m, const struct bt_engine_opts *o,
                   struct bt_error *err) BT_MUST_USE;

/* Adds the sum of an opened model and the names of its labels to a checksum. */
uint32_t bt_model_sum(const struct bt_model *m, uint32_t sum);

/* What records must fit; tokenizer may be NULL. */
struct bt_fit bt_model_fit(const struct bt_model *m, const char *tokenizer);

/* How many of the examples are pairs of texts, as far as records made for the
 * model show it; tok is its tokenizer, or NULL. */
struct bt_tok;
size_t bt_model_pairs(const struct bt_config *c, const struct bt_tok *tok,
                      const struct bt_dataset *d);

/* Warns where pairs of n texts are not what the model was trained on; what says
 * whose they are ("records"). */
void bt_model_check_pairs(const struct bt_config *c, const char *what, size_t n,
                          size_t pairs, const struct bt_log *log);

/* Opens a trained model directory for prediction: configuration, labels and all
 * weights. o->max_length is taken from the model. *m is overwritten; the caller
 * clears it, and must not move it. */
int bt_model_open(const char *dir, const struct bt_engine_opts *o,
                  struct bt_model *m, struct bt_error *err) BT_MUST_USE;

/* The same of a model in parts: a configuration, which names no labels, a
 * checkpoint, and the number of classes, which are named by their numbers; or
 * 1, and it predicts a number; or 0, and it answers questions. */
int bt_model_open_parts(const char *config, const char *weights, int classes,
                        const struct bt_engine_opts *o, struct bt_model *m,
                        struct bt_error *err) BT_MUST_USE;

/* The class of those that says that a second text follows from the first, as
 * transformers finds it: whose name begins with "entail", in any case; or -1.
 */
int bt_model_entailment(const struct bt_labels *classes);

/* The class of contradiction: one whose name begins with "contra" or, as
 * transformers has it, the first or, if that entails, the last. */
int bt_model_contradiction(const struct bt_labels *classes, int entailment);

/* Opens a classifier of pairs of texts (NLI) to choose an answer, for
 * bt_task_multiple_choice: its one output is the logit of that class. Singly,
 * the logit of contradiction is subtracted, so that the sigmoid is the
 * probability of the one among the two. */
int bt_model_open_entailment(const char *dir, bool singly,
                             const struct bt_engine_opts *o, struct bt_model *m,
                             struct bt_error *err) BT_MUST_USE;

/* Opens the encoder of a model directory, trained as a classifier or not, to
 * embed texts; with the dense layers that the directory has according to own,
 * unless that is NULL. */
int bt_model_open_encoder(const char *dir, enum bt_pooling pooling,
                          const struct bt_sentence *own,
                          const struct bt_engine_opts *o, struct bt_model *m,
                          struct bt_error *err) BT_MUST_USE;

/* Opens a model directory to tell masked tokens and, with `next`, next
 * sentences if its class is one that does. */
int bt_model_open_masked(const char *dir, bool next,
                         const struct bt_engine_opts *o, struct bt_model *m,
                         struct bt_error *err) BT_MUST_USE;

/* Numbers in the answer to a text: classes, or columns of an embedding. */
size_t bt_model_width(const struct bt_model *m);

/*
 * Writes config.json and model.safetensors into an existing directory, or where
 * m has adapters these alone, as peft does (adapter_model.safetensors,
 * adapter_config.json); the files of the other kind go. Each is complete or not
 * there at all; more, unless it is NULL, adds other files. The
 * weights, for which room may be wanting, are on the disk before the first of
 * the other files appears, and get their name last: what stood there from
 * before is never joined with half of the new model.
 */
int bt_model_save(const char *dir, const struct bt_model *m,
                  int (*more)(void *ctx, const char *dir, struct bt_error *err),
                  void *ctx, struct bt_error *err) BT_MUST_USE;

/* Whether a directory has what bt_model_save writes last. */
bool bt_model_saved(const char *dir);

/* Whether it has a model whose training is over. A run that may write to it
 * asks this: it does not count as a reader of the files. */
bool bt_model_finished(const char *dir);

/* Removes what bt_model_save writes, if it is there. */
void bt_model_remove(const char *dir);

#endif

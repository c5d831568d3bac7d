/* SPDX-License-Identifier: MIT */
/*
 * Classifiers beside a first one, whose probabilities are averaged with its, an
 * ensemble, or which are compared with it. They have the first one's classes,
 * in any order, and take the same tokens.
 */
#ifndef BT_FINETUNE_ENSEMBLE_H
#define BT_FINETUNE_ENSEMBLE_H

#include "finetune/forward.h"
#include "finetune/model.h"

struct bt_ensemble {
	struct bt_model *model;
	const char *const *dir; /* borrowed; of each */
	int **class_of; /* [n][classes]: its number of the first one's class */
	size_t n;
	bool apart;  /* set before opening: they are to be compared */
	double *sum; /* of a block's probabilities */
	size_t sum_cap;
	float *mean; /* of an example */
	size_t mean_cap;
	float *rows; /* of bt_ensemble_each: a block's answers */
	size_t rows_cap;
};

/* Adds all of them to a checksum (bt_model_sum). */
uint32_t bt_ensemble_sum(const struct bt_ensemble *s, uint32_t sum);

/* Zero, but for apart, is none. tokenizer is the first one's fingerprint, or
 * NULL. The options are those of the first one's engine. */
int bt_ensemble_open(struct bt_ensemble *s, const char *const *dirs, size_t n,
                     const struct bt_model *first, const char *tokenizer,
                     const struct bt_engine_opts *o,
                     struct bt_error *err) BT_MUST_USE;
void bt_ensemble_clear(struct bt_ensemble *s);

/* Narrows what records must fit to what all of them take. */
void bt_ensemble_fit(const struct bt_ensemble *s, struct bt_fit *fit);

/* As bt_forward; the logits are the logarithms of the mean probabilities, or
 * those of such logits where any number of classes may hold; numbers, and the
 * logits of answers to questions, are the mean. */
int bt_ensemble_infer(struct bt_ensemble *s, const struct bt_model *first,
                      const struct bt_dataset *d, struct bt_gather *g,
                      bt_forward_fn *fn, void *ctx, double *flop,
                      struct bt_error *err) BT_MUST_USE;

/* The same with each one's own answers in place of the mean: fn is given n + 1
 * rows, the first one's first, all in the order of its classes. */
int bt_ensemble_each(struct bt_ensemble *s, const struct bt_model *first,
                     const struct bt_dataset *d, struct bt_gather *g,
                     bt_forward_fn *fn, void *ctx, double *flop,
                     struct bt_error *err) BT_MUST_USE;

#endif

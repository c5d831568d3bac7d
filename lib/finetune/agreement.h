/* SPDX-License-Identifier: MIT */
/*
 * How often a trained model predicts the same in int8 as in the type that it
 * computes in else, as was measured on the user's records and is kept in its
 * directory (BT_FILE_AGREEMENT), with a checksum of its weights.
 */
#ifndef BT_FINETUNE_AGREEMENT_H
#define BT_FINETUNE_AGREEMENT_H

#include <jansson.h>

#include "base/log.h"
#include "finetune/model.h"

struct bt_agreement {
	uint64_t n, equal; /* predictions, of texts or words; equal ones */
	double least;      /* share of them that was asked for */
	uint32_t weights;  /* bt_calibration_weights of the model */
};

/* Whether a model of this task predicts labels, which can be compared. */
bool bt_agreement_applies(const struct bt_task *task);

static inline double bt_agreement_share(const struct bt_agreement *a)
{
	return a->n > 0 ? (double)a->equal / (double)a->n : 0;
}

/* Reads it from the file's object. */
int bt_agreement_parse(const json_t *o, struct bt_agreement *a,
                       struct bt_error *err) BT_MUST_USE;

/* The object, which may get more members; NULL: out of memory. Writes it. */
json_t *bt_agreement_json(const struct bt_agreement *a);
int bt_agreement_write(const char *dir, const json_t *o,
                       struct bt_error *err) BT_MUST_USE;

/* Warns where the model of dir, which is going to predict in int8, was not
 * measured with the weights that it has, or fell short. */
int bt_agreement_warn(const char *dir, const struct bt_model *m,
                      const struct bt_log *log,
                      struct bt_error *err) BT_MUST_USE;

#endif

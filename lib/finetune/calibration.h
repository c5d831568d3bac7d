/* SPDX-License-Identifier: MIT */
/*
 * What was fitted to a trained classifier on held-out records and is kept in
 * its directory (BT_FILE_CALIBRATION): numbers that make its logits into
 * probabilities that can be trusted. Logit k becomes scale[k] * z[k] + bias[k].
 */
#ifndef BT_FINETUNE_CALIBRATION_H
#define BT_FINETUNE_CALIBRATION_H

#include <jansson.h>

#include "base/log.h"
#include "cpu/engine.h"
#include "finetune/forward.h"
#include "predict/label_sets.h"
#include "record/labels.h"

/* Zero is none. All numbers are those of an f32. */
struct bt_calibration {
	size_t n;                  /* outputs, or 0 */
	double *scale;             /* [n] */
	double *bias;              /* [n] */
	const char *method;        /* "temperature", "vector", "none" */
	uint64_t examples;         /* that it was fitted to */
	struct bt_label_sets sets; /* of classes, after that; or none */
	uint32_t weights;          /* bt_calibration_weights of the model */
	bool is_of_another;        /* it was fitted to other weights: n is 0 */
};

void bt_calibration_clear(struct bt_calibration *c);

/* n outputs that stay as they are. */
int bt_calibration_init(struct bt_calibration *c, size_t n,
                        struct bt_error *err) BT_MUST_USE;

/* A number that other weights do not have. */
uint32_t bt_calibration_weights(const struct bt_graph *g, struct bt_engine *e);

/* Reads that of a model directory, whose engine has its weights; none is
 * BT_OK. It must be of the same labels. */
int bt_calibration_read(const char *dir, const struct bt_graph *g,
                        struct bt_engine *e, const struct bt_labels *l,
                        struct bt_calibration *c,
                        struct bt_error *err) BT_MUST_USE;

/* The same from the file's object. */
int bt_calibration_parse(const json_t *o, const struct bt_labels *l,
                         struct bt_calibration *c,
                         struct bt_error *err) BT_MUST_USE;

/* Writes it, with more members, unless this is NULL. */
int bt_calibration_write(const char *dir, const struct bt_calibration *c,
                         const struct bt_labels *l, json_t *more,
                         struct bt_error *err) BT_MUST_USE;

/* Says what will be done to the logits of dir, or why nothing. */
void bt_calibration_log(const struct bt_calibration *c, const char *dir,
                        const struct bt_log *log);

/* out[k] = scale[k] * z[k] + bias[k]; the same array will do. */
void bt_calibration_apply(const struct bt_calibration *c, const float *z,
                          float *out);

/* As bt_forward, which gives the logits to calibrate, if there is anything to
 * do. */
int bt_calibration_forward(const struct bt_calibration *c, struct bt_engine *e,
                           const struct bt_dataset *d, struct bt_gather *g,
                           size_t classes, bt_forward_fn *fn, void *ctx,
                           double *flop, struct bt_error *err) BT_MUST_USE;

#endif

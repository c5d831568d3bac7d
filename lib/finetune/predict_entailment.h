/* SPDX-License-Identifier: MIT */
/* Whether records hold choices, which a classifier of entailment chooses from:
 * shown by the first one, before the model is opened. */
#ifndef BT_FINETUNE_PREDICT_ENTAILMENT_H
#define BT_FINETUNE_PREDICT_ENTAILMENT_H

#include "finetune/predict_stream.h"

/* Opens records as s->in. */
int bt_predict_records_open(struct bt_predict_stream *s, char *const *paths,
                            int n, struct bt_error *err) BT_MUST_USE;

/* Sets s->entails for a model of that configuration and these classes; looks
 * into the records that s->o names only where it knows entailment. */
int bt_predict_entailment_look(struct bt_predict_stream *s,
                               const struct bt_config *c,
                               const struct bt_labels *classes,
                               struct bt_error *err) BT_MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* Logits of many examples: batches in input order, cut by tokens. */
#ifndef BT_FINETUNE_FORWARD_H
#define BT_FINETUNE_FORWARD_H

#include "finetune/dataset.h"
#include "metrics/metrics.h"

/* A batch is closed before it would exceed this many tokens, or those that its
 * bt_gather says, or texts. */
#define BT_FORWARD_TOKENS ((size_t)2048)
#define BT_FORWARD_TEXTS ((size_t)512)

/* Called with the logits of example i, a row or, where tokens are classified, a
 * row for each of its tokens, or for each of those that are selected. Returns 0
 * to go on. */
typedef int bt_forward_fn(void *ctx, size_t i, const float *logits,
                          struct bt_error *err);

/* Runs all examples of d. Where ranks share the work (g->dist), which all call
 * this with the same examples, each runs some of the batches, and all give all
 * answers; an error of one is one of all. g must have room for such batches;
 * the engine grows for them, if it does not train, else it must, too. The
 * operations of the products are added to *flop, unless it is NULL. */
int bt_forward(struct bt_engine *e, const struct bt_dataset *d,
               struct bt_gather *g, size_t classes, bt_forward_fn *fn,
               void *ctx, double *flop, struct bt_error *err) BT_MUST_USE;

/* Which programs of a device bt_forward needs for them: while the device plans
 * they are noted; of one that runs none, they are compiled for their costs. */
int bt_forward_plan(const struct bt_dataset *d, struct bt_device *device,
                    size_t classes, struct bt_error *err) BT_MUST_USE;

/* Tokens that are selected in the batch with the most of them; 1 at least. */
size_t bt_forward_selected(const struct bt_dataset *d);

/* Adds example i of d, which has a label, to m, or each of its words that
 * does. */
int bt_forward_count(struct bt_metrics *m, const struct bt_dataset *d, size_t i,
                     const float *logits, struct bt_error *err) BT_MUST_USE;

/* Adds all labelled examples of d to m, and gives also (may be NULL) each of
 * their answers. The windows of a text are joined: its last one counts. */
int bt_forward_measure(struct bt_engine *e, const struct bt_dataset *d,
                       struct bt_gather *g, struct bt_metrics *m,
                       enum bt_windows_join how, bt_forward_fn *also, void *ctx,
                       struct bt_error *err) BT_MUST_USE;

#endif

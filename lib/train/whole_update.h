/* SPDX-License-Identifier: MIT */
/*
 * Updates whose texts are compared with each other, where these do not fit into
 * one batch: their embeddings are computed batch by batch, then the loss of all
 * and its gradient by them; with this, each batch runs forward again, with the
 * same dropout, and backward [Gao et al. 2021, "Scaling Deep Contrastive
 * Learning Batch Size under Memory Limited Setup"]. An update costs a further
 * forward pass, and is that of one large batch but for rounding.
 */
#ifndef BT_TRAIN_WHOLE_UPDATE_H
#define BT_TRAIN_WHOLE_UPDATE_H

#include "finetune/dataset.h"
#include "train/batches.h"

struct bt_whole_update {
	struct bt_gather gather; /* all texts of the update */
	size_t width;            /* columns of an embedding */
	float *x, *grads;        /* [texts][width] embeddings; their gradient */
	double *work;
};

/* Whether updates of so many batches, or parts of them, with this loss are
 * such. */
bool bt_whole_update_is(const struct bt_graph *g, enum bt_embedding_loss loss,
                        int parts);

/* Bytes for an update of at most so many texts, without those of gathering it.
 */
size_t bt_whole_update_bytes(const struct bt_engine *e, size_t width,
                             size_t texts);

/* For the largest update of b. */
int bt_whole_update_init(struct bt_whole_update *u, const struct bt_engine *e,
                         size_t width, const struct bt_batches *b,
                         struct bt_error *err) BT_MUST_USE;
void bt_whole_update_clear(struct bt_whole_update *u);

/* The loss of all texts, which are order[0 .. n - 1] of d; sets u->grads. How
 * the loss is taken is as in `like`. */
double bt_whole_update_loss(struct bt_whole_update *u, struct bt_engine *e,
                            const struct bt_dataset *d, const uint32_t *order,
                            size_t n, const struct bt_batch *like);

#endif

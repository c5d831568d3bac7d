/* SPDX-License-Identifier: MIT */
/*
 * How well a model ranks: records with the same value of a feature are the
 * candidates of one query, ordered by the probability of the second of two
 * classes, or by the number that is predicted; their label, or target, is how
 * relevant they are (0: not). Among equal scores the least relevant is first,
 * so that a constant score is worth nothing. Queries without a relevant
 * candidate are counted and left out.
 *
 * MRR@k is the mean over queries of 1 / rank of the first relevant candidate,
 * 0 where that is below rank k; NDCG@k is the sum of relevance / log2(rank + 1)
 * over the first k, divided by that of the best order (Jarvelin and Kekalainen
 * 2002, "Cumulated gain-based evaluation of IR techniques").
 */
#ifndef BT_EVALUATE_RANKING_H
#define BT_EVALUATE_RANKING_H

#include "finetune/dataset.h"
#include "metrics/metrics.h"

struct bt_ranking;

/* field is borrowed; top is k of the above. Memory is 12 bytes an example and
 * the values. */
struct bt_ranking *bt_ranking_new(const char *field, size_t top);
void bt_ranking_free(struct bt_ranking *g); /* takes NULL */

/* BT_EARG unless metrics like m are of two classes or of one number. */
int bt_ranking_check(const struct bt_metrics *m,
                     struct bt_error *err) BT_MUST_USE;

/* Looks at the payload of example k of a block. BT_EFORMAT if it lacks the
 * feature. */
int bt_ranking_look(struct bt_ranking *g, size_t k, const void *data,
                    size_t len, struct bt_error *err) BT_MUST_USE;

/* The answer to example k of the block, which has a label. */
int bt_ranking_add(struct bt_ranking *g, const struct bt_dataset *d, size_t k,
                   const float *answer, struct bt_error *err) BT_MUST_USE;

/* Lines of a report; members of its JSON object, or NULL. Both sort the
 * examples. */
void bt_ranking_report(struct bt_ranking *g, struct bt_buf *out);
json_t *bt_ranking_json(struct bt_ranking *g);

#endif

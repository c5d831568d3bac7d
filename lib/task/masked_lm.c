/* SPDX-License-Identifier: MIT */
/* The tokens behind masks are predicted: softmax over the vocabulary and cross
 * entropy (Devlin et al. 2018, "BERT", 3.1). */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "op/ops.h"
#include "task/target.h"

static int set_mask(struct bt_token_rec *rec, int64_t at, int64_t id,
                    float weight, struct bt_error *err)
{
	if (weight == 0)
		return BT_OK;
	if (weight != 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "masked_lm_weights holds %g, which is "
		                    "neither 0 nor 1",
		                    (double)weight);
	if (at < 0 || at >= (int64_t)rec->n)
		return bt_error_set(err, BT_EFORMAT,
		                    "masked_lm_positions holds %lld, and there "
		                    "are %zu tokens",
		                    (long long)at, rec->n);
	if (id < 0 || id > INT32_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "masked_lm_ids holds %lld, which is not a "
		                    "token",
		                    (long long)id);
	rec->token_label[at] = (int32_t)id;
	return BT_OK;
}

/* Masks of a record for pre-training, as Google's programs write it: their
 * positions, what was there, and weights, of which 0 fills the lists. */
static int read_masks(struct bt_token_rec *rec, struct bt_error *err)
{
	size_t n, m, w, i;
	int64_t *at, *id;
	float *weight;
	int r;

	if (rec->masked_ids.name == NULL || rec->masked_weights.name == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "has masked_lm_positions, but not both "
		                    "masked_lm_ids and masked_lm_weights");
	if ((r = bt_feature_int64s(&rec->masked_positions, NULL, 0, &n, err)) ||
	    (r = bt_feature_int64s(&rec->masked_ids, NULL, 0, &m, err)) ||
	    (r = bt_feature_floats(&rec->masked_weights, NULL, 0, &w, err)))
		return r;
	if (m != n || w != n)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "has %zu masked_lm_positions, %zu masked_lm_ids and %zu "
		    "masked_lm_weights, which must be equally many",
		    n, m, w);
	at = bt_array(n, sizeof(*at));
	id = bt_array(n, sizeof(*id));
	weight = bt_array(n, sizeof(*weight));
	if (at == NULL || id == NULL || weight == NULL)
		r = bt_error_nomem(err, "reading a record");
	if (r == BT_OK &&
	    !(r = bt_feature_int64s(&rec->masked_positions, at, n, &m, err)) &&
	    !(r = bt_feature_int64s(&rec->masked_ids, id, n, &m, err)))
		r = bt_feature_floats(&rec->masked_weights, weight, n, &m, err);
	for (i = 0; r == BT_OK && i < n; i++)
		r = set_mask(rec, at[i], id[i], weight[i], err);
	free(at);
	free(id);
	free(weight);
	return r;
}

/* The example's class: what the record says of its second segment. */
static int read_next(const struct bt_token_rec *rec, int32_t *label,
                     struct bt_error *err)
{
	int64_t v = 0;
	size_t n;
	int r;

	*label = BT_NEXT_UNKNOWN;
	if (rec->next_sentence.name == NULL)
		return BT_OK;
	r = bt_feature_int64s(&rec->next_sentence, &v, 1, &n, err);
	if (r != BT_OK)
		return r;
	if (n != 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %zu next_sentence_labels, not one", n);
	if (v != BT_NEXT_FOLLOWS && v != BT_NEXT_RANDOM)
		return bt_error_set(err, BT_EFORMAT,
		                    "next_sentence_labels holds %lld, which is "
		                    "neither 0 nor 1",
		                    (long long)v);
	*label = (int32_t)v;
	return BT_OK;
}

/* Without masks of its own a record is masked later. */
static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	size_t i;
	int r;

	(void)mode;
	(void)labels;
	if (bt_grow(&rec->token_label, &rec->token_label_cap, rec->n,
	            sizeof(*rec->token_label)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	for (i = 0; i < rec->n; i++)
		rec->token_label[i] = BT_TOKEN_INSIDE;
	rec->has_token_labels = true;
	r = read_next(rec, label, err);
	return r == BT_OK && rec->masked_positions.name != NULL
	           ? read_masks(rec, err)
	           : r;
}

static void loss(struct bt_graph *g, bool activated)
{
	(void)activated;
	g->loss = bt_op_softmax_loss(g, g->logits);
	if (g->next_logits >= 0)
		g->loss = bt_op_next_loss(g, g->next_logits);
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	(void)outputs;
	snprintf(out, size, "%llu tokens", (unsigned long long)d->start[d->n]);
}

const struct bt_task bt_task_masked_lm = {
    .name = "masked-lm",
    .pipeline = "fill-mask",
    .problem_type = BT_PROBLEM_MASKED,
    .output = "token",
    .outputs = "tokens",
    .predicts = "masked tokens",
    .learns = "tell masked tokens",
    .per_token = true,
    .masks = true,
    .truth = "a token to mask",
    .metric = "loss",
    .metrics = &bt_metrics_masked,
    .answer = &bt_answer_numbers,
    .target = target,
    .loss = loss,
    .describe = describe,
};

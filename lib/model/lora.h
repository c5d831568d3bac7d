/* SPDX-License-Identifier: MIT */
/* Low-rank adapters [Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large
 * Language Models"] for products of a model whose own weights stay. */
#ifndef BT_MODEL_LORA_H
#define BT_MODEL_LORA_H

#include "op/graph.h"

struct bt_lora {
	int rank; /* r; 0: no adapters */
	double alpha;
	double dropout;      /* of what they read */
	bool keeps_head;     /* the head is not trained */
	const char *targets; /* list with commas; NULL: BT_LORA_TARGETS */
};

/* peft's defaults. */
#define BT_LORA_ALPHA 8
/* The layers for queries and values or, where a family has them in one, for
 * queries, keys and values. */
#define BT_LORA_TARGETS                                                        \
	"query,value,query_proj,value_proj,q_lin,v_lin,q,v,q_proj,v_proj,"     \
	"Wqkv,qkv_proj,qkv"
#define BT_LORA_RANK_MAX 4096

static inline double bt_lora_scale(const struct bt_lora *l)
{
	return l->alpha / l->rank;
}

/*
 * targets: a list with commas of names of layers, or of the last parts of such
 * ("query", "output.dense"), of extended regular expressions that match a part
 * of a layer's name, and "all", which is every product of the encoder.
 *
 * BT_EARG for a pattern that is not valid.
 */
int bt_lora_check(const char *targets, struct bt_error *err) BT_MUST_USE;

/*
 * To each product of the encoder, X W', whose layer is a target, is added
 *   scale * (drop(X) A') B'   with A: (r, inputs), B: (outputs, r)
 * Layers that share W share these. A starts random and B with 0; both are
 * trained, and of the rest only the head, if that. BT_EARG where no layer fits,
 * or none one of the targets that were named.
 */
int bt_lora_add(struct bt_graph *g, const struct bt_lora *l,
                struct bt_error *err) BT_MUST_USE;

/* Whether parameter i is A or B of an adapter. */
bool bt_lora_is(const struct bt_graph *g, int i);

#endif

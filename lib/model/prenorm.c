/* SPDX-License-Identifier: MIT */
/* Layers with norms before their parts, and what configurations of families
 * that have them say alike. */
#include <stdio.h>
#include <string.h>

#include "format/json.h"
#include "model/family_int.h"

int bt_config_pooling(const json_t *o, struct bt_config *c, const char *first,
                      bool late, struct bt_error *err)
{
	const char *pooling = late ? "late" : first;
	int r = bt_json_str(o, "classifier_pooling", &pooling, err);

	if (r != BT_OK)
		return r;
	c->pools_mean = strcmp(pooling, "mean") == 0;
	c->pools_late = late && strcmp(pooling, "late") == 0;
	if (c->pools_mean || c->pools_late || strcmp(pooling, first) == 0)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "classifier_pooling '%s' is not supported (only "
	                    "'%s'%s are)",
	                    pooling, first,
	                    late ? ", 'mean' and 'late'" : " and 'mean'");
}

int bt_config_pads(const struct bt_config *c, struct bt_error *err)
{
	return c->pad_id < c->vocab_size
	           ? BT_OK
	           : bt_error_set(err, BT_EFORMAT,
	                          "pad_token_id %d is not in a vocabulary "
	                          "of %d",
	                          c->pad_id, c->vocab_size);
}

int bt_block_prenorm(struct bt_graph *g, const struct bt_config *c,
                     const struct bt_prenorm_form *f, int x, const char *prefix,
                     const char *name)
{
	int gamma = bt_block_gamma(g, c->hidden_size, prefix, name);

	return f->rms ? bt_op_rms_norm(g, x, gamma, c->norm_eps)
	              : bt_op_norm(g, x, gamma, -1, c->norm_eps);
}

/* Self-attention of x in layer i, the projection behind it included. */
static int attention(struct bt_graph *g, const struct bt_config *c,
                     const struct bt_prenorm_form *f, int x, int i,
                     const char *prefix)
{
	bool global = !f->windows || i % c->global_every == 0;
	int h = c->hidden_size, kv = h, w;

	if (c->kv_heads > 0)
		kv = h / c->heads * c->kv_heads;
	if (f->key == NULL) {
		x = bt_block_unbiased(g, x, h + 2 * kv, prefix, f->query,
		                      BT_ACT_NONE);
	} else {
		w = bt_block_weight(g, h, h, false, prefix, f->query);
		bt_block_weight(g, kv, h, true, prefix, f->key);
		bt_block_weight(g, kv, h, true, prefix, f->value);
		x = bt_op_linear(g, x, w, -1, 3, BT_ACT_NONE);
	}
	x = bt_block_rotated_attention(
	    g, c, x, f->by_head, global ? &c->global_rope : &c->local_rope,
	    global ? 0 : c->window / 2);
	return bt_block_unbiased(g, x, h, prefix, f->out, BT_ACT_NONE);
}

static int gated(struct bt_graph *g, const struct bt_config *c,
                 const struct bt_prenorm_form *f, int x, const char *prefix)
{
	int wide = f->inner != NULL ? f->inner(c) : c->intermediate_size, w;

	if (f->up == NULL) {
		x = bt_block_unbiased(g, x, 2 * wide, prefix, f->gate,
		                      BT_ACT_NONE);
	} else {
		w = bt_block_weight(g, wide, c->hidden_size, false, prefix,
		                    f->gate);
		bt_block_weight(g, wide, c->hidden_size, true, prefix, f->up);
		x = bt_op_linear(g, x, w, -1, 2, BT_ACT_NONE);
	}
	x = bt_op_glu(g, x, c->act, false);
	x = bt_block_dropout(g, x, f->drops ? c->hidden_dropout : 0);
	return bt_block_unbiased(g, x, c->hidden_size, prefix, f->down,
	                         BT_ACT_NONE);
}

/* With only_first all but the first tokens is left out behind the attention. */
static int layer(struct bt_graph *g, const struct bt_config *c,
                 const struct bt_prenorm_form *f, int x, int i, bool only_first)
{
	char prefix[64];
	int y = x;

	snprintf(prefix, sizeof(prefix), "%s%s%d.", c->family->prefix, f->stem,
	         i);
	if (i > 0 || !f->bare_first)
		y = bt_block_prenorm(g, c, f, x, prefix, f->attention_norm);
	y = attention(g, c, f, y, i, prefix);
	if (only_first) {
		y = bt_op_first(g, y);
		x = bt_op_first(g, x);
	}
	x = bt_op_add(g, x, y, f->drops ? c->attention_dropout : 0);
	y = bt_block_prenorm(g, c, f, x, prefix, f->gates_norm);
	return bt_op_add(g, x, gated(g, c, f, y, prefix), 0);
}

int bt_block_words(struct bt_graph *g, const struct bt_config *c,
                   const char *name)
{
	struct bt_embed_args a = {.position = -1,
	                          .type = -1,
	                          .gamma = -1,
	                          .beta = -1,
	                          .pad = c->pad_id};

	a.word = bt_block_weight(g, c->vocab_size, c->hidden_size, false,
	                         c->family->prefix, name);
	return bt_op_embed(g, &a);
}

int bt_block_prenorm_layers(struct bt_graph *g, const struct bt_config *c,
                            const struct bt_prenorm_form *f, int x,
                            bool only_first)
{
	int i;

	for (i = 0; i < c->layers; i++)
		x = layer(g, c, f, x, i, only_first && i == c->layers - 1);
	return bt_block_prenorm(g, c, f, x, c->family->prefix, f->last_norm);
}

/* SPDX-License-Identifier: MIT */
/* What the families have in common. */
#include <stdio.h>

#include "model/family_int.h"

int bt_block_weight(struct bt_graph *g, int rows, int cols, bool joined,
                    const char *prefix, const char *name)
{
	struct bt_param_spec s = {rows, cols,  BT_INIT_NORMAL,
	                          true, false, joined};

	return bt_graph_param(g, &s, "%s%s.weight", prefix, name);
}

int bt_block_bias(struct bt_graph *g, int cols, bool joined, const char *prefix,
                  const char *name)
{
	struct bt_param_spec s = {0, cols, BT_INIT_ZERO, false, false, joined};

	return bt_graph_param(g, &s, "%s%s.bias", prefix, name);
}

int bt_block_gamma(struct bt_graph *g, int cols, const char *prefix,
                   const char *name)
{
	struct bt_param_spec s = {0, cols, BT_INIT_ONE, false, false, false};

	return bt_graph_param(g, &s, "%s%s.weight", prefix, name);
}

int bt_block_unbiased(struct bt_graph *g, int x, int rows, const char *prefix,
                      const char *name, enum bt_activation act)
{
	int cols = g->failed ? 1 : g->nodes[x].cols;

	return bt_op_linear(g, x,
	                    bt_block_weight(g, rows, cols, false, prefix, name),
	                    -1, 1, act);
}

int bt_block_rotated_attention(struct bt_graph *g, const struct bt_config *c,
                               int qkv, bool by_head,
                               const struct bt_rope *rope, int window)
{
	int d = c->hidden_size / c->heads;
	int n = c->kv_heads > 0 ? c->kv_heads : c->heads;
	struct bt_attention_args a = {.q = qkv,
	                              .kv = qkv,
	                              .k_col = by_head ? d : c->hidden_size,
	                              .v_col = by_head ? 2 * d
	                                               : c->hidden_size + n * d,
	                              .heads = c->heads,
	                              .kv_heads = n,
	                              .head_dim = d,
	                              .head_step = by_head ? 3 * d : d,
	                              .relative_bias = -1,
	                              .relative_positions = -1,
	                              .rope = *rope,
	                              .neighbours = by_head,
	                              .window = window,
	                              .dropout = c->attention_dropout};

	return bt_op_attention(g, &a);
}

int bt_block_linear(struct bt_graph *g, int x, int rows, const char *prefix,
                    const char *name, enum bt_activation act)
{
	int cols = g->failed ? 1 : g->nodes[x].cols;
	int w = bt_block_weight(g, rows, cols, false, prefix, name);
	int b = bt_block_bias(g, rows, false, prefix, name);

	return bt_op_linear(g, x, w, b, 1, act);
}

int bt_block_dropout(struct bt_graph *g, int x, float dropout)
{
	return dropout > 0 ? bt_op_dropout(g, x, dropout) : x;
}

int bt_block_dense_head(struct bt_graph *g, const struct bt_config *c, int x,
                        enum bt_activation act)
{
	x = bt_block_dropout(g, x, c->classifier_dropout);
	return bt_block_linear(g, x, c->hidden_size, "classifier.", "dense",
	                       act);
}

int bt_block_embeddings(struct bt_graph *g, const struct bt_config *c, int cols)
{
	struct bt_embed_args a = {0};
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "%sembeddings.", c->family->prefix);
	a.word = bt_block_weight(g, c->vocab_size, cols, false, prefix,
	                         "word_embeddings");
	a.position =
	    c->no_positions
	        ? -1
	        : bt_block_weight(g, c->position0 + c->max_positions, cols,
	                          false, prefix, "position_embeddings");
	a.type = c->type_vocab_size == 0
	             ? -1
	             : bt_block_weight(g, c->type_vocab_size, cols, false,
	                               prefix, "token_type_embeddings");
	a.gamma = bt_block_gamma(g, cols, prefix, "LayerNorm");
	a.beta = bt_block_bias(g, cols, false, prefix, "LayerNorm");
	a.pad = c->pad_id;
	a.position0 = c->position0;
	a.eps = c->norm_eps;
	a.dropout = c->hidden_dropout;
	return bt_op_embed(g, &a);
}

struct bt_layer bt_block_layer_params(struct bt_graph *g,
                                      const struct bt_config *c,
                                      const struct bt_layer_form *f,
                                      const char *prefix)
{
	int h = c->hidden_size, wide = c->intermediate_size;
	struct bt_layer l = {
	    .form = f, .relative_bias = -1, .relative_positions = -1};

	l.q = bt_block_weight(g, h, h, false, prefix, f->query);
	l.k = bt_block_weight(g, h, h, true, prefix, f->key);
	bt_block_weight(g, h, h, true, prefix, f->value);
	l.q_bias = bt_block_bias(g, h, false, prefix, f->query);
	l.k_bias = bt_block_bias(g, h, true, prefix, f->key);
	bt_block_bias(g, h, true, prefix, f->value);
	l.out = bt_block_weight(g, h, h, false, prefix, f->out);
	l.out_bias = bt_block_bias(g, h, false, prefix, f->out);
	l.out_gamma = bt_block_gamma(g, h, prefix, f->out_norm);
	l.out_beta = bt_block_bias(g, h, false, prefix, f->out_norm);
	l.up = bt_block_weight(g, wide, h, false, prefix, f->up);
	l.up_bias = bt_block_bias(g, wide, false, prefix, f->up);
	l.down = bt_block_weight(g, h, wide, false, prefix, f->down);
	l.down_bias = bt_block_bias(g, h, false, prefix, f->down);
	l.down_gamma = bt_block_gamma(g, h, prefix, f->down_norm);
	l.down_beta = bt_block_bias(g, h, false, prefix, f->down_norm);
	return l;
}

/*
 * Self-attention of x, whose queries are all of x or, with `queries` another
 * node, that node's rows. Where both are the same one product gives queries,
 * keys and values, else one gives the queries and one keys and values.
 */
static int self_attention(struct bt_graph *g, const struct bt_config *c, int x,
                          int queries, const struct bt_layer *l)
{
	struct bt_attention_args a = {0};
	int h = c->hidden_size;

	a.heads = c->heads;
	a.head_dim = h / c->heads;
	a.relative_bias = l->relative_bias;
	a.relative_positions = -1;
	if (l->relative_positions >=
	    0) { /* first, so that their gradients are last */
		a.relative_positions = bt_block_dropout(
		    g, l->relative_positions, c->hidden_dropout);
		a.relative_positions = bt_op_linear(
		    g, a.relative_positions, l->rel_proj, l->rel_proj_bias,
		    l->rel_proj_parts, BT_ACT_NONE);
		a.rel_k_col = l->rel_k_col;
		a.rel_q_col = l->rel_q_col;
	}
	a.dropout = c->attention_dropout;
	if (queries == x) {
		a.q = a.kv =
		    bt_op_linear(g, x, l->q, l->q_bias, 3, BT_ACT_NONE);
		a.k_col = h;
		a.v_col = 2 * h;
	} else {
		a.kv = bt_op_linear(g, x, l->k, l->k_bias, 2, BT_ACT_NONE);
		a.q = bt_op_linear(g, queries, l->q, l->q_bias, 1, BT_ACT_NONE);
		a.v_col = h;
	}
	return bt_op_attention(g, &a);
}

int bt_block_layer(struct bt_graph *g, const struct bt_config *c, int x,
                   const struct bt_layer *l, bool only_first)
{
	float drop = c->hidden_dropout;
	int y, residual = only_first ? bt_op_first(g, x) : x;

	y = self_attention(g, c, x, residual, l);
	y = bt_op_linear(g, y, l->out, l->out_bias, 1, BT_ACT_NONE);
	x = bt_op_residual_norm(g, residual, y, l->out_gamma, l->out_beta,
	                        c->norm_eps, l->form->keeps_out ? 0 : drop);
	y = bt_op_linear(g, x, l->up, l->up_bias, 1, c->act);
	y = bt_op_linear(g, y, l->down, l->down_bias, 1, BT_ACT_NONE);
	return bt_op_residual_norm(g, x, y, l->down_gamma, l->down_beta,
	                           c->norm_eps, l->form->keeps_down ? 0 : drop);
}

int bt_block_layers(struct bt_graph *g, const struct bt_config *c, int x,
                    const struct bt_layer_form *form, bool only_first)
{
	struct bt_layer l;
	char prefix[64];
	int i;

	for (i = 0; i < c->layers; i++) {
		snprintf(prefix, sizeof(prefix), "%s%s%d.", c->family->prefix,
		         form->stem, i);
		l = bt_block_layer_params(g, c, form, prefix);
		x = bt_block_layer(g, c, x, &l,
		                   only_first && i == c->layers - 1);
	}
	return x;
}

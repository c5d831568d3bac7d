/* SPDX-License-Identifier: MIT */
#include "model/bert.h"

#include <stdio.h>

#include "op/ops.h"

/* A weight or bias of a linear layer "prefix.weight", "prefix.bias". joined:
 * directly behind the one added before. */
static int weight(struct bt_graph *g, int rows, int cols, bool joined,
                  const char *prefix, const char *name)
{
	struct bt_param_spec s = {rows, cols,  BT_INIT_NORMAL,
	                          true, false, joined};

	return bt_graph_param(g, &s, "%s%s.weight", prefix, name);
}

static int bias(struct bt_graph *g, int cols, bool joined, const char *prefix,
                const char *name)
{
	struct bt_param_spec s = {0, cols, BT_INIT_ZERO, false, false, joined};

	return bt_graph_param(g, &s, "%s%s.bias", prefix, name);
}

static int gamma_of(struct bt_graph *g, int cols, const char *prefix,
                    const char *name)
{
	struct bt_param_spec s = {0, cols, BT_INIT_ONE, false, false, false};

	return bt_graph_param(g, &s, "%s%s.weight", prefix, name);
}

static int embeddings(struct bt_graph *g, const struct bt_config *c)
{
	static const char prefix[] = "bert.embeddings.";
	struct bt_embed_args a = {0};
	int h = c->hidden_size;

	a.word = weight(g, c->vocab_size, h, false, prefix, "word_embeddings");
	a.position = weight(g, c->max_positions, h, false, prefix,
	                    "position_embeddings");
	a.type = weight(g, c->type_vocab_size, h, false, prefix,
	                "token_type_embeddings");
	a.gamma = gamma_of(g, h, prefix, "LayerNorm");
	a.beta = bias(g, h, false, prefix, "LayerNorm");
	a.pad = -1;
	a.eps = c->norm_eps;
	a.dropout = c->hidden_dropout;
	return bt_op_embed(g, &a);
}

static int linear(struct bt_graph *g, int x, int rows, int cols,
                  const char *prefix, const char *name, enum bt_activation act)
{
	int w = weight(g, rows, cols, false, prefix, name);
	int b = bias(g, rows, false, prefix, name);

	return bt_op_linear(g, x, w, b, 1, act);
}

static int norm(struct bt_graph *g, const struct bt_config *c, int residual,
                int x, const char *prefix, const char *name)
{
	int gamma = gamma_of(g, c->hidden_size, prefix, name);
	int beta = bias(g, c->hidden_size, false, prefix, name);

	return bt_op_residual_norm(g, residual, x, gamma, beta, c->norm_eps,
	                           c->hidden_dropout);
}

/*
 * Self-attention of x, whose queries are all of x or, with `queries` another
 * node, that node's rows. Where both are the same one product gives queries,
 * keys and values, else one gives the queries and one keys and values.
 */
static int self_attention(struct bt_graph *g, const struct bt_config *c, int x,
                          int queries, const char *prefix)
{
	struct bt_attention_args a = {0};
	int h = c->hidden_size;
	int w = weight(g, h, h, false, prefix, "attention.self.query");
	int wk = weight(g, h, h, true, prefix, "attention.self.key");
	int b;

	weight(g, h, h, true, prefix, "attention.self.value");
	b = bias(g, h, false, prefix, "attention.self.query");
	bias(g, h, true, prefix, "attention.self.key");
	bias(g, h, true, prefix, "attention.self.value");
	a.heads = c->heads;
	a.head_dim = h / c->heads;
	a.relative = -1;
	a.dropout = c->attention_dropout;
	if (queries == x) {
		a.q = a.kv = bt_op_linear(g, x, w, b, 3, BT_ACT_NONE);
		a.k_col = h;
		a.v_col = 2 * h;
	} else {
		a.kv = bt_op_linear(g, x, wk, b + 1, 2, BT_ACT_NONE);
		a.q = bt_op_linear(g, queries, w, b, 1, BT_ACT_NONE);
		a.v_col = h;
	}
	return bt_op_attention(g, &a);
}

/* One layer. With `last`, only the first token of each text is computed from
 * the attention on: nothing else of its output is read. */
static int layer(struct bt_graph *g, const struct bt_config *c, int x, int i,
                 bool last)
{
	char prefix[64];
	int y, residual = x;

	snprintf(prefix, sizeof(prefix), "bert.encoder.layer.%d.", i);
	if (last)
		residual = bt_op_first(g, x);
	y = self_attention(g, c, x, residual, prefix);
	y = linear(g, y, c->hidden_size, c->hidden_size, prefix,
	           "attention.output.dense", BT_ACT_NONE);
	x = norm(g, c, residual, y, prefix, "attention.output.LayerNorm");
	y = linear(g, x, c->intermediate_size, c->hidden_size, prefix,
	           "intermediate.dense", c->act);
	y = linear(g, y, c->hidden_size, c->intermediate_size, prefix,
	           "output.dense", BT_ACT_NONE);
	return norm(g, c, x, y, prefix, "output.LayerNorm");
}

/* tanh of a linear layer. Encoders are often published without one, so it
 * counts as part of the head. */
static int pooler(struct bt_graph *g, const struct bt_config *c, int x)
{
	int first = g->n_params, i;

	x = linear(g, x, c->hidden_size, c->hidden_size, "bert.",
	           "pooler.dense", BT_ACT_TANH);
	for (i = first; i < g->n_params; i++)
		g->params[i].head = true;
	return x;
}

static int classifier(struct bt_graph *g, int x, int n_labels)
{
	struct bt_param_spec s = {
	    n_labels,       g->failed ? 1 : g->nodes[x].cols,
	    BT_INIT_NORMAL, true,
	    true,           false};
	int w = bt_graph_param(g, &s, "classifier.weight"), b;

	s.rows = 0;
	s.cols = n_labels;
	s.init = BT_INIT_ZERO;
	s.decay = false;
	b = bt_graph_param(g, &s, "classifier.bias");
	return bt_op_linear(g, x, w, b, 1, BT_ACT_NONE);
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	int i, x;

	g->init_std = c->init_std;
	x = embeddings(g, c);
	for (i = 0; i < c->layers; i++)
		x = layer(g, c, x, i, only_first && i == c->layers - 1);
	return x;
}

int bt_bert_embedding(struct bt_graph *g, const struct bt_config *c,
                      enum bt_pooling how)
{
	int x = encoder(g, c, how == BT_POOLING_CLS);

	if (how == BT_POOLING_MEAN)
		x = bt_op_mean(g, x);
	else if (how == BT_POOLING_MAX)
		x = bt_op_max(g, x);
	g->logits = x;
	return bt_graph_done(g);
}

int bt_bert_classifier(struct bt_graph *g, const struct bt_config *c,
                       int n_labels)
{
	int x = pooler(g, c, encoder(g, c, true));

	if (c->classifier_dropout > 0)
		x = bt_op_dropout(g, x, c->classifier_dropout);
	g->logits = classifier(g, x, n_labels);
	g->loss = bt_op_softmax_loss(g, g->logits);
	return bt_graph_done(g);
}

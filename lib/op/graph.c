/* SPDX-License-Identifier: MIT */
#include "op/graph.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_DIM (1 << 27) /* of a parameter: far above any model */

void bt_graph_init(struct bt_graph *g, struct bt_error *err)
{
	memset(g, 0, sizeof(*g));
	g->err = err;
	g->init_std = 0.02f;
	g->prefix = "";
	g->logits = -1;
	g->next_logits = -1;
	g->loss = -1;
}

void bt_graph_clear(struct bt_graph *g)
{
	int i;

	for (i = 0; i < g->n_params; i++)
		free(g->params[i].name);
	free(g->params);
	free(g->nodes);
	memset(g, 0, sizeof(*g));
}

int bt_graph_done(struct bt_graph *g)
{
	struct bt_error *err = g->err;

	g->err = NULL;
	if (!g->failed)
		return BT_OK;
	return err != NULL && err->code != 0 ? err->code : BT_EARG;
}

static int fail_nomem(struct bt_graph *g)
{
	g->failed = true;
	bt_error_nomem(g->err, "building the model");
	return -1;
}

int bt_graph_misfit(struct bt_graph *g, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	g->failed = true;
	bt_error_set(g->err, BT_EARG, "model cannot be built: %s", text);
	return -1;
}

int bt_graph_param(struct bt_graph *g, const struct bt_param_spec *spec,
                   const char *fmt, ...)
{
	struct bt_param p = {.rank = spec->rows == 0 ? 1 : 2,
	                     .rows = spec->rows == 0 ? 1 : spec->rows,
	                     .cols = spec->cols,
	                     .init = spec->init,
	                     .decay = spec->decay,
	                     .head = spec->head,
	                     .joined = spec->joined,
	                     .offset = g->n_floats};
	char name[256];
	va_list ap;
	size_t end;

	if (g->failed)
		return -1;
	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (spec->rows < 0 || spec->rows > MAX_DIM || spec->cols < 1 ||
	    spec->cols > MAX_DIM)
		return bt_graph_misfit(g, "parameter '%s' of shape [%d, %d]",
		                       name, spec->rows, spec->cols);
	if (!spec->joined)
		p.offset = bt_round_up(p.offset, BT_ALIGN / sizeof(float));
	if (!bt_size_add(p.offset, bt_param_size(&p), &end) ||
	    end > SIZE_MAX / 16 ||
	    bt_grow(&g->params, &g->param_cap, (size_t)g->n_params + 1,
	            sizeof(p)) != BT_OK)
		return fail_nomem(g);
	g->n_floats = end;
	p.name = bt_strndup(name, strlen(name));
	g->params[g->n_params] = p;
	return g->n_params++;
}

int bt_graph_find(const struct bt_graph *g, const char *name)
{
	int i;

	for (i = 0; i < g->n_params; i++)
		if (strcmp(g->params[i].name, name) == 0)
			return i;
	return -1;
}

int bt_graph_add(struct bt_graph *g, const struct bt_node *node)
{
	if (g->failed)
		return -1;
	if (bt_grow(&g->nodes, &g->node_cap, (size_t)g->n_nodes + 1,
	            sizeof(*node)) != BT_OK)
		return fail_nomem(g);
	g->nodes[g->n_nodes] = *node;
	return g->n_nodes++;
}

int bt_node_param(const struct bt_node *n, int k)
{
	const int embed[] = {n->u.embed.word, n->u.embed.gamma, n->u.embed.beta,
	                     n->u.embed.position, n->u.embed.type};
	int parts = n->u.linear.parts, i;

	switch (n->op) {
	case BT_OP_EMBED:
		for (i = 0; i < 5; i++)
			if (embed[i] >= 0 && k-- == 0)
				return embed[i];
		return -1;
	case BT_OP_LINEAR:
		return k < parts ? n->u.linear.weight + k
		       : n->u.linear.bias >= 0 && k < 2 * parts
		           ? n->u.linear.bias + k - parts
		           : -1;
	case BT_OP_RESIDUAL_NORM:
	case BT_OP_NORM:
		return k == 0 ? n->u.norm.gamma : k == 1 ? n->u.norm.beta : -1;
	case BT_OP_RELATIVE_POSITIONS:
		return k == 0 ? n->u.relative_positions.table : -1;
	case BT_OP_ATTENTION:
		return k == 0 ? n->u.attention.relative_bias : -1;
	default:
		return -1;
	}
}

size_t bt_graph_floats(const struct bt_graph *g)
{
	size_t n = 0;
	int i;

	for (i = 0; i < g->n_params; i++)
		n += bt_param_size(&g->params[i]);
	return n;
}

size_t bt_graph_trained(const struct bt_graph *g)
{
	size_t n = 0;
	int i;

	for (i = 0; i < g->n_params; i++)
		if (!g->params[i].frozen)
			n += bt_param_size(&g->params[i]);
	return n;
}

size_t bt_graph_first_trained(const struct bt_graph *g)
{
	int i = 0;

	while (i < g->n_params && g->params[i].frozen)
		i++;
	return i < g->n_params ? g->params[i].offset : g->n_floats;
}

bool bt_graph_scattered(const struct bt_graph *g)
{
	bool trained = false;
	int i;

	for (i = 0; i < g->n_params; i++)
		if (!g->params[i].frozen)
			trained = true;
		else if (trained)
			return true;
	return false;
}

const char *bt_opcode_name(enum bt_opcode op)
{
	static const char *const names[BT_OPCODES] = {
	    [BT_OP_EMBED] = "embed",
	    [BT_OP_LINEAR] = "linear",
	    [BT_OP_ATTENTION] = "attention",
	    [BT_OP_RESIDUAL_NORM] = "residual_norm",
	    [BT_OP_NORM] = "norm",
	    [BT_OP_ADD] = "add",
	    [BT_OP_GLU] = "glu",
	    [BT_OP_ADAPT] = "adapt",
	    [BT_OP_RELATIVE_POSITIONS] = "relative_positions",
	    [BT_OP_FIRST] = "first",
	    [BT_OP_SELECT] = "select",
	    [BT_OP_MEAN] = "mean",
	    [BT_OP_MAX] = "max",
	    [BT_OP_FLATTEN] = "flatten",
	    [BT_OP_DROPOUT] = "dropout",
	    [BT_OP_LOG_NORMALIZE] = "log_normalize",
	    [BT_OP_SOFTMAX_LOSS] = "softmax_loss",
	    [BT_OP_LOG_LOSS] = "log_loss",
	    [BT_OP_SQUARE_LOSS] = "square_loss",
	    [BT_OP_SIGMOID_LOSS] = "sigmoid_loss",
	    [BT_OP_SPAN_LOSS] = "span_loss",
	    [BT_OP_CHOICE_LOSS] = "choice_loss",
	    [BT_OP_EMBEDDING_LOSS] = "embedding_loss",
	};

	return names[op];
}

const char *bt_activation_name(enum bt_activation act)
{
	static const char *const names[BT_ACTIVATIONS] = {
	    [BT_ACT_NONE] = "none",           [BT_ACT_GELU] = "gelu",
	    [BT_ACT_GELU_TANH] = "gelu_tanh", [BT_ACT_RELU] = "relu",
	    [BT_ACT_TANH] = "tanh",           [BT_ACT_SOFTPLUS] = "softplus",
	    [BT_ACT_SILU] = "silu",
	};

	return names[act];
}

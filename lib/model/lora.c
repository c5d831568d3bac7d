/* SPDX-License-Identifier: MIT */
#include "model/lora.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "op/ops.h"

/* The graph while it is built a second time. */
struct pass {
	struct bt_graph *g;
	const struct bt_lora *l;
	regex_t re;
	int found;
};

static int compile(regex_t *re, const char *pattern, struct bt_error *err)
{
	int e = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);
	char why[160];

	if (e == 0)
		return BT_OK;
	regerror(e, re, why, sizeof(why));
	return bt_error_set(err, BT_EARG, "bad pattern '%.100s': %s", pattern,
	                    why);
}

int bt_lora_check(const char *targets, struct bt_error *err)
{
	regex_t re;
	int r = compile(&re, targets, err);

	if (r == BT_OK)
		regfree(&re);
	return r;
}

bool bt_lora_is(const struct bt_graph *g, int i)
{
	return bt_str_ends(g->params[i].name, BT_LORA_A) ||
	       bt_str_ends(g->params[i].name, BT_LORA_B);
}

/* Whether a weight is that of a layer to be adapted: one of the encoder, and
 * not the table of words. free *layer, its name. */
static bool is_target(const struct pass *p, int weight, char **layer)
{
	const struct bt_param *w = &p->g->params[weight];
	size_t n = strlen(w->name), end = strlen(".weight");
	int i;

	if (w->head || w->rank != 2 || !bt_str_ends(w->name, ".weight"))
		return false;
	for (i = 0; i < p->g->n_nodes; i++)
		if (p->g->nodes[i].op == BT_OP_EMBED &&
		    p->g->nodes[i].u.embed.word == weight)
			return false;
	*layer = bt_strndup(w->name, n - end);
	if (regexec(&p->re, *layer, 0, NULL, 0) == 0)
		return true;
	free(*layer);
	return false;
}

/* A or B of a layer, as it is or new. */
static int factor(struct bt_graph *g, int rows, int cols, enum bt_init init,
                  const char *layer, const char *end)
{
	struct bt_param_spec s = {rows, cols, init, true, false, false};
	struct bt_buf name = BT_BUF_INIT;
	int i;

	bt_buf_printf(&name, "%s%s", layer, end);
	i = bt_graph_find(g, bt_buf_str(&name));
	if (i < 0) {
		i = bt_graph_param(g, &s, "%s%s", layer, end);
		if (i >= 0)
			g->params[i].apart = true;
	}
	bt_buf_clear(&name);
	return i;
}

/* The node itself, or a copy that several nodes may read. */
static int shared(struct pass *p, int x)
{
	enum bt_opcode op = p->g->nodes[x].op;

	if (op != BT_OP_LINEAR && op != BT_OP_ATTENTION && op != BT_OP_GLU)
		return x;
	return bt_op_adapt(p->g, x, 0, NULL, NULL, 0, BT_ACT_NONE);
}

/* The change of one layer, from its input x on. */
static int change(struct pass *p, int x, int weight, const char *layer)
{
	struct bt_graph *g = p->g;
	int rows = g->params[weight].rows, cols = g->params[weight].cols;
	int a = factor(g, p->l->rank, cols, BT_INIT_KAIMING, layer, BT_LORA_A);
	int b = factor(g, rows, p->l->rank, BT_INIT_ZERO, layer, BT_LORA_B);

	p->found++;
	if (p->l->dropout > 0)
		x = bt_op_dropout(g, x, (float)p->l->dropout);
	if (g->failed)
		return -1;
	x = bt_op_linear(g, x, a, -1, 1, BT_ACT_NONE);
	return bt_op_linear(g, x, b, -1, 1, BT_ACT_NONE);
}

/* Adds a product, with its changes if it has any. */
static int add_linear(struct pass *p, struct bt_node *n)
{
	enum bt_activation act = n->u.linear.act;
	int to[BT_ADAPT_MAX], col[BT_ADAPT_MAX], first[BT_ADAPT_MAX];
	char *layer[BT_ADAPT_MAX];
	int i, k = 0, at = 0, y = -1;

	for (i = 0; i < n->u.linear.parts && k < BT_ADAPT_MAX; i++) {
		first[k] = n->u.linear.weight + i;
		col[k] = at;
		at += p->g->params[first[k]].rows;
		k += is_target(p, first[k], &layer[k]);
	}
	if (k == 0)
		return bt_graph_add(p->g, n);
	n->in[0] = shared(p, n->in[0]);
	n->u.linear.act = BT_ACT_NONE;
	if (n->in[0] >= 0)
		y = bt_graph_add(p->g, n);
	for (i = 0; i < k; i++) {
		to[i] = change(p, n->in[0], first[i], layer[i]);
		free(layer[i]);
	}
	return bt_op_adapt(p->g, y, k, to, col, (float)bt_lora_scale(p->l),
	                   act);
}

/* The numbers of nodes that a node reads, as they are now. */
static void renumber(struct bt_node *n, const int *now)
{
	struct bt_attention_args *a = &n->u.attention;
	int k;

	for (k = 0; k < n->n_in; k++)
		n->in[k] = now[n->in[k]];
	if (n->op != BT_OP_ATTENTION)
		return;
	a->q = now[a->q];
	a->kv = now[a->kv];
	if (a->relative_positions >= 0)
		a->relative_positions = now[a->relative_positions];
}

static void renumber_ends(struct bt_graph *g, const int *now)
{
	int *end[] = {&g->logits, &g->next_logits, &g->loss};
	size_t i;

	for (i = 0; i < sizeof(end) / sizeof(end[0]); i++)
		if (*end[i] >= 0)
			*end[i] = now[*end[i]];
}

/* Builds the nodes a second time. */
static void rebuild(struct pass *p)
{
	struct bt_graph *g = p->g;
	struct bt_node *old = g->nodes, n;
	int count = g->n_nodes, *now, i;

	now = bt_array((size_t)count, sizeof(*now));
	g->nodes = NULL;
	g->n_nodes = 0;
	g->node_cap = 0;
	for (i = 0; i < count && !g->failed; i++) {
		n = old[i];
		renumber(&n, now);
		now[i] = n.op == BT_OP_LINEAR ? add_linear(p, &n)
		                              : bt_graph_add(g, &n);
	}
	if (!g->failed)
		renumber_ends(g, now);
	free(old);
	free(now);
}

int bt_lora_add(struct bt_graph *g, const struct bt_lora *l,
                struct bt_error *err)
{
	const char *targets = l->targets != NULL ? l->targets : BT_LORA_TARGETS;
	struct pass p = {.g = g, .l = l};
	int r = compile(&p.re, targets, err), i;

	if (r != BT_OK)
		return r;
	g->err = err;
	rebuild(&p);
	regfree(&p.re);
	r = bt_graph_done(g);
	if (r != BT_OK)
		return r;
	if (p.found == 0)
		return bt_error_set(err, BT_EARG,
		                    "no layer of the encoder to adapt is "
		                    "called '%.100s' (its first parameter is "
		                    "'%s', its last '%s')",
		                    targets, g->params[0].name,
		                    g->params[g->n_params - 1].name);
	for (i = 0; i < g->n_params; i++)
		g->params[i].frozen = !g->params[i].head && !bt_lora_is(g, i);
	return BT_OK;
}

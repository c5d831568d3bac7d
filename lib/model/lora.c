/* SPDX-License-Identifier: MIT */
#include "model/lora.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/adapter_config.h"
#include "op/ops.h"

/* One of the targets. */
struct target {
	char *text;
	regex_t re;
	bool found; /* a layer that fits it */
};

struct targets {
	struct target *v;
	size_t n;
};

/* The graph while it is built a second time. */
struct pass {
	struct bt_graph *g;
	const struct bt_lora *l;
	struct targets t;
	int found;
};

/* A name, or the end of one, stands for itself. */
static void put_pattern(struct bt_buf *b, const char *item)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	const char *p;

	if (strcmp(item, "all") == 0) {
		bt_buf_puts(b, ".");
	} else if (item[strspn(item, plain)] != '\0') {
		bt_buf_puts(b, item);
	} else {
		bt_buf_puts(b, "(^|\\.)");
		for (p = item; *p != '\0'; p++)
			bt_buf_printf(b, "%s%c", *p == '.' ? "\\" : "", *p);
		bt_buf_puts(b, "$");
	}
}

static int compile(struct target *t, const char *item, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	char why[160];
	int e;

	if (*item == '\0')
		return bt_error_set(err, BT_EARG,
		                    "an empty name of a layer to adapt");
	put_pattern(&b, item);
	e = regcomp(&t->re, bt_buf_str(&b), REG_EXTENDED | REG_NOSUB);
	bt_buf_clear(&b);
	if (e != 0) {
		regerror(e, &t->re, why, sizeof(why));
		return bt_error_set(err, BT_EARG, "bad pattern '%.100s': %s",
		                    item, why);
	}
	t->text = bt_strndup(item, strlen(item));
	t->found = false;
	return BT_OK;
}

static void clear_targets(struct targets *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		regfree(&t->v[i].re);
		free(t->v[i].text);
	}
	free(t->v);
}

/* Those of a list; clear_targets() them also after an error. */
static int read_targets(struct targets *t, const char *list,
                        struct bt_error *err)
{
	size_t n = 1, len;
	const char *p;
	char *item;
	int r = BT_OK;

	for (p = list; *p != '\0'; p++)
		n += *p == ',';
	t->n = 0;
	t->v = bt_array0(n, sizeof(*t->v));
	if (t->v == NULL)
		return bt_error_nomem(err, "reading names of layers");
	for (p = list; r == BT_OK && t->n < n; p += len + 1) {
		len = strcspn(p, ",");
		item = bt_strndup(p, len);
		r = compile(&t->v[t->n], item, err);
		t->n += r == BT_OK;
		free(item);
	}
	return r;
}

int bt_lora_check(const char *list, struct bt_error *err)
{
	struct targets t;
	int r = read_targets(&t, list, err);

	clear_targets(&t);
	return r;
}

bool bt_lora_is(const struct bt_graph *g, int i)
{
	return bt_str_ends(g->params[i].name, BT_ADAPTER_A) ||
	       bt_str_ends(g->params[i].name, BT_ADAPTER_B);
}

/* Whether a weight is that of a product of the encoder, and not also the table
 * of words. */
static bool is_layer(const struct bt_graph *g, int weight)
{
	const struct bt_param *w = &g->params[weight];
	int i;

	if (w->head || w->rank != 2 || !bt_str_ends(w->name, ".weight"))
		return false;
	for (i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].op == BT_OP_EMBED &&
		    g->nodes[i].u.embed.word == weight)
			return false;
	return true;
}

/* Whether a weight is that of a layer to be adapted. free *layer, its name. */
static bool is_target(struct pass *p, int weight, char **layer)
{
	const char *name = p->g->params[weight].name;
	bool found = false;
	size_t i;

	if (!is_layer(p->g, weight))
		return false;
	*layer = bt_strndup(name, strlen(name) - strlen(".weight"));
	for (i = 0; i < p->t.n; i++)
		if (regexec(&p->t.v[i].re, *layer, 0, NULL, 0) == 0)
			found = p->t.v[i].found = true;
	if (!found)
		free(*layer);
	return found;
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
	int a =
	    factor(g, p->l->rank, cols, BT_INIT_KAIMING, layer, BT_ADAPTER_A);
	int b = factor(g, rows, p->l->rank, BT_INIT_ZERO, layer, BT_ADAPTER_B);

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

/* Adds the last part of a layer's name, unless the list has it. */
static void list_layer(struct bt_buf *list, const char *weight)
{
	size_t n = strlen(weight) - strlen(".weight"), at = n;
	struct bt_buf name = BT_BUF_INIT;

	while (at > 0 && weight[at - 1] != '.')
		at--;
	bt_buf_printf(&name, "'%.*s'", (int)(n - at), weight + at);
	if (list->len == 0 || strstr(bt_buf_str(list), name.data) == NULL)
		bt_buf_printf(list, "%s%s", list->len > 0 ? ", " : "",
		              bt_buf_str(&name));
	bt_buf_clear(&name);
}

static int not_found(const struct bt_graph *g, const char *target,
                     struct bt_error *err)
{
	struct bt_buf list = BT_BUF_INIT;
	const struct bt_node *n;
	int i, k;

	for (i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		for (k = 0; n->op == BT_OP_LINEAR && k < n->u.linear.parts; k++)
			if (is_layer(g, n->u.linear.weight + k) &&
			    !bt_lora_is(g, n->u.linear.weight + k))
				list_layer(
				    &list,
				    g->params[n->u.linear.weight + k].name);
	}
	bt_error_set(err, BT_EARG,
	             "no layer of the encoder to adapt is called '%.100s': "
	             "these end in %s",
	             target, list.len > 0 ? bt_buf_str(&list) : "no name");
	bt_buf_clear(&list);
	return BT_EARG;
}

int bt_lora_add(struct bt_graph *g, const struct bt_lora *l,
                struct bt_error *err)
{
	const char *list = l->targets != NULL ? l->targets : BT_LORA_TARGETS;
	struct pass p = {.g = g, .l = l};
	int r = read_targets(&p.t, list, err), i;
	size_t k;

	if (r == BT_OK) {
		g->err = err;
		rebuild(&p);
		r = bt_graph_done(g);
	}
	if (r == BT_OK && p.found == 0)
		r = not_found(g, list, err);
	for (k = 0; r == BT_OK && l->targets != NULL && k < p.t.n; k++)
		if (!p.t.v[k].found)
			r = not_found(g, p.t.v[k].text, err);
	for (i = 0; r == BT_OK && i < g->n_params; i++)
		g->params[i].frozen =
		    !bt_lora_is(g, i) && (!g->params[i].head || l->keeps_head);
	clear_targets(&p.t);
	return r;
}

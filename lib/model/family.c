/* SPDX-License-Identifier: MIT */
#include "model/family.h"

#include <string.h>

#include "model/family_int.h"

static const struct bt_family *const families[] = {
    &bt_family_albert,     &bt_family_bert,       &bt_family_camembert,
    &bt_family_distilbert, &bt_family_electra,    &bt_family_mpnet,
    &bt_family_roberta,    &bt_family_xlm_roberta};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

const struct bt_family *bt_family_find(const char *model_type)
{
	size_t i;

	for (i = 0; i < FAMILIES; i++)
		if (strcmp(families[i]->model_type, model_type) == 0)
			return families[i];
	return NULL;
}

void bt_family_list(struct bt_buf *out)
{
	size_t i;

	for (i = 0; i < FAMILIES; i++)
		bt_buf_printf(out, "%s%s", i > 0 ? ", " : "",
		              families[i]->model_type);
}

const char *bt_family_classes(const struct bt_family *f)
{
	return f->classes;
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	g->init_std = c->init_std;
	g->prefix = c->family->prefix;
	return c->family->encoder(g, c, only_first);
}

int bt_family_embedding(struct bt_graph *g, const struct bt_config *c,
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

/* The last layer: a row of weights and a bias for each class. */
static int classes(struct bt_graph *g, const struct bt_config *c, int x,
                   int n_labels)
{
	struct bt_param_spec s = {
	    n_labels,       g->failed ? 1 : g->nodes[x].cols,
	    BT_INIT_NORMAL, true,
	    true,           false};
	int w = bt_graph_param(g, &s, "%s", c->family->classes), b;

	s.rows = 0;
	s.cols = n_labels;
	s.init = BT_INIT_ZERO;
	s.decay = false;
	b = bt_graph_param(g, &s, "%.*sbias",
	                   (int)strlen(c->family->classes) - 6,
	                   c->family->classes);
	if (b >= 0)
		g->params[w].classes = g->params[b].classes = true;
	return bt_op_linear(g, x, w, b, 1, BT_ACT_NONE);
}

int bt_family_classifier(struct bt_graph *g, const struct bt_config *c,
                         int n_labels)
{
	int x = encoder(g, c, true), first = g->n_params, i;

	x = c->family->head(g, c, x);
	for (i = first; i < g->n_params; i++)
		g->params[i].head = true;
	x = bt_part_dropout(g, x, c->classifier_dropout);
	g->logits = classes(g, c, x, n_labels);
	g->loss = bt_op_softmax_loss(g, g->logits);
	return bt_graph_done(g);
}

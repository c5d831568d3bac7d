/* SPDX-License-Identifier: MIT */
#include "model/family.h"

#include <string.h>

#include "model/family_int.h"

static const struct bt_family *const families[] = {
    &bt_family_albert,     &bt_family_bert,       &bt_family_camembert,
    &bt_family_deberta_v2, &bt_family_distilbert, &bt_family_electra,
    &bt_family_eurobert,   &bt_family_gte,        &bt_family_modernbert,
    &bt_family_mpnet,      &bt_family_neobert,    &bt_family_nomic_bert,
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

int bt_family_encoder(struct bt_graph *g, const struct bt_config *c,
                      bool only_first)
{
	g->init_std = c->init_std;
	g->prefix = c->family->prefix;
	return c->family->encoder(g, c, only_first);
}

int bt_family_pooled(struct bt_graph *g, const struct bt_config *c,
                     enum bt_pooling how)
{
	int x = bt_family_encoder(g, c, how == BT_POOLING_CLS);

	return how == BT_POOLING_MEAN  ? bt_op_mean(g, x)
	       : how == BT_POOLING_MAX ? bt_op_max(g, x)
	                               : x;
}

static enum bt_activation find_activation(const char *name)
{
	int i = 0;

	while (i + 1 < BT_ACTIVATIONS &&
	       strcmp(bt_activation_name((enum bt_activation)i), name) != 0)
		i++;
	return (enum bt_activation)i;
}

/* A parameter of rank 2 or, with rows = 0, 1; its number. */
static int apart(struct bt_graph *g, int rows, int cols, const char *folder,
                 const char *name)
{
	const struct bt_param_spec spec = {.rows = rows, .cols = cols};
	int p = bt_graph_param(g, &spec, "%s/%s", folder, name);

	if (p >= 0)
		g->params[p].apart = true;
	return p;
}

int bt_family_sentence(struct bt_graph *g, const struct bt_config *c,
                       enum bt_pooling how,
                       const struct bt_sentence_dense *dense, int n)
{
	int x = bt_family_pooled(g, c, how), w, b;

	for (; n > 0; n--, dense++) {
		w = apart(g, dense->out, dense->in, dense->folder,
		          "linear.weight");
		b = dense->bias
		        ? apart(g, 0, dense->out, dense->folder, "linear.bias")
		        : -1;
		x = bt_op_linear(g, x, w, b, 1, find_activation(dense->act));
	}
	g->logits = x;
	return bt_graph_done(g);
}

int bt_family_embedding(struct bt_graph *g, const struct bt_config *c,
                        enum bt_pooling how)
{
	return bt_family_sentence(g, c, how, NULL, 0);
}

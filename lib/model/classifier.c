/* SPDX-License-Identifier: MIT */
/* From the tokens of a text to its classes, or to those of its tokens. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/family_int.h"

/* The outputs of tokens, as the families' classes name them. */
static const char *token_outputs(const struct bt_config *c)
{
	return strcmp(c->problem_type, BT_PROBLEM_SPANS) == 0 &&
	               c->family != &bt_family_modernbert
	           ? "qa_outputs.weight"
	           : "classifier.weight";
}

/* Whether the head for masked tokens is a product with the table of words. */
static bool shares_words(const struct bt_config *c)
{
	const json_t *tie = json_object_get(c->json, "tie_word_embeddings");
	const struct bt_masked_head *h = &c->family->masked;

	return h->untied ? h->words != NULL && json_is_true(tie)
	                 : !json_is_false(tie);
}

/* The last layer of the family's classifiers. */
static const char *classes_of(const struct bt_config *c)
{
	return bt_config_chooses(c) && c->family->choice_classes != NULL
	           ? c->family->choice_classes
	           : c->family->classes;
}

const char *bt_family_classes(const struct bt_config *c,
                              char name[BT_CLASSES_NAME])
{
	const struct bt_masked_head *h = &c->family->masked;
	int i, n = 0;

	if (bt_config_masked(c) && shares_words(c))
		return h->words != NULL ? h->words : h->bias;
	if (bt_config_masked(c)) {
		snprintf(name, BT_CLASSES_NAME, "%s.weight", h->decoder);
		return name;
	}
	if (c->per_token)
		return token_outputs(c);
	if (c->head.n == 0)
		return classes_of(c);
	for (i = 0; i < c->head.n; i++)
		n += c->head.layer[i].kind == BT_HEAD_DENSE;
	snprintf(name, BT_CLASSES_NAME, "head.%d.weight", n - 1);
	return name;
}

/* A layer of the head: a weight of that name, which ends in "weight", and its
 * bias. */
static int dense(struct bt_graph *g, int x, int rows, const char *name,
                 enum bt_init init, bool classes, enum bt_activation act)
{
	struct bt_param_spec s = {
	    rows, g->failed ? 1 : g->nodes[x].cols, init, true, true, false};
	int w = bt_graph_param(g, &s, "%s", name), b;

	s.rows = 0;
	s.cols = rows;
	s.init = BT_INIT_ZERO;
	s.decay = false;
	b = bt_graph_param(g, &s, "%.*sbias", (int)strlen(name) - 6, name);
	if (b >= 0)
		g->params[w].classes = g->params[b].classes = classes;
	return bt_op_linear(g, x, w, b, 1, act);
}

/* The family's layers. */
static int family_head(struct bt_graph *g, const struct bt_config *c, int x)
{
	int first = g->n_params, i;

	if (bt_config_chooses(c) && c->family->choice_head != NULL)
		x = c->family->choice_head(g, c, x);
	else
		x = c->family->head(g, c, x);
	for (i = first; i < g->n_params; i++)
		g->params[i].head = true;
	return x;
}

/* Whether the family's head takes all tokens. */
static bool takes_all(const struct bt_config *c)
{
	return c->pools_mean || c->pools_late;
}

/* They, from first tokens on, or from all where they want their mean. */
static int pooler(struct bt_graph *g, const struct bt_config *c, int x)
{
	if (c->pools_late)
		return bt_op_mean(g, family_head(g, c, x));
	return family_head(g, c, c->pools_mean ? bt_op_mean(g, x) : x);
}

/* The family's classifier. */
static int usual(struct bt_graph *g, const struct bt_config *c, int n_labels)
{
	bool only_first = c->pool == BT_POOLED_FIRST ||
	                  (c->pool == BT_POOLED_POOLER && !takes_all(c));
	int x = bt_family_encoder(g, c, only_first);

	if (c->pool == BT_POOLED_POOLER)
		x = pooler(g, c, x);
	else if (c->pool == BT_POOLED_MEAN)
		x = bt_op_mean(g, x);
	else if (c->pool == BT_POOLED_MAX)
		x = bt_op_max(g, x);
	x = bt_block_dropout(g, x, c->classifier_dropout);
	return dense(g, x, n_labels, classes_of(c), BT_INIT_NORMAL, true,
	             BT_ACT_NONE);
}

/* Before the outputs of tokens. Answers are found without, but for two
 * families. */
static float token_dropout(const struct bt_config *c)
{
	const json_t *qa = json_object_get(c->json, "qa_dropout");
	float rate = c->classifier_dropout;

	if (strcmp(c->problem_type, BT_PROBLEM_SPANS) != 0 ||
	    c->family == &bt_family_modernbert)
		return rate;
	if (c->family != &bt_family_distilbert)
		return 0;
	return fminf(rate,
	             json_is_number(qa) ? (float)json_number_value(qa) : 0.1f);
}

/* A norm of the head. */
static int head_norm(struct bt_graph *g, const struct bt_config *c, int x,
                     const char *name)
{
	struct bt_param_spec s = {0,           g->failed ? 1 : g->nodes[x].cols,
	                          BT_INIT_ONE, false,
	                          true,        false};
	int gamma = bt_graph_param(g, &s, "%s.weight", name);

	s.init = BT_INIT_ZERO;
	return bt_op_norm(g, x, gamma, bt_graph_param(g, &s, "%s.bias", name),
	                  c->norm_eps);
}

#define NO_HEAD                                                                \
	"a model whose outputs are tokens' has no head of its own and no "     \
	"pooling"

/* Two logits of each text: that its second segment follows the first, and that
 * it does not. */
static int of_next(struct bt_graph *g, const struct bt_config *c, int x)
{
	x = family_head(g, c, bt_op_first(g, x));
	return dense(g, x, 2, c->family->masked.next, BT_INIT_NORMAL, false,
	             BT_ACT_NONE);
}

/* The product of a head with the vocabulary's rows, the words' or its own. */
static int decoder(struct bt_graph *g, const struct bt_config *c, int x)
{
	const struct bt_masked_head *h = &c->family->masked;
	struct bt_param_spec s = {
	    c->vocab_size,  g->failed ? 1 : g->nodes[x].cols,
	    BT_INIT_NORMAL, true,
	    true,           false};
	bool shares = shares_words(c);
	int w, b = -1;

	w = shares ? g->nodes[0].u.embed.word
	           : bt_graph_param(g, &s, "%s.weight", h->decoder);
	s = (struct bt_param_spec){0,     c->vocab_size, BT_INIT_ZERO,
	                           false, true,          false};
	if (h->bias != NULL &&
	    !json_is_false(json_object_get(c->json, "decoder_bias")))
		b = shares ? bt_graph_param(g, &s, "%s", h->bias)
		           : bt_graph_param(g, &s, "%s.bias", h->decoder);
	if (b >= 0 && !h->untied)
		g->params[b].classes = true;
	return bt_op_linear(g, x, w, b, 1, BT_ACT_NONE);
}

/* The vocabulary's logits of the tokens that are selected; behind those of next
 * sentences, if there are any. */
static int of_masked(struct bt_graph *g, const struct bt_config *c)
{
	const struct bt_masked_head *h = &c->family->masked;
	int x = bt_family_encoder(g, c, false);
	char name[64];

	if (c->next_sentence)
		g->next_logits = of_next(g, c, x);
	x = bt_op_select(g, x);
	if (g->failed)
		return -1;
	if (c->head.n > 0 || c->pool != BT_POOLED_POOLER)
		return bt_graph_misfit(g, NO_HEAD);
	if (json_is_false(json_object_get(c->json, "legacy")))
		return bt_graph_misfit(
		    g, "its head for masked tokens is the "
		       "one of \"legacy\" false, which is not built");
	if (h->untied)
		return decoder(g, c, x);
	if (h->dense == NULL) {
		x = family_head(g, c, x);
	} else {
		snprintf(name, sizeof(name), "%s.weight", h->dense);
		x = dense(g, x, g->params[g->nodes[0].u.embed.word].cols, name,
		          BT_INIT_NORMAL, false,
		          h->gelu ? BT_ACT_GELU : c->act);
		x = head_norm(g, c, x, h->norm);
	}
	return decoder(g, c, x);
}

/* Outputs of tokens: dropout and a linear layer on each token's output, behind
 * the family's head where that is a part of each (ModernBERT). */
static int of_tokens(struct bt_graph *g, const struct bt_config *c,
                     int n_labels)
{
	int x = bt_family_encoder(g, c, false);

	if (c->head.n > 0 || c->pool != BT_POOLED_POOLER)
		return bt_graph_misfit(g, NO_HEAD);
	if (c->family == &bt_family_modernbert)
		x = family_head(g, c, x);
	x = bt_block_dropout(g, x, token_dropout(c));
	return dense(g, x, n_labels, token_outputs(c), BT_INIT_NORMAL, true,
	             BT_ACT_NONE);
}

/* Layer i; *n counts the dense ones. */
static int layer(struct bt_graph *g, const struct bt_config *c, int i, int x,
                 int n_labels, int *n)
{
	const struct bt_head_layer *l = &c->head.layer[i];
	bool last = i == c->head.n - 1;
	struct bt_buf b = BT_BUF_INIT;
	char name[BT_CLASSES_NAME];

	switch (l->kind) {
	case BT_HEAD_POOLER:
		return pooler(g, c, x);
	case BT_HEAD_FIRST: /* perhaps no other was computed */
		return i == 0 ? x : bt_op_first(g, x);
	case BT_HEAD_MEAN:
		return bt_op_mean(g, x);
	case BT_HEAD_MAX:
		return bt_op_max(g, x);
	case BT_HEAD_FLATTEN:
		return bt_op_flatten(g, x, l->length);
	case BT_HEAD_DROPOUT:
		return bt_block_dropout(g, x, l->dropout);
	default:
		break;
	}
	if (last && l->units != 0 && l->units != n_labels) {
		bt_head_name(&c->head, i, &b);
		bt_graph_misfit(g, "%s, has %d outputs, and %d are wanted",
		                bt_buf_str(&b), l->units, n_labels);
		bt_buf_clear(&b);
		return -1;
	}
	snprintf(name, sizeof(name), "head.%d.weight", (*n)++);
	return dense(g, x, last ? n_labels : l->units, name, BT_INIT_GLOROT,
	             last, l->act);
}

/* A head of its own. */
static int own(struct bt_graph *g, const struct bt_config *c, int n_labels)
{
	bool mean = takes_all(c) && c->head.layer[0].kind == BT_HEAD_POOLER;
	int i, n = 0, x;

	x = bt_family_encoder(g, c, !mean && bt_head_only_first(&c->head));
	for (i = 0; i < c->head.n; i++)
		x = layer(g, c, i, x, n_labels, &n);
	return x;
}

bool bt_family_classifier(struct bt_graph *g, const struct bt_config *c,
                          int n_labels)
{
	const struct bt_head *h = &c->head;

	if (bt_config_embeds(c)) {
		g->logits = bt_family_pooled(
		    g, c,
		    c->pool == BT_POOLED_MEAN  ? BT_POOLING_MEAN
		    : c->pool == BT_POOLED_MAX ? BT_POOLING_MAX
		                               : BT_POOLING_CLS);
		return false;
	}
	if (c->per_token) {
		g->logits = bt_config_masked(c) ? of_masked(g, c)
		                                : of_tokens(g, c, n_labels);
		return false;
	}
	if (bt_config_chooses(c) && (h->n > 0 || c->pool != BT_POOLED_POOLER)) {
		bt_graph_misfit(g, "a model that chooses one of several texts "
		                   "has no head of its own and no pooling");
		return false;
	}
	g->logits = h->n > 0 ? own(g, c, n_labels) : usual(g, c, n_labels);
	return h->n > 0 && h->layer[h->n - 1].act != BT_ACT_NONE;
}

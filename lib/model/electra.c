/* SPDX-License-Identifier: MIT */
/*
 * ELECTRA (Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as
 * Discriminators Rather Than Generators"): BERT's encoder, but the embeddings
 * may be narrower than the layers, and a linear layer then widens them; a head
 * of two layers instead of the pooler.
 */
#include "format/json.h"
#include "model/family_int.h"

static const struct bt_key more_keys[] = {
    BT_KEY_SIZE("embedding_size", embedding_size, BT_MAX_WIDTH),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->embedding_size = 128;
	c->hidden_size = 256;
	c->heads = 4;
	c->intermediate_size = 1024;
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	int x = bt_block_embeddings(g, c, c->embedding_size);

	if (c->embedding_size != c->hidden_size)
		x = bt_block_linear(g, x, c->hidden_size, "electra.",
		                    "embeddings_project", BT_ACT_NONE);
	return bt_block_layers(g, c, x, &bt_bert_layer, only_first);
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_dense_head(g, c, x, BT_ACT_GELU);
}

/* Of the forms that transformers gives the head, that of published models. */
static int check_summary(const json_t *o, struct bt_error *err)
{
	bool projects = true;
	int r;

	if (json_is_null(json_object_get(o, "summary_activation")))
		return bt_error_set(err, BT_EFORMAT,
		                    "summary_activation null is not supported "
		                    "(only 'gelu' is)");
	if ((r = bt_config_only(o, "summary_activation", "gelu", err)) ||
	    (r = bt_config_only(o, "summary_type", "first", err)) ||
	    (r = bt_json_bool(o, "summary_use_proj", &projects, err)))
		return r;
	return projects ? BT_OK
	                : bt_error_set(err, BT_EFORMAT,
	                               "summary_use_proj false is not "
	                               "supported (only true is)");
}

static int choice_head(struct bt_graph *g, const struct bt_config *c, int x)
{
	struct bt_error err = {0};

	if (!g->failed && check_summary(c->json, &err) != BT_OK)
		return bt_graph_misfit(g, "%s", err.text);
	return bt_block_linear(g, x, c->hidden_size, "",
	                       "sequence_summary.summary", BT_ACT_GELU);
}

const struct bt_family bt_family_electra = {
    .model_type = "electra",
    .architecture = "ElectraForSequenceClassification",
    .prefix = "electra.",
    .classes = "classifier.out_proj.weight",
    .keys = bt_bert_keys,
    .more_keys = more_keys,
    .defaults = defaults,
    .encoder = encoder,
    .head = head,
    .choice_head = choice_head,
    .choice_classes = "classifier.weight",
    .masked = {.dense = "generator_predictions.dense",
               .norm = "generator_predictions.LayerNorm",
               .bias = "generator_lm_head.bias",
               .decoder = "generator_lm_head",
               .gelu = true},
};

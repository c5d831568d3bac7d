/* SPDX-License-Identifier: MIT */
/*
 * BERT in HDF5 files of other libraries for Keras than transformers:
 * keras-bert, whose layers have names of their own, and KerasHub, whose files
 * are of Keras 3, where a layer's weights are numbered ("layers/dense/vars/0").
 * # is the number of a layer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ckpt/names_int.h"
#include "tensor/checkpoint_reader.h"

#define SAME BT_NAME_FORM_SAME
#define KERNEL BT_NAME_FORM_KERNEL
#define IN BT_NAME_FORM_IN
#define BIAS BT_NAME_FORM_BIAS
#define OUT BT_NAME_FORM_OUT

#define ROW BT_NAME_ROW
#define DENSE(hf, keras)                                                       \
	ROW(hf ".weight", keras "/kernel:0", KERNEL),                          \
	    ROW(hf ".bias", keras "/bias:0", SAME)
#define NORM(hf, keras)                                                        \
	ROW(hf ".weight", keras "/gamma:0", SAME),                             \
	    ROW(hf ".bias", keras "/beta:0", SAME)

/* One of several matrices of a layer of keras-bert. */
#define MATRIX(hf, group, x)                                                   \
	ROW("bert.encoder.layer.#." hf ".weight", group "_W" x ":0", KERNEL),  \
	    ROW("bert.encoder.layer.#." hf ".bias", group "_b" x ":0", SAME)
#define ATTENTION(hf, x)                                                       \
	MATRIX("attention." hf,                                                \
	       "Encoder-#-MultiHeadSelfAttention/"                             \
	       "Encoder-#-MultiHeadSelfAttention",                             \
	       x)
#define FORWARD(hf, x)                                                         \
	MATRIX(hf, "Encoder-#-FeedForward/Encoder-#-FeedForward", x)

/* A layer of Keras 3, with the forms of its weights. */
#define VARS(hf, keras, kernel, bias)                                          \
	ROW(hf ".weight", keras "/vars/0", kernel),                            \
	    ROW(hf ".bias", keras "/vars/1", bias)

/* Behind the group, which is named twice; layers from 1 on. */
static const struct bt_name keras_bert[] = {
    ROW("bert.embeddings.word_embeddings.weight",
        "Embedding-Token/embeddings:0", SAME),
    ROW("bert.embeddings.position_embeddings.weight",
        "Embedding-Position/embeddings:0", SAME),
    ROW("bert.embeddings.token_type_embeddings.weight",
        "Embedding-Segment/embeddings:0", SAME),
    NORM("bert.embeddings.LayerNorm", "Embedding-Norm"),
    ATTENTION("self.query", "q"),
    ATTENTION("self.key", "k"),
    ATTENTION("self.value", "v"),
    ATTENTION("output.dense", "o"),
    NORM("bert.encoder.layer.#.attention.output.LayerNorm",
         "Encoder-#-MultiHeadSelfAttention-Norm"),
    FORWARD("intermediate.dense", "1"),
    FORWARD("output.dense", "2"),
    NORM("bert.encoder.layer.#.output.LayerNorm", "Encoder-#-FeedForward-Norm"),
    DENSE("bert.pooler.dense", "NSP-Dense"),
    DENSE("cls.seq_relationship", "NSP"),
    DENSE("cls.predictions.transform.dense", "MLM-Dense"),
    NORM("cls.predictions.transform.LayerNorm", "MLM-Norm"),
    ROW("cls.predictions.bias", "MLM-Sim/bias:0", SAME),
};

/* Behind the backbone's group; the first layer made to have a number. */
static const struct bt_name keras_hub[] = {
    ROW("bert.embeddings.word_embeddings.weight",
        "layers/reversible_embedding/vars/0", SAME),
    ROW("bert.embeddings.position_embeddings.weight",
        "layers/position_embedding/vars/0", SAME),
    ROW("bert.embeddings.token_type_embeddings.weight",
        "layers/embedding/vars/0", SAME),
    VARS("bert.embeddings.LayerNorm", "layers/layer_normalization", SAME, SAME),
    VARS("bert.encoder.layer.#.attention.self.query",
         "layers/transformer_encoder_#/_self_attention_layer/query_dense", IN,
         BIAS),
    VARS("bert.encoder.layer.#.attention.self.key",
         "layers/transformer_encoder_#/_self_attention_layer/key_dense", IN,
         BIAS),
    VARS("bert.encoder.layer.#.attention.self.value",
         "layers/transformer_encoder_#/_self_attention_layer/value_dense", IN,
         BIAS),
    VARS("bert.encoder.layer.#.attention.output.dense",
         "layers/transformer_encoder_#/_self_attention_layer/output_dense", OUT,
         SAME),
    VARS("bert.encoder.layer.#.attention.output.LayerNorm",
         "layers/transformer_encoder_#/_self_attention_layer_norm", SAME, SAME),
    VARS("bert.encoder.layer.#.intermediate.dense",
         "layers/transformer_encoder_#/_feedforward_intermediate_dense", KERNEL,
         SAME),
    VARS("bert.encoder.layer.#.output.dense",
         "layers/transformer_encoder_#/_feedforward_output_dense", KERNEL,
         SAME),
    VARS("bert.encoder.layer.#.output.LayerNorm",
         "layers/transformer_encoder_#/_feedforward_layer_norm", SAME, SAME),
    VARS("bert.pooler.dense", "layers/dense", KERNEL, SAME),
};

/* What is behind the backbone of a classifier of KerasHub. */
static const struct bt_name keras_hub_head[] = {
    VARS("classifier", "layers/dense", KERNEL, SAME),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Gives v the name of the row that has its name as a pattern, if there is one;
 * layers count from first. */
static void adopt_row(struct bt_named *v, const struct bt_name *row, size_t n,
                      const char *name, int first)
{
	int layer = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (bt_name_match(row[i].tf1, name, &layer) &&
		    (layer < 0 || layer >= first)) {
			bt_named_adopt(v, &row[i], row[i].tf1_form,
			               layer - first);
			return;
		}
}

/* --- keras-bert */

static void adopt_keras_bert(struct bt_named *v)
{
	const char *p = v->name, *slash;

	if (bt_str_starts(p, "model_weights/"))
		p += strlen("model_weights/");
	slash = strchr(p, '/');
	if (slash == NULL)
		return;
	if (strncmp(p, slash + 1, (size_t)(slash - p) + 1) == 0)
		p = slash + 1;
	adopt_row(v, keras_bert, COUNT(keras_bert), p, 1);
}

static bool is_keras_bert(const struct bt_named_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strstr(l->v[i].name, "Encoder-1-MultiHeadSelfAttention/"))
			return true;
	return false;
}

/* --- KerasHub */

static bool has(const struct bt_ckpt *c, const char *prefix, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", prefix, name);
	return bt_ckpt_find(c, path) != NULL;
}

/* Whether the layers below a prefix are those of BERT and no others: the files
 * of all models have the same names for layers of the same kind. */
static bool is_bert(const struct bt_ckpt *c, const char *prefix)
{
	static const char *const parts[] = {
	    "layers/reversible_embedding/vars/0",
	    "layers/position_embedding/vars/0",
	    "layers/embedding/vars/0",
	    "layers/layer_normalization/vars/1",
	    "layers/transformer_encoder/_self_attention_layer_norm/vars/0",
	    "layers/dense/vars/1"};
	static const char *const others[] = {
	    "layers/dense_1/vars/0", "layers/layer_normalization_1/vars/0",
	    "layers/embedding_1/vars/0"};
	size_t i;

	for (i = 0; i < COUNT(parts); i++)
		if (!has(c, prefix, parts[i]))
			return false;
	for (i = 0; i < COUNT(others); i++)
		if (has(c, prefix, others[i]))
			return false;
	return true;
}

/* What stands before the backbone's layers; NULL: there is none of BERT. */
static const char *backbone_of(const struct bt_ckpt *c)
{
	size_t i;

	if (is_bert(c, BT_KERAS_BACKBONE))
		return BT_KERAS_BACKBONE;
	if (!is_bert(c, ""))
		return NULL;
	/* newer files say what the whole is */
	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, "name") == 0)
			return bt_str_starts(bt_ckpt_note(c, i)->value,
			                     "bert_backbone")
			           ? ""
			           : NULL;
	return "";
}

static void adopt_hub(struct bt_named *v, const char *prefix)
{
	static const char first[] = "layers/transformer_encoder/";
	const char *p = v->name;
	struct bt_buf b = BT_BUF_INIT;

	if (!bt_str_starts(p, prefix)) {
		adopt_row(v, keras_hub_head, COUNT(keras_hub_head), p, 0);
		return;
	}
	p += strlen(prefix);
	if (bt_str_starts(p, first)) {
		bt_buf_puts(&b, "layers/transformer_encoder_0/");
		p += strlen(first);
	}
	bt_buf_puts(&b, p);
	adopt_row(v, keras_hub, COUNT(keras_hub), bt_buf_str(&b), 0);
	bt_buf_clear(&b);
}

void bt_names_keras_layers(struct bt_named_list *l, const struct bt_ckpt *c)
{
	const char *prefix = backbone_of(c);
	bool keras_bert_too = is_keras_bert(l);
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (prefix != NULL)
			adopt_hub(&l->v[i], prefix);
		else if (keras_bert_too)
			adopt_keras_bert(&l->v[i]);
		l->tensorflow = l->tensorflow || l->v[i].known;
	}
}

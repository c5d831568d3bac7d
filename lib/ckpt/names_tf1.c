/* SPDX-License-Identifier: MIT */
/*
 * Names of the first TensorFlow code of ALBERT and ELECTRA. ALBERT's begin as
 * BERT's do; # is the number of a group of layers there.
 */
#include "ckpt/names_int.h"

#define SAME BT_NAME_FORM_SAME
#define KERNEL BT_NAME_FORM_KERNEL

#define ROW BT_NAME_ROW
#define DENSE(hf, tf1)                                                         \
	ROW(hf ".weight", tf1 "/kernel", KERNEL),                              \
	    ROW(hf ".bias", tf1 "/bias", SAME)
#define NORM(hf, tf1)                                                          \
	ROW(hf ".weight", tf1 "/gamma", SAME),                                 \
	    ROW(hf ".bias", tf1 "/beta", SAME)

#define LAYER "albert.encoder.albert_layer_groups.#.albert_layers.0."
#define GROUP "bert/encoder/transformer/group_#/inner_group_0/"

static const struct bt_name albert[] = {
    ROW("albert.embeddings.word_embeddings.weight",
        "bert/embeddings/word_embeddings", SAME),
    ROW("albert.embeddings.position_embeddings.weight",
        "bert/embeddings/position_embeddings", SAME),
    ROW("albert.embeddings.token_type_embeddings.weight",
        "bert/embeddings/token_type_embeddings", SAME),
    NORM("albert.embeddings.LayerNorm", "bert/embeddings/LayerNorm"),
    DENSE("albert.encoder.embedding_hidden_mapping_in",
          "bert/encoder/embedding_hidden_mapping_in"),
    DENSE(LAYER "attention.query", GROUP "attention_1/self/query"),
    DENSE(LAYER "attention.key", GROUP "attention_1/self/key"),
    DENSE(LAYER "attention.value", GROUP "attention_1/self/value"),
    DENSE(LAYER "attention.dense", GROUP "attention_1/output/dense"),
    NORM(LAYER "attention.LayerNorm", GROUP "LayerNorm"),
    DENSE(LAYER "ffn", GROUP "ffn_1/intermediate/dense"),
    DENSE(LAYER "ffn_output", GROUP "ffn_1/intermediate/output/dense"),
    NORM(LAYER "full_layer_layer_norm", GROUP "LayerNorm_1"),
    DENSE("albert.pooler", "bert/pooler/dense"),
    DENSE("predictions.dense", "cls/predictions/transform/dense"),
    NORM("predictions.LayerNorm", "cls/predictions/transform/LayerNorm"),
    ROW("predictions.bias", "cls/predictions/output_bias", SAME),
    ROW("sop_classifier.classifier.weight",
        "cls/seq_relationship/output_weights", SAME),
    ROW("sop_classifier.classifier.bias", "cls/seq_relationship/output_bias",
        SAME),
    ROW("classifier.weight", "output_weights", SAME),
    ROW("classifier.bias", "output_bias", SAME),
};

static const struct bt_name electra[] = {
    ROW("electra.embeddings.word_embeddings.weight",
        "electra/embeddings/word_embeddings", SAME),
    ROW("electra.embeddings.position_embeddings.weight",
        "electra/embeddings/position_embeddings", SAME),
    ROW("electra.embeddings.token_type_embeddings.weight",
        "electra/embeddings/token_type_embeddings", SAME),
    NORM("electra.embeddings.LayerNorm", "electra/embeddings/LayerNorm"),
    DENSE("electra.embeddings_project", "electra/embeddings_project"),
    DENSE("electra.encoder.layer.#.attention.self.query",
          "electra/encoder/layer_#/attention/self/query"),
    DENSE("electra.encoder.layer.#.attention.self.key",
          "electra/encoder/layer_#/attention/self/key"),
    DENSE("electra.encoder.layer.#.attention.self.value",
          "electra/encoder/layer_#/attention/self/value"),
    DENSE("electra.encoder.layer.#.attention.output.dense",
          "electra/encoder/layer_#/attention/output/dense"),
    NORM("electra.encoder.layer.#.attention.output.LayerNorm",
         "electra/encoder/layer_#/attention/output/LayerNorm"),
    DENSE("electra.encoder.layer.#.intermediate.dense",
          "electra/encoder/layer_#/intermediate/dense"),
    DENSE("electra.encoder.layer.#.output.dense",
          "electra/encoder/layer_#/output/dense"),
    NORM("electra.encoder.layer.#.output.LayerNorm",
         "electra/encoder/layer_#/output/LayerNorm"),
    DENSE("discriminator_predictions.dense", "discriminator_predictions/dense"),
    DENSE("discriminator_predictions.dense_prediction",
          "discriminator_predictions/dense_1"),
    DENSE("generator_predictions.dense", "generator_predictions/dense"),
    NORM("generator_predictions.LayerNorm", "generator_predictions/LayerNorm"),
    ROW("generator_lm_head.bias", "generator_predictions/output_bias", SAME),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct bt_name_table bt_names_tf1[BT_NAME_TABLES] = {
    {"albert", "albert.", "/inner_group_", albert, COUNT(albert)},
    {"electra", "electra.", "electra/", electra, COUNT(electra)},
};

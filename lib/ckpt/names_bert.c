/* SPDX-License-Identifier: MIT */
#include "ckpt/names_int.h"

#define SAME BT_NAME_FORM_SAME
#define KERNEL BT_NAME_FORM_KERNEL
#define IN BT_NAME_FORM_IN
#define BIAS BT_NAME_FORM_BIAS
#define OUT BT_NAME_FORM_OUT

#define ROW BT_NAME_ROW
#define DENSE(hf, tf1, tf2, kernel, bias)                                      \
	{hf ".weight", tf1 "/kernel", tf2 "/kernel", NULL, KERNEL, kernel},    \
	{                                                                      \
		hf ".bias", tf1 "/bias", tf2 "/bias", NULL, SAME, bias         \
	}
#define NORM(hf, tf1, tf2)                                                     \
	{hf ".weight", tf1 "/gamma", tf2 "/gamma", NULL, SAME, SAME},          \
	{                                                                      \
		hf ".bias", tf1 "/beta", tf2 "/beta", NULL, SAME, SAME         \
	}

/* The first row of a name is the one that is written. */
const struct bt_name bt_names_bert[] = {
    {"bert.embeddings.word_embeddings.weight",
     "bert/embeddings/word_embeddings", "layer_with_weights-0/embeddings",
     "_embedding_layer/embeddings", SAME, SAME},
    {"bert.embeddings.position_embeddings.weight",
     "bert/embeddings/position_embeddings", "layer_with_weights-1/embeddings",
     "_position_embedding_layer/embeddings", SAME, SAME},
    {"bert.embeddings.token_type_embeddings.weight",
     "bert/embeddings/token_type_embeddings", "layer_with_weights-2/embeddings",
     "_type_embedding_layer/embeddings", SAME, SAME},
    {"bert.embeddings.LayerNorm.weight", "bert/embeddings/LayerNorm/gamma",
     "layer_with_weights-3/gamma", "_embedding_norm_layer/gamma", SAME, SAME},
    {"bert.embeddings.LayerNorm.bias", "bert/embeddings/LayerNorm/beta",
     "layer_with_weights-3/beta", "_embedding_norm_layer/beta", SAME, SAME},
    DENSE("bert.encoder.layer.#.attention.self.query",
          "bert/encoder/layer_#/attention/self/query",
          "+/_attention_layer/_query_dense", IN, BIAS),
    DENSE("bert.encoder.layer.#.attention.self.key",
          "bert/encoder/layer_#/attention/self/key",
          "+/_attention_layer/_key_dense", IN, BIAS),
    DENSE("bert.encoder.layer.#.attention.self.value",
          "bert/encoder/layer_#/attention/self/value",
          "+/_attention_layer/_value_dense", IN, BIAS),
    DENSE("bert.encoder.layer.#.attention.output.dense",
          "bert/encoder/layer_#/attention/output/dense",
          "+/_attention_layer/_output_dense", OUT, SAME),
    {"bert.encoder.layer.#.attention.output.dense.weight", NULL,
     "+/_attention_output_dense/kernel", NULL, KERNEL, OUT},
    {"bert.encoder.layer.#.attention.output.dense.bias", NULL,
     "+/_attention_output_dense/bias", NULL, SAME, SAME},
    NORM("bert.encoder.layer.#.attention.output.LayerNorm",
         "bert/encoder/layer_#/attention/output/LayerNorm",
         "+/_attention_layer_norm"),
    DENSE("bert.encoder.layer.#.intermediate.dense",
          "bert/encoder/layer_#/intermediate/dense", "+/_intermediate_dense",
          KERNEL, SAME),
    DENSE("bert.encoder.layer.#.output.dense",
          "bert/encoder/layer_#/output/dense", "+/_output_dense", KERNEL, SAME),
    NORM("bert.encoder.layer.#.output.LayerNorm",
         "bert/encoder/layer_#/output/LayerNorm", "+/_output_layer_norm"),
    {"bert.pooler.dense.weight", "bert/pooler/dense/kernel",
     "layer_with_weights-$/kernel", "_pooler_layer/kernel", KERNEL, KERNEL},
    {"bert.pooler.dense.bias", "bert/pooler/dense/bias",
     "layer_with_weights-$/bias", "_pooler_layer/bias", SAME, SAME},
    {"cls.predictions.transform.dense.weight",
     "cls/predictions/transform/dense/kernel", NULL, NULL, KERNEL, KERNEL},
    ROW("cls.predictions.transform.dense.bias",
        "cls/predictions/transform/dense/bias", SAME),
    ROW("cls.predictions.transform.LayerNorm.weight",
        "cls/predictions/transform/LayerNorm/gamma", SAME),
    ROW("cls.predictions.transform.LayerNorm.bias",
        "cls/predictions/transform/LayerNorm/beta", SAME),
    ROW("cls.predictions.bias", "cls/predictions/output_bias", SAME),
    ROW("cls.seq_relationship.weight", "cls/seq_relationship/output_weights",
        SAME),
    ROW("cls.seq_relationship.bias", "cls/seq_relationship/output_bias", SAME),
    {"qa_outputs.weight", "cls/squad/output_weights",
     "model/layer_with_weights-1/layer_with_weights-0/kernel", NULL, SAME,
     KERNEL},
    {"qa_outputs.bias", "cls/squad/output_bias",
     "model/layer_with_weights-1/layer_with_weights-0/bias", NULL, SAME, SAME},
    {"classifier.weight", "output_weights",
     "model/layer_with_weights-1/out_proj/kernel", NULL, SAME, KERNEL},
    {"classifier.bias", "output_bias",
     "model/layer_with_weights-1/out_proj/bias", NULL, SAME, SAME},
};

const size_t bt_names_bert_n = sizeof(bt_names_bert) / sizeof(bt_names_bert[0]);

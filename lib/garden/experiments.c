/* SPDX-License-Identifier: MIT */
/* The experiments: their tasks, models and data. */

#include "base/str.h"
#include "garden/config_schema_int.h"

static const struct bt_garden_field privacy_fields[] = {
    PLAIN("clipping_norm", 'R', "100000000.0"),
    PLAIN("noise_multiplier", 'R', "0.0"), END};
CLASS(privacy, "DifferentialPrivacyConfig");

#define DATA_COMMON(batch, training)                                           \
	PLAIN("input_path", '*', "''"), PLAIN("tfds_name", '*', "''"),         \
	    PLAIN("tfds_split", 'S', "''"),                                    \
	    PLAIN("global_batch_size", 'i', batch),                            \
	    PLAIN("is_training", 'B', training),                               \
	    PLAIN("drop_remainder", 'b', "true"),                              \
	    PLAIN("shuffle_buffer_size", 'I', "100"),                          \
	    PLAIN("cache", 'b', "false"), PLAIN("cycle_length", 'I', "null"),  \
	    PLAIN("block_length", 'i', "1"), PLAIN("ram_budget", 'I', "null"), \
	    PLAIN("deterministic", 'B', "null"),                               \
	    PLAIN("sharding", 'b', "true"),                                    \
	    PLAIN("enable_tf_data_service", 'b', "false"),                     \
	    PLAIN("tf_data_service_address", 'S', "null"),                     \
	    PLAIN("tf_data_service_job_name", 'S', "null"),                    \
	    PLAIN("tfds_data_dir", 'S', "''"),                                 \
	    PLAIN("tfds_as_supervised", 'b', "false"),                         \
	    PLAIN("tfds_skip_decoding_feature", 'S', "''"),                    \
	    PLAIN("enable_shared_tf_data_service_between_parallel_trainers",   \
	          'b', "false"),                                               \
	    PLAIN("apply_tf_data_service_before_batching", 'b', "false"),      \
	    PLAIN("trainer_id", 'S', "null"), PLAIN("seed", 'I', "null"),      \
	    PLAIN("prefetch_buffer_size", 'I', "null"),                        \
	    PLAIN("autotune_algorithm", 'S', "null")

static const struct bt_garden_field sentence_data_fields[] = {
    DATA_COMMON("32", "true"),
    PLAIN("seq_length", 'i', "128"),
    PLAIN("label_type", 's', "int"),
    PLAIN("include_example_id", 'b', "false"),
    PLAIN("label_field", 's', "label_ids"),
    PLAIN("label_name", '*', "null"),
    PLAIN("file_type", 's', "tfrecord"),
    END};
CLASS(sentence_data, "SentencePredictionDataConfig");

static const struct bt_garden_field text_data_fields[] = {
    DATA_COMMON("32", "true"),
    PLAIN("label_type", 's', "int"),
    PLAIN("text_fields", 'l', "null"),
    PLAIN("label_field", 's', "label"),
    PLAIN("seq_length", 'i', "128"),
    PLAIN("tokenization", 's', "WordPiece"),
    PLAIN("vocab_file", 'S', "''"),
    PLAIN("lower_case", 'b', "true"),
    PLAIN("preprocessing_hub_module_url", 'S', "''"),
    PLAIN("file_type", 's', "tfrecord"),
    PLAIN("include_example_id", 'b', "false"),
    END};
CLASS(text_data, "SentencePredictionTextDataConfig");

static const struct bt_garden_field squad_data_fields[] = {
    DATA_COMMON("48", "true"),
    PLAIN("seq_length", 'i', "384"),
    PLAIN("version_2_with_negative", 'b', "false"),
    PLAIN("input_preprocessed_data_path", 'S', "''"),
    PLAIN("doc_stride", 'i', "128"),
    PLAIN("query_length", 'i', "64"),
    PLAIN("vocab_file", 'S', "''"),
    PLAIN("tokenization", 's', "WordPiece"),
    PLAIN("do_lower_case", 'b', "true"),
    PLAIN("xlnet_format", 'b', "false"),
    PLAIN("file_type", 's', "tfrecord"),
    END};
CLASS(squad_data, "QADataConfig");

static const struct bt_garden_field tagging_data_fields[] = {
    DATA_COMMON("0", "true"), PLAIN("seq_length", 'i', "128"),
    PLAIN("include_sentence_id", 'b', "false"),
    PLAIN("file_type", 's', "tfrecord"), END};
CLASS(tagging_data, "TaggingDataConfig");

static const struct bt_garden_field bert_fields[] = {
    PLAIN("vocab_size", 'i', "30522"),
    PLAIN("hidden_size", 'i', "768"),
    PLAIN("num_layers", 'i', "12"),
    PLAIN("num_attention_heads", 'i', "12"),
    PLAIN("hidden_activation", 's', "gelu"),
    PLAIN("intermediate_size", 'i', "3072"),
    PLAIN("dropout_rate", 'r', "0.1"),
    PLAIN("attention_dropout_rate", 'r', "0.1"),
    PLAIN("max_position_embeddings", 'i', "512"),
    PLAIN("type_vocab_size", 'i', "2"),
    PLAIN("initializer_range", 'r', "0.02"),
    PLAIN("embedding_size", 'I', "null"),
    PLAIN("output_range", 'I', "null"),
    PLAIN("return_all_encoder_outputs", 'b', "false"),
    PLAIN("return_attention_scores", 'b', "false"),
    PLAIN("return_word_embeddings", 'b', "false"),
    PLAIN("norm_first", 'b', "false"),
    END};
CLASS(bert, "BertEncoderConfig");

static const struct bt_garden_field encoder_fields[] = {
    PLAIN("type", 'S', "bert"), NEST("bert", bert), END};
ONE_OF(encoder, "EncoderConfig",
       "albert|any|bert_v2|bigbird|fnet|funnel|kernel|mobilebert|query_bert|"
       "reuse|sparse_mixer|xlnet");

static const struct bt_garden_field sentence_model_fields[] = {
    PLAIN("num_classes", 'i', "0"), PLAIN("use_encoder_pooler", 'b', "false"),
    NEST("encoder", encoder), END};
CLASS(sentence_model, "ModelConfig");

static const struct bt_garden_field squad_model_fields[] = {
    NEST("encoder", encoder), END};
CLASS(squad_model, "ModelConfig");

static const struct bt_garden_field tagging_model_fields[] = {
    NEST("encoder", encoder), PLAIN("head_dropout", 'r', "0.1"),
    PLAIN("head_initializer_range", 'r', "0.02"), END};
CLASS(tagging_model, "ModelConfig");

#define TASK_COMMON(model)                                                     \
	PLAIN("init_checkpoint", 'S', "''"), NEST("model", model),             \
	    {"train_data", BT_GARDEN_DATA, NULL, NULL},                        \
	    {"validation_data", BT_GARDEN_DATA, NULL, NULL},                   \
	    PLAIN("name", 'S', "null"),                                        \
	    MAYBE("differential_privacy_config", privacy),                     \
	    PLAIN("allow_image_summary", 'b', "false"),                        \
	    PLAIN("hub_module_url", 'S', "''")

static const struct bt_garden_field sentence_task_fields[] = {
    TASK_COMMON(sentence_model), PLAIN("init_cls_pooler", 'b', "false"),
    PLAIN("metric_type", 's', "accuracy"), END};
CLASS(sentence_task, "SentencePredictionConfig");

static const struct bt_garden_field squad_task_fields[] = {
    TASK_COMMON(squad_model), PLAIN("n_best_size", 'i', "20"),
    PLAIN("max_answer_length", 'i', "30"),
    PLAIN("null_score_diff_threshold", 'r', "0.0"), END};
CLASS(squad_task, "QuestionAnsweringConfig");

static const struct bt_garden_field tagging_task_fields[] = {
    TASK_COMMON(tagging_model), PLAIN("class_names", 'l', "null"), END};
CLASS(tagging_task, "TaggingConfig");

#define ROOT(id, task)                                                         \
	static const struct bt_garden_field id##_fields[] = {                  \
	    NEST("runtime", bt_garden_runtime), NEST("task", task),            \
	    NEST("trainer", bt_garden_trainer), END};                          \
	CLASS(id, "ExperimentConfig")

ROOT(sentence_root, sentence_task);
ROOT(squad_root, squad_task);
ROOT(tagging_root, tagging_task);

#define TRAINER(rate)                                                          \
	"trainer: {optimizer_config: {optimizer: {type: adamw, adamw: "        \
	"{weight_decay_rate: 0.01, exclude_from_weight_decay: [LayerNorm, "    \
	"layer_norm, bias]}}, learning_rate: {type: polynomial, polynomial: "  \
	"{initial_learning_rate: " rate ", end_learning_rate: 0.0}}, warmup: " \
	"{type: polynomial}}}"
#define NO_TRAINING                                                            \
	", task: {validation_data: {is_training: false, drop_remainder: "      \
	"false}}"

static const struct bt_garden_experiment experiments[] = {
    {"bert/sentence_prediction", BT_GARDEN_SENTENCE, &sentence_root,
     &sentence_data, "{" TRAINER("3e-5") NO_TRAINING "}"},
    {"bert/sentence_prediction_text", BT_GARDEN_SENTENCE_TEXT, &sentence_root,
     &text_data, "{" TRAINER("3e-5") NO_TRAINING "}"},
    {"bert/squad", BT_GARDEN_SQUAD, &squad_root, &squad_data,
     "{" TRAINER("8e-5") "}"},
    {"bert/tagging", BT_GARDEN_TAGGING, &tagging_root, &tagging_data,
     "{" TRAINER("8e-5") NO_TRAINING "}"},
};

const struct bt_garden_experiment *bt_garden_experiment(const char *name)
{
	int i = BT_STR_ROW_BY(name, experiments, name);

	return i >= 0 ? &experiments[i] : NULL;
}

const struct bt_garden_class *
bt_garden_class_of(const struct bt_garden_experiment *e,
                   const struct bt_garden_field *f)
{
	return f->type == BT_GARDEN_DATA ? e->data : f->of;
}

/* SPDX-License-Identifier: MIT */
/* Keys and defaults of what all experiments share: where and how they run. */
#include "garden/config_schema_int.h"

#include <string.h>

#include "base/suggest.h"

static const struct bt_garden_field runtime_fields[] = {
    PLAIN("distribution_strategy", 's', "mirrored"),
    PLAIN("enable_xla", 'b', "false"),
    PLAIN("gpu_thread_mode", 'S', "null"),
    PLAIN("dataset_num_private_threads", 'I', "null"),
    PLAIN("per_gpu_thread_count", 'i', "0"),
    PLAIN("tpu", 'S', "null"),
    PLAIN("num_gpus", 'i', "0"),
    PLAIN("worker_hosts", 'S', "null"),
    PLAIN("task_index", 'i', "-1"),
    PLAIN("all_reduce_alg", 'S', "null"),
    PLAIN("num_packs", 'i', "1"),
    PLAIN("mixed_precision_dtype", 'S', "null"),
    PLAIN("loss_scale", '*', "null"),
    PLAIN("run_eagerly", 'b', "false"),
    PLAIN("batchnorm_spatial_persistent", 'b', "false"),
    PLAIN("tpu_enable_xla_dynamic_padder", 'B', "null"),
    PLAIN("num_cores_per_replica", 'i', "1"),
    PLAIN("default_shard_dim", 'i', "-1"),
    PLAIN("use_tpu_mp_strategy", 'b', "false"),
    END};
const struct bt_garden_class bt_garden_runtime = {"RuntimeConfig",
                                                  runtime_fields, false, NULL};

#define OPTIMIZER_COMMON                                                       \
	PLAIN("clipnorm", 'R', "null"), PLAIN("clipvalue", 'R', "null"),       \
	    PLAIN("global_clipnorm", 'R', "null")

static const struct bt_garden_field sgd_fields[] = {
    OPTIMIZER_COMMON,
    PLAIN("name", 's', "SGD"),
    PLAIN("decay", 'r', "0.0"),
    PLAIN("nesterov", 'b', "false"),
    PLAIN("momentum", 'r', "0.0"),
    END};
CLASS(sgd, "SGDConfig");

static const struct bt_garden_field adam_fields[] = {
    OPTIMIZER_COMMON,
    PLAIN("name", 's', "Adam"),
    PLAIN("beta_1", 'r', "0.9"),
    PLAIN("beta_2", 'r', "0.999"),
    PLAIN("epsilon", 'r', "1e-7"),
    PLAIN("amsgrad", 'b', "false"),
    END};
CLASS(adam, "AdamConfig");

static const struct bt_garden_field adamw_fields[] = {
    OPTIMIZER_COMMON,
    PLAIN("name", 's', "AdamWeightDecay"),
    PLAIN("beta_1", 'r', "0.9"),
    PLAIN("beta_2", 'r', "0.999"),
    PLAIN("epsilon", 'r', "1e-7"),
    PLAIN("amsgrad", 'b', "false"),
    PLAIN("weight_decay_rate", 'r', "0.0"),
    PLAIN("include_in_weight_decay", 'l', "null"),
    PLAIN("exclude_from_weight_decay", 'l', "null"),
    PLAIN("gradient_clip_norm", 'r', "1.0"),
    END};
CLASS(adamw, "AdamWeightDecayConfig");

static const struct bt_garden_field lamb_fields[] = {
    OPTIMIZER_COMMON,
    PLAIN("name", 's', "LAMB"),
    PLAIN("beta_1", 'r', "0.9"),
    PLAIN("beta_2", 'r', "0.999"),
    PLAIN("epsilon", 'r', "1e-6"),
    PLAIN("weight_decay_rate", 'r', "0.0"),
    PLAIN("exclude_from_weight_decay", 'l', "null"),
    PLAIN("exclude_from_layer_adaptation", 'l', "null"),
    END};
CLASS(lamb, "LAMBConfig");

static const struct bt_garden_field optimizer_fields[] = {
    PLAIN("type", 'S', "null"), NEST("sgd", sgd),   NEST("adam", adam),
    NEST("adamw", adamw),       NEST("lamb", lamb), END};
ONE_OF(optimizer, "OptimizerConfig",
       "sgd_experimental|adam_experimental|adamw_experimental|rmsprop|lars|"
       "adagrad|slide|adafactor|adafactor_keras");

static const struct bt_garden_field constant_fields[] = {
    PLAIN("name", 's', "Constant"), PLAIN("learning_rate", 'r', "0.1"), END};
CLASS(constant, "ConstantLrConfig");

static const struct bt_garden_field stepwise_fields[] = {
    PLAIN("name", 's', "PiecewiseConstantDecay"),
    PLAIN("boundaries", 'l', "null"), PLAIN("values", 'l', "null"),
    PLAIN("offset", 'i', "0"), END};
CLASS(stepwise, "StepwiseLrConfig");

static const struct bt_garden_field exponential_fields[] = {
    PLAIN("name", 's', "ExponentialDecay"),
    PLAIN("initial_learning_rate", 'R', "null"),
    PLAIN("decay_steps", 'I', "null"),
    PLAIN("decay_rate", 'R', "null"),
    PLAIN("staircase", 'B', "null"),
    PLAIN("offset", 'i', "0"),
    END};
CLASS(exponential, "ExponentialLrConfig");

static const struct bt_garden_field polynomial_fields[] = {
    PLAIN("name", 's', "PolynomialDecay"),
    PLAIN("initial_learning_rate", 'R', "null"),
    PLAIN("decay_steps", 'I', "null"),
    PLAIN("end_learning_rate", 'r', "0.0001"),
    PLAIN("power", 'r', "1.0"),
    PLAIN("cycle", 'b', "false"),
    PLAIN("offset", 'i', "0"),
    END};
CLASS(polynomial, "PolynomialLrConfig");

static const struct bt_garden_field cosine_fields[] = {
    PLAIN("name", 's', "CosineDecay"),
    PLAIN("initial_learning_rate", 'R', "null"),
    PLAIN("decay_steps", 'I', "null"),
    PLAIN("alpha", 'r', "0.0"),
    PLAIN("offset", 'i', "0"),
    END};
CLASS(cosine, "CosineLrConfig");

static const struct bt_garden_field rate_fields[] = {
    PLAIN("type", 'S', "null"),
    NEST("constant", constant),
    NEST("stepwise", stepwise),
    NEST("exponential", exponential),
    NEST("polynomial", polynomial),
    NEST("cosine", cosine),
    END};
ONE_OF(rate, "LrConfig",
       "power|power_linear|power_with_offset|step_cosine_with_offset");

static const struct bt_garden_field linear_warmup_fields[] = {
    PLAIN("name", 's', "linear"), PLAIN("warmup_learning_rate", 'r', "0.0"),
    PLAIN("warmup_steps", 'I', "null"), END};
CLASS(linear_warmup, "LinearWarmupConfig");

static const struct bt_garden_field polynomial_warmup_fields[] = {
    PLAIN("name", 's', "polynomial"), PLAIN("power", 'r', "1"),
    PLAIN("warmup_steps", 'I', "null"), END};
CLASS(polynomial_warmup, "PolynomialWarmupConfig");

static const struct bt_garden_field warmup_fields[] = {
    PLAIN("type", 'S', "null"), NEST("linear", linear_warmup),
    NEST("polynomial", polynomial_warmup), END};
ONE_OF(warmup, "WarmupConfig", "");

static const struct bt_garden_field ema_fields[] = {
    PLAIN("name", 's', "ExponentialMovingAverage"),
    PLAIN("trainable_weights_only", 'b', "true"),
    PLAIN("average_decay", 'r', "0.99"),
    PLAIN("start_step", 'i', "0"),
    PLAIN("dynamic_decay", 'b', "true"),
    END};
CLASS(ema, "EMAConfig");

static const struct bt_garden_field optimization_fields[] = {
    NEST("optimizer", optimizer), MAYBE("ema", ema),
    NEST("learning_rate", rate), NEST("warmup", warmup), END};
CLASS(optimization, "OptimizationConfig");

static const struct bt_garden_field trainer_fields[] = {
    NEST("optimizer_config", optimization),
    PLAIN("train_tf_while_loop", 'b', "true"),
    PLAIN("train_tf_function", 'b', "true"),
    PLAIN("eval_tf_function", 'b', "true"),
    PLAIN("eval_tf_while_loop", 'b', "false"),
    PLAIN("allow_tpu_summary", 'b', "false"),
    PLAIN("steps_per_loop", 'i', "1000"),
    PLAIN("summary_interval", 'i', "1000"),
    PLAIN("checkpoint_interval", 'i', "1000"),
    PLAIN("max_to_keep", 'i', "5"),
    PLAIN("continuous_eval_timeout", 'i', "3600"),
    PLAIN("train_steps", 'i', "0"),
    PLAIN("validation_steps", 'i', "-1"),
    PLAIN("validation_interval", 'i', "1000"),
    PLAIN("best_checkpoint_export_subdir", 'S', "''"),
    PLAIN("best_checkpoint_eval_metric", 'S', "''"),
    PLAIN("best_checkpoint_metric_comp", 's', "higher"),
    PLAIN("loss_upper_bound", 'r', "1e6"),
    PLAIN("recovery_begin_steps", 'i', "0"),
    PLAIN("recovery_max_trials", 'i', "0"),
    PLAIN("validation_summary_subdir", 's', "validation"),
    PLAIN("preemption_on_demand_checkpoint", 'b', "true"),
    END};
const struct bt_garden_class bt_garden_trainer = {"TrainerConfig",
                                                  trainer_fields, false, NULL};

const struct bt_garden_field *bt_garden_field(const struct bt_garden_class *c,
                                              const char *key)
{
	const struct bt_garden_field *f;

	for (f = c->fields; f->key != NULL; f++)
		if (strcmp(f->key, key) == 0)
			return f;
	return NULL;
}

const char *bt_garden_nearest(const struct bt_garden_class *c, const char *key)
{
	size_t least = 2 + strlen(key) / 3, d;
	const struct bt_garden_field *f;
	const char *best = NULL;

	if (strlen(key) > BT_SUGGEST_LONGEST)
		return NULL;
	for (f = c->fields; f->key != NULL; f++) {
		d = bt_suggest_distance(f->key, key);
		if (d < least) {
			least = d;
			best = f->key;
		}
	}
	return best;
}

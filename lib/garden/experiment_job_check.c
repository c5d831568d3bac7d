/* SPDX-License-Identifier: MIT */
/* What a configuration may ask for, and what it may not. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "garden/experiment_job_int.h"

#define RUNTIME "runtime."
#define ENCODER "task.model.encoder.bert."

static bool is_one_of(const char *s, const char *a, const char *b)
{
	return strcmp(s, a) == 0 || strcmp(s, b) == 0;
}

static int check_strategy(const struct bt_garden *c, struct bt_error *err)
{
	const char *path = RUNTIME "distribution_strategy";
	const char *s = bt_garden_str(c, path);

	if (is_one_of(s, "mirrored", "off") || strcmp(s, "one_device") == 0)
		return BT_OK;
	return bt_garden_fault(c, path, BT_EARG, err,
	                       "'%.60s': everything runs on this machine's "
	                       "CPU: mirrored, one_device or 'off'",
	                       s);
}

static int check_dtype(const struct bt_garden *c, struct bt_error *err)
{
	const char *path = RUNTIME "mixed_precision_dtype";
	const char *s = bt_garden_str(c, path);

	if (*s == '\0' || is_one_of(s, "float32", "bfloat16") ||
	    strcmp(s, "mixed_bfloat16") == 0)
		return BT_OK;
	return bt_garden_fault(c, path, BT_EARG, err,
	                       "'%.60s': products are of float32 or bfloat16",
	                       s);
}

static int check_runtime(const struct bt_garden *c, const struct bt_log *log,
                         struct bt_error *err)
{
	int64_t gpus = bt_garden_int(c, RUNTIME "num_gpus", 0);
	int r = check_strategy(c, err);

	if (r == BT_OK)
		r = check_dtype(c, err);
	if (r == BT_OK && *bt_garden_str(c, RUNTIME "tpu") != '\0')
		r = bt_garden_fault(c, RUNTIME "tpu", BT_EARG, err,
		                    "no TPU can be used: everything runs on "
		                    "the CPU");
	if (r == BT_OK && *bt_garden_str(c, RUNTIME "worker_hosts") != '\0')
		r = bt_garden_fault(c, RUNTIME "worker_hosts", BT_EARG, err,
		                    "everything runs on this machine");
	if (r == BT_OK && gpus > 1)
		r = bt_garden_fault(c, RUNTIME "num_gpus", BT_EARG, err,
		                    "everything runs on the CPU, so gradients "
		                    "are not clipped for each of %lld GPUs",
		                    (long long)gpus);
	if (r == BT_OK && gpus == 1)
		bt_log(
		    log, BT_LOG_NOTE,
		    "runtime.num_gpus is 1, and it is the CPU that computes");
	return r;
}

/* Strings that must be empty, and why. */
static const struct {
	const char *path, *why;
} empty[] = {
    {"task.train_data.tfds_name",
     "TensorFlow Datasets are not read: csv2tfrecord --task and bert-tokenize "
     "make records of the published files, for input_path"},
    {"task.validation_data.tfds_name",
     "TensorFlow Datasets are not read: csv2tfrecord --task and bert-tokenize "
     "make records of the published files, for input_path"},
    {"task.train_data.tf_data_service_address", "records are read from files"},
    {"task.validation_data.tf_data_service_address",
     "records are read from files"},
};

/* Keys that only take one value here. */
static const struct {
	const char *path;
	bool built;
	const char *why;
} fixed[] = {
    {ENCODER "norm_first", false, "layers are normalized behind"},
    {"task.train_data.is_training", true, "training data are shuffled"},
    {"task.validation_data.is_training", false,
     "validation data are read in order, once"},
    {"task.train_data.enable_tf_data_service", false,
     "records are read from files"},
    {"task.validation_data.enable_tf_data_service", false,
     "records are read from files"},
};

/* A module of TensorFlow Hub may stand in a directory here. */
static int check_hub(const struct bt_garden *c, struct bt_error *err)
{
	const char *key = "task.hub_module_url";
	const char *hub = bt_garden_str(c, key);
	struct stat s;

	if (*hub == '\0')
		return BT_OK;
	if (stat(hub, &s) != 0 || !S_ISDIR(s.st_mode))
		return bt_garden_fault(
		    c, key, BT_EARG, err,
		    "there is no directory '%s', and nothing "
		    "is fetched: give that of a local copy, "
		    "or the encoder's weights by "
		    "task.init_checkpoint",
		    hub);
	if (*bt_garden_str(c, "task.init_checkpoint") != '\0')
		return bt_garden_fault(c, key, BT_EARG, err,
		                       "task.init_checkpoint is given, too");
	return BT_OK;
}

static int check_keys(const struct bt_garden *c, struct bt_error *err)
{
	size_t i;
	int r = check_hub(c, err);

	if (r != BT_OK)
		return r;

	for (i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		if (*bt_garden_str(c, empty[i].path) != '\0' ||
		    bt_garden_get(c, empty[i].path)->n > 0)
			return bt_garden_fault(c, empty[i].path, BT_EARG, err,
			                       "%s", empty[i].why);
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (bt_garden_bool(c, fixed[i].path) != fixed[i].built)
			return bt_garden_fault(
			    c, fixed[i].path, BT_EARG, err,
			    "only %s is built: %s",
			    fixed[i].built ? "true" : "false", fixed[i].why);
	if (!bt_garden_is_null(c, "task.differential_privacy_config"))
		return bt_garden_fault(c, "task.differential_privacy_config",
		                       BT_EARG, err, "it is not built");
	if (!bt_garden_is_null(c, "trainer.optimizer_config.ema"))
		return bt_garden_fault(c, "trainer.optimizer_config.ema",
		                       BT_EARG, err,
		                       "moving averages are not built");
	return BT_OK;
}

static int check_encoder(const struct bt_garden *c, const struct bt_log *log,
                         struct bt_error *err)
{
	int64_t width = bt_garden_int(c, ENCODER "hidden_size", 0);
	double d = bt_garden_real(c, ENCODER "dropout_rate", 0);
	double a = bt_garden_real(c, ENCODER "attention_dropout_rate", 0);

	if (strcmp(bt_garden_str(c, "task.model.encoder.type"), "bert") != 0)
		return bt_garden_fault(c, "task.model.encoder.type", BT_EARG,
		                       err, "only bert is built");
	if (bt_garden_int(c, ENCODER "embedding_size", width) != width)
		return bt_garden_fault(
		    c, ENCODER "embedding_size", BT_EARG, err,
		    "only the hidden size, %lld, is built", (long long)width);
	if (!bt_garden_is_null(c, ENCODER "output_range"))
		return bt_garden_fault(c, ENCODER "output_range", BT_EARG, err,
		                       "only null is built");
	if (a != d)
		bt_log(log, BT_LOG_NOTE,
		       "what leaves attention is dropped with dropout_rate %g "
		       "here, not with attention_dropout_rate %g",
		       d, a);
	return BT_OK;
}

static int check_model(const struct bt_garden *c, struct bt_error *err)
{
	const char *path = "task.model.num_classes";
	int64_t n = bt_garden_int(c, path, 0);

	if (n < 1 || n > BT_LABELS_MAX)
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "it must be given, 1 for a number to be "
		                       "predicted, and not %lld",
		                       (long long)n);
	return BT_OK;
}

/* One of the two sets of data, whose keys begin with `at`. */
static int check_data(const struct bt_garden *c, const char *at,
                      struct bt_error *err)
{
	int64_t batch, length;
	const char *type;
	int64_t most = bt_garden_int(c, ENCODER "max_position_embeddings", 0);
	char path[80];

	snprintf(path, sizeof(path), "%s.global_batch_size", at);
	batch = bt_garden_int(c, path, 0);
	if (batch < 1 || batch > INT32_MAX)
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "%lld examples are no batch",
		                       (long long)batch);
	snprintf(path, sizeof(path), "%s.seq_length", at);
	length = bt_garden_int(c, path, 0);
	if (length < 1 || length > most)
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "%lld, and the encoder has %lld "
		                       "positions",
		                       (long long)length, (long long)most);
	type = bt_garden_int(c, "task.model.num_classes", 0) == 1 ? "float"
	                                                          : "int";
	snprintf(path, sizeof(path), "%s.label_type", at);
	if (strcmp(bt_garden_str(c, path), type) != 0)
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "int is for the number of a class, and "
		                       "float for num_classes 1");
	snprintf(path, sizeof(path), "%s.label_field", at);
	if (strcmp(bt_garden_str(c, path), "label_ids") != 0)
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "only label_ids is built");
	snprintf(path, sizeof(path), "%s.file_type", at);
	if (!is_one_of(bt_garden_str(c, path), "tfrecord",
	               "tfrecord_compressed"))
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "only tfrecord is built");
	return BT_OK;
}

static int check_task(const struct bt_garden *c, struct bt_error *err)
{
	const char *name = bt_garden_name(c);

	if (strcmp(name, "bert/sentence_prediction") == 0)
		return BT_OK;
	if (strcmp(name, "bert/sentence_prediction_text") == 0)
		return bt_error_set(
		    err, BT_EARG,
		    "%s tokenizes while it trains, often from TensorFlow "
		    "Datasets, which is not built: csv2tfrecord --task NAME | "
		    "bert-tokenize makes records for bert/sentence_prediction",
		    name);
	return bt_error_set(err, BT_EARG,
	                    "the task of %s is not built: its configuration is "
	                    "read and printed, no more",
	                    name);
}

int bt_experiment_job_check(const struct bt_garden *c, bool trains,
                            bool evaluates, const struct bt_log *log,
                            struct bt_error *err)
{
	int r = check_task(c, err);

	if (r == BT_OK)
		r = check_runtime(c, log, err);
	if (r == BT_OK)
		r = check_keys(c, err);
	if (r == BT_OK)
		r = check_encoder(c, log, err);
	if (r == BT_OK)
		r = check_model(c, err);
	if (r == BT_OK && trains)
		r = check_data(c, "task.train_data", err);
	if (r == BT_OK && evaluates)
		r = check_data(c, "task.validation_data", err);
	return r;
}

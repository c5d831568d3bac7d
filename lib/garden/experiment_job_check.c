/* SPDX-License-Identifier: MIT */
/* What a configuration may ask for, and what it may not. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "garden/experiment_job_int.h"
#include "io/path.h"

#define RUNTIME "runtime."
#define ENCODER "task.model.encoder.bert."

#define TFDS                                                                   \
	"TensorFlow Datasets are not read: csv2tfrecord --task and "           \
	"bert-tokenize make records of the published files, for input_path"

/* Strings that must be one of a list, and why. */
static const struct {
	const char *path, *allowed, *why;
} words[] = {
    {RUNTIME "mixed_precision_dtype", "|float32|bfloat16|mixed_bfloat16",
     "products are of float32 or bfloat16"},
    {RUNTIME "worker_hosts", "",
     "devices of one machine compute together, not of several machines"},
    {RUNTIME "all_reduce_alg", "|nccl|hierarchical_copy|ring",
     "it is one of nccl, hierarchical_copy, ring"},
    {"task.model.encoder.type", "bert", "only bert is built"},
    {"task.train_data.tfds_name", "", TFDS},
    {"task.validation_data.tfds_name", "", TFDS},
    {"task.train_data.tf_data_service_address", "",
     "records are read from files"},
    {"task.validation_data.tf_data_service_address", "",
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
static void check_hub(const struct bt_garden *c, struct bt_error *err)
{
	const char *key = "task.hub_module_url";
	const char *hub = bt_garden_str(c, key);

	if (*hub == '\0')
		return;
	if (!bt_path_is_dir(hub))
		bt_garden_fault(c, key, err,
		                "'%s' is not a directory, and nothing is "
		                "fetched: give that of a local copy, or the "
		                "encoder's weights by task.init_checkpoint",
		                hub);
	if (*bt_garden_str(c, "task.init_checkpoint") != '\0')
		bt_garden_fault(c, key, err,
		                "task.init_checkpoint is given, too");
}

static void check_keys(const struct bt_garden *c, struct bt_error *err)
{
	const char *s;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		s = bt_garden_str(c, words[i].path);
		if (!bt_str_in_list(words[i].allowed, s) ||
		    bt_garden_get(c, words[i].path)->n > 0)
			bt_garden_fault(c, words[i].path, err, "'%.60s': %s", s,
			                words[i].why);
	}
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (bt_garden_bool(c, fixed[i].path) != fixed[i].built)
			bt_garden_fault(
			    c, fixed[i].path, err, "only %s is built: %s",
			    fixed[i].built ? "true" : "false", fixed[i].why);
	if (!bt_garden_is_null(c, "task.differential_privacy_config"))
		bt_garden_fault(c, "task.differential_privacy_config", err,
		                "it is not built");
	if (!bt_garden_is_null(c, "trainer.optimizer_config.ema"))
		bt_garden_fault(c, "trainer.optimizer_config.ema", err,
		                "moving averages are not built");
}

static void check_classes(const struct bt_garden *c, struct bt_error *err)
{
	const char *classes = "task.model.num_classes";
	int64_t n = bt_garden_int(c, classes, 0);

	if (n < 1 || n > BT_LABELS_MAX)
		bt_garden_fault(c, classes, err,
		                "it must be given, 1 for a number to be "
		                "predicted, and not %lld",
		                (long long)n);
}

static void check_encoder(const struct bt_garden *c, const struct bt_log *log,
                          struct bt_error *err)
{
	int64_t width = bt_garden_int(c, ENCODER "hidden_size", 0);
	double d = bt_garden_real(c, ENCODER "dropout_rate", 0);
	double a = bt_garden_real(c, ENCODER "attention_dropout_rate", 0);

	if (bt_garden_int(c, ENCODER "embedding_size", width) != width)
		bt_garden_fault(c, ENCODER "embedding_size", err,
		                "only the hidden size, %lld, is built",
		                (long long)width);
	if (!bt_garden_is_null(c, ENCODER "output_range"))
		bt_garden_fault(c, ENCODER "output_range", err,
		                "only null is built");
	if (a != d && err->code == BT_OK)
		bt_log(log, BT_LOG_NOTE,
		       "what leaves attention is dropped with dropout_rate %g "
		       "here, not with attention_dropout_rate %g",
		       d, a);
}

/* The head of a model that tags words. */
static void check_tags(const struct bt_garden *c, struct bt_error *err)
{
	if (bt_garden_real(c, "task.model.head_initializer_range", 0) !=
	    bt_garden_real(c, ENCODER "initializer_range", 0))
		bt_garden_fault(c, "task.model.head_initializer_range", err,
		                "only the encoder's initializer_range is "
		                "built");
}

/* What records of a class or a number hold, of one of the two sets of data,
 * whose keys begin with `at`. */
static void check_features(const struct bt_garden *c, const char *at,
                           struct bt_error *err)
{
	bool number = bt_garden_int(c, "task.model.num_classes", 0) == 1;
	const struct {
		const char *key, *allowed, *why;
	} strings[] = {
	    {"label_type", number ? "float" : "int",
	     "int is for the number of a class, and float for num_classes 1"},
	    {"label_field", "label_ids", "only label_ids is built"}};
	char path[80];
	size_t i;

	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		snprintf(path, sizeof(path), "%s.%s", at, strings[i].key);
		if (!bt_str_in_list(strings[i].allowed, bt_garden_str(c, path)))
			bt_garden_fault(c, path, err, "%s", strings[i].why);
	}
}

static void check_file_type(const struct bt_garden *c, const char *at,
                            struct bt_error *err)
{
	char path[80];

	snprintf(path, sizeof(path), "%s.file_type", at);
	if (!bt_str_in_list("tfrecord|tfrecord_compressed",
	                    bt_garden_str(c, path)))
		bt_garden_fault(c, path, err, "only tfrecord is built");
}

static void check_data(const struct bt_garden *c, const char *at,
                       struct bt_error *err)
{
	int64_t most = bt_garden_int(c, ENCODER "max_position_embeddings", 0);
	int64_t n;
	char path[80];

	snprintf(path, sizeof(path), "%s.global_batch_size", at);
	n = bt_garden_int(c, path, 0);
	if (n < 1 || n > INT32_MAX)
		bt_garden_fault(c, path, err, "%lld examples are not a batch",
		                (long long)n);
	snprintf(path, sizeof(path), "%s.seq_length", at);
	n = bt_garden_int(c, path, 0);
	if (n < 1 || n > most)
		bt_garden_fault(c, path, err,
		                "%lld, and the encoder has %lld positions",
		                (long long)n, (long long)most);
	check_file_type(c, at, err);
	if (bt_experiment_squad(c))
		bt_experiment_squad_check_data(c, at, err);
	else if (!bt_experiment_job_tags(c))
		check_features(c, at, err);
}

static int check_task(const struct bt_garden *c, struct bt_error *err)
{
	const char *name = bt_garden_name(c);

	if (strcmp(name, "bert/sentence_prediction_text") != 0)
		return BT_OK;
	return bt_error_set(
	    err, BT_EARG,
	    "%s tokenizes while it trains, often from TensorFlow Datasets, "
	    "which is not built: csv2tfrecord --task NAME | bert-tokenize "
	    "makes records for bert/sentence_prediction",
	    name);
}

int bt_experiment_job_check(const struct bt_garden *c, bool trains,
                            bool evaluates, const struct bt_log *log,
                            struct bt_error *err)
{
	int r = check_task(c, err);

	if (r != BT_OK)
		return r;
	check_hub(c, err);
	check_keys(c, err);
	if (bt_experiment_squad(c))
		bt_experiment_squad_check(c, err);
	else if (bt_experiment_job_tags(c))
		check_tags(c, err);
	else
		check_classes(c, err);
	check_encoder(c, log, err);
	if (trains)
		check_data(c, "task.train_data", err);
	if (evaluates)
		check_data(c, "task.validation_data", err);
	return err->code;
}

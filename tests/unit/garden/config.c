/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Configurations of Model Garden's train.py: assignments on a line, merges,
 * what is refused, and that params.yaml reads back. */
#include "files.h"

#include "garden/config.h"
#include "garden/params_override.h"

/* --- assignments */

static const struct {
	const char *text, *yaml;
} lines[] = {
    {"a=1", "{a: 1}"},
    {"a.b=1,a.c=2", "{a: {b: 1, c: 2}}"},
    {"a.b=1,d=3,a.c.e=2", "{d: 3, a: {b: 1, c: {e: 2}}}"},
    {"a = 1, b =2", "{a: 1, b: 2}"},
    {"a=", "{a: null}"},
    {"a=,b=1,", "{a: null, b: 1}"},
    {"a='x, y',b=\"z,w\"", "{a: 'x, y', b: 'z,w'}"},
    {"a.b='x, y',a.c=\"z=w\"", "{a: {b: 'x, y', c: 'z=w'}}"},
    {"a=[1, 2],b.c=[x, 'y']", "{a: [1, 2], b: {c: [x, 'y']}}"},
    {"x[0]=3,x[1]=2.5", "{x: [3, 2.5]}"},
    {"x[1]=7 ,x[0]=-3", "{x: [-3, 7]}"},
    {"t.x[0]=3,t.y=1,t.x[1]=4", "{t: {y: 1, x: [3, 4]}}"},
    {"a=gs://b/c", "{a: 'gs://b/c'}"},
    {"a=/x/y.ckpt", "{a: '/x/y.ckpt'}"},
    {"a.b=/x/y.ckpt", "{a: {b: '/x/y.ckpt'}}"},
    {"a=:x", "{a: ':x'}"},
    {"a=gelu,b=sgd,c=relu", "{a: gelu, b: sgd, c: relu}"},
    {"a=https://x/y", "{a: 'https://x/y'}"},
    {"a=~/x,b=x:y", "{a: '~/x', b: 'x:y'}"},
    {"a={b: 1}", "{a: {b: 1}}"},
    {"a=None,b=null,c=~", "{a: None, b: null, c: null}"},
    {"a=off,b=\"off\"", "{a: false, b: 'off'}"},
    {"a=3.0e5,b=3e5,c=1e-5", "{a: '3.0e5', b: 300000.0, c: 1.0e-05}"},
    {"a_1.b2=1", "{a_1: {b2: 1}}"},
    {"a=1,a=2", "{a: 2}"},
    {"a.b=1,a=2", "{a: {b: 1}}"},
    {"a=b=c", "{a: b=c}"},
    {"a='x", NULL}, /* YAML finds that the quote has no end */
    {"a=x: y", NULL},
};

TEST(good_lines)
{
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct bt_buf b = BT_BUF_INIT, w = BT_BUF_INIT;
		struct bt_error err = {0};
		struct bt_yaml *v = NULL, *wanted = NULL;

		if (bt_override_yaml(lines[i].text, &b, &err) != BT_OK)
			fail_msg("%s: %s", lines[i].text, err.text);
		if (lines[i].yaml == NULL) {
			assert_int_equal(
			    bt_yaml_parse("x", b.data, b.len, &v, &err),
			    BT_EFORMAT);
			bt_buf_clear(&b);
			continue;
		}
		if (bt_yaml_parse("x", b.data, b.len, &v, &err) != BT_OK)
			fail_msg("%s: %s", lines[i].text, err.text);
		assert_ok(bt_yaml_parse("wanted", lines[i].yaml,
		                        strlen(lines[i].yaml), &wanted, &err));
		bt_yaml_put_flow(v, &w);
		if (!bt_yaml_equal(v, wanted))
			fail_msg("%s: %s", lines[i].text, bt_buf_str(&w));
		bt_yaml_free(v);
		bt_yaml_free(wanted);
		bt_buf_clear(&b);
		bt_buf_clear(&w);
	}
}

TEST(bad_lines)
{
	static const char *const bad[][2] = {
	    {"", "there is nothing in it"},
	    {"a", "no assignment begins at 'a'"},
	    {" a=1", "no assignment begins at ' a=1'"},
	    {"1a=1", "no assignment begins at '1a=1'"},
	    {"a=1,,b=2", "no assignment begins at ',b=2'"},
	    {"a=/x/[0-9]*", "no assignment begins at 'a=/x/[0-9]*'"},
	    {"a=[[1],[2]]", "no assignment begins at '[2]]'"},
	    {"a=[1,2", "no assignment begins at 'a=[1,2'"},
	    {"a=1;b=2,c", "no assignment begins at 'c'"},
	    {"x[]=1", "no assignment begins at 'x[]=1'"},
	    {"x[0=1", "no assignment begins at 'x[0=1'"},
	    {"x[5000]=1", "no assignment begins at 'x[5000]=1'"},
	    {"x[1]=3", "x[0] is missing"},
	    {"x[0]=y", "x[0]: 'y' is not a number"},
	    {"t.x[0]=1e5", "x[0]: '1e5' is not a number"},
	    {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1",
	     "a name of more than 16 parts"},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bt_buf b = BT_BUF_INIT;
		struct bt_error err = {0};

		assert_int_equal(bt_override_yaml(bad[i][0], &b, &err),
		                 BT_EFORMAT);
		assert_string_equal(err.text, bad[i][1]);
		bt_buf_clear(&b);
	}
}

/* --- configurations */

static struct bt_garden *fresh(const char *name)
{
	struct bt_garden *c = NULL;
	struct bt_error err = {0};

	assert_ok(bt_garden_new(name, &c, &err));
	return c;
}

static void apply(struct bt_garden *c, const char *value)
{
	struct bt_error err = {0};

	if (bt_garden_apply(c, "config_file", value, &err) != BT_OK)
		fail_msg("%s: %s", value, err.text);
}

static void refuses(const char *experiment, const char *value, int code,
                    const char *wanted)
{
	struct bt_garden *c = fresh(experiment);
	struct bt_error err = {0};

	assert_int_equal(bt_garden_apply(c, "params_override", value, &err),
	                 code);
	assert_string_equal(err.text, wanted);
	bt_garden_free(c);
}

static void misfits(const char *value, const char *wanted)
{
	struct bt_garden *c = fresh("bert/sentence_prediction");
	struct bt_error err = {0};

	apply(c, value);
	assert_true(bt_garden_check(c, &err) < 0);
	assert_string_equal(err.text, wanted);
	bt_garden_free(c);
}

#define LR "trainer.optimizer_config.learning_rate."
#define OPT "trainer.optimizer_config.optimizer."

TEST(experiments)
{
	static const struct {
		const char *name;
		double lr;
		int64_t batch, length;
		bool training;
	} e[] = {
	    {"bert/sentence_prediction", 3e-5, 32, 128, false},
	    {"bert/sentence_prediction_text", 3e-5, 32, 128, false},
	    {"bert/squad", 8e-5, 48, 384, true},
	    {"bert/tagging", 8e-5, 0, 128, false},
	};
	struct bt_error err = {0};
	struct bt_garden *c;
	size_t i;

	for (i = 0; i < 4; i++) {
		c = fresh(e[i].name);
		assert_ok(bt_garden_check(c, &err));
		assert_true(
		    bt_garden_real(c, LR "polynomial.initial_learning_rate",
		                   0) == e[i].lr);
		assert_true(bt_garden_real(c, LR "polynomial.end_learning_rate",
		                           1) == 0);
		assert_true(bt_garden_is_null(c, LR "polynomial.decay_steps"));
		assert_true(bt_garden_real(c, OPT "adamw.weight_decay_rate",
		                           0) == 0.01);
		assert_true(bt_garden_real(c, OPT "adamw.epsilon", 0) == 1e-7);
		assert_int_equal(
		    bt_garden_int(c, "task.train_data.global_batch_size", -1),
		    e[i].batch);
		assert_int_equal(
		    bt_garden_int(c, "task.train_data.seq_length", -1),
		    e[i].length);
		assert_int_equal(
		    bt_garden_bool(c, "task.validation_data.is_training"),
		    e[i].training);
		assert_int_equal(
		    bt_garden_bool(c, "task.validation_data.drop_remainder"),
		    e[i].training);
		bt_garden_free(c);
	}
	assert_int_equal(bt_garden_new("bert/pretraining", &c, &err), BT_EARG);
	assert_string_equal(err.text,
	                    "unknown experiment 'bert/pretraining'; those "
	                    "built are bert/sentence_prediction, "
	                    "bert/sentence_prediction_text, bert/squad, "
	                    "bert/tagging");
}

TEST(merges)
{
	struct bt_garden *c = fresh("bert/sentence_prediction");
	const struct bt_yaml *list;
	struct bt_error err = {0};

	file_put("one.yaml", "trainer:\n  train_steps: 10\n  max_to_keep: 3\n",
	         43);
	apply(c, "one.yaml");
	apply(c, "{trainer: {train_steps: 20, optimizer_config: {optimizer: "
	         "{type: adamw, adamw: {exclude_from_weight_decay: [x]}}}}}");
	assert_int_equal(bt_garden_int(c, "trainer.train_steps", 0), 20);
	assert_int_equal(bt_garden_int(c, "trainer.max_to_keep", 0), 3);
	/* by key: what is not named stays; lists are replaced */
	assert_true(bt_garden_real(c, OPT "adamw.weight_decay_rate", 0) ==
	            0.01);
	list = bt_garden_get(c, OPT "adamw.exclude_from_weight_decay");
	assert_int_equal(list->n, 1);
	apply(c, "trainer.train_steps=30,task.model.num_classes=3,"
	         "trainer.optimizer_config.ema.average_decay=.9");
	assert_int_equal(bt_garden_int(c, "trainer.train_steps", 0), 30);
	/* null becomes its class with defaults where a key of it is set */
	assert_true(bt_garden_real(c,
	                           "trainer.optimizer_config.ema.average_decay",
	                           0) == .9);
	assert_int_equal(
	    bt_garden_int(c, "trainer.optimizer_config.ema.start_step", -1), 0);
	apply(c, "trainer.optimizer_config.ema=null");
	assert_true(bt_garden_is_null(c, "trainer.optimizer_config.ema"));
	assert_ok(bt_garden_check(c, &err));
	bt_garden_set(c, "--tpu", "runtime.tpu", "local");
	assert_string_equal(bt_garden_str(c, "runtime.tpu"), "local");
	assert_int_equal(bt_garden_fault(c, "runtime.tpu", &err, "no"),
	                 BT_EARG);
	assert_string_equal(err.text, "runtime.tpu (--tpu): no");
	bt_error_clear(&err);
	(void)bt_garden_fault(c, "trainer.max_to_keep", &err, "no");
	assert_string_equal(err.text, "trainer.max_to_keep (one.yaml:3): no");
	bt_garden_free(c);
}

TEST(strict)
{
	refuses("bert/squad", "trainer.trian_steps=1", BT_EARG,
	        "--params_override: trainer (TrainerConfig) has no key "
	        "'trian_steps'; did you mean 'train_steps'?");
	refuses("bert/squad", "trainr.train_steps=1", BT_EARG,
	        "--params_override: ExperimentConfig has no key 'trainr'; did "
	        "you mean 'trainer'?");
	refuses("bert/squad", "task.train_data.doc_strides=1", BT_EARG,
	        "--params_override: task.train_data (QADataConfig) has no key "
	        "'doc_strides'; did you mean 'doc_stride'?");
	refuses("bert/sentence_prediction", "task.train_data.doc_stride=1",
	        BT_EARG,
	        "--params_override: task.train_data "
	        "(SentencePredictionDataConfig) has no key 'doc_stride'");
	refuses("bert/squad", "trainer.train_steps.x=1", BT_OK,
	        ""); /* a mapping for a number: bt_garden_check finds it */
	refuses("bert/squad", "trainer=1", BT_EARG,
	        "--params_override: trainer takes a mapping (TrainerConfig), "
	        "not a whole number");
	refuses("bert/squad", "trainer=null", BT_EARG,
	        "--params_override: trainer takes a mapping (TrainerConfig), "
	        "not null");
	refuses("bert/squad", "task.model.encoder.albert.hidden_size=1",
	        BT_EARG,
	        "--params_override: task.model.encoder (EncoderConfig): Model "
	        "Garden's 'albert' is not built here");
	refuses("bert/squad", "nothing", BT_EARG,
	        "--params_override: 'nothing' is not an existing file, a YAML "
	        "mapping or assignments as in a.b=1,c=2: no assignment begins "
	        "at 'nothing'");
	refuses(
	    "bert/squad", "task.name=x: y", BT_EARG,
	    "--params_override:1: while parsing a flow mapping: did not "
	    "find expected ',' or '}' (that is what 'task.name=x: y' says)");
	file_put("list.yaml", "- 1\n", 4);
	refuses("bert/squad", "list.yaml", BT_EFORMAT,
	        "'list.yaml' holds a list, where a mapping is due");
	file_put("typo.yaml", "task:\n  modle: 1\n", 17);
	refuses("bert/squad", "typo.yaml", BT_EFORMAT,
	        "typo.yaml:2: task (QuestionAnsweringConfig) has no key "
	        "'modle'; did you mean 'model'?");
}

TEST(types)
{
	misfits("trainer.train_steps=3.0e5",
	        "trainer.train_steps (--config_file): a whole number is due, "
	        "not a string, 3.0e5: YAML 1.1 wants a sign in the exponent "
	        "behind a point, as in 3.0e+5");
	misfits("trainer.train_steps=1e3",
	        "trainer.train_steps (--config_file): a whole number is due, "
	        "not a number, 1000.0");
	misfits("trainer.train_steps=None",
	        "trainer.train_steps (--config_file): a whole number is due, "
	        "not a string, None: YAML's word for nothing is null");
	misfits("trainer.train_steps.x=1",
	        "trainer.train_steps (--config_file): a whole number is due, "
	        "not a mapping, {x: 1}");
	misfits("runtime.distribution_strategy=off",
	        "runtime.distribution_strategy (--config_file): a string is "
	        "due, not a boolean, false: YAML takes on, off, yes and no "
	        "for truth values; put it in quotes");
	misfits("task.train_data.is_training=null",
	        "task.train_data.is_training (--config_file): it may not be "
	        "null");
	misfits("trainer.optimizer_config.optimizer.type=adagrad",
	        "trainer.optimizer_config.optimizer.type (--config_file): "
	        "'adagrad' is not built here");
	misfits("trainer.optimizer_config.optimizer.type=type",
	        "trainer.optimizer_config.optimizer.type (--config_file): "
	        "'type' is not built here");
	misfits("trainer.optimizer_config.ema.average_decay=x",
	        "trainer.optimizer_config.ema.average_decay (--config_file): "
	        "a number is due, not a string, x");
}

/* What is written is a --config_file that says the same again. */
TEST(written)
{
	static const char *const names[] = {"bert/sentence_prediction",
	                                    "bert/sentence_prediction_text",
	                                    "bert/squad", "bert/tagging"};
	struct bt_buf one = BT_BUF_INIT, two = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_garden *c;
	size_t i;

	for (i = 0; i < 4; i++) {
		c = fresh(names[i]);
		apply(c, "task.init_checkpoint='a b/c',trainer.train_steps=7,"
		         "task.train_data.input_path=[x, 'y, z']");
		bt_buf_reset(&one);
		assert_ok(bt_garden_write(c, false, &one, &err));
		bt_garden_free(c);
		assert_non_null(
		    strstr(bt_buf_str(&one), "  init_checkpoint: 'a b/c'\n"));
		assert_non_null(
		    strstr(bt_buf_str(&one), "    input_path: [x, 'y, z']\n"));
		assert_null(strstr(bt_buf_str(&one), "lamb"));
		assert_non_null(
		    strstr(bt_buf_str(&one), "\n      type: adamw\n"));
		file_put("params.yaml", one.data, one.len);
		c = fresh(names[i]);
		apply(c, "params.yaml");
		bt_buf_reset(&two);
		assert_ok(bt_garden_write(c, false, &two, &err));
		assert_string_equal(bt_buf_str(&one), bt_buf_str(&two));
		bt_buf_reset(&two);
		assert_ok(bt_garden_write(c, true, &two, &err));
		assert_non_null(strstr(bt_buf_str(&two), "# params.yaml:"));
		bt_garden_free(c);
	}
	bt_buf_clear(&one);
	bt_buf_clear(&two);
}

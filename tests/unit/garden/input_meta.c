/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* What Model Garden's programs make of meta data, paths and labels, and the
 * lines that Keras prints. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "garden/file_patterns.h"
#include "garden/input_meta.h"
#include "garden/keras_progress.h"
#include "task/task.h"

static int read_meta(const char *text, struct bt_meta *m, struct bt_error *err)
{
	FILE *f = fopen("meta.json", "w");
	int r;

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	r = bt_meta_read("meta.json", m, err);
	unlink("meta.json");
	return r;
}

TEST(meta_data_are_read)
{
	struct bt_error err = {0};
	struct bt_meta m;

	assert_ok(read_meta("{\"task_type\": \"bert_classification\", "
	                    "\"processor_type\": \"MNLI\", "
	                    "\"train_data_size\": 392702, "
	                    "\"eval_data_size\": 9815, "
	                    "\"max_seq_length\": 128, \"num_labels\": 3}",
	                    &m, &err));
	assert_int_equal(m.train_size, 392702);
	assert_int_equal(m.eval_size, 9815);
	assert_int_equal(m.max_length, 128);
	assert_int_equal(m.labels, 3);
	assert_ok(read_meta("{\"train_data_size\": 5}", &m, &err));
	assert_int_equal(m.labels, 1);
	assert_int_equal(m.eval_size, 0);
	assert_err(read_meta("{\"task_type\": \"bert_squad\"}", &m, &err),
	           BT_EFORMAT, "task_type is 'bert_squad'");
	assert_err(read_meta("{\"num_labels\": 0}", &m, &err), BT_EFORMAT,
	           "num_labels");
	assert_err(read_meta("{\"train_data_size\": -1}", &m, &err), BT_EFORMAT,
	           "meta data 'meta.json'");
	assert_err(read_meta("[]", &m, &err), BT_EFORMAT, "meta.json");
}

TEST(the_plan_is_model_gardens)
{
	struct bt_meta m = {.train_size = 392702};
	struct bt_error err = {0};
	struct bt_meta_plan p;

	assert_ok(bt_meta_plan(&m, 3, 1, 32, 0, &p, &err));
	assert_int_equal(p.epoch_steps, 12271);
	assert_int_equal(p.steps, 36813);
	assert_int_equal(p.warmup, 3681);
	assert_ok(bt_meta_plan(&m, 1, 2, 32, 0, &p, &err));
	assert_int_equal(p.epochs, 2);
	assert_int_equal(p.epoch_steps, 6135);
	assert_int_equal(p.steps, 12270);
	assert_ok(bt_meta_plan(&m, 2, 1, 32, 100, &p, &err));
	assert_int_equal(p.epoch_steps, 3);
	assert_int_equal(p.warmup, 0); /* 2 x 100 x .1 / 32 */
	assert_err(bt_meta_plan(&m, 2, 1, 32, 31, &p, &err), BT_EARG,
	           "takes 32 examples, and an epoch has 31");
	m.train_size = 0;
	assert_err(bt_meta_plan(&m, 1, 1, 1, 0, &p, &err), BT_EARG,
	           "train_data_size of the meta data is 0");
	m.train_size = (int64_t)1 << 40;
	assert_err(bt_meta_plan(&m, 10000000, 1, 1, 0, &p, &err), BT_EARG,
	           "too many epochs");
}

static void touch(const char *name)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fclose(f);
}

TEST(patterns_find_files)
{
	struct bt_error err = {0};
	struct bt_file_patterns p;

	assert_ok(bt_file_patterns_make("garden.d/a/b/", &err));
	assert_ok(bt_file_patterns_make("garden.d/a/b", &err));
	touch("garden.d/x-2");
	touch("garden.d/x-1");
	touch("garden.d/y");
	assert_ok(
	    bt_file_patterns_find("f", "garden.d/x-*,garden.d/y", &p, &err));
	assert_int_equal(p.n, 3);
	assert_string_equal(p.path[0], "garden.d/x-1");
	assert_string_equal(p.path[1], "garden.d/x-2");
	assert_string_equal(p.path[2], "garden.d/y");
	bt_file_patterns_clear(&p);
	assert_err(
	    bt_file_patterns_find("f", "garden.d/y,garden.d/z*", &p, &err),
	    BT_EIO, "--f: the file 'garden.d/z*' does not exist");
	assert_err(bt_file_patterns_find("f", ",", &p, &err), BT_EARG,
	           "--f names no file");
	assert_err(bt_file_patterns_find("f", "gs://b/x*", &p, &err),
	           BT_EREMOTE, "gs://");
	assert_err(bt_file_patterns_make("garden.d/y/z", &err), BT_EIO,
	           "garden.d/y");
	unlink("garden.d/x-1");
	unlink("garden.d/x-2");
	unlink("garden.d/y");
	rmdir("garden.d/a/b");
	rmdir("garden.d/a");
	rmdir("garden.d");
}

static void add(struct bt_labels *l, const char *name, int64_t number)
{
	struct bt_error err = {0};
	int i = bt_labels_add(l, bt_span(name), &err);

	assert_true(i >= 0);
	bt_labels_given(l, i, number);
}

TEST(labels_keep_their_numbers)
{
	struct bt_labels l = {0};
	struct bt_error err = {0};
	int map[3];

	add(&l, "neutral", 2);
	add(&l, "no", 0);
	assert_ok(bt_labels_place(&l, 4, map, &err));
	assert_int_equal(l.n, 4);
	assert_string_equal(l.name[0], "no");
	assert_string_equal(l.name[1], "1");
	assert_string_equal(l.name[2], "neutral");
	assert_string_equal(l.name[3], "3");
	assert_true(map[0] == 2 && map[1] == 0);
	bt_labels_clear(&l);

	/* numbers alone */
	assert_true(bt_labels_add(&l, bt_span("0"), &err) == 0);
	assert_true(bt_labels_add(&l, bt_span("1"), &err) == 1);
	assert_ok(bt_labels_place(&l, 2, map, &err));
	assert_true(l.n == 2 && map[0] == 0 && map[1] == 1);
	assert_err(bt_labels_place(&l, 1, map, &err), BT_EFORMAT,
	           "label_ids holds 1, and of 1 classes the last is 0");
	bt_labels_clear(&l);

	add(&l, "a", 1);
	add(&l, "b", 1);
	assert_err(bt_labels_place(&l, 2, map, &err), BT_EFORMAT,
	           "both have the number 1");
	bt_labels_clear(&l);
	add(&l, "a", -1);
	assert_err(bt_labels_place(&l, 2, map, &err), BT_EFORMAT,
	           "1 labels without numbers (label_ids), and 2 are asked for");
	add(&l, "b", 0);
	assert_err(bt_labels_place(&l, 2, map, &err), BT_EFORMAT,
	           "which class 'a' is");
	bt_labels_clear(&l);
	add(&l, "1", 0);
	assert_err(bt_labels_place(&l, 2, map, &err), BT_EFORMAT,
	           "stands for two classes");
	bt_labels_clear(&l);
}

TEST(keras_lines)
{
	struct bt_keras k = {.epochs = 3, .epoch_steps = 20};
	struct bt_metrics_summary s = {.loss = 5e-4, .accuracy = 0.75};
	struct bt_train_news n = {.what = BT_TRAIN_UPDATED,
	                          .step = 21,
	                          .epoch = 2,
	                          .loss = 0.5,
	                          .accuracy = 1};
	struct bt_buf b = BT_BUF_INIT;

	bt_keras_tell(&k, &n, &b);
	assert_string_equal(bt_buf_str(&b), "Epoch 2/3\n");
	bt_keras_tell(&k, &n, &b);
	assert_string_equal(bt_buf_str(&b), "Epoch 2/3\n");
	bt_buf_reset(&b);
	n.what = BT_TRAIN_REPORTED;
	n.seconds = 0.5;
	n.eval = &s;
	bt_keras_tell(&k, &n, &b);
	assert_string_equal(
	    bt_buf_str(&b),
	    "20/20 [==============================] - 0s 25ms/step - loss: "
	    "0.5000 - accuracy: 1.0000 - val_loss: 5.0000e-04 - val_accuracy: "
	    "0.7500\n");
	bt_buf_reset(&b);
	n.task = &bt_task_regression;
	s.mse = 2;
	bt_keras_tell(&k, &n, &b);
	assert_non_null(strstr(bt_buf_str(&b),
	                       " - loss: 0.5000 - mean_squared_error: 0.5000 - "
	                       "val_loss: 5.0000e-04 - "
	                       "val_mean_squared_error: 2.0000\n"));
	bt_buf_reset(&b);
	n.what = BT_TRAIN_TIMED;
	n.from = 0;
	n.step = 100;
	n.examples = 3200;
	n.seconds = 12.344;
	bt_keras_tell(&k, &n, &b);
	assert_int_equal(b.len, 0);
	bt_keras_speed(&n, &b);
	assert_string_equal(bt_buf_str(&b),
	                    "TimeHistory: 12.34 seconds, 259.24 "
	                    "examples/second between steps 0 and 100");
	bt_buf_clear(&b);
}

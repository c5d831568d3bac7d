/* SPDX-License-Identifier: MIT */
/* Not under emulation: the kernels are those of model/gradients */
/* A task in one file, trained: how often a token occurs in a text, as log(1 +
 * n). See "How to add" in lib/README.md. */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "op/ops.h"
#include "task/target.h"
#include "train/job.h"

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	int r = BT_OK;

	(void)mode;
	if (labels->n == 0)
		r = bt_labels_add(labels, bt_span("count"), err);
	if (r >= 0)
		r = bt_target_reserve(rec, 1, err);
	if (r != BT_OK)
		return r;
	rec->target[0] = log1pf((float)rec->label_id);
	rec->n_target = 1;
	*label = 0;
	return BT_OK;
}

static int check(const struct bt_task_data *d, const struct bt_labels *found,
                 bool given, struct bt_error *err)
{
	(void)found;
	(void)given;
	return d->n > 1 ? BT_OK : bt_error_set(err, BT_EFORMAT, "one text");
}

static void loss(struct bt_graph *g, bool activated)
{
	(void)activated;
	g->loss = bt_op_square_loss(g, g->logits);
}

static double guess(const struct bt_task_data *d, int outputs, double smoothing)
{
	(void)d;
	(void)outputs;
	return smoothing; /* no smaller loss is expected */
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	(void)d;
	snprintf(out, size, "%d count", outputs);
}

static const struct bt_task toy = {
    .pipeline = "text-classification",
    .name = "toy",
    .problem_type = "toy",
    .output = "count",
    .outputs = "counts",
    .predicts = "a count",
    .learns = "count a token",
    .least = 1,
    .metric = "mse",
    .metrics = &bt_metrics_regression,
    .answer = &bt_answer_numbers,
    .target = target,
    .check = check,
    .knows = bt_target_map,
    .loss = loss,
    .guess = guess,
    .describe = describe,
};

static void write_records(const char *path, int n)
{
	struct bt_example_writer w = {.features = BT_BUF_INIT};
	struct bt_token_rec rec = {.has_label_id = true, .is_real = true};
	uint8_t types[10] = {0};
	struct bt_error err = {0};
	int32_t ids[10];
	struct bt_buf p = BT_BUF_INIT;
	struct bt_out *out;
	int i, k;

	assert_ok(bt_out_open(path, BT_OUT_BINARY, &out, &err));
	for (i = 0; i < n; i++) {
		rec.label_id = i % 5;
		for (k = 0; k < 10; k++)
			ids[k] = k == 0                ? 1
			         : (k + i) % 9 < i % 5 ? 7
			                               : 8 + (i * 3 + k) % 8;
		assert_ok(bt_token_rec_set(&rec, ids, types, 10));
		assert_ok(bt_token_rec_write(&w, &rec, BT_LAYOUT_FULL, 0, &p));
		assert_ok(bt_tfrecord_write(out, p.data, p.len, &err));
	}
	assert_ok(bt_out_commit(out, &err));
	bt_token_rec_clear(&rec);
	bt_buf_clear(&p);
	bt_example_clear(&w);
}

TEST(learns_in_one_file)
{
	char name[] = "toy.rec", *records = name;
	struct bt_train_result res;
	struct bt_error err = {0};
	json_t *config = json_loads(
	    "{\"model_type\": \"bert\", \"vocab_size\": 16, \"hidden_size\": 32,"
	    "\"num_hidden_layers\": 1, \"num_attention_heads\": 2,"
	    "\"intermediate_size\": 64}",
	    0, NULL);
	struct bt_job_opts o = {
	    .task = &toy,
	    .records = &records,
	    .n_records = 1,
	    .eval = records,
	    .config = config,
	    .dtype = BT_PRECISION_F32,
	    .threads = 1,
	    .train = {.out = "model",
	              .epochs = 30,
	              .batching = {.size = 20, .accumulate = 1},
	              .optim = BT_OPTIM_INIT,
	              .schedule = {.lr = 3e-3}}};

	write_records(records, 200);
	assert_ok(bt_job_run(&o, &res, &err));
	assert_true(res.measured.loss < 0.05); /* a constant has .32 */
	json_decref(config);
}

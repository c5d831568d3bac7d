/* SPDX-License-Identifier: MIT */
#include "garden/input_meta.h"

#include <string.h>

#include "format/json.h"
#include "io/url.h"
#include "record/labels.h"

#define MOST ((int64_t)1 << 40) /* examples */

static int read_all(const json_t *o, struct bt_meta *m, struct bt_error *err)
{
	const char *kind = NULL;
	int64_t labels = 1;
	int r = bt_json_str(o, "task_type", &kind, err);

	if (r == BT_OK && kind != NULL &&
	    strcmp(kind, "bert_classification") != 0 &&
	    strcmp(kind, "bert_regression") != 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "task_type is '%s': this is for texts with "
		                 "one label each, bert_classification",
		                 kind);
	if (r == BT_OK)
		r = bt_json_int(o, "train_data_size", 0, MOST, &m->train_size,
		                err);
	if (r == BT_OK)
		r = bt_json_int(o, "eval_data_size", 0, MOST, &m->eval_size,
		                err);
	if (r == BT_OK)
		r = bt_json_int(o, "max_seq_length", 1, 1 << 20, &m->max_length,
		                err);
	if (r == BT_OK)
		r = bt_json_int(o, "num_labels", 1, BT_LABELS_MAX, &labels,
		                err);
	m->labels = (int)labels;
	m->weights = json_is_true(json_object_get(o, "has_sample_weights"));
	return r;
}

/* Opens the file. */
static int load(const char *path, json_t **o, struct bt_error *err)
{
	int r = bt_url_refuse(path, BT_URL_DIR, err);

	return r == BT_OK ? bt_json_load(path, o, err) : r;
}

int bt_meta_read(const char *path, struct bt_meta *m, struct bt_error *err)
{
	json_t *o;
	int r = load(path, &o, err);

	memset(m, 0, sizeof(*m));
	if (r != BT_OK)
		return r;
	r = read_all(o, m, err);
	json_decref(o);
	return r == BT_OK ? r : bt_error_prefix(err, "meta data '%s'", path);
}

/* A number that must be there. */
static int need(const json_t *o, const char *key, int64_t most, int64_t *v,
                struct bt_error *err)
{
	int r;

	*v = 0;
	r = bt_json_int(o, key, 1, most, v, err);
	if (r == BT_OK && *v == 0)
		r = bt_error_set(err, BT_EFORMAT, "has no %s", key);
	return r;
}

static int read_squad(const json_t *o, struct bt_meta_squad *m,
                      struct bt_error *err)
{
	const char *kind = NULL;
	int r = bt_json_str(o, "task_type", &kind, err);

	if (r == BT_OK && (kind == NULL || strcmp(kind, "bert_squad") != 0))
		r = bt_error_set(err, BT_EFORMAT,
		                 "task_type is '%s': this is for questions, "
		                 "bert_squad",
		                 kind != NULL ? kind : "");
	if (r == BT_OK)
		r = need(o, "train_data_size", MOST, &m->meta.train_size, err);
	if (r == BT_OK)
		r = need(o, "max_seq_length", 1 << 20, &m->meta.max_length,
		         err);
	if (r == BT_OK)
		r = need(o, "max_query_length", 1 << 20, &m->max_question, err);
	if (r == BT_OK)
		r = need(o, "doc_stride", 1 << 20, &m->stride, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "version_2_with_negative", &m->negatives,
		                 err);
	return r;
}

int bt_meta_read_squad(const char *path, struct bt_meta_squad *m,
                       struct bt_error *err)
{
	json_t *o;
	int r = load(path, &o, err);

	memset(m, 0, sizeof(*m));
	if (r != BT_OK)
		return r;
	r = read_squad(o, m, err);
	json_decref(o);
	return r == BT_OK ? r : bt_error_prefix(err, "meta data '%s'", path);
}

int bt_meta_plan(const struct bt_meta *m, int64_t epochs, int64_t per_epoch,
                 int64_t batch, int64_t most, struct bt_meta_plan *p,
                 struct bt_error *err)
{
	int64_t size = m->train_size / per_epoch;

	if (most > 0 && most < size)
		size = most;
	if (size < batch)
		return bt_error_set(err, BT_EARG,
		                    "an update takes %lld examples, and an "
		                    "epoch has %lld (train_data_size of the "
		                    "meta data is %lld)",
		                    (long long)batch, (long long)size,
		                    (long long)m->train_size);
	if (epochs > INT64_MAX / per_epoch / size / 2)
		return bt_error_set(err, BT_EARG, "too many epochs: %lld",
		                    (long long)epochs);
	p->epochs = epochs * per_epoch;
	p->epoch_steps = size / batch;
	p->steps = p->epochs * p->epoch_steps;
	/* a tenth, rounded down: of the examples, not of the updates */
	p->warmup = (int64_t)((double)(p->epochs * size) * 0.1 / (double)batch);
	return BT_OK;
}

/* SPDX-License-Identifier: MIT */
/* Predictions as the GLUE benchmark's server takes them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "finetune/predict_stream.h"
#include "garden/file_patterns.h"
#include "garden/glue.h"
#include "io/out.h"
#include "io/path.h"

struct answer {
	int64_t id;
	uint64_t record; /* from 0 */
	int class;
	float number; /* where one is predicted */
};

struct answers {
	struct answer *v;
	size_t n, cap;
	int classes;
};

/* The number that example_id gave the record. */
static int number_of(struct bt_span id, uint64_t i, int64_t *number,
                     struct bt_error *err)
{
	char text[24];

	if (id.p != NULL && id.n < sizeof(text)) {
		memcpy(text, id.p, id.n);
		text[id.n] = '\0';
		if (bt_parse_i64(text, INT64_MIN, INT64_MAX, number) == BT_OK)
			return BT_OK;
	}
	return bt_error_set(err, BT_EFORMAT,
	                    "record %" PRIu64 " has no example_id, by which "
	                    "predictions are put in order (bert-tokenize "
	                    "--layout modelgarden writes it)",
	                    i + 1);
}

static int add(void *ctx, uint64_t i, const struct bt_dataset *d, size_t k,
               const float *logits, struct bt_error *err)
{
	struct answers *a = ctx;
	struct answer *v;
	int64_t id;
	int c, r = number_of(bt_dataset_id(d, k), i, &id, err);

	if (r != BT_OK)
		return r;
	if (bt_grow(&a->v, &a->cap, a->n + 1, sizeof(*a->v)) != BT_OK)
		return bt_error_nomem(err, "predicting");
	v = &a->v[a->n++];
	v->id = id;
	v->record = i;
	v->class = 0;
	v->number = logits[0];
	for (c = 1; c < a->classes; c++)
		if (logits[c] > logits[v->class])
			v->class = c;
	return BT_OK;
}

static int by_id(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	if (x->id != y->id)
		return (x->id > y->id) - (x->id < y->id);
	return (x->record > y->record) - (x->record < y->record);
}

static int write_all(const struct answers *a, const char *const *names,
                     const char *path, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;
	int r;

	bt_buf_puts(&b, "index\tprediction\n");
	for (i = 0; i < a->n; i++)
		if (names != NULL)
			bt_buf_printf(&b, "%zu\t%s\n", i, names[a->v[i].class]);
		else /* similarities go from 0 to 5 */
			bt_buf_printf(&b, "%zu\t%.3f\n", i,
			              fmin(fmax((double)a->v[i].number, 0), 5));
	r = bt_buf_str(&b) == NULL ? bt_error_nomem(err, "predicting")
	                           : bt_out_whole(path, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

static int check_classes(const struct bt_glue *g,
                         const struct bt_predict_stream *s,
                         struct bt_error *err)
{
	bool number = s->model.task == &bt_task_regression;
	size_t has = bt_model_width(&s->model);
	int n = bt_glue_width(g->task);

	if (has == (size_t)n && number == (bt_glue_classes(g->task) == NULL))
		return BT_OK;
	if (number)
		return bt_error_set(err, BT_EFORMAT,
		                    "the model predicts a number, and %s has "
		                    "%d classes",
		                    g->task, n);
	if (n == 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "the model has %zu classes, and %s is a "
		                    "number to predict",
		                    has, g->task);
	return bt_error_set(err, BT_EFORMAT,
	                    "the model has %zu classes, and %s has %d", has,
	                    g->task, n);
}

static int predict(const struct bt_glue *g, struct bt_predict_stream *s,
                   const struct bt_file_patterns *in, struct bt_error *err)
{
	struct answers a = {.classes = (int)bt_model_width(&s->model)};
	int r = check_classes(g, s, err);

	if (r == BT_OK)
		r = bt_predict_stream_run(s, in->path, in->n, add, NULL, &a,
		                          err);
	if (r == BT_OK) {
		qsort(a.v, a.n, sizeof(*a.v), by_id);
		r = write_all(&a, bt_glue_classes(g->task), g->predictions,
		              err);
	}
	if (r == BT_OK)
		r = bt_predict_stream_summary(s, "prediction", s->o.log, err);
	free(a.v);
	return r;
}

int bt_glue_predict(const struct bt_glue *g, const struct bt_experiment *e,
                    struct bt_error *err)
{
	struct bt_predict_stream_opts o = {
	    .dtype = BT_PRECISION_F32, /* as evaluation */
	    .threads = e->threads,
	    .device = e->devices->plugin,
	    .replicas = e->devices->replicas,
	    .labels = BT_LABELS_OPTIONAL,
	    .log = e->log};
	struct bt_file_patterns in = {0};
	struct bt_predict_stream s;
	char *dir = bt_path_join(g->dir, "best_ckpt");
	int r = bt_file_patterns_find("test_input_path", g->test, &in, err);

	o.model = dir;
	if (r == BT_OK)
		r = bt_predict_stream_open(&o, &s, err);
	if (r == BT_OK) {
		r = predict(g, &s, &in, err);
		bt_predict_stream_close(&s);
	}
	bt_file_patterns_clear(&in);
	free(dir);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "train/few_shot_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/forward.h"
#include "io/temp_store.h"
#include "optim/softmax_regression.h"

/* What is kept in memory of the texts' embeddings. */
#define EMBEDDINGS_MEMORY ((size_t)4 << 20)

int bt_few_shot_begin(struct bt_job *j, struct bt_error *err)
{
	struct bt_train_opts *o = &j->o.train;
	size_t row = (size_t)j->model.config.hidden_size * sizeof(float);
	int r;

	if (j->model.task != &bt_task_classification)
		return bt_error_set(err, BT_EARG,
		                    "few examples are for a model that chooses "
		                    "one class, and this one learns to %s",
		                    j->model.task->learns);
	o->batching.pairs = true;
	o->embedding_loss = BT_EMBEDDING_CLASSES;
	j->model.task = &bt_task_embedding;
	j->model.config.problem_type = BT_PROBLEM_EMBEDDING;
	r = bt_job_compares(j, err);
	if (r == BT_OK && j->train.n > EMBEDDINGS_MEMORY / row)
		r = bt_temp_dir_check(err);
	return r;
}

/* The texts' embeddings. */
struct embeddings {
	struct bt_temp_store *rows;
	size_t width;
	double lengths; /* their sum */
};

static int keep(void *ctx, size_t i, const float *row, struct bt_error *err)
{
	struct embeddings *x = ctx;
	double square = 0;
	size_t k;

	(void)i;
	for (k = 0; k < x->width; k++)
		square += (double)row[k] * (double)row[k];
	x->lengths += sqrt(square);
	return bt_temp_store_put(x->rows, row, x->width * sizeof(*row), err);
}

static int get(void *ctx, size_t first, size_t n, const float **rows,
               struct bt_error *err)
{
	struct embeddings *x = ctx;
	size_t size = x->width * sizeof(**rows);
	const void *data;
	int r = bt_temp_store_get(x->rows, (uint64_t)first * size, n * size,
	                          false, &data, err);

	*rows = data;
	return r;
}

static int embed(struct bt_job *j, struct embeddings *x, struct bt_error *err)
{
	struct bt_gather g = {0};
	size_t tokens, texts;
	int r;

	x->width = bt_model_width(&j->model);
	x->rows = bt_temp_store_new(EMBEDDINGS_MEMORY);
	bt_engine_limits(j->model.engine, &tokens, &texts);
	r = bt_gather_init(&g, texts, tokens, 0, err);
	g.device = j->o.train.device; /* which has learned */
	if (r == BT_OK)
		r = bt_forward(j->model.engine, &j->train, &g, x->width, keep,
		               x, NULL, err);
	bt_gather_clear(&g);
	return r;
}

/* A classifier with the encoder's parameters in the place of the encoder. */
static int become_classifier(struct bt_job *j, struct bt_error *err)
{
	struct bt_model *m = &j->model;
	struct bt_engine_opts o = {.pool = j->pool,
	                           .bf16 = bt_model_low(j->o.dtype, j->o.gemm),
	                           .gemm = j->o.gemm,
	                           .max_tokens = BT_FORWARD_TOKENS,
	                           .max_sequences = BT_FORWARD_TEXTS};
	struct bt_graph old = m->graph;
	float *p = bt_array(old.n_floats, sizeof(*p));
	int i, k, r;

	if (p == NULL)
		return bt_error_nomem(err, "keeping the encoder");
	memcpy(p, bt_engine_params(m->engine), old.n_floats * sizeof(*p));
	bt_engine_free(m->engine);
	m->engine = NULL;
	m->task = &bt_task_classification;
	m->config.problem_type = m->task->problem_type;
	r = bt_model_build(m, &o, err);
	for (i = 0; r == BT_OK && i < m->graph.n_params; i++) {
		k = bt_graph_find(&old, m->graph.params[i].name);
		if (k >= 0)
			memcpy(bt_engine_params(m->engine) +
			           m->graph.params[i].offset,
			       p + old.params[k].offset,
			       bt_param_size(&old.params[k]) * sizeof(*p));
	}
	bt_graph_clear(&old);
	free(p);
	return r;
}

/* The classes of the embeddings, whose mean length is taken as 1, into the
 * model's last layer. */
static int fit(struct bt_job *j, struct embeddings *x, struct bt_error *err)
{
	struct bt_model *m = &j->model;
	float *params = bt_engine_params(m->engine), *w = NULL, *b = NULL;
	struct bt_softmax_regression p = {
	    .rows = get,
	    .ctx = x,
	    .scale = x->lengths > 0 ? (double)j->train.n / x->lengths : 1,
	    .y = j->train.label,
	    .weight = j->train.weight,
	    .n = j->train.n,
	    .cols = (size_t)m->config.hidden_size,
	    .classes = (size_t)m->labels.n,
	    .c = 30,
	    .pool = j->pool};
	int k, r;

	for (k = 0; k < m->graph.n_params; k++)
		if (m->graph.params[k].classes) {
			float *at = params + m->graph.params[k].offset;

			if (m->graph.params[k].rank > 1)
				w = at;
			else
				b = at;
		}
	r = bt_softmax_regression(&p, w, b, err);
	return r == BT_OK ? bt_engine_pack(m->engine, err) : r;
}

static int tell(struct bt_job *j, struct bt_train_result *res,
                struct bt_error *err)
{
	const struct bt_model *m = &j->model;
	struct bt_device *device = j->o.train.device;
	size_t room = BT_FORWARD_TOKENS + j->eval.longest;
	struct bt_metrics_summary s;
	struct bt_metrics x;
	struct bt_gather g = {0};
	int r;

	if (!j->has_eval)
		return BT_OK;
	if (device != NULL &&
	    (r = bt_model_load_on(m, device, bt_job_low(j), err)))
		return r;
	if ((r = bt_metrics_init(&x, m->task->metrics, m->labels.n, err)))
		return r;
	r = bt_gather_init(&g, BT_FORWARD_TEXTS, room, 0, err);
	g.device = device;
	if (r == BT_OK &&
	    !(r = bt_forward_measure(m->engine, &j->eval, &g, &x,
	                             j->o.train.windows, NULL, NULL, err))) {
		bt_metrics_summary(&x, &s);
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "evaluation loss %.4f, accuracy %.4f, weighted F1 %.4f",
		       s.loss, s.accuracy, s.weighted_f1);
		res->measured = s;
		res->metric = "accuracy";
		res->best = s.accuracy;
	}
	bt_gather_clear(&g);
	bt_metrics_clear(&x);
	return r;
}

int bt_few_shot_end(struct bt_job *j, struct bt_train_result *res,
                    struct bt_error *err)
{
	struct embeddings x = {0};
	int r;

	j->waiter.stopped = NULL; /* there is no checkpoint to go on from */
	if (!(r = embed(j, &x, err)) && j->o.train.device != NULL) {
		bt_job_device_tell(j);
		bt_device_unload(j->o.train.device); /* before its graph */
	}
	if (!r && !(r = become_classifier(j, err)))
		r = fit(j, &x, err);
	bt_temp_store_free(x.rows);
	return r == BT_OK ? tell(j, res, err) : r;
}

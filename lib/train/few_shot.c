/* SPDX-License-Identifier: MIT */
#include "train/few_shot_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/philox.h"
#include "finetune/forward.h"
#include "optim/softmax_regression.h"

/* The texts of each class: those of class k are at[first[k]] .. before
 * first[k + 1]. */
struct classes {
	uint32_t *at, *first;
};

static int sort(const struct bt_dataset *d, size_t n, struct classes *c,
                struct bt_error *err)
{
	size_t i, k;

	c->at = bt_array(d->n, sizeof(*c->at));
	c->first = bt_array0(n + 2, sizeof(*c->first));
	if (c->at == NULL || c->first == NULL)
		return bt_error_nomem(err, "pairing texts");
	for (i = 0; i < d->n; i++)
		c->first[d->label[i] + 2]++;
	for (k = 2; k <= n + 1; k++)
		c->first[k] += c->first[k - 1];
	for (i = 0; i < d->n; i++)
		c->at[c->first[d->label[i] + 1]++] = (uint32_t)i;
	return BT_OK;
}

/* Another text of i's class; i itself where it is the only one. */
static size_t draw(const struct bt_dataset *d, const struct classes *c,
                   uint64_t seed, uint32_t round, size_t i)
{
	const uint32_t *own = c->at + c->first[d->label[i]];
	size_t n = c->first[d->label[i] + 1] - c->first[d->label[i]], k;

	if (n == 1)
		return i;
	k = (size_t)bt_random_below(seed, BT_PURPOSE_PAIRS, round, i, n - 1);
	return own[k] < i ? own[k] : own[k + 1];
}

static int add(struct bt_dataset *pairs, const struct bt_dataset *d, size_t i,
               int number, struct bt_error *err)
{
	float class = (float)d->label[i];
	struct bt_token_rec rec = {.ids = d->ids + d->start[i],
	                           .types = d->types + d->start[i],
	                           .n = bt_dataset_length(d, i),
	                           .id = bt_dataset_id(d, i),
	                           .target = &class,
	                           .n_target = 1,
	                           .text_number = number,
	                           .weight = d->weight[i] / 2,
	                           .has_weight = true};

	return bt_dataset_add(pairs, &rec, number, err);
}

int bt_few_shot_begin(struct bt_job *j, struct bt_error *err)
{
	struct bt_train_opts *o = &j->o.train;
	uint32_t round, rounds = (uint32_t)ceil(o->epochs);
	struct bt_dataset pairs = {0};
	struct classes c = {0};
	size_t i;
	int r = BT_OK;

	if (j->model.task != &bt_task_classification)
		return bt_error_set(err, BT_EARG,
		                    "few examples are for a model that chooses "
		                    "one class, and this one learns to %s",
		                    j->model.task->learns);
	r = sort(&j->train, (size_t)j->model.labels.n, &c, err);
	for (round = 0; round < rounds; round++)
		for (i = 0; r == BT_OK && i < j->train.n; i++) {
			r = add(&pairs, &j->train, i, 0, err);
			if (r == BT_OK)
				r = add(&pairs, &j->train,
				        draw(&j->train, &c, o->batching.seed,
				             round, i),
				        1, err);
		}
	free(c.at);
	free(c.first);
	j->texts = j->train;
	j->train = pairs;
	o->epochs /= rounds;
	o->embedding_loss = BT_EMBEDDING_CLASSES;
	j->model.task = &bt_task_embedding;
	j->model.config.problem_type = BT_PROBLEM_EMBEDDING;
	return r == BT_OK ? bt_job_compares(j, err) : r;
}

static int keep(void *ctx, size_t i, const float *row, struct bt_error *err)
{
	const struct bt_job *j = ctx;
	size_t width = bt_model_width(&j->model);

	(void)err;
	memcpy(j->embeddings + i * width, row, width * sizeof(*row));
	return BT_OK;
}

/* j->embeddings of all texts; their mean length becomes 1 by *scale. */
static int embed(struct bt_job *j, float *scale, struct bt_error *err)
{
	size_t width = bt_model_width(&j->model), tokens, texts, cells, i, k;
	struct bt_gather g = {0};
	double sum = 0, square;
	int r;

	if (bt_size_mul(j->texts.n, width, &cells))
		j->embeddings = bt_array(cells, sizeof(*j->embeddings));
	if (j->embeddings == NULL)
		return bt_error_nomem(err, "keeping embeddings");
	bt_engine_limits(j->model.engine, &tokens, &texts);
	r = bt_gather_init(&g, texts, tokens, 0, err);
	if (r == BT_OK)
		r = bt_forward(j->model.engine, &j->texts, &g, width, keep, j,
		               NULL, err);
	bt_gather_clear(&g);
	for (i = 0; r == BT_OK && i < j->texts.n; i++) {
		for (k = 0, square = 0; k < width; k++)
			square += (double)j->embeddings[i * width + k] *
			          (double)j->embeddings[i * width + k];
		sum += sqrt(square) / (double)j->texts.n;
	}
	*scale = sum > 0 ? (float)(1 / sum) : 1;
	for (i = 0; r == BT_OK && i < cells; i++)
		j->embeddings[i] *= *scale;
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

/* The classes of the embeddings, into the model's last layer. */
static int fit(struct bt_job *j, float scale, struct bt_error *err)
{
	struct bt_model *m = &j->model;
	float *params = bt_engine_params(m->engine), *w = NULL, *b = NULL;
	size_t cols = (size_t)m->config.hidden_size, i;
	struct bt_softmax_regression p = {.x = j->embeddings,
	                                  .y = j->texts.label,
	                                  .weight = j->texts.weight,
	                                  .n = j->texts.n,
	                                  .cols = cols,
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
	for (i = 0; r == BT_OK && i < p.classes * cols; i++)
		w[i] *= scale;
	return r == BT_OK ? bt_engine_pack(m->engine, err) : r;
}

static int tell(struct bt_job *j, struct bt_train_result *res,
                struct bt_error *err)
{
	const struct bt_model *m = &j->model;
	size_t room = BT_FORWARD_TOKENS + j->eval.longest;
	struct bt_metrics_summary s;
	struct bt_metrics x;
	struct bt_gather g = {0};
	int r;

	if (!j->has_eval)
		return BT_OK;
	if ((r = bt_metrics_init(&x, m->task->metrics, m->labels.n, err)))
		return r;
	if (!(r = bt_gather_init(&g, BT_FORWARD_TEXTS, room, 0, err)) &&
	    !(r = bt_forward_measure(m->engine, &j->eval, &g, &x,
	                             j->o.train.windows, NULL, NULL, err))) {
		bt_metrics_summary(&x, &s);
		bt_log(bt_job_log(j), BT_LOG_NOTE,
		       "evaluation loss %.4f, accuracy %.4f, weighted F1 %.4f",
		       s.loss, s.accuracy, s.weighted_f1);
		res->best = s.accuracy;
	}
	bt_gather_clear(&g);
	bt_metrics_clear(&x);
	return r;
}

int bt_few_shot_end(struct bt_job *j, struct bt_train_result *res,
                    struct bt_error *err)
{
	float scale = 1;
	int r;

	if ((r = embed(j, &scale, err)) || (r = become_classifier(j, err)) ||
	    (r = fit(j, scale, err)))
		return r;
	return tell(j, res, err);
}

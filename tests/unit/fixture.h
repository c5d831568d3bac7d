/* SPDX-License-Identifier: MIT */
/* Models of all families with a batch, and what PyTorch and transformers
 * computed of it: the fixtures of tests/fixtures/bert-gradients.py and
 * head-gradients.py. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckpt/open.h"
#include "cpu/engine.h"
#include "files.h"
#include "model/family.h"
#include "model/lora.h"
#include "task/task.h"
#include "tensor/checkpoint.h"

/* Their names in tests/data. */
static const char *const fixtures[] = {
    "bert-gelu",         "bert-gelu-new",   "roberta",
    "distilbert",        "electra",         "albert",
    "albert-groups",     "mpnet",           "pool-mean",
    "pool-max",          "head-flatten",    "head-layers",
    "head-pooler",       "modernbert-mean", "modernbert",
    "deberta-v2",        "deberta-v2-own",  "bert-tokens",
    "modernbert-tokens", "bert-spans",      "bert-masked",
    "roberta-masked",    "bert-next",       "gte",
    "nomic_bert",        "gte-masked",      "nomic_bert-masked",
    "eurobert",          "eurobert-masked", "eurobert-mean",
    "eurobert-yarn",     "modernbert-yarn", "gte-ntk",
    "neobert",           "neobert-masked"};

struct fixture {
	struct bt_ckpt *c;
	struct bt_config m;
	struct bt_graph g;
	struct bt_pool *pool;
	struct bt_engine *e;
	struct bt_batch b;
	int32_t *ids, *labels, *next;
	float *targets, *weights;
	uint32_t *start, *selected;
	uint8_t *types;
};

static inline const char *note_of(const struct bt_ckpt *c, const char *key)
{
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, key) == 0)
			return bt_ckpt_note(c, i)->value;
	return NULL;
}

/* The note "config" is a config.json. */
static inline struct bt_config config_of(const struct bt_ckpt *c)
{
	static const char path[] = "config.json";
	const char *text = note_of(c, "config");
	struct bt_error err = {0};
	struct bt_config m;

	assert_non_null(text);
	file_put(path, text, strlen(text));
	assert_ok(bt_config_load(path, &m, &err));
	return m;
}

static inline const struct bt_tensor *
tensor(const struct bt_ckpt *c, const char *prefix, const char *name)
{
	const struct bt_tensor *t;
	char full[300];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	t = bt_ckpt_find(c, full);
	if (t == NULL)
		fail_msg("no tensor '%s'", full);
	return t;
}

static inline size_t elements(const struct bt_tensor *t)
{
	size_t n = 1;
	int i;

	for (i = 0; i < t->rank; i++)
		n *= (size_t)t->shape[i];
	return n;
}

static inline int32_t *ints(const struct bt_ckpt *c, const char *name,
                            size_t *n)
{
	const struct bt_tensor *t = tensor(c, "in.", name);
	int32_t *v;

	*n = elements(t);
	v = malloc((*n + 1) * sizeof(*v));
	memcpy(v, t->data, *n * sizeof(*v));
	return v;
}

static inline void read_batch(struct fixture *f)
{
	size_t n, texts, labels, labelled = 0, i;
	int32_t *types;

	f->ids = ints(f->c, "ids", &n);
	types = ints(f->c, "types", &n);
	f->types = malloc(n);
	for (i = 0; i < n; i++)
		f->types[i] = (uint8_t)types[i];
	free(types);
	f->start = (uint32_t *)ints(f->c, "start", &texts);
	f->labels = ints(f->c, "labels", &labels);
	f->b.sequences = --texts;
	f->b.tokens = n;
	f->b.ids = f->ids;
	f->b.types = f->types;
	f->b.start = f->start;
	if (bt_task_of(f->m.problem_type) == &bt_task_qa) {
		f->targets = malloc(labels * sizeof(*f->targets));
		for (i = 0; i < labels; i++)
			f->targets[i] = (float)f->labels[i];
		f->b.targets = f->targets;
		f->b.loss_scale = 1.0f / (float)texts;
		return;
	}
	if (bt_config_chooses(&f->m)) { /* of each text, as in task */
		f->targets = malloc(labels * sizeof(*f->targets));
		f->weights = malloc(texts * sizeof(*f->weights));
		for (i = 0; i < labels; i++)
			f->targets[i] = (float)f->labels[i];
		for (i = 0; i < texts; i++)
			f->weights[i] = 1 / f->targets[2 * i + 1];
		f->b.targets = f->targets;
		f->b.weights = f->weights;
		f->b.loss_scale = 0.5f; /* of two questions */
		return;
	}
	if (bt_ckpt_find(f->c, "in.selected") != NULL)
		f->selected =
		    (uint32_t *)ints(f->c, "selected", &f->b.n_selected);
	f->b.selected = f->selected;
	if (bt_ckpt_find(f->c, "in.next") != NULL)
		f->next = ints(f->c, "next", &n);
	f->b.next_labels = f->next;
	f->b.next_scale = 1.0f / (float)texts;
	f->b.labels = f->labels;
	for (i = 0; i < labels; i++)
		labelled += f->labels[i] >= 0;
	f->b.loss_scale = 1.0f / (float)labelled;
}

static inline void load_params(struct fixture *f)
{
	struct bt_error err = {0};
	const struct bt_param *p;
	int i;

	for (i = 0; i < f->g.n_params; i++) {
		p = &f->g.params[i];
		assert_ok(bt_tensor_to_f32(
		    tensor(f->c, "param.", p->name), 0, bt_param_size(p),
		    bt_engine_params(f->e) + p->offset, &err));
	}
	assert_ok(bt_engine_pack(f->e, &err));
}

/* The note "lora" is the rank, alpha and targets of adapters. */
static inline void adapt(struct fixture *f)
{
	const char *note = note_of(f->c, "lora");
	struct bt_lora l = {0};
	struct bt_error err = {0};
	char pattern[200], targets[204];

	if (note == NULL)
		return;
	assert_int_equal(
	    sscanf(note, "%d %lf %199s", &l.rank, &l.alpha, pattern), 3);
	snprintf(targets, sizeof(targets), "(%s)", pattern);
	l.targets = targets;
	assert_ok(bt_lora_add(&f->g, &l, &err));
}

static inline void open_fixture(struct fixture *f, const char *path, bool low)
{
	struct bt_engine_opts o = {.train = true, .bf16 = low};
	struct bt_error err = {0};

	memset(f, 0, sizeof(*f));
	assert_ok(bt_ckpt_open(path, &f->c, &err));
	f->m = config_of(f->c);
	if (bt_ckpt_find(f->c, "in.selected") != NULL) {
		f->m.problem_type = BT_PROBLEM_MASKED;
		f->m.per_token = true;
		f->m.next_sentence = bt_ckpt_find(f->c, "in.next") != NULL;
	}
	bt_graph_init(&f->g, &err);
	assert_ok(bt_task_graph(bt_task_of(f->m.problem_type), &f->g, &f->m,
	                        (int)tensor(f->c, "out.", "logits")->shape[1]));
	adapt(f);
	read_batch(f);
	assert_ok(bt_pool_new(2, &f->pool, &err));
	o.pool = f->pool;
	o.max_tokens = f->b.tokens;
	o.max_sequences = f->b.sequences;
	o.max_length = (size_t)f->m.max_positions;
	assert_ok(bt_engine_new(&f->g, &o, &f->e, &err));
	load_params(f);
}

static inline void close_fixture(struct fixture *f)
{
	bt_engine_free(f->e);
	bt_pool_free(f->pool);
	bt_graph_clear(&f->g);
	bt_config_clear(&f->m);
	bt_ckpt_close(f->c);
	free(f->ids);
	free(f->types);
	free(f->start);
	free(f->selected);
	free(f->next);
	free(f->labels);
	free(f->targets);
	free(f->weights);
}

static inline double norm_of(const float *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (double)v[i] * (double)v[i];
	return sqrt(sum);
}

/* |got - want| / scale as norms, where scale is |want| if it is 0. */
static inline double deviation(const float *got, const struct bt_tensor *t,
                               double scale)
{
	size_t n = elements(t), i;
	float *want = malloc((n + 1) * sizeof(*want));
	struct bt_error err = {0};

	assert_ok(bt_tensor_to_f32(t, 0, n, want, &err));
	if (scale == 0)
		scale = norm_of(want, n);
	for (i = 0; i < n; i++)
		want[i] = got[i] - want[i];
	scale = norm_of(want, n) / scale;
	free(want);
	return scale;
}

/* The norm that a parameter's gradient is compared with: its own, told by 0.
 * But the keys' bias has none: it adds the same to all scores of a query, which
 * softmax does not see. What is computed is rounding, of sums whose terms are
 * those of the queries' bias, so that bias's norm takes its place. The same
 * holds of the bias of places' keys, and where these are the keys' own.
 * Where the loss is over the tokens of a text, the last biases add the same to
 * the logits of all: the norm of their weights takes its place. */
static inline double scale_of(const struct fixture *f, const char *name)
{
	static const char *const key[] = {"key.bias", "k_lin.bias",
	                                  "attn.k.bias"};
	static const char *const query[] = {"query.bias", "q_lin.bias",
	                                    "attn.q.bias"};
	const char *end = NULL;
	const struct bt_param *p;
	char other[200];
	int i;

	if (f->b.targets != NULL && (end = strstr(name, ".bias")) != NULL) {
		snprintf(other, sizeof(other), "%.*s.weight", (int)(end - name),
		         name);
		p = &f->g.params[bt_graph_find(&f->g, other)];
		if (norm_of((const float *)tensor(f->c, "grad.", name)->data,
		            elements(tensor(f->c, "grad.", name))) <
		    1e-5 * norm_of(bt_engine_grads(f->e) + p->offset,
		                   bt_param_size(p)))
			return norm_of(bt_engine_grads(f->e) + p->offset,
			               bt_param_size(p));
	}
	end = NULL;
	for (i = 0; i < 3 && (end = strstr(name, key[i])) == NULL;)
		i++;
	if (end == NULL && !f->m.p2c)
		end = strstr(name, "key_proj.bias");
	if (end == NULL)
		end = strstr(name, "pos_key_proj.bias");
	if (end == NULL)
		return 0;
	snprintf(other, sizeof(other), "%.*s%s", (int)(end - name), name,
	         i < 3 ? query[i] : "query_proj.bias");
	p = &f->g.params[bt_graph_find(&f->g, other)];
	return norm_of(bt_engine_grads(f->e) + p->offset, bt_param_size(p));
}

#endif

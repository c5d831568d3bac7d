/* SPDX-License-Identifier: MIT */
/* A very small BERT with odd sizes and a ragged batch, for tests of the engine.
 */
#ifndef TEST_TINY_H
#define TEST_TINY_H

#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "base/sys.h"
#include "cpu/engine.h"
#include "model/family.h"
#include "task/task.h"

#define TINY_TEXTS 5
#define TINY_TOKENS 41
#define TINY_CLASSES 5

static const uint32_t tiny_start[TINY_TEXTS + 1] = {0, 1, 8, 11, 31, 41};
static const int32_t tiny_labels[TINY_TEXTS] = {3, 0, 4, 1, 3};
static const float tiny_weights[TINY_TEXTS] = {1, 0.5f, 2, 1, 1.5f};

struct tiny {
	struct bt_graph g;
	struct bt_pool *pool;
	struct bt_engine *e;
	int32_t ids[TINY_TOKENS];
	uint8_t types[TINY_TOKENS];
	struct bt_batch b;
};

static inline struct bt_config tiny_config(void)
{
	struct bt_config c;

	memset(&c, 0, sizeof(c));
	c.family = bt_family_find("bert");
	c.pad_id = -1;
	c.vocab_size = 50;
	c.hidden_size = 24;
	c.layers = 3;
	c.heads = 3;
	c.intermediate_size = 40;
	c.act = BT_ACT_GELU;
	c.max_positions = 32;
	c.type_vocab_size = 2;
	c.norm_eps = 1e-6f;
	c.init_std = 0.2f;
	return c;
}

/* The same of another family, with what it needs. */
static inline struct bt_config tiny_family(const char *family)
{
	struct bt_config c = tiny_config();

	c.family = bt_family_find(family);
	assert_non_null(c.family);
	c.embedding_size = 16;
	c.groups = 1;
	c.hidden_dropout = c.attention_dropout = c.classifier_dropout = 0.1f;
	if (strstr(family, "roberta") != NULL || strcmp(family, "mpnet") == 0) {
		c.pad_id = 1;
		c.position0 = 2;
	}
	c.embedding_dropout = 0.1f;
	c.window = 6;
	c.global_every = 2;
	c.global_rope = bt_rope_of(1000);
	c.local_rope = bt_rope_of(10);
	c.att_span = c.position_buckets = 8;
	c.max_relative_positions = 32;
	c.c2p = c.p2c = c.norm_rel_embeddings = true;
	c.share_att_key = true;
	c.kv_heads = strcmp(family, "eurobert") == 0 ? 1 : 0;
	if (strcmp(family, "distilbert") == 0)
		c.type_vocab_size = 0;
	return c;
}

/* Every parameter at random, norms about 1. */
static inline void tiny_params(const struct bt_graph *g, float *p)
{
	const struct bt_param *q;
	double v[2];
	size_t k;
	int i;

	for (i = 0; i < g->n_params; i++) {
		q = &g->params[i];
		for (k = 0; k < bt_param_size(q); k++) {
			bt_random_normal(11, BT_PURPOSE_INIT, (uint32_t)i, k, 0,
			                 v);
			p[q->offset + k] =
			    (float)(0.2 * v[0]) +
			    (q->init == BT_INIT_ONE ? 1.0f : 0.0f);
		}
	}
}

/* Who multiplies: TEST_GEMM, or the best. */
static inline const char *provider(void)
{
	return getenv("TEST_GEMM");
}

enum { TINY_RECOMPUTE = 1, TINY_DETECT = 2, TINY_APART = 4, TINY_FIXED = 8 };

static inline int tiny_engine(struct tiny *t, int threads, bool low,
                              const char *gemm, int flags, struct bt_error *err)
{
	struct bt_engine_opts o = {.bf16 = low,
	                           .gemm = gemm,
	                           .train = true,
	                           .fixed = flags & TINY_FIXED,
	                           .recompute = flags & TINY_RECOMPUTE,
	                           .detect = flags & TINY_DETECT,
	                           .sparse_norm = flags & TINY_APART,
	                           .max_tokens = TINY_TOKENS + 20,
	                           .max_sequences = TINY_TEXTS + 3,
	                           .max_length = 32,
	                           .seed = 77};
	int r = bt_pool_new(threads, &t->pool, err);

	if (r < 0)
		return r;
	o.pool = t->pool;
	r = bt_engine_new(&t->g, &o, &t->e, err);
	if (r < 0)
		return r;
	tiny_params(&t->g, bt_engine_params(t->e));
	return bt_engine_pack(t->e, err);
}

static inline void tiny_batch(struct tiny *t, bool train)
{
	size_t i;

	for (i = 0; i < TINY_TOKENS; i++) {
		t->ids[i] = (int32_t)bt_random_below(5, 50, 0, i, 50);
		t->types[i] = (uint8_t)bt_random_below(5, 51, 0, i, 2);
	}
	memset(&t->b, 0, sizeof(t->b));
	t->b.sequences = TINY_TEXTS;
	t->b.tokens = TINY_TOKENS;
	t->b.start = tiny_start;
	t->b.ids = t->ids;
	t->b.types = t->types;
	t->b.labels = tiny_labels;
	t->b.weights = tiny_weights;
	t->b.loss_scale = 0.3f;
	t->b.smoothing = 0.1f;
	t->b.train = train;
	t->b.step = 9;
	t->b.token0 = 100;
	t->b.sequence0 = 10;
}

static inline int tiny_open(struct tiny *t, const struct bt_config *c,
                            int threads, bool low, const char *gemm,
                            bool dropout, struct bt_error *err)
{
	int r;

	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, err);
	r = bt_task_graph(&bt_task_classification, &t->g, c, TINY_CLASSES);
	if (r < 0)
		return r;
	tiny_batch(t, dropout);
	return tiny_engine(t, threads, low, gemm, 0, err);
}

static inline void tiny_close(struct tiny *t)
{
	bt_engine_free(t->e);
	bt_pool_free(t->pool);
	bt_graph_clear(&t->g);
}

#endif

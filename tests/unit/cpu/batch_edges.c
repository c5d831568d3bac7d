/* SPDX-License-Identifier: MIT */
/* The engine at the edges of what a batch may be, and at widths that are no
 * multiple of a vector: the same bits at any number of threads, gradients that
 * are slopes. */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "tiny.h"

#define CLASSES 3
#define MAX_TEXTS 8
#define MAX_LENGTH 512
#define MAX_TOKENS 1000

struct run {
	struct bt_graph g;
	struct bt_pool *pool;
	struct bt_engine *e;
};

/* Texts of these lengths. */
struct batch {
	uint32_t start[MAX_TEXTS + 1];
	int32_t ids[MAX_TOKENS], labels[MAX_TEXTS];
	uint8_t types[MAX_TOKENS];
	struct bt_batch b;
};

static struct bt_config config(int hidden, int heads, int intermediate)
{
	struct bt_config c = tiny_config();

	c.hidden_size = hidden;
	c.heads = heads;
	c.intermediate_size = intermediate;
	c.layers = 2;
	c.max_positions = MAX_LENGTH;
	c.hidden_dropout = c.attention_dropout = c.classifier_dropout = 0.1f;
	return c;
}

/* Products keep the size of what they multiply. */
static void set_params(struct run *r, int hidden)
{
	float *p = bt_engine_params(r->e), scale = sqrtf(24.0f / (float)hidden);
	const struct bt_param *q;
	struct bt_error err = {0};
	size_t k;
	int i;

	tiny_params(&r->g, p);
	for (i = 0; i < r->g.n_params; i++) {
		q = &r->g.params[i];
		if (q->rank == 2)
			for (k = 0; k < bt_param_size(q); k++)
				p[q->offset + k] *= scale;
	}
	assert_ok(bt_engine_pack(r->e, &err));
}

static void open_run(struct run *r, const struct bt_config *c, int threads,
                     bool low)
{
	struct bt_engine_opts o = {.bf16 = low,
	                           .gemm = provider(),
	                           .train = true,
	                           .max_tokens = MAX_TOKENS,
	                           .max_sequences = MAX_TEXTS,
	                           .max_length = MAX_LENGTH,
	                           .seed = 77};
	struct bt_error err = {0};

	bt_graph_init(&r->g, &err);
	assert_ok(bt_task_graph(&bt_task_classification, &r->g, c, CLASSES));
	assert_ok(bt_pool_new(threads, &r->pool, &err));
	o.pool = r->pool;
	assert_ok(bt_engine_new(&r->g, &o, &r->e, &err));
	set_params(r, c->hidden_size);
}

static void close_run(struct run *r)
{
	bt_engine_free(r->e);
	bt_pool_free(r->pool);
	bt_graph_clear(&r->g);
}

/* lengths end in 0 */
static void make_batch(struct batch *m, const int *lengths, bool dropout)
{
	size_t i;

	memset(m, 0, sizeof(*m));
	for (i = 0; lengths[i] != 0; i++) {
		m->start[i + 1] = m->start[i] + (uint32_t)lengths[i];
		m->labels[i] = (int32_t)(i % CLASSES);
	}
	m->b.sequences = i;
	m->b.tokens = m->start[i];
	for (i = 0; i < m->b.tokens; i++) {
		m->ids[i] = (int32_t)bt_random_below(5, 52, 0, i, 50);
		m->types[i] = (uint8_t)bt_random_below(5, 53, 0, i, 2);
	}
	m->b.start = m->start;
	m->b.ids = m->ids;
	m->b.types = m->types;
	m->b.labels = m->labels;
	m->b.loss_scale = 1.0f / (float)m->b.sequences;
	m->b.train = dropout;
	m->b.step = 9;
}

static void both_ways(struct run *r, const struct batch *m)
{
	struct bt_error err = {0};

	assert_ok(bt_engine_forward(r->e, &m->b, &err));
	assert_ok(bt_engine_backward(r->e, false, &err));
	assert_true(isfinite(bt_engine_loss(r->e)));
}

/* 1, 2, 3 and 7 threads: the same bits of loss, logits and gradients. How work
 * is cut is the same on every instruction set: of one that is forced or
 * emulated 1 and 3. */
static void check_threads(const struct bt_config *c, const struct batch *m,
                          bool low)
{
	static const int threads[] = {3, 2, 7};
	struct run a, b;
	size_t i, n = getenv("BT_ISA") != NULL || emulated() ? 1 : 3;

	open_run(&a, c, 1, low);
	both_ways(&a, m);
	for (i = 0; i < n; i++) {
		open_run(&b, c, threads[i], low);
		both_ways(&b, m);
		assert_true(bt_engine_loss(a.e) == bt_engine_loss(b.e));
		assert_memory_equal(bt_engine_logits(a.e),
		                    bt_engine_logits(b.e),
		                    m->b.sequences * CLASSES * sizeof(float));
		assert_memory_equal(bt_engine_grads(a.e), bt_engine_grads(b.e),
		                    a.g.n_floats * sizeof(float));
		close_run(&b);
	}
	close_run(&a);
}

/* Along its direction the slope of the loss is the gradient's norm. */
static void check_slope(const struct bt_config *c, const struct batch *m)
{
	struct bt_error err = {0};
	double norm = 0, slope = 0, h;
	struct run r;
	float *p, *p0;
	const float *g;
	size_t i, n;
	int side;

	open_run(&r, c, 2, false);
	both_ways(&r, m);
	n = r.g.n_floats;
	p = bt_engine_params(r.e);
	g = bt_engine_grads(r.e);
	p0 = malloc(n * sizeof(*p0));
	memcpy(p0, p, n * sizeof(*p0));
	for (i = 0; i < n; i++)
		norm += (double)g[i] * (double)g[i];
	norm = sqrt(norm);
	h = 1e-3;
	for (side = -1; side <= 1; side += 2) {
		for (i = 0; i < n; i++)
			p[i] = (float)((double)p0[i] +
			               side * h / norm * (double)g[i]);
		assert_ok(bt_engine_pack(r.e, &err));
		assert_ok(bt_engine_forward(r.e, &m->b, &err));
		slope += side * bt_engine_loss(r.e) / (2 * h);
	}
	if (!(norm > 0 && fabs(slope - norm) < 1e-2 * norm))
		fail_msg("slope %.6g, the gradient's norm is %.6g", slope,
		         norm);
	free(p0);
	close_run(&r);
}

static void check_all(const struct bt_config *c, const int *lengths)
{
	struct batch *m = malloc(sizeof(*m));

	make_batch(m, lengths, true);
	check_threads(c, m, false);
	check_threads(c, m, true);
	check_slope(c, m);
	free(m);
}

/* All that seven threads can do is leave it to one. Attention over one token
 * does not see queries and keys. */
TEST(one_token)
{
	static const int lengths[] = {1, 0};
	static const char *const unseen[] = {"query.weight", "query.bias",
	                                     "key.weight", "key.bias"};
	struct bt_config c = config(24, 3, 40);
	struct batch m;
	const struct bt_param *q;
	char name[100];
	struct run r;
	size_t i, k;
	int low;

	check_all(&c, lengths);
	make_batch(&m, lengths, false);
	for (low = 0; low < 2; low++) {
		open_run(&r, &c, 2, low);
		both_ways(&r, &m);
		for (i = 0; i < 4; i++) {
			snprintf(name, sizeof(name),
			         "bert.encoder.layer.1.attention.self.%s",
			         unseen[i]);
			q = &r.g.params[bt_graph_find(&r.g, name)];
			for (k = 0; k < bt_param_size(q); k++)
				assert_true(fabsf(bt_engine_grads(
				                r.e)[q->offset + k]) < 1e-6f);
		}
		close_run(&r);
	}
}

TEST(one_long_text)
{
	static const int lengths[] = {MAX_LENGTH, 0};
	struct bt_config c = config(48, 4, 96);

	check_all(&c, lengths);
}

TEST(more_threads_than_texts)
{
	static const int three[] = {5, 1, 9, 0}, two[] = {300, 2, 0};
	struct bt_config c = config(64, 4, 128);

	check_all(&c, three);
	check_all(&c, two);
}

TEST(odd_widths)
{
	static const int lengths[] = {17, 1, 129, 2, 64, 3, 0};
	static const int widths[][3] = {
	    {60, 5, 77}, {33, 3, 1}, {240, 12, 333}};
	size_t i, n = sizeof(widths) / sizeof(widths[0]);
	struct bt_config c;

	/* vectors of arm64 are short: the wide one has nothing new for them */
	for (i = 0; i < n - emulated(); i++) {
		c = config(widths[i][0], widths[i][1], widths[i][2]);
		check_all(&c, lengths);
	}
}

/* Texts of any length, alone and beside others: the same logits. */
TEST(company_of_any_length)
{
	static const int lengths[] = {17, 1, 512, 2, 129, 3, 64, 0};
	struct bt_config c = config(60, 5, 77);
	float all[MAX_TEXTS * CLASSES];
	struct batch *m = malloc(sizeof(*m));
	struct bt_error err = {0};
	uint32_t start[2] = {0, 0};
	struct bt_batch b;
	struct run r;
	size_t i, k;

	make_batch(m, lengths, false);
	open_run(&r, &c, 3, false);
	assert_ok(bt_engine_forward(r.e, &m->b, &err));
	memcpy(all, bt_engine_logits(r.e),
	       m->b.sequences * CLASSES * sizeof(*all));
	for (i = 0; i < m->b.sequences; i++) {
		b = m->b;
		b.sequences = 1;
		b.tokens = start[1] = (uint32_t)lengths[i];
		b.start = start;
		b.ids += m->start[i];
		b.types += m->start[i];
		b.labels = NULL;
		assert_ok(bt_engine_forward(r.e, &b, &err));
		for (k = 0; k < CLASSES; k++)
			assert_true(fabsf(bt_engine_logits(r.e)[k] -
			                  all[i * CLASSES + k]) < 1e-5f);
	}
	close_run(&r);
	free(m);
}

int main(void)
{
	struct bt_config c = config(24, 3, 40);
	struct bt_error err = {0};
	struct tiny t;
	int r = tiny_open(&t, &c, 1, false, provider(), false, &err);

	tiny_close(&t);
	if (r != BT_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return run_listed();
}

/* SPDX-License-Identifier: MIT */
/* The engine on every model family: results that depend neither on threads nor
 * on what is computed again, gradients that add up where layers share
 * parameters and stay as they are once they are said to be complete, rows of
 * words that a caller gives and their gradients, and the buckets of relative
 * distances. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/ops.h"
#include "task/task.h"
#include "tiny.h"

static const char *const families[] = {
    "albert",  "bert",       "camembert", "deberta-v2", "distilbert",
    "electra", "eurobert",   "gte",       "modernbert", "mpnet",
    "neobert", "nomic_bert", "roberta",   "xlm-roberta"};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static void open_family(struct tiny *t, const struct bt_config *c, int threads,
                        bool low, int flags)
{
	struct bt_error err = {0};

	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, &err);
	assert_ok(
	    bt_task_graph(&bt_task_classification, &t->g, c, TINY_CLASSES));
	tiny_batch(t, true);
	assert_ok(tiny_engine(t, threads, low, NULL, flags, &err));
}

static void pass(struct tiny *t, bool add)
{
	struct bt_error err = {0};

	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_ok(bt_engine_backward(t->e, add, &err));
}

struct heard {
	const struct tiny *t;
	float *kept; /* gradients, as they were when they were complete */
	size_t left, calls;
};

static void hear(void *ctx, size_t from)
{
	struct heard *h = ctx;
	const float *grads = bt_engine_grads(h->t->e);

	assert_true(from <= h->left);
	memcpy(h->kept + from, grads + from, (h->left - from) * sizeof(*grads));
	h->calls += from < h->left;
	h->left = from;
}

/* Returns how many calls had complete gradients. */
static size_t hears(struct tiny *t, bool add)
{
	size_t size = t->g.n_floats * sizeof(float);
	struct heard h = {t, malloc(size), t->g.n_floats, 0};
	struct bt_error err = {0};

	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	bt_engine_on_ready(t->e, hear, &h);
	assert_ok(bt_engine_backward(t->e, add, &err));
	bt_engine_on_ready(t->e, NULL, NULL);
	assert_int_equal(h.left, 0);
	assert_memory_equal(h.kept, bt_engine_grads(t->e), size);
	free(h.kept);
	/* a listener that was taken away is not called */
	h.kept = NULL;
	pass(t, add);
	return h.calls;
}

TEST(complete_gradients_stay)
{
	struct bt_config c;
	struct tiny t;
	size_t f, calls;
	int low;

	for (f = 0; f < FAMILIES; f++)
		for (low = 0; low < 2; low++) {
			c = tiny_family(families[f]);
			open_family(&t, &c, 2, low, low ? TINY_RECOMPUTE : 0);
			calls = hears(&t, false);
			assert_int_equal(hears(&t, true), calls);
			assert_true(strcmp(families[f], "bert") != 0 ||
			            calls >= 8);
			tiny_close(&t);
		}
}

TEST(how_does_not_matter)
{
	static const int threads[] = {2, 5},
	                 flags[] = {TINY_RECOMPUTE, TINY_DETECT};
	struct bt_config c;
	struct tiny a, b;
	size_t f;
	int i;

	for (f = 0; f < FAMILIES; f++)
		for (i = 0; i < 4; i++) {
			c = tiny_family(families[f]);
			open_family(&a, &c, 1, i % 2, 0);
			open_family(&b, &c, threads[i / 2], i % 2,
			            flags[i / 2]);
			pass(&a, false);
			pass(&b, false);
			assert_true(bt_engine_loss(a.e) == bt_engine_loss(b.e));
			assert_memory_equal(bt_engine_grads(a.e),
			                    bt_engine_grads(b.e),
			                    a.g.n_floats * sizeof(float));
			tiny_close(&a);
			tiny_close(&b);
		}
}

/* Rows of words beside the table, and their gradients. */
struct words {
	size_t cols;
	float *rows, *grads, *before, *direction;
	float logit_grads[TINY_TEXTS * TINY_CLASSES];
};

static void open_words(struct words *w, struct tiny *t)
{
	int word = t->g.nodes[0].u.embed.word;
	size_t n, i;
	double v[2];

	w->cols = (size_t)t->g.params[word].cols;
	n = TINY_TOKENS * w->cols;
	w->rows = malloc(n * sizeof(*w->rows));
	w->grads = malloc(n * sizeof(*w->grads));
	w->before = malloc(n * sizeof(*w->before));
	w->direction = malloc(n * sizeof(*w->direction));
	for (i = 0; i < TINY_TOKENS; i++)
		memcpy(w->rows + i * w->cols,
		       bt_engine_param(t->e, word) +
		           (size_t)t->ids[i] * w->cols,
		       w->cols * sizeof(float));
	memcpy(w->before, w->rows, n * sizeof(float));
	for (i = 0; i < n; i++) {
		bt_random_normal(4, 41, 0, i, 0, v);
		w->direction[i] = (float)(v[0] / sqrt((double)n));
	}
	for (i = 0; i < TINY_TEXTS * TINY_CLASSES; i++)
		w->logit_grads[i] = (float)i / 10 - 1;
	t->b.words = w->rows;
	t->b.word_grads = w->grads;
}

static void close_words(struct words *w)
{
	free(w->rows);
	free(w->grads);
	free(w->before);
	free(w->direction);
}

/* The gradients of the tokens with a word are together that of its row. */
static void check_table(const struct words *w, const struct tiny *t,
                        const float *table, int pad)
{
	size_t id, i, k;
	double sum;

	for (id = 0; id < 50; id++)
		for (k = 0; k < w->cols; k++) {
			sum = 0;
			for (i = 0; i < TINY_TOKENS; i++)
				if (t->ids[i] == (int)id && (int)id != pad)
					sum +=
					    (double)w->grads[i * w->cols + k];
			assert_true(
			    fabs(sum - (double)table[id * w->cols + k]) < 1e-5);
		}
}

/* Of the logits' sum with those weights, where the rows lie h along. */
static double answer_at(struct words *w, struct tiny *t, float h)
{
	struct bt_error err = {0};
	double sum = 0;
	size_t i;

	for (i = 0; i < TINY_TOKENS * w->cols; i++)
		w->rows[i] = w->before[i] + h * w->direction[i];
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	for (i = 0; i < TINY_TEXTS * TINY_CLASSES; i++)
		sum += (double)w->logit_grads[i] *
		       (double)bt_engine_logits(t->e)[i];
	return sum;
}

static void check_words(struct words *w, struct tiny *t)
{
	const float h = 0.05f;
	double wanted = 0, slope;
	size_t i;

	t->b.logit_grads = w->logit_grads;
	t->b.labels = NULL;
	pass(t, false);
	for (i = 0; i < TINY_TOKENS * w->cols; i++)
		wanted += (double)w->grads[i] * (double)w->direction[i];
	slope = 8 * (answer_at(w, t, h) - answer_at(w, t, -h));
	slope -= answer_at(w, t, 2 * h) - answer_at(w, t, -2 * h);
	slope /= 12 * (double)h;
	if (!(fabs(slope - wanted) < 2e-3 + 1e-2 * fabs(wanted)))
		fail_msg("slope %.6g, gradient says %.6g", slope, wanted);
}

TEST(words_in_place_of_the_table)
{
	size_t bytes = TINY_TEXTS * TINY_CLASSES * sizeof(float), f;
	struct bt_error err = {0};
	struct bt_config c;
	struct tiny a, b;
	struct words w;
	int word;

	for (f = 0; f < FAMILIES; f++) {
		c = tiny_family(families[f]);
		open_family(&a, &c, 1, false, 0);
		open_family(&b, &c, 2, false, TINY_FIXED);
		assert_null(bt_engine_grads(b.e));
		assert_ok(bt_engine_grow(b.e, 99, 1, 40, &err));
		a.b.train = b.b.train = false;
		open_words(&w, &b);
		pass(&a, false);
		pass(&b, false);
		assert_memory_equal(bt_engine_logits(a.e),
		                    bt_engine_logits(b.e), bytes);
		word = a.g.nodes[0].u.embed.word;
		check_table(&w, &b,
		            bt_engine_grads(a.e) + a.g.params[word].offset,
		            c.pad_id);
		check_words(&w, &b);
		close_words(&w);
		tiny_close(&a);
		tiny_close(&b);
	}
}

/* An engine for the two first texts, of one token and of seven. */
static void open_short(struct tiny *t, const struct bt_config *c, bool low)
{
	struct bt_engine_opts o = {.bf16 = low,
	                           .max_tokens = 8,
	                           .max_sequences = TINY_TEXTS,
	                           .max_length = 7};
	struct bt_error err = {0};

	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, &err);
	assert_ok(
	    bt_task_graph(&bt_task_classification, &t->g, c, TINY_CLASSES));
	tiny_batch(t, false);
	assert_ok(bt_pool_new(2, &t->pool, &err));
	o.pool = t->pool;
	assert_ok(bt_engine_new(&t->g, &o, &t->e, &err));
	tiny_params(&t->g, bt_engine_params(t->e));
	assert_ok(bt_engine_pack(t->e, &err));
}

/* One that has grown gives what one gives that was made large enough. */
TEST(grows)
{
	size_t bytes = TINY_TEXTS * TINY_CLASSES * sizeof(float), f, before;
	struct bt_error err = {0};
	struct bt_config c;
	struct tiny a, b;
	int i;

	for (f = 0; f < 2 * FAMILIES; f++) {
		c = tiny_family(families[f / 2]);
		open_family(&a, &c, 1, f % 2, 0);
		a.b.train = false;
		assert_ok(bt_engine_forward(a.e, &a.b, &err));
		assert_err(bt_engine_grow(a.e, 41, 1, 33, &err), BT_EARG,
		           "33 tokens exceeds 32");
		open_short(&b, &c, f % 2);
		before = bt_engine_memory(b.e).scratch;
		assert_err(bt_engine_forward(b.e, &b.b, &err), BT_EARG,
		           "exceeds");
		for (i = 0; i < 2; i++) {
			b.b.sequences = 2;
			b.b.tokens = 8;
			assert_ok(bt_engine_grow(b.e, 8, 1, 7, &err));
			assert_ok(bt_engine_forward(b.e, &b.b, &err));
			assert_memory_equal(bt_engine_logits(b.e),
			                    bt_engine_logits(a.e),
			                    bytes / TINY_TEXTS * 2);
			b.b.sequences = TINY_TEXTS;
			b.b.tokens = TINY_TOKENS;
			assert_ok(
			    bt_engine_grow(b.e, TINY_TOKENS, 1, 20, &err));
			assert_ok(bt_engine_forward(b.e, &b.b, &err));
			assert_memory_equal(bt_engine_logits(b.e),
			                    bt_engine_logits(a.e), bytes);
		}
		assert_true(bt_engine_memory(b.e).scratch > before);
		tiny_close(&a);
		tiny_close(&b);
	}
}

/* A second batch adds to the gradients of the first. */
TEST(batches_add_up)
{
	struct bt_config c;
	struct tiny t;
	float *one, two;
	size_t f, i;

	for (f = 0; f < FAMILIES; f++) {
		c = tiny_family(families[f]);
		open_family(&t, &c, 2, false, 0);
		pass(&t, false);
		one = malloc(t.g.n_floats * sizeof(*one));
		memcpy(one, bt_engine_grads(t.e), t.g.n_floats * sizeof(*one));
		pass(&t, true);
		for (i = 0; i < t.g.n_floats; i++) {
			two = bt_engine_grads(t.e)[i];
			if (!(fabsf(two - 2 * one[i]) <=
			      1e-5f + 1e-4f * fabsf(two)))
				fail_msg("%s: float %zu: %g, then %g",
				         families[f], i, (double)one[i],
				         (double)two);
		}
		free(one);
		tiny_close(&t);
	}
}

/* Layers with the same parameters are packed once; the last layer, which
 * projects queries apart from keys and values, those a second time. */
TEST(shared_is_packed_once)
{
	struct bt_config c = tiny_family("albert");
	size_t few, many;
	struct tiny t;

	c.layers = 2;
	open_family(&t, &c, 1, false, 0);
	few = bt_engine_memory(t.e).packed;
	tiny_close(&t);
	c.layers = 9;
	open_family(&t, &c, 1, false, 0);
	many = bt_engine_memory(t.e).packed;
	assert_int_equal(few, many);
	tiny_close(&t);
}

/* A text's padding token moves nothing: its rows get no gradient, and the
 * tokens behind it keep the positions they had without it. */
TEST(padding_stands_aside)
{
	struct bt_config c = tiny_family("roberta");
	const struct bt_param *word, *position;
	struct tiny t;
	const float *d;
	int i, h;

	open_family(&t, &c, 1, false, 0);
	for (i = 0; i < TINY_TOKENS; i++)
		t.ids[i] = i % 4 == 1 ? 1 : 7;
	pass(&t, false);
	word = &t.g.params[t.g.nodes[0].u.embed.word];
	position = &t.g.params[t.g.nodes[0].u.embed.position];
	h = word->cols;
	d = bt_engine_grads(t.e);
	for (i = 0; i < h; i++) {
		assert_true(d[word->offset + (size_t)(h + i)] == 0);
		assert_true(d[position->offset + (size_t)(h + i)] == 0);
		assert_true(d[position->offset + (size_t)i] == 0);
		/* of 20 tokens at most 15 have a position: 2 .. 16 */
		assert_true(d[position->offset + (size_t)(17 * h + i)] == 0);
	}
	assert_true(d[word->offset + (size_t)(7 * h)] != 0);
	assert_true(d[position->offset + (size_t)(2 * h)] != 0);
	tiny_close(&t);
}

/* As transformers' MPNet numbers them. */
TEST(distances_have_buckets)
{
	static const struct {
		int distance, bucket;
	} known[] = {{0, 0},     {-1, 1},   {-7, 7},   {-8, 8},    {-11, 8},
	             {-12, 9},   {-15, 9},  {-16, 10}, {-22, 10},  {-23, 11},
	             {-31, 11},  {-32, 12}, {-45, 12}, {-46, 13},  {-63, 13},
	             {-64, 14},  {-90, 14}, {-91, 15}, {-127, 15}, {-128, 15},
	             {-511, 15}, {1, 17},   {7, 23},   {8, 24},    {64, 30},
	             {128, 31},  {511, 31}};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(bt_relative_bucket(known[i].distance),
		                 known[i].bucket);
}

/* As transformers' DeBERTa-v2 numbers them, with 256 buckets to 512. */
TEST(distances_have_places)
{
	static const struct {
		int distance, bucket;
	} known[] = {{0, 0},     {1, 1},     {127, 127}, {128, 128}, {182, 161},
	             {195, 167}, {196, 168}, {202, 170}, {203, 171}, {209, 173},
	             {210, 174}, {223, 179}, {224, 180}, {230, 182}, {231, 183},
	             {251, 190}, {252, 191}, {265, 195}, {266, 196}, {286, 202},
	             {287, 203}, {293, 204}, {294, 205}, {356, 222}, {357, 223},
	             {384, 229}, {385, 230}, {419, 237}, {420, 238}, {433, 240},
	             {434, 241}, {468, 247}, {469, 248}, {483, 250}, {484, 251},
	             {489, 251}, {490, 252}, {494, 252}, {495, 253}, {499, 253},
	             {500, 254}, {505, 254}, {506, 255}, {511, 255}};
	const struct bt_relative_args p = {256, 256, 512, 0},
	                              exact = {6, -1, 6, 0};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(
		    bt_relative_position_row(&p, known[i].distance),
		    256 + known[i].bucket);
		if (known[i].bucket < 256)
			assert_int_equal(
			    bt_relative_position_row(&p, -known[i].distance),
			    256 - known[i].bucket);
	}
	assert_int_equal(bt_relative_position_row(&p, 100000), 511);
	assert_int_equal(bt_relative_position_row(&p, -100000), 0);
	for (int k = -20; k <= 20; k++)
		assert_int_equal(bt_relative_position_row(&exact, k),
		                 k < -6  ? 0
		                 : k > 5 ? 11
		                         : k + 6);
}

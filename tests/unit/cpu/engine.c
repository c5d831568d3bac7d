/* SPDX-License-Identifier: MIT */
/* The engine: gradients against finite differences, results that do not depend
 * on threads or on what else is in the batch. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/ops.h"
#include "slopes.h"
#include "task/task.h"

TEST(gradients_are_slopes)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;

	assert_ok(tiny_open(&t, &c, 1, false, provider(), false, &err));
	check_slopes(&t);
	tiny_close(&t);
}

/* A classifier of means or maxima of all tokens, which has a residual's
 * gradient beside its own where text and token count differ. */
static void open_pooled(struct tiny *t, enum bt_pooling how, int threads,
                        bool low, int flags)
{
	struct bt_param_spec s = {TINY_CLASSES, 0,    BT_INIT_NORMAL,
	                          true,         true, false};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	int w, b;

	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, &err);
	assert_ok(bt_family_embedding(&t->g, &c, how));
	s.cols = c.hidden_size;
	w = bt_graph_param(&t->g, &s, "classifier.weight");
	s.rows = 0;
	s.cols = TINY_CLASSES;
	b = bt_graph_param(&t->g, &s, "classifier.bias");
	t->g.logits = bt_op_linear(&t->g, t->g.logits, w, b, 1, BT_ACT_NONE);
	t->g.loss = bt_op_softmax_loss(&t->g, t->g.logits);
	assert_ok(bt_graph_done(&t->g));
	tiny_batch(t, false);
	assert_ok(tiny_engine(t, threads, low, provider(), flags, &err));
}

TEST(gradients_over_tokens)
{
	static const enum bt_pooling ways[] = {BT_POOLING_CLS, BT_POOLING_MEAN,
	                                       BT_POOLING_MAX};
	struct tiny t;
	size_t i;

	for (i = 0; i < 3; i++) {
		open_pooled(&t, ways[i], 2, false, i == 2 ? TINY_RECOMPUTE : 0);
		if (i < 2)
			check_slopes(&t);
		else /* on the way another value may become the largest */
			check_slopes_at(&t, 3e-3f, 3e-2);
		tiny_close(&t);
	}
}

/* The mean and the largest of what the encoder gives the tokens; one token is
 * all three. */
TEST(pools_of_texts)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t[3];
	const float *x[3];
	size_t i, k, h = (size_t)c.hidden_size;
	bool differ = false;

	for (i = 0; i < 3; i++) {
		memset(&t[i], 0, sizeof(t[i]));
		bt_graph_init(&t[i].g, &err);
		assert_ok(bt_family_embedding(&t[i].g, &c, (enum bt_pooling)i));
		assert_int_equal(t[i].g.loss, -1);
		tiny_batch(&t[i], false);
		t[i].b.labels = NULL;
		assert_ok(
		    tiny_engine(&t[i], 1 + (int)i, false, provider(), 0, &err));
		assert_ok(bt_engine_forward(t[i].e, &t[i].b, &err));
		x[i] = bt_engine_logits(t[i].e);
	}
	for (k = 0; k < TINY_TEXTS * h; k++) {
		assert_true(x[BT_POOLING_MAX][k] >=
		            x[BT_POOLING_CLS][k] - 1e-5f);
		assert_true(x[BT_POOLING_MAX][k] >=
		            x[BT_POOLING_MEAN][k] - 1e-5f);
		if (k < h) /* the first text is one token */
			assert_true(fabsf(x[BT_POOLING_MEAN][k] -
			                  x[BT_POOLING_CLS][k]) < 1e-5f);
		differ = differ || fabsf(x[BT_POOLING_MEAN][k] -
		                         x[BT_POOLING_CLS][k]) > 0.1f;
	}
	assert_true(differ);
	for (i = 0; i < 3; i++)
		tiny_close(&t[i]);
}

static double squared(double x, double y, double p)
{
	(void)p;
	return (x - y) * (x - y);
}

static double entropy(double x, double y, double weight)
{
	double p = 1 / (1 + exp(-x));

	return -(weight * y * log(p) + (1 - y) * log(1 - p));
}

/* A model with targets of its own for each of k answers: its loss is as the
 * formula says, and its gradients. */
static void check_targets(const struct bt_task *task, int k,
                          const float *targets, const float *pos_weight,
                          double (*of)(double, double, double))
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	double loss = 0;
	const float *x;
	struct tiny t;
	size_t i, j, n = (size_t)k;

	memset(&t, 0, sizeof(t));
	bt_graph_init(&t.g, &err);
	assert_ok(bt_task_graph(task, &t.g, &c, k));
	tiny_batch(&t, false);
	t.b.targets = targets;
	t.b.pos_weight = pos_weight;
	assert_ok(tiny_engine(&t, 2, false, provider(), 0, &err));
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	x = bt_engine_logits(t.e);
	for (i = 0; i < TINY_TEXTS; i++)
		for (j = i * n; j < (i + 1) * n; j++)
			loss += 0.3 * (double)tiny_weights[i] / (double)k *
			        of((double)x[j], (double)targets[j],
			           pos_weight != NULL
			               ? (double)pos_weight[j - i * n]
			               : 1);
	assert_true(fabs(bt_engine_loss(t.e) - loss) < 1e-5 * loss);
	check_slopes_at(&t, 0.01f, 2e-2);
	tiny_close(&t);
}

TEST(squares)
{
	static const float targets[3 * TINY_TEXTS] = {
	    2.5f, -1, 0, 4, 0.25f, 1, -2, 3, 0.5f, 1.5f, -0.5f, 2, 0, 1, -3};

	check_targets(&bt_task_regression, 1, targets, NULL, squared);
	check_targets(&bt_task_regression, 3, targets, NULL, squared);
}

TEST(sets_of_labels)
{
	static const float targets[3 * TINY_TEXTS] = {1, 0, 0, 0, 1, 1, 0, 1,
	                                              1, 1, 0, 0, 0, 0, 1};
	static const float weights[3] = {0.25f, 3, 12};

	check_targets(&bt_task_multi_label, 1, targets, NULL, entropy);
	check_targets(&bt_task_multi_label, 3, targets, NULL, entropy);
	check_targets(&bt_task_multi_label, 3, targets, weights, entropy);
}

/* Sets the logits of all texts; returns where their gradient will be. */
static const float *fix_logits(struct tiny *t, const float *logits, int k)
{
	float *p = bt_engine_params(t->e), *grad = NULL;
	struct bt_error err = {0};
	int i;

	for (i = 0; i < t->g.n_params; i++)
		if (strcmp(t->g.params[i].name, "classifier.weight") == 0) {
			memset(p + t->g.params[i].offset, 0,
			       bt_param_size(&t->g.params[i]) * sizeof(*p));
		} else if (strcmp(t->g.params[i].name, "classifier.bias") ==
		           0) {
			memcpy(p + t->g.params[i].offset, logits,
			       (size_t)k * sizeof(*p));
			grad = bt_engine_grads(t->e) + t->g.params[i].offset;
		}
	assert_non_null(grad);
	assert_ok(bt_engine_pack(t->e, &err));
	return grad;
}

/* Loss and gradients of weighted positives, as torch.nn.BCEWithLogitsLoss with
 * pos_weight gives them for these logits. */
TEST(weights_of_positives)
{
	static const float targets[3 * TINY_TEXTS] = {1, 0, 0, 0, 1, 1, 0, 1,
	                                              1, 1, 0, 0, 0, 0, 1};
	static const float weights[3] = {0.25f, 3, 12};
	static const float logits[3] = {-9, 0.75f, 20};
	static const double slopes[3] = {-0.049944472440806, -0.002903430907068,
	                                 0.199999989694232};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	const float *grad;
	struct tiny t;
	int i;

	memset(&t, 0, sizeof(t));
	bt_graph_init(&t.g, &err);
	assert_ok(bt_task_graph(&bt_task_multi_label, &t.g, &c, 3));
	tiny_batch(&t, false);
	t.b.targets = targets;
	t.b.pos_weight = weights;
	assert_ok(tiny_engine(&t, 1, false, provider(), 0, &err));
	grad = fix_logits(&t, logits, 3);
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_true(fabs(bt_engine_loss(t.e) - 5.138113648017534) < 1e-5);
	assert_ok(bt_engine_backward(t.e, false, &err));
	for (i = 0; i < 3; i++)
		assert_true(fabs((double)grad[i] - slopes[i]) < 1e-6);
	tiny_close(&t);
}

/* Loss and gradients of weighted and smoothed classes, of which one that texts
 * have weighs nothing, as torch.nn.CrossEntropyLoss with weight and
 * label_smoothing gives them for these logits in f64; and gradients are slopes,
 * with a teacher and for two passes of a text, too. */
TEST(weights_of_classes)
{
	static const float weights[TINY_CLASSES] = {0.5f, 0, 2, 1, 3};
	static const float logits[TINY_CLASSES] = {1.5f, -0.5f, 4, 0, 2};
	static const float rows[TINY_CLASSES] = {0.5f, 0.2f, 0.1f, 0.15f,
	                                         0.05f};
	static const uint32_t row[TINY_TEXTS] = {0};
	static const double slopes[TINY_CLASSES] = {
	    0.085438422232768, 0.023134000269863, 2.010456335864667,
	    -0.672858509350151, -1.446170249017148};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	const float *grad;
	struct tiny t;
	int i;

	assert_ok(tiny_open(&t, &c, 1, false, provider(), false, &err));
	t.b.class_weight = weights;
	check_slopes(&t);
	t.b.r_drop = 3;
	check_slopes(&t);
	t.b.r_drop = 0;
	t.b.teacher = rows;
	t.b.teacher_row = row;
	t.b.teacher_weight = 0.7f;
	t.b.temperature = 2.5f;
	check_slopes_at(&t, 0.01f, 2e-2);
	t.b.teacher = NULL;
	grad = fix_logits(&t, logits, TINY_CLASSES);
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_true(fabs(bt_engine_loss(t.e) / 7.086580485621321 - 1) < 1e-6);
	assert_ok(bt_engine_backward(t.e, false, &err));
	for (i = 0; i < TINY_CLASSES; i++)
		assert_true(fabs((double)grad[i] - slopes[i]) < 1e-6);
	tiny_close(&t);
}

/* A teacher beside the labels or targets that t.b has: gradients are slopes,
 * and where all texts have the same logits, loss and the slopes of the bias are
 * those of PyTorch's kl_div, cross_entropy, mse_loss and so on, in f64. */
static void check_teacher(struct tiny *t, const float *rows, float temperature,
                          const float *logits, int k, double loss,
                          const double *slopes)
{
	static const uint32_t row[TINY_TEXTS] = {2, 0, 1, 1, 0};
	struct bt_error err = {0};
	const float *grad;
	int i;

	t->b.teacher = rows;
	t->b.teacher_row = row;
	t->b.teacher_weight = 0.7f;
	t->b.temperature = temperature;
	check_slopes_at(t, 0.01f, 2e-2);
	grad = fix_logits(t, logits, k);
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_true(fabs(bt_engine_loss(t->e) - loss) < 1e-6 * loss);
	assert_ok(bt_engine_backward(t->e, false, &err));
	for (i = 0; i < k; i++)
		assert_true(fabs((double)grad[i] - slopes[i]) <
		            1e-6 * (1 + fabs(slopes[i])));
	tiny_close(t);
}

TEST(teacher_of_classes)
{
	static const float rows[3 * TINY_CLASSES] = {
	    0.5f,  0.2f, 0.1f,  0.15f, 0.05f, 0,     0.25f, 0.5f,
	    0.25f, 0,    0.05f, 0.85f, 0.02f, 0.03f, 0.05f};
	static const float logits[TINY_CLASSES] = {1.5f, -0.5f, 4, 0, 2};
	static const double slopes[TINY_CLASSES] = {
	    -0.036502285642333, -0.898621023887053, 0.961334276864630,
	    -0.481224578264993, 0.455013610929749};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;

	assert_ok(tiny_open(&t, &c, 1, false, provider(), false, &err));
	check_teacher(&t, rows, 2.5f, logits, TINY_CLASSES, 8.132501936159843,
	              slopes);
}

/* Of three labels or numbers for each text. */
static void open_targets(struct tiny *t, const struct bt_task *task,
                         const float *targets)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};

	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, &err);
	assert_ok(bt_task_graph(task, &t->g, &c, 3));
	tiny_batch(t, false);
	t->b.targets = targets;
	assert_ok(tiny_engine(t, 1, false, provider(), 0, &err));
}

TEST(teacher_of_labels)
{
	static const float targets[3 * TINY_TEXTS] = {1, 0, 0, 0, 1, 1, 0, 1,
	                                              1, 1, 0, 0, 0, 0, 1};
	static const float weights[3] = {0.25f, 3, 12};
	static const float rows[9] = {0.5f,   0.9f, 0,    1,    0.25f,
	                              0.125f, 0.3f, 0.6f, 0.75f};
	static const float logits[3] = {-9, 0.75f, 20};
	static const double slopes[3] = {-0.739556518206007, 0.051043618662025,
	                                 0.912772903403165};
	struct tiny t;

	open_targets(&t, &bt_task_multi_label, targets);
	t.b.pos_weight = weights;
	check_teacher(&t, rows, 2.5f, logits, 3, 24.346078077299396, slopes);
}

TEST(teacher_of_numbers)
{
	static const float targets[3 * TINY_TEXTS] = {
	    2.5f, -1, 0, 4, 0.25f, 1, -2, 3, 0.5f, 1.5f, -0.5f, 2, 0, 1, -3};
	static const float rows[9] = {0.5f, -3, 2, 1, 0.25f, -8, 0, 6, 0.75f};
	static const float logits[3] = {-9, 0.75f, 20};
	static const double slopes[3] = {-11.480000451405843, 0.427500004172325,
	                                 26.755001019636790};
	struct tiny t;

	open_targets(&t, &bt_task_regression, targets);
	check_teacher(&t, rows, 1, logits, 3, 369.794076039716572, slopes);
}

/* Rows of logits that are a table's, two of each text but the last: loss and
 * gradients as PyTorch gives them in f64 for cross_entropy and both kl_div. */
TEST(rows_drawn_together)
{
	static const float logits[5 * 5] = {
	    1.5f, -0.5f, 4, 0,  2,  0.25f, 1, 3,    -2,    2.5f, -30, 20, 4,
	    0,    -2,    3, 18, -5, 1,     0, 0.5f, 0.25f, -1,   2,   1};
	static const double slopes[5 * 5] = {
	    0.0368078987941122,   -0.0422159951677279,   0.162139554740375,
	    0.015797728787711,    -0.172529187154471,    -0.0272047458719646,
	    0.110304525123274,    -0.367691864159986,    -0.00813675183574748,
	    0.292728836744424,    -7.64755523928e-08,    -1.4035167709248e-07,
	    2.32078094548782e-07, -1.12515955521385e-08, -3.99926951923062e-09,
	    2.77223794134546e-06, -2.80734762041303e-06, -2.82813051935544e-08,
	    4.3471421244671e-08,  1.99195630044792e-08,  0.030741454553061,
	    0.0239414688786779,   0.00685934567762018,   0.137773640876748,
	    -0.199315909986107};
	static const float weights[5] = {1, 1, 0.5f, 0.5f, 2};
	static const int32_t ids[5] = {0, 1, 2, 3, 4},
	                     labels[5] = {2, 2, 1, 1, 4};
	static const uint32_t start[6] = {0, 1, 2, 3, 4, 5};
	static const uint8_t types[5] = {0};
	struct bt_embed_args a = {
	    .position = -1, .type = -1, .gamma = -1, .beta = -1, .pad = -1};
	struct bt_param_spec s = {5, 5, BT_INIT_NORMAL, true, true, false};
	struct bt_error err = {0};
	struct tiny t;
	int i;

	memset(&t, 0, sizeof(t));
	bt_graph_init(&t.g, &err);
	a.word = bt_graph_param(&t.g, &s, "word");
	t.g.logits = bt_op_first(&t.g, bt_op_embed(&t.g, &a));
	t.g.loss = bt_op_softmax_loss(&t.g, t.g.logits);
	assert_ok(bt_graph_done(&t.g));
	tiny_batch(&t, false);
	t.b = (struct bt_batch){.sequences = 5,
	                        .tokens = 5,
	                        .start = start,
	                        .ids = ids,
	                        .types = types,
	                        .labels = labels,
	                        .weights = weights,
	                        .loss_scale = 0.125f,
	                        .r_drop = 4};
	assert_ok(tiny_engine(&t, 2, false, provider(), 0, &err));
	memcpy(bt_engine_params(t.e) + t.g.params[0].offset, logits,
	       sizeof(logits));
	assert_ok(bt_engine_pack(t.e, &err));
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_true(fabs(bt_engine_loss(t.e) / 0.7619524891293804 - 1) < 1e-6);
	assert_ok(bt_engine_backward(t.e, false, &err));
	for (i = 0; i < 25; i++)
		assert_true(fabs((double)bt_engine_grads(
		                     t.e)[t.g.params[0].offset + (size_t)i] -
		                 slopes[i]) < 1e-7);
	tiny_close(&t);
}

/* And through a whole model, of texts that are taken for pairs. */
TEST(gradients_of_rows_drawn_together)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;

	assert_ok(tiny_open(&t, &c, 1, false, provider(), false, &err));
	t.b.r_drop = 3;
	check_slopes(&t);
	tiny_close(&t);
}

/* Dropout is a function of seed and step, so it does not disturb differences.
 */
TEST(gradients_with_dropout)
{
	static const enum bt_activation acts[] = {BT_ACT_GELU_TANH, BT_ACT_TANH,
	                                          BT_ACT_GELU};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;
	size_t i;

	c.hidden_dropout = c.attention_dropout = 0.2f;
	c.classifier_dropout = 0.3f;
	for (i = 0; i < 3; i++) {
		c.act = acts[i];
		assert_ok(tiny_open(&t, &c, 2, false, provider(), true, &err));
		check_slopes(&t);
		tiny_close(&t);
	}
}

/* Forward and backward of a's batch by both. */
static void same_pass(struct tiny *a, struct tiny *b, bool add)
{
	struct bt_error err = {0};
	const float *x, *y;
	size_t i;

	b->b = a->b;
	assert_ok(bt_engine_forward(a->e, &a->b, &err));
	assert_ok(bt_engine_forward(b->e, &b->b, &err));
	assert_ok(bt_engine_backward(a->e, add, &err));
	assert_ok(bt_engine_backward(b->e, add, &err));
	assert_true(bt_engine_loss(a->e) == bt_engine_loss(b->e));
	x = bt_engine_logits(a->e);
	y = bt_engine_logits(b->e);
	for (i = 0; i < a->b.sequences * TINY_CLASSES; i++)
		assert_true(x[i] == y[i]);
}

/* Less by a share that grows with the layers. */
static void check_memory(const struct tiny *a, const struct tiny *b, int layers)
{
	size_t all = bt_engine_memory(a->e).activations;
	size_t few = bt_engine_memory(b->e).activations;

	if (!(few <= all && (layers < 3 || few < all * 8 / 10) &&
	      (layers < 6 || few < all / 2)))
		fail_msg("%d layers: %zu bytes instead of %zu", layers, few,
		         all);
}

/* The same bits at any number of threads. */
TEST(threads_do_not_matter)
{
	static const int threads[] = {2, 3, 8};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny a, b;
	size_t bytes;
	int low, i;

	c.hidden_dropout = c.attention_dropout = c.classifier_dropout = 0.1f;
	for (low = 0; low < 2; low++) {
		assert_ok(tiny_open(&a, &c, 1, low, provider(), true, &err));
		bytes = a.g.n_floats * sizeof(float);
		assert_ok(bt_engine_forward(a.e, &a.b, &err));
		assert_ok(bt_engine_backward(a.e, false, &err));
		for (i = 0; i < 3; i++) {
			assert_ok(tiny_open(&b, &c, threads[i], low, provider(),
			                    true, &err));
			assert_ok(bt_engine_forward(b.e, &b.b, &err));
			assert_ok(bt_engine_backward(b.e, false, &err));
			assert_true(bt_engine_loss(a.e) == bt_engine_loss(b.e));
			assert_memory_equal(bt_engine_grads(a.e),
			                    bt_engine_grads(b.e), bytes);
			tiny_close(&b);
		}
		tiny_close(&a);
	}
}

/* A text alone and in a batch: the same logits. */
TEST(company_does_not_matter)
{
	uint32_t start[2] = {0, 0};
	float all[TINY_TEXTS * TINY_CLASSES];
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	const float *one;
	struct bt_batch b;
	struct tiny t;
	int i, k;

	assert_ok(tiny_open(&t, &c, 2, false, provider(), false, &err));
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	memcpy(all, bt_engine_logits(t.e), sizeof(all));
	for (i = 0; i < TINY_TEXTS; i++) {
		b = t.b;
		b.sequences = 1;
		start[1] = tiny_start[i + 1] - tiny_start[i];
		b.tokens = start[1];
		b.start = start;
		b.ids = t.ids + tiny_start[i];
		b.types = t.types + tiny_start[i];
		b.labels = NULL;
		assert_ok(bt_engine_forward(t.e, &b, &err));
		one = bt_engine_logits(t.e);
		for (k = 0; k < TINY_CLASSES; k++)
			assert_true(fabsf(one[k] - all[i * TINY_CLASSES + k]) <
			            1e-5f);
	}
	tiny_close(&t);
}

/* Gradients of a batch = gradients of its two halves, added. Without dropout
 * only: attention's bits are named by the place in the update. */
TEST(halves_add_up)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	uint32_t tail[3] = {0, 20, 30};
	struct bt_batch b;
	struct tiny t;
	float *whole, *g;
	double loss;
	size_t i, n;
	int dropout;

	for (dropout = 0; dropout < 2; dropout++) {
		c.hidden_dropout = c.attention_dropout = dropout ? 0.1f : 0.0f;
		assert_ok(
		    tiny_open(&t, &c, 2, false, provider(), dropout, &err));
		n = t.g.n_floats;
		whole = malloc(n * sizeof(*whole));
		assert_ok(bt_engine_forward(t.e, &t.b, &err));
		loss = bt_engine_loss(t.e);
		assert_ok(bt_engine_backward(t.e, false, &err));
		g = bt_engine_grads(t.e);
		memcpy(whole, g, n * sizeof(*whole));
		b = t.b;
		b.sequences = 3;
		b.tokens = 11;
		assert_ok(bt_engine_forward(t.e, &b, &err));
		loss -= bt_engine_loss(t.e);
		assert_ok(bt_engine_backward(t.e, false, &err));
		b.sequences = 2;
		b.tokens = 30;
		b.start = tail;
		b.ids += 11;
		b.types += 11;
		b.labels += 3;
		b.weights += 3;
		b.token0 += 11;
		b.sequence0 += 3;
		assert_ok(bt_engine_forward(t.e, &b, &err));
		loss -= bt_engine_loss(t.e);
		assert_ok(bt_engine_backward(t.e, true, &err));
		assert_true(fabs(loss) < 1e-6);
		for (i = 0; i < n; i++)
			assert_true(fabsf(whole[i] - g[i]) < 1e-6f);
		free(whole);
		tiny_close(&t);
	}
}

/* The word table's gradient by tokens: of a text of different words it is the
 * sum's, with the text twice half of it; and batches add up. */
TEST(rows_apart)
{
	static const uint32_t start[3] = {0, 7, 14};
	static const int32_t labels[2] = {2, 2};
	struct bt_error err = {0};
	struct tiny t;
	double one, twice, square = 0;
	size_t i, n;
	float *g;

	open_pooled(&t, BT_POOLING_MEAN, 2, false, TINY_APART);
	for (i = 0; i < 14; i++) {
		t.ids[i] = 3 + (int32_t)(i % 7);
		t.types[i] = 0;
	}
	t.b.start = start;
	t.b.labels = labels;
	t.b.weights = NULL;
	t.b.sequences = 1;
	t.b.tokens = 7;
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_ok(bt_engine_backward(t.e, false, &err));
	one = bt_engine_sparse_excess(t.e);
	g = bt_engine_grads(t.e) + t.g.params[t.g.nodes[0].u.embed.word].offset;
	n = (size_t)(t.g.params[t.g.nodes[0].u.embed.word].rows *
	             t.g.nodes[0].cols);
	for (i = 0; i < n; i++)
		square += (double)g[i] * (double)g[i];
	assert_true(square > 0 && fabs(one) < 1e-6 * square);
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_ok(bt_engine_backward(t.e, true, &err));
	assert_true(fabs(bt_engine_sparse_excess(t.e) + 2 * square) <
	            1e-5 * square);
	t.b.sequences = 2;
	t.b.tokens = 14;
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_ok(bt_engine_backward(t.e, false, &err));
	twice = bt_engine_sparse_excess(t.e);
	assert_true(fabs(twice + 2 * square) < 1e-5 * square);
	tiny_close(&t);
}

/* bf16 products stay near f32 ones, and providers near each other. */
TEST(low_is_near)
{
	const char *const gemm[] = {"ref", provider(), "ref", provider()};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	float *want = NULL, *g;
	double norm, diff, bound;
	struct tiny t;
	size_t k, n;
	int i;

	for (i = 0; i < 4; i++) {
		assert_ok(tiny_open(&t, &c, 2, i >= 2, gemm[i], false, &err));
		n = t.g.n_floats;
		assert_ok(bt_engine_forward(t.e, &t.b, &err));
		assert_ok(bt_engine_backward(t.e, false, &err));
		g = bt_engine_grads(t.e);
		if (want == NULL) {
			want = malloc(n * sizeof(*want));
			memcpy(want, g, n * sizeof(*want));
		}
		norm = diff = 0;
		for (k = 0; k < n; k++) {
			norm += (double)want[k] * (double)want[k];
			diff += ((double)g[k] - (double)want[k]) *
			        ((double)g[k] - (double)want[k]);
		}
		/* bf16 has 8 bits: each product's inputs err by up to 2^-9 */
		bound = i >= 2 ? 2e-2 : 1e-5;
		if (!(sqrt(diff / norm) < bound))
			fail_msg("case %d: gradients differ by %g", i,
			         sqrt(diff / norm));
		tiny_close(&t);
	}
	free(want);
}

/* Activations that are computed again: the same bits in less memory, whatever
 * the number of layers and so the cuts, and with batches of changing sizes. */
TEST(recomputing_does_not_matter)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny a, b;
	size_t bytes;
	int low, pass;

	c.hidden_dropout = c.attention_dropout = c.classifier_dropout = 0.1f;
	for (c.layers = 1; c.layers<12; c.layers += c.layers> 3 ? 3 : 1)
		for (low = 0; low < 2; low++) {
			assert_ok(tiny_open(&a, &c, 2, low, NULL, true, &err));
			assert_ok(tiny_open(&b, &c, 2, low, NULL, true, &err));
			bt_engine_free(b.e);
			bt_pool_free(b.pool);
			assert_ok(tiny_engine(&b, 2, low, NULL, TINY_RECOMPUTE,
			                      &err));
			bytes = a.g.n_floats * sizeof(float);
			for (pass = 0; pass < 4; pass++) {
				a.b.sequences = pass == 1 ? 3 : TINY_TEXTS;
				a.b.tokens = tiny_start[a.b.sequences];
				a.b.step = (uint32_t)pass;
				same_pass(&a, &b, pass == 2);
				assert_memory_equal(bt_engine_grads(a.e),
				                    bt_engine_grads(b.e),
				                    bytes);
			}
			check_memory(&a, &b, c.layers);
			tiny_close(&a);
			tiny_close(&b);
		}
}

/* Sets a parameter to a value. */
static void spoil(struct tiny *t, const char *name, float value)
{
	const struct bt_param *p = &t->g.params[bt_graph_find(&t->g, name)];
	float *x = bt_engine_params(t->e) + p->offset;
	struct bt_error err = {0};
	size_t i;

	for (i = 0; i < bt_param_size(p); i++)
		x[i] = value;
	assert_ok(bt_engine_pack(t->e, &err));
}

/* The first operator that makes a value that is not finite is named. */
TEST(anomalies_are_named)
{
	static const struct {
		const char *param;
		float value;
		const char *error;
		long text;
	} cases[] = {
	    {"bert.embeddings.LayerNorm.bias", 1e38f,
	     "linear 'bert.encoder.layer.0.attention.self.query.weight' "
	     "computes a",
	     0},
	    {"bert.encoder.layer.1.intermediate.dense.bias", NAN,
	     "linear 'bert.encoder.layer.1.intermediate.dense.weight' computes "
	     "a NaN, running forward: sequence 0 of the batch, token 0, column 0",
	     0},
	    {"bert.encoder.layer.0.output.LayerNorm.weight", INFINITY,
	     "residual_norm 'bert.encoder.layer.0.output.LayerNorm.weight' "
	     "computes an infinity, running forward: sequence 0 of the batch",
	     0},
	    {"classifier.weight", NAN,
	     "linear 'classifier.weight' computes a NaN, running forward: sequence "
	     "0 of the batch, column 0",
	     0},
	};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;
	size_t i;
	int low;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (low = 0; low < 2; low++) {
			assert_ok(tiny_open(&t, &c, 2, low, NULL, true, &err));
			bt_engine_free(t.e);
			bt_pool_free(t.pool);
			assert_ok(
			    tiny_engine(&t, 2, low, NULL, TINY_DETECT, &err));
			assert_ok(bt_engine_forward(t.e, &t.b, &err));
			assert_ok(bt_engine_backward(t.e, false, &err));
			spoil(&t, cases[i].param, cases[i].value);
			assert_err(bt_engine_forward(t.e, &t.b, &err),
			           BT_ELIMIT, cases[i].error);
			assert_int_equal(bt_engine_bad_sequence(t.e),
			                 cases[i].text);
			tiny_close(&t);
		}
}

/* A word that only one text has; then gradients that overflow. */
TEST(anomalies_are_placed)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;
	float *x;
	size_t i;

	assert_ok(tiny_open(&t, &c, 2, false, NULL, false, &err));
	bt_engine_free(t.e);
	bt_pool_free(t.pool);
	assert_ok(tiny_engine(&t, 2, false, NULL, TINY_DETECT, &err));
	t.b.weights = NULL;
	t.b.loss_scale = 3e38f;
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	assert_err(bt_engine_backward(t.e, false, &err), BT_ELIMIT,
	           ", running backward: ");
	t.b.loss_scale = 1;
	for (i = 0; i < TINY_TOKENS; i++)
		t.ids[i] = i == 15 ? 49 : t.ids[i] % 49;
	x = bt_engine_params(t.e) + 49 * (size_t)c.hidden_size;
	x[3] = INFINITY;
	assert_err(
	    bt_engine_forward(t.e, &t.b, &err), BT_ELIMIT,
	    "embed 'bert.embeddings.word_embeddings.weight' computes a "
	    "NaN, running forward: sequence 3 of the batch, token 4, column "
	    "0");
	assert_int_equal(bt_engine_bad_sequence(t.e), 3);
	tiny_close(&t);
}

/* bf16 is chosen unasked only where it is faster. */
TEST(few_prefer_bf16)
{
	assert_false(bt_engine_prefers_bf16("openblas"));
	assert_false(bt_engine_prefers_bf16("ref"));
}

/* On x86-64 oneDNN needs AVX2. Without a name another provider steps in. */
TEST(onednn_needs_avx2)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;
	enum bt_isa isa;
	bool has = true;
	int low, r;

	assert_ok(bt_isa(&isa, &err));
	for (low = 0; low < 2; low++) {
		assert_ok(tiny_open(&t, &c, 1, low, NULL, false, &err));
		tiny_close(&t);
#if defined(__x86_64__)
		has = isa >= BT_ISA_AVX2;
#endif
		r = tiny_open(&t, &c, 1, low, "onednn", false, &err);
		tiny_close(&t);
		if (r != BT_OK && strstr(err.text, "not built in") != NULL) {
			print_message("SKIP: %s\n", err.text);
			skip();
		}
		if (has)
			assert_ok(r);
		else
			assert_err(r, BT_EARG, "oneDNN has no products");
	}
}

TEST(bad_batches)
{
	uint32_t empty[2] = {0, 0}, longer[2] = {0, 33};
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t;

	assert_ok(tiny_open(&t, &c, 1, false, "ref", false, &err));
	t.b.sequences = 1;
	t.b.start = empty;
	assert_err(bt_engine_forward(t.e, &t.b, &err), BT_EARG, "0 tokens");
	t.b.start = longer;
	assert_err(bt_engine_forward(t.e, &t.b, &err), BT_EARG, "33 tokens");
	t.b.tokens = 100;
	assert_err(bt_engine_forward(t.e, &t.b, &err), BT_EARG, "exceeds");
	tiny_close(&t);
	assert_err(tiny_open(&t, &c, 1, false, "cublas", false, &err), BT_EARG,
	           "cublas");
	tiny_close(&t);
}

int main(void)
{
	struct bt_config c = tiny_config();
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

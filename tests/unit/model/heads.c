/* SPDX-License-Identifier: MIT */
/* Heads described as layers: how they are read, what they compute and their
 * gradients, and the cross entropy of outputs that are no logits. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "finetune/weights.h"
#include "slopes.h"
#include "task/task.h"

#define LENGTH 8
#define EVEN 5 /* texts of it */

static const uint32_t even[EVEN + 1] = {0, 8, 16, 24, 32, 40};

static const char *const heads[] = {
    "mean, dense",
    "max, dense",
    "first, dense 9 tanh, dense",
    "pooler, dropout 0.2, dense softmax",
    "dropout 0.1, dense 7 gelu, mean, dense 5",
    "dense 6, first, dense softplus",
    "flatten 8, dense softplus",
    "flatten 8, dropout 0.25, dense 33 softplus, dropout 0.3, dense",
    "dense 6 gelu, flatten 8, dense 17 softplus, dense 5 softplus",
};

#define HEADS (sizeof(heads) / sizeof(heads[0]))

static struct bt_head head_of(const char *spec)
{
	struct bt_error err = {0};
	struct bt_head h;

	assert_ok(bt_head_parse(spec, &h, &err));
	return h;
}

TEST(written_as_read)
{
	static const char loose[] = " flatten,dense 512 relu ,dropout .3,"
	                            "dense  440 relu,dropout .3,dense 4 "
	                            "softplus";
	struct bt_buf b = BT_BUF_INIT;
	struct bt_head h, k;
	size_t i;

	for (i = 0; i < HEADS; i++) {
		h = head_of(heads[i]);
		bt_buf_reset(&b);
		bt_head_print(&h, &b);
		assert_string_equal(bt_buf_str(&b), heads[i]);
	}
	h = head_of(loose);
	assert_int_equal(bt_head_length(&h), -1);
	bt_head_fix(&h, 140);
	assert_int_equal(bt_head_length(&h), 140);
	bt_buf_reset(&b);
	bt_head_print(&h, &b);
	assert_string_equal(bt_buf_str(&b),
	                    "flatten 140, dense 512 relu, dropout 0.3, dense "
	                    "440 relu, dropout 0.3, dense 4 softplus");
	k = head_of(loose);
	assert_true(bt_head_equal(&h, &k));
	k.layer[1].units++;
	assert_false(bt_head_equal(&h, &k));
	k = head_of("flatten,dense 512 relu,dropout .3,dense 440 relu,dropout "
	            ".3,dense 4");
	assert_false(bt_head_equal(&h, &k));
	bt_buf_clear(&b);
}

TEST(wrong_layers_are_named)
{
	static const struct {
		const char *spec, *says;
	} bad[] = {
	    {"", "layer 1 of the head, '': it is empty"},
	    {"mean,,dense", "layer 2 of the head, '': it is empty"},
	    {"mean,dense 4,", "layer 3 of the head, '': it is empty"},
	    {"mean,densse 4", "layer 2 of the head, 'densse 4': no such layer"},
	    {"mean 3,dense", "layer 1 of the head, 'mean 3': takes no value"},
	    {"mean", "layer 1 of the head, 'mean': the last layer must be"},
	    {"mean,dropout .1", "'dropout .1': the last layer must be dense"},
	    {"mean,dropout,dense", "'dropout': expected a probability"},
	    {"mean,dropout 1,dense", "'dropout 1': expected a probability"},
	    {"mean,dropout nan,dense", "'dropout nan': expected a probab"},
	    {"mean,dense relu,dense",
	     "'dense relu': needs a number of outputs"},
	    {"mean,dense 8 softmax,dense", "only the last layer may be a soft"},
	    {"mean,dense 0 relu,dense", "whole number from 1 to 1048576"},
	    {"mean,dense 1048577,dense", "whole number from 1 to 1048576"},
	    {"mean,dense -1", "whole number from 1 to 1048576"},
	    {"mean,dense 4 swish", "'dense 4 swish': expected a number of out"},
	    {"mean,dense relu 4", "'dense relu 4': expected a number of out"},
	    {"mean,dense 4 relu 4", "more than a layer's words"},
	    {"mean,dense 4 tanh", "outputs can be negative"},
	    {"mean,dense gelu", "outputs can be negative"},
	    {"dense 4", "no layer before it makes one row of the tokens"},
	    {"mean,first,dense", "'first': a layer before it has made one row"},
	    {"dense 4 relu,pooler,dense", "must be the first layer"},
	    {"flatten 0,dense", "whole number from 1 to"},
	    {"flatten 8 9,dense", "no more than a number of tokens"},
	    {"mean,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,dense",
	     "more than a layer's words"},
	};
	char many[400] = "mean";
	struct bt_error err = {0};
	struct bt_head h;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_err(bt_head_parse(bad[i].spec, &h, &err), BT_EARG,
		           bad[i].says);
	for (i = 1; i < BT_HEAD_LAYERS; i++)
		strcat(many, ",dense 4");
	assert_ok(bt_head_parse(many, &h, &err));
	strcat(many, ",dense 4");
	assert_err(bt_head_parse(many, &h, &err), BT_EARG,
	           "layer 33 of the head, 'dense 4': there are more than 32");
}

TEST(classes_must_fit)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct bt_graph g;

	c.head = head_of("mean, dense 4 softplus");
	bt_graph_init(&g, &err);
	assert_err(bt_task_graph(&bt_task_classification, &g, &c, 3), BT_EARG,
	           "layer 2 of the head, 'dense 4 softplus', has 4 outputs, "
	           "and 3 are wanted");
	bt_graph_clear(&g);
}

static void open_head(struct tiny *t, const char *spec, int threads, bool low,
                      int flags)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};

	c.hidden_dropout = c.attention_dropout = 0.1f;
	c.head = head_of(spec);
	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, &err);
	assert_ok(
	    bt_task_graph(&bt_task_classification, &t->g, &c, TINY_CLASSES));
	tiny_batch(t, true);
	if (bt_head_length(&c.head) > 0) {
		t->b.start = even;
		t->b.tokens = even[EVEN];
	}
	assert_ok(tiny_engine(t, threads, low, NULL, flags, &err));
}

TEST(gradients_are_slopes)
{
	struct tiny t;
	size_t i;

	for (i = 0; i < HEADS; i++) {
		/* a step may make another value the largest: unit/cpu/engine.c
		 * has one that does not */
		if (strncmp(heads[i], "max", 3) == 0)
			continue;
		open_head(&t, heads[i], 2, false, 0);
		check_slopes(&t);
		tiny_close(&t);
	}
}

static void pass(struct tiny *t)
{
	struct bt_error err = {0};

	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_ok(bt_engine_backward(t->e, false, &err));
}

/* The same bits with any number of threads, and when activations are computed
 * again or looked at. */
TEST(how_does_not_matter)
{
	struct tiny a, b;
	size_t i;
	int k;

	for (i = 0; i < HEADS; i++)
		for (k = 0; k < 4; k++) {
			open_head(&a, heads[i], 1, k % 2, 0);
			open_head(&b, heads[i], 3, k % 2,
			          k < 2 ? TINY_RECOMPUTE : TINY_DETECT);
			pass(&a);
			pass(&b);
			assert_true(bt_engine_loss(a.e) == bt_engine_loss(b.e));
			assert_memory_equal(bt_engine_grads(a.e),
			                    bt_engine_grads(b.e),
			                    a.g.n_floats * sizeof(float));
			tiny_close(&a);
			tiny_close(&b);
		}
}

TEST(low_is_near)
{
	double norm, diff;
	struct tiny a, b;
	const float *x, *y;
	size_t i, k;

	for (i = 0; i < HEADS; i++) {
		open_head(&a, heads[i], 2, false, 0);
		open_head(&b, heads[i], 2, true, 0);
		pass(&a);
		pass(&b);
		x = bt_engine_grads(a.e);
		y = bt_engine_grads(b.e);
		norm = diff = 0;
		for (k = 0; k < a.g.n_floats; k++) {
			norm += (double)x[k] * (double)x[k];
			diff += ((double)x[k] - (double)y[k]) *
			        ((double)x[k] - (double)y[k]);
		}
		/* a rounding may choose another token as the largest */
		if (!(sqrt(diff / norm) < 4e-2 ||
		      strncmp(heads[i], "max", 3) == 0))
			fail_msg("%s: gradients differ by %g", heads[i],
			         sqrt(diff / norm));
		tiny_close(&a);
		tiny_close(&b);
	}
}

TEST(texts_have_the_length)
{
	static const uint32_t odd[] = {0, 8, 15};
	struct bt_error err = {0};
	struct tiny t;

	open_head(&t, "flatten 8, dense", 1, false, 0);
	t.b.sequences = 2;
	t.b.tokens = 15;
	t.b.start = odd;
	assert_err(bt_engine_forward(t.e, &t.b, &err), BT_EARG,
	           "sequence 1 of the batch has 7 tokens (it must have 8)");
	tiny_close(&t);
}

/* What a text's tokens give, one behind the other. */
TEST(flatten_is_a_shape)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct tiny t, e = {0};
	const float *x, *w;
	double sum, want;
	int i, k;

	/* a dense layer over 8 tokens against the sum over them */
	open_head(&t, "flatten 8, dense", 1, false, 0);
	t.b.train = false;
	assert_ok(bt_engine_forward(t.e, &t.b, &err));
	want = (double)bt_engine_logits(t.e)[TINY_CLASSES + 2];
	w = bt_engine_params(t.e) +
	    t.g.params[bt_graph_find(&t.g, "head.0.weight")].offset;
	x = bt_engine_params(t.e) +
	    t.g.params[bt_graph_find(&t.g, "head.0.bias")].offset;
	sum = (double)x[2];
	/* the encoder alone, token by token */
	bt_graph_init(&e.g, &err);
	assert_ok(bt_family_embedding(&e.g, &c, BT_POOLING_MEAN));
	e.g.nodes[e.g.logits].op = BT_OP_FLATTEN;
	e.g.nodes[e.g.logits].cols = LENGTH * c.hidden_size;
	e.g.nodes[e.g.logits].u.flatten.length = LENGTH;
	tiny_batch(&e, false);
	e.b.start = even;
	e.b.tokens = even[EVEN];
	e.b.labels = NULL;
	assert_ok(tiny_engine(&e, 2, false, NULL, 0, &err));
	assert_ok(bt_engine_forward(e.e, &e.b, &err));
	x = bt_engine_logits(e.e) + LENGTH * c.hidden_size;
	for (i = 0; i < LENGTH; i++)
		for (k = 0; k < c.hidden_size; k++)
			sum += (double)x[i * c.hidden_size + k] *
			       (double)w[2 * LENGTH * c.hidden_size +
			                 i * c.hidden_size + k];
	assert_true(fabs(sum - want) < 1e-4);
	tiny_close(&t);
	tiny_close(&e);
}

/* A classifier whose last layer gives these four numbers, whatever the text:
 * its weight is 0 and its bias those. */
static void open_numbers(struct tiny *t, const float z[4])
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	static const int32_t two = 2;
	float *p;
	int i;

	c.head = head_of("mean, dense softplus");
	memset(t, 0, sizeof(*t));
	bt_graph_init(&t->g, &err);
	assert_ok(bt_task_graph(&bt_task_classification, &t->g, &c, 4));
	tiny_batch(t, false);
	t->b.sequences = 1;
	t->b.tokens = tiny_start[1];
	t->b.labels = &two;
	t->b.weights = NULL;
	t->b.loss_scale = 1;
	t->b.smoothing = 0;
	assert_ok(tiny_engine(t, 1, false, NULL, 0, &err));
	p = bt_engine_params(t->e);
	i = bt_graph_find(&t->g, "head.0.weight");
	memset(p + t->g.params[i].offset, 0,
	       bt_param_size(&t->g.params[i]) * sizeof(*p));
	i = bt_graph_find(&t->g, "head.0.bias");
	memcpy(p + t->g.params[i].offset, z, 4 * sizeof(*p));
	assert_ok(bt_engine_pack(t->e, &err));
}

static const float *bias_gradient(struct tiny *t)
{
	int i = bt_graph_find(&t->g, "head.0.bias");

	return bt_engine_grads(t->e) + t->g.params[i].offset;
}

/* What Keras computes for softplus outputs: published with the formula. */
TEST(keras_cross_entropy)
{
	static const float z[4] = {0.3f, -1.2f, 2.0f, 0.1f};
	static const double o[4] = {0.8543552445, 0.2632824673, 2.1269280110,
	                            0.7443966601};
	static const double dz[4] = {0.1440080055, 0.0580289294, -0.1933084449,
	                             0.1316079564};
	static const float weight[4] = {9, 9, 4, 9};
	double sum = o[0] + o[1] + o[2] + o[3];
	struct tiny t;
	int i;

	open_numbers(&t, z);
	pass(&t);
	assert_true(fabs(bt_engine_loss(t.e) - 0.6288524523) < 1e-6);
	for (i = 0; i < 4; i++) {
		assert_true(fabs((double)bt_engine_logits(t.e)[i] -
		                 log(o[i] / sum)) < 1e-6);
		assert_true(fabs((double)bias_gradient(&t)[i] - dz[i]) < 1e-7);
	}
	t.b.class_weight = weight;
	pass(&t);
	assert_true(fabs(bt_engine_loss(t.e) - 4 * 0.6288524523) < 1e-6);
	for (i = 0; i < 4; i++)
		assert_true(fabs((double)bias_gradient(&t)[i] - 4 * dz[i]) <
		            1e-6);
	tiny_close(&t);
}

/* Shares out of [1e-7, 1 - 1e-7] are held there and have no gradient. */
TEST(held_shares)
{
	static const float far[4] = {30, -1, -40, -1},
	                   none[4] = {-200, -200, -200, -200};
	static const float sure[4] = {-90, -90, 30, -90};
	struct tiny t;
	int i;

	open_numbers(&t, far);
	pass(&t);
	assert_true(fabs(bt_engine_loss(t.e) + log(1e-7)) < 1e-5);
	for (i = 0; i < 4; i++)
		assert_true(bias_gradient(&t)[i] == 0);
	tiny_close(&t);
	open_numbers(&t, none); /* all outputs are 0 */
	pass(&t);
	assert_true(fabs(bt_engine_loss(t.e) + log(1e-7)) < 1e-5);
	for (i = 0; i < 4; i++) {
		assert_true(bias_gradient(&t)[i] == 0);
		assert_true(bt_engine_logits(t.e)[i] ==
		            bt_engine_logits(t.e)[0]);
	}
	tiny_close(&t);
	open_numbers(&t, sure);
	pass(&t);
	assert_true(fabs(bt_engine_loss(t.e) - 1e-7) < 1e-7);
	for (i = 0; i < 4; i++)
		assert_true(bias_gradient(&t)[i] == 0);
	tiny_close(&t);
}

/* Fresh dense layers are Glorot's: uniform, bounded, biases 0. */
TEST(fresh_layers)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	const struct bt_param *p;
	double limit = sqrt(6.0 / (LENGTH * 24 + 64)), most = 0, sum = 0;
	struct bt_graph g;
	size_t k, n;
	float *x;
	int i;

	c.head = head_of("flatten 8, dense 64 relu, dense 3");
	bt_graph_init(&g, &err);
	assert_ok(bt_task_graph(&bt_task_classification, &g, &c, 3));
	x = malloc(g.n_floats * sizeof(*x));
	bt_weights_init(&g, 42, -1, x);
	i = bt_graph_find(&g, "head.0.weight");
	p = &g.params[i];
	n = bt_param_size(p);
	assert_int_equal(n, 64 * LENGTH * 24);
	for (k = 0; k < n; k++) {
		most = fmax(most, fabs((double)x[p->offset + k]));
		sum += (double)x[p->offset + k] * (double)x[p->offset + k];
	}
	assert_true(most <= limit && most > 0.999 * limit);
	/* the variance of what is uniform within +-limit */
	assert_true(fabs(sum / (double)n / (limit * limit / 3) - 1) < 0.03);
	p = &g.params[bt_graph_find(&g, "head.1.bias")];
	for (k = 0; k < bt_param_size(p); k++)
		assert_true(x[p->offset + k] == 0);
	free(x);
	bt_graph_clear(&g);
}

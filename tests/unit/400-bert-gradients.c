/* SPDX-License-Identifier: MIT */
/*
 * Loss, logits and the gradient of every parameter against what PyTorch and
 * transformers computed (tests/fixtures/bert-gradients.py). Arguments name
 * other fixtures than the committed ones.
 *
 * In bf16 every input of a product carries a relative error of up to 2^-9, and
 * errors of some dozen products in a row add up: 5 % of a gradient's norm is
 * allowed, and 2 % of the loss.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "ckpt/ckpt.h"
#include "cpu/engine.h"
#include "model/bert.h"

static char **paths;
static int n_paths;

struct fixture {
	struct bt_ckpt *c;
	struct bt_graph g;
	struct bt_pool *pool;
	struct bt_engine *e;
	struct bt_batch b;
	int32_t *ids, *labels;
	uint32_t *start;
	uint8_t *types;
};

static int note_int(const struct bt_ckpt *c, const char *key)
{
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, key) == 0)
			return atoi(bt_ckpt_note(c, i)->value);
	fail_msg("no note '%s'", key);
	return 0;
}

static bool note_is(const struct bt_ckpt *c, const char *key, const char *v)
{
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, key) == 0)
			return strcmp(bt_ckpt_note(c, i)->value, v) == 0;
	return false;
}

static struct bt_config config_of(const struct bt_ckpt *c)
{
	struct bt_config m;

	memset(&m, 0, sizeof(m));
	m.vocab_size = note_int(c, "vocab_size");
	m.hidden_size = note_int(c, "hidden_size");
	m.layers = note_int(c, "num_hidden_layers");
	m.heads = note_int(c, "num_attention_heads");
	m.intermediate_size = note_int(c, "intermediate_size");
	m.max_positions = note_int(c, "max_position_embeddings");
	m.type_vocab_size = note_int(c, "type_vocab_size");
	m.norm_eps = 1e-12f;
	m.init_std = 0.02f;
	m.act = note_is(c, "hidden_act", "gelu_new") ? BT_ACT_GELU_TANH
	                                             : BT_ACT_GELU;
	return m;
}

static const struct bt_tensor *tensor(const struct bt_ckpt *c,
                                      const char *prefix, const char *name)
{
	const struct bt_tensor *t;
	char full[300];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	t = bt_ckpt_find(c, full);
	if (t == NULL)
		fail_msg("no tensor '%s'", full);
	return t;
}

static size_t elements(const struct bt_tensor *t)
{
	size_t n = 1;
	int i;

	for (i = 0; i < t->rank; i++)
		n *= (size_t)t->shape[i];
	return n;
}

static int32_t *ints(const struct bt_ckpt *c, const char *name, size_t *n)
{
	const struct bt_tensor *t = tensor(c, "in.", name);
	int32_t *v;

	*n = elements(t);
	v = malloc((*n + 1) * sizeof(*v));
	memcpy(v, t->data, *n * sizeof(*v));
	return v;
}

static void read_batch(struct fixture *f)
{
	size_t n, texts, i;
	int32_t *types;

	f->ids = ints(f->c, "ids", &n);
	types = ints(f->c, "types", &n);
	f->types = malloc(n);
	for (i = 0; i < n; i++)
		f->types[i] = (uint8_t)types[i];
	free(types);
	f->start = (uint32_t *)ints(f->c, "start", &texts);
	f->labels = ints(f->c, "labels", &texts);
	f->b.texts = texts;
	f->b.tokens = n;
	f->b.ids = f->ids;
	f->b.types = f->types;
	f->b.start = f->start;
	f->b.labels = f->labels;
	f->b.loss_scale = 1.0f / (float)texts;
}

static void load_params(struct fixture *f)
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

static void open_fixture(struct fixture *f, const char *path, bool low)
{
	struct bt_engine_opts o = {.train = true, .low = low};
	struct bt_error err = {0};
	struct bt_config m;

	memset(f, 0, sizeof(*f));
	assert_ok(bt_ckpt_open(path, &f->c, &err));
	m = config_of(f->c);
	bt_graph_init(&f->g, &err);
	assert_ok(bt_bert_classifier(
	    &f->g, &m, (int)tensor(f->c, "out.", "logits")->shape[1]));
	read_batch(f);
	assert_ok(bt_pool_new(2, &f->pool, &err));
	o.pool = f->pool;
	o.max_tokens = f->b.tokens;
	o.max_texts = f->b.texts;
	o.max_length = (size_t)m.max_positions;
	assert_ok(bt_engine_new(&f->g, &o, &f->e, &err));
	load_params(f);
}

static void close_fixture(struct fixture *f)
{
	bt_engine_free(f->e);
	bt_pool_free(f->pool);
	bt_graph_clear(&f->g);
	bt_ckpt_close(f->c);
	free(f->ids);
	free(f->types);
	free(f->start);
	free(f->labels);
}

/* |got - want| <= share * |want|, as norms. A tensor whose true gradient is
 * zero (the keys' bias: softmax does not see it) is compared with its
 * neighbours' size instead. */
static double check_tensor(const char *name, const float *got,
                           const struct bt_tensor *t, double share,
                           double floor)
{
	size_t n = elements(t), i;
	float *want = malloc((n + 1) * sizeof(*want));
	double diff = 0, norm = 0, d;
	struct bt_error err = {0};

	assert_ok(bt_tensor_to_f32(t, 0, n, want, &err));
	for (i = 0; i < n; i++) {
		d = (double)got[i] - (double)want[i];
		diff += d * d;
		norm += (double)want[i] * (double)want[i];
	}
	free(want);
	diff = sqrt(diff);
	norm = sqrt(norm);
	if (!(diff <= share * norm + floor))
		fail_msg("%s: differs by %.3g, its norm is %.3g", name, diff,
		         norm);
	return norm;
}

static void compare(const char *path, bool low)
{
	double share = low ? 5e-2 : 1e-3, total = 0, norm, loss;
	const struct bt_param *p;
	struct bt_error err = {0};
	struct fixture f;
	float want;
	int i;

	open_fixture(&f, path, low);
	assert_ok(bt_engine_forward(f.e, &f.b, &err));
	loss = bt_engine_loss(f.e);
	assert_ok(
	    bt_tensor_to_f32(tensor(f.c, "out.", "loss"), 0, 1, &want, &err));
	if (!(fabs(loss - (double)want) <=
	      (low ? 2e-2 : 1e-5) * fabs((double)want)))
		fail_msg("%s: loss %.9g, not %.9g", path, loss, (double)want);
	check_tensor("logits", bt_engine_logits(f.e),
	             tensor(f.c, "out.", "logits"), low ? 3e-2 : 1e-5, 0);
	assert_ok(bt_engine_backward(f.e, false, &err));
	for (i = 0; i < f.g.n_params; i++) {
		p = &f.g.params[i];
		norm = check_tensor(p->name, bt_engine_grads(f.e) + p->offset,
		                    tensor(f.c, "grad.", p->name), share,
		                    low ? 1e-3 : 1e-6);
		total += norm * norm;
	}
	assert_true(total > 0);
	close_fixture(&f);
}

static void f32_agrees(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < n_paths; i++)
		compare(paths[i], false);
}

static void bf16_agrees(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < n_paths; i++)
		compare(paths[i], true);
}

int main(int argc, char **argv)
{
	static char gelu[4096], tanh_form[4096],
	    *committed[] = {gelu, tanh_form};
	const char *top = getenv("TEST_TOP");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(f32_agrees),
	    cmocka_unit_test(bf16_agrees),
	};

	snprintf(gelu, sizeof(gelu), "%s/tests/data/bert-gelu.safetensors",
	         top != NULL ? top : ".");
	snprintf(tanh_form, sizeof(tanh_form),
	         "%s/tests/data/bert-gelu-new.safetensors",
	         top != NULL ? top : ".");
	paths = argc > 1 ? argv + 1 : committed;
	n_paths = argc > 1 ? argc - 1 : 2;
	return RUN(tests);
}

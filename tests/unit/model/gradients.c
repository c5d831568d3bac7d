/* SPDX-License-Identifier: MIT */
/*
 * Loss, logits and the gradient of every parameter against what PyTorch and
 * transformers computed (tests/fixtures/bert-gradients.py, head-gradients.py).
 * Arguments name other fixtures than the committed ones.
 *
 * In bf16 every input of a product carries a relative error of up to 2^-9, and
 * errors of some dozen products in a row add up: 5 % of a gradient's norm is
 * allowed for up to 6 layers, with the square root of their number for more,
 * and 2 % of the loss. (PyTorch's own bf16, autocast, is 18 % off in the last
 * layer's queries of the shapes of BERT-base, where 7 % are allowed.) What the
 * choices of a question add to a gradient nearly cancels, as their parts of the
 * loss's do wholly: three times as much is allowed there.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static char **paths;
static int n_paths;

/* Of choices, where classifiers have the same head, and where not. With
 * adapters: of all products of layers; of layers that share them; where
 * relative positions have some, too; and of products of several parts, gates
 * among them. */
static const char *const more[] = {
    "bert-choices", "roberta-choices", "electra-choices", "bert-lora",
    "albert-lora",  "deberta-v2-lora", "modernbert-lora"};
#define FIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))
#define ALL (FIXTURES + sizeof(more) / sizeof(more[0]))

/* Remembers the largest deviation of each kind. */
static void worst(double *most, const char **name, double d, const char *of)
{
	if (!(d <= *most)) {
		*most = d;
		*name = of;
	}
}

static void compare_gradients(struct fixture *f, const char *path, double most)
{
	double own = 0, key = 0, d, scale;
	const char *own_name = "", *key_name = "";
	const struct bt_param *p;
	int i;

	for (i = 0; i < f->g.n_params; i++) {
		p = &f->g.params[i];
		if (p->frozen)
			continue;
		scale = scale_of(f, p->name);
		d = deviation(bt_engine_grads(f->e) + p->offset,
		              tensor(f->c, "grad.", p->name), scale);
		if (scale == 0)
			worst(&own, &own_name, d, p->name);
		else
			worst(&key, &key_name, d, p->name);
	}
	printf("#   gradients %.2g (%s), keys' bias %.2g\n", own, own_name,
	       key);
	if (!(own <= most))
		fail_msg("%s: gradient of %s differs by %.3g of its norm", path,
		         own_name, own);
	if (!(key <= most))
		fail_msg("%s: gradient of %s differs by %.3g of that of the "
		         "queries' bias",
		         path, key_name, key);
}

/* As said at the top. */
static double low_bound(const struct fixture *f)
{
	return (bt_config_chooses(&f->m) ? 15e-2 : 5e-2) *
	       sqrt(f->m.layers > 6 ? f->m.layers / 6.0 : 1);
}

/* True where it would take minutes: bf16 is much slower than f32 on a machine
 * that does not have it, and the weights are many. */
static bool too_slow(const struct fixture *f, bool low)
{
	return low && f->g.n_floats > 20000000 && !bt_engine_prefers_bf16(NULL);
}

static void compare(const char *path, bool low)
{
	struct bt_error err = {0};
	double loss, logits;
	struct fixture f;
	float want;

	open_fixture(&f, path, low);
	if (too_slow(&f, low)) {
		printf("# %s, bf16: left out, this machine has none\n", path);
		close_fixture(&f);
		return;
	}
	assert_ok(bt_engine_forward(f.e, &f.b, &err));
	assert_ok(
	    bt_tensor_to_f32(tensor(f.c, "out.", "loss"), 0, 1, &want, &err));
	loss = fabs(bt_engine_loss(f.e) / (double)want - 1);
	logits =
	    deviation(bt_engine_logits(f.e), tensor(f.c, "out.", "logits"), 0);
	printf("# %s, %s: loss %.2g, logits %.2g\n", path, low ? "bf16" : "f32",
	       loss, logits);
	if (!(loss <= (low ? 2e-2 : 1e-5)))
		fail_msg("%s: loss differs by %.3g of it", path, loss);
	if (!(logits <= (low ? 3e-2 : 1e-5)))
		fail_msg("%s: logits differ by %.3g of their norm", path,
		         logits);
	assert_int_equal(f.next != NULL, bt_engine_next_logits(f.e) != NULL);
	if (f.next != NULL)
		logits = deviation(bt_engine_next_logits(f.e),
		                   tensor(f.c, "out.", "next"), 0);
	if (!(logits <= (low ? 3e-2 : 1e-5)))
		fail_msg("%s: the second logits differ by %.3g of their norm",
		         path, logits);
	assert_ok(bt_engine_backward(f.e, false, &err));
	compare_gradients(&f, path, low ? low_bound(&f) : 1e-3);
	close_fixture(&f);
}

TEST(f32_agrees)
{
	int i;

	for (i = 0; i < n_paths; i++)
		compare(paths[i], false);
}

TEST(bf16_agrees)
{
	int i;

	for (i = 0; i < n_paths; i++)
		compare(paths[i], true);
}

int main(int argc, char **argv)
{
	static char path[ALL][4096];
	static char *of_path[ALL];
	const char *top = getenv("TEST_TOP");

	paths = argv + 1;
	n_paths = argc - 1;
	while (argc == 1 && (size_t)n_paths < ALL) {
		snprintf(path[n_paths], sizeof(path[0]),
		         "%s/tests/data/%s.safetensors",
		         top != NULL ? top : ".",
		         (size_t)n_paths < FIXTURES
		             ? fixtures[n_paths]
		             : more[(size_t)n_paths - FIXTURES]);
		of_path[n_paths] = path[n_paths];
		n_paths++;
		paths = of_path;
	}
	return run_listed();
}

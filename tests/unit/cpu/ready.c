/* SPDX-License-Identifier: MIT */
/* Gradients that a backward pass says are complete stay as they are. */
#include "test.h"

#include "tiny.h"

struct heard {
	const struct tiny *t;
	float *told; /* the gradients, each as it was when it was told */
	size_t left, calls;
};

static void hear(void *ctx, size_t from)
{
	struct heard *h = ctx;
	const float *grads = bt_engine_grads(h->t->e);

	assert_true(from <= h->left);
	memcpy(h->told + from, grads + from, (h->left - from) * sizeof(*grads));
	h->calls += from < h->left;
	h->left = from;
}

static void backward(struct heard *h, bool add)
{
	const struct tiny *t = h->t;
	struct bt_error err = {0};

	h->left = t->g.n_floats;
	h->calls = 0;
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	bt_engine_on_ready(t->e, hear, h);
	assert_ok(bt_engine_backward(t->e, add, &err));
	bt_engine_on_ready(t->e, NULL, NULL);
	assert_int_equal(h->left, 0);
	assert_memory_equal(h->told, bt_engine_grads(t->e),
	                    t->g.n_floats * sizeof(float));
}

static void complete_ones_stay(const struct bt_task *task, size_t calls)
{
	struct bt_config c = tiny_config();
	struct bt_error err = {0};
	struct heard h = {0};
	struct tiny t = {0};

	bt_graph_init(&t.g, &err);
	assert_ok(bt_task_graph(task, &t.g, &c, TINY_CLASSES));
	tiny_batch(&t, true);
	assert_ok(tiny_engine(&t, 2, false, provider(), 0, &err));
	h.t = &t;
	h.told = malloc(t.g.n_floats * sizeof(float));
	backward(&h, false);
	assert_true(h.calls >= calls);
	backward(&h, true);
	assert_true(h.calls >= calls);
	/* a listener that was taken away is not called */
	h.calls = 0;
	assert_ok(bt_engine_backward(t.e, false, &err));
	assert_int_equal(h.calls, 0);
	free(h.told);
	tiny_close(&t);
}

TEST(of_classes)
{
	complete_ones_stay(&bt_task_classification, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_classes),
	};

	return RUN(tests);
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: a plugin's own threads are not watched */
/* Not under address: nor is its memory */
/*
 * The loss and its gradients of all families on XLA's plugin for CPUs against
 * the CPU engine's, for which PyTorch vouches (model/gradients.c). In bf16 both
 * round the operands of each product to 2^-9, at other places: 5 % of a
 * gradient's norm is allowed, as there.
 */
#include "device/plugin.h"
#include "stablehlo/packed.h"

/* A program with its arguments, which has run. */
struct run {
	struct bt_pjrt *pjrt;
	struct bt_pjrt_program *program;
	struct bt_pjrt_buffer **in, **out;
};

static struct bt_pjrt_shape pjrt_shape(const struct bt_hlo_shape *s)
{
	struct bt_pjrt_shape t = {s->type == BT_HLO_F32   ? BT_PJRT_F32
	                          : s->type == BT_HLO_U32 ? BT_PJRT_U32
	                                                  : BT_PJRT_S32,
	                          s->rank,
	                          {0}};

	memcpy(t.dims, s->dim, (size_t)s->rank * sizeof(*t.dims));
	return t;
}

static void compile(struct run *x, struct packed *k)
{
	struct bt_pjrt_arg *args = calloc((size_t)k->p.n_args, sizeof(*args));
	struct bt_pjrt_source source = {.name = "gradients",
	                                .text = bt_buf_str(&k->p.text),
	                                .len = k->p.text.len,
	                                .replicas = 1,
	                                .args = args,
	                                .n_args = (size_t)k->p.n_args};
	struct bt_error err = {0};
	int i;

	for (i = 0; i < k->p.n_args; i++)
		args[i].shape = pjrt_shape(&k->p.args[i].shape);
	assert_ok(bt_pjrt_compile(x->pjrt, &source, &x->program, &err));
	free(args);
}

static void run_program(struct run *x, const struct fixture *f,
                        struct packed *k)
{
	struct bt_pjrt_options o = {.cache = "cache"};
	const struct bt_hlo_arg *a;
	struct bt_pjrt_shape s;
	struct bt_error err = {0};
	size_t bytes;
	int i;

	assert_ok(bt_pjrt_open(plugin_name(), &o, &x->pjrt, &err));
	compile(x, k);
	x->in = calloc((size_t)k->p.n_args, sizeof(*x->in));
	x->out = calloc((size_t)k->p.n_results, sizeof(*x->out));
	for (i = 0; i < k->p.n_args; i++) {
		a = &k->p.args[i];
		s = pjrt_shape(&a->shape);
		assert_ok(bt_pjrt_shape_bytes(&s, &bytes, &err));
		assert_ok(bt_pjrt_put(x->pjrt, 0, &s,
		                      a->source == BT_HLO_ARG_PARAM
		                          ? bt_engine_param(f->e, a->param)
		                          : bt_hlo_batch_data(&k->b, a->source),
		                      bytes, &x->in[i], &err));
	}
	assert_ok(bt_pjrt_run(x->program, x->in, x->out, &err));
}

static void run_clear(struct run *x, const struct packed *k)
{
	int i;

	for (i = 0; i < k->p.n_args; i++)
		bt_pjrt_buffer_free(x->in[i]);
	for (i = 0; i < k->p.n_results; i++)
		bt_pjrt_buffer_free(x->out[i]);
	free(x->in);
	free(x->out);
	bt_pjrt_program_free(x->program);
	bt_pjrt_close(x->pjrt);
}

/* Where one is the other but for rounding, what both are compared with: see
 * scale_of. */
static double scale_for(const struct fixture *f, int param)
{
	const struct bt_param *p = &f->g.params[param];
	char name[220];
	double scale;

	snprintf(name, sizeof(name), "grad.%s", p->name);
	scale = bt_ckpt_find(f->c, name) != NULL ? scale_of(f, p->name) : 0;
	return scale != 0 ? scale
	                  : norm_of(bt_engine_grads(f->e) + p->offset,
	                            bt_param_size(p));
}

/* The largest difference of gradients; of which parameter. */
static double compare_results(const struct fixture *f, const struct packed *k,
                              const struct run *x, double *loss,
                              const char **name)
{
	struct bt_error err = {0};
	const float *want;
	double most = 0, d;
	size_t n, c;
	float *got;
	int i, gradients = 0, trained = 0;

	for (i = 0; i < f->g.n_params; i++)
		trained += !f->g.params[i].frozen;

	for (i = 0; i < k->p.n_results; i++) {
		const struct bt_hlo_result *r = &k->p.results[i];
		const struct bt_param *p = &f->g.params[r->param];

		if (r->kind != BT_HLO_LOSS && r->kind != BT_HLO_GRADIENT)
			continue;
		n = r->kind == BT_HLO_LOSS ? 1 : bt_param_size(p);
		got = malloc(n * sizeof(*got));
		assert_ok(bt_pjrt_get(x->out[i], got, n * sizeof(*got), &err));
		if (r->kind == BT_HLO_LOSS) {
			*loss = (double)got[0];
			free(got);
			continue;
		}
		want = bt_engine_grads(f->e) + p->offset;
		for (c = 0; c < n; c++)
			got[c] -= want[c];
		d = norm_of(got, n);
		free(got);
		gradients++;
		if (d > 0)
			d /= scale_for(f, r->param);
		if (!(d <= most)) {
			most = d;
			*name = p->name;
		}
	}
	assert_int_equal(gradients, trained);
	return most;
}

/* more: rows of nothing but padding. */
static void compare_batch(struct fixture *f, const char *what, int more,
                          bool low)
{
	struct bt_error err = {0};
	double loss = NAN, want, most;
	const char *name = "";
	struct run x = {0};
	struct packed k;

	assert_ok(bt_engine_forward(f->e, &f->b, &err));
	want = bt_engine_loss(f->e);
	assert_ok(bt_engine_backward(f->e, false, &err));
	pack_fixture(f, 32, more, low, true, &k);
	run_program(&x, f, &k);
	most = compare_results(f, &k, &x, &loss, &name);
	loss = fabs(loss / want - 1);
	printf("# %s, %s: loss %.2g, gradients %.2g (%s)\n", what,
	       low ? "bf16" : "f32", loss, most, name);
	if (!(loss <= (low ? 2e-2 : 1e-5)))
		fail_msg("%s: loss differs by %.3g of it", what, loss);
	if (!(most <= (low ? 5e-2 : 1e-5)))
		fail_msg("%s: gradient of %s differs by %.3g of its norm", what,
		         name, most);
	run_clear(&x, &k);
	packed_clear(&k);
}

TEST(f32_agrees)
{
	struct fixture f;
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		open_named(&f, fixtures[i], false);
		compare_batch(&f, fixtures[i], i % 2 == 0, false);
		close_fixture(&f);
	}
}

TEST(bf16_agrees)
{
	static const char *const some[] = {"bert-gelu", "albert", "deberta-v2",
	                                   "modernbert", "gte-masked"};
	struct fixture f;
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		open_named(&f, some[i], true);
		compare_batch(&f, some[i], 0, true);
		close_fixture(&f);
	}
}

/* Adapters, of products with activations and of several parts. */
TEST(adapters_agree)
{
	static const char *const some[] = {"bert-lora", "modernbert-lora"};
	struct fixture f;
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		open_named(&f, some[i], false);
		compare_batch(&f, some[i], 0, false);
		close_fixture(&f);
	}
}

/* Dropout wherever the graph has a place for it. */
static void drop_everywhere(struct bt_graph *g, float probability)
{
	struct bt_node *n;
	int i;

	for (i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		if (n->op == BT_OP_EMBED)
			n->u.embed.dropout = probability;
		if (n->op == BT_OP_RESIDUAL_NORM)
			n->u.norm.dropout = probability;
		if (n->op == BT_OP_ATTENTION)
			n->u.attention.dropout = probability;
		if (n->op == BT_OP_ADD || n->op == BT_OP_DROPOUT)
			n->u.drop.dropout = probability;
	}
}

/* The same elements are dropped, in the middle of an update. */
TEST(dropout_agrees)
{
	/* rows of tokens, texts, selected tokens, relative positions */
	static const char *const some[] = {"bert-gelu", "bert-masked",
	                                   "deberta-v2", "modernbert",
	                                   "head-layers"};
	struct fixture f;
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		open_named(&f, some[i], false);
		drop_everywhere(&f.g, .25f);
		f.b.train = true;
		f.b.step = 7;
		f.b.token0 = 1000;
		f.b.sequence0 = 90;
		compare_batch(&f, some[i], i % 2 == 0, false);
		close_fixture(&f);
	}
}

static void divide(struct fixture *f, size_t texts)
{
	size_t length = f->b.tokens / texts, t;

	f->b.sequences = texts;
	f->b.tokens = texts * length;
	free(f->start);
	f->start = malloc((texts + 1) * sizeof(*f->start));
	for (t = 0; t <= texts; t++)
		f->start[t] = (uint32_t)(t * length);
	f->b.start = f->start;
}

/* The same texts with other losses: a graph of bert-gelu's shape for a task.
 * Its tokens are divided into so many texts, unless that is 0. */
static void open_task(struct fixture *f, const char *problem, size_t texts)
{
	struct bt_engine_opts o = {.train = true};
	struct bt_error err = {0};

	open_named(f, "bert-gelu", false);
	bt_engine_free(f->e);
	bt_graph_clear(&f->g);
	if (texts > 0)
		divide(f, texts);
	f->m.problem_type = problem;
	bt_graph_init(&f->g, &err);
	assert_ok(bt_task_graph(bt_task_of(problem), &f->g, &f->m,
	                        (int)tensor(f->c, "out.", "logits")->shape[1]));
	o.pool = f->pool;
	o.max_tokens = f->b.tokens;
	o.max_sequences = f->b.sequences;
	o.max_length = (size_t)f->m.max_positions;
	assert_ok(bt_engine_new(&f->g, &o, &f->e, &err));
	load_params(f);
}

/* A teacher, whose rows are in another order: of classes with probabilities,
 * some of them 0. */
static void compare_taught(struct fixture *f, const char *what, bool classes)
{
	size_t cols = (size_t)f->g.nodes[f->g.logits].cols, n = f->b.tokens;
	float *z = malloc(n * cols * sizeof(*z)), sum;
	uint32_t *row = malloc(n * sizeof(*row));
	size_t i, k;

	for (i = 0; i < n; i++) {
		row[i] = (uint32_t)(n - 1 - i);
		for (sum = 0, k = 0; k < cols; k++) {
			z[i * cols + k] = (float)((i + 3 * k) % 6) / 5;
			sum += z[i * cols + k];
		}
		for (k = 0; k < cols && classes; k++)
			z[i * cols + k] /= sum;
	}
	f->b.teacher = z;
	f->b.teacher_row = row;
	f->b.teacher_weight = .7f;
	f->b.temperature = 2.5f;
	compare_batch(f, what, 1, false);
	f->b.teacher = NULL;
	f->b.temperature = f->b.teacher_weight = 0;
	free(z);
	free(row);
}

/* Weights of texts, smoothed labels, numbers to predict, several labels with
 * weights of their own. */
TEST(all_losses_agree)
{
	static const float pos_weight[8] = {1, 2.5f, .25f, 3, 1, .5f};
	static const float class_weight[8] = {.5f, 2, 0, 1, 3, .25f};
	struct fixture f;
	float weights[64];
	size_t i, cols;

	if (!has_plugin())
		skip();
	for (i = 0; i < 64; i++)
		weights[i] = (float)(1 + i % 3) / 2;
	open_named(&f, "bert-gelu", false);
	cols = (size_t)f.g.nodes[f.g.logits].cols;
	assert_true(f.b.sequences <= 64 && cols <= 8);
	f.b.weights = weights;
	f.b.smoothing = .1f;
	compare_batch(&f, "smoothed", 1, false);
	f.b.class_weight = class_weight;
	compare_batch(&f, "classes that weigh more", 1, false);
	compare_taught(&f, "a teacher of such classes", true);
	close_fixture(&f);

	open_named(&f, "bert-tokens", false);
	compare_taught(&f, "a teacher of words", true);
	close_fixture(&f);

	open_task(&f, "regression", 0);
	f.b.labels = NULL;
	f.targets = malloc(cols * f.b.sequences * sizeof(*f.targets));
	f.b.targets = f.targets;
	f.b.weights = weights;
	for (i = 0; i < cols * f.b.sequences; i++)
		f.targets[i] = (float)(i * 7 % 10) / 5 - 1;
	compare_batch(&f, "numbers", 1, false);
	compare_taught(&f, "a teacher of numbers", false);
	close_fixture(&f);

	open_task(&f, "multi_label_classification", 0);
	f.b.labels = NULL;
	f.targets = malloc(cols * f.b.sequences * sizeof(*f.targets));
	f.b.targets = f.targets;
	f.b.weights = weights;
	f.b.pos_weight = pos_weight;
	for (i = 0; i < cols * f.b.sequences; i++)
		f.targets[i] = i * 7 % 10 < 4;
	compare_batch(&f, "several labels", 1, false);
	compare_taught(&f, "a teacher of labels", false);
	close_fixture(&f);
}

/* Of choices, where classifiers have the same head, and where not. */
TEST(choices_agree)
{
	static const char *const some[] = {"bert-choices", "electra-choices"};
	struct fixture f;
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		open_named(&f, some[i], false);
		compare_batch(&f, some[i], 1, false);
		close_fixture(&f);
	}
}

#define TEXTS 6

/* Texts in groups of so many, as embeddings, with weights and scores; the last
 * text is the second one, too. */
static void open_groups(struct fixture *f, size_t n)
{
	size_t t, length;

	open_task(f, BT_PROBLEM_EMBEDDING, TEXTS);
	length = f->start[1];
	memcpy(f->ids + f->b.tokens - length, f->ids + length,
	       length * sizeof(*f->ids));
	free(f->labels);
	f->labels = malloc(TEXTS * sizeof(*f->labels));
	f->targets = malloc(TEXTS * sizeof(*f->targets));
	f->weights = malloc(TEXTS * sizeof(*f->weights));
	for (t = 0; t < TEXTS; t++) {
		f->labels[t] = (int32_t)(t % n);
		f->targets[t] = (float)(t / n * 7 % 5) / 4;
		f->weights[t] = (float)(1 + t / n % 3) / 2;
	}
	f->b.labels = f->labels;
	f->b.targets = f->targets;
	f->b.weights = f->weights;
}

/* Pairs of two classes, which the device has as targets. */
static void set_classes(struct fixture *f)
{
	size_t t;

	for (t = 0; t < TEXTS; t++) {
		f->labels[t] = t / 2 == 2;
		f->targets[t] = (float)f->labels[t];
	}
}

TEST(embeddings_agree)
{
	static const struct {
		enum bt_embedding_loss loss;
		size_t texts;
		const char *name;
	} all[] = {{BT_EMBEDDING_RANKING, 2, "pairs"},
	           {BT_EMBEDDING_RANKING, 3, "triplets"},
	           {BT_EMBEDDING_COSENT, 2, "order of scores"},
	           {BT_EMBEDDING_COSINE, 2, "scores"},
	           {BT_EMBEDDING_CLASSES, 2, "classes"}};
	struct fixture f;
	size_t i;

	if (!has_plugin())
		skip();
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		open_groups(&f, all[i].texts);
		f.b.embedding_loss = all[i].loss;
		if (all[i].loss == BT_EMBEDDING_CLASSES)
			set_classes(&f);
		compare_batch(&f, all[i].name, 1, false);
		f.b.matryoshka = (struct bt_matryoshka){2, {8, 3}};
		compare_batch(&f, "with fewer columns, too", 0, false);
		close_fixture(&f);
	}
}

int main(void)
{
	setenv("BT_PJRT_CACHE", "cache", 1);
	return run_listed();
}

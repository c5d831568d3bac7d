/* SPDX-License-Identifier: MIT */
/* Not under thread: a plugin's own threads are not watched */
/* Not under address: nor is its memory */
/*
 * Updates on XLA's plugin for CPUs beside those of the CPU's engine and
 * optimizer, with dropout, clipping, decay, rates that differ between layers
 * and frozen parameters: losses, norms, parameters and moments.
 *
 * Both round, and differences grow: where a gradient is about 0, Adam divides
 * by what is little more than rounding, so an element may differ by as much as
 * it moves. Norms of differences are compared with how far the parameters moved
 * in all.
 */
#include "base/sys.h"
#include "device/learn.h"
#include "device/plugin.h"
#include "optim/optim.h"

#define UPDATES 12
#define LOSS_MOST 1e-5
#define MOVE_MOST 1e-3 /* of how far parameters moved */

struct training {
	struct fixture f;
	struct bt_optim optim;
	struct bt_device *d;
	const char *name;
	float *start; /* the parameters before */
	const float **param, **m, **v;
	float *rate, *keep;
	int parts; /* batches of an update */
	int replicas;
	size_t places; /* of a device at most, as learn.h has it */
};

static void drop_everywhere(struct bt_graph *g)
{
	struct bt_node *n;
	int i;

	for (i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		if (n->op == BT_OP_EMBED)
			n->u.embed.dropout = .1f;
		if (n->op == BT_OP_RESIDUAL_NORM)
			n->u.norm.dropout = .1f;
		if (n->op == BT_OP_ATTENTION)
			n->u.attention.dropout = .1f;
	}
}

static void load(struct training *x)
{
	const struct bt_graph *g = &x->f.g;
	struct bt_device_learning o = {.longest = 32, .places = x->places};
	enum bt_optimizer kind = x->optim.o.kind;
	struct bt_error err = {0};
	int i;

	o.rule = kind == BT_OPTIM_SGD    ? BT_HLO_SGD
	         : kind == BT_OPTIM_LAMB ? BT_HLO_LAMB
	                                 : BT_HLO_ADAM;
	for (i = 0; i < g->n_params; i++) {
		x->param[i] = bt_engine_param(x->f.e, i);
		x->m[i] = (float *)x->optim.m.base + g->params[i].offset;
		x->v[i] = o.rule == BT_HLO_SGD
		              ? NULL
		              : (float *)x->optim.v.base + g->params[i].offset;
	}
	o.moment1 = x->m;
	o.moment2 = x->v;
	assert_ok(bt_device_load(x->d, g, x->param, false, &err));
	assert_ok(bt_device_learn(x->d, &o, &err));
}

static void begin(struct training *x, const char *name,
                  const struct bt_optim_opts *o, const char *frozen)
{
	struct bt_error err = {0};
	struct bt_graph *g = &x->f.g;
	size_t n;
	int i;

	/* before there are threads */
	assert_ok(bt_device_open(
	    plugin_name(), x->replicas > 1 ? x->replicas : 1, &x->d, &err));
	x->name = name;
	open_named(&x->f, name, false);
	drop_everywhere(g);
	for (i = 0; i < g->n_params; i++)
		g->params[i].frozen =
		    frozen != NULL && strstr(g->params[i].name, frozen) != NULL;
	assert_ok(bt_optim_init(&x->optim, g, o, x->f.pool, NULL, &err));
	n = (size_t)g->n_params + 1;
	x->param = calloc(n, sizeof(*x->param));
	x->m = calloc(n, sizeof(*x->m));
	x->v = calloc(n, sizeof(*x->v));
	x->rate = calloc(n, sizeof(*x->rate));
	x->keep = calloc(n, sizeof(*x->keep));
	x->start = malloc(g->n_floats * sizeof(*x->start));
	memcpy(x->start, bt_engine_params(x->f.e),
	       g->n_floats * sizeof(*x->start));
	x->parts = x->parts > 0 ? x->parts : 1;
	load(x);
}

static void end(struct training *x)
{
	bt_device_close(x->d);
	bt_optim_clear(&x->optim);
	close_fixture(&x->f);
	free(x->param);
	free(x->m);
	free(x->v);
	free(x->rate);
	free(x->keep);
	free(x->start);
	memset(x, 0, sizeof(*x));
}

static double rate_of(int t)
{
	return 1e-3 * (1 - .05 * t);
}

/* An update on the CPU; the loss, and the norm of its gradients. */
static double on_cpu(struct training *x, int t, double *norm)
{
	struct bt_error err = {0};
	struct bt_engine *e = x->f.e;
	double loss = 0;
	int k;

	for (k = 0; k < x->parts; k++) {
		x->f.b.token0 = (uint32_t)(k * 1000);
		assert_ok(bt_engine_forward(e, &x->f.b, &err));
		loss += bt_engine_loss(e);
		assert_ok(bt_engine_backward(e, k > 0, &err));
	}
	*norm = bt_optim_norm(&x->optim, bt_engine_grads(e), NULL, 0);
	bt_optim_update(&x->optim, bt_engine_params(e), bt_engine_grads(e),
	                NULL, *norm, rate_of(t), t + 1);
	assert_ok(bt_engine_pack(e, &err));
	return loss;
}

static double on_device(struct training *x, int t, double *norm)
{
	const struct bt_batch *b = &x->f.b;
	struct bt_device_batch batch = {
	    .texts = {b->sequences, b->start, b->ids, b->types, b->selected,
	              b->n_selected},
	    .labels = b->labels,
	    .targets = b->targets,
	    .n_targets = 2,
	    .next_labels = b->next_labels,
	    .loss_scale = b->loss_scale,
	    .next_scale = b->next_scale,
	    .step = b->step,
	};
	struct bt_adamw w;
	struct bt_device_step s;
	struct bt_error err = {0};
	struct bt_device_outcome o;
	double more;
	int k;

	for (k = 0; k < x->parts; k++) {
		batch.token0 = (uint32_t)(k * 1000);
		assert_ok(bt_device_gradients(x->d, &batch, k > 0, &err));
	}
	bt_optim_constants(&x->optim, rate_of(t), t + 1, &w, &more, x->rate,
	                   x->keep);
	s = (struct bt_device_step){
	    .beta1 = w.beta1,
	    .beta2 = w.beta2,
	    .fresh1 = w.fresh1,
	    .fresh2 = w.fresh2,
	    .correct1 = w.rate,
	    .correct2 = w.correct2,
	    .eps = w.eps,
	    .limit = w.limit,
	    .clip = x->optim.o.clip > 0 ? (float)x->optim.o.clip : INFINITY,
	    .clip_more = (float)more,
	    .rates = x->rate,
	    .keeps = x->keep};
	assert_ok(bt_device_update(x->d, &s, &err));
	assert_ok(bt_device_outcome(x->d, &o, &err));
	*norm = o.norm;
	return o.loss;
}

/* Whether a parameter has a gradient that is more than rounding: attention and
 * the losses of spans do not change where all scores of a text grow alike. */
static bool has_gradient(const struct training *x, const char *param)
{
	return strstr(param, "key.bias") == NULL &&
	       (strcmp(x->name, "bert-spans") != 0 ||
	        (strcmp(param, "qa_outputs.bias") != 0 &&
	         strstr(param, "layer.1.output.LayerNorm.bias") == NULL));
}

/* Relative to how far the parameters moved. */
static double compare_params(struct training *x)
{
	const struct bt_graph *g = &x->f.g;
	struct bt_error err = {0};
	const float *now = bt_engine_params(x->f.e);
	double diff = 0, moved = 0, d;
	const struct bt_param *p;
	float *got, *m, *v;
	size_t c, n, at;
	int i;

	for (i = 0; i < g->n_params; i++) {
		p = &g->params[i];
		n = bt_param_size(p);
		got = malloc(3 * n * sizeof(*got));
		m = p->frozen ? NULL : got + n;
		v = p->frozen || x->v[i] == NULL ? NULL : got + 2 * n;
		assert_ok(bt_device_read(x->d, i, got, m, v, &err));
		at = p->offset;
		if (p->frozen)
			assert_memory_equal(got, x->start + at,
			                    n * sizeof(*got));
		if (!has_gradient(x, p->name))
			n = 0;
		for (c = 0; c < n; c++, at++) {
			d = (double)got[c] - (double)now[at];
			diff += d * d;
			d = (double)now[at] - (double)x->start[at];
			moved += d * d;
		}
		free(got);
	}
	assert_true(moved > 0);
	return sqrt(diff / moved);
}

static void follow(struct training *x, const char *what)
{
	double loss, want, norm, want_norm, most = 0, most_norm = 0, d, params;
	int t;

	x->f.b.train = true;
	for (t = 0; t < UPDATES; t++) {
		x->f.b.step = (uint32_t)t;
		want = on_cpu(x, t, &want_norm);
		loss = on_device(x, t, &norm);
		d = fabs(loss / want - 1);
		most = d > most || isnan(d) ? d : most;
		d = fabs(norm / want_norm - 1);
		most_norm = d > most_norm || isnan(d) ? d : most_norm;
		if (!(fabs(loss / want - 1) <= LOSS_MOST * (t + 1)))
			fail_msg("%s: update %d: the loss is %.9g, not %.9g",
			         what, t, loss, want);
	}
	params = compare_params(x);
	printf("# %s: loss %.2g, norm %.2g, parameters %.2g of their way\n",
	       what, most, most_norm, params);
	if (!(most_norm <= 1e-3))
		fail_msg("%s: norms differ by %.3g", what, most_norm);
	if (!(params <= MOVE_MOST))
		fail_msg("%s: parameters differ by %.3g of their way", what,
		         params);
}

TEST(adamw_agrees)
{
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct training x = {.parts = 1};

	if (!has_plugin())
		skip();
	begin(&x, "bert-gelu", &o, NULL);
	follow(&x, "adamw");
	end(&x);

	o.clip = .01;
	o.weight_decay = .1;
	o.layer_decay = .7;
	o.head_scale = 3;
	begin(&x, "bert-gelu", &o, "embeddings");
	x.parts = 2;
	follow(&x,
	       "two batches, clipped, layers with rates, frozen embeddings");
	end(&x);
}

TEST(kin_agree)
{
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct training x = {.parts = 1};

	if (!has_plugin())
		skip();
	o.kind = BT_OPTIM_ADAMW_GOOGLE;
	o.clip = 0;
	begin(&x, "bert-next", &o, NULL);
	follow(&x, "adamw-google of masked tokens and next sentences");
	end(&x);

	o = (struct bt_optim_opts)BT_OPTIM_INIT;
	o.kind = BT_OPTIM_ADAM;
	o.clip_value = 1e-3;
	begin(&x, "bert-spans", &o, NULL);
	follow(&x, "adam of spans, elements clipped");
	end(&x);
}

TEST(other_rules_agree)
{
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct training x = {.parts = 1};

	if (!has_plugin())
		skip();
	o.kind = BT_OPTIM_LAMB;
	o.layer_decay = .7;
	begin(&x, "bert-gelu", &o, NULL);
	follow(&x, "lamb, layers with rates");
	end(&x);

	o.kind = BT_OPTIM_SGD;
	o.weight_decay = .1;
	o.clip_value = 1e-2;
	begin(&x, "bert-gelu", &o, "embeddings");
	follow(&x, "sgd with decay, elements clipped, frozen embeddings");
	end(&x);
}

/* The same update, in pieces and on several devices. */
TEST(divided_updates_agree)
{
	static const char *const models[] = {"bert-gelu", "bert-next",
	                                     "bert-spans"};
	struct bt_optim_opts o = BT_OPTIM_INIT;
	struct training x = {.parts = 1};
	char what[80];
	int i;

	if (!has_plugin())
		skip();
	for (i = 0; i < 3; i++) {
		x.places = 1; /* a text in each piece */
		begin(&x, models[i], &o, NULL);
		snprintf(what, sizeof(what), "%s, text by text", models[i]);
		follow(&x, what);
		end(&x);
	}
	if (strcmp(plugin_name(), "cpu") != 0)
		return; /* which has as many devices as are asked for */
	for (i = 0; i < 3; i++) {
		x.replicas = 2;
		x.parts = i == 0 ? 2 : 1;
		begin(&x, models[i], &o, i == 0 ? "embeddings" : NULL);
		snprintf(what, sizeof(what), "%s on 2 devices", models[i]);
		follow(&x, what);
		end(&x);
	}
	x.replicas = 4;
	x.places = 64; /* in pieces, too */
	begin(&x, "bert-gelu", &o, NULL);
	follow(&x, "bert-gelu on 4 devices, of which some may have no text");
	end(&x);
}

/* A word table that is large beside all else, of which 4 texts of 8 tokens are
 * read. */
#define WORDS 200000

static void large_model(struct bt_graph *g)
{
	struct bt_config c;
	struct bt_error err = {0};

	assert_ok(bt_config_preset("tiny", &c, &err));
	c.vocab_size = WORDS;
	bt_graph_init(g, &err);
	assert_ok(bt_task_graph(&bt_task_classification, g, &c, 3));
	bt_config_clear(&c);
}

static void train_large(struct bt_device *d, int n_params)
{
	static const uint32_t start[] = {0, 8, 16, 24, 32};
	static const int32_t labels[] = {0, 1, 2, 0};
	static const uint8_t types[32];
	struct bt_device_batch b = {.texts = {4, start, NULL, types, NULL, 0},
	                            .labels = labels,
	                            .loss_scale = .25f};
	struct bt_device_step s = {.beta1 = .9f,
	                           .beta2 = .999f,
	                           .fresh1 = .1f,
	                           .fresh2 = .001f,
	                           .correct2 = 1,
	                           .eps = 1e-8f,
	                           .limit = INFINITY,
	                           .clip = 1};
	float *rates = malloc(2 * (size_t)n_params * sizeof(*rates));
	struct bt_error err = {0};
	int32_t ids[32];
	struct bt_device_outcome o;
	int i;

	for (i = 0; i < 32; i++)
		ids[i] = 5 + i * (WORDS / 33);
	b.texts.ids = ids;
	for (i = 0; i < n_params; i++) {
		rates[i] = 1e-3f;
		rates[n_params + i] = 1;
	}
	s.rates = rates;
	s.keeps = rates + n_params;
	for (i = 0; i < 4; i++) {
		b.step = (uint32_t)i;
		assert_ok(bt_device_gradients(d, &b, false, &err));
		assert_ok(bt_device_update(d, &s, &err));
		assert_ok(bt_device_outcome(d, &o, &err));
		assert_true(isfinite(o.loss) && o.norm > 0);
	}
	free(rates);
}

/* Parameters, two moments and gradients are four arrays; were an update's
 * results new ones, they would be seven. */
TEST(updates_leave_no_copy)
{
	struct bt_device_learning o = {.longest = 8};
	struct bt_device *d;
	struct bt_error err = {0};
	const float **param, **zeros;
	float *floats, *none;
	struct bt_graph g;
	size_t before, grown, all;
	int i;

	if (!has_plugin())
		skip();
	assert_ok(bt_device_open(plugin_name(), 1, &d, &err));
	large_model(&g);
	all = g.n_floats * sizeof(*floats);
	floats = malloc(all);
	none = malloc(all);
	memset(none, 0, all);
	param = calloc((size_t)g.n_params, sizeof(*param));
	zeros = calloc((size_t)g.n_params, sizeof(*zeros));
	for (size_t c = 0; c < g.n_floats; c++)
		floats[c] = (float)((c * 7919 % 1000) / 1e4 - .05);
	for (i = 0; i < g.n_params; i++) {
		param[i] = floats + g.params[i].offset;
		zeros[i] = none + g.params[i].offset;
	}
	o.moment1 = o.moment2 = zeros;
	before = bt_peak_memory();
	assert_ok(bt_device_load(d, &g, param, false, &err));
	assert_ok(bt_device_learn(d, &o, &err));
	train_large(d, g.n_params);
	grown = bt_peak_memory() - before;
	bt_device_close(d);
	printf("# parameters of %zu MB: %zu MB more memory\n", all >> 20,
	       grown >> 20);
	assert_true(all > 32u << 20);
	assert_true(grown < all / 2 * 11);
	bt_graph_clear(&g);
	free(floats);
	free(none);
	free(param);
	free(zeros);
}

int main(void)
{
	setenv("BT_PJRT_CACHE", "cache", 1);
	return run_listed();
}

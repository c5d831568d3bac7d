/* SPDX-License-Identifier: MIT */
/* Updates that a device computes, and the device of a job. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/learn.h"
#include "finetune/device_tell.h"
#include "finetune/forward.h"
#include "train/job_int.h"
#include "train/train_int.h"

#define SEEN 1000 /* batches that sizes are chosen by */

/* Where parameters and their moments are in memory, [n_params] each. */
struct places {
	float **param, **m, **v;
};

static int find(const struct bt_train_run *t, struct places *x,
                struct bt_error *err)
{
	const struct bt_graph *g = &t->m->graph;
	size_t n = (size_t)g->n_params + 1, at;
	int i;

	x->param = bt_array(3 * n, sizeof(*x->param));
	if (x->param == NULL)
		return bt_error_nomem(err, "loading a model");
	x->m = x->param + n;
	x->v = x->m + n;
	for (i = 0; i < g->n_params; i++) {
		at = g->params[i].offset;
		x->param[i] = bt_engine_params(t->m->engine) + at;
		x->m[i] = (float *)t->optim.m.base + at;
		x->v[i] =
		    t->optim.v.size > 0 ? (float *)t->optim.v.base + at : NULL;
	}
	return BT_OK;
}

static enum bt_hlo_rule rule_of(enum bt_optimizer kind)
{
	return kind == BT_OPTIM_SGD    ? BT_HLO_SGD
	       : kind == BT_OPTIM_LAMB ? BT_HLO_LAMB
	                               : BT_HLO_ADAM;
}

/* Whether texts are compared with those of other batches, by the CPU. */
static bool is_apart(const struct bt_train_run *t)
{
	return bt_whole_update_is(&t->m->graph, t->o->embedding_loss,
	                          t->o->batching.accumulate);
}

/* Whether a batch is one piece. */
static bool is_whole(const struct bt_train_run *t)
{
	return bt_op_compares_all(&t->m->graph, t->o->embedding_loss) &&
	       !is_apart(t);
}

/* Counts a batch of n examples, the first of which is at pos. */
static int count(const struct bt_train_run *t, const struct bt_batches *b,
                 size_t pos, size_t n, struct bt_device_sizes *s,
                 struct bt_error *err)
{
	const struct bt_device *d = t->o->device;
	size_t passes = bt_train_passes(t->o), texts = n * passes, i, x;
	bool groups = bt_op_groups(&t->m->graph) && !is_apart(t);
	bool pairs = passes > 1 || t->o->batching.pairs;
	uint32_t *start = bt_array(texts + 1, sizeof(*start));
	int32_t *number = bt_array(texts + 1, sizeof(*number));
	struct bt_device_division v = {
	    .start = start,
	    .number = groups || passes > 1 ? number : NULL,
	    .replicas = bt_device_replicas(d),
	    .places = is_whole(t) ? SIZE_MAX : bt_device_places(d)};
	bool made = start != NULL && number != NULL;
	int r;

	for (i = 0; made && i < texts; i++) {
		x = b->order[pos + i / passes];
		start[i] = i > 0 ? start[i] : 0;
		start[i + 1] = start[i] + (uint32_t)bt_dataset_length(b->d, x);
		number[i] =
		    groups && !pairs ? b->d->label[x] : (int32_t)(i % 2);
	}
	r = made ? bt_device_sizes_count(s, &v, texts, err)
	         : bt_error_nomem(err, "choosing programs");
	free(start);
	free(number);
	return r;
}

/* Which sizes of programs the batches get along with: by those of the first
 * epoch, wherever the run is. */
static int choose_sizes(const struct bt_train_run *t, struct bt_device_sizes *s,
                        struct bt_error *err)
{
	struct bt_batches b;
	size_t pos = 0, n, seen = 0;
	int r = bt_batches_init(&b, t->train, &t->o->batching, err);

	if (r == BT_OK)
		bt_batches_seek(&b, 0, 0);
	for (; r == BT_OK && pos < b.n && seen < SEEN; seen++) {
		n = bt_batches_at(&b, pos);
		r = count(t, &b, pos, n, s, err);
		pos += n;
	}
	bt_batches_clear(&b);
	bt_device_sizes_choose(s);
	return r;
}

/* Examples, or their tokens, that have a class. */
static int64_t count_seen(const struct bt_train_run *t)
{
	const struct bt_batch *b = &t->gather.b;
	enum bt_rows per = t->m->graph.nodes[t->m->graph.logits].rows;
	size_t rows = per == BT_PER_SEQUENCE   ? b->sequences
	              : per == BT_PER_SELECTED ? b->n_selected
	                                       : b->tokens;
	int64_t n = 0;
	size_t i;

	if (t->train->width > 0)
		return (int64_t)b->sequences;
	for (i = 0; i < rows; i++)
		n += b->labels == NULL || b->labels[i] >= 0;
	return n;
}

static int blame_step(const struct bt_train_run *t, int64_t step,
                      struct bt_error *err)
{
	return bt_error_prefix(err, "step %lld of %lld", (long long)step,
	                       (long long)t->total);
}

static struct bt_device_batch batch_of(const struct bt_train_run *t)
{
	const struct bt_batch *b = &t->gather.b;

	return (struct bt_device_batch){
	    .texts = {.n = b->sequences,
	              .start = b->start,
	              .ids = b->ids,
	              .types = b->types,
	              .selected = b->selected,
	              .n_selected = b->n_selected},
	    .labels = b->labels,
	    .targets = b->targets,
	    .n_targets = t->train->width,
	    .teacher = b->teacher,
	    .teacher_row = b->teacher_row,
	    .weights = b->weights,
	    .next_labels = b->next_labels,
	    .logit_grads = b->logit_grads,
	    .loss_scale = b->loss_scale,
	    .next_scale = b->next_scale,
	    .step = b->step,
	    .token0 = b->token0,
	    .sequence0 = b->sequence0,
	};
}

static int embed(struct bt_train_run *t, size_t pos, float *to,
                 struct bt_error *err)
{
	struct bt_device_batch x = batch_of(t);
	int r;

	(void)pos;
	x.logit_grads = NULL;
	r = bt_device_embed(t->o->device, &x, to, err);
	return r == BT_OK ? BT_OK : blame_step(t, t->s.step + 1, err);
}

static int batch(struct bt_train_run *t, size_t pos, bool add,
                 struct bt_shard_sum *sum, struct bt_error *err)
{
	const struct bt_device_batch x = batch_of(t);
	int r = bt_device_gradients(t->o->device, &x, add || t->moved, err);

	(void)pos;
	if (r == BT_ENOMEM && is_whole(t)) {
		bt_error_prefix(err, "texts that are compared with each other "
		                     "run at once");
		bt_error_hint(err, BT_HINT_BATCH_SMALLER, r);
	}
	if (r != BT_OK)
		return blame_step(t, t->s.step + 1, err);
	sum->seen += count_seen(t);
	return BT_OK;
}

static int move(struct bt_train_run *t, struct bt_error *err)
{
	int r = bt_device_move(t->o->device, t->o->fgm, err);

	return r == BT_OK ? BT_OK : blame_step(t, t->s.step + 1, err);
}

static void move_back(struct bt_train_run *t, bool computed)
{
	(void)computed;
	bt_device_move_back(t->o->device);
}

/* The gradients of an update's batches, from the one at *pos on, where the
 * device computes nothing. */
static int pass_update(struct bt_train_run *t, size_t *pos,
                       struct bt_error *err)
{
	size_t end = bt_batches_update_end(&t->batches, *pos), n;
	struct bt_shard_sum sum = {0};
	bool add = false;
	int r = BT_OK;

	for (; *pos < end && *pos < t->batches.n && r == BT_OK; *pos += n) {
		n = bt_batches_at(&t->batches, *pos);
		bt_gather_fill(&t->gather, t->train, t->batches.order + *pos, 0,
		               n);
		if (is_apart(t))
			r = embed(t, *pos, NULL, err);
		if (r == BT_OK)
			r = batch(t, *pos, add, &sum, err);
		if (r == BT_OK && t->o->fgm > 0)
			r = batch(t, *pos, true, &sum, err);
		add = true;
	}
	t->s.step++;
	t->gather.step = t->gather.b.step = (uint32_t)t->s.step;
	return r;
}

/* Goes through the updates from where the run is. */
static int pass_updates(struct bt_train_run *t, struct bt_error *err)
{
	const struct bt_device_step none = {0};
	size_t pos = (size_t)t->s.pos, seen;
	int r = BT_OK;

	bt_batches_seek(&t->batches, t->s.epoch, pos);
	t->gather.step = t->gather.b.step = (uint32_t)t->s.step;
	for (seen = 0; r == BT_OK && seen < SEEN && t->s.step < t->total;
	     seen++) {
		if (pos >= t->batches.n) {
			pos -= t->batches.n;
			bt_batches_seek(&t->batches, ++t->s.epoch, pos);
		}
		r = pass_update(t, &pos, err);
		if (r == BT_OK && seen == 0 && t->o->fgm > 0)
			r = move(t, err);
		if (r == BT_OK && seen == 0)
			r = bt_device_update(t->o->device, &none, err);
	}
	return r;
}

/* The same with batches of its own. */
static int pass_apart(const struct bt_train_run *t, struct bt_error *err)
{
	struct bt_train_run x = {.m = t->m,
	                         .train = t->train,
	                         .o = t->o,
	                         .s = t->s,
	                         .total = t->total};
	size_t tokens, texts;
	int r = bt_batches_init(&x.batches, t->train, &t->o->batching, err);

	bt_engine_limits(t->m->engine, &tokens, &texts);
	x.batches.o.seed = t->batches.o.seed;
	if (r == BT_OK)
		r = bt_gather_init(&x.gather, texts, tokens, t->train->width,
		                   err);
	x.gather.passes = (int)bt_train_passes(t->o);
	x.gather.masking = t->o->masking;
	if (r == BT_OK)
		r = pass_updates(&x, err);
	bt_batches_clear(&x.batches);
	bt_gather_clear(&x.gather);
	return r;
}

/* Goes through all that the device is to compute where nothing is computed. */
static int pass(const struct bt_train_run *t, struct bt_error *err)
{
	int r = t->o->measure_only ? BT_OK : pass_apart(t, err);

	return r == BT_OK && t->eval != NULL
	           ? bt_forward_plan(t->eval, t->o->device,
	                             bt_model_width(t->m), err)
	           : r;
}

/* Compiles what the updates to come and evaluation need. A run that is stopped
 * meanwhile ends where it always does, before its next update. */
static int compile_ahead(const struct bt_train_run *t, struct bt_error *err)
{
	struct bt_error why = {0};
	int r;

	bt_device_plan_begin(t->o->device);
	r = pass(t, &why);
	r = r == BT_OK ? bt_device_plan_end(t->o->device, &why) : r;
	if (r == BT_ECANCEL)
		bt_error_clear(&why);
	return r == BT_ECANCEL || r == BT_OK
	           ? BT_OK
	           : bt_error_set(err, r, "%s", why.text);
}

static int load_all(struct bt_train_run *t, const struct places *x,
                    struct bt_error *err)
{
	const float *const *param = (const float *const *)x->param;
	struct bt_device_sizes sizes = {0};
	struct bt_device_learning o = {
	    .sizes = &sizes,
	    .seed = t->o->batching.seed,
	    .longest = t->train->longest,
	    .rule = rule_of(t->o->optim.kind),
	    .row_norm = t->optim.o.clip_rows,
	    .smoothing = (float)t->o->smoothing,
	    .class_weight = t->o->class_weights,
	    .pos_weight = t->o->pos_weights,
	    .r_drop = (float)t->o->r_drop,
	    .places = is_whole(t) ? SIZE_MAX : 0,
	    .given = is_apart(t),
	    .moves = t->o->fgm > 0,
	    .move_param = bt_fgm_words(&t->m->graph),
	    .embedding_loss = t->o->embedding_loss,
	    .matryoshka = t->o->matryoshka,
	    .moment1 = (const float *const *)x->m,
	    .moment2 = (const float *const *)x->v,
	};
	bool loaded = t->gather.device != NULL, learns = !t->o->measure_only;
	int r;

	if (t->o->teacher != NULL) {
		o.teacher_weight = (float)t->o->teacher_weight;
		o.temperature = (float)t->o->temperature;
	}
	r = loaded ? bt_device_reload(t->o->device, param, err)
	           : bt_device_load(t->o->device, &t->m->graph, param,
	                            bt_engine_is_bf16(t->m->engine), err);
	t->gather.device = t->o->device; /* in evaluation, too */
	t->o->waiter->stopped = t->o->stopped;
	if (r == BT_OK && !loaded && learns)
		r = choose_sizes(t, &sizes, err);
	if (r == BT_OK && learns)
		r = bt_device_learn(t->o->device, &o, err);
	if (r == BT_OK && !loaded)
		r = compile_ahead(t, err);
	bt_device_sizes_clear(&sizes);
	return r;
}

static int begin(struct bt_train_run *t, struct bt_error *err)
{
	(void)t;
	(void)err;
	return BT_OK;
}

static int load(struct bt_train_run *t, struct bt_error *err)
{
	struct places x;
	int r = find(t, &x, err);

	if (r == BT_OK) {
		r = load_all(t, &x, err);
		free(x.param);
	}
	return r;
}

static int read(struct bt_train_run *t, bool moments, struct bt_error *err)
{
	const struct bt_graph *g = &t->m->graph;
	struct places x;
	bool both;
	int i, r = find(t, &x, err);

	if (r != BT_OK)
		return r;
	for (i = 0; i < g->n_params && r == BT_OK; i++) {
		both = moments && !g->params[i].frozen;
		r = bt_device_read(t->o->device, i, x.param[i],
		                   both ? x.m[i] : NULL, both ? x.v[i] : NULL,
		                   err);
	}
	free(x.param);
	return r;
}

static int apply(struct bt_train_run *t, float *rates, float *keeps,
                 struct bt_error *err)
{
	double clip = t->optim.o.clip, more;
	struct bt_device_step s;
	struct bt_adamw w;

	bt_optim_constants(&t->optim, bt_train_rate(t, t->s.step),
	                   t->s.step + 1, &w, &more, rates, keeps);
	s = (struct bt_device_step){.beta1 = w.beta1,
	                            .beta2 = w.beta2,
	                            .fresh1 = w.fresh1,
	                            .fresh2 = w.fresh2,
	                            .correct1 = w.rate,
	                            .correct2 = w.correct2,
	                            .eps = w.eps,
	                            .limit = w.limit,
	                            .clip = clip > 0 ? (float)clip : INFINITY,
	                            .clip_more = (float)more,
	                            .rates = rates,
	                            .keeps = keeps};
	return bt_device_update(t->o->device, &s, err);
}

static int update(struct bt_train_run *t, struct bt_error *err)
{
	size_t n = (size_t)t->m->graph.n_params;
	float *rates = bt_array(2 * n + 1, sizeof(*rates));
	int r;

	if (rates == NULL)
		return bt_error_nomem(err, "updating a model");
	r = apply(t, rates, rates + n, err);
	free(rates);
	return r == BT_OK ? BT_OK : blame_step(t, t->s.step + 1, err);
}

static int outcome(struct bt_train_run *t, struct bt_train_update *u,
                   struct bt_error *err)
{
	struct bt_device_outcome x;

	if (bt_device_outcome(t->o->device, &x, err) != BT_OK)
		return blame_step(t, t->s.step, err);
	u->sum.loss += x.loss;
	if (!isfinite(u->sum.loss))
		return bt_train_diverged(t, t->s.step, "loss", err);
	if (!isfinite(x.norm))
		return bt_train_diverged(t, t->s.step, "gradient", err);
	if (t->train->width == 0)
		u->sum.right += x.right;
	t->norm = x.norm;
	return BT_OK;
}

static bool is_idle(const struct bt_train_run *t)
{
	return bt_device_idle(t->o->device);
}

const struct bt_train_on bt_train_on_device = {
    begin, load, embed, batch, move, move_back, update, outcome, is_idle, read};

int bt_job_device_open(struct bt_job *j, struct bt_error *err)
{
	int r = BT_OK;

	if (j->o.device == NULL)
		return BT_OK;
	if (!j->o.lent && j->o.costs.print != NULL)
		r = bt_device_open_costs(j->o.device, j->o.replicas,
		                         &j->o.costs, &j->o.train.device, err);
	else if (!j->o.lent)
		r = bt_device_open(j->o.device, j->o.replicas,
		                   &j->o.train.device, err);
	if (r != BT_OK)
		return r;
	j->o.train.waiter = &j->waiter;
	bt_device_wait(&j->waiter, j->o.train.device, bt_job_log(j),
	               j->o.train.progress);
	return BT_OK;
}

void bt_job_device_close(struct bt_job *j)
{
	if (!j->o.lent) {
		bt_device_close(j->o.train.device);
		return;
	}
	bt_device_unload(j->o.train.device);
	bt_device_watch(j->o.train.device, NULL, NULL);
}

int bt_job_share_device(struct bt_job_opts *o, struct bt_error *err)
{
	int r;

	if (o->device == NULL)
		return BT_OK;
	r = bt_device_open(o->device, o->replicas, &o->train.device, err);
	if (r != BT_OK)
		return r;
	o->lent = true;
	bt_device_keep_programs(o->train.device);
	return BT_OK;
}

int bt_job_costs(struct bt_job *j, struct bt_error *err)
{
	struct bt_train_run t = {.m = &j->model,
	                         .train = &j->train,
	                         .eval = j->has_eval ? &j->eval : NULL,
	                         .o = &j->o.train};
	struct places nowhere = {0};
	int r;

	if (j->o.costs.print == NULL)
		return BT_OK;
	r = bt_batches_init(&t.batches, t.train, &t.o->batching, err);
	if (r == BT_OK)
		t.total = t.o->steps > 0
		              ? t.o->steps
		              : bt_batches_total(&t.batches, t.o->epochs);
	if (r == BT_OK)
		r = load_all(&t, &nowhere, err);
	if (r == BT_OK)
		r = pass(&t, err);
	bt_batches_clear(&t.batches);
	return r;
}

bool bt_job_low(const struct bt_job *j)
{
	if (j->o.train.device != NULL)
		return bt_model_low_on(j->o.train.device, j->o.dtype);
	/* of one that is not opened its name must tell */
	return bt_model_low(j->o.dtype, j->o.gemm) ||
	       (j->o.device != NULL && j->o.dtype == BT_PRECISION_AUTO &&
	        strcmp(j->o.device, "cpu") != 0);
}

void bt_job_log_model(const struct bt_job *j)
{
	struct bt_buf b = BT_BUF_INIT;

	if (j->o.device == NULL) {
		bt_model_log(&j->model, bt_job_log(j));
		return;
	}
	if (j->o.train.device == NULL) /* it is not opened */
		return;
	bt_device_describe(j->o.train.device, bt_job_low(j), &b);
	bt_log(bt_job_log(j), BT_LOG_MORE, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}

void bt_job_device_tell(const struct bt_job *j)
{
	double filled;

	if (j->o.train.device == NULL)
		return;
	filled = bt_device_tell(j->o.train.device, bt_job_log(j));
	bt_log(bt_job_log(j), BT_LOG_MORE, "%.1f %% of rows filled",
	       100 * filled);
}

/* SPDX-License-Identifier: MIT */
/* Updates that this machine's CPU computes. */
#include <math.h>

#include "base/sys.h"
#include "train/train_int.h"

/* Adds to the engine's error the example and the step: the batch begins at that
 * position of the epoch. */
static int locate_error(const struct bt_train_run *t, size_t pos,
                        struct bt_error *err)
{
	long text = bt_engine_bad_sequence(t->m->engine);
	struct bt_span id = {NULL, 0};

	if (text >= 0)
		id = bt_dataset_id(
		    t->train,
		    t->batches
		        .order[pos + (size_t)text / bt_train_passes(t->o)]);
	if (id.p != NULL)
		bt_error_prefix(err, "example '%.*s'",
		                (int)(id.n < 100 ? id.n : 100), id.p);
	return bt_error_prefix(err, "step %lld of %lld",
	                       (long long)t->s.step + 1, (long long)t->total);
}

/* Counts those of the batch, from position pos of the epoch on, whose largest
 * logit, the first of equal ones, is their class's. */
static void count_right(const struct bt_train_run *t, size_t pos,
                        struct bt_shard_sum *sum)
{
	const float *x = bt_engine_logits(t->m->engine);
	const struct bt_batch *b = &t->gather.b;
	size_t classes = bt_model_width(t->m), i, k, best;

	size_t rows = bt_engine_logit_rows(t->m->engine);

	for (i = 0; i < b->sequences && t->o->answered != NULL; i++) {
		k = t->train->per_token ? (size_t)b->start[i] : i;
		t->o->answered(
		    t->o->news_ctx, true, t->train,
		    t->batches.order[pos + i / bt_train_passes(t->o)],
		    x + k * classes);
	}
	if (t->train->width > 0) { /* no output is a class */
		sum->seen += (int64_t)b->sequences;
		return;
	}
	for (i = 0; i < rows; i++, x += classes) {
		for (k = 1, best = 0; k < classes; k++)
			if (x[k] > x[best])
				best = k;
		sum->seen += b->labels == NULL || b->labels[i] >= 0;
		sum->right += b->labels != NULL && (int)best == b->labels[i];
	}
}

int bt_train_cpu_forward(struct bt_train_run *t, size_t pos,
                         struct bt_error *err)
{
	int r = bt_engine_forward(t->m->engine, &t->gather.b, err);

	t->res->flop += bt_engine_flop(t->m->engine);
	return r == BT_OK ? BT_OK : locate_error(t, pos, err);
}

static int batch(struct bt_train_run *t, size_t pos, bool add,
                 struct bt_shard_sum *sum, struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	int r = bt_train_cpu_forward(t, pos, err);

	if (r != BT_OK)
		return r;
	sum->loss += bt_engine_loss(e);
	if (!isfinite(sum->loss))
		return bt_train_diverged(t, "loss", err);
	r = bt_engine_backward(e, add, err);
	if (r != BT_OK)
		return locate_error(t, pos, err);
	if (!t->moved)
		count_right(t, pos, sum);
	t->res->flop += bt_engine_backward_flop(e);
	return BT_OK;
}

static int update(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	double start = bt_seconds(), norm;
	int r = BT_OK;

	norm = bt_optim_norm(&t->optim, t->grads, bt_engine_sparse_excess(e));
	if (!isfinite(norm))
		r = bt_train_diverged(t, "gradient", err);
	if ((r = bt_dist_agree(t->o->dist, r, err)))
		return r;
	t->norm = norm;
	bt_train_add_time(t, "gradient norm", start, 1);
	start = bt_seconds();
	bt_optim_update(&t->optim, bt_engine_params(e), t->grads, norm,
	                bt_train_rate(t, t->s.step), t->s.step + 1);
	bt_train_add_time(t, "optimizer", start,
	                  bt_optim_traffic(t->optim.o.kind));
	if (bt_average_stands(&t->average, t->s.step + 1)) {
		start = bt_seconds();
		bt_average_update(&t->average, bt_engine_params(e),
		                  t->s.step + 1);
		bt_train_add_time(t, "average of weights", start, 3);
	}
	return bt_engine_pack_trained(e, err);
}

static int load(struct bt_train_run *t, struct bt_error *err)
{
	return bt_engine_pack(t->m->engine, err);
}

/* They are where they are wanted. */
static int read(struct bt_train_run *t, bool moments, struct bt_error *err)
{
	(void)t;
	(void)moments;
	(void)err;
	return BT_OK;
}

const struct bt_train_on bt_train_on_cpu = {load, batch, update, read};

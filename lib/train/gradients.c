/* SPDX-License-Identifier: MIT */
/* The gradients of an update. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "train/train_int.h"

/* What example i weighs in this update. */
static double loss_weight(const struct bt_train_run *t, size_t i)
{
	const struct bt_dataset *d = t->train;

	if (t->o->class_weights != NULL)
		return (double)d->weight[i] *
		       (double)t->o->class_weights[d->label[i]];
	if (t->o->masking == NULL || bt_dataset_selected(d, i) > 0)
		return bt_dataset_loss_weight(d, i);
	return (double)d->weight[i] *
	       (double)bt_masking_count(t->o->masking, t->gather.step,
	                                d->before + i, bt_dataset_length(d, i),
	                                d->ids + d->start[i]);
}

/* Sets what is the same for all batches of the update. Returns what its
 * examples weigh. */
static double begin_update(struct bt_train_run *t)
{
	struct bt_batch *b = &t->gather.b;
	double weight = 0, next = 0;
	size_t n, i;

	t->gather.masking = t->o->masking;
	t->gather.step = (uint32_t)t->s.step;
	for (n = t->batches.pos; n < t->update_end; n++) {
		i = t->batches.order[n];
		weight += loss_weight(t, i);
		if (t->train->label[i] != BT_NEXT_UNKNOWN)
			next += (double)t->train->weight[i];
	}
	b->train = true;
	b->step = (uint32_t)t->s.step;
	b->logit_grads = NULL;
	b->smoothing = (float)t->o->smoothing;
	b->embedding_loss = t->o->embedding_loss;
	b->matryoshka = t->o->matryoshka;
	b->class_weight = t->o->class_weights;
	b->pos_weight = t->o->pos_weights;
	b->teacher = t->o->teacher;
	b->teacher_weight = (float)t->o->teacher_weight;
	b->temperature = (float)t->o->temperature;
	b->r_drop = (float)t->o->r_drop;
	weight *= (double)bt_train_passes(t->o);
	b->loss_scale = weight > 0 ? (float)(1 / weight) : 0;
	weight /= (double)bt_train_passes(t->o);
	b->next_scale = next > 0 ? (float)(1 / next) : 0;
	return weight;
}

/* The examples of an update that one shard has: a part of each batch. */
struct part {
	size_t next; /* where the batch behind it begins */
	size_t pos, n;
	size_t counted; /* examples of the update that token0 counts */
};

static struct part begin_parts(struct bt_train_run *t)
{
	size_t first = t->batches.pos;

	t->gather.b.token0 = t->gather.b.sequence0 = 0;
	return (struct part){.next = first, .counted = first};
}

/* Goes on to the shard's part of the next batch that has one for it. */
static bool next_part(struct bt_train_run *t, int s, struct part *p)
{
	const struct bt_batches *b = &t->batches;
	size_t n, end;

	for (p->n = 0; p->next < t->update_end && p->n == 0; p->next += n) {
		n = bt_batches_at(b, p->next);
		p->pos =
		    p->next + bt_batches_part(b, p->next, n, s, t->shards.n);
		end = p->next +
		      bt_batches_part(b, p->next, n, s + 1, t->shards.n);
		p->n = end - p->pos;
	}
	for (; p->n > 0 && p->counted < p->pos; p->counted++) {
		t->gather.b.token0 +=
		    (uint32_t)(bt_train_passes(t->o) *
		               bt_dataset_length(t->train,
		                                 b->order[p->counted]));
		t->gather.b.sequence0 += (uint32_t)bt_train_passes(t->o);
	}
	return p->n > 0;
}

static void gather(struct bt_train_run *t, const struct part *p)
{
	t->gather.passes = (int)bt_train_passes(t->o);
	bt_gather_fill(&t->gather, t->train, t->batches.order + p->pos, 0,
	               p->n);
	t->gather.b.teacher_row = t->gather.rows;
}

/* A rank has a run of the texts of each batch. */
static void share_embeddings(struct bt_train_run *t)
{
	int ranks = bt_dist_size(t->o->dist), n = t->shards.n, r;
	size_t first = t->batches.pos, pos, texts;
	size_t *at;

	if (ranks == 1)
		return;
	at = bt_array((size_t)ranks + 1, sizeof(*at));
	for (pos = first; pos < t->update_end; pos += texts) {
		texts = bt_batches_at(&t->batches, pos);
		for (r = 0; r <= ranks; r++)
			at[r] = pos - first +
			        bt_batches_part(&t->batches, pos, texts,
			                        bt_shard_first(n, r, ranks), n);
		bt_dist_share(t->o->dist, t->whole.x,
		              t->whole.width * sizeof(*t->whole.x), at);
	}
	free(at);
}

/* Embeds the texts of the update, and compares them: the loss, and its gradient
 * in t->whole. */
static int compare_update(struct bt_train_run *t, double *loss,
                          struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	size_t first = t->batches.pos;
	struct bt_batch *b = &t->gather.b;
	struct part p;
	double start;
	int r = BT_OK, s;

	b->logit_grads = t->whole.grads; /* no loss */
	for (s = t->shards.first; s < t->shards.last && r == BT_OK; s++)
		for (p = begin_parts(t); r == BT_OK && next_part(t, s, &p);) {
			gather(t, &p);
			r = t->on->embed(
			    t, p.pos,
			    t->whole.x + (p.pos - first) * t->whole.width, err);
		}
	r = bt_dist_agree(t->o->dist, r, err);
	if (r != BT_OK)
		return r;
	share_embeddings(t);
	start = bt_seconds();
	*loss = bt_whole_update_loss(&t->whole, e, t->train,
	                             t->batches.order + first,
	                             t->update_end - first, b);
	bt_train_add_time(t, "loss of the update", start, 0);
	if (!isfinite(*loss))
		r = bt_train_diverged(t, t->s.step + 1, "loss", err);
	return bt_dist_agree(t->o->dist, r, err);
}

static void ready(void *ctx, size_t from)
{
	bt_shards_ready(ctx, from);
}

/* Lets the backward pass over a part tell what it has done, if it completes
 * what this rank hands over. */
static void listen(struct bt_train_run *t, int s, const struct part *p)
{
	bool last = s == t->shards.last - 1 && p->next == t->update_end;

	bt_engine_on_ready(t->m->engine,
	                   last && t->shards.bucket > 0 ? ready : NULL,
	                   &t->shards);
}

/* Forward and backward over the examples of a shard. */
static int shard_gradients(void *ctx, int s, struct bt_error *err)
{
	struct bt_train_run *t = ctx;
	struct bt_batch *b = &t->gather.b;
	struct bt_shard_sum *sum = &t->shard_sums[s];
	size_t first = t->batches.pos;
	struct part p;
	bool any = false;
	int r;

	*sum = (struct bt_shard_sum){0};
	for (p = begin_parts(t); next_part(t, s, &p); any = true) {
		if (t->comparing)
			b->logit_grads =
			    t->whole.grads + (p.pos - first) * t->whole.width;
		gather(t, &p);
		listen(t, s, &p);
		r = t->on->batch(t, p.pos, any, sum, err);
		bt_engine_on_ready(t->m->engine, NULL, NULL);
		if (r != BT_OK)
			return r;
		sum->tokens += t->gather.b.tokens / bt_train_passes(t->o);
	}
	if (!any) /* of several: the CPU's */
		bt_engine_zero_grads(t->m->engine);
	if (t->optim.rows != NULL)
		t->shard_rows = bt_engine_row_grads(t->m->engine);
	return BT_OK;
}

/* What all shards had, to all ranks. */
static void share_sums(struct bt_train_run *t)
{
	int ranks = bt_dist_size(t->o->dist), r;
	size_t *at = bt_array((size_t)ranks + 1, sizeof(*at));

	for (r = 0; r <= ranks; r++)
		at[r] = (size_t)bt_shard_first(t->shards.n, r, ranks);
	bt_dist_share(t->o->dist, t->shard_sums, sizeof(*t->shard_sums), at);
	free(at);
}

static struct bt_shard_sum sum_of(const struct bt_train_run *t)
{
	struct bt_shard_sum all = {0};
	const struct bt_shard_sum *x;

	for (x = t->shard_sums; x < t->shard_sums + t->shards.n; x++) {
		all.loss += x->loss;
		all.right += x->right;
		all.seen += x->seen;
		all.tokens += x->tokens;
	}
	return all;
}

/* Where the parameters are, the loss of the update and its gradients. */
static int pass(struct bt_train_run *t, double *loss, struct bt_error *err)
{
	int r = BT_OK;

	*loss = 0;
	if (t->comparing)
		r = compare_update(t, loss, err);
	if (r != BT_OK)
		return r;
	return bt_shards_add_up(&t->shards, shard_gradients, t, &t->grads, err);
}

/* The same for words that their gradients moved, which then return. */
static int pass_moved(struct bt_train_run *t, struct bt_error *err)
{
	double loss;
	int r = bt_dist_agree(t->o->dist, t->on->move(t, err), err);

	if (r != BT_OK)
		return r;
	t->moved = true;
	r = pass(t, &loss, err);
	t->moved = false;
	t->on->move_back(t, r == BT_OK);
	return r;
}

int bt_train_gradients(struct bt_train_run *t, struct bt_train_update *u,
                       struct bt_error *err)
{
	size_t first = t->batches.pos;
	double loss;
	int r;

	t->update_end = bt_batches_update_end(&t->batches, first);
	t->comparing =
	    t->whole.x != NULL &&
	    (t->shards.n > 1 || t->o->device != NULL ||
	     bt_batches_at(&t->batches, first) < t->update_end - first);
	u->end = t->update_end;
	u->examples = bt_batches_between(&t->batches, first, u->end);
	u->weight = begin_update(t);
	if (t->optim.rows != NULL)
		bt_train_cpu_rows(t);
	if ((r = pass(t, &loss, err)))
		return r;
	share_sums(t);
	u->sum = sum_of(t);
	u->sum.loss += loss;
	return t->o->fgm > 0 ? pass_moved(t, err) : BT_OK;
}

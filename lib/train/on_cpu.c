/* SPDX-License-Identifier: MIT */
/* Updates that this machine's CPU computes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "train/train_int.h"

/* Words of the vocabulary for each that an update has, at least: then rows cost
 * less than the table; and less to send. */
#define FEW 4
#define FEW_TO_SEND 2

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

static int forward(struct bt_train_run *t, size_t pos, struct bt_error *err)
{
	int r = bt_engine_forward(t->m->engine, &t->gather.b, err);

	t->res->flop += bt_engine_flop(t->m->engine);
	return r == BT_OK ? BT_OK : locate_error(t, pos, err);
}

static int embed(struct bt_train_run *t, size_t pos, float *to,
                 struct bt_error *err)
{
	const struct bt_engine *e = t->m->engine;
	int r = forward(t, pos, err);

	if (r == BT_OK)
		memcpy(to, bt_engine_logits(e),
		       bt_engine_logit_rows(e) * t->whole.width * sizeof(*to));
	return r;
}

static int batch(struct bt_train_run *t, size_t pos, bool add,
                 struct bt_shard_sum *sum, struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	int r = forward(t, pos, err);

	if (r != BT_OK)
		return r;
	sum->loss += bt_engine_loss(e);
	if (!isfinite(sum->loss))
		return bt_train_diverged(t, t->s.step + 1, "loss", err);
	r = bt_engine_backward(e, add, err);
	if (r != BT_OK)
		return locate_error(t, pos, err);
	if (!t->moved)
		count_right(t, pos, sum);
	t->res->flop += bt_engine_backward_flop(e);
	return BT_OK;
}

static int move(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	double start = bt_seconds();
	int r;

	if (!bt_fgm_move(&t->fgm, bt_engine_params(e), t->grads))
		return bt_train_diverged(t, t->s.step + 1, "gradient", err);
	r = bt_engine_pack_trained(e, err);
	if (r != BT_OK)
		(void)bt_fgm_end(&t->fgm, bt_engine_params(e), NULL);
	bt_train_add_time(t, "adversarial step", start, 0);
	return r;
}

static void move_back(struct bt_train_run *t, bool computed)
{
	double start = bt_seconds();

	/* what is packed stays moved until the update packs again */
	t->grads = bt_fgm_end(&t->fgm, bt_engine_params(t->m->engine),
	                      computed ? t->grads : NULL);
	bt_train_add_time(t, "adversarial step", start, 0);
}

/* The share of all parameters that each update goes through. */
static double share_of(const struct bt_train_run *t)
{
	const struct bt_graph *g = &t->m->graph;
	size_t rows = 0;

	if (t->optim.rows != NULL)
		rows = bt_param_size(&g->params[t->optim.by_rows]);
	return (double)(g->n_floats - rows) / (double)g->n_floats;
}

/* Seconds, which count as those of other ranks. */
static double exchanged(const struct bt_train_run *t)
{
	return bt_dist_times(t->o->dist).exchanging;
}

static int update(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_engine *e = t->m->engine;
	double start = bt_seconds(), before = exchanged(t), norm;
	int r = BT_OK;

	norm = bt_optim_norm(&t->optim, t->grads, &t->shards.rows,
	                     bt_engine_sparse_excess(e));
	if (!isfinite(norm))
		r = bt_train_diverged(t, t->s.step + 1, "gradient", err);
	if ((r = bt_dist_agree(t->o->dist, r, err)))
		return r;
	t->norm = norm;
	bt_train_add_time(t, "gradient norm", start + exchanged(t) - before,
	                  share_of(t));
	start = bt_seconds();
	before = exchanged(t);
	bt_optim_update(&t->optim, bt_engine_params(e), t->grads,
	                &t->shards.rows, norm, bt_train_rate(t, t->s.step),
	                t->s.step + 1);
	bt_train_add_time(t, "optimizer", start + exchanged(t) - before,
	                  bt_optim_traffic(t->optim.o.kind) * share_of(t));
	return bt_engine_pack_trained(e, err);
}

void bt_train_cpu_rows(struct bt_train_run *t)
{
	double start = bt_seconds(), before = exchanged(t);
	const struct bt_dataset *d = t->train;
	const int32_t *ids;
	size_t n, i;

	bt_row_set_begin(&t->row_set);
	for (n = t->batches.pos; n < t->update_end; n++) {
		i = t->batches.order[n];
		ids = bt_gather_ids(&t->gather, d, i);
		bt_row_set_add(&t->row_set, ids, bt_dataset_length(d, i));
	}
	bt_row_set_end(&t->row_set, t->optim.row_at);
	bt_optim_catch_up(&t->optim, bt_engine_params(t->m->engine),
	                  &t->row_set);
	bt_train_add_time(t, "optimizer", start + exchanged(t) - before, 0);
}

/* Words that an update has at most: as many as it has tokens, or all texts have
 * words. */
static size_t most_words(const struct bt_batches *b, size_t n_rows, bool drawn)
{
	size_t tokens = bt_batches_update_tokens(b), n = 0, i;
	const struct bt_dataset *d = b->d;
	uint8_t *is = drawn ? NULL : bt_array0(n_rows, sizeof(*is));

	for (i = 0; is != NULL && i < d->start[d->n]; i++) {
		n += is[d->ids[i]] == 0;
		is[d->ids[i]] = 1;
	}
	n = is == NULL || n > tokens ? tokens : n;
	free(is);
	return n < n_rows ? n : n_rows;
}

int bt_train_by_rows(const struct bt_model *m, const struct bt_batches *b,
                     const struct bt_train_opts *o, size_t *most)
{
	int word = o->device == NULL ? bt_engine_word_table(m->engine) : -1;
	size_t few = o->dist == NULL ? FEW : FEW_TO_SEND, n_rows;

	if (word < 0 || !bt_optim_takes_rows(o->optim.kind) || o->fgm > 0 ||
	    (o->dist != NULL &&
	     m->graph.params[word].offset != bt_graph_first_trained(&m->graph)))
		return -1;
	n_rows = (size_t)m->graph.params[word].rows;
	*most = most_words(b, n_rows, o->masking != NULL);
	return *most <= n_rows / few ? word : -1;
}

/* All bits are the same by rows. What moves the table reads all of it. */
static int begin(struct bt_train_run *t, struct bt_error *err)
{
	const struct bt_graph *g = &t->m->graph;
	size_t most;
	int word = bt_train_by_rows(t->m, &t->batches, t->o, &most), r;

	bt_engine_by_rows(t->m->engine, word >= 0);
	if (word < 0) /* as with FGM */
		return bt_fgm_init(&t->fgm, g, t->o->fgm, &t->optim, err);
	r = bt_optim_by_rows(&t->optim, g, word, most, err);
	return r == BT_OK
	           ? bt_row_set_init(&t->row_set, (size_t)g->params[word].rows,
	                             most, bt_dist_size(t->o->dist), err)
	           : r;
}

static int load(struct bt_train_run *t, struct bt_error *err)
{
	return bt_engine_pack(t->m->engine, err);
}

/* They are where they are wanted, but rows may be behind. */
static int read(struct bt_train_run *t, bool moments, struct bt_error *err)
{
	bt_optim_catch_up(&t->optim, bt_engine_params(t->m->engine), NULL);
	(void)moments;
	(void)err;
	return BT_OK;
}

const struct bt_train_on bt_train_on_cpu = {
    begin, load, embed, batch, move, move_back, update, NULL, NULL, read};

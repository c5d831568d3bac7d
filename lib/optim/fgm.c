/* SPDX-License-Identifier: MIT */
#include "optim/fgm.h"

#include <math.h>
#include <string.h>

#include "optim/optim_int.h"

/* A graph begins with the embeddings of its tokens. */
int bt_fgm_words(const struct bt_graph *g)
{
	return g->nodes[0].u.embed.word;
}

int bt_fgm_check(const struct bt_graph *g, double epsilon, struct bt_error *err)
{
	if (epsilon > 0 && g->params[bt_fgm_words(g)].frozen)
		return bt_error_set(err, BT_EARG,
		                    "the embeddings of words are frozen: they "
		                    "have no gradient to be moved by");
	return BT_OK;
}

size_t bt_fgm_bytes(const struct bt_graph *g, double epsilon, int ranks)
{
	if (epsilon == 0)
		return 0;
	return (bt_param_size(&g->params[bt_fgm_words(g)]) +
	        bt_graph_trained(g) / (size_t)ranks) *
	       sizeof(float);
}

int bt_fgm_init(struct bt_fgm *f, const struct bt_graph *g, double epsilon,
                struct bt_optim *a, struct bt_error *err)
{
	size_t bytes = g->n_floats * sizeof(float);

	memset(f, 0, sizeof(*f));
	if (epsilon == 0)
		return BT_OK;
	f->epsilon = epsilon;
	f->a = a;
	f->word = bt_fgm_words(g);
	f->offset = g->params[f->word].offset;
	if (bt_arena_init(&f->table, bt_param_size(&g->params[f->word]) *
	                                 sizeof(float)) != BT_OK ||
	    bt_arena_init(&f->grads, bytes) != BT_OK) {
		bt_fgm_clear(f);
		return bt_error_nomem(err, "keeping parameters");
	}
	if (bt_graph_scattered(g))
		bt_arena_sparse(&f->grads, 0, bytes);
	return BT_OK;
}

void bt_fgm_clear(struct bt_fgm *f)
{
	bt_arena_clear(&f->table);
	bt_arena_clear(&f->grads);
	memset(f, 0, sizeof(*f));
}

struct job {
	const struct bt_fgm *f;
	float scale; /* of the gradient that the table is moved by */
	float *params;
	const float *grads;
};

/* The norm of the table's gradient, by the sums of squares that bt_optim_norm
 * left. */
static double word_norm(const struct bt_fgm *f)
{
	double sum = 0;
	int i;

	for (i = 0; i < f->a->n_pieces; i++)
		if (f->a->pieces[i].param == f->word)
			sum += f->a->sums[i];
	return sqrt(sum);
}

/* A piece of the table, where it is kept. */
static float *kept(const struct bt_fgm *f, const struct bt_optim_piece *x)
{
	return (float *)f->table.base + (x->offset - f->offset);
}

static float *kept_gradients(const struct bt_fgm *f,
                             const struct bt_optim_piece *x)
{
	return (float *)f->grads.base + x->offset;
}

static void move_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	const struct bt_optim *a = j->f->a;
	const struct bt_optim_piece *x = &a->pieces[piece];
	size_t bytes = x->n * sizeof(float);

	(void)worker;
	if (x->param == j->f->word)
		memcpy(kept(j->f, x), j->params + x->offset, bytes);
	if (piece < a->first || piece >= a->last) /* another rank's */
		return;
	memcpy(kept_gradients(j->f, x), j->grads + x->offset, bytes);
	if (x->param == j->f->word && j->scale > 0)
		a->k->axpy(j->scale, j->grads + x->offset,
		           j->params + x->offset, x->n);
}

bool bt_fgm_move(struct bt_fgm *f, float *params, const float *grads)
{
	struct job j = {f, 0, params, grads};
	double norm;

	if (!isfinite(bt_optim_norm(f->a, grads, NULL, 0)))
		return false;
	norm = word_norm(f);
	if (norm > 0)
		j.scale = (float)(f->epsilon / norm);
	bt_pool_run(f->a->pool, move_piece, &j, f->a->n_pieces);
	bt_dist_share(f->a->dist, params, sizeof(*params), f->a->at);
	return true;
}

static void end_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	const struct bt_optim *a = j->f->a;
	const struct bt_optim_piece *x = &a->pieces[piece];

	(void)worker;
	if (x->param == j->f->word)
		memcpy(j->params + x->offset, kept(j->f, x),
		       x->n * sizeof(float));
	if (j->grads != NULL && piece >= a->first && piece < a->last)
		a->k->axpy(1, j->grads + x->offset, kept_gradients(j->f, x),
		           x->n);
}

const float *bt_fgm_end(struct bt_fgm *f, float *params, const float *grads)
{
	struct job j = {f, 0, params, grads};

	bt_pool_run(f->a->pool, end_piece, &j, f->a->n_pieces);
	return f->grads.base;
}

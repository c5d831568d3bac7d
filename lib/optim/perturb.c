/* SPDX-License-Identifier: MIT */
#include "optim/perturb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/optim_int.h"

/* A graph begins with the embeddings of its tokens. */
static int words_of(const struct bt_graph *g)
{
	return g->nodes[0].u.embed.word;
}

int bt_perturb_check(const struct bt_graph *g, const struct bt_perturb_opts *o,
                     struct bt_error *err)
{
	if (o->words > 0 && g->params[words_of(g)].frozen)
		return bt_error_set(err, BT_EARG,
		                    "the embeddings of words are frozen: they "
		                    "have no gradient to be moved by");
	return BT_OK;
}

/* Whether the options move a parameter. */
static bool moves(const struct bt_graph *g, const struct bt_perturb_opts *o,
                  int param)
{
	const struct bt_param *p = &g->params[param];

	return !p->frozen && ((o->words > 0 && param == words_of(g)) ||
	                      (o->weights > 0 && p->rank == 2));
}

size_t bt_perturb_bytes(const struct bt_graph *g,
                        const struct bt_perturb_opts *o, int ranks)
{
	size_t floats = 0;
	int i;

	for (i = 0; i < g->n_params; i++)
		if (moves(g, o, i))
			floats += bt_param_size(&g->params[i]);
	if (o->words > 0)
		floats += bt_graph_trained(g) / (size_t)ranks;
	return floats * sizeof(float);
}

int bt_perturb_init(struct bt_perturb *p, const struct bt_graph *g,
                    const struct bt_perturb_opts *o, struct bt_optim *a,
                    struct bt_error *err)
{
	size_t bytes = g->n_floats * sizeof(float);
	int i;

	memset(p, 0, sizeof(*p));
	p->o = *o;
	if (!bt_perturbs(o))
		return BT_OK;
	p->a = a;
	p->moves = bt_array((size_t)g->n_params, sizeof(*p->moves));
	p->scale = bt_array((size_t)g->n_params, sizeof(*p->scale));
	p->sums = bt_array((size_t)a->n_pieces, sizeof(*p->sums));
	if (p->moves == NULL || p->scale == NULL || p->sums == NULL ||
	    bt_arena_init(&p->params, bytes) != BT_OK ||
	    bt_arena_init(&p->grads, o->words > 0 ? bytes : 0) != BT_OK) {
		bt_perturb_clear(p);
		return bt_error_nomem(err, "keeping parameters");
	}
	for (i = 0; i < g->n_params; i++)
		p->moves[i] = moves(g, o, i);
	if (bt_graph_scattered(g)) {
		bt_arena_sparse(&p->params, 0, bytes);
		bt_arena_sparse(&p->grads, 0, p->grads.size);
	}
	return BT_OK;
}

void bt_perturb_clear(struct bt_perturb *p)
{
	free(p->moves);
	free(p->scale);
	free(p->sums);
	bt_arena_clear(&p->params);
	bt_arena_clear(&p->grads);
	memset(p, 0, sizeof(*p));
}

struct job {
	const struct bt_perturb *p;
	float *params;
	const float *grads;
};

/* The squares of what weights are to be moved in proportion to. */
static void weight_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	const struct bt_optim_piece *x = &j->p->a->pieces[piece];

	(void)worker;
	j->p->sums[piece] =
	    j->p->moves[x->param]
	        ? j->p->a->k->sum_squares(j->params + x->offset, x->n)
	        : 0;
}

/* How the gradient of each parameter is scaled, by the sums of its squares,
 * which bt_optim_norm left, and by those of the weights. */
static void set_scales(struct bt_perturb *p)
{
	const struct bt_optim *a = p->a;
	double g, w, far;
	int i, k = 0;

	for (i = 0; i < a->n_params; i++) {
		g = w = 0;
		for (; k < a->n_pieces && a->pieces[k].param == i; k++) {
			g += a->sums[k];
			w += p->sums[k];
		}
		far = p->o.words > 0 ? p->o.words : p->o.weights * sqrt(w);
		p->scale[i] = p->moves[i] && g > 0 ? (float)(far / sqrt(g)) : 0;
	}
}

/* The part of an arena. */
static float *at(const struct bt_arena *a, const struct bt_optim_piece *x)
{
	return (float *)a->base + x->offset;
}

static void move_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	const struct bt_optim *a = j->p->a;
	const struct bt_optim_piece *x = &a->pieces[piece];
	float scale = j->p->scale[x->param];
	size_t bytes = x->n * sizeof(float);

	(void)worker;
	if (scale > 0)
		memcpy(at(&j->p->params, x), j->params + x->offset, bytes);
	if (piece < a->first || piece >= a->last) /* another rank's */
		return;
	if (j->p->grads.size > 0)
		memcpy(at(&j->p->grads, x), j->grads + x->offset, bytes);
	if (scale > 0)
		a->k->axpy(scale, j->grads + x->offset, j->params + x->offset,
		           x->n);
}

bool bt_perturb_move(struct bt_perturb *p, float *params, const float *grads)
{
	struct job j = {p, params, grads};

	if (!isfinite(bt_optim_norm(p->a, grads, NULL, 0)))
		return false;
	if (p->o.weights > 0)
		bt_pool_run(p->a->pool, weight_piece, &j, p->a->n_pieces);
	set_scales(p);
	bt_pool_run(p->a->pool, move_piece, &j, p->a->n_pieces);
	bt_dist_share(p->a->dist, params, sizeof(*params), p->a->at);
	return true;
}

static void end_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	const struct bt_optim *a = j->p->a;
	const struct bt_optim_piece *x = &a->pieces[piece];

	(void)worker;
	if (j->p->scale[x->param] > 0)
		memcpy(j->params + x->offset, at(&j->p->params, x),
		       x->n * sizeof(float));
	if (j->grads != NULL && j->p->grads.size > 0 && piece >= a->first &&
	    piece < a->last)
		a->k->axpy(1, j->grads + x->offset, at(&j->p->grads, x), x->n);
}

const float *bt_perturb_end(struct bt_perturb *p, float *params,
                            const float *grads)
{
	struct job j = {p, params, grads};

	bt_pool_run(p->a->pool, end_piece, &j, p->a->n_pieces);
	return p->grads.size > 0 ? p->grads.base : grads;
}

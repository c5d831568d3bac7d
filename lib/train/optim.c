/* SPDX-License-Identifier: MIT */
#include "train/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"

#define PIECE ((size_t)1 << 15) /* floats: four arrays of them fit a cache */

struct bt_optim_piece {
	size_t offset, n;
	bool decay;
};

static int cut(struct bt_optim *a, const struct bt_graph *g)
{
	size_t n = 0, at, size;
	int i;

	for (i = 0; i < g->n_params; i++)
		n += (bt_param_size(&g->params[i]) + PIECE - 1) / PIECE;
	a->pieces = bt_array(n, sizeof(*a->pieces));
	a->sums = bt_array(n, sizeof(*a->sums));
	if (a->pieces == NULL || a->sums == NULL)
		return BT_ENOMEM;
	for (i = 0; i < g->n_params; i++) {
		size = bt_param_size(&g->params[i]);
		for (at = 0; at < size; at += PIECE) {
			a->pieces[a->n_pieces].offset =
			    g->params[i].offset + at;
			a->pieces[a->n_pieces].n =
			    size - at < PIECE ? size - at : PIECE;
			a->pieces[a->n_pieces++].decay = g->params[i].decay;
		}
	}
	return BT_OK;
}

int bt_optim_init(struct bt_optim *a, const struct bt_graph *g,
                  const struct bt_optim_opts *o, struct bt_pool *pool,
                  struct bt_error *err)
{
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	memset(a, 0, sizeof(*a));
	if (r != BT_OK)
		return r;
	a->o = *o;
	a->k = bt_kernels_for(isa);
	a->pool = pool;
	if (cut(a, g) != BT_OK ||
	    bt_arena_init(&a->m, g->n_floats * sizeof(float)) != BT_OK ||
	    bt_arena_init(&a->v, g->n_floats * sizeof(float)) != BT_OK) {
		bt_optim_clear(a);
		return bt_error_nomem(err, "preparing the optimizer");
	}
	return BT_OK;
}

void bt_optim_clear(struct bt_optim *a)
{
	bt_arena_clear(&a->m);
	bt_arena_clear(&a->v);
	free(a->pieces);
	free(a->sums);
	memset(a, 0, sizeof(*a));
}

struct norm_job {
	struct bt_optim *a;
	const float *g;
};

static void norm_piece(void *arg, int piece, int worker)
{
	const struct norm_job *j = arg;
	const struct bt_optim_piece *p = &j->a->pieces[piece];

	(void)worker;
	j->a->sums[piece] = j->a->k->sum_squares(j->g + p->offset, p->n);
}

double bt_optim_norm(struct bt_optim *a, const float *grads)
{
	struct norm_job j = {a, grads};
	double sum = 0;
	int i;

	bt_pool_run(a->pool, norm_piece, &j, a->n_pieces);
	for (i = 0; i < a->n_pieces; i++)
		sum += a->sums[i];
	return sqrt(sum);
}

struct update_job {
	struct bt_optim *a;
	struct bt_adamw with, without; /* weight decay */
	float *p;
	const float *g;
};

static void update_piece(void *arg, int piece, int worker)
{
	const struct update_job *j = arg;
	const struct bt_optim_piece *p = &j->a->pieces[piece];

	(void)worker;
	j->a->k->adamw(p->decay ? &j->with : &j->without, j->p + p->offset,
	               (float *)j->a->m.base + p->offset,
	               (float *)j->a->v.base + p->offset, j->g + p->offset,
	               p->n);
}

void bt_optim_update(struct bt_optim *a, float *params, const float *grads,
                     double norm, double lr, int64_t t)
{
	const struct bt_optim_opts *o = &a->o;
	struct update_job j = {.a = a, .p = params, .g = grads};
	struct bt_adamw *w = &j.with;

	w->beta1 = (float)o->beta1;
	w->beta2 = (float)o->beta2;
	w->fresh1 = (float)(1 - o->beta1);
	w->fresh2 = (float)(1 - o->beta2);
	w->rate = (float)(lr / (1 - pow(o->beta1, (double)t)));
	w->correct2 = (float)(1 / sqrt(1 - pow(o->beta2, (double)t)));
	w->eps = (float)o->eps;
	w->keep = (float)(1 - lr * o->weight_decay);
	w->grad_scale = 1;
	w->limit = INFINITY;
	if (o->clip > 0 && norm > o->clip)
		w->grad_scale = (float)(o->clip / (norm + 1e-6));
	j.without = j.with;
	j.without.keep = 1;
	bt_pool_run(a->pool, update_piece, &j, a->n_pieces);
}

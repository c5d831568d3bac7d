/* SPDX-License-Identifier: MIT */
#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "model/layers.h"
#include "optim/optim_int.h"
#include "optim/rows.h"

/* By which each parameter multiplies the learning rate. */
static double *scales(const struct bt_optim *a, const struct bt_graph *g)
{
	double *scale = bt_array((size_t)g->n_params, sizeof(*scale));
	int *layer = bt_array((size_t)g->n_params, sizeof(*layer)), n, i;

	if (scale != NULL && layer != NULL) {
		n = bt_layers(g, layer);
		for (i = 0; i < g->n_params; i++)
			scale[i] = g->params[i].head
			               ? a->o.head_scale
			               : pow(a->o.layer_decay, n - layer[i]);
	}
	free(layer);
	return scale;
}

static bool has_head(const struct bt_graph *g)
{
	int i = 0;

	while (i < g->n_params && (!g->params[i].head || g->params[i].frozen))
		i++;
	return i < g->n_params;
}

static int cut(struct bt_optim *a, const struct bt_graph *g)
{
	double *scale = scales(a, g);
	size_t n = 0, at, size;
	int i;

	for (i = 0; i < g->n_params; i++)
		if (!g->params[i].frozen)
			n += (bt_param_size(&g->params[i]) + BT_OPTIM_PIECE -
			      1) /
			     BT_OPTIM_PIECE;
	a->pieces = bt_array(n, sizeof(*a->pieces));
	a->sums = bt_array(n, 2 * sizeof(*a->sums));
	a->ratio = bt_array((size_t)g->n_params, sizeof(*a->ratio));
	if (a->pieces == NULL || a->sums == NULL || a->ratio == NULL ||
	    scale == NULL) {
		free(scale);
		return BT_ENOMEM;
	}
	a->n_params = g->n_params;
	for (i = 0; i < g->n_params; i++) {
		size = g->params[i].frozen ? 0 : bt_param_size(&g->params[i]);
		for (at = 0; at < size; at += BT_OPTIM_PIECE) {
			a->pieces[a->n_pieces++] = (struct bt_optim_piece){
			    .offset = g->params[i].offset + at,
			    .n = size - at < BT_OPTIM_PIECE ? size - at
			                                    : BT_OPTIM_PIECE,
			    .param = i,
			    .decay = g->params[i].decay,
			    .scale = scale[i]};
		}
	}
	free(scale);
	return BT_OK;
}

int bt_optim_init(struct bt_optim *a, const struct bt_graph *g,
                  const struct bt_optim_opts *o, struct bt_pool *pool,
                  struct bt_dist *dist, struct bt_error *err)
{
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	memset(a, 0, sizeof(*a));
	if (r != BT_OK)
		return r;
	a->o = bt_optim_complete(o);
	if (o->head_scale != 1 && !has_head(g))
		return bt_error_set(err, BT_EARG,
		                    "a learning rate of the head, and the "
		                    "model trains none");
	a->k = bt_kernels_for(isa);
	a->pool = pool;
	a->dist = dist;
	if (cut(a, g) != BT_OK ||
	    bt_arena_init(&a->m, g->n_floats * sizeof(float)) != BT_OK ||
	    (bt_optim_moments(o->kind) > 1 &&
	     bt_arena_init(&a->v, g->n_floats * sizeof(float)) != BT_OK)) {
		bt_optim_clear(a);
		return bt_error_nomem(err, "preparing the optimizer");
	}
	if (bt_graph_scattered(g)) {
		bt_arena_sparse(&a->m, 0, a->m.size);
		bt_arena_sparse(&a->v, 0, a->v.size);
	}
	return bt_optim_divide(a, g, err);
}

void bt_optim_clear(struct bt_optim *a)
{
	bt_arena_clear(&a->m);
	bt_arena_clear(&a->v);
	if (a->rows != NULL)
		bt_rows_clear(a->rows);
	free(a->rows);
	free(a->moving);
	free(a->pieces);
	free(a->sums);
	free(a->ratio);
	free(a->at);
	memset(a, 0, sizeof(*a));
}

/* Copies this rank's part of the moments. */
static void copy_own(const struct bt_optim *a, const float *from, float *to)
{
	size_t rank = (size_t)bt_dist_rank(a->dist), at = a->at[rank], end;

	memcpy(to + at, from + at, (a->at[rank + 1] - at) * sizeof(float));
	if (a->rows == NULL)
		return;
	at = a->rows->offset + a->rows->first * a->rows->cols;
	end = a->rows->offset + a->rows->last * a->rows->cols;
	memcpy(to + at, from + at, (end - at) * sizeof(float));
}

/* One arena; *all is a's own where this is the only process. */
static void collect(struct bt_optim *a, const struct bt_arena *own,
                    struct bt_arena *all)
{
	float *to = all->base;

	if (a->dist == NULL)
		return;
	if (bt_dist_is_first(a->dist))
		copy_own(a, own->base, to);
	else
		to = own->base;
	bt_dist_collect(a->dist, to, sizeof(float), a->at);
	if (a->rows != NULL)
		bt_dist_collect(a->dist, to + a->rows->offset,
		                a->rows->cols * sizeof(float), a->row_at);
}

int bt_optim_gather(struct bt_optim *a, struct bt_arena *m, struct bt_arena *v,
                    struct bt_error *err)
{
	int r = BT_OK;

	*m = a->dist == NULL ? a->m : (struct bt_arena){NULL, 0};
	*v = a->dist == NULL ? a->v : (struct bt_arena){NULL, 0};
	if (a->dist != NULL && bt_dist_is_first(a->dist) &&
	    (bt_arena_init(m, a->m.size) != BT_OK ||
	     bt_arena_init(v, a->v.size) != BT_OK))
		r = BT_ENOMEM;
	bt_dist_tell(a->dist, &r, sizeof(r));
	if (r != BT_OK) {
		bt_optim_give_back(a, m, v);
		return bt_error_nomem(err, "gathering the moments");
	}
	collect(a, &a->m, m);
	if (a->v.size > 0)
		collect(a, &a->v, v);
	return BT_OK;
}

void bt_optim_give_back(const struct bt_optim *a, struct bt_arena *m,
                        struct bt_arena *v)
{
	if (a->dist == NULL)
		return;
	bt_arena_clear(m);
	bt_arena_clear(v);
}

/* Pages of all zeros take no memory when they are new. */
static int forget(const struct bt_optim *a, struct bt_arena *all)
{
	struct bt_arena own;

	if (all->size == 0)
		return BT_OK;
	if (bt_arena_init(&own, all->size) != BT_OK)
		return BT_ENOMEM;
	copy_own(a, all->base, own.base);
	bt_arena_clear(all);
	*all = own;
	return BT_OK;
}

void bt_optim_go_on(struct bt_optim *a)
{
	/* what cannot be forgotten is never looked at */
	if (a->dist != NULL && forget(a, &a->m) == BT_OK)
		(void)forget(a, &a->v);
	a->stale = false;
	if (a->rows == NULL)
		return;
	a->rows->m = (float *)a->m.base + a->rows->offset;
	a->rows->v = (float *)a->v.base + a->rows->offset;
	bt_rows_go_on(a->rows);
}

bool bt_optim_takes_rows(enum bt_optimizer kind)
{
	return kind == BT_OPTIM_ADAMW || kind == BT_OPTIM_ADAMW_GOOGLE ||
	       kind == BT_OPTIM_ADAM;
}

int bt_optim_by_rows(struct bt_optim *a, const struct bt_graph *g, int i,
                     size_t most, struct bt_error *err)
{
	const struct bt_param *p = &g->params[i];
	size_t at = p->offset * sizeof(float);
	size_t bytes = bt_param_size(p) * sizeof(float);
	int rank = bt_dist_rank(a->dist);

	a->row_at[1] = (size_t)p->rows; /* of one process */
	if (a->dist != NULL) {
		bt_optim_divide_rows(a, g, i);
		a->moving = bt_array(most * (size_t)p->cols, sizeof(float));
		if (a->moving == NULL)
			return bt_error_nomem(err, "preparing the optimizer");
	}
	a->rows = bt_array0(1, sizeof(*a->rows));
	*a->rows = (struct bt_optim_rows){.offset = p->offset,
	                                  .n = (size_t)p->rows,
	                                  .cols = (size_t)p->cols,
	                                  .first = a->row_at[rank],
	                                  .last = a->row_at[rank + 1],
	                                  .m = (float *)a->m.base + p->offset,
	                                  .v = (float *)a->v.base + p->offset,
	                                  .k = a->k,
	                                  .pool = a->pool,
	                                  .piece_size = BT_OPTIM_PIECE};
	a->by_rows = i;
	bt_arena_sparse(&a->m, at, bytes);
	bt_arena_sparse(&a->v, at, bytes);
	return bt_rows_init(a->rows, a->o.eps, err);
}

/* Copies rows ids[from .. to - 1] of the set between the table and what moves.
 */
static void move_rows(const struct bt_optim *a, float *params,
                      const struct bt_row_set *set, size_t from, size_t to,
                      bool out)
{
	size_t cols = a->rows->cols, i;
	float *x, *y;

	for (i = from; i < to; i++) {
		x = params + a->rows->offset + (size_t)set->ids[i] * cols;
		y = a->moving + i * cols;
		memcpy(out ? y : x, out ? x : y, cols * sizeof(*x));
	}
}

/* Gives rows of the set to all ranks, from those that own them. */
static void share_rows(struct bt_optim *a, float *params,
                       const struct bt_row_set *set)
{
	int rank = bt_dist_rank(a->dist);
	size_t from = set->at[rank], to = set->at[rank + 1];

	move_rows(a, params, set, from, to, true);
	bt_dist_share(a->dist, a->moving, a->rows->cols * sizeof(float),
	              set->at);
	move_rows(a, params, set, 0, from, false);
	move_rows(a, params, set, to, set->n, false);
}

void bt_optim_catch_up(struct bt_optim *a, float *params,
                       const struct bt_row_set *set)
{
	int rank = bt_dist_rank(a->dist);
	bool shared = a->dist != NULL && a->stale;

	if (a->rows == NULL)
		return;
	if (set != NULL) {
		bt_rows_catch_up(a->rows, params, set->ids + set->at[rank],
		                 set->at[rank + 1] - set->at[rank]);
		if (shared)
			share_rows(a, params, set);
		return;
	}
	bt_rows_catch_up_all(a->rows, params);
	if (shared)
		bt_dist_share(a->dist, params + a->rows->offset,
		              a->rows->cols * sizeof(float), a->row_at);
	a->stale = false;
}

/* Whether the gradient of a piece is rows. */
static bool has_rows(const struct bt_optim *a, const struct bt_optim_piece *p)
{
	return a->rows != NULL && p->param == a->by_rows;
}

struct norm_job {
	struct bt_optim *a;
	const float *g;
	const struct bt_row_grads *rows;
};

static void norm_piece(void *arg, int piece, int worker)
{
	const struct norm_job *j = arg;
	const struct bt_optim_piece *p;

	piece += j->a->first;
	if (piece >= j->a->last)
		piece += j->a->row_first - j->a->last;
	p = &j->a->pieces[piece];
	j->a->sums[piece] =
	    has_rows(j->a, p)
	        ? bt_rows_squares(j->a->rows, j->rows,
	                          p->offset - j->a->rows->offset, p->n, worker)
	        : j->a->k->sum_squares(j->g + p->offset, p->n);
}

double bt_optim_norm(struct bt_optim *a, const float *grads,
                     const struct bt_row_grads *rows, double apart)
{
	struct norm_job j = {a, grads, rows};
	double sum = 0;
	int i;

	if (a->rows != NULL)
		bt_rows_take(a->rows, rows);
	bt_pool_run(a->pool, norm_piece, &j,
	            a->last - a->first + a->row_last - a->row_first);
	bt_dist_share(a->dist, a->sums, sizeof(*a->sums), a->piece_at);
	if (a->rows != NULL)
		bt_dist_share(a->dist, a->sums, sizeof(*a->sums),
		              a->row_piece_at);
	for (i = 0; i < a->n_pieces; i++)
		sum += a->sums[i];
	if (sum + apart > 0) /* not below it, by a rounding */
		sum += apart;
	return sqrt(sum);
}

struct update_job {
	struct bt_optim *a;
	struct bt_adamw adam;
	struct bt_sgd sgd;
	double lr;
	double rate; /* of Adam and its kin: what a moment is multiplied by */
	double correct1; /* 1 / (1 - beta1^t) */
	float *p;
	const float *g;
	const struct bt_row_grads *rows;
};

static void set_piece(const struct update_job *j,
                      const struct bt_optim_piece *p, struct bt_adamw *w)
{
	w->rate = (float)(j->rate * p->scale);
	w->keep =
	    p->decay ? (float)(1 - j->lr * p->scale * j->a->o.weight_decay) : 1;
}

static void adam_piece(void *arg, int piece, int worker)
{
	const struct update_job *j = arg;
	const struct bt_optim_piece *p = &j->a->pieces[j->a->first + piece];
	struct bt_adamw w = j->adam;

	(void)worker;
	if (has_rows(j->a, p))
		return;
	set_piece(j, p, &w);
	j->a->k->adamw(&w, j->p + p->offset, (float *)j->a->m.base + p->offset,
	               (float *)j->a->v.base + p->offset, j->g + p->offset,
	               p->n);
}

static void sgd_piece(void *arg, int piece, int worker)
{
	const struct update_job *j = arg;
	const struct bt_optim_piece *p = &j->a->pieces[j->a->first + piece];
	struct bt_sgd w = j->sgd;

	(void)worker;
	w.rate = (float)(j->lr * p->scale);
	if (!p->decay)
		w.decay = 0;
	j->a->k->sgd(&w, j->p + p->offset, (float *)j->a->m.base + p->offset,
	             j->g + p->offset, p->n);
}

static void lamb_piece(void *arg, int piece, int worker)
{
	const struct update_job *j = arg;
	const struct bt_optim_piece *p = &j->a->pieces[j->a->first + piece];
	struct bt_adamw w = j->adam;
	double *norms = j->a->sums + 2 * (j->a->first + piece);

	(void)worker;
	if (!p->decay)
		w.decay = 0;
	norms[0] = norms[1] = 0;
	j->a->k->lamb(&w, j->p + p->offset, (float *)j->a->m.base + p->offset,
	              (float *)j->a->v.base + p->offset, j->g + p->offset, p->n,
	              norms);
}

static void lamb_apply_piece(void *arg, int piece, int worker)
{
	const struct update_job *j = arg;
	const struct bt_optim_piece *p = &j->a->pieces[j->a->first + piece];
	double lr = j->lr * p->scale * j->a->ratio[p->param];
	struct bt_adamw w = j->adam;

	(void)worker;
	w.rate = (float)(lr * j->correct1);
	w.keep = p->decay ? (float)(1 - lr * j->a->o.weight_decay) : 1;
	j->a->k->lamb_apply(&w, j->p + p->offset,
	                    (const float *)j->a->m.base + p->offset,
	                    (const float *)j->a->v.base + p->offset, p->n);
}

/* Of a parameter all of whose pieces are alike. */
static void update_rows(const struct update_job *j)
{
	struct bt_adamw w = j->adam;
	int i = 0;

	while (!has_rows(j->a, &j->a->pieces[i]))
		i++;
	set_piece(j, &j->a->pieces[i], &w);
	bt_rows_update(j->a->rows, &w, j->p, j->rows);
	j->a->stale = true;
}

/* How much longer than its step each parameter is. */
static void lamb_ratios(struct bt_optim *a)
{
	double p, u;
	int i, k = 0;

	for (i = 0; i < a->n_params; i++) {
		p = u = 0;
		a->ratio[i] = 1;
		for (; k < a->n_pieces && a->pieces[k].param == i; k++) {
			p += a->sums[2 * k];
			u += a->sums[2 * k + 1];
		}
		if (k > 0 && a->pieces[k - 1].decay && p > 0 && u > 0)
			a->ratio[i] = sqrt(p / u);
	}
}

/* The constants of update t of Adam and its kin. */
static void set_adam(struct update_job *j, int64_t t)
{
	const struct bt_optim_opts *o = &j->a->o;
	struct bt_adamw *w = &j->adam;
	double root2 = sqrt(1 - pow(o->beta2, (double)t));

	j->correct1 = 1 / (1 - pow(o->beta1, (double)t));
	*w = (struct bt_adamw){.beta1 = (float)o->beta1,
	                       .beta2 = (float)o->beta2,
	                       .fresh1 = (float)(1 - o->beta1),
	                       .fresh2 = (float)(1 - o->beta2),
	                       .eps = (float)o->eps,
	                       .decay = (float)o->weight_decay,
	                       .correct2 = 1};
	if (o->kind == BT_OPTIM_ADAMW || o->kind == BT_OPTIM_LAMB)
		w->correct2 = (float)(1 / root2);
	if (o->kind == BT_OPTIM_LAMB)
		w->rate = (float)j->correct1;
	if (o->kind == BT_OPTIM_ADAMW_GOOGLE)
		j->rate = j->lr;
	else if (o->kind == BT_OPTIM_ADAM)
		j->rate = j->lr * root2 * j->correct1;
	else
		j->rate = j->lr * j->correct1;
}

static void step(struct bt_optim *a, struct update_job *j)
{
	int n = a->last - a->first;

	if (a->o.kind == BT_OPTIM_SGD) {
		bt_pool_run(a->pool, sgd_piece, j, n);
	} else if (a->o.kind != BT_OPTIM_LAMB) {
		bt_pool_run(a->pool, adam_piece, j, n);
		if (a->rows != NULL)
			update_rows(j);
	} else {
		bt_pool_run(a->pool, lamb_piece, j, n);
		bt_dist_share(a->dist, a->sums, 2 * sizeof(*a->sums),
		              a->piece_at);
		lamb_ratios(a);
		bt_pool_run(a->pool, lamb_apply_piece, j, n);
	}
	bt_dist_share(a->dist, j->p, sizeof(float), a->at);
}

/* What is added to the norm of gradients that are clipped. */
static double more_of(const struct bt_optim_opts *o)
{
	return o->clip_rows ? 0 : 1e-6;
}

static float limit_of(const struct bt_optim_opts *o)
{
	return o->clip_value > 0 ? (float)o->clip_value : INFINITY;
}

void bt_optim_constants(const struct bt_optim *a, double lr, int64_t t,
                        struct bt_adamw *w, double *more, float *rate,
                        float *keep)
{
	struct update_job j = {.a = (struct bt_optim *)a, .lr = lr};
	bool sgd = a->o.kind == BT_OPTIM_SGD, decays;
	const struct bt_optim_piece *p;
	int i;

	decays = sgd || a->o.kind == BT_OPTIM_LAMB;
	set_adam(&j, t);
	*w = j.adam;
	if (sgd)
		w->beta1 = (float)a->o.momentum;
	w->limit = limit_of(&a->o);
	*more = more_of(&a->o);
	for (i = 0; i < a->n_params; i++) {
		rate[i] = 0;
		keep[i] = 1;
	}
	for (i = 0; i < a->n_pieces; i++) {
		p = &a->pieces[i];
		set_piece(&j, p, &j.adam);
		rate[p->param] = decays ? (float)(lr * p->scale) : j.adam.rate;
		keep[p->param] = !decays    ? j.adam.keep
		                 : p->decay ? (float)a->o.weight_decay
		                            : 0;
	}
}

void bt_optim_update(struct bt_optim *a, float *params, const float *grads,
                     const struct bt_row_grads *rows, double norm, double lr,
                     int64_t t)
{
	const struct bt_optim_opts *o = &a->o;
	struct update_job j = {
	    .a = a, .lr = lr, .p = params, .g = grads, .rows = rows};
	float scale = 1, limit = limit_of(o);

	if (o->clip > 0 && norm > o->clip)
		scale = (float)(o->clip / (norm + more_of(o)));
	if (o->kind == BT_OPTIM_SGD) {
		j.sgd = (struct bt_sgd){(float)o->momentum, (float)lr,
		                        (float)o->weight_decay, scale, limit};
	} else {
		set_adam(&j, t);
		j.adam.grad_scale = scale;
		j.adam.limit = limit;
	}
	step(a, &j);
}

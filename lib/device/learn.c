/* SPDX-License-Identifier: MIT */
#include "device/learn.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_int.h"

/* Where the buffer of a replica's parameter is, or NULL: of none. */
static struct bt_pjrt_buffer **argument_of(struct bt_device *d, int replica,
                                           enum bt_hlo_source source, int param)
{
	struct bt_device_learner *l = d->learner;
	int at = replica * d->g->n_params + param;

	switch (source) {
	case BT_HLO_ARG_PARAM:
		return &d->param[at];
	case BT_HLO_ARG_GRADIENT:
		return &l->grad[at];
	case BT_HLO_ARG_MOMENT1:
		return &l->moment1[at];
	case BT_HLO_ARG_MOMENT2:
		return &l->moment2[at];
	default:
		return NULL;
	}
}

static struct bt_pjrt_buffer **result_of(struct bt_device *d, int replica,
                                         const struct bt_hlo_result *r)
{
	switch (r->kind) {
	case BT_HLO_PARAM:
		return argument_of(d, replica, BT_HLO_ARG_PARAM, r->param);
	case BT_HLO_GRADIENT:
		return argument_of(d, replica, BT_HLO_ARG_GRADIENT, r->param);
	case BT_HLO_MOMENT1:
		return argument_of(d, replica, BT_HLO_ARG_MOMENT1, r->param);
	case BT_HLO_MOMENT2:
		return argument_of(d, replica, BT_HLO_ARG_MOMENT2, r->param);
	case BT_HLO_LOGITS:
		return &d->learner->logits[replica];
	case BT_HLO_MOVED:
		return &d->learner->moved[replica];
	default:
		return NULL;
	}
}

static void drop(struct bt_pjrt_buffer **b)
{
	bt_pjrt_buffer_free(*b);
	*b = NULL;
}

static int make_learner(struct bt_device *d, const struct bt_device_learning *o,
                        struct bt_error *err)
{
	size_t n = (size_t)d->replicas * (size_t)d->g->n_params + 1;
	struct bt_device_learner *l = bt_array0(1, sizeof(*l));
	const struct bt_device_sizes *sizes = o->sizes;

	d->learner = l;
	l->o = *o;
	l->o.moment1 = l->o.moment2 = NULL;
	l->o.sizes = NULL;
	l->places = o->places > 0 ? o->places : bt_device_places(d);
	if (sizes != NULL && sizes->n > 0) {
		if (bt_grow(&l->sizes.at, &l->sizes.cap, sizes->n,
		            sizeof(*sizes->at)) != BT_OK)
			return bt_error_nomem(err, "loading a model");
		memcpy(l->sizes.at, sizes->at, sizes->n * sizeof(*sizes->at));
		l->sizes.n = sizes->n;
	}
	l->grad = bt_array0(3 * n, sizeof(*l->grad));
	if (l->grad == NULL)
		return bt_error_nomem(err, "loading a model");
	l->moment1 = l->grad + n;
	l->moment2 = l->moment1 + n;
	l->logits = bt_array0(2 * (size_t)d->replicas, sizeof(*l->logits));
	if (l->logits == NULL)
		return bt_error_nomem(err, "loading a model");
	l->moved = l->logits + d->replicas;
	return BT_OK;
}

/* Writes the smallest program there is, which finds out what a device cannot
 * do before anything is compiled. */
static int try_program(const struct bt_device *d,
                       const struct bt_device_learning *o, struct bt_error *err)
{
	struct bt_hlo_opts h = {
	    .size = {.rows = 1,
	             .length = bt_device_row_length(o->longest),
	             .selected = bt_device_room(d, 1)},
	    .drops = true,
	    .given = o->given,
	    .replicas = d->replicas,
	    .pos_weight = o->pos_weight,
	    .embedding_loss = o->embedding_loss,
	    .matryoshka = o->matryoshka};
	struct bt_hlo_program p;
	int r;

	h.size.texts = bt_hlo_row_texts(h.size.length);
	h.size.compared = o->given ? 0 : bt_device_compared(d, h.size.texts);
	r = bt_hlo_gradients(d->g, &h, &p, err);
	bt_hlo_program_clear(&p);
	return r;
}

int bt_device_learn(struct bt_device *d, const struct bt_device_learning *o,
                    struct bt_error *err)
{
	struct bt_device_learner *l;
	int i, r = BT_OK;

	if (d->learner == NULL && !(r = try_program(d, o, err)))
		r = make_learner(d, o, err);
	l = d->learner;
	if (d->costs.print != NULL)
		return r;
	for (i = 0; i < d->g->n_params && r == BT_OK; i++) {
		if (d->g->params[i].frozen)
			continue;
		r = bt_device_put_param(d, i, o->moment1[i], l->moment1, err);
		if (r == BT_OK && l->o.rule != BT_HLO_SGD)
			r = bt_device_put_param(d, i, o->moment2[i], l->moment2,
			                        err);
	}
	return r;
}

int bt_device_reload(struct bt_device *d, const float *const *param,
                     struct bt_error *err)
{
	int i, r = BT_OK;

	if (d->learner != NULL)
		bt_device_forget(d->learner, 0);
	for (i = 0; i < d->g->n_params && r == BT_OK; i++)
		r = bt_device_put_param(d, i, param[i], d->param, err);
	return r;
}

/* Waits for runs of which one failed: that is no error of later ones. */
static void end_failed(struct bt_device *d)
{
	struct bt_error late = {0};

	if (bt_pjrt_wait(d->pjrt, &late) != BT_OK)
		bt_error_clear(&late);
}

/* Ends what is under way after an error: the gradients cannot be relied upon.
 */
static void give_up(struct bt_device *d)
{
	bt_device_drop_all(d, d->learner->grad);
	end_failed(d);
}

/* Keeps a number for who asks for the outcome, which is that of the parameters
 * where they were before a move; of squares of rows the update itself needs the
 * sum. */
static int take_number(struct bt_device *d, enum bt_hlo_kind kind,
                       struct bt_pjrt_buffer *from, struct bt_error *err)
{
	struct bt_device_learner *l = d->learner;
	float squares;
	int r;

	if (l->is_moved && kind != BT_HLO_NORM) {
		bt_pjrt_buffer_free(from);
		return BT_OK;
	}
	if (kind != BT_HLO_ROW_SQUARES)
		return bt_device_keep_number(l, kind, from, err);
	r = bt_pjrt_get(from, &squares, sizeof(squares), err);
	if (r == BT_OK)
		l->row_squares += (double)squares;
	bt_pjrt_buffer_free(from);
	return r;
}

/* Takes what a program gives: what stays on the devices, and its numbers, which
 * all replicas have. */
static int take_results(struct bt_device *d, const struct bt_hlo_program *p,
                        struct bt_error *err)
{
	struct bt_device_learner *l = d->learner;
	struct bt_pjrt_buffer **to;
	int n = d->replicas * p->n_results, i, r = BT_OK;

	for (i = 0; i < n; i++) {
		to = result_of(d, i / p->n_results,
		               &p->results[i % p->n_results]);
		if (to != NULL) {
			drop(to);
			*to = l->out[i];
		} else if (i < p->n_results && r == BT_OK) {
			r = take_number(d, p->results[i].kind, l->out[i], err);
		} else {
			bt_pjrt_buffer_free(l->out[i]);
		}
	}
	return r;
}

/* Argument i of all replicas' on the devices. */
static int put_argument(struct bt_device *d, const struct bt_hlo_program *p,
                        int i, bt_device_source_fn *from, const void *ctx,
                        struct bt_error *err)
{
	struct bt_pjrt_buffer **in = &d->learner->in[i], **own;
	const struct bt_hlo_arg *arg = &p->args[i % p->n_args];
	int replica = i / p->n_args;

	own = argument_of(d, replica, arg->source, arg->param);
	if (own == NULL)
		return bt_device_put_arg(
		    d, replica, arg, from(ctx, replica, arg->source), in, err);
	*in = *own;
	return BT_OK;
}

/* After a run: what was put there for it is freed, what it took is spent. */
static void drop_argument(struct bt_device *d, const struct bt_hlo_program *p,
                          int i)
{
	const struct bt_hlo_arg *arg = &p->args[i % p->n_args];
	struct bt_pjrt_buffer **own =
	    argument_of(d, i / p->n_args, arg->source, arg->param);

	if (own == NULL)
		drop(&d->learner->in[i]);
	else if (arg->taken >= 0)
		drop(own);
}

/* Begins with a program; waits for it if it never ran, since then memory may be
 * too small. */
static int start(struct bt_device *d, struct bt_device_program *x,
                 struct bt_error *err)
{
	struct bt_device_learner *l = d->learner;
	int args = d->replicas * x->text.n_args, i;
	size_t before = l->n_numbers;
	int r = BT_OK;

	if (!x->ran && bt_pjrt_wait(d->pjrt, err) != BT_OK)
		r = bt_pjrt_failed_before(err);
	if (r == BT_OK)
		r = bt_pjrt_run(x->program, l->in, l->out, err);
	for (i = 0; i < args; i++)
		drop_argument(d, &x->text, i);
	if (r != BT_OK)
		return r;
	r = x->ran ? BT_OK : bt_pjrt_wait(d->pjrt, err);
	if (r == BT_OK) {
		x->ran = true;
		r = take_results(d, &x->text, err);
	} else {
		for (i = 0; i < d->replicas * x->text.n_results; i++)
			bt_pjrt_buffer_free(l->out[i]);
	}
	if (r != BT_OK) {
		bt_device_forget(l, before);
		give_up(d);
	}
	return r;
}

int bt_device_run(struct bt_device *d, int program, bt_device_source_fn *from,
                  const void *ctx, struct bt_error *err)
{
	struct bt_device_program *x = &d->programs[program];
	const struct bt_hlo_program *p = &x->text;
	struct bt_device_learner *l = d->learner;
	int args = d->replicas * p->n_args,
	    results = d->replicas * p->n_results;
	int i, put = 0, r = BT_OK;

	if (bt_grow(&l->in, &l->in_cap, (size_t)args + 1, sizeof(*l->in)) !=
	        BT_OK ||
	    bt_grow(&l->out, &l->out_cap, (size_t)results + 1,
	            sizeof(*l->out)) != BT_OK)
		return bt_error_nomem(err, "running a program");
	for (; put < args && r == BT_OK; put++) {
		l->in[put] = NULL;
		r = put_argument(d, p, put, from, ctx, err);
	}
	if (r == BT_OK)
		return start(d, x, err);
	for (i = 0; i < put; i++)
		if (argument_of(d, 0, p->args[i % p->n_args].source, 0) == NULL)
			drop(&l->in[i]);
	return r;
}

struct step {
	const struct bt_device_step *s;
	float constants[BT_HLO_CONSTANTS];
};

static const void *step_source(const void *ctx, int replica,
                               enum bt_hlo_source source)
{
	const struct step *x = ctx;

	(void)replica;

	return source == BT_HLO_ARG_CONSTANTS ? x->constants
	       : source == BT_HLO_ARG_RATES   ? x->s->rates
	                                      : x->s->keeps;
}

int bt_device_update(struct bt_device *d, const struct bt_device_step *s,
                     struct bt_error *err)
{
	static const struct bt_hlo_size none = {0};
	const struct step x = {
	    s,
	    {[BT_HLO_BETA1] = s->beta1,
	     [BT_HLO_BETA2] = s->beta2,
	     [BT_HLO_FRESH1] = s->fresh1,
	     [BT_HLO_FRESH2] = s->fresh2,
	     [BT_HLO_CORRECT1] = s->correct1,
	     [BT_HLO_CORRECT2] = s->correct2,
	     [BT_HLO_EPS] = s->eps,
	     [BT_HLO_LIMIT] = s->limit,
	     [BT_HLO_CLIP] = s->clip,
	     [BT_HLO_CLIP_MORE] = s->clip_more,
	     [BT_HLO_SQUARES] = (float)d->learner->row_squares}};
	int program = bt_device_program(d, BT_DEVICE_UPDATE, &none, err), r;

	if (program < 0 || d->planning)
		return program < 0 ? program : BT_OK;
	if (d->costs.print != NULL)
		return bt_device_cost_check(d, &d->programs[program], err);
	r = bt_device_run(d, program, step_source, &x, err);
	bt_device_drop_all(d, d->learner->grad);
	return r;
}

struct move {
	float constants[BT_HLO_CONSTANTS];
};

static const void *move_source(const void *ctx, int replica,
                               enum bt_hlo_source source)
{
	const struct move *x = ctx;

	(void)replica;
	(void)source;
	return x->constants;
}

/* What was moved, and where it was, change places. */
static void exchange(struct bt_device *d)
{
	struct bt_device_learner *l = d->learner;
	struct bt_pjrt_buffer *x;
	int i, at;

	for (i = 0; i < d->replicas; i++) {
		at = i * d->g->n_params + l->o.move_param;
		x = d->param[at];
		d->param[at] = l->moved[i];
		l->moved[i] = x;
	}
	l->is_moved = !l->is_moved;
}

int bt_device_move(struct bt_device *d, double step, struct bt_error *err)
{
	static const struct bt_hlo_size none = {0};
	const struct move x = {{[BT_HLO_STEP] = (float)step}};
	int program = bt_device_program(d, BT_DEVICE_MOVE, &none, err), r;

	if (program < 0 || d->planning)
		return program < 0 ? program : BT_OK;
	if (d->costs.print != NULL)
		return bt_device_cost_check(d, &d->programs[program], err);
	r = bt_device_run(d, program, move_source, &x, err);
	if (r == BT_OK)
		exchange(d);
	return r;
}

void bt_device_move_back(struct bt_device *d)
{
	int i;

	if (!d->learner->is_moved)
		return;
	exchange(d);
	for (i = 0; i < d->replicas; i++)
		drop(&d->learner->moved[i]);
}

/* Copies a buffer of parameter i. */
static int get(struct bt_device *d, int i, struct bt_pjrt_buffer *from,
               float *to, struct bt_error *err)
{
	size_t bytes = bt_param_size(&d->g->params[i]) * sizeof(float);

	if (from == NULL)
		return bt_error_set(err, BT_EIO,
		                    "the device lost the parameter '%s'",
		                    d->g->params[i].name);
	return bt_pjrt_get(from, to, bytes, err);
}

int bt_device_read(struct bt_device *d, int i, float *param, float *moment1,
                   float *moment2, struct bt_error *err)
{
	struct bt_device_learner *l = d->learner;
	int r = get(d, i, d->param[i], param, err);

	if (r == BT_OK && moment1 != NULL)
		r = get(d, i, l->moment1[i], moment1, err);
	return r == BT_OK && moment2 != NULL
	           ? get(d, i, l->moment2[i], moment2, err)
	           : r;
}

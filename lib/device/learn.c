/* SPDX-License-Identifier: MIT */
#include "device/learn.h"

#include <stdlib.h>

#include "base/mem.h"
#include "device/device_int.h"

#define SCALARS (BT_HLO_NORM + 1) /* results of one number, by their kind */

/* Where the buffer of a parameter is, or NULL: of none. */
static struct bt_pjrt_buffer **argument_of(struct bt_device *d,
                                           enum bt_hlo_source source, int param)
{
	struct bt_device_learner *l = d->learner;

	switch (source) {
	case BT_HLO_ARG_PARAM:
		return &d->param[param];
	case BT_HLO_ARG_GRADIENT:
		return &l->grad[param];
	case BT_HLO_ARG_MOMENT1:
		return &l->moment1[param];
	case BT_HLO_ARG_MOMENT2:
		return &l->moment2[param];
	default:
		return NULL;
	}
}

static struct bt_pjrt_buffer **result_of(struct bt_device *d,
                                         const struct bt_hlo_result *r)
{
	switch (r->kind) {
	case BT_HLO_PARAM:
		return argument_of(d, BT_HLO_ARG_PARAM, r->param);
	case BT_HLO_GRADIENT:
		return argument_of(d, BT_HLO_ARG_GRADIENT, r->param);
	case BT_HLO_MOMENT1:
		return argument_of(d, BT_HLO_ARG_MOMENT1, r->param);
	case BT_HLO_MOMENT2:
		return argument_of(d, BT_HLO_ARG_MOMENT2, r->param);
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
	size_t n = (size_t)d->g->n_params + 1;
	struct bt_device_learner *l = bt_array0(1, sizeof(*l));

	d->learner = l;
	l->o = *o;
	l->o.moment1 = l->o.moment2 = NULL;
	l->length = bt_device_row_length(o->longest);
	l->grad = bt_array0(3 * n, sizeof(*l->grad));
	if (l->grad == NULL)
		return bt_error_nomem(err, "loading a model");
	l->moment1 = l->grad + n;
	l->moment2 = l->moment1 + n;
	return BT_OK;
}

/* Writes the smallest program there is, which finds out what a device cannot
 * do before anything is compiled. */
static int try_program(const struct bt_device *d,
                       const struct bt_device_learning *o, struct bt_error *err)
{
	struct bt_hlo_opts h = {.size = {1, bt_device_row_length(o->longest), 0,
	                                 bt_device_room(d, 1)},
	                        .drops = true,
	                        .pos_weight = o->pos_weight};
	struct bt_hlo_program p;
	int r;

	h.size.texts = bt_hlo_row_texts(h.size.length);
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
	for (i = 0; i < d->g->n_params && r == BT_OK; i++) {
		if (d->g->params[i].frozen)
			continue;
		drop(&l->moment1[i]);
		drop(&l->moment2[i]);
		r = bt_device_put_param(d, i, o->moment1[i], &l->moment1[i],
		                        err);
		if (r == BT_OK)
			r = bt_device_put_param(d, i, o->moment2[i],
			                        &l->moment2[i], err);
	}
	return r;
}

int bt_device_reload(struct bt_device *d, const float *const *param,
                     struct bt_error *err)
{
	int i, r = BT_OK;

	for (i = 0; i < d->g->n_params && r == BT_OK; i++) {
		drop(&d->param[i]);
		r = bt_device_put_param(d, i, param[i], &d->param[i], err);
	}
	return r;
}

/* The elements of arguments that are neither parameters nor of their size. */
typedef const void *source_fn(const void *ctx, enum bt_hlo_source source);

/* Takes what a program gave: its numbers, and what stays on the device. */
static int take_results(struct bt_device *d, const struct bt_hlo_program *p,
                        float scalars[SCALARS], struct bt_error *err)
{
	struct bt_pjrt_buffer **to, **out = d->learner->out;
	int i, r = BT_OK;

	for (i = 0; i < p->n_results; i++) {
		to = result_of(d, &p->results[i]);
		if (to != NULL) {
			drop(to);
			*to = out[i];
			out[i] = NULL;
		}
	}
	for (i = 0; i < p->n_results; i++) {
		if (out[i] != NULL && r == BT_OK)
			r = bt_pjrt_get(out[i], &scalars[p->results[i].kind],
			                sizeof(float), err);
		drop(&out[i]);
	}
	return r;
}

/* Runs a program that learns. */
static int run(struct bt_device *d, int program, source_fn *from,
               const void *ctx, float scalars[SCALARS], struct bt_error *err)
{
	struct bt_device_program *x = &d->programs[program];
	const struct bt_hlo_program *p = &x->text;
	struct bt_device_learner *l = d->learner;
	struct bt_pjrt_buffer **own;
	int i, r = BT_OK;

	if (bt_grow(&l->in, &l->in_cap, (size_t)p->n_args + 1,
	            sizeof(struct bt_pjrt_buffer *)) != BT_OK ||
	    bt_grow(&l->out, &l->out_cap, (size_t)p->n_results + 1,
	            sizeof(struct bt_pjrt_buffer *)) != BT_OK)
		return bt_error_nomem(err, "running a program");
	for (i = 0; i < p->n_results; i++)
		l->out[i] = NULL;
	for (i = 0; i < p->n_args; i++) {
		own = argument_of(d, p->args[i].source, p->args[i].param);
		l->in[i] = own != NULL ? *own : NULL;
		if (own == NULL && r == BT_OK)
			r = bt_device_put_arg(d, &p->args[i],
			                      from(ctx, p->args[i].source),
			                      &l->in[i], err);
	}
	if (r == BT_OK)
		r = bt_pjrt_run(x->program, l->in, l->out, err);
	for (i = 0; i < p->n_args; i++) {
		own = argument_of(d, p->args[i].source, p->args[i].param);
		if (own == NULL)
			drop(&l->in[i]);
		else if (p->args[i].taken >= 0)
			drop(own); /* it is spent */
	}
	return r == BT_OK ? take_results(d, p, scalars, err) : r;
}

/* At least n, of which there are few numbers: two between a power of 2 and the
 * next. They depend on nothing else, so that a run that is resumed sums up in
 * the same order. */
static int round_rows(size_t n)
{
	int rows = 1;

	while ((size_t)rows < n)
		rows *= 2;
	return (size_t)(rows / 4 * 3) >= n ? rows / 4 * 3 : rows;
}

/* What text t is to be learned from; its logits begin with row `selected` where
 * these are of selected tokens. */
static struct bt_hlo_truth truth_of(const struct bt_device *d,
                                    const struct bt_device_batch *b, size_t t,
                                    size_t selected)
{
	enum bt_rows rows = d->g->nodes[d->g->logits].rows;
	uint32_t first = b->texts.start[t];
	size_t row = rows == BT_PER_SEQUENCE   ? t
	             : rows == BT_PER_SELECTED ? selected
	                                       : first;
	float weight = b->weights != NULL ? b->weights[t] : 1;
	struct bt_hlo_truth x = {.weight = b->loss_scale * weight,
	                         .next = -1,
	                         .next_weight = b->next_scale * weight,
	                         .token = b->token0 + first,
	                         .number = b->sequence0 + (uint32_t)t};

	if (b->labels != NULL)
		x.labels = b->labels + row;
	if (b->targets != NULL)
		x.targets = b->targets + t * b->n_targets;
	if (b->next_labels != NULL)
		x.next = b->next_labels[t];
	return x;
}

/* Texts in their order, so that selected tokens are in theirs. */
static void fill(const struct bt_device *d, const struct bt_device_batch *b,
                 const struct bt_hlo_place *place, struct bt_hlo_batch *to)
{
	const struct bt_device_texts *x = &b->texts;
	struct bt_hlo_truth truth;
	size_t t, first, n, k = 0, k0, text;

	bt_hlo_batch_random(to, d->learner->o.seed, b->step, b->token0);
	for (t = 0; t < x->n; t++) {
		first = x->start[t];
		n = x->start[t + 1] - first;
		text = bt_hlo_batch_add(to, &place[t], x->ids + first,
		                        x->types + first, n);
		for (k0 = k;
		     k < x->n_selected && x->selected[k] < x->start[t + 1]; k++)
			(void)bt_hlo_batch_select(to, &place[t],
			                          x->selected[k] - first);
		truth = truth_of(d, b, t, k0);
		bt_hlo_batch_learn(to, &place[t], text, n, k - k0, &truth);
	}
}

static const void *batch_source(const void *ctx, enum bt_hlo_source source)
{
	return bt_hlo_batch_data(ctx, source);
}

/* The batch in rows, which `place` says. */
static int run_batch(struct bt_device *d, const struct bt_device_batch *b,
                     bool add, const struct bt_hlo_place *place, size_t rows,
                     float scalars[SCALARS], struct bt_error *err)
{
	struct bt_hlo_size z = {.rows = round_rows(rows),
	                        .length = d->learner->length};
	struct bt_hlo_batch x;
	int program, r;

	z.texts = z.rows * bt_hlo_row_texts(z.length);
	z.selected = bt_device_room(d, (int)b->texts.n_selected);
	program = bt_device_program(
	    d, add ? BT_DEVICE_ADDED : BT_DEVICE_GRADIENTS, &z, err);
	if (program < 0)
		return program;
	z = d->programs[program].size;
	r = bt_hlo_batch_init(&x, d->g, &z, true, err);
	if (r != BT_OK)
		return r;
	fill(d, b, place, &x);
	d->report.tokens += b->texts.start[b->texts.n];
	d->report.places += (uint64_t)z.rows * (uint64_t)z.length;
	r = run(d, program, batch_source, &x, scalars, err);
	bt_hlo_batch_clear(&x);
	return r;
}

int bt_device_gradients(struct bt_device *d, const struct bt_device_batch *b,
                        bool add, double *loss, int64_t *right,
                        struct bt_error *err)
{
	struct bt_hlo_place *place = bt_array(b->texts.n + 1, sizeof(*place));
	float scalars[SCALARS] = {0};
	size_t rows;
	int r;

	if (place == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	r = bt_hlo_place(b->texts.start, b->texts.n, d->learner->length, place,
	                 &rows, err);
	if (r == BT_OK)
		r = run_batch(d, b, add, place, rows, scalars, err);
	free(place);
	*loss = (double)scalars[BT_HLO_LOSS];
	*right = (int64_t)scalars[BT_HLO_RIGHT];
	return r;
}

struct step {
	const struct bt_device_step *s;
	float constants[BT_HLO_CONSTANTS];
};

static const void *step_source(const void *ctx, enum bt_hlo_source source)
{
	const struct step *x = ctx;

	return source == BT_HLO_ARG_CONSTANTS ? x->constants
	       : source == BT_HLO_ARG_RATES   ? x->s->rates
	                                      : x->s->keeps;
}

int bt_device_update(struct bt_device *d, const struct bt_device_step *s,
                     double *norm, struct bt_error *err)
{
	static const struct bt_hlo_size none = {0};
	const struct step x = {s,
	                       {[BT_HLO_BETA1] = s->beta1,
	                        [BT_HLO_BETA2] = s->beta2,
	                        [BT_HLO_FRESH1] = s->fresh1,
	                        [BT_HLO_FRESH2] = s->fresh2,
	                        [BT_HLO_CORRECT2] = s->correct2,
	                        [BT_HLO_EPS] = s->eps,
	                        [BT_HLO_LIMIT] = s->limit,
	                        [BT_HLO_CLIP] = s->clip,
	                        [BT_HLO_CLIP_MORE] = s->clip_more}};
	float scalars[SCALARS] = {0};
	int program = bt_device_program(d, BT_DEVICE_UPDATE, &none, err), r;

	if (program < 0)
		return program;
	r = run(d, program, step_source, &x, scalars, err);
	bt_device_drop_all(d, d->learner->grad);
	*norm = (double)scalars[BT_HLO_NORM];
	return r;
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

	if (r != BT_OK || moment1 == NULL)
		return r;
	r = get(d, i, l->moment1[i], moment1, err);
	return r == BT_OK ? get(d, i, l->moment2[i], moment2, err) : r;
}

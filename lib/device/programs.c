/* SPDX-License-Identifier: MIT */
/* The programs of a device: noted, written, compiled. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "device/device_int.h"

static int write_text(struct bt_device *d, struct bt_device_program *x,
                      struct bt_error *err)
{
	struct bt_hlo_opts o = {.size = x->size,
	                        .bf16 = d->bf16,
	                        .fuses = bt_device_is_gpu(d),
	                        .replicas = d->replicas};
	const struct bt_device_learning *l;

	if (x->kind == BT_DEVICE_FORWARD)
		return bt_hlo_forward(d->g, &o, &x->text, err);
	l = &d->learner->o;
	if (x->kind == BT_DEVICE_UPDATE)
		return bt_hlo_update(d->g, l->rule, d->replicas, l->row_norm,
		                     &x->text, err);
	if (x->kind == BT_DEVICE_MOVE)
		return bt_hlo_move(d->g, l->move_param, d->replicas, &x->text,
		                   err);
	o.drops = true;
	if (x->kind == BT_DEVICE_EMBED)
		return bt_hlo_forward(d->g, &o, &x->text, err);
	o.given = l->given;
	o.adds = x->kind == BT_DEVICE_ADDED;
	o.row_norm = l->row_norm;
	o.smoothing = l->smoothing;
	o.class_weight = l->class_weight;
	o.pos_weight = l->pos_weight;
	o.teacher_weight = l->teacher_weight;
	o.temperature = l->temperature;
	o.r_drop = l->r_drop;
	o.embedding_loss = l->embedding_loss;
	o.matryoshka = l->matryoshka;
	return bt_hlo_gradients(d->g, &o, &x->text, err);
}

/* Programs that are being compiled, and what the client takes of them. */
struct several {
	size_t n;
	size_t *which; /* their numbers */
	struct bt_buf *names;
	struct bt_pjrt_source *sources;
	struct bt_pjrt_program **programs;
};

static int describe(struct bt_device *d, struct several *s, size_t k,
                    struct bt_error *err)
{
	struct bt_device_program *x = &d->programs[s->which[k]];
	struct bt_hlo_program *t = &x->text;
	struct bt_pjrt_arg *args;
	int i, r = write_text(d, x, err);

	if (r != BT_OK)
		return r;
	bt_device_program_name(x, &s->names[k]);
	args = bt_array0((size_t)t->n_args, sizeof(*args));
	s->sources[k] =
	    (struct bt_pjrt_source){.name = bt_buf_str(&s->names[k]),
	                            .text = bt_buf_str(&t->text),
	                            .len = t->text.len,
	                            .replicas = d->replicas,
	                            .args = args,
	                            .n_args = (size_t)t->n_args};
	if (args == NULL || s->sources[k].text == NULL)
		return bt_error_nomem(err, "compiling a program");
	for (i = 0; i < t->n_args; i++) {
		args[i].shape = bt_device_shape(&t->args[i].shape);
		args[i].donated = t->args[i].taken >= 0;
	}
	return BT_OK;
}

static void take(struct bt_device *d, const struct several *s, size_t k)
{
	struct bt_device_program *x = &d->programs[s->which[k]];

	x->program = s->programs[k];
	bt_buf_clear(&x->text.text);
	if (x->program == NULL) {
		bt_hlo_program_clear(&x->text);
		return;
	}
	d->report.programs++;
	d->report.cached += bt_pjrt_origin(x->program) == BT_PJRT_CACHED;
}

/* Compiles those; alone: one, for which there must be memory. */
static int compile(struct bt_device *d, struct several *s, bool alone,
                   struct bt_error *err)
{
	double start = bt_seconds();
	size_t k;
	int r = BT_OK;

	for (k = 0; k < s->n && r == BT_OK; k++)
		r = describe(d, s, k, err);
	if (r == BT_OK && alone)
		r = bt_pjrt_compile(d->pjrt, s->sources, s->programs, err);
	else if (r == BT_OK)
		r = bt_pjrt_compile_all(d->pjrt, s->sources, s->n, s->programs,
		                        err);
	for (k = 0; k < s->n; k++) {
		take(d, s, k);
		free((void *)s->sources[k].args);
		bt_buf_clear(&s->names[k]);
	}
	d->report.compile_seconds += bt_seconds() - start;
	return r;
}

/* Those of the programs first .. end - 1 that are noted. */
static int compile_noted(struct bt_device *d, size_t first, size_t end,
                         bool alone, struct bt_error *err)
{
	size_t n = end - first + 1, i;
	struct several s = {
	    .which = bt_array0(n, sizeof(*s.which)),
	    .names = bt_array0(n, sizeof(*s.names)),
	    .sources = bt_array0(n, sizeof(*s.sources)),
	    .programs = bt_array0(n, sizeof(*s.programs)),
	};
	int r;

	for (i = first; i < end; i++)
		if (d->programs[i].program == NULL)
			s.which[s.n++] = i;
	r = compile(d, &s, alone, err);
	free(s.which);
	free(s.names);
	free(s.sources);
	free(s.programs);
	return r;
}

static int note(struct bt_device *d, enum bt_device_kind kind,
                const struct bt_hlo_size *size, struct bt_error *err)
{
	if (bt_grow(&d->programs, &d->program_cap, d->n_programs + 1,
	            sizeof(*d->programs)) != BT_OK)
		return bt_error_nomem(err, "compiling a program");
	d->programs[d->n_programs] =
	    (struct bt_device_program){.kind = kind, .size = *size};
	return (int)d->n_programs++;
}

static bool serves(const struct bt_device_program *x, enum bt_device_kind kind,
                   const struct bt_hlo_size *size)
{
	const struct bt_hlo_size *z = &x->size;

	return x->kind == kind && z->length == size->length &&
	       z->rows == size->rows &&
	       (kind == BT_DEVICE_FORWARD ? z->selected >= size->selected
	                                  : z->selected == size->selected);
}

int bt_device_program(struct bt_device *d, enum bt_device_kind kind,
                      const struct bt_hlo_size *size, struct bt_error *err)
{
	struct bt_device_program *x;
	size_t n = 0;
	int i, r = BT_OK;

	while (n < d->n_programs && !serves(&d->programs[n], kind, size))
		n++;
	i = n < d->n_programs ? (int)n : note(d, kind, size, err);
	if (i < 0 || d->planning)
		return i;
	x = &d->programs[i];
	if (x->program == NULL)
		r = compile_noted(d, (size_t)i, (size_t)i + 1, true, err);
	if (d->costs.print != NULL && !x->printed &&
	    (r == BT_OK || r == BT_ENOMEM)) {
		bt_device_cost_print(d, x, r == BT_OK ? NULL : err->text);
		x->printed = true;
	}
	return r == BT_OK ? i : r;
}

void bt_device_plan_begin(struct bt_device *d)
{
	d->planning = true;
	d->planned = d->n_programs;
}

int bt_device_plan_end(struct bt_device *d, struct bt_error *err)
{
	d->planning = false;
	return d->n_programs - d->planned > 1
	           ? compile_noted(d, d->planned, d->n_programs, false, err)
	           : BT_OK;
}

void bt_device_watch(struct bt_device *d,
                     bool (*watch)(void *ctx, size_t done, size_t of),
                     void *ctx)
{
	bt_pjrt_set_watch(d->pjrt, watch, ctx);
}

const char *bt_device_cache(const struct bt_device *d)
{
	return bt_pjrt_cache(d->pjrt);
}

const char *bt_device_unkept(const struct bt_device *d)
{
	return bt_pjrt_unkept(d->pjrt);
}

/* SPDX-License-Identifier: MIT */
#include "device/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "device/device_int.h"

int bt_device_open(const char *plugin, struct bt_device **d,
                   struct bt_error *err)
{
	struct bt_pjrt_options o = {.cpu_devices = 0};
	char *cache = bt_pjrt_cache_dir();
	struct bt_device *x = bt_array0(1, sizeof(*x));
	int r;

	o.cache = cache;
	r = bt_pjrt_open(plugin, &o, &x->pjrt, err);
	free(cache);
	if (r != BT_OK) {
		free(x);
		x = NULL;
	}
	*d = x;
	return r;
}

static void unload(struct bt_device *d)
{
	int i;

	for (i = 0; i < d->report.programs; i++) {
		bt_hlo_program_clear(&d->programs[i].text);
		bt_pjrt_program_free(d->programs[i].program);
	}
	for (i = 0; d->param != NULL && i < d->g->n_params; i++)
		bt_pjrt_buffer_free(d->param[i]);
	free(d->programs);
	free(d->param);
}

void bt_device_close(struct bt_device *d)
{
	if (d == NULL)
		return;
	unload(d);
	bt_pjrt_close(d->pjrt);
	free(d->logits);
	free(d->next);
	free(d);
}

const char *bt_device_platform(const struct bt_device *d)
{
	return bt_pjrt_about(d->pjrt)->platform;
}

int bt_device_load(struct bt_device *d, const struct bt_graph *g,
                   const float *const *param, bool bf16, struct bt_error *err)
{
	const struct bt_param *p;
	int i, r = BT_OK;

	d->g = g;
	d->bf16 = bf16;
	d->param = bt_array0((size_t)g->n_params + 1, sizeof(*d->param));
	if (d->param == NULL)
		return bt_error_nomem(err, "loading a model");
	for (i = 0; i < g->n_params && r == BT_OK; i++) {
		struct bt_pjrt_shape s = {BT_PJRT_F32, 0, {0}};

		p = &g->params[i];
		if (p->rank == 2)
			s.dims[s.n_dims++] = p->rows;
		s.dims[s.n_dims++] = p->cols;
		r = bt_pjrt_put(d->pjrt, 0, &s, param[i],
		                bt_param_size(p) * sizeof(float), &d->param[i],
		                err);
	}
	return r;
}

struct bt_pjrt_shape bt_device_shape(const struct bt_hlo_shape *s)
{
	struct bt_pjrt_shape t = {
	    s->type == BT_HLO_F32 ? BT_PJRT_F32 : BT_PJRT_S32, s->rank, {0}};

	memcpy(t.dims, s->dim, (size_t)s->rank * sizeof(*t.dims));
	return t;
}

static int compile(struct bt_device *d, struct bt_device_program *x,
                   struct bt_error *err)
{
	struct bt_hlo_program *t = &x->text;
	struct bt_pjrt_arg *args = bt_array0((size_t)t->n_args, sizeof(*args));
	struct bt_pjrt_source source = {.name = "forward",
	                                .text = bt_buf_str(&t->text),
	                                .len = t->text.len,
	                                .replicas = 1,
	                                .args = args,
	                                .n_args = (size_t)t->n_args};
	int i, r = BT_OK;

	if (args == NULL || source.text == NULL)
		r = bt_error_nomem(err, "compiling a program");
	for (i = 0; i < t->n_args && r == BT_OK; i++)
		args[i].shape = bt_device_shape(&t->args[i].shape);
	if (r == BT_OK)
		r = bt_pjrt_compile(d->pjrt, &source, &x->program, err);
	free(args);
	bt_buf_clear(&t->text);
	return r;
}

static int add_program(struct bt_device *d, const struct bt_hlo_size *size,
                       struct bt_error *err)
{
	struct bt_hlo_opts o = {.size = *size, .bf16 = d->bf16};
	size_t n = (size_t)d->report.programs;
	double start = bt_seconds();
	struct bt_device_program *x;
	int r;

	if (bt_grow(&d->programs, &d->program_cap, n + 1,
	            sizeof(*d->programs)) != BT_OK)
		return bt_error_nomem(err, "compiling a program");
	x = &d->programs[n];
	memset(x, 0, sizeof(*x));
	x->size = *size;
	r = bt_hlo_forward(d->g, &o, &x->text, err);
	if (r == BT_OK)
		r = compile(d, x, err);
	if (r != BT_OK) {
		bt_hlo_program_clear(&x->text);
		return r;
	}
	d->report.programs++;
	d->report.cached += bt_pjrt_origin(x->program) == BT_PJRT_CACHED;
	d->report.compile_seconds += bt_seconds() - start;
	return (int)n;
}

int bt_device_program(struct bt_device *d, const struct bt_hlo_size *size,
                      struct bt_error *err)
{
	const struct bt_hlo_size *z;
	int i;

	for (i = 0; i < d->report.programs; i++) {
		z = &d->programs[i].size;
		if (z->length == size->length && z->rows == size->rows &&
		    z->selected >= size->selected)
			return i;
	}
	return add_program(d, size, err);
}

struct bt_device_report bt_device_report(const struct bt_device *d)
{
	return d->report;
}

void bt_device_describe(const struct bt_device *d, struct bt_buf *out)
{
	const struct bt_pjrt_about *a = bt_pjrt_about(d->pjrt);

	bt_buf_printf(out,
	              "products %s by %s ('%s', StableHLO %" PRId64 ".%" PRId64
	              ".%" PRId64 ")",
	              d->bf16 ? "bf16" : "f32", a->platform, a->path,
	              a->stablehlo[0], a->stablehlo[1], a->stablehlo[2]);
}

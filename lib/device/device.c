/* SPDX-License-Identifier: MIT */
#include "device/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_int.h"

static int open_device(const char *plugin, int replicas,
                       struct bt_pjrt_options *o, struct bt_device *x,
                       struct bt_error *err)
{
	int least = replicas > 1 ? replicas : 1, r, n;

	o->cpu_devices = least;
	r = bt_pjrt_open(plugin, o, &x->pjrt, err);
	n = r == BT_OK ? bt_pjrt_n_devices(x->pjrt) : least;
	x->replicas = replicas != BT_DEVICE_ALL ? least : n;
	if (n < least)
		r = bt_error_set(err, BT_EARG,
		                 "plugin '%s' has %d device%s, not %d",
		                 bt_pjrt_about(x->pjrt)->plugin, n,
		                 n == 1 ? "" : "s", least);
	return r;
}

static struct bt_device *close_failed(struct bt_device *x, int r)
{
	if (r == BT_OK)
		return x;
	bt_pjrt_close(x->pjrt);
	free(x);
	return NULL;
}

int bt_device_open(const char *plugin, int replicas, struct bt_device **d,
                   struct bt_error *err)
{
	char *cache = bt_pjrt_cache_dir();
	struct bt_pjrt_options o = {.cache = cache};
	struct bt_device *x = bt_array0(1, sizeof(*x));
	int r = open_device(plugin, replicas, &o, x, err);

	free(cache);
	*d = close_failed(x, r);
	return r;
}

int bt_device_open_costs(const char *plugin, int replicas,
                         const struct bt_device_costs *costs,
                         struct bt_device **d, struct bt_error *err)
{
	char *cache = bt_pjrt_cache_dir();
	struct bt_pjrt_options o = {
	    .cache = cache, .costs = true, .topology = costs->topology};
	struct bt_device *x = bt_array0(1, sizeof(*x));
	int r = open_device(plugin, replicas, &o, x, err);

	free(cache);
	x->costs = *costs;
	if (r != BT_OK && costs->topology == NULL)
		r = bt_error_hint(err, BT_HINT_TOPOLOGY, r);
	*d = close_failed(x, r);
	return r;
}

void bt_device_drop_all(struct bt_device *d, struct bt_pjrt_buffer **b)
{
	int i;

	for (i = 0; b != NULL && i < d->replicas * d->g->n_params; i++) {
		bt_pjrt_buffer_free(b[i]);
		b[i] = NULL;
	}
}

static void unlearn(struct bt_device *d)
{
	struct bt_device_learner *l = d->learner;
	int i;

	if (l == NULL)
		return;
	bt_device_drop_all(d, l->grad);
	bt_device_drop_all(d, l->moment1);
	bt_device_drop_all(d, l->moment2);
	for (i = 0; l->logits != NULL && i < 2 * d->replicas; i++)
		bt_pjrt_buffer_free(l->logits[i]);
	bt_device_forget(l, 0);
	bt_device_sizes_clear(&l->sizes);
	free(l->numbers);
	free(l->grad);
	free(l->logits);
	free(l->in);
	free(l->out);
	free(l);
	d->learner = NULL;
}

void bt_device_keep_programs(struct bt_device *d)
{
	bt_pjrt_keep_programs(d->pjrt);
}

void bt_device_unload(struct bt_device *d)
{
	struct bt_error late = {0};
	size_t i;

	if (bt_pjrt_wait(d->pjrt, &late) != BT_OK)
		bt_error_clear(&late);
	for (i = 0; i < d->n_programs; i++) {
		bt_hlo_program_clear(&d->programs[i].text);
		bt_pjrt_program_free(d->programs[i].program);
	}
	unlearn(d);
	bt_device_drop_all(d, d->param);
	free(d->programs);
	free(d->param);
	d->programs = NULL;
	d->n_programs = d->program_cap = 0;
	d->param = NULL;
	d->planning = false;
	d->report = (struct bt_device_report){0};
}

void bt_device_close(struct bt_device *d)
{
	if (d == NULL)
		return;
	bt_device_unload(d);
	bt_pjrt_close(d->pjrt);
	free(d->logits);
	free(d->next);
	free(d);
}

int bt_device_replicas(const struct bt_device *d)
{
	return d->replicas;
}

const char *bt_device_platform(const struct bt_device *d)
{
	return bt_pjrt_about(d->pjrt)->platform;
}

bool bt_device_is_gpu(const struct bt_device *d)
{
	const char *platform = bt_device_platform(d);

	return strcmp(platform, "cuda") == 0 || strcmp(platform, "rocm") == 0;
}

size_t bt_device_places(const struct bt_device *d)
{
	return bt_device_is_gpu(d) ? 16384 : 4096;
}

const char *bt_device_name(const struct bt_device *d)
{
	return bt_pjrt_device(d->pjrt, 0)->kind;
}

int bt_device_put_param(struct bt_device *d, int param, const float *from,
                        struct bt_pjrt_buffer **to, struct bt_error *err)
{
	const struct bt_param *p = &d->g->params[param];
	struct bt_pjrt_shape s = {BT_PJRT_F32, 0, {0}};
	int i, r = BT_OK;

	if (p->rank == 2)
		s.dims[s.n_dims++] = p->rows;
	s.dims[s.n_dims++] = p->cols;
	for (i = 0; i < d->replicas && r == BT_OK; i++) {
		bt_pjrt_buffer_free(to[i * d->g->n_params + param]);
		to[i * d->g->n_params + param] = NULL;
		r = bt_pjrt_put(d->pjrt, i, &s, from,
		                bt_param_size(p) * sizeof(float),
		                &to[i * d->g->n_params + param], err);
	}
	return r == BT_OK ? r
	                  : bt_error_prefix(err, "parameter '%s' on device %d",
	                                    p->name, i - 1);
}

int bt_device_put_arg(struct bt_device *d, int replica,
                      const struct bt_hlo_arg *arg, const void *from,
                      struct bt_pjrt_buffer **to, struct bt_error *err)
{
	struct bt_pjrt_shape s = bt_device_shape(&arg->shape);
	size_t bytes;
	int r = bt_pjrt_shape_bytes(&s, &bytes, err);

	return r == BT_OK
	           ? bt_pjrt_put(d->pjrt, replica, &s, from, bytes, to, err)
	           : r;
}

int bt_device_load(struct bt_device *d, const struct bt_graph *g,
                   const float *const *param, bool bf16, struct bt_error *err)
{
	int i, r = BT_OK;

	d->g = g;
	d->bf16 = bf16;
	d->param = bt_array0((size_t)d->replicas * (size_t)g->n_params + 1,
	                     sizeof(*d->param));
	if (d->param == NULL)
		return bt_error_nomem(err, "loading a model");
	if (d->costs.print != NULL)
		return BT_OK;
	for (i = 0; i < g->n_params && r == BT_OK; i++)
		r = bt_device_put_param(d, i, param[i], d->param, err);
	return r;
}

struct bt_pjrt_shape bt_device_shape(const struct bt_hlo_shape *s)
{
	struct bt_pjrt_shape t = {s->type == BT_HLO_F32   ? BT_PJRT_F32
	                          : s->type == BT_HLO_U32 ? BT_PJRT_U32
	                                                  : BT_PJRT_S32,
	                          s->rank,
	                          {0}};

	memcpy(t.dims, s->dim, (size_t)s->rank * sizeof(*t.dims));
	return t;
}

int bt_device_room(const struct bt_device *d, int selected)
{
	int room = 64;

	if (d->g->nodes[d->g->logits].rows != BT_PER_SELECTED)
		return 0;
	while (room < selected)
		room *= 2;
	return room;
}

struct bt_device_report bt_device_report(const struct bt_device *d)
{
	return d->report;
}

void bt_device_describe(const struct bt_device *d, bool bf16,
                        struct bt_buf *out)
{
	const struct bt_pjrt_about *a = bt_pjrt_about(d->pjrt);
	char many[32] = "";

	if (d->replicas > 1)
		snprintf(many, sizeof(many), "%d of ", d->replicas);
	bt_buf_printf(out,
	              "products %s by %s%s ('%s', StableHLO %" PRId64
	              ".%" PRId64 ".%" PRId64 ")",
	              bf16 ? "bf16" : "f32", many, a->platform, a->path,
	              a->stablehlo[0], a->stablehlo[1], a->stablehlo[2]);
}

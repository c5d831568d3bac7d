/* SPDX-License-Identifier: MIT */
/* Clients and their devices. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/tool.h"
#include "pjrt/client_int.h"
#include "pjrt/compiler_int.h"

static char *copy(const char *s)
{
	return bt_strndup(s, strlen(s));
}

/* Whether a client of a plugin was made here whose driver does not work in a
 * process that is forked afterwards. */
static atomic_bool fork_is_late;

/* Of a GPU's memory, for what programs hold: of the rest libraries take some.
 * XLA would leave a quarter. */
#define GPU_SHARE 0.9F

static bool is_gpu(const struct bt_pjrt *p)
{
	return strcmp(p->lib.kind, "cuda") == 0 ||
	       strcmp(p->lib.kind, "rocm") == 0;
}

/* Options are the plugins' own, and some refuse those that they do not know. */
static int create(struct bt_pjrt *p, const struct bt_pjrt_options *o,
                  struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_create_args, u);
	struct bt_pjrt_value v[2];
	int r;

	if (strcmp(p->lib.kind, "cpu") == 0) {
		v[0] = bt_pjrt_option("cpu_device_count", BT_PJRT_VALUE_INT64);
		v[0].v.int64 = o->cpu_devices > 0 ? o->cpu_devices : 1;
		u.a.options = v;
		u.a.n_options = 1;
	} else if (is_gpu(p)) {
		/* memory as it is needed, and not all of it at once */
		fork_is_late = true;
		v[0] = bt_pjrt_option("preallocate", BT_PJRT_VALUE_BOOL);
		v[0].v.b = false;
		v[1] = bt_pjrt_option("memory_fraction", BT_PJRT_VALUE_FLOAT);
		v[1].v.f = GPU_SHARE;
		u.a.options = v;
		u.a.n_options = 2;
	}
	r = bt_pjrt_call(&p->lib, BT_PJRT_CLIENT_CREATE, &u,
	                 BT_PJRT_SIZE(bt_pjrt_create_args, kv_try_get_arg),
	                 err);
	if (r == BT_OK && u.a.client == NULL)
		r = bt_error_set(err, BT_EFORMAT, "plugin '%s' gives no client",
		                 p->lib.name);
	p->client = u.a.client;
	return r;
}

/* The version of StableHLO, where the plugin tells it. */
static int read_attributes(struct bt_pjrt *p, struct bt_error *err)
{
	static const char name[] = "stablehlo_current_version";
	BT_PJRT_ARGS(bt_pjrt_attributes_args, u);
	const struct bt_pjrt_value *v;
	size_t i;
	int r = bt_pjrt_call(&p->lib, BT_PJRT_PLUGIN_ATTRIBUTES, &u,
	                     BT_PJRT_SIZE(bt_pjrt_attributes_args, n), err);

	if (r != BT_OK)
		return r;
	for (i = 0; u.a.values != NULL && i < u.a.n; i++) {
		v = &u.a.values[i];
		if (v->kind == BT_PJRT_VALUE_INT64S && v->size == 3 &&
		    v->name_size == sizeof(name) - 1 &&
		    memcmp(v->name, name, sizeof(name) - 1) == 0)
			memcpy(p->about.stablehlo, v->v.int64s,
			       sizeof(p->about.stablehlo));
	}
	return BT_OK;
}

/* dev: a device of the client, or what describes one of a topology. */
static int read_device(struct bt_pjrt *p, void *dev, struct bt_pjrt_device *d,
                       struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_memory_stats_args, u);
	struct bt_pjrt_value v = {.kind = BT_PJRT_VALUE_INT64};
	void *description = dev;
	int r = BT_OK;

	if (p->client != NULL)
		r = bt_pjrt_ask_pointer(&p->lib, BT_PJRT_DEVICE_DESCRIPTION,
		                        dev, &description, err);
	if (r == BT_OK)
		r = bt_pjrt_ask_int(&p->lib, BT_PJRT_DESCRIPTION_ID,
		                    description, &d->id, err);
	if (r == BT_OK)
		r = bt_pjrt_ask_text(&p->lib, BT_PJRT_DESCRIPTION_KIND,
		                     description, &d->kind, err);
	if (r != BT_OK)
		return r;
	/* Not every plugin tells its memory. */
	if (p->client == NULL) {
		if (bt_pjrt_ask_value(&p->lib, BT_PJRT_DESCRIPTION_ATTRIBUTES,
		                      dev, "device_memory_bytes_limit", &v) &&
		    v.v.int64 > 0)
			d->memory = v.v.int64;
		if (is_gpu(p))
			d->memory = (int64_t)((float)d->memory * GPU_SHARE);
		return BT_OK;
	}
	u.a.device = dev;
	if (bt_pjrt_call(&p->lib, BT_PJRT_DEVICE_MEMORY_STATS, &u, 201, NULL) ==
	        BT_OK &&
	    u.a.limit_set && u.a.limit > 0)
		d->memory = u.a.limit;
	return BT_OK;
}

static int read_devices(struct bt_pjrt *p, struct bt_error *err)
{
	const void *list;
	size_t n;
	int r =
	    p->client != NULL
	        ? bt_pjrt_ask_list(&p->lib, BT_PJRT_CLIENT_ADDRESSABLE_DEVICES,
	                           p->client, &list, &n, err)
	        : bt_pjrt_ask_list(&p->lib, BT_PJRT_TOPOLOGY_DEVICES,
	                           p->topology, &list, &n, err);

	if (r != BT_OK)
		return r;
	if (n == 0 || n > 65536)
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s' has %zu devices", p->lib.name,
		                    n);
	p->devs = bt_array(n, sizeof(*p->devs));
	memcpy(p->devs, list, n * sizeof(*p->devs));
	p->devices = bt_array0(n, sizeof(*p->devices));
	if (p->devices == NULL)
		return bt_error_nomem(err, "listing devices");
	p->n_devices = (int)n;
	for (n = 0; r == BT_OK && n < (size_t)p->n_devices; n++)
		r = read_device(p, p->devs[n], &p->devices[n], err);
	return r;
}

static int start(struct bt_pjrt *p, const char *plugin,
                 const struct bt_pjrt_options *o, struct bt_error *err)
{
	bool there = o->topology == NULL;
	void *object;
	int r = bt_pjrt_lib_load(&p->lib, plugin, !there, err);

	if (r != BT_OK)
		return r;
	p->costs = o->costs || !there;
	p->about.plugin = p->lib.name;
	p->about.path = p->lib.path;
	p->about.api_major = p->lib.api->version.major;
	p->about.api_minor = p->lib.api->version.minor;
	r = read_attributes(p, err);
	if (r == BT_OK)
		r = there ? create(p, o, err)
		          : bt_pjrt_topology_open(p, o->topology, err);
	object = there ? (void *)p->client : (void *)p->topology;
	if (r == BT_OK)
		r = bt_pjrt_ask_text(&p->lib,
		                     there ? BT_PJRT_CLIENT_PLATFORM_NAME
		                           : BT_PJRT_TOPOLOGY_PLATFORM_NAME,
		                     object, &p->about.platform, err);
	if (r == BT_OK)
		r = bt_pjrt_ask_text(&p->lib,
		                     there ? BT_PJRT_CLIENT_PLATFORM_VERSION
		                           : BT_PJRT_TOPOLOGY_PLATFORM_VERSION,
		                     object, &p->about.version, err);
	return r == BT_OK ? read_devices(p, err) : r;
}

/* In a process of its own, which ends: nothing is freed. */
static int compile(void *ctx, struct bt_buf *out, struct bt_error *err)
{
	const struct bt_pjrt_job *j = ctx;
	struct bt_pjrt *p = bt_array0(1, sizeof(*p));
	struct bt_buf program = BT_BUF_INIT;
	struct bt_pjrt_loaded *loaded;
	struct bt_pjrt_cost cost;
	int r = start(p, j->plugin, j->o, err);

	if (r != BT_OK)
		return r;
	bt_pjrt_child_begun();
	if (!p->costs) {
		r = bt_pjrt_compile_here(p, j->text, j->len, &j->options,
		                         &loaded, err);
		return r == BT_OK ? bt_pjrt_serialize(p, loaded, out, err) : r;
	}
	r = bt_pjrt_costs_here(p, j->text, j->len, &j->options, &cost,
	                       j->o->cache != NULL ? &program : NULL, err);
	bt_buf_put(out, &cost, sizeof(cost));
	bt_buf_put(out, bt_buf_at(&program, 0), program.len);
	return r;
}

/* In a process of its own, which ends: errors are found again where they can
 * be told, and the plugin may end this one. */
static int try(void *ctx, struct bt_buf *out, struct bt_error *err)
{
	const struct bt_pjrt_job *j = ctx;
	struct bt_error ignored = {0};

	(void)out;
	(void)err;
	if (start(bt_array0(1, sizeof(struct bt_pjrt)), j->plugin, j->o,
	          &ignored) != BT_OK)
		bt_error_clear(&ignored);
	return BT_OK;
}

/* Whether the plugin ends the process in which its client is made. */
static int try_elsewhere(const char *plugin, const struct bt_pjrt_options *o,
                         struct bt_error *err)
{
	struct bt_pjrt_job j = {plugin, o, NULL, 0, BT_BUF_INIT};
	struct bt_buf none = BT_BUF_INIT;
	struct bt_error why = {0};
	bool begun;
	int r;

	bt_tool_stop_ends(true); /* it may wait for ever */
	r = bt_pjrt_child(try, &j, &none, &begun, &why);
	bt_tool_stop_ends(false);
	bt_buf_clear(&none);
	if (r == BT_EFORMAT)
		return bt_error_set(err, r, "cannot open plugin '%s': %s",
		                    plugin, why.text);
	if (r != BT_OK)
		bt_error_clear(&why); /* no process could be had */
	return BT_OK;
}

int bt_pjrt_open(const char *plugin, const struct bt_pjrt_options *o,
                 struct bt_pjrt **out, struct bt_error *err)
{
	static const struct bt_pjrt_options none = {0};
	bool apart;
	struct bt_pjrt *p;
	int r;

	o = o != NULL ? o : &none;
	apart = !o->in_process && !fork_is_late;
	if (apart && (r = try_elsewhere(plugin, o, err)))
		return r;
	p = bt_array0(1, sizeof(*p));
	if (o->cache != NULL && o->topology == NULL)
		p->cache = copy(o->cache);
	if (apart)
		p->compiler = bt_pjrt_compiler_start(compile, plugin, o);
	bt_tool_stop_ends(true);
	r = start(p, plugin, o, err);
	bt_tool_stop_ends(false);
	if (r != BT_OK) {
		bt_pjrt_close(p);
		return r;
	}
	*out = p;
	return BT_OK;
}

void bt_pjrt_close(struct bt_pjrt *p)
{
	struct bt_error ignored = {0};
	int i;

	if (p == NULL)
		return;
	if (bt_pjrt_wait(p, &ignored) != BT_OK)
		bt_error_clear(&ignored);
	while (p->n_kept > 0) {
		bt_pjrt_end(&p->lib, BT_PJRT_LOADED_DESTROY,
		            p->kept[--p->n_kept].loaded);
		bt_buf_clear(&p->kept[p->n_kept].key);
	}
	if (p->client != NULL)
		bt_pjrt_end(&p->lib, BT_PJRT_CLIENT_DESTROY, p->client);
	if (p->topology != NULL)
		bt_pjrt_end(&p->lib, BT_PJRT_TOPOLOGY_DESTROY, p->topology);
	bt_pjrt_compiler_stop(p->compiler);
	for (i = 0; i < p->n_devices; i++)
		free(p->devices[i].kind);
	free(p->devices);
	free(p->devs);
	free(p->puts);
	free(p->kept);
	free(p->about.platform);
	free(p->about.version);
	free(p->cache);
	bt_pjrt_lib_clear(&p->lib);
	free(p);
}

void bt_pjrt_keep_programs(struct bt_pjrt *p)
{
	p->keeps = true;
}

void bt_pjrt_set_watch(struct bt_pjrt *p, bt_pjrt_watch *watch, void *ctx)
{
	p->watch = watch;
	p->watch_ctx = ctx;
}

const char *bt_pjrt_cache(const struct bt_pjrt *p)
{
	return p->cache;
}

const char *bt_pjrt_unkept(const struct bt_pjrt *p)
{
	return p->unkept.code != BT_OK ? p->unkept.text : NULL;
}

const struct bt_pjrt_about *bt_pjrt_about(const struct bt_pjrt *p)
{
	return &p->about;
}

int bt_pjrt_n_devices(const struct bt_pjrt *p)
{
	return p->n_devices;
}

const struct bt_pjrt_device *bt_pjrt_device(const struct bt_pjrt *p, int i)
{
	return &p->devices[i];
}

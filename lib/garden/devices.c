/* SPDX-License-Identifier: MIT */
#include "garden/devices.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "device/device.h"
#include "garden/device_flags.h"
#include "pjrt/pjrt.h"

struct plugins {
	struct bt_pjrt_plugin *list;
	size_t n;
};

static const char *named(const struct plugins *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->list[i].name, name) == 0)
			return p->list[i].name;
	return NULL;
}

/* The plugin for GPUs, or NULL. */
static const char *gpu_plugin(const struct plugins *p)
{
	const char *name = named(p, "cuda");
	size_t i;

	name = name != NULL ? name : named(p, "rocm");
	for (i = 0; name == NULL && i < p->n; i++)
		if (strcmp(p->list[i].name, "tpu") != 0 &&
		    strcmp(p->list[i].name, "cpu") != 0)
			name = p->list[i].name;
	return name;
}

static void take(struct bt_devices *d, const char *plugin, int replicas,
                 const struct bt_log *log)
{
	d->plugin = bt_strndup(plugin, strlen(plugin));
	d->replicas = replicas;
	bt_log(log, BT_LOG_NOTE,
	       "plugin '%s' computes; gradients are clipped by the norm of "
	       "their sum over devices",
	       plugin);
}

static int no_plugin(const struct plugins *p, const char *kind,
                     enum bt_hint hint, struct bt_error *err)
{
	struct bt_buf names = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < p->n; i++)
		bt_buf_printf(&names, "%s%s", i > 0 ? ", " : ", only for ",
		              p->list[i].name);
	bt_error_set(err, BT_EARG, "found no plugin for %s%s", kind,
	             p->n > 0 ? bt_buf_str(&names) : "");
	bt_buf_clear(&names);
	return bt_error_hint(err, hint, BT_EARG);
}

/* TPUs of this machine: what a name stands for elsewhere is not looked up. */
static int choose_tpu(const struct bt_devices_wish *w, const struct plugins *p,
                      const struct bt_log *log, struct bt_devices *d,
                      struct bt_error *err)
{
	const char *tpu = w->tpu != NULL ? w->tpu : "";

	if (strpbrk(tpu, ":/") != NULL)
		return bt_error_set(err, BT_EARG,
		                    "tpu '%.60s' is an address, and only TPUs "
		                    "of this machine are used: 'local', on the "
		                    "TPU's own machine",
		                    tpu);
	if (named(p, "tpu") == NULL)
		return no_plugin(p, "TPUs", BT_HINT_TPU_PLUGIN, err);
	if (*tpu != '\0' && strcmp(tpu, "local") != 0)
		bt_log(log, BT_LOG_NOTE,
		       "tpu '%.60s' is taken for the TPU of this machine", tpu);
	take(d, "tpu", BT_DEVICE_ALL, log);
	return BT_OK;
}

static int choose_gpus(const struct bt_devices_wish *w, int replicas,
                       const struct plugins *p, const struct bt_log *log,
                       struct bt_devices *d, struct bt_error *err)
{
	const char *plugin = gpu_plugin(p);
	char kind[48];

	if (plugin != NULL) {
		take(d, plugin, replicas, log);
		return BT_OK;
	}
	if (replicas > 1) {
		snprintf(kind, sizeof(kind), "GPUs (num_gpus is %d)", replicas);
		return no_plugin(p, kind, BT_HINT_GPU_PLUGIN, err);
	}
	bt_log_warn(log, "no-gpu", BT_HINT_GPU_PLUGIN,
	            "%s asks for a GPU, and no plugin for GPUs was found: the "
	            "CPU computes",
	            w->strategy);
	return BT_OK;
}

/* mirrored and one_device. */
static int choose_counted(const struct bt_devices_wish *w,
                          const struct plugins *p, const struct bt_log *log,
                          struct bt_devices *d, struct bt_error *err)
{
	if (w->gpus > 0)
		return choose_gpus(w, (int)w->gpus, p, log, d, err);
	if (gpu_plugin(p) != NULL)
		bt_log_warn(log, "gpu-unused", BT_HINT_NONE,
		            "num_gpus is 0, so the CPU computes, not plugin "
		            "'%s'",
		            gpu_plugin(p));
	return BT_OK;
}

/* Machines of the cluster that TensorFlow would find in the environment. */
static size_t hosts(void)
{
	const char *text = getenv("TF_CONFIG");
	json_t *all = text != NULL ? json_loads(text, 0, NULL) : NULL;
	const json_t *cluster = json_object_get(all, "cluster");
	size_t n = json_array_size(json_object_get(cluster, "worker")) +
	           json_array_size(json_object_get(cluster, "chief"));

	json_decref(all);
	return n;
}

static int several_hosts(struct bt_error *err)
{
	return bt_error_hint(
	    err, BT_HINT_HOSTS,
	    bt_error_set(err, BT_EARG,
	                 "devices of one machine compute together, not of "
	                 "several machines"));
}

static int choose(const struct bt_devices_wish *w, const struct plugins *p,
                  const struct bt_log *log, struct bt_devices *d,
                  struct bt_error *err)
{
	const char *s = w->strategy;
	bool one = strcasecmp(s, "one_device") == 0;

	if (strcasecmp(s, "tpu") == 0)
		return choose_tpu(w, p, log, d, err);
	if (w->tpu != NULL && *w->tpu != '\0')
		return bt_error_set(err, BT_EARG,
		                    "tpu is '%.60s', and only the strategy tpu "
		                    "uses a TPU",
		                    w->tpu);
	if (strcasecmp(s, "parameter_server") == 0)
		return several_hosts(err);
	if (strcasecmp(s, "multi_worker_mirrored") == 0)
		return hosts() > 1
		           ? several_hosts(err)
		           : choose_gpus(w, BT_DEVICE_ALL, p, log, d, err);
	if (w->gpus > 1 && (one || strcasecmp(s, "off") == 0))
		return bt_error_set(err, BT_EARG,
		                    "num_gpus is %lld, and it computes on one "
		                    "device: mirrored takes several",
		                    (long long)w->gpus);
	if (strcasecmp(s, "off") == 0)
		return BT_OK;
	if (!one && strcasecmp(s, "mirrored") != 0)
		return bt_error_set(err, BT_EARG, "it is not one of %s",
		                    BT_DEVICES_STRATEGIES);
	return choose_counted(w, p, log, d, err);
}

int bt_devices_choose(const struct bt_devices_wish *w, const struct bt_log *log,
                      struct bt_devices *d, struct bt_error *err)
{
	struct plugins p = {NULL, 0};
	int r = bt_pjrt_plugins(&p.list, &p.n, err);

	*d = (struct bt_devices){NULL, 0};
	if (r != BT_OK)
		return r;
	r = choose(w, &p, log, d, err);
	bt_pjrt_plugins_free(p.list, p.n);
	return r == BT_OK ? r
	                  : bt_error_prefix(err, "strategy %s", w->strategy);
}

int bt_device_flags_choose(const struct bt_device_flags *f,
                           const struct bt_log *log, struct bt_devices *d,
                           struct bt_error *err)
{
	const struct bt_devices_wish w = {f->strategy, f->tpu, f->gpus};

	return bt_devices_choose(&w, log, d, err);
}

void bt_devices_clear(struct bt_devices *d)
{
	free(d->plugin);
	d->plugin = NULL;
}

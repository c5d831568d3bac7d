/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* realpath */
#include "train/adapters_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/adapter_config.h"
#include "format/hub_cache.h"

/* The name by which the hub's cache gives this directory; else its absolute
 * path, which is the same from anywhere on this machine. */
static char *base_name(const char *dir)
{
	char *name = bt_hub_cache_name(dir);

	if (name != NULL && strcmp(bt_hub_cache_find(name), dir) == 0)
		return name;
	free(name);
	return realpath(dir, NULL);
}

int bt_adapters_check(struct bt_job *j, struct bt_error *err)
{
	if (j->o.train.lora.rank == 0)
		return BT_OK;
	if (bt_adapter_is(j->o.model))
		return bt_error_hint(
		    err, BT_HINT_MERGE_ADAPTER,
		    bt_error_set(err, BT_EARG,
		                 "'%s' is an adapter itself, which another one "
		                 "cannot change",
		                 j->o.model));
	j->base = base_name(j->o.model);
	return j->base != NULL
	           ? BT_OK
	           : bt_hub_cache_hint(j->o.model,
	                               bt_error_sys(err, errno,
	                                            "cannot find '%s'",
	                                            j->o.model),
	                               err);
}

void bt_adapters_plan(struct bt_job *j)
{
	j->model.lora = j->o.train.lora;
	j->model.lora.keeps_head = j->model.task->masks;
	j->model.base = j->base;
}

int bt_adapters_init(const struct bt_job *j, const char *from,
                     struct bt_weights_report *rep, struct bt_error *err)
{
	const struct bt_graph *g = &j->model.graph;
	float *p = bt_engine_params(j->model.engine);
	int i;

	if (j->model.lora.rank == 0)
		return BT_OK;
	if (j->model.lora.keeps_head && rep->fresh > 0) {
		bt_error_set(err, BT_EFORMAT,
		             "'%s' lacks '%.200s', which would stay random: "
		             "of a model for masked tokens only the adapters "
		             "are trained",
		             from, bt_buf_str(&rep->fresh_names));
		bt_weights_report_clear(rep);
		return BT_EFORMAT;
	}
	for (i = 0; p != NULL && i < g->n_params; i++)
		if (bt_lora_is(g, i))
			bt_weights_init(g, j->o.train.batching.seed, i, p);
	return BT_OK;
}

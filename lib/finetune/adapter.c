/* SPDX-License-Identifier: MIT */
#include "finetune/adapter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/adapter_config.h"

/* peft's word for what a model does. */
static const char *task_type(const struct bt_model *m)
{
	const char *problem = m->task->problem_type;

	if (bt_config_embeds(&m->config))
		return "FEATURE_EXTRACTION";
	if (m->task->masks)
		return NULL;
	if (strcmp(problem, BT_PROBLEM_TOKENS) == 0)
		return "TOKEN_CLS";
	return strcmp(problem, BT_PROBLEM_SPANS) == 0 ? "QUESTION_ANS"
	                                              : "SEQ_CLS";
}

static bool has(const json_t *list, const char *text)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		if (strcmp(json_string_value(v), text) == 0)
			return true;
	}
	return false;
}

static void add(json_t *list, const char *text)
{
	if (!has(list, text))
		json_array_append_new(list, json_string(text));
}

/* The name of a parameter's layer without what follows the last point. */
static char *layer_of(const char *name)
{
	const char *point = strrchr(name, '.');

	return bt_strndup(name, point != NULL ? (size_t)(point - name)
	                                      : strlen(name));
}

static const char *last_part(const char *name)
{
	const char *point = strrchr(name, '.');

	return point != NULL ? point + 1 : name;
}

/* The layers of the head, as peft finds them: by the ends of their names, of
 * which "classifier" is there anyway. */
static json_t *saved_layers(const struct bt_model *m)
{
	const struct bt_graph *g = &m->graph;
	json_t *list = json_array();
	char *layer;
	int i;

	for (i = 0; i < g->n_params; i++) {
		if (g->params[i].frozen || !g->params[i].head)
			continue;
		layer = layer_of(g->params[i].name);
		add(list,
		    bt_str_starts(layer, "classifier.") ? "classifier" : layer);
		free(layer);
	}
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return json_null();
}

/* Whether the last part of a layer's name says that it has an adapter. */
static bool tells(const struct bt_graph *g, const char *part)
{
	struct bt_buf a = BT_BUF_INIT;
	bool all = true;
	char *layer;
	int i;

	for (i = 0; all && i < g->n_params; i++) {
		if (g->params[i].rank != 2 || bt_lora_is(g, i))
			continue;
		layer = layer_of(g->params[i].name);
		bt_buf_reset(&a);
		bt_buf_printf(&a, "%s" BT_ADAPTER_A, layer);
		if (strcmp(last_part(layer), part) == 0)
			all = bt_graph_find(g, bt_buf_str(&a)) >= 0;
		free(layer);
	}
	bt_buf_clear(&a);
	return all;
}

size_t bt_adapter_bare(const struct bt_model *m, const char *name)
{
	const char *prefix = m->graph.prefix;

	return bt_config_embeds(&m->config) && bt_str_starts(name, prefix)
	           ? strlen(prefix)
	           : 0;
}

/* The layers with adapters, by the last parts of their names where these say
 * it, else by their whole names. */
static json_t *target_layers(const struct bt_model *m)
{
	const struct bt_graph *g = &m->graph;
	json_t *parts = json_array(), *names = json_array();
	bool all = true;
	char *layer;
	const char *name;
	int i;

	for (i = 0; i < g->n_params; i++) {
		name = g->params[i].name;
		if (!bt_str_ends(name, BT_ADAPTER_A))
			continue;
		layer = bt_strndup(name, strlen(name) - strlen(BT_ADAPTER_A));
		add(parts, last_part(layer));
		add(names, layer + bt_adapter_bare(m, layer));
		all = all && tells(g, last_part(layer));
		free(layer);
	}
	json_decref(all ? names : parts);
	return all ? parts : names;
}

/* Whole numbers as such. */
static json_t *number(double x)
{
	return x == floor(x) && fabs(x) < 1e9 ? json_integer((json_int_t)x)
	                                      : json_real(x);
}

json_t *bt_adapter_config_json(const struct bt_model *m)
{
	const char *task = task_type(m);

	return json_pack(
	    "{s:s, s:s, s:o, s:i, s:o, s:f, s:o, s:o, s:s, s:b, s:b, s:b, s:b}",
	    "peft_type", "LORA", "base_model_name_or_path",
	    m->base != NULL ? m->base : "", "task_type",
	    task != NULL ? json_string(task) : json_null(), "r", m->lora.rank,
	    "lora_alpha", number(m->lora.alpha), "lora_dropout",
	    m->lora.dropout, "target_modules", target_layers(m),
	    "modules_to_save", saved_layers(m), "bias", "none",
	    "fan_in_fan_out", 0, "init_lora_weights", 1, "use_rslora", 0,
	    "inference_mode", 1);
}

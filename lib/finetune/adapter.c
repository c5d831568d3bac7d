/* SPDX-License-Identifier: MIT */
#include "finetune/adapter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/fingerprint.h"
#include "ckpt_format/safetensors.h"
#include "format/adapter_config.h"
#include "format/adapter_layers.h"

/* peft's word for what a model does. */
static const char *task_type(const struct bt_model *m)
{
	const char *problem = m->task->problem_type;

	if (bt_config_embeds(&m->config))
		return "FEATURE_EXTRACTION";
	if (m->task->masks || bt_config_chooses(&m->config))
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
	char *layer, *name;
	bool all = true;
	int i, k, parts = 1;

	for (i = 0; all && i < g->n_params; i++) {
		if (g->params[i].rank != 2 || bt_lora_is(g, i))
			continue;
		layer = layer_of(g->params[i].name);
		bt_buf_reset(&a);
		bt_buf_printf(&a, "%s" BT_ADAPTER_A, layer);
		for (k = 0; k < parts; k++) {
			name = bt_adapter_layer_name(layer, k, &parts);
			if (strcmp(last_part(name), part) == 0)
				all = all &&
				      bt_graph_find(g, bt_buf_str(&a)) >= 0;
			free(name);
		}
		parts = 1;
		free(layer);
	}
	bt_buf_clear(&a);
	return all;
}

/* How many characters at the beginning of a parameter's name an encoder alone
 * lacks, which is what an adapter of a model that embeds texts changes. */
static size_t bare(const struct bt_model *m, const char *name)
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
	json_t *ends = json_array(), *names = json_array();
	bool all = true;
	char *layer, *name;
	int i, k, parts;

	for (i = 0; i < g->n_params; i++) {
		if (!bt_str_ends(g->params[i].name, BT_ADAPTER_A))
			continue;
		layer =
		    bt_strndup(g->params[i].name, strlen(g->params[i].name) -
		                                      strlen(BT_ADAPTER_A));
		for (k = 0, parts = 1; k < parts; k++) {
			name = bt_adapter_layer_name(layer, k, &parts);
			add(ends, last_part(name));
			add(names, name + bare(m, name));
			all = all && tells(g, last_part(name));
			free(name);
		}
		free(layer);
	}
	json_decref(all ? names : ends);
	return all ? ends : names;
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

/* What is written. */
struct tensors {
	struct bt_tensor *t;
	int64_t (*shape)[2];
	size_t n;
};

static void free_tensors(struct tensors *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free((char *)(uintptr_t)s->t[i].name);
	free(s->t);
	free(s->shape);
}

/* Part k of a parameter, of that many. */
static void add_tensor(struct tensors *s, const struct bt_model *m, int i,
                       const char *name, const char *end, int k, int parts)
{
	const struct bt_param *p = &m->graph.params[i];
	int rows = p->rows / parts;
	struct bt_tensor *t = &s->t[s->n];
	int64_t *shape = s->shape[s->n++];
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, BT_ADAPTER_PREFIX "%s%s", name + bare(m, name), end);
	shape[0] = p->rank == 2 ? rows : p->cols;
	shape[1] = p->cols;
	t->name = bt_buf_detach(&b);
	t->dtype = BT_DTYPE_F32;
	t->rank = p->rank;
	t->shape = shape;
	t->data = bt_engine_params(m->engine) + p->offset +
	          (size_t)k * (size_t)rows * (size_t)p->cols;
}

/* A or B of a layer: the parts of this have their own rows of B and each the
 * whole of A. */
static void add_factor(struct tensors *s, const struct bt_model *m, int i)
{
	const char *name = m->graph.params[i].name;
	bool is_a = bt_str_ends(name, BT_ADAPTER_A);
	const char *end = is_a ? BT_ADAPTER_A : BT_ADAPTER_B;
	char *layer = bt_strndup(name, strlen(name) - strlen(end)), *part;
	int k, parts = 1;

	for (k = 0; k < parts; k++) {
		part = bt_adapter_layer_name(layer, k, &parts);
		add_tensor(s, m, i, part, end, is_a ? 0 : k, is_a ? 1 : parts);
		free(part);
	}
	free(layer);
}

int bt_adapter_write(struct bt_out *out, const struct bt_model *m,
                     const struct bt_ckpt_note *note, struct bt_error *err)
{
	const struct bt_graph *g = &m->graph;
	size_t most = (size_t)g->n_params * BT_ADAPTER_PARTS;
	char base[9];
	const struct bt_ckpt_note notes[] = {*note,
	                                     {BT_FINGERPRINT_NOTE, base}};
	struct bt_safetensors s = {.notes = notes, .n_notes = 2};
	struct tensors all = {bt_array0(most, sizeof(*all.t)),
	                      bt_array0(most, sizeof(*all.shape)), 0};
	int i, r;

	for (i = 0; all.t != NULL && all.shape != NULL && i < g->n_params; i++)
		if (bt_lora_is(g, i))
			add_factor(&all, m, i);
		else if (!g->params[i].frozen)
			add_tensor(&all, m, i, g->params[i].name, "", 0, 1);
	snprintf(base, sizeof(base), "%08x", (unsigned)m->base_sum);
	s.tensors = all.t;
	s.count = all.n;
	r = all.n > 0 ? bt_safetensors_write(out, &s, err)
	              : bt_error_nomem(err, "writing an adapter");
	free_tensors(&all);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "format/adapter_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "format/hub_cache.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"

#define RANK_MAX 65536

static const char *set_base;

void bt_adapter_base_set(const char *dir)
{
	set_base = dir;
}

/* Keys of ways to change a model that are not read here. Their values are then
 * neither null nor false nor empty. */
static const char *const other_ways[] = {
    "fan_in_fan_out",    "layer_replication", "trainable_token_indices",
    "use_dora",          "velora_config",     "alora_invocation_tokens",
    "use_qalora",        "monteclora_config", "lora_bias",
    "target_parameters", "use_bdlora",        "arrow_config",
    "kasa_config",       "alpha_pattern",
};

static bool is_nothing(const json_t *v)
{
	return v == NULL || json_is_null(v) || json_is_false(v) ||
	       (json_is_object(v) && json_object_size(v) == 0) ||
	       (json_is_array(v) && json_array_size(v) == 0);
}

/* First values that leave the model as it is. Those of other names (pissa,
 * olora) take away from its weights what they put into the adapter. */
static bool keeps_base(const json_t *init)
{
	const char *s = json_string_value(init);

	return s == NULL || strcmp(s, "gaussian") == 0 ||
	       strcmp(s, "eva") == 0 || strcmp(s, "orthogonal") == 0;
}

static int check(const json_t *o, struct bt_error *err)
{
	const char *type = NULL;
	size_t i;
	int r = bt_json_str(o, "peft_type", &type, err);

	if (r != BT_OK)
		return r;
	if (type == NULL || strcmp(type, "LORA") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "'peft_type' is %s%.60s%s: only adapters "
		                    "of the type LORA are read",
		                    type != NULL ? "'" : "",
		                    type != NULL ? type : "missing",
		                    type != NULL ? "'" : "");
	for (i = 0; i < sizeof(other_ways) / sizeof(other_ways[0]); i++)
		if (!is_nothing(json_object_get(o, other_ways[i])))
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s' is set, by which the adapter "
			                    "changes more than LoRA does: peft "
			                    "can save both merged into one "
			                    "model (merge_and_unload)",
			                    other_ways[i]);
	if (!keeps_base(json_object_get(o, "init_lora_weights")))
		return bt_error_set(
		    err, BT_EFORMAT,
		    "'init_lora_weights' is '%.60s', for which the model's own "
		    "weights are changed, too: peft can convert it "
		    "(path_initial_model_for_weight_conversion)",
		    json_string_value(json_object_get(o, "init_lora_weights")));
	return BT_OK;
}

int bt_adapter_config_parse(const char *name, json_t *o,
                            struct bt_adapter_config *c, struct bt_error *err)
{
	int r;

	memset(c, 0, sizeof(*c));
	c->rank = 8; /* peft's defaults */
	c->alpha = 8;
	c->ranks = !is_nothing(json_object_get(o, "rank_pattern"));
	if ((r = check(o, err)) ||
	    (r = bt_json_int(o, "r", 1, RANK_MAX, &c->rank, err)) ||
	    (r = bt_json_real(o, "lora_alpha", -1e9, 1e9, &c->alpha, err)) ||
	    (r = bt_json_bool(o, "use_rslora", &c->root, err)) ||
	    (r = bt_json_str(o, "task_type", &c->task, err)) ||
	    (r = bt_json_str(o, "base_model_name_or_path", &c->base, err)))
		return bt_error_prefix(err, "%s", name);
	c->json = json_incref(o);
	return BT_OK;
}

void bt_adapter_config_clear(struct bt_adapter_config *c)
{
	json_decref(c->json);
	memset(c, 0, sizeof(*c));
}

int bt_adapter_config_load(const char *dir, struct bt_adapter_config *c,
                           struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_ADAPTER_CONFIG);
	struct bt_buf name = BT_BUF_INIT;
	json_t *o = NULL;
	int r = bt_json_load(path, &o, err);

	bt_buf_printf(&name, "'%s'", path);
	if (r == BT_OK)
		r = bt_adapter_config_parse(bt_buf_str(&name), o, c, err);
	json_decref(o);
	bt_buf_clear(&name);
	free(path);
	return r;
}

double bt_adapter_scale(const struct bt_adapter_config *c, int64_t rank)
{
	return c->alpha / (c->root ? sqrt((double)rank) : (double)rank);
}

bool bt_adapter_is(const char *dir)
{
	char *path = bt_path_join(dir, BT_FILE_ADAPTER_CONFIG);
	bool there = bt_path_there(path);

	free(path);
	return there;
}

int bt_adapter_expect(const char *dir, struct bt_error *err)
{
	if (bt_adapter_is(dir))
		return BT_OK;
	if (bt_path_there(dir))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not an adapter: it does not "
		                    "hold " BT_FILE_ADAPTER_CONFIG,
		                    dir);
	return bt_hub_cache_hint(
	    dir,
	    bt_error_set(err, BT_EIO, "no adapter '%s': no such directory here",
	                 dir),
	    err);
}

/* The directory that a name stands for, to be freed; or NULL. */
static char *find(const char *dir, const char *name)
{
	const char *found = bt_hub_cache_find(name);
	char *path;

	if (bt_path_is_dir(found))
		return bt_strndup(found, strlen(found));
	if (name[0] == '/')
		return NULL;
	path = bt_path_join(dir, name);
	if (bt_path_is_dir(path))
		return path;
	free(path);
	return NULL;
}

static bool has_weights(const char *dir)
{
	const struct bt_model_file *f = NULL;

	return bt_model_files_find(dir, BT_USE_WEIGHTS, &f, NULL, NULL) ==
	           BT_OK &&
	       f != NULL;
}

/* Changes of changes are not read; dir itself would never end. */
static int check_base(const char *dir, const char *base, struct bt_error *err)
{
	if (!bt_adapter_is(base) || has_weights(base))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s' is to change '%s', which is an adapter and "
	                    "not a model",
	                    dir, base);
}

int bt_adapter_base(const char *dir, char **base, struct bt_error *err)
{
	struct bt_adapter_config c;
	int r = BT_OK;

	*base = NULL;
	if (set_base != NULL) {
		*base = bt_strndup(set_base, strlen(set_base));
		return check_base(dir, *base, err);
	}
	r = bt_adapter_config_load(dir, &c, err);
	if (r != BT_OK)
		return r;
	if (has_weights(dir))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' holds both a model and an adapter "
		                 "(" BT_FILE_ADAPTER_CONFIG
		                 "): remove the one that is not wanted",
		                 dir);
	else if (c.base == NULL || *c.base == '\0')
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s/" BT_FILE_ADAPTER_CONFIG
		                 "' does not name the model that the adapter "
		                 "changes",
		                 dir);
	else if ((*base = find(dir, c.base)) == NULL)
		r = bt_error_set(err, BT_EIO,
		                 "'%s' is an adapter of the model '%.400s', "
		                 "which is neither a directory here nor in the "
		                 "hub's cache",
		                 dir, c.base);
	if (r != BT_OK)
		(void)bt_error_hint(err, BT_HINT_ADAPTER_BASE, r);
	else
		r = check_base(dir, *base, err);
	bt_adapter_config_clear(&c);
	if (r != BT_OK) {
		free(*base);
		*base = NULL;
	}
	return r;
}

int bt_adapter_tokenizer(const char *dir, char **in, struct bt_error *err)
{
	const struct bt_model_file *f = NULL;
	bool adapter = bt_adapter_is(dir);
	int r = BT_OK;

	if (adapter)
		r = bt_model_files_find(dir, BT_USE_OPENS, &f, NULL, err);
	if (r == BT_OK && adapter && f == NULL)
		return bt_adapter_base(dir, in, err);
	*in = bt_strndup(dir, strlen(dir));
	return r;
}

/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* What adapters say of themselves, and the names of layers in them. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "format/adapter_config.h"
#include "format/adapter_layers.h"
#include "format/json.h"

static int parse(const char *text, struct bt_adapter_config *c,
                 struct bt_error *err)
{
	json_t *o;
	int r;

	assert_int_equal(bt_json_parse("x", text, strlen(text), true, &o, err),
	                 BT_OK);
	r = bt_adapter_config_parse("x", o, c, err);
	json_decref(o);
	return r;
}

TEST(scales)
{
	static const struct {
		const char *text;
		int rank;
		double scale;
	} cases[] = {
	    {"{\"peft_type\": \"LORA\"}", 8, 1},
	    {"{\"peft_type\": \"LORA\", \"r\": 4, \"lora_alpha\": 6.5}", 4,
	     6.5 / 4},
	    /* that of a layer with its own rank */
	    {"{\"peft_type\": \"LORA\", \"r\": 4, \"lora_alpha\": 6, "
	     "\"rank_pattern\": {\"query\": 2}}",
	     2, 3},
	    {"{\"peft_type\": \"LORA\", \"r\": 9, \"lora_alpha\": 6, "
	     "\"use_rslora\": true}",
	     9, 2},
	};
	struct bt_adapter_config c;
	struct bt_error err = {0};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_ok(parse(cases[i].text, &c, &err));
		assert_float_equal(bt_adapter_scale(&c, cases[i].rank),
		                   cases[i].scale, 1e-12);
		bt_adapter_config_clear(&c);
	}
	assert_err(parse("{\"peft_type\": \"LORA\", \"r\": 65537}", &c, &err),
	           BT_EFORMAT, "'r'");
}

static void named(const char *file, int part, const char *adapter, int of)
{
	int parts, k;
	char *name = bt_adapter_layer_name(file, part, &parts);

	assert_string_equal(name, adapter);
	assert_int_equal(parts, of);
	free(name);
	/* one of the ways back leads there */
	for (k = 0; strcmp(file, adapter) != 0; k++) {
		name = bt_adapter_layer_file(adapter, k, &part, &parts);
		if (name == NULL)
			fail_msg("no way from %s to %s", adapter, file);
		of = strcmp(name, file) == 0 ? 0 : of;
		free(name);
		if (of == 0)
			break;
	}
}

TEST(names)
{
	int part, parts;

	named("gte.encoder.layer.3.attention.qkv_proj", 0,
	      "gte.layers.3.self_attn.q_proj", 3);
	named("encoder.layer.10.mlp.up_gate_proj", 1, "layers.10.mlp.gate_proj",
	      2);
	named("nomic_bert.encoder.layers.0.attn.Wqkv", 2,
	      "nomic_bert.layers.0.self_attn.v_proj", 3);
	named("nomic_bert.encoder.layers.0.mlp.fc12", 0,
	      "nomic_bert.layers.0.mlp.gate_proj", 1);
	/* of other families */
	named("model.layers.0.attn.Wqkv", 0, "model.layers.0.attn.Wqkv", 1);
	named("bert.encoder.layer.0.output.dense", 0,
	      "bert.encoder.layer.0.output.dense", 1);
	named("xencoder.layers.0.attn.Wqkv", 0, "xencoder.layers.0.attn.Wqkv",
	      1);
	named("encoder.layers.x.attn.Wqkv", 0, "encoder.layers.x.attn.Wqkv", 1);
	assert_null(
	    bt_adapter_layer_file("layers.0.self_attn", 0, &part, &parts));
	assert_null(bt_adapter_layer_file("layers.", 0, &part, &parts));
	assert_null(bt_adapter_layer_file("", 0, &part, &parts));
}

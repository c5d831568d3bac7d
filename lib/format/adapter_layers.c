/* SPDX-License-Identifier: MIT */
#include "format/adapter_layers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* Layers of the encoder's layer N: between STEM and the end stands N. */
#define GTE "encoder.layer."
#define NOMIC "encoder.layers."
#define CLASS "layers."

static const struct {
	const char *stem, *file, *class;
	int part, parts;
} layers[] = {
    {GTE, "attention.qkv_proj", "self_attn.q_proj", 0, 3},
    {GTE, "attention.qkv_proj", "self_attn.k_proj", 1, 3},
    {GTE, "attention.qkv_proj", "self_attn.v_proj", 2, 3},
    {GTE, "attention.o_proj", "self_attn.o_proj", 0, 1},
    {GTE, "mlp.up_gate_proj", "mlp.up_proj", 0, 2},
    {GTE, "mlp.up_gate_proj", "mlp.gate_proj", 1, 2},
    {GTE, "mlp.down_proj", "mlp.down_proj", 0, 1},
    {NOMIC, "attn.Wqkv", "self_attn.q_proj", 0, 3},
    {NOMIC, "attn.Wqkv", "self_attn.k_proj", 1, 3},
    {NOMIC, "attn.Wqkv", "self_attn.v_proj", 2, 3},
    {NOMIC, "attn.out_proj", "self_attn.o_proj", 0, 1},
    {NOMIC, "mlp.fc11", "mlp.up_proj", 0, 1},
    {NOMIC, "mlp.fc12", "mlp.gate_proj", 0, 1},
    {NOMIC, "mlp.fc2", "mlp.down_proj", 0, 1},
};

#define LAYERS (sizeof(layers) / sizeof(layers[0]))

/* The name with another stem and end, to be freed, if it has these; or NULL. */
static char *renamed(const char *name, const char *stem, const char *end,
                     const char *to_stem, const char *to_end)
{
	const char *at = strstr(name, stem), *number;
	struct bt_buf b = BT_BUF_INIT;
	size_t digits;

	if (at == NULL || (at > name && at[-1] != '.'))
		return NULL;
	number = at + strlen(stem);
	digits = strspn(number, "0123456789");
	if (digits == 0 || number[digits] != '.' ||
	    strcmp(number + digits + 1, end) != 0)
		return NULL;
	bt_buf_printf(&b, "%.*s%s%.*s.%s", (int)(at - name), name, to_stem,
	              (int)digits, number, to_end);
	return bt_buf_detach(&b);
}

char *bt_adapter_layer_name(const char *layer, int k, int *parts)
{
	char *name = NULL;
	size_t i;

	*parts = 1;
	for (i = 0; i < LAYERS && name == NULL; i++)
		if (layers[i].part == k) {
			name = renamed(layer, layers[i].stem, layers[i].file,
			               CLASS, layers[i].class);
			*parts = name != NULL ? layers[i].parts : 1;
		}
	return name != NULL ? name : bt_strndup(layer, strlen(layer));
}

char *bt_adapter_layer_file(const char *layer, int i, int *part, int *parts)
{
	char *name;
	size_t k;

	for (k = 0; k < LAYERS; k++) {
		name = renamed(layer, CLASS, layers[k].class, layers[k].stem,
		               layers[k].file);
		if (name == NULL)
			continue;
		*part = layers[k].part;
		*parts = layers[k].parts;
		if (i-- == 0)
			return name;
		free(name);
	}
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* BERT's names in GGUF files, as llama.cpp has them; # is a layer. Forms are
 * those of Hugging Face. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt/names_int.h"

static const struct {
	const char *hf, *gguf;
} stems[] = {
    {"bert.embeddings.word_embeddings", "token_embd"},
    {"bert.embeddings.position_embeddings", "position_embd"},
    {"bert.embeddings.token_type_embeddings", "token_types"},
    {"bert.embeddings.LayerNorm", "token_embd_norm"},
    {"bert.encoder.layer.#.attention.self.query", "blk.#.attn_q"},
    {"bert.encoder.layer.#.attention.self.key", "blk.#.attn_k"},
    {"bert.encoder.layer.#.attention.self.value", "blk.#.attn_v"},
    {"bert.encoder.layer.#.attention.output.dense", "blk.#.attn_output"},
    {"bert.encoder.layer.#.attention.output.LayerNorm",
     "blk.#.attn_output_norm"},
    {"bert.encoder.layer.#.intermediate.dense", "blk.#.ffn_up"},
    {"bert.encoder.layer.#.output.dense", "blk.#.ffn_down"},
    {"bert.encoder.layer.#.output.LayerNorm", "blk.#.layer_output_norm"},
    {"bert.pooler.dense", "cls"},
    {"classifier", "cls.output"},
};

char *bt_names_gguf(const char *name, bool to_gguf)
{
	const char *leaf = strrchr(name, '.'), *from, *to;
	struct bt_buf b = BT_BUF_INIT;
	char *stem, *made;
	int layer;
	size_t i;

	if (leaf == NULL)
		return NULL;
	stem = bt_strndup(name, (size_t)(leaf - name));
	for (i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		from = to_gguf ? stems[i].hf : stems[i].gguf;
		to = to_gguf ? stems[i].gguf : stems[i].hf;
		if (!bt_name_match(from, stem, &layer))
			continue;
		made = bt_name_make(to, layer, 0);
		bt_buf_printf(&b, "%s%s", made, leaf);
		free(made);
		break;
	}
	free(stem);
	return b.len > 0 ? bt_buf_detach(&b) : NULL;
}

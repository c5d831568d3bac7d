/* SPDX-License-Identifier: MIT */
/* BERT's names in GGUF files, as llama.cpp has them; # is a layer. Forms are
 * those of Hugging Face. */
#include <stdlib.h>
#include <string.h>

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

/* name without its last part, which *leaf then is. */
static char *stem_of(const char *name, const char **leaf)
{
	const char *dot = strrchr(name, '.');
	char *stem = dot != NULL ? strdup(name) : NULL;

	if (stem != NULL) {
		stem[dot - name] = '\0';
		*leaf = dot;
	}
	return stem;
}

char *bt_names_gguf(const char *name, bool to_gguf)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *leaf = NULL, *from, *to;
	char *stem = stem_of(name, &leaf), *made = NULL;
	int layer;
	size_t i;

	for (i = 0; stem != NULL && i < sizeof(stems) / sizeof(stems[0]); i++) {
		from = to_gguf ? stems[i].hf : stems[i].gguf;
		to = to_gguf ? stems[i].gguf : stems[i].hf;
		if (!bt_name_match(from, stem, &layer))
			continue;
		made = bt_name_make(to, layer, 0);
		if (made != NULL) {
			bt_buf_puts(&b, made);
			bt_buf_puts(&b, leaf);
		}
		b.oom |= made == NULL;
		free(made);
		break;
	}
	free(stem);
	if (b.len == 0 && !b.oom)
		return strdup("");
	return bt_buf_detach(&b);
}

/* SPDX-License-Identifier: MIT */
/* Names in GGUF files, as llama.cpp has them; # is a layer. Names of Hugging
 * Face are without the prefix of their family. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/names_int.h"
#include "tensor/checkpoint_reader.h"

struct stem {
	const char *hf, *gguf;
};

/* Of BERT and of those with its layers; the heads of families differ. */
#define BERT                                                                   \
	{"embeddings.word_embeddings", "token_embd"},                          \
	    {"embeddings.position_embeddings", "position_embd"},               \
	    {"embeddings.token_type_embeddings", "token_types"},               \
	    {"embeddings.LayerNorm", "token_embd_norm"},                       \
	    {"encoder.layer.#.attention.self.query", "blk.#.attn_q"},          \
	    {"encoder.layer.#.attention.self.key", "blk.#.attn_k"},            \
	    {"encoder.layer.#.attention.self.value", "blk.#.attn_v"},          \
	    {"encoder.layer.#.attention.output.dense", "blk.#.attn_output"},   \
	    {"encoder.layer.#.attention.output.LayerNorm",                     \
	     "blk.#.attn_output_norm"},                                        \
	    {"encoder.layer.#.intermediate.dense", "blk.#.ffn_up"},            \
	    {"encoder.layer.#.output.dense", "blk.#.ffn_down"},                \
	{                                                                      \
		"encoder.layer.#.output.LayerNorm", "blk.#.layer_output_norm"  \
	}

static const struct stem bert[] = {
    BERT, {"pooler.dense", "cls"}, {"classifier", "cls.output"}, {NULL, NULL}};

static const struct stem roberta[] = {BERT,
                                      {"classifier.dense", "cls"},
                                      {"classifier.out_proj", "cls.output"},
                                      {NULL, NULL}};

/* Its classifiers' first layer has an activation that llama.cpp's has not. */
static const struct stem distilbert[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"transformer.layer.#.attention.q_lin", "blk.#.attn_q"},
    {"transformer.layer.#.attention.k_lin", "blk.#.attn_k"},
    {"transformer.layer.#.attention.v_lin", "blk.#.attn_v"},
    {"transformer.layer.#.attention.out_lin", "blk.#.attn_output"},
    {"transformer.layer.#.sa_layer_norm", "blk.#.attn_output_norm"},
    {"transformer.layer.#.ffn.lin1", "blk.#.ffn_up"},
    {"transformer.layer.#.ffn.lin2", "blk.#.ffn_down"},
    {"transformer.layer.#.output_layer_norm", "blk.#.layer_output_norm"},
    {NULL, NULL}};

static const struct stem modernbert[] = {
    {"embeddings.tok_embeddings", "token_embd"},
    {"embeddings.norm", "token_embd_norm"},
    {"layers.#.attn_norm", "blk.#.attn_norm"},
    {"layers.#.attn.Wqkv", "blk.#.attn_qkv"},
    {"layers.#.attn.Wo", "blk.#.attn_output"},
    {"layers.#.mlp_norm", "blk.#.ffn_norm"},
    {"layers.#.mlp.Wi", "blk.#.ffn_up"},
    {"layers.#.mlp.Wo", "blk.#.ffn_down"},
    {"final_norm", "output_norm"},
    {"head.dense", "cls"},
    {"head.norm", "cls.norm"},
    {"classifier", "cls.output"},
    {NULL, NULL}};

static const struct stem nomic_bert[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"emb_ln", "token_embd_norm"},
    {"encoder.layers.#.attn.Wqkv", "blk.#.attn_qkv"},
    {"encoder.layers.#.attn.out_proj", "blk.#.attn_output"},
    {"encoder.layers.#.norm1", "blk.#.attn_output_norm"},
    {"encoder.layers.#.mlp.fc11", "blk.#.ffn_up"},
    {"encoder.layers.#.mlp.fc12", "blk.#.ffn_gate"},
    {"encoder.layers.#.mlp.fc2", "blk.#.ffn_down"},
    {"encoder.layers.#.norm2", "blk.#.layer_output_norm"},
    {NULL, NULL}};

static const struct stem eurobert[] = {
    {"embed_tokens", "token_embd"},
    {"layers.#.input_layernorm", "blk.#.attn_norm"},
    {"layers.#.self_attn.q_proj", "blk.#.attn_q"},
    {"layers.#.self_attn.k_proj", "blk.#.attn_k"},
    {"layers.#.self_attn.v_proj", "blk.#.attn_v"},
    {"layers.#.self_attn.o_proj", "blk.#.attn_output"},
    {"layers.#.post_attention_layernorm", "blk.#.ffn_norm"},
    {"layers.#.mlp.gate_proj", "blk.#.ffn_gate"},
    {"layers.#.mlp.up_proj", "blk.#.ffn_up"},
    {"layers.#.mlp.down_proj", "blk.#.ffn_down"},
    {"norm", "output_norm"},
    {NULL, NULL}};

/* See bt_names_by_part for attn_qkv. */
static const struct stem neobert[] = {
    {"encoder", "token_embd"},
    {"transformer_encoder.#.attention_norm", "blk.#.attn_norm"},
    {"transformer_encoder.#.qkv", "blk.#.attn_qkv"},
    {"transformer_encoder.#.wo", "blk.#.attn_output"},
    {"transformer_encoder.#.ffn_norm", "blk.#.ffn_norm"},
    {"transformer_encoder.#.ffn.w12", "blk.#.ffn_up"},
    {"transformer_encoder.#.ffn.w3", "blk.#.ffn_down"},
    {"layer_norm", "enc.output_norm"},
    {"dense", "cls"},
    {"classifier", "cls.output"},
    {NULL, NULL}};

/* The first of an architecture of llama.cpp's is the one that is read, if it
 * is: of NeoBERT's files, those of llama.cpp's own program have the rows of
 * attn_qkv in another order, and nothing says in which they are. */
static const struct family {
	const char *family, *arch, *prefix;
	const struct stem *stems;
	bool unread;
} families[] = {
    {"bert", "bert", "bert.", bert, false},
    {"roberta", "bert", "roberta.", roberta, false},
    {"camembert", "bert", "roberta.", roberta, false},
    {"xlm-roberta", "bert", "roberta.", roberta, false},
    {"distilbert", "bert", "distilbert.", distilbert, false},
    {"modernbert", "modern-bert", "model.", modernbert, false},
    {"nomic_bert", "nomic-bert", "nomic_bert.", nomic_bert, false},
    {"eurobert", "eurobert", "model.", eurobert, false},
    {"neobert", "neo-bert", "model.", neobert, true},
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

static const struct family *find(const char *family)
{
	int i = BT_STR_ROW_BY(family, families, family);

	return i >= 0 ? &families[i] : NULL;
}

bool bt_names_in_gguf(const char *family)
{
	return find(family) != NULL;
}

/* Whether a name without prefix is one of the encoder's, not of a head's. */
static bool in_encoder(const char *gguf)
{
	return !bt_str_starts(gguf, "cls");
}

/* The name of a stem with this leaf, or NULL; free() it. */
static char *translate(const struct family *f, const char *name, bool to_gguf)
{
	const char *leaf = strrchr(name, '.'), *from, *to;
	struct bt_buf b = BT_BUF_INIT;
	const struct stem *s;
	char *stem, *made;
	int layer;

	if (leaf == NULL)
		return NULL;
	stem = bt_strndup(name, (size_t)(leaf - name));
	for (s = f->stems; s->hf != NULL; s++) {
		from = to_gguf ? s->hf : s->gguf;
		to = to_gguf ? s->gguf : s->hf;
		if (!bt_name_match(from, stem, &layer))
			continue;
		made = bt_name_make(to, layer, 0);
		/* the pooler is in the encoder's prefix */
		bt_buf_printf(&b, "%s%s%s",
		              !to_gguf && (in_encoder(s->gguf) ||
		                           bt_str_starts(s->hf, "pooler"))
		                  ? f->prefix
		                  : "",
		              made, leaf);
		free(made);
		break;
	}
	free(stem);
	return b.len > 0 ? bt_buf_detach(&b) : NULL;
}

static char *to_gguf(const struct family *f, const char *name)
{
	if (bt_str_starts(name, f->prefix))
		name += strlen(f->prefix);
	else if (bt_str_starts(name, "bert.")) /* as a bare encoder's looks */
		name += strlen("bert.");
	return translate(f, name, true);
}

void bt_names_to_gguf(struct bt_named_list *l, const char *family)
{
	const struct family *f = find(family != NULL ? family : "bert");
	struct bt_named *v;
	char *name;

	for (v = l->v; f != NULL && v < l->v + l->n; v++) {
		name = to_gguf(f, bt_names_unwrapped(l, v->name));
		v->known = name != NULL;
		if (v->known)
			bt_named_rename(v, name);
	}
}

char *bt_names_from_gguf(const char *name, const struct bt_ckpt *c)
{
	const char *arch = NULL;
	size_t i;

	for (i = 0; i < c->n_notes; i++)
		if (strcmp(c->notes[i].key, "general.architecture") == 0)
			arch = c->notes[i].value;
	for (i = 0; i < FAMILIES; i++)
		if (!families[i].unread &&
		    strcmp(families[i].arch, arch != NULL ? arch : "bert") == 0)
			return translate(&families[i], name, false);
	return NULL;
}

/* Another tensor in the place of v's, a matrix, with so many rows; NULL without
 * memory. */
static struct bt_named_made *make_matrix(struct bt_named_list *l,
                                         struct bt_named *v, int64_t rows)
{
	struct bt_named_made *m = bt_array0(1, sizeof(*m));
	const struct bt_tensor *t = v->from;

	m->next = l->made;
	l->made = m;
	m->shape[0] = rows;
	m->shape[1] = t->shape[1];
	m->tensor = (struct bt_tensor){.name = t->name,
	                               .dtype = t->dtype,
	                               .rank = 2,
	                               .shape = m->shape,
	                               .count = (size_t)(rows * t->shape[1])};
	m->tensor.bytes = m->tensor.count * (bt_dtype_bits(t->dtype) / 8);
	m->tensor.data = m->data = bt_array(m->tensor.bytes + 1, 1);
	if (m->data == NULL)
		return NULL;
	v->from = &m->tensor;
	v->shape = m->shape;
	return m;
}

int bt_names_cut_rows(struct bt_named_list *l, const char *name, int64_t rows,
                      struct bt_error *err)
{
	struct bt_named_made *m;
	struct bt_named *v = l->v;
	const struct bt_tensor *t;

	while (v < l->v + l->n && strcmp(v->name, name) != 0)
		v++;
	if (v == l->v + l->n)
		return BT_OK;
	t = v->from;
	if (t->rank != 2 || t->shape[0] <= rows || v->transposed ||
	    bt_dtype_bits(t->dtype) < 8)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' has no more than the "
		                    "%lld rows that are not positions",
		                    t->name, (long long)rows);
	m = make_matrix(l, v, t->shape[0] - rows);
	if (m == NULL)
		return bt_error_nomem(err, "reading weights");
	return bt_tensor_read(t, (size_t)(rows * t->shape[1]), m->tensor.count,
	                      m->data, err);
}

static int by_part(struct bt_named_list *l, struct bt_named *v, int64_t heads,
                   struct bt_error *err)
{
	const struct bt_tensor *t = v->from;
	struct bt_named_made *m;
	int64_t part, head, d;
	size_t bytes;
	char *out;
	int r = BT_OK;

	if (t->rank != 2 || v->transposed || bt_dtype_bits(t->dtype) < 8 ||
	    t->shape[0] % (3 * heads) != 0)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "tensor '%.100s' does not hold the queries, "
		    "keys and values of %lld heads",
		    t->name, (long long)heads);
	d = t->shape[0] / (3 * heads) * t->shape[1];
	m = make_matrix(l, v, t->shape[0]);
	if (m == NULL)
		return bt_error_nomem(err, "reading weights");
	bytes = (size_t)d * (bt_dtype_bits(t->dtype) / 8);
	out = m->data;
	for (part = 0; part < 3; part++)
		for (head = 0; head < heads && r == BT_OK; head++, out += bytes)
			r = bt_tensor_read(t, (size_t)((3 * head + part) * d),
			                   (size_t)d, out, err);
	return r;
}

int bt_names_by_part(struct bt_named_list *l, const char *end, int64_t heads,
                     struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; i < l->n && r == BT_OK; i++)
		if (bt_str_ends(l->v[i].name, end))
			r = by_part(l, &l->v[i], heads, err);
	return r;
}

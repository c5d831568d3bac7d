/* SPDX-License-Identifier: MIT */
/* What a GGUF file says of a model, beside its tensors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ckpt_format/gguf_int.h"
#include "format/adapter_config.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/sentence.h"
#include "io/path.h"
#include "tensor/checkpoint_reader.h"

/* Numbers of llama.cpp's ways to pool. */
enum { POOL_NONE, POOL_MEAN, POOL_CLS, POOL_RANK = 4 };

/* A family by its model_type, and what its configuration leaves out. */
static const struct family {
	const char *type, *arch, *act;
	double eps, theta, theta_near; /* 0: it does not rotate */
	int64_t pad;                   /* whose position comes before texts' */
} families[] = {
    {"bert", "bert", "gelu", 1e-12, 0, 0, -1},
    {"distilbert", "bert", "gelu", 1e-12, 0, 0, -1},
    {"roberta", "bert", "gelu", 1e-12, 0, 0, 1},
    {"camembert", "bert", "gelu", 1e-12, 0, 0, 1},
    {"xlm-roberta", "bert", "gelu", 1e-12, 0, 0, 1},
    {"modernbert", "modern-bert", "gelu", 1e-5, 160000, 10000, -1},
    {"nomic_bert", "nomic-bert", "silu", 1e-12, 1000, 0, -1},
    {"eurobert", "eurobert", "silu", 1e-5, 10000, 0, -1},
    {"neobert", "neo-bert", "swiglu", 1e-6, 10000, 0, -1},
};

struct notes {
	struct bt_gguf_notes *n;
	const struct family *f;
	const json_t *o; /* the configuration */
	struct bt_error *err;
};

static const struct family *find(const json_t *o)
{
	const char *type = json_string_value(json_object_get(o, "model_type"));
	int i = BT_STR_ROW_BY(type, families, type);

	return &families[i < 0 ? 0 : i];
}

/* The key of a note that is the architecture's; in `key`. */
static const char *key_of(const struct notes *w, const char *name,
                          char key[static 96])
{
	snprintf(key, 96, "%s.%s", w->f->arch, name);
	return key;
}

/* Rows of positions that are not of texts' tokens. */
static int read_offset(const struct notes *w, int64_t *offset)
{
	int64_t pad = w->f->pad;

	*offset = 0;
	if (pad < 0)
		return BT_OK;
	*offset = pad + 1;
	if (bt_json_int(w->o, "pad_token_id", 0, INT32_MAX, &pad, w->err) !=
	    BT_OK)
		return BT_EFORMAT;
	*offset = pad + 1;
	return BT_OK;
}

int bt_gguf_position_offset(const json_t *o, int64_t *offset,
                            struct bt_error *err)
{
	struct notes w = {NULL, find(o), o, err};

	return read_offset(&w, offset);
}

static int note_sizes(const struct notes *w)
{
	static const struct {
		const char *keys[2], *note;
	} sizes[] = {
	    {{"num_hidden_layers", "n_layers"}, "block_count"},
	    {{"max_position_embeddings", NULL}, "context_length"},
	    {{"hidden_size", "dim"}, "embedding_length"},
	    {{"intermediate_size", "hidden_dim"}, "feed_forward_length"},
	    {{"num_attention_heads", "n_heads"}, "attention.head_count"},
	    {{"num_key_value_heads", NULL}, "attention.head_count_kv"},
	    {{"vocab_size", NULL}, "vocab_size"},
	};
	int64_t v, offset;
	char key[96];
	size_t i, k;
	int r = read_offset(w, &offset);

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && r == BT_OK; i++) {
		v = -1;
		for (k = 0; k < 2 && sizes[i].keys[k] != NULL && r == BT_OK;
		     k++)
			r = bt_json_int(w->o, sizes[i].keys[k], 0, UINT32_MAX,
			                &v, w->err);
		if (i == 1 && v > offset)
			v -= offset;
		if (i == 3 && v > 0 && strcmp(w->f->arch, "neo-bert") == 0)
			v = (2 * v / 3 + 7) / 8 * 8; /* as wide as they are */
		if (r == BT_OK && v >= 0)
			bt_gguf_note_u32(w->n, key_of(w, sizes[i].note, key),
			                 (uint32_t)v);
	}
	return r;
}

static int note_norm(const struct notes *w)
{
	static const char *const keys[] = {"layer_norm_eps", "norm_eps",
	                                   "rms_norm_eps"};
	bool rms = strcmp(w->f->arch, "eurobert") == 0 ||
	           strcmp(w->f->arch, "neo-bert") == 0;
	double eps = w->f->eps;
	char key[96];
	size_t i;
	int r = BT_OK;

	for (i = 0; i < 3 && r == BT_OK; i++)
		r = bt_json_real(w->o, keys[i], 0, 1, &eps, w->err);
	bt_gguf_note_f32(w->n,
	                 key_of(w,
	                        rms ? "attention.layer_norm_rms_epsilon"
	                            : "attention.layer_norm_epsilon",
	                        key),
	                 eps);
	bt_gguf_note_bool(w->n, key_of(w, "attention.causal", key), false);
	return r;
}

/* llama.cpp's architectures have one activation each, but for ModernBERT's. */
static int note_act(const struct notes *w)
{
	static const char *const keys[] = {"hidden_act", "hidden_activation",
	                                   "activation"};
	bool modern = strcmp(w->f->arch, "modern-bert") == 0;
	const char *act = w->f->act;
	char key[96];
	size_t i;
	int r = BT_OK;

	for (i = 0; i < 3 && r == BT_OK; i++)
		r = bt_json_str(w->o, keys[i], &act, w->err);
	if (r != BT_OK)
		return r;
	if (modern)
		bt_gguf_note_text(w->n, key_of(w, "hidden_activation", key),
		                  act);
	if (strcmp(act, "swish") == 0)
		act = "silu";
	if (strncmp(act, w->f->act, strlen(w->f->act)) == 0 ||
	    (modern && strcmp(act, "silu") == 0))
		return BT_OK;
	return bt_error_set(w->err, BT_EFORMAT,
	                    "llama.cpp lacks its activation '%.100s' for "
	                    "the family %s (it has only '%s')",
	                    act, w->f->type, w->f->act);
}

/* The base of a rotation as an object says it, which may be NULL. */
static int read_theta(const struct notes *w, const json_t *o, double *theta)
{
	const char *type = "default";
	int r;

	if (!json_is_object(o))
		return BT_OK;
	if ((r = bt_json_real(o, "rope_theta", 1, 1e30, theta, w->err)) ||
	    (r = bt_json_str(o, "type", &type, w->err)) ||
	    (r = bt_json_str(o, "rope_type", &type, w->err)))
		return r;
	if (strcmp(type, "default") == 0 || strcmp(type, "dynamic") == 0)
		return BT_OK;
	return bt_error_set(w->err, BT_EFORMAT,
	                    "rope_type '%.100s' is not written for llama.cpp "
	                    "(only 'default' is)",
	                    type);
}

/* Every how many layers, of a list of layer_types, one sees the whole text. */
static int read_layers(const json_t *types, int64_t *every,
                       struct bt_error *err)
{
	size_t n = json_array_size(types), step, i;
	const char *type;

	for (step = 1; step <= n; step++) {
		for (i = 0; i < n; i++) {
			type = json_string_value(json_array_get(types, i));
			if (type == NULL ||
			    strcmp(type, i % step == 0
			                     ? "full_attention"
			                     : "sliding_attention") != 0)
				break;
		}
		*every = (int64_t)step;
		if (i == n)
			return BT_OK;
	}
	return bt_error_set(err, BT_EFORMAT,
	                    "layer_types that are not full_attention in every "
	                    "n-th layer are not written for llama.cpp");
}

/* ModernBERT's two rotations, and how far its layers see. */
static int note_near(const struct notes *w, double far, double near)
{
	const json_t *all = json_object_get(w->o, "rope_parameters");
	const json_t *types = json_object_get(w->o, "layer_types");
	const json_t *both = json_object_get(w->o, "rope_scaling");
	int64_t window = 128, every = 3, half;
	char key[96];
	int r;

	if ((r = bt_json_real(w->o, "global_rope_theta", 1, 1e30, &far,
	                      w->err)) ||
	    (r = read_theta(w, json_object_get(all, "full_attention"), &far)))
		return r;
	if (json_is_null(json_object_get(w->o, "local_rope_theta")))
		near = far;
	if ((r = bt_json_real(w->o, "local_rope_theta", 1, 1e30, &near,
	                      w->err)) ||
	    (r = read_theta(w, json_object_get(all, "sliding_attention"),
	                    &near)) ||
	    (r = read_theta(w, both, &far)) ||
	    (r = read_theta(w, both, &near)) ||
	    (r = bt_json_int(w->o, "local_attention", 2, 1 << 28, &window,
	                     w->err)))
		return r;
	half = window / 2;
	if ((r = bt_json_int(w->o, "sliding_window", 1, 1 << 27, &half,
	                     w->err)) ||
	    (r = bt_json_int(w->o, "global_attn_every_n_layers", 1, 1 << 20,
	                     &every, w->err)))
		return r;
	if (json_array_size(types) > 0 &&
	    (r = read_layers(types, &every, w->err)))
		return r;
	bt_gguf_note_f32(w->n, key_of(w, "rope.freq_base", key), far);
	bt_gguf_note_f32(w->n, key_of(w, "rope.freq_base_swa", key), near);
	bt_gguf_note_u32(w->n, key_of(w, "attention.sliding_window", key),
	                 (uint32_t)(2 * half));
	bt_gguf_note_u32(w->n,
	                 key_of(w, "attention.sliding_window_pattern", key),
	                 (uint32_t)every);
	return BT_OK;
}

static int note_rope(const struct notes *w)
{
	double theta = w->f->theta;
	char key[96];
	int r;

	if (theta == 0)
		return BT_OK;
	bt_gguf_note_text(w->n, key_of(w, "rope.scaling.type", key), "none");
	if (w->f->theta_near > 0)
		return note_near(w, theta, w->f->theta_near);
	if ((r = bt_json_real(w->o, "rope_theta", 1, 1e30, &theta, w->err)) ||
	    (r = read_theta(w, json_object_get(w->o, "rope_parameters"),
	                    &theta)) ||
	    (r = read_theta(w, json_object_get(w->o, "rope_scaling"), &theta)))
		return r;
	bt_gguf_note_f32(w->n, key_of(w, "rope.freq_base", key), theta);
	return BT_OK;
}

/* The labels of a classifier of that many; llama.cpp counts them. */
static void note_labels(const struct notes *w, int64_t labels)
{
	const json_t *names = json_object_get(w->o, "id2label");
	struct bt_buf all = BT_BUF_INIT;
	const char *name;
	char key[96], number[32];
	int64_t i;

	for (i = 0; i < labels; i++) {
		snprintf(number, sizeof(number), "%lld", (long long)i);
		name = json_string_value(json_object_get(names, number));
		if (name == NULL) {
			snprintf(key, sizeof(key), "LABEL_%s", number);
			name = key;
		}
		bt_gguf_put_text(&all, name, strlen(name));
	}
	bt_gguf_note_array(w->n, key_of(w, "classifier.output_labels", key),
	                   BT_GGUF_STRING, &all, (uint64_t)labels);
	bt_buf_clear(&all);
}

/* Whether the classes are texts', by the head that llama.cpp has. */
static bool classifies_texts(const json_t *o)
{
	const json_t *own = json_object_get(o, "bertutils");
	const char *class = json_string_value(
	    json_array_get(json_object_get(o, "architectures"), 0));

	return json_object_get(own, "pool") == NULL &&
	       json_object_get(own, "head") == NULL &&
	       (class == NULL ||
	        strstr(class, "ForTokenClassification") == NULL);
}

/* llama.cpp's head of ModernBERT has one activation. */
static int check_head(const struct notes *w)
{
	const char *act = "gelu";
	int r = bt_json_str(w->o, "classifier_activation", &act, w->err);

	if (r == BT_OK && strncmp(act, "gelu", 4) != 0)
		r = bt_error_set(w->err, BT_EFORMAT,
		                 "llama.cpp lacks its classifier_activation "
		                 "'%.100s' (it has only 'gelu')",
		                 act);
	return r;
}

/* How a text's row is made of its tokens'. */
static int note_pooling(const struct notes *w, const char *dir, int64_t labels)
{
	const char *classes = "cls";
	struct bt_sentence s;
	uint32_t how = POOL_NONE;
	char key[96];
	int r = bt_sentence_read(dir, &s, w->err);

	if (r == BT_OK)
		r = bt_json_str(w->o, "classifier_pooling", &classes, w->err);
	if (r != BT_OK)
		return r;
	if (s.pooling != NULL &&
	    (s.n_dense > 0 || strcmp(s.pooling, "max") == 0))
		return bt_error_set(w->err, BT_EFORMAT,
		                    "'%s': its modules.json has %s, which is "
		                    "not written for llama.cpp",
		                    dir,
		                    s.n_dense > 0 ? "layers behind the pooling"
		                                  : "the pooling max");
	if (s.pooling != NULL)
		how = strcmp(s.pooling, "cls") == 0 ? POOL_CLS : POOL_MEAN;
	else if (labels > 0 && classifies_texts(w->o))
		how = POOL_RANK;
	bt_gguf_note_u32(w->n, key_of(w, "pooling_type", key), how);
	if (labels == 0)
		return BT_OK;
	if (how == POOL_RANK && (r = check_head(w)) != BT_OK)
		return r;
	note_labels(w, labels);
	if (strcmp(w->f->arch, "modern-bert") == 0)
		bt_gguf_note_u32(
		    w->n, key_of(w, "classifier.pooling_type", key),
		    strcmp(classes, "mean") == 0 ? POOL_MEAN : POOL_CLS);
	return BT_OK;
}

/* The rows of a tensor that is written; 0: it is not. */
static int64_t rows_of(const struct bt_tensor_source *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (strcmp(s->tensors[i].name, name) == 0 &&
		    s->tensors[i].rank == 2)
			return s->tensors[i].shape[0];
	return 0;
}

static int note_config(const struct notes *w, const char *dir,
                       const struct bt_tensor_source *s)
{
	int64_t types = rows_of(s, "token_types.weight");
	int r;

	bt_gguf_note_u32(w->n, "tokenizer.ggml.token_type_count",
	                 types > 0 ? (uint32_t)types : 1);
	if ((r = note_sizes(w)) || (r = note_norm(w)) || (r = note_act(w)) ||
	    (r = note_rope(w)))
		return r;
	return note_pooling(w, dir, rows_of(s, "cls.output.weight"));
}

int bt_gguf_describe(const char *from, const struct bt_tensor_source *s,
                     struct bt_gguf_notes *n, struct bt_error *err)
{
	char *dir = bt_path_of(from), *path = NULL, *in = NULL;
	struct notes w = {.n = n, .err = err};
	json_t *o;
	int r = bt_hf_config_find(dir, &o, &path, err);

	w.f = find(o);
	w.o = o;
	bt_gguf_note_text(n, "general.architecture", w.f->arch);
	bt_gguf_note_text(n, "general.type", "model");
	if (r == BT_OK && o != NULL) {
		r = note_config(&w, dir, s);
		if (r != BT_OK && path != NULL)
			bt_error_prefix(err, "'%s'", path);
	}
	json_decref(o);
	free(path);
	if (r == BT_OK)
		r = bt_adapter_tokenizer(dir, &in, err);
	if (r == BT_OK)
		r = bt_gguf_note_tokenizer(
		    in, (uint64_t)rows_of(s, "token_embd.weight"), n, err);
	free(in);
	free(dir);
	return r;
}

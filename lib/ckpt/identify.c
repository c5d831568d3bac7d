/* SPDX-License-Identifier: MIT */
#include "ckpt/identify.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ckpt/inspect_int.h"
#include "ckpt/names.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"
#include "tensor/checkpoint_reader.h"

/* What only the names of a family hold, the rarer ones first. */
static const struct {
	const char *mark, *family;
} marks[] = {
    {"albert_layer_groups.", "albert"},
    {"attention.q_lin.", "distilbert"},
    {"attention.attn.q.", "mpnet"},
    {"attention.self.query_proj.", "deberta-v2"},
    {"mlp.up_gate_proj.", "gte"},
    {"mlp.fc11.", "nomic_bert"},
    {"attn.Wqkv.", "modernbert"},
    {"self_attn.q_proj.", "eurobert"},
    {"ffn.w12.", "neobert"},
    {"electra.", "electra"},
    {"embeddings_project.", "electra"},
    {"roberta.", "roberta"},
    {"attention.self.query.", "bert"},
};

/* Which tensor, by the end of its name, tells a number by which dimension. */
static const struct {
	const char *end;
	int dim;
	size_t number;
} sizes[] = {
#define NUMBER(member) offsetof(struct bt_ckpt_family, member)
    {"word_embeddings.weight", 0, NUMBER(vocabulary)},
    {"tok_embeddings.weight", 0, NUMBER(vocabulary)},
    {"embed_tokens.weight", 0, NUMBER(vocabulary)},
    {"model.encoder.weight", 0, NUMBER(vocabulary)},
    {"embeddings.position_embeddings.weight", 0, NUMBER(positions)},
    {"word_embeddings.weight", 1, NUMBER(embedding_size)},
    {"attention.self.query.weight", 1, NUMBER(hidden_size)},
    {"attention.self.query_proj.weight", 1, NUMBER(hidden_size)},
    {"attention.q_lin.weight", 1, NUMBER(hidden_size)},
    {"attention.attn.q.weight", 1, NUMBER(hidden_size)},
    {"attention.query.weight", 1, NUMBER(hidden_size)},
    {"attn.Wqkv.weight", 1, NUMBER(hidden_size)},
    {"attention.qkv_proj.weight", 1, NUMBER(hidden_size)},
    {"self_attn.q_proj.weight", 1, NUMBER(hidden_size)},
    {"ffn.w12.weight", 1, NUMBER(hidden_size)},
    {"intermediate.dense.weight", 0, NUMBER(intermediate_size)},
    {"ffn.lin1.weight", 0, NUMBER(intermediate_size)},
    {".ffn.weight", 0, NUMBER(intermediate_size)},
    {"mlp.down_proj.weight", 1, NUMBER(intermediate_size)},
    {"mlp.fc2.weight", 1, NUMBER(intermediate_size)},
    {"ffn.w3.weight", 1, NUMBER(intermediate_size)},
};

/* The same by keys of a configuration. */
static const struct {
	const char *key;
	size_t number;
} keys[] = {
    {"num_hidden_layers", NUMBER(layers)},
    {"n_layers", NUMBER(layers)},
    {"hidden_size", NUMBER(hidden_size)},
    {"dim", NUMBER(hidden_size)},
    {"num_attention_heads", NUMBER(heads)},
    {"n_heads", NUMBER(heads)},
    {"intermediate_size", NUMBER(intermediate_size)},
    {"hidden_dim", NUMBER(intermediate_size)},
    {"vocab_size", NUMBER(vocabulary)},
    {"max_position_embeddings", NUMBER(positions)},
#undef NUMBER
};

/* Heads by what their names hold; classifiers tell the number of classes. */
static const struct {
	const char *mark, *head;
	bool classes;
} heads[] = {
    {"classifier.out_proj.weight", "classifier", true},
    {"classifier.weight", "classifier", true},
    {"qa_outputs.weight", "question answering", false},
    {"discriminator_predictions.", "replaced token detection", false},
    {"cls.seq_relationship.", "pre-training", false},
    {"cls.predictions.", "masked language model", false},
    {"lm_head.", "masked language model", false},
    {"decoder.weight", "masked language model", false},
    {"vocab_transform.", "masked language model", false},
    {"predictions.", "masked language model", false},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int64_t *number(struct bt_ckpt_family *f, size_t at)
{
	return (int64_t *)(void *)((char *)f + at);
}

void bt_ckpt_family_clear(struct bt_ckpt_family *f)
{
	bt_buf_clear(&f->tokenizer);
	memset(f, 0, sizeof(*f));
}

/* One more than the number of the layer that a name says. */
static int64_t layer_of(const char *name)
{
	static const char *const stems[] = {"encoder.layer.",
	                                    "transformer.layer.", "layers.",
	                                    "transformer_encoder."};
	const char *p;
	int64_t n = 0;
	size_t i;

	for (i = 0; i < COUNT(stems); i++) {
		p = strstr(name, stems[i]);
		if (p == NULL || !isdigit((unsigned char)p[strlen(stems[i])]))
			continue;
		for (p += strlen(stems[i]);
		     isdigit((unsigned char)*p) && n < 1 << 20; p++)
			n = 10 * n + (*p - '0');
		return n + 1;
	}
	return 0;
}

static void look_at(struct bt_ckpt_family *f, const struct bt_named *v,
                    size_t *mark, size_t *head)
{
	int64_t layer = layer_of(v->name);
	size_t i;

	for (i = 0; i < *mark; i++)
		if (strstr(v->name, marks[i].mark) != NULL)
			*mark = i;
	for (i = 0; i < COUNT(sizes); i++)
		if (v->rank == 2 && bt_str_ends(v->name, sizes[i].end))
			*number(f, sizes[i].number) = v->shape[sizes[i].dim];
	if (layer > f->layers)
		f->layers = layer;
	/* heads show in a shape only where they have their own dimension */
	if (v->known && v->from->rank == 3 && v->from->shape[1] > 0 &&
	    bt_str_ends(v->name, "attention.self.query.weight"))
		f->heads = v->from->shape[1];
	for (i = 0; i < *head; i++) {
		if (strstr(v->name, heads[i].mark) == NULL)
			continue;
		*head = i;
		if (heads[i].classes && v->rank == 2)
			f->labels = v->shape[0];
	}
}

static int by_tensors(const struct bt_ckpt *c, struct bt_ckpt_family *f,
                      struct bt_error *err)
{
	size_t mark = COUNT(marks), head = COUNT(heads), i;
	struct bt_named_list l;
	int64_t types = 0;
	int r = bt_names_init(&l, c, err);

	if (r != BT_OK)
		return r;
	r = bt_names_hf(&l, c, err);
	for (i = 0; i < l.n && r == BT_OK; i++) {
		look_at(f, &l.v[i], &mark, &head);
		if (bt_str_ends(l.v[i].name, "token_type_embeddings.weight") &&
		    l.v[i].rank == 2)
			types = l.v[i].shape[0];
	}
	bt_names_clear(&l);
	if (mark < COUNT(marks))
		f->family = marks[mark].family;
	/* a bare encoder of RoBERTa's has the names of BERT's */
	if (bt_str_is(f->family, "bert") && types == 1)
		f->family = "roberta";
	if (mark == 0) /* ALBERT's layers share their parameters */
		f->layers = 0;
	f->head = head < COUNT(heads) ? heads[head].head : "none";
	return r;
}

/* The families that share RoBERTa's names are told apart by their word. */
static void refine(struct bt_ckpt_family *f, const char *type)
{
	static const char *const types[] = {
	    "albert",  "bert",     "camembert",  "deberta-v2", "distilbert",
	    "electra", "eurobert", "gte",        "modernbert", "mpnet",
	    "neobert", "roberta",  "nomic_bert", "xlm-roberta"};
	int i = BT_STR_ROW(type, types);

	if (i >= 0)
		f->family = types[i];
}

/* Hugging Face's problem_type: what a classifier's outputs are. */
static const struct {
	const char *problem, *outputs;
} problems[] = {
    {"single_label_classification", "classes"},
    {"multi_label_classification", "labels, any number of which may hold"},
    {"regression", "numbers"},
};

static const char *outputs(const struct bt_ckpt_family *f)
{
	int i = BT_STR_ROW_BY(f->problem, problems, problem);

	return problems[i < 0 ? 0 : i].outputs;
}

static int by_config(const json_t *o, struct bt_ckpt_family *f,
                     struct bt_error *err)
{
	const char *type = NULL, *problem;
	int64_t n;
	size_t i;
	int k, r = bt_json_str(o, "model_type", &type, err);

	problem = json_string_value(json_object_get(o, "problem_type"));
	for (i = 0; i < COUNT(keys) && r == BT_OK; i++) {
		n = -1;
		r = bt_json_int(o, keys[i].key, 0, INT64_MAX, &n, err);
		if (r == BT_OK && n >= 0)
			*number(f, keys[i].number) = n;
	}
	if (r == BT_OK && f->family != NULL)
		refine(f, type);
	if ((k = BT_STR_ROW_BY(problem, problems, problem)) >= 0)
		f->problem = problems[k].problem;
	return r;
}

/* Reads the first configuration in dir, and lists tokenizer files. */
static int look_beside(const char *dir, struct bt_ckpt_family *f,
                       struct bt_error *err)
{
	const struct bt_model_file *file = NULL;
	char *path = NULL;
	json_t *o;
	int r = bt_hf_config_find(dir, &o, &path, err);

	if (r == BT_OK && o != NULL) {
		r = by_config(o, f, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s'", path);
	}
	json_decref(o);
	free(path);
	while (r == BT_OK &&
	       (file = bt_model_files_next(file, BT_USE_TOKENS)) != NULL) {
		path = bt_path_join(dir, file->name);
		if (bt_path_is_file(path))
			bt_buf_printf(&f->tokenizer, "%s%s",
			              f->tokenizer.len > 0 ? ", " : "",
			              file->name);
		free(path);
	}
	return r;
}

int bt_ckpt_family(const struct bt_ckpt *c, const char *path,
                   struct bt_ckpt_family *f, struct bt_error *err)
{
	int r;

	memset(f, 0, sizeof(*f));
	r = by_tensors(c, f, err);
	if (r == BT_OK && bt_path_means_dir(path))
		r = look_beside(path, f, err);
	if (r != BT_OK)
		bt_ckpt_family_clear(f);
	return r;
}

static const struct {
	const char *label, *key;
	size_t number;
} shown[] = {
#define SHOWN(label, member)                                                   \
	{                                                                      \
		label, #member, offsetof(struct bt_ckpt_family, member)        \
	}
    SHOWN("layers", layers),         SHOWN("hidden size", hidden_size),
    SHOWN("heads", heads),           SHOWN("inner size", intermediate_size),
    SHOWN("vocabulary", vocabulary), SHOWN("positions", positions),
};

void bt_inspect_family(struct bt_buf *b, const struct bt_ckpt_family *f)
{
	struct bt_ckpt_family copy = *f;
	struct bt_inspect_table t = BT_INSPECT_TABLE_INIT("ll");
	size_t i;

	bt_inspect_table_cell(&t, "family");
	bt_inspect_table_cell(&t, "%s",
	                      f->family != NULL ? f->family : "unknown");
	for (i = 0; f->family != NULL && i < COUNT(shown); i++)
		if (*number(&copy, shown[i].number) > 0) {
			bt_inspect_table_cell(&t, "%s", shown[i].label);
			bt_inspect_table_cell(&t, "%" PRId64,
			                      *number(&copy, shown[i].number));
		}
	if (f->family != NULL) {
		bt_inspect_table_cell(&t, "head");
		if (f->labels == 1 && outputs(f) != problems[1].outputs)
			bt_inspect_table_cell(&t, "%s of a number", f->head);
		else if (f->labels > 0)
			bt_inspect_table_cell(&t, "%s of %" PRId64 " %s",
			                      f->head, f->labels, outputs(f));
		else
			bt_inspect_table_cell(&t, "%s", f->head);
	}
	if (copy.tokenizer.len > 0) {
		bt_inspect_table_cell(&t, "tokenizer");
		bt_inspect_table_cell(&t, "%.*s", (int)copy.tokenizer.len,
		                      copy.tokenizer.data);
	}
	bt_inspect_table_show(&t, b);
}

void bt_inspect_family_json(struct bt_buf *b, const struct bt_ckpt_family *f)
{
	struct bt_ckpt_family copy = *f;
	json_t *o = json_object(), *v;
	size_t i;

	json_object_set_new(o, "family",
	                    f->family != NULL ? json_string(f->family)
	                                      : json_null());
	for (i = 0; i < COUNT(shown); i++) {
		v = *number(&copy, shown[i].number) > 0
		        ? json_integer(*number(&copy, shown[i].number))
		        : json_null();
		json_object_set_new(o, shown[i].key, v);
	}
	json_object_set_new(o, "head", json_string(f->head));
	v = f->labels > 0 ? json_integer(f->labels) : json_null();
	json_object_set_new(o, "labels", v);
	v = f->problem != NULL ? json_string(f->problem) : json_null();
	json_object_set_new(o, "problem_type", v);
	json_object_set_new(
	    o, "tokenizer",
	    json_stringn(copy.tokenizer.len > 0 ? copy.tokenizer.data : "",
	                 copy.tokenizer.len));
	bt_inspect_json(b, o);
	bt_buf_putc(b, '\n');
}

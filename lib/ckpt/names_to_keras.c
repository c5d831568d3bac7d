/* SPDX-License-Identifier: MIT */
/*
 * From Hugging Face's names to those of its models for TensorFlow, in HDF5
 * files: "bert.encoder.layer.0.output.dense.weight" of a classifier is
 * "bert/tf_bert_for_sequence_classification/bert/encoder/layer_._0/output/
 * dense/kernel:0", or where the encoder is a layer of a Keras model
 * "tf_bert_model/tf_bert_model/bert/...". Keras loads the latter by the order
 * in which a model makes its weights, so this is the order here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/names_int.h"

/* What TensorFlow has models of. */
static const struct keras_family {
	const char *family;
	const char *prefix;
	const char *model;
	const char *pooler;   /* which every encoder has there, or NULL */
	bool embeddings_last; /* its layers are made before them */
} families[] = {
    {"bert", "bert", "tf_bert", "bert.pooler.dense", false},
    {"roberta", "roberta", "tf_roberta", "roberta.pooler.dense", true},
    {"xlm-roberta", "roberta", "tf_xlm_roberta", "roberta.pooler.dense", true},
    {"camembert", "roberta", "tf_camembert", "roberta.pooler.dense", true},
    {"electra", "electra", "tf_electra", NULL, false},
    {"albert", "albert", "tf_albert", "albert.pooler", false},
    {"distilbert", "distilbert", "tf_distil_bert", NULL, false},
    {"mpnet", "mpnet", "tfmp_net", "mpnet.pooler.dense", true},
    {"deberta-v2", "deberta", "tf_deberta_v2", NULL, false},
};

/* Heads by the begin of their names. */
static const struct {
	const char *begin, *model;
} heads[] = {
    {"classifier.", "_for_sequence_classification"},
    {"qa_outputs.", "_for_question_answering"},
    {"cls.seq_relationship.", "_for_pre_training"},
    {"discriminator_predictions.", "_for_pre_training"},
    {"cls.predictions.", "_for_masked_lm"},
    {"lm_head.", "_for_masked_lm"},
    {"generator_predictions.", "_for_masked_lm"},
    {"vocab_transform.", "_for_masked_lm"},
};

/* In which order parts of a model are made, among those of the same layer;
 * what is not here comes in the middle. */
static const struct {
	int rank;
	const char *parts[13];
} ranks[] = {
    {1,
     {"word_embeddings", "embedding_hidden_mapping_in",
      "relative_attention_bias", "rel_embeddings", "seq_relationship",
      "attention", "self", "attn", "query", "query_proj", "q", "q_lin",
      "weight"}},
    {2,
     {"token_type_embeddings", "key", "key_proj", "k", "k_lin", "sa_layer_norm",
      "bias"}},
    {3,
     {"position_embeddings", "value", "value_proj", "v", "v_lin",
      "intermediate", "ffn"}},
    {4,
     {"o", "out_lin", "dense", "ffn_output", "lin1", "layer",
      "albert_layer_groups"}},
    {5, {"lin2", "output"}},
    {6, {"full_layer_layer_norm", "output_layer_norm"}},
    {9, {"LayerNorm"}},
    {10, {"embeddings"}},
    {11, {"embeddings_project"}},
    {12, {"encoder", "transformer"}},
    {13, {"pooler"}},
    {19, {"pre_classifier"}},
    {20, {"classifier"}},
    {21, {"head"}},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RANK_OTHER 8
#define RANK_LAST 14

static const struct keras_family *family_of(const char *name)
{
	int i = BT_STR_ROW_BY(name, families, family);

	return i >= 0 ? &families[i] : NULL;
}

bool bt_names_in_keras(const char *family)
{
	return family_of(family) != NULL;
}

/* --- the order */

static bool is_part(const char *p, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(p, word, n) == 0;
}

static int rank_of(const struct keras_family *f, const char *p, size_t n)
{
	const char *const *part;
	size_t i;

	if (is_part(p, n, f->prefix))
		return 0;
	if (f->embeddings_last && is_part(p, n, "embeddings"))
		return RANK_LAST;
	for (i = 0; i < COUNT(ranks); i++)
		for (part = ranks[i].parts;
		     part < ranks[i].parts + 13 && *part != NULL; part++)
			if (is_part(p, n, *part))
				return ranks[i].rank;
	return RANK_OTHER;
}

struct entry {
	const struct keras_family *f;
	const char *name;
	size_t i;
};

static int compare(const void *x, const void *y)
{
	const struct keras_family *f = ((const struct entry *)x)->f;
	const char *a = ((const struct entry *)x)->name;
	const char *b = ((const struct entry *)y)->name;
	size_t n, m;
	int d;

	while (*a != '\0' && *b != '\0') {
		n = strcspn(a, ".");
		m = strcspn(b, ".");
		if (n != m || memcmp(a, b, n) != 0) {
			d = rank_of(f, a, n) - rank_of(f, b, m);
			return d != 0 ? d : bt_ckpt_compare(a, b);
		}
		a += n + (a[n] != '\0');
		b += m + (b[m] != '\0');
	}
	return (*a != '\0') - (*b != '\0');
}

/* Puts the tensors into their order, and makes room for two more. */
static int sort(const struct keras_family *f, struct bt_named_list *l)
{
	struct entry *order = bt_array(l->n, sizeof(*order));
	struct bt_named *v = bt_array(l->n + 2, sizeof(*v));
	size_t i;

	if (order == NULL || v == NULL) {
		free(order);
		free(v);
		return BT_ENOMEM;
	}
	for (i = 0; i < l->n; i++)
		order[i] = (struct entry){f, l->v[i].name, i};
	qsort(order, l->n, sizeof(*order), compare);
	for (i = 0; i < l->n; i++)
		bt_named_move(&v[i], &l->v[order[i].i]);
	free(order);
	free(l->v);
	l->v = v;
	return BT_OK;
}

/* --- names of Hugging Face in full */

/* Whether a name is one of the family's encoder. */
static bool of_encoder(const struct keras_family *f, const char *name)
{
	size_t n = strlen(f->prefix);

	return strncmp(name, f->prefix, n) == 0 && name[n] == '.';
}

/* Gives names that stand alone the family's prefix: a bare encoder's, which
 * for all that look like BERT's is "bert." by now. */
static void complete(const struct keras_family *f, struct bt_named_list *l)
{
	static const char *const bare[] = {"embeddings.", "encoder.",
	                                   "transformer.", "pooler.",
	                                   "embeddings_project."};
	struct bt_buf b = BT_BUF_INIT;
	bool prefixed = false;
	const char *p;
	size_t i, k;

	for (i = 0; i < l->n; i++)
		prefixed = prefixed ||
		           of_encoder(f, bt_names_unwrapped(l, l->v[i].name));
	for (i = 0; i < l->n; i++) {
		p = bt_names_unwrapped(l, l->v[i].name);
		if (strcmp(f->prefix, "bert") != 0 && bt_str_starts(p, "bert."))
			p += 5;
		for (k = 0; k < COUNT(bare) && !bt_str_starts(p, bare[k]);)
			k++;
		if (k < COUNT(bare) && !prefixed) {
			bt_buf_puts(&b, f->prefix);
			bt_buf_putc(&b, '.');
		}
		bt_buf_puts(&b, p);
		free(l->v[i].name);
		l->v[i].name = bt_buf_detach(&b);
	}
}

/* Adds "stem.leaf", zeros of [n] or [n,n], for which l->v has room. */
static int add_zeros(struct bt_named_list *l, const char *stem,
                     const char *leaf, int rank, int64_t n)
{
	struct bt_named_made *m = bt_array0(1, sizeof(*m));
	struct bt_buf b = BT_BUF_INIT;
	struct bt_tensor *t = &m->tensor;

	m->next = l->made;
	l->made = m;
	m->shape[0] = m->shape[1] = n;
	*t = (struct bt_tensor){.name = "zeros",
	                        .dtype = BT_DTYPE_F32,
	                        .rank = rank,
	                        .shape = m->shape};
	if (bt_tensor_size(t->dtype, rank, t->shape, &t->count, &t->bytes,
	                   NULL) == BT_OK)
		t->data = m->data = bt_array0(t->bytes, 1);
	if (m->data == NULL)
		return BT_ENOMEM;
	bt_buf_printf(&b, "%s%s", stem, leaf);
	l->v[l->n++] = (struct bt_named){.from = t,
	                                 .name = bt_buf_detach(&b),
	                                 .rank = rank,
	                                 .shape = m->shape};
	return BT_OK;
}

/* Every encoder of TensorFlow has a pooler, used or not, and Keras refuses
 * files without it. */
static int add_pooler(const struct keras_family *f, struct bt_named_list *l)
{
	const struct bt_named *v;
	size_t n = strlen(f->pooler), i;
	int64_t hidden = 0;
	int r;

	for (i = 0; i < l->n; i++) {
		v = &l->v[i];
		if (bt_str_starts(v->name, f->pooler) &&
		    strcmp(v->name + n, ".weight") == 0)
			return BT_OK;
		if (v->rank == 2 && (bt_str_ends(v->name, ".query.weight") ||
		                     bt_str_ends(v->name, ".q.weight")))
			hidden = v->shape[1];
	}
	if (hidden <= 0)
		return BT_OK;
	l->no_pooler = true;
	r = add_zeros(l, f->pooler, ".weight", 2, hidden);
	return r == BT_OK ? add_zeros(l, f->pooler, ".bias", 1, hidden) : r;
}

/* --- the names in TensorFlow */

static bool is_number(const char *p, size_t n)
{
	return n > 0 && strspn(p, "0123456789") >= n;
}

/* Whether the part that ends at p + n, of which a tensor of that rank is, is a
 * layer norm. */
static bool is_norm(const char *p, size_t n)
{
	return (n >= 9 && memcmp(p + n - 9, "LayerNorm", 9) == 0) ||
	       (n >= 10 && memcmp(p + n - 10, "layer_norm", 10) == 0);
}

/* The last part of the path, behind the part p of n bytes. */
static void put_leaf(struct bt_buf *b, const char *p, size_t n,
                     const char *leaf, int rank, bool *kernel)
{
	*kernel = false;
	if (is_part(p, n, "rel_embeddings") && strcmp(leaf, "weight") == 0)
		bt_buf_puts(b, ".weight");
	else if (is_norm(p, n))
		bt_buf_puts(b, strcmp(leaf, "bias") == 0 ? "/beta" : "/gamma");
	else if (strcmp(leaf, "weight") != 0 || rank != 2)
		bt_buf_printf(b, "/%s", leaf);
	else if (is_part(p, n, "word_embeddings"))
		bt_buf_puts(b, "/weight");
	else if (is_part(p, n, "token_type_embeddings") ||
	         is_part(p, n, "position_embeddings") ||
	         is_part(p, n, "relative_attention_bias"))
		bt_buf_puts(b, "/embeddings");
	else {
		bt_buf_puts(b, "/kernel");
		*kernel = true;
	}
	bt_buf_puts(b, ":0");
}

/* Appends the path in TensorFlow of a name of at least two parts. */
static void put_path(struct bt_buf *b, const struct bt_named *v, bool *kernel)
{
	const char *p = v->name, *leaf = strrchr(p, '.'), *last = p;
	size_t n = strcspn(p, "."), m;

	if (bt_str_starts(p, "cls.predictions."))
		bt_buf_puts(b, "mlm___");
	else if (bt_str_starts(p, "cls.seq_relationship."))
		bt_buf_puts(b, "nsp___");
	bt_buf_put(b, p, n);
	while (p + n != leaf) {
		p += n + 1;
		n = strcspn(p, ".");
		m = strcspn(last, ".");
		bt_buf_puts(b, is_number(p, n) && !is_number(last, m) ? "_._"
		                                                      : "/");
		bt_buf_put(b, p, n);
		last = p;
	}
	put_leaf(b, p, n, leaf + 1, v->rank, kernel);
}

/* Gives v its new name; false where it cannot be the kernel that it then is. */
static bool call_it(struct bt_named *v, struct bt_buf *b, bool kernel)
{
	bt_named_rename(v, bt_buf_detach(b));
	v->known = true;
	return !kernel || bt_named_reshape(v, BT_NAME_FORM_KERNEL, 0);
}

static const char *model_of(const struct bt_named_list *l)
{
	size_t i, k;

	for (k = 0; k < COUNT(heads); k++)
		for (i = 0; i < l->n; i++)
			if (bt_str_starts(l->v[i].name, heads[k].begin))
				return heads[k].model;
	return "_model";
}

/* In the file of a whole model, each of its layers is a group. */
static bool to_whole(const struct keras_family *f, const char *head,
                     struct bt_named *v)
{
	struct bt_buf path = BT_BUF_INIT, b = BT_BUF_INIT;
	bool kernel;

	put_path(&path, v, &kernel);
	bt_buf_printf(&b, "%.*s/%s%s/%s", (int)strcspn(bt_buf_str(&path), "/"),
	              path.data, f->model, head, bt_buf_str(&path));
	bt_buf_clear(&path);
	return call_it(v, &b, kernel);
}

/* In that of a model around the encoder, the encoder is one layer, and dense
 * ones follow, which are numbered. */
static bool to_layers(const struct keras_family *f, struct bt_named *v,
                      struct bt_buf *stem, int *dense)
{
	const char *leaf = strrchr(v->name, '.') + 1;
	struct bt_buf b = BT_BUF_INIT;
	size_t n = (size_t)(leaf - v->name);
	char number[16] = "";
	bool kernel = false;

	if (of_encoder(f, v->name)) {
		bt_buf_printf(&b, "%s_model/%s_model/", f->model, f->model);
		put_path(&b, v, &kernel);
	} else {
		if (stem->len != n || memcmp(stem->data, v->name, n) != 0)
			++*dense;
		bt_buf_reset(stem);
		bt_buf_put(stem, v->name, n);
		kernel = strcmp(leaf, "weight") == 0;
		if ((!kernel || v->rank != 2) &&
		    (strcmp(leaf, "bias") != 0 || v->rank != 1))
			return false;
		if (*dense > 0)
			snprintf(number, sizeof(number), "_%d", *dense);
		bt_buf_printf(&b, "dense%s/dense%s/%s:0", number, number,
		              kernel ? "kernel" : "bias");
	}
	return call_it(v, &b, kernel);
}

static int refuse(const struct bt_named *v, enum bt_names to,
                  struct bt_error *err)
{
	if (to == BT_NAMES_KERAS)
		return bt_error_hint(
		    err, BT_HINT_CKPT_DROP_TENSOR_OR_H5,
		    bt_error_set(
		        err, BT_EFORMAT,
		        "tensor '%.100s' belongs neither to an encoder "
		        "nor to a dense layer behind it, and Keras' "
		        "file holds only these",
		        v->name));
	return bt_error_hint(
	    err,
	    bt_str_starts(v->name, "head.") ? BT_HINT_CKPT_TO_KERAS
	                                    : BT_HINT_CKPT_DROP_TENSOR,
	    bt_error_set(
	        err, BT_EFORMAT,
	        "tensor '%.100s' does not belong to a TensorFlow model "
	        "of Hugging Face",
	        v->name));
}

int bt_names_to_keras(struct bt_named_list *l, enum bt_names to,
                      const char *family, struct bt_error *err)
{
	const struct keras_family *f = family_of(family);
	bool keras = to == BT_NAMES_KERAS, fits = true;
	struct bt_buf stem = BT_BUF_INIT;
	const char *head, *name, *dot;
	int r, dense = -1;
	size_t i;

	complete(f, l);
	r = sort(f, l);
	if (r == BT_OK && keras && f->pooler != NULL) {
		r = add_pooler(f, l);
		if (r == BT_OK)
			r = sort(f, l);
	}
	if (r != BT_OK)
		return bt_error_nomem(err, "naming tensors");
	head = model_of(l);
	for (i = 0; i < l->n && fits; i++) {
		name = l->v[i].name;
		dot = strchr(name, '.');
		fits = dot != NULL && dot != name &&
		       strchr(name, '/') == NULL &&
		       strstr(name, "..") == NULL && !bt_str_ends(name, ".") &&
		       (keras || !bt_str_starts(name, "head.")) &&
		       (keras ? to_layers(f, &l->v[i], &stem, &dense)
		              : to_whole(f, head, &l->v[i]));
	}
	bt_buf_clear(&stem);
	return fits ? BT_OK : refuse(&l->v[i - 1], to, err);
}

/* SPDX-License-Identifier: MIT */
#include "ckpt/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/names_int.h"
#include "ckpt_format/tf_bundle.h"

int bt_names_init(struct bt_named_list *l, const struct bt_ckpt *c,
                  struct bt_error *err)
{
	const struct bt_tensor *t;
	struct bt_named *v;
	size_t i;

	memset(l, 0, sizeof(*l));
	l->ckpt = c;
	l->v = bt_array0(bt_ckpt_count(c), sizeof(*l->v));
	if (l->v == NULL)
		return bt_error_nomem(err, "naming tensors");
	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		v = &l->v[l->n++];
		v->from = t;
		v->rank = t->rank;
		v->shape = t->shape;
		v->name = bt_strndup(t->name, strlen(t->name));
	}
	return BT_OK;
}

void bt_names_clear(struct bt_named_list *l)
{
	struct bt_named_made *m;
	size_t i;

	while ((m = l->made) != NULL) {
		l->made = m->next;
		free(m->data);
		free(m);
	}
	for (i = 0; i < l->n; i++)
		free(l->v[i].name);
	free(l->v);
	free(l->stem);
	free(l->other_stem);
	l->stem = l->other_stem = NULL;
	l->wrapper = 0;
	l->v = NULL;
	l->n = 0;
}

void bt_named_move(struct bt_named *to, const struct bt_named *from)
{
	*to = *from;
	if (from->shape == from->own)
		to->shape = to->own;
}

void bt_names_drop(struct bt_named_list *l, size_t i)
{
	free(l->v[i].name);
	l->n--;
	for (; i < l->n; i++)
		bt_named_move(&l->v[i], &l->v[i + 1]);
}

static bool replace_end(char *s, const char *end, const char *with)
{
	if (!bt_str_ends(s, end))
		return false;
	/* there is room for what it adds */
	strcpy(s + strlen(s) - strlen(end), with);
	return true;
}

char *bt_names_plain(const struct bt_named_list *l, const char *prefix,
                     const char *name)
{
	size_t n = strlen(prefix);
	char *out;

	name = bt_names_unwrapped(l, name);
	/* one byte more for gamma, which becomes weight */
	out = bt_array(n + strlen(name) + 2, 1);
	memcpy(out, prefix, n);
	strcpy(out + n, name);
	if (!replace_end(out, "LayerNorm.gamma", "LayerNorm.weight"))
		replace_end(out, "LayerNorm.beta", "LayerNorm.bias");
	return out;
}

/* The name of Hugging Face that another of its programs wrote differently:
 * plain, and a bare encoder's with "bert."; free() it. */
static char *canonical(const struct bt_named_list *l, const char *name)
{
	name = bt_names_unwrapped(l, name);
	if (bt_str_starts(name, "embeddings.") ||
	    bt_str_starts(name, "encoder.") || bt_str_starts(name, "pooler."))
		return bt_names_plain(l, "bert.", name);
	return bt_names_plain(l, "", name);
}

/* By name, as Keras, TF1 or Hugging Face's programs write it. */
static void adopt_name(struct bt_named_list *l, struct bt_named *v,
                       const struct bt_name_table *table)
{
	const struct bt_name *row = table->rows;
	const struct bt_name *end = row + table->n;
	bool transposed;
	const char *tf1;
	char *name;
	int layer;

	name = bt_str_ends(v->name, ":0")
	           ? bt_names_keras(v->from, v->name, &transposed)
	           : NULL;
	if (name != NULL)
		bt_named_take(v, name,
		              transposed ? BT_NAME_FORM_KERNEL
		                         : BT_NAME_FORM_SAME);
	if (v->known) {
		l->tensorflow = true;
		return;
	}
	/* modules of the first TensorFlow Hub stand in a scope */
	tf1 = bt_str_starts(v->name, "module/") ? v->name + 7 : v->name;
	for (; row < end; row++)
		if (bt_name_match(row->tf1, tf1, &layer)) {
			l->tensorflow = true;
			bt_named_adopt(v, row, row->tf1_form, layer);
			return;
		}
	name = canonical(l, v->name);
	row = bt_names_bert;
	for (end = row + bt_names_bert_n; row < end && !v->known; row++)
		if (bt_name_match(row->hf, name, &layer))
			bt_named_adopt(v, row, BT_NAME_FORM_SAME, layer);
	free(name);
}

/* Whose names in TensorFlow 1 are to be looked for. */
static struct bt_name_table table_of(const struct bt_named_list *l)
{
	struct bt_name_table bert = {"bert", "bert.", NULL, bt_names_bert,
	                             bt_names_bert_n};
	size_t i, k;

	for (i = 0; i < l->n; i++)
		for (k = 0; k < BT_NAME_TABLES; k++)
			if (strstr(l->v[i].name, bt_names_tf1[k].mark) != NULL)
				return bt_names_tf1[k];
	return bert;
}

/* What looks for variables by their places among objects. */
struct search {
	struct bt_named_list *l;
	const struct bt_ckpt *c;
	struct bt_tf_graph g;
	size_t encoder;
	int found; /* newly */
};

static int by_from(const void *from, const void *v)
{
	const struct bt_tensor *t = ((const struct bt_named *)v)->from;

	return ((const struct bt_tensor *)from > t) -
	       ((const struct bt_tensor *)from < t);
}

/* The tensor of a variable, if it is still in the list under its own name. */
static struct bt_named *tensor_of(struct search *s, size_t node)
{
	const struct bt_tf_node *n = &s->g.nodes[node];
	const struct bt_tensor *t;
	struct bt_named *v = NULL;
	char *key;

	if (n->key == NULL)
		return NULL;
	key = bt_strndup(n->key, n->key_n);
	t = key != NULL ? bt_ckpt_find(s->c, key) : NULL;
	free(key);
	if (t != NULL)
		v = bsearch(t, s->l->v, s->l->n, sizeof(*v), by_from);
	return v != NULL && !v->known && strcmp(v->name, t->name) == 0 ? v
	                                                               : NULL;
}

/* The variable at the end of a way from a node becomes that of a row. */
static void adopt_at(struct search *s, size_t from, const char *path,
                     const struct bt_name *row, int layer)
{
	size_t node = bt_tf_graph_find(&s->g, from, path);
	struct bt_named *v = node != SIZE_MAX ? tensor_of(s, node) : NULL;

	if (v == NULL)
		return;
	s->l->tensorflow = true;
	s->found++;
	bt_named_adopt(v, row, row->tf2_form, layer);
}

/* The rows of layers, of which the way goes on behind "+/". Returns how many
 * layers there are. */
static int adopt_layers(struct search *s)
{
	const struct bt_name *row;
	char path[64];
	size_t node, i;
	int layer, misses = 0;

	for (layer = 0; layer < BT_NAME_MAX_LAYERS; layer++) {
		snprintf(path, sizeof(path), "layer_with_weights-%d",
		         layer + 4);
		node = bt_tf_graph_find(&s->g, s->encoder, path);
		snprintf(path, sizeof(path), "_transformer_layers/%d", layer);
		if (node == SIZE_MAX)
			node = bt_tf_graph_find(&s->g, s->encoder, path);
		if (node == SIZE_MAX ||
		    bt_tf_graph_find(&s->g, node, "_attention_layer") ==
		        SIZE_MAX)
			break;
		s->found = 0;
		for (i = 0; i < bt_names_bert_n; i++) {
			row = &bt_names_bert[i];
			if (row->tf2 != NULL && row->tf2[0] == '+')
				adopt_at(s, node, row->tf2 + 2, row, layer);
		}
		if (s->found == 0 && ++misses == 64)
			break;
	}
	return layer;
}

/* All rows but those of layers: the first way that leads to a variable. */
static void adopt_rest(struct search *s, const struct bt_name *row, int layers)
{
	char *path;

	if (row->tf2 == NULL || row->tf2[0] == '+')
		return;
	path = bt_name_make(row->tf2, 0, layers);
	s->found = 0;
	adopt_at(s, bt_str_starts(path, "model/") ? 0 : s->encoder, path, row,
	         0);
	free(path);
	if (s->found == 0 && row->other != NULL)
		adopt_at(s, s->encoder, row->other, row, 0);
}

/* The kernel and the bias of the layer at the end of a way become those of a
 * layer of Hugging Face. Returns whether there is one. */
static bool adopt_dense(struct search *s, size_t from, const char *path,
                        const char *weight)
{
	size_t node = bt_tf_graph_find(&s->g, from, path), i = 0;

	s->found = 0;
	if (node == SIZE_MAX)
		return false;
	while (strcmp(bt_names_bert[i].hf, weight) != 0)
		i++;
	adopt_at(s, node, "kernel", &bt_names_bert[i], 0);
	adopt_at(s, node, "bias", &bt_names_bert[i + 1], 0);
	return s->found > 0;
}

static void adopt_objects(struct search *s)
{
	/*
	 * The pooler that was trained with a head stands with the head; the
	 * encoder's own is then left over. Files whose objects are not known
	 * have dots of names doubled.
	 */
	static const char *const ways[] = {
	    "sentence_prediction.pooler_dense",
	    "sentence_prediction..pooler_dense",
	    "next_sentence.pooler_dense",
	    "next_sentence..pooler_dense",
	};
	bool pooler = false;
	int layers;
	size_t i;

	for (i = 0; i < 4 && !pooler; i++)
		pooler = adopt_dense(s, 0, ways[i], "bert.pooler.dense.weight");
	/* the head's last layer, wherever it is */
	for (i = 0; i < s->g.n_nodes; i++)
		if (adopt_dense(s, i, "out_proj", "classifier.weight"))
			break;
	layers = adopt_layers(s);
	for (i = 0; i < bt_names_bert_n; i++)
		if (!pooler ||
		    !bt_str_starts(bt_names_bert[i].hf, "bert.pooler."))
			adopt_rest(s, &bt_names_bert[i], layers);
}

/* The first object that has embeddings and layers of attention. */
static bool find_encoder(struct search *s)
{
	static const char *const ways[2][2] = {
	    {"layer_with_weights-0/embeddings",
	     "layer_with_weights-4/_attention_layer"},
	    {"_embedding_layer/embeddings",
	     "_transformer_layers/0/_attention_layer"},
	};
	size_t i, k;

	for (i = 0; i < s->g.n_nodes; i++)
		for (k = 0; k < 2; k++)
			if (bt_tf_graph_find(&s->g, i, ways[k][0]) !=
			        SIZE_MAX &&
			    bt_tf_graph_find(&s->g, i, ways[k][1]) !=
			        SIZE_MAX) {
				s->encoder = i;
				return true;
			}
	return false;
}

static int make_graph(struct search *s, struct bt_error *err)
{
	const struct bt_ckpt *c = s->c;
	size_t i;
	int r = BT_OK;

	if (c->graph != NULL) {
		r = bt_tf_graph_parse(&s->g, c->graph, c->graph_size);
		if (r == BT_ECORRUPT)
			return bt_error_set(err, r,
			                    "'%s': its graph of objects is "
			                    "damaged",
			                    c->path);
	} else {
		bt_tf_graph_node(&s->g);
		for (i = 0; i < bt_ckpt_count(c); i++)
			bt_tf_graph_add(&s->g, bt_ckpt_tensor(c, i)->name);
	}
	if (r != BT_OK || s->g.failed)
		return bt_error_nomem(err, "naming tensors");
	return BT_OK;
}

int bt_names_hf(struct bt_named_list *l, const struct bt_ckpt *c,
                struct bt_error *err)
{
	struct bt_name_table table = table_of(l);
	bool hdf5 = strcmp(bt_ckpt_format(c), "hdf5") == 0;
	bool gguf = strcmp(bt_ckpt_format(c), "gguf") == 0;
	struct search s = {.l = l, .c = c};
	int r = make_graph(&s, err);
	char *name;
	size_t i;

	if (r != BT_OK)
		goto out;
	bt_names_find_stem(l);
	if (find_encoder(&s))
		adopt_objects(&s);
	if (hdf5)
		bt_names_keras_layers(l, c);
	for (i = 0; i < l->n && gguf; i++) {
		name = bt_names_from_gguf(l->v[i].name, c);
		if (name != NULL)
			bt_named_take(&l->v[i], name, BT_NAME_FORM_SAME);
	}
	for (i = 0; i < l->n; i++)
		if (!l->v[i].known)
			adopt_name(l, &l->v[i], &table);
	if (hdf5 && bt_names_keras_groups(l, c) != BT_OK)
		r = bt_error_nomem(err, "naming tensors");
out:
	bt_tf_graph_clear(&s.g);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * The names that parameters, most of all BERT's, have in the files of programs:
 * Hugging Face's state dicts ("bert.encoder.layer.0.output.dense.weight"),
 * Google's first code ("bert/encoder/layer_0/output/dense/kernel") and
 * TensorFlow Model Garden, where a name is a way through objects
 * ("encoder/layer_with_weights-4/_output_dense/kernel"). The last two keep
 * kernels as (in,out), Hugging Face as (out,in); Model Garden gives heads a
 * dimension of their own. Keras' names in HDF5 files
 * ("bert/tf_bert_model/bert/pooler/dense/kernel:0") are read as well.
 */
#ifndef BT_CKPT_NAMES_H
#define BT_CKPT_NAMES_H

#include "base/buf.h"
#include "tensor/checkpoint.h"

enum bt_names {
	BT_NAMES_DEFAULT, /* those that go with a format */
	BT_NAMES_KEEP,
	BT_NAMES_HF,
	BT_NAMES_TF1,
	BT_NAMES_TF2,
	BT_NAMES_GGUF,
	BT_NAMES_H5,   /* Hugging Face's models for TensorFlow */
	BT_NAMES_KERAS /* a Keras model around the encoder of one */
};

/* A tensor under another name and in another form. */
struct bt_named {
	const struct bt_tensor *from;
	char *name;
	int rank;
	const int64_t *shape; /* from's, or own */
	int64_t own[4];
	bool known;      /* name is one that is in the map */
	bool again;      /* the file holds it twice; this is not the first */
	bool transposed; /* the elements of from are a matrix of rows x cols,
	                  * and here the one of cols x rows */
	size_t rows, cols;
};

/* A tensor that no file holds. */
struct bt_named_made {
	struct bt_tensor tensor;
	int64_t shape[2];
	void *data;
	struct bt_named_made *next;
};

struct bt_named_list {
	const struct bt_ckpt *ckpt; /* that they are of */
	struct bt_named *v;
	size_t n;
	struct bt_named_made *made;
	bool tensorflow; /* bt_names_hf found TensorFlow's names */
	bool gguf;       /* names and types are llama.cpp's */
	bool no_pooler;  /* one of zeros was added */

	/* what bt_names_hf found before the names of the encoder, or NULL:
	 * "student.bert."; how much of it says of which part, "student.";
	 * and the stem of another encoder, if none stands there by itself */
	char *stem;
	size_t wrapper;
	char *other_stem;
};

/* All tensors of c as they are. */
int bt_names_init(struct bt_named_list *l, const struct bt_ckpt *c,
                  struct bt_error *err) BT_MUST_USE;
void bt_names_clear(struct bt_named_list *l);

/* Takes one out. */
void bt_names_drop(struct bt_named_list *l, size_t i);

/*
 * Gives Hugging Face's names and forms to all that the map knows, by their
 * names here and, where c has the graph of objects, by their place in it; the
 * others stay as they are. So do tensors whose form is not what their name
 * says.
 */
int bt_names_hf(struct bt_named_list *l, const struct bt_ckpt *c,
                struct bt_error *err) BT_MUST_USE;

/* BT_EFORMAT where bt_names_hf found two models, none of them by itself. */
int bt_names_one_model(const struct bt_named_list *l,
                       struct bt_error *err) BT_MUST_USE;

/* Whether models of a family have names of a kind. */
bool bt_names_known(enum bt_names to, const char *family);

/* From Hugging Face's to others. family must be known for H5 and KERAS, heads
 * for TF2: BT_EFORMAT where it does not divide a size. */
int bt_names_to(struct bt_named_list *l, enum bt_names to, const char *family,
                int heads, struct bt_error *err) BT_MUST_USE;

/* Of the tensors whose names have that end: rows of the queries, keys and
 * values of one head after the other become the queries' of all heads, the
 * keys' and the values', as llama.cpp takes them. */
int bt_names_by_part(struct bt_named_list *l, const char *end, int64_t heads,
                     struct bt_error *err) BT_MUST_USE;

/* Leaves the first rows of the tensor of that name out, if there is one. */
int bt_names_cut_rows(struct bt_named_list *l, const char *name, int64_t rows,
                      struct bt_error *err) BT_MUST_USE;

/* The name, of any tensor of such a model, without what stands there before
 * those of the model, in part or as a whole; nor module., _orig_mod., model.
 * and new., the prefix of GTE's own code. */
const char *bt_names_unwrapped(const struct bt_named_list *l, const char *name);

/* The same behind a prefix, LayerNorm.gamma and beta as weight and bias; free()
 * it. */
char *bt_names_plain(const struct bt_named_list *l, const char *prefix,
                     const char *name) BT_MUST_USE;

/* The values as they are here, in the type of from, into from->bytes bytes. */
int bt_named_read(const struct bt_named *t, void *out,
                  struct bt_error *err) BT_MUST_USE;

/* The same as floats, from->count of them. */
int bt_named_to_f32(const struct bt_named *t, float *out,
                    struct bt_error *err) BT_MUST_USE;

#endif

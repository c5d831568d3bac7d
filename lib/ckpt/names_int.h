/* SPDX-License-Identifier: MIT */
/* The table of names. */
#ifndef BT_CKPT_NAMES_INT_H
#define BT_CKPT_NAMES_INT_H

#include "ckpt/names.h"

/* What stands before the names of a backbone's tensors in a file of a whole
 * classifier of BERT in KerasHub. */
#define BT_KERAS_BACKBONE "layers/bert_backbone/"

/* Forms, beside that of Hugging Face. */
enum bt_name_form {
	BT_NAME_FORM_SAME,
	BT_NAME_FORM_KERNEL, /* (in,out) for (out,in) */
	BT_NAME_FORM_IN,     /* (in,heads,d), of attention */
	BT_NAME_FORM_BIAS,   /* (heads,d) */
	BT_NAME_FORM_OUT     /* (heads,d,out) */
};

/*
 * In hf and tf1 # is the number of a layer. A way of tf2 begins at the encoder,
 * the head's at the root; + at its front is a layer, $ in it the number of all
 * layers and 4. NULL: there is no such name.
 */
struct bt_name {
	const char *hf;
	const char *tf1;
	const char *tf2;
	const char *other; /* another way to the same */
	enum bt_name_form tf1_form, tf2_form;
};

#define BT_NAME_ROW(hf, tf1, tf1_form)                                         \
	{                                                                      \
		hf, tf1, NULL, NULL, tf1_form, BT_NAME_FORM_SAME               \
	}

extern const struct bt_name bt_names_bert[];
extern const size_t bt_names_bert_n;

/* Names in TensorFlow 1 of other families. */
struct bt_name_table {
	const char *family;
	const char *prefix; /* of Hugging Face's names of its encoders */
	const char *mark;   /* what names in TensorFlow 1 of no other have */
	const struct bt_name *rows;
	size_t n;
};

#define BT_NAME_TABLES 2
extern const struct bt_name_table bt_names_tf1[BT_NAME_TABLES];

#define BT_NAME_MAX_LAYERS 4096

/* What models with a head have before the names of their encoder; ends with
 * NULL. */
extern const char *const bt_names_prefixes[];

/* Finds the stem of a list. */
void bt_names_find_stem(struct bt_named_list *l);

/* Whether name is of the pattern, which may be NULL, and then of which layer.
 */
bool bt_name_match(const char *pattern, const char *name, int *layer);

/* Hugging Face's name of a tensor of a GGUF file; free() it. NULL where it is
 * not one of llama.cpp's. */
char *bt_names_from_gguf(const char *name, const struct bt_ckpt *c) BT_MUST_USE;

/* The other way, of a whole list; whether llama.cpp has models of a family. */
void bt_names_to_gguf(struct bt_named_list *l, const char *family);
bool bt_names_in_gguf(const char *family);

/* Hugging Face's name of a tensor that Keras named; free() it. NULL where it is
 * not one of Keras' names. */
char *bt_names_keras(const struct bt_tensor *t, const char *name,
                     bool *transposed) BT_MUST_USE;

/* Whether a part of a path is a model's name, "tf_bert_model". */
bool bt_names_is_model(const char *part);

/* Takes over name, which goes on to v. */
void bt_named_rename(struct bt_named *v, char *name);

/* The same for a name of Hugging Face, with its form, which is made from
 * another; a tensor that cannot be of that form keeps its own name. */
void bt_named_take(struct bt_named *v, char *name, enum bt_name_form form);

/* The same for the name of a row. */
void bt_named_adopt(struct bt_named *v, const struct bt_name *row,
                    enum bt_name_form form, int layer);

/* Names of BERT's tensors in HDF5 files of keras-bert and KerasHub. */
void bt_names_keras_layers(struct bt_named_list *l, const struct bt_ckpt *c);

/* What the groups of an HDF5 file add to the names of its tensors: dense layers
 * behind an encoder are a head. Returns 0 or BT_ENOMEM. */
int bt_names_keras_groups(struct bt_named_list *l,
                          const struct bt_ckpt *c) BT_MUST_USE;

/* Whether TensorFlow has models of a family, and the names of one in HDF5 files
 * (BT_NAMES_H5, BT_NAMES_KERAS), in the order of the weights there. */
bool bt_names_in_keras(const char *family);
int bt_names_to_keras(struct bt_named_list *l, enum bt_names to,
                      const char *family, struct bt_error *err) BT_MUST_USE;

/* Changes v from Hugging Face's form to another, with so many attention heads;
 * false where its shape does not allow that. */
bool bt_named_reshape(struct bt_named *v, enum bt_name_form form, int heads);

/* to = from, of which the shape may be its own. */
void bt_named_move(struct bt_named *to, const struct bt_named *from);

/* The name of a layer, among so many, by a pattern; free() it. */
char *bt_name_make(const char *pattern, int layer, int layers) BT_MUST_USE;

#endif

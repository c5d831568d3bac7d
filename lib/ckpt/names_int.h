/* SPDX-License-Identifier: MIT */
/* The table of names. */
#ifndef BT_CKPT_NAMES_INT_H
#define BT_CKPT_NAMES_INT_H

#include "ckpt/names.h"

/* Forms, beside that of Hugging Face. */
enum bt_form {
	BT_FORM_SAME,
	BT_FORM_KERNEL, /* (in,out) for (out,in) */
	BT_FORM_IN,     /* (in,heads,d), of attention */
	BT_FORM_BIAS,   /* (heads,d) */
	BT_FORM_OUT     /* (heads,d,out) */
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
	enum bt_form tf1_form, tf2_form;
};

extern const struct bt_name bt_names_bert[];
extern const size_t bt_names_bert_n;

/* Whether name is of the pattern, which may be NULL, and then of which layer.
 */
bool bt_name_match(const char *pattern, const char *name, int *layer);

/* Another name of a tensor that Hugging Face named, in GGUF, or the other way;
 * "" where it has none. free() it; NULL when out of memory. */
char *bt_names_gguf(const char *name, bool to_gguf) BT_MUST_USE;

/* Hugging Face's name of a tensor that Keras named; "" where it is none of
 * Keras' names. free() it; NULL when out of memory. */
char *bt_names_keras(const struct bt_tensor *t, const char *name,
                     bool *transposed) BT_MUST_USE;

/* The name of a layer, among so many, by a pattern; free() it. NULL when out of
 * memory. */
char *bt_name_make(const char *pattern, int layer, int layers) BT_MUST_USE;

#endif

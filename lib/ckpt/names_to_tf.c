/* SPDX-License-Identifier: MIT */
/* From Hugging Face's names and forms to those of TensorFlow. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt/names_int.h"
#include "ckpt_format/tf_bundle.h"
#include "tensor/transpose.h"

#define ROOT "encoder/"
#define TURNED ((size_t)1 << 18) /* bytes turned at once, in the cache */

/* The row that has a name of the wanted kind for v. */
static const struct bt_name *find(const struct bt_named *v, enum bt_names to,
                                  int *layer)
{
	const struct bt_name *row = bt_names_bert;
	size_t i;

	for (i = 0; v->known && i < bt_names_bert_n; i++, row++)
		if ((to == BT_NAMES_TF1 ? row->tf1 : row->tf2) != NULL &&
		    bt_name_match(row->hf, v->name, layer))
			return row;
	return NULL;
}

static int count_layers(const struct bt_named_list *l)
{
	int n = 0, layer = -1;
	size_t i;

	for (i = 0; i < l->n; i++)
		if (find(&l->v[i], BT_NAMES_TF2, &layer) != NULL && layer >= n)
			n = layer + 1;
	return n;
}

static char *key_of(const struct bt_name *row, int layer, int layers)
{
	struct bt_buf b = BT_BUF_INIT;
	char *path = bt_name_make(row->tf2, layer, layers);

	if (path == NULL)
		return NULL;
	if (strncmp(path, "model/", 6) != 0)
		bt_buf_puts(&b, ROOT);
	bt_buf_puts(&b, path);
	bt_buf_puts(&b, BT_TF_VALUE);
	free(path);
	return bt_buf_detach(&b);
}

static int to_gguf(struct bt_named_list *l, struct bt_error *err)
{
	char *name;
	size_t i;

	for (i = 0; i < l->n; i++) {
		name = bt_names_gguf(l->v[i].name, true);
		if (name == NULL)
			return bt_error_nomem(err, "naming tensors");
		l->v[i].known = name[0] != '\0';
		if (l->v[i].known) {
			free(l->v[i].name);
			l->v[i].name = name;
		} else {
			free(name);
		}
	}
	l->vectors_f32 = true;
	return BT_OK;
}

static const struct bt_name_table *table_of(const char *family)
{
	size_t i;

	for (i = 0; family != NULL && i < BT_NAME_TABLES; i++)
		if (strcmp(bt_names_tf1[i].family, family) == 0)
			return &bt_names_tf1[i];
	return NULL;
}

/* v under a name of TensorFlow 1 of another family than BERT. */
static int to_other(struct bt_named *v, const struct bt_name_table *t,
                    struct bt_error *err)
{
	const char *hf = bt_names_unwrapped(v->name), *leaf;
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_name *row = t->rows, *end = row + t->n;
	char *name = NULL;
	int layer;

	/* a bare encoder's that looks like BERT's */
	leaf = strncmp(hf, "bert.", 5) == 0 ? hf + 5 : hf;
	bt_buf_puts(&b, t->prefix);
	bt_buf_puts(&b, leaf);
	if (bt_buf_str(&b) == NULL)
		return bt_error_nomem(err, "naming tensors");
	for (; row < end; row++)
		if (bt_name_match(row->hf, hf, &layer) ||
		    bt_name_match(row->hf, bt_buf_str(&b), &layer))
			break;
	bt_buf_clear(&b);
	v->known = row != end;
	if (row == end)
		return BT_OK;
	if (!bt_named_reshape(v, row->tf1_form, 0))
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' has a shape that "
		                    "TensorFlow's form of it cannot have",
		                    v->name);
	name = bt_name_make(row->tf1, layer, 0);
	if (name == NULL)
		return bt_error_nomem(err, "naming tensors");
	free(v->name);
	v->name = name;
	return BT_OK;
}

bool bt_names_known(enum bt_names to, const char *family)
{
	if (to == BT_NAMES_H5 || to == BT_NAMES_KERAS)
		return bt_names_in_keras(family);
	return to <= BT_NAMES_HF || strcmp(family, "bert") == 0 ||
	       (to == BT_NAMES_TF1 && table_of(family) != NULL);
}

int bt_names_to(struct bt_named_list *l, enum bt_names to, const char *family,
                int heads, struct bt_error *err)
{
	int layers = count_layers(l), layer;
	const struct bt_name_table *other = table_of(family);
	const struct bt_name *row;
	struct bt_named *v;
	char *name;
	size_t i;
	int r = BT_OK;

	if (to == BT_NAMES_TF1 && other != NULL) {
		for (i = 0; i < l->n && r == BT_OK; i++)
			r = to_other(&l->v[i], other, err);
		return r;
	}
	if (to == BT_NAMES_GGUF)
		return to_gguf(l, err);
	if (to == BT_NAMES_H5 || to == BT_NAMES_KERAS)
		return bt_names_to_keras(l, to, family, err);
	for (i = 0; i < l->n; i++) {
		v = &l->v[i];
		row = find(v, to, &layer);
		v->known = row != NULL;
		if (row == NULL)
			continue;
		if (!bt_named_reshape(
		        v, to == BT_NAMES_TF1 ? row->tf1_form : row->tf2_form,
		        heads))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "tensor '%.100s' has a shape that TensorFlow's "
			    "form of it cannot have%s",
			    v->name,
			    to == BT_NAMES_TF2 ? " with as many heads" : "");
		name = to == BT_NAMES_TF1 ? bt_name_make(row->tf1, layer, 0)
		                          : key_of(row, layer, layers);
		if (name == NULL)
			return bt_error_nomem(err, "naming tensors");
		free(v->name);
		v->name = name;
	}
	return BT_OK;
}

static void turn_all(const uint8_t *in, uint8_t *out, size_t rows, size_t cols,
                     size_t width)
{
	size_t step = bt_transpose_columns(rows, width, TURNED), j, n;

	for (j = 0; j < cols; j += n) {
		n = cols - j < step ? cols - j : step;
		bt_transpose(in, rows, cols, j, n, width,
		             out + j * rows * width);
	}
}

int bt_named_read(const struct bt_named *v, void *out, struct bt_error *err)
{
	const struct bt_tensor *t = v->from;
	const void *data = t->data;
	void *copy = NULL;
	int r = bt_tensor_there(t, err);

	if (r != BT_OK || t->bytes == 0)
		return r;
	if (!v->transposed)
		return bt_tensor_read(t, 0, t->count, out, err);
	if (data == NULL) {
		data = copy = malloc(t->bytes);
		if (copy == NULL)
			return bt_error_nomem(err, "reading weights");
		r = bt_tensor_read(t, 0, t->count, copy, err);
	}
	if (r == BT_OK)
		turn_all(data, out, v->rows, v->cols,
		         bt_dtype_bits(t->dtype) / 8);
	free(copy);
	return r;
}

int bt_named_to_f32(const struct bt_named *v, float *out, struct bt_error *err)
{
	struct bt_tensor t = *v->from;
	void *copy;
	int r;

	if (!v->transposed)
		return bt_tensor_to_f32(v->from, 0, t.count, out, err);
	copy = malloc(t.bytes != 0 ? t.bytes : 1);
	if (copy == NULL)
		return bt_error_nomem(err, "reading weights");
	r = bt_named_read(v, copy, err);
	t.data = copy;
	t.from = NULL;
	if (r == BT_OK)
		r = bt_tensor_to_f32(&t, 0, t.count, out, err);
	free(copy);
	return r;
}

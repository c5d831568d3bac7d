/* SPDX-License-Identifier: MIT */
/* From Hugging Face's names and forms to those of TensorFlow. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
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
	char *path = bt_name_make(row->tf2, layer, layers);
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s%s" BT_TF_VALUE,
	              bt_str_starts(path, "model/") ? "" : ROOT, path);
	free(path);
	return bt_buf_detach(&b);
}

static const struct bt_name_table *table_of(const char *family)
{
	int i = BT_STR_ROW_BY(family, bt_names_tf1, family);

	return i >= 0 ? &bt_names_tf1[i] : NULL;
}

/* v under a name of TensorFlow 1 of another family than BERT; false where its
 * form does not allow that. */
static bool to_other(const struct bt_named_list *l, struct bt_named *v,
                     const struct bt_name_table *t)
{
	const char *hf = bt_names_unwrapped(l, v->name);
	const struct bt_name *row = t->rows, *end = row + t->n;
	struct bt_buf b = BT_BUF_INIT;
	int layer;

	/* a bare encoder's that looks like BERT's */
	bt_buf_printf(&b, "%s%s", t->prefix,
	              bt_str_starts(hf, "bert.") ? hf + 5 : hf);
	for (; row < end; row++)
		if (bt_name_match(row->hf, hf, &layer) ||
		    bt_name_match(row->hf, bt_buf_str(&b), &layer))
			break;
	bt_buf_clear(&b);
	v->known = row != end;
	if (!v->known)
		return true;
	if (!bt_named_reshape(v, row->tf1_form, 0))
		return false;
	bt_named_rename(v, bt_name_make(row->tf1, layer, 0));
	return true;
}

/* The same of BERT. */
static bool to_bert(struct bt_named *v, enum bt_names to, int layers, int heads)
{
	bool tf1 = to == BT_NAMES_TF1;
	int layer;
	const struct bt_name *row = find(v, to, &layer);

	v->known = row != NULL;
	if (row == NULL)
		return true;
	if (!bt_named_reshape(v, tf1 ? row->tf1_form : row->tf2_form, heads))
		return false;
	bt_named_rename(v, tf1 ? bt_name_make(row->tf1, layer, 0)
	                       : key_of(row, layer, layers));
	return true;
}

bool bt_names_known(enum bt_names to, const char *family)
{
	if (to == BT_NAMES_H5 || to == BT_NAMES_KERAS)
		return bt_names_in_keras(family);
	if (to == BT_NAMES_GGUF)
		return bt_names_in_gguf(family);
	return to <= BT_NAMES_HF || strcmp(family, "bert") == 0 ||
	       (to == BT_NAMES_TF1 && table_of(family) != NULL);
}

int bt_names_to(struct bt_named_list *l, enum bt_names to, const char *family,
                int heads, struct bt_error *err)
{
	const struct bt_name_table *other =
	    to == BT_NAMES_TF1 ? table_of(family) : NULL;
	int layers = count_layers(l);
	struct bt_named *v;
	size_t i;

	if (to == BT_NAMES_H5 || to == BT_NAMES_KERAS)
		return bt_names_to_keras(l, to, family, err);
	if (to == BT_NAMES_GGUF) {
		l->gguf = true;
		bt_names_to_gguf(l, family);
		return BT_OK;
	}
	for (i = 0; i < l->n; i++) {
		v = &l->v[i];
		if (other != NULL ? !to_other(l, v, other)
		                  : !to_bert(v, to, layers, heads)) {
			return bt_error_set(
			    err, BT_EFORMAT,
			    "tensor '%.100s' has a shape that TensorFlow's "
			    "form of it cannot have%s",
			    v->name,
			    to == BT_NAMES_TF2 ? " with as many heads" : "");
		}
	}
	return BT_OK;
}

int bt_named_read(const struct bt_named *v, void *out, struct bt_error *err)
{
	const struct bt_tensor *t = v->from;
	size_t width = bt_dtype_bits(t->dtype) / 8, step, j, n;
	const void *data = t->data;
	void *copy = NULL;
	int r = bt_tensor_there(t, err);

	if (r != BT_OK || t->bytes == 0)
		return r;
	if (!v->transposed)
		return bt_tensor_read(t, 0, t->count, out, err);
	if (data == NULL) {
		data = copy = bt_array(t->bytes, 1);
		if (copy == NULL)
			return bt_error_nomem(err, "reading weights");
		r = bt_tensor_read(t, 0, t->count, copy, err);
	}
	step = bt_transpose_columns(v->rows, width, TURNED);
	for (j = 0; j < v->cols && r == BT_OK; j += n) {
		n = v->cols - j < step ? v->cols - j : step;
		bt_transpose(data, v->rows, v->cols, j, n, width,
		             (uint8_t *)out + j * v->rows * width);
	}
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

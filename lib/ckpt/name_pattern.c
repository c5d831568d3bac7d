/* SPDX-License-Identifier: MIT */
/* Rows of the tables of names: patterns of names, and the forms of tensors. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ckpt/names_int.h"

bool bt_name_match(const char *pattern, const char *name, int *layer)
{
	int n = -1;

	if (pattern == NULL)
		return false;
	for (; *pattern != '\0'; pattern++) {
		if (*pattern != '#') {
			if (*pattern != *name++)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*name) ||
		    (name[0] == '0' && isdigit((unsigned char)name[1])))
			return false;
		for (n = 0; isdigit((unsigned char)*name); name++)
			if ((n = 10 * n + (*name - '0')) >= BT_NAME_MAX_LAYERS)
				return false;
	}
	*layer = n;
	return *name == '\0';
}

char *bt_name_make(const char *pattern, int layer, int layers)
{
	struct bt_buf b = BT_BUF_INIT;

	for (; *pattern != '\0'; pattern++) {
		if (*pattern == '#')
			bt_buf_printf(&b, "%d", layer);
		else if (*pattern == '+')
			bt_buf_printf(&b, "layer_with_weights-%d", layer + 4);
		else if (*pattern == '$')
			bt_buf_printf(&b, "%d", layers + 4);
		else
			bt_buf_putc(&b, *pattern);
	}
	return bt_buf_detach(&b);
}

/* Sees from as the matrix that a form is, of rows x cols. */
static bool as_matrix(const struct bt_tensor *t, enum bt_name_form form,
                      size_t *rows, size_t *cols)
{
	if (t->rank < 2 || t->rank > 3 || t->count == 0 ||
	    (form == BT_NAME_FORM_KERNEL && t->rank != 2) ||
	    bt_dtype_bits(t->dtype) % 8 != 0)
		return false;
	if (form == BT_NAME_FORM_OUT) {
		*cols = (size_t)t->shape[t->rank - 1];
		*rows = t->count / *cols;
	} else {
		*rows = (size_t)t->shape[0];
		*cols = t->count / *rows;
	}
	return true;
}

void bt_named_rename(struct bt_named *v, char *name)
{
	free(v->name);
	v->name = name;
}

void bt_named_take(struct bt_named *v, char *name, enum bt_name_form form)
{
	if (form == BT_NAME_FORM_BIAS) {
		v->own[0] = (int64_t)v->from->count;
		v->rank = 1;
	} else if (form != BT_NAME_FORM_SAME) {
		if (!as_matrix(v->from, form, &v->rows, &v->cols)) {
			free(name);
			return;
		}
		v->own[0] = (int64_t)v->cols;
		v->own[1] = (int64_t)v->rows;
		v->rank = 2;
		v->transposed = true;
	}
	bt_named_rename(v, name);
	v->known = true;
	if (form != BT_NAME_FORM_SAME)
		v->shape = v->own;
}

void bt_named_adopt(struct bt_named *v, const struct bt_name *row,
                    enum bt_name_form form, int layer)
{
	bt_named_take(v, bt_name_make(row->hf, layer, 0), form);
}

static void set_shape(struct bt_named *v, int rank, int64_t a, int64_t b,
                      int64_t c)
{
	v->own[0] = a;
	v->own[1] = b;
	v->own[2] = c;
	v->shape = v->own;
	v->rank = rank;
}

bool bt_named_reshape(struct bt_named *v, enum bt_name_form form, int heads)
{
	int64_t out, in;

	if (form == BT_NAME_FORM_SAME)
		return true;
	if (form == BT_NAME_FORM_BIAS) {
		if (v->rank != 1 || heads <= 0 || v->shape[0] % heads != 0)
			return false;
		set_shape(v, 2, heads, v->shape[0] / heads, 0);
		return true;
	}
	if (v->rank != 2 || bt_dtype_bits(v->from->dtype) % 8 != 0)
		return false;
	out = v->shape[0];
	in = v->shape[1];
	if (form != BT_NAME_FORM_KERNEL &&
	    (heads <= 0 || (form == BT_NAME_FORM_IN ? out : in) % heads != 0))
		return false;
	v->transposed = !v->transposed;
	v->rows = (size_t)out; /* where it counts, v was as from is */
	v->cols = (size_t)in;
	if (form == BT_NAME_FORM_IN)
		set_shape(v, 3, in, heads, out / heads);
	else if (form == BT_NAME_FORM_OUT)
		set_shape(v, 3, heads, in / heads, out);
	else
		set_shape(v, 2, in, out, 0);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* The listing as JSON, and NumPy's format: numpy/lib/format, version 1.0. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dedup/record_store.h"
#include "tensorstream/text_out.h"

int bt_frame_json(const struct bt_frame *f, uint64_t number, size_t bytes,
                  struct bt_out *out, struct bt_error *err)
{
	json_t *list = json_array(), *notes = json_object(), *o, *shape;
	const struct bt_tensor *t;
	char *text;
	size_t i;
	int k, r;

	for (i = 0; i < f->s.count; i++) {
		t = &f->s.tensors[i];
		shape = json_array();
		for (k = 0; k < t->rank; k++)
			json_array_append_new(shape, json_integer(t->shape[k]));
		json_array_append_new(
		    list, json_pack("{s:s,s:s,s:o,s:I}", "name", t->name,
		                    "dtype", bt_dtype_name(t->dtype), "shape",
		                    shape, "bytes", (json_int_t)t->bytes));
	}
	for (i = 0; i < f->s.n_notes; i++)
		json_object_set_new(notes, f->s.notes[i].key,
		                    json_string(f->s.notes[i].value));
	o = json_pack("{s:I,s:I,s:o,s:o}", "frame", (json_int_t)number, "rows",
	              (json_int_t)f->rows, "tensors", list, "metadata", notes);
	if (o != NULL && bytes > 0)
		json_object_set_new(o, "bytes",
		                    json_integer((json_int_t)bytes));
	text = o != NULL ? json_dumps(o, 0) : NULL;
	json_decref(o);
	if (text == NULL)
		return bt_error_nomem(err, "listing tensors");
	r = bt_out_write(out, text, strlen(text), err);
	if (r == BT_OK)
		r = bt_out_write(out, "\n", 1, err);
	free(text);
	return r;
}

struct bt_frame_npy {
	struct bt_record_store *store;
	char *name;
	enum bt_dtype dtype;
	bool whole;
	int rank;
	int64_t shape[BT_TENSOR_MAX_RANK];
	void *copy; /* of a tensor that is written otherwise than it stands */
	size_t cap;
};

struct bt_frame_npy *bt_frame_npy_new(size_t memory)
{
	struct bt_frame_npy *n = bt_array0(1, sizeof(*n));

	n->store = bt_record_store_new(memory, true);
	return n;
}

void bt_frame_npy_free(struct bt_frame_npy *n)
{
	if (n == NULL)
		return;
	bt_record_store_free(n->store);
	free(n->name);
	free(n->copy);
	free(n);
}

/* NumPy's name of what a type is written as, or NULL: BF16, which it lacks, is
 * written as F32. */
static const char *descr(enum bt_dtype dtype)
{
	if (dtype == BT_DTYPE_BF16)
		dtype = BT_DTYPE_F32;
	return bt_dtype_is_real(dtype) ? bt_dtype_numpy(dtype) : NULL;
}

/* The one tensor that is meant. */
static int find(const struct bt_frame *f, const struct bt_tensor **t,
                struct bt_error *err)
{
	size_t n = bt_frame_values(f, t);

	if (n != 1)
		return bt_error_hint(
		    err, n > 1 ? BT_HINT_TENSOR_SELECT : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT,
		                 "it holds %zu tensors beside ids, and a .npy "
		                 "file holds one",
		                 n));
	if (descr((*t)->dtype) == NULL)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "NumPy does not have the type %s (tensor '%.100s')",
		    bt_dtype_name((*t)->dtype), (*t)->name);
	return BT_OK;
}

/* Takes the shape of the first frame, or checks that of a later one and counts
 * its rows. */
static int add_shape(struct bt_frame_npy *n, const struct bt_frame *f,
                     const struct bt_tensor *t, struct bt_error *err)
{
	if (n->name == NULL) {
		n->name = bt_strndup(t->name, strlen(t->name));
		n->dtype = t->dtype;
		n->rank = t->rank;
		n->whole = f->whole;
		if (t->rank > 0)
			memcpy(n->shape, t->shape,
			       (size_t)t->rank * sizeof(*n->shape));
		return BT_OK;
	}
	if (n->whole || f->whole)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensors without rows cannot be joined "
		                    "to one array");
	if (strcmp(t->name, n->name) != 0 || t->dtype != n->dtype ||
	    t->rank != n->rank ||
	    memcmp(t->shape + 1, n->shape + 1,
	           (size_t)(t->rank - 1) * sizeof(*n->shape)) != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "rows of '%.100s' are not as those of "
		                    "'%.100s' before",
		                    t->name, n->name);
	n->shape[0] += t->shape[0];
	return BT_OK;
}

int bt_frame_npy_put(struct bt_frame_npy *n, const struct bt_frame *f,
                     struct bt_error *err)
{
	const struct bt_tensor *t = NULL;
	size_t bytes;
	bool widen;
	int r;

	if ((r = find(f, &t, err)) || (r = add_shape(n, f, t, err)) ||
	    t->bytes == 0)
		return r;
	widen = t->dtype == BT_DTYPE_BF16;
	if (!widen && t->data != NULL)
		return bt_record_store_put(n->store, t->data, t->bytes, err);
	bytes = widen ? t->count * sizeof(float) : t->bytes;
	if (bt_grow(&n->copy, &n->cap, bytes, 1) != BT_OK)
		return bt_error_nomem(err, "writing an array");
	r = widen ? bt_tensor_to_f32(t, 0, t->count, n->copy, err)
	          : bt_tensor_read(t, 0, t->count, n->copy, err);
	return r != BT_OK ? r
	                  : bt_record_store_put(n->store, n->copy, bytes, err);
}

/* Magic, version, length, and a dictionary padded to a multiple of 64. */
static int write_header(const struct bt_frame_npy *n, struct bt_out *out,
                        struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t len;
	int i, r;

	bt_buf_put(&b, "\x93NUMPY\1\0\0", 10);
	bt_buf_printf(&b, "{'descr': '%s', 'fortran_order': False, 'shape': (",
	              descr(n->dtype));
	for (i = 0; i < n->rank; i++)
		bt_buf_printf(&b, "%s%lld", i > 0 ? ", " : "",
		              (long long)n->shape[i]);
	bt_buf_puts(&b, n->rank == 1 ? ",), }" : "), }");
	while (b.len % 64 != 63)
		bt_buf_putc(&b, ' ');
	bt_buf_putc(&b, '\n');
	len = b.len - 10; /* of at most 64 numbers */
	b.data[8] = (char)(len & 0xff);
	b.data[9] = (char)(len >> 8);
	r = bt_out_write(out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

int bt_frame_npy_write(struct bt_frame_npy *n, struct bt_out *out,
                       struct bt_error *err)
{
	const void *data;
	size_t i, len;
	int r;

	if (n->name == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "the stream holds no tensor");
	r = write_header(n, out, err);
	for (i = 0; i < bt_record_store_count(n->store) && r == BT_OK; i++) {
		r = bt_record_store_get(n->store, i, &data, &len, err);
		if (r == BT_OK)
			r = bt_out_write(out, data, len, err);
	}
	return r;
}

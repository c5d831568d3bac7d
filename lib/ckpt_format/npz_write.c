/* SPDX-License-Identifier: MIT */
/*
 * NumPy's .npz: a zip archive of .npy files, stored as they are. Sizes stand in
 * the fields of zip64, as NumPy itself writes them, so there is no limit.
 */
#include <string.h>

#include "ckpt_format/npy.h"
#include "ckpt_format/writer.h"
#include "ckpt_format/zip_write.h"
#include "io/out.h"

#define HEAD_ALIGN 64 /* of an array's data in its file */

/* Magic, version 1.0, length, a Python dictionary. */
void bt_npy_header(struct bt_buf *b, const struct bt_tensor *t)
{
	struct bt_buf text = BT_BUF_INIT;
	int i;

	bt_buf_printf(&text,
	              "{'descr': '%s', 'fortran_order': False, 'shape': (",
	              bt_dtype_numpy(t->dtype));
	for (i = 0; i < t->rank; i++)
		bt_buf_printf(&text, "%s%lld", i > 0 ? ", " : "",
		              (long long)t->shape[i]);
	bt_buf_puts(&text, t->rank == 1 ? ",), }" : "), }");
	while ((10 + text.len + 1) % HEAD_ALIGN != 0)
		bt_buf_putc(&text, ' ');
	bt_buf_putc(&text, '\n');
	bt_buf_put(b, "\x93NUMPY\1\0", 8);
	bt_buf_uint(b, text.len, 2);
	bt_buf_put(b, text.data, text.len);
	bt_buf_clear(&text);
}

static int write_member(struct bt_zip_writer *w,
                        const struct bt_tensor_source *s, size_t i,
                        struct bt_error *err)
{
	const struct bt_tensor *t = &s->tensors[i];
	struct bt_buf name = BT_BUF_INIT, npy = BT_BUF_INIT;
	struct bt_span parts[2];
	const void *data;
	int r = s->bytes(s->ctx, i, &data, err);

	if (r != BT_OK)
		return r;
	bt_buf_printf(&name, "%s.npy", t->name);
	bt_npy_header(&npy, t);
	parts[0] = (struct bt_span){npy.data, npy.len};
	parts[1] = (struct bt_span){data, t->bytes};
	r = bt_zip_write(w, bt_buf_str(&name), parts, 2, err);
	bt_buf_clear(&name);
	bt_buf_clear(&npy);
	return r;
}

static int check(const struct bt_tensor *t, struct bt_error *err)
{
	if (bt_dtype_numpy(t->dtype) == NULL)
		return bt_error_hint(
		    err,
		    bt_dtype_is_real(t->dtype) ? BT_HINT_CKPT_CONVERT_NO_BF16
		                               : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT,
		                 "tensor '%.100s' is of type %s, which "
		                 "NumPy does not have",
		                 t->name, bt_dtype_name(t->dtype)));
	if (t->name[0] == '\0')
		return bt_error_set(err, BT_EFORMAT,
		                    "a tensor has an empty name");
	if (t->rank > 32)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "tensor '%.100s' does not fit into an archive", t->name);
	return BT_OK;
}

int bt_npz_write(const struct bt_tensor_source *s, const char *path,
                 struct bt_error *err)
{
	struct bt_zip_writer w = {.large = true};
	size_t i;
	int r = BT_OK;

	for (i = 0; i < s->count && r == BT_OK; i++)
		r = check(&s->tensors[i], err);
	if (r == BT_OK)
		r = bt_tensor_source_check_names(s, err);
	if (r != BT_OK)
		return r;
	r = bt_out_open(path, BT_OUT_BINARY, &w.out, err);
	if (r != BT_OK)
		return r;
	bt_tensor_source_begin(s, w.out);
	for (i = 0; i < s->count && r == BT_OK; i++)
		r = write_member(&w, s, i, err);
	if (r == BT_OK)
		r = bt_zip_write_end(&w, err);
	r = bt_out_end(w.out, r, err);
	bt_zip_writer_clear(&w);
	return r;
}

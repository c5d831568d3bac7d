/* SPDX-License-Identifier: MIT */
/*
 * NumPy's .npz: a zip archive of .npy files, stored as they are. Sizes stand in
 * the fields of zip64, as NumPy itself writes them, so there is no limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "ckpt_format/npy.h"
#include "ckpt_format/writer.h"
#include "io/out.h"

#define HEAD_ALIGN 64 /* of an array's data in its file */

/* A file in the archive. */
struct member {
	uint64_t at, size;
	uint32_t crc;
};

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

/* What local and central headers share, from the version needed on. */
static void put_common(struct bt_buf *b, const struct member *m, size_t name,
                       size_t extra)
{
	bt_buf_uint(b, 45, 2);     /* zip64 */
	bt_buf_uint(b, 0x0800, 2); /* the name is UTF-8 */
	bt_buf_uint(b, 0, 4);      /* stored; midnight of */
	bt_buf_uint(b, 0x21, 2); /* 1 January 1980: the same bytes every time */
	bt_buf_uint(b, m->crc, 4);
	bt_buf_uint(b, 0xffffffff, 4);
	bt_buf_uint(b, 0xffffffff, 4);
	bt_buf_uint(b, name, 2);
	bt_buf_uint(b, extra, 2);
}

static int write_member(struct bt_out *out, const struct bt_tensor_source *s,
                        size_t i, struct member *m, struct bt_error *err)
{
	const struct bt_tensor *t = &s->tensors[i];
	struct bt_buf head = BT_BUF_INIT, npy = BT_BUF_INIT;
	const void *data;
	int r = s->bytes(s->ctx, i, &data, err);

	if (r != BT_OK)
		return r;
	bt_npy_header(&npy, t);
	m->at = bt_out_offset(out);
	m->size = npy.len + t->bytes;
	m->crc = (uint32_t)crc32_z(0, (const uint8_t *)npy.data, npy.len);
	if (t->bytes > 0)
		m->crc = (uint32_t)crc32_z(m->crc, data, t->bytes);
	bt_buf_uint(&head, 0x04034b50, 4);
	put_common(&head, m, strlen(t->name) + 4, 20);
	bt_buf_printf(&head, "%s.npy", t->name);
	bt_buf_uint(&head, 1, 2); /* sizes of zip64 */
	bt_buf_uint(&head, 16, 2);
	bt_buf_uint(&head, m->size, 8);
	bt_buf_uint(&head, m->size, 8);
	bt_buf_put(&head, npy.data, npy.len);
	r = bt_out_write(out, head.data, head.len, err);
	if (r == BT_OK)
		r = bt_out_write(out, data, t->bytes, err);
	bt_buf_clear(&head);
	bt_buf_clear(&npy);
	return r;
}

static int write_directory(struct bt_out *out, const struct bt_tensor_source *s,
                           const struct member *m, struct bt_error *err)
{
	uint64_t at = bt_out_offset(out), size;
	struct bt_buf b = BT_BUF_INIT;
	size_t i;
	int r;

	for (i = 0; i < s->count; i++) {
		bt_buf_uint(&b, 0x02014b50, 4);
		bt_buf_uint(&b, 45 | 3 << 8, 2); /* made on Unix */
		put_common(&b, &m[i], strlen(s->tensors[i].name) + 4, 28);
		bt_buf_uint(&b, 0, 6); /* comment, disk, binary */
		bt_buf_uint(&b, (uint64_t)0100644 << 16, 4); /* mode */
		bt_buf_uint(&b, 0xffffffff, 4);
		bt_buf_printf(&b, "%s.npy", s->tensors[i].name);
		bt_buf_uint(&b, 1, 2);
		bt_buf_uint(&b, 24, 2);
		bt_buf_uint(&b, m[i].size, 8);
		bt_buf_uint(&b, m[i].size, 8);
		bt_buf_uint(&b, m[i].at, 8);
	}
	size = b.len;
	bt_buf_uint(&b, 0x06064b50, 4); /* the end of zip64 */
	bt_buf_uint(&b, 44, 8);
	bt_buf_uint(&b, 45 | 3 << 8, 2);
	bt_buf_uint(&b, 45, 2);
	bt_buf_uint(&b, 0, 8); /* disks */
	bt_buf_uint(&b, s->count, 8);
	bt_buf_uint(&b, s->count, 8);
	bt_buf_uint(&b, size, 8);
	bt_buf_uint(&b, at, 8);
	bt_buf_uint(&b, 0x07064b50, 4); /* where that is */
	bt_buf_uint(&b, 0, 4);
	bt_buf_uint(&b, at + size, 8);
	bt_buf_uint(&b, 1, 4);
	bt_buf_uint(&b, 0x06054b50, 4); /* the end */
	bt_buf_uint(&b, 0, 4);
	bt_buf_uint(&b, s->count < 0xffff ? s->count : 0xffff, 2);
	bt_buf_uint(&b, s->count < 0xffff ? s->count : 0xffff, 2);
	bt_buf_uint(&b, size < 0xffffffff ? size : 0xffffffff, 4);
	bt_buf_uint(&b, at < 0xffffffff ? at : 0xffffffff, 4);
	bt_buf_uint(&b, 0, 2);
	r = b.oom ? bt_error_nomem(err, "writing an archive")
	          : bt_out_write(out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

static int check(const struct bt_tensor *t, struct bt_error *err)
{
	if (bt_dtype_numpy(t->dtype) == NULL)
		return bt_error_hint(
		    err, BT_HINT_CKPT_CONVERT_NO_BF16,
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
	struct member *m;
	struct bt_out *out;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < s->count && r == BT_OK; i++)
		r = check(&s->tensors[i], err);
	if (r == BT_OK)
		r = bt_tensor_source_check_names(s, err);
	if (r != BT_OK)
		return r;
	m = bt_array0(s->count, sizeof(*m));
	if (m == NULL)
		return bt_error_nomem(err, "writing an archive");
	r = bt_out_open(path, BT_OUT_BINARY, &out, err);
	if (r == BT_OK) {
		bt_tensor_source_begin(s, out);
		for (i = 0; i < s->count && r == BT_OK; i++)
			r = write_member(out, s, i, &m[i], err);
		if (r == BT_OK)
			r = write_directory(out, s, m, err);
		if (r == BT_OK)
			r = bt_out_commit(out, err);
		else
			bt_out_abandon(out);
	}
	free(m);
	return r;
}

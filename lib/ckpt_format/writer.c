/* SPDX-License-Identifier: MIT */
#include "ckpt_format/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "tensor/checkpoint_reader.h"

#define GATHERED 1024 /* elements at once */

void bt_tensor_source_begin(const struct bt_tensor_source *s,
                            struct bt_out *out)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < s->count; i++)
		n += s->tensors[i].bytes;
	bt_out_expect(out, n);
	if (s->behind)
		bt_out_behind(out);
}

int bt_tensor_source_put(const struct bt_tensor_source *s, size_t i,
                         struct bt_out *out, uint32_t *crc,
                         struct bt_error *err)
{
	size_t n = s->tensors[i].bytes;
	const void *data;
	int r;

	if (s->put != NULL)
		return s->put(s->ctx, i, out, crc, err);
	r = s->bytes(s->ctx, i, &data, err);
	if (r == BT_OK && n > 0)
		r = bt_out_write(out, data, n, err);
	if (crc != NULL)
		*crc = r == BT_OK && n > 0 ? bt_crc32c(0, data, n) : 0;
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int bt_tensor_source_check_names(const struct bt_tensor_source *s,
                                 struct bt_error *err)
{
	const char **names = bt_array(s->count, sizeof(*names));
	int r = BT_OK;
	size_t i;

	if (names == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	for (i = 0; i < s->count && r == BT_OK; i++) {
		names[i] = s->tensors[i].name;
		r = bt_tensor_check_name(names[i], strlen(names[i]), err);
	}
	if (r == BT_OK)
		qsort(names, s->count, sizeof(*names), by_name);
	for (i = 1; i < s->count && r == BT_OK; i++)
		if (strcmp(names[i], names[i - 1]) == 0)
			r = bt_error_set(err, BT_EFORMAT,
			                 "two tensors cannot be named '%.100s'",
			                 names[i]);
	free(names);
	return r;
}

int bt_tensor_source_save(const struct bt_tensor_source *s, const char *path,
                          const struct bt_buf *head, size_t align,
                          struct bt_error *err)
{
	static const char zeros[64];
	struct bt_out *out;
	size_t i, n;
	int r;

	if (head->oom)
		return bt_error_nomem(err, "writing a checkpoint");
	r = bt_out_open(path, BT_OUT_BINARY, &out, err);
	if (r != BT_OK)
		return r;
	bt_tensor_source_begin(s, out);
	r = bt_out_write(out, head->data, head->len, err);
	for (i = 0; i < s->count && r == BT_OK; i++) {
		n = s->tensors[i].bytes;
		r = bt_tensor_source_put(s, i, out, NULL, err);
		if (r == BT_OK)
			r = bt_out_write(out, zeros, bt_round_up(n, align) - n,
			                 err);
	}
	return bt_out_end(out, r, err);
}

int bt_tensor_put(struct bt_out *out, const struct bt_tensor *t, size_t bytes,
                  struct bt_error *err)
{
	size_t i, n, width = bt_dtype_bits(t->dtype) / 8;
	uint64_t buf[GATHERED];
	int r = BT_OK;

	if (bytes == 0)
		return BT_OK;
	if (t->data != NULL)
		return bt_out_write(out, t->data, bytes, err);
	for (i = 0; i < bytes / width && r == BT_OK; i += n) {
		n = bytes / width - i;
		n = n < GATHERED ? n : GATHERED;
		r = bt_tensor_read(t, i, n, buf, err);
		if (r == BT_OK)
			r = bt_out_write(out, buf, n * width, err);
	}
	return r;
}

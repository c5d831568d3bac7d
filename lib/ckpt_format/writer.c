/* SPDX-License-Identifier: MIT */
#include "ckpt_format/writer.h"

#include "base/crc32c.h"

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

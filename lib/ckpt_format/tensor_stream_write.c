/* SPDX-License-Identifier: MIT */
#include "ckpt_format/tensor_stream_write.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "ckpt_format/tensor_stream_int.h"

struct bt_ts_writer {
	struct bt_out *out;
	ZSTD_CCtx *zstd;
	struct bt_buf blob, packed;
	uint64_t frames, bytes;
	uint32_t crc;
};

int bt_ts_writer_new(struct bt_out *out, int level, struct bt_ts_writer **res,
                     struct bt_error *err)
{
	struct bt_ts_writer *t = bt_array0(1, sizeof(*t));

	t->zstd = ZSTD_createCCtx();
	if (t->zstd == NULL) {
		bt_ts_writer_abandon(t);
		return bt_error_nomem(err, "writing tensors");
	}
	if (ZSTD_isError(ZSTD_CCtx_setParameter(
	        t->zstd, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(
	        ZSTD_CCtx_setParameter(t->zstd, ZSTD_c_checksumFlag, 1))) {
		bt_ts_writer_abandon(t);
		return bt_error_set(err, BT_EARG, "zstd refuses level %d",
		                    level);
	}
	t->out = out;
	*res = t;
	return BT_OK;
}

int bt_ts_writer_copy(struct bt_ts_writer *t, const void *packed, size_t n,
                      uint32_t crc, size_t bytes, struct bt_error *err)
{
	t->frames++;
	t->bytes += bytes;
	t->crc = bt_crc32c_join(t->crc, crc, n);
	return bt_out_write(t->out, packed, n, err);
}

/* The safetensors blob of a frame, in t->blob. */
static int make_blob(struct bt_ts_writer *t, const struct bt_safetensors *s,
                     struct bt_error *err)
{
	struct bt_out *memory;
	int r;

	bt_buf_reset(&t->blob);
	memory = bt_out_memory(&t->blob);
	r = bt_safetensors_write(memory, s, err);
	return bt_out_end(memory, r, err);
}

int bt_ts_writer_frame(struct bt_ts_writer *t, const struct bt_safetensors *s,
                       struct bt_error *err)
{
	size_t room, n;
	void *p;
	int r = make_blob(t, s, err);

	if (r != BT_OK)
		return r;
	room = ZSTD_compressBound(t->blob.len);
	bt_buf_reset(&t->packed);
	p = bt_buf_reserve(&t->packed, room);
	if (p == NULL)
		return bt_error_nomem(err, "writing tensors");
	n = ZSTD_compress2(t->zstd, p, room, t->blob.data, t->blob.len);
	if (ZSTD_isError(n))
		return bt_error_set(err, BT_ENOMEM, "cannot write %s: zstd: %s",
		                    bt_out_name(t->out), ZSTD_getErrorName(n));
	return bt_ts_writer_copy(t, p, n, bt_crc32c(0, p, n), t->blob.len, err);
}

int bt_ts_writer_finish(struct bt_ts_writer *t, struct bt_error *err)
{
	uint8_t end[BT_TS_END_SIZE];
	uint32_t head[2] = {BT_TS_END, BT_TS_END_SIZE - 8};
	int r;

	memcpy(end, head, sizeof(head));
	memcpy(end + BT_TS_MARK_AT, BT_TS_MARK, 8);
	memcpy(end + BT_TS_FRAMES_AT, &t->frames, 8);
	memcpy(end + BT_TS_BYTES_AT, &t->bytes, 8);
	t->crc = bt_crc32c(t->crc, end, BT_TS_CRC_AT);
	memcpy(end + BT_TS_CRC_AT, &t->crc, 4);
	r = bt_out_write(t->out, end, sizeof(end), err);
	bt_ts_writer_abandon(t);
	return r;
}

void bt_ts_writer_abandon(struct bt_ts_writer *t)
{
	if (t == NULL)
		return;
	ZSTD_freeCCtx(t->zstd);
	bt_buf_clear(&t->blob);
	bt_buf_clear(&t->packed);
	free(t);
}

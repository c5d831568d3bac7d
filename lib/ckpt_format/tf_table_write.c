/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/crc32c.h"
#include "ckpt_format/tf_bundle.h"

/* TensorFlow's own measures. */
#define BLOCK_SIZE 262144
#define RUN 16 /* entries from one that shares nothing to the next */

static void put_entry(struct bt_buf *b, const char *key, size_t n,
                      size_t shared, const void *value, size_t size)
{
	bt_pb_put_varint(b, shared);
	bt_pb_put_varint(b, n - shared);
	bt_pb_put_varint(b, size);
	bt_buf_put(b, key + shared, n - shared);
	bt_buf_put(b, value, size);
}

/* Appends a block with its end and trailer to the file, and its place to
 * where. */
static void put_block(struct bt_tf_table_writer *w, struct bt_buf *block,
                      struct bt_buf *restarts, struct bt_buf *where)
{
	if (restarts->len == 0)
		bt_buf_uint(restarts, 0, 4);
	bt_buf_put(block, restarts->data, restarts->len);
	bt_buf_uint(block, (uint32_t)(restarts->len / sizeof(uint32_t)), 4);
	bt_pb_put_varint(where, w->file.len);
	bt_pb_put_varint(where, block->len);
	bt_buf_putc(block, 0);
	bt_buf_uint(block,
	            bt_crc32c_mask(bt_crc32c(0, block->data, block->len)), 4);
	bt_buf_put(&w->file, block->data, block->len);
	bt_buf_reset(block);
	bt_buf_reset(restarts);
}

/* The block is full: its entry in the block of blocks has a key that is not
 * before its last, and before the next, if there is one. */
static void end_block(struct bt_tf_table_writer *w)
{
	struct bt_buf where = BT_BUF_INIT;

	if (w->block.len == 0)
		return;
	put_block(w, &w->block, &w->restarts, &where);
	bt_buf_uint(&w->index_restarts, (uint32_t)w->index.len, 4);
	put_entry(&w->index, bt_buf_at(&w->last, 0), w->last.len, 0, where.data,
	          where.len);
	bt_buf_clear(&where);
	w->in_run = 0;
}

void bt_tf_table_writer_put(struct bt_tf_table_writer *w, const char *key,
                            size_t n, const struct bt_buf *value)
{
	size_t shared = 0;

	if (w->block.len >= BLOCK_SIZE)
		end_block(w);
	if (w->in_run++ % RUN == 0)
		bt_buf_uint(&w->restarts, (uint32_t)w->block.len, 4);
	else
		while (shared < n && shared < w->last.len &&
		       w->last.data[shared] == key[shared])
			shared++;
	put_entry(&w->block, key, n, shared, value->data, value->len);
	bt_buf_reset(&w->last);
	bt_buf_put(&w->last, key, n);
}

int bt_tf_table_writer_end(struct bt_tf_table_writer *w)
{
	struct bt_buf footer = BT_BUF_INIT, meta = BT_BUF_INIT;
	size_t i;

	/* the short successor of the last key: its first byte that can be
	 * raised is, and the rest cut off */
	for (i = 0; i < w->last.len; i++)
		if ((unsigned char)w->last.data[i] != 0xff) {
			w->last.data[i]++;
			w->last.len = i + 1;
			break;
		}
	end_block(w);
	put_block(w, &meta, &w->restarts, &footer);
	put_block(w, &w->index, &w->index_restarts, &footer);
	while (footer.len < BT_TF_TABLE_FOOTER - 8)
		bt_buf_putc(&footer, 0);
	bt_buf_put(&footer, bt_tf_table_magic, 8);
	bt_buf_put(&w->file, footer.data, footer.len);
	bt_buf_clear(&footer);
	bt_buf_clear(&meta);
	return w->file.oom ? BT_ENOMEM : BT_OK;
}

void bt_tf_table_writer_clear(struct bt_tf_table_writer *w)
{
	bt_buf_clear(&w->file);
	bt_buf_clear(&w->block);
	bt_buf_clear(&w->index);
	bt_buf_clear(&w->last);
	bt_buf_clear(&w->restarts);
	bt_buf_clear(&w->index_restarts);
	memset(w, 0, sizeof(*w));
}

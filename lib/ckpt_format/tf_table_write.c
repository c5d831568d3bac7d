/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "ckpt_format/tf_bundle.h"

/* TensorFlow's own measures. */
#define BLOCK_SIZE 262144
#define RUN 16 /* entries from one that shares nothing to the next */

static void put_u32(struct bt_buf *b, uint32_t v)
{
	bt_buf_put(b, &v, sizeof(v));
}

static void add_restart(struct bt_tf_table_writer *w, uint32_t **list,
                        size_t *n, size_t *cap, size_t at)
{
	if (bt_grow(list, cap, *n + 1, sizeof(**list)) != BT_OK) {
		w->failed = true;
		return;
	}
	(*list)[(*n)++] = (uint32_t)at;
}

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
                      const uint32_t *restarts, size_t n, struct bt_buf *where)
{
	size_t i;

	for (i = 0; i < n; i++)
		put_u32(block, restarts[i]);
	if (n == 0)
		put_u32(block, 0);
	put_u32(block, n == 0 ? 1 : (uint32_t)n);
	bt_pb_put_varint(where, w->file.len);
	bt_pb_put_varint(where, block->len);
	bt_buf_putc(block, 0);
	if (!block->oom)
		put_u32(block,
		        bt_crc32c_mask(bt_crc32c(0, block->data, block->len)));
	w->failed = w->failed || block->oom;
	bt_buf_put(&w->file, block->data, block->len);
	bt_buf_reset(block);
}

/* The block is full: its entry in the block of blocks has a key that is not
 * before its last, and before the next, if there is one. */
static void end_block(struct bt_tf_table_writer *w, const char *key, size_t n)
{
	struct bt_buf where = BT_BUF_INIT;

	if (w->block.len == 0)
		return;
	put_block(w, &w->block, w->restarts, w->n_restarts, &where);
	add_restart(w, &w->index_restarts, &w->n_index, &w->cap_index,
	            w->index.len);
	put_entry(&w->index, key, n, 0, where.data, where.len);
	w->failed = w->failed || where.oom;
	bt_buf_clear(&where);
	w->n_restarts = 0;
	w->in_run = 0;
}

static size_t same(const struct bt_buf *last, const char *key, size_t n)
{
	size_t i = 0;

	while (i < n && i < last->len && last->data[i] == key[i])
		i++;
	return i;
}

void bt_tf_table_writer_put(struct bt_tf_table_writer *w, const char *key,
                            size_t n, const struct bt_buf *value)
{
	size_t shared;

	if (w->block.len >= BLOCK_SIZE && !w->last.oom)
		end_block(w, w->last.data, w->last.len);
	if (w->in_run % RUN == 0) {
		add_restart(w, &w->restarts, &w->n_restarts, &w->cap_restarts,
		            w->block.len);
		shared = 0;
	} else {
		shared = same(&w->last, key, n);
	}
	w->in_run++;
	put_entry(&w->block, key, n, shared, value->data, value->len);
	bt_buf_reset(&w->last);
	bt_buf_put(&w->last, key, n);
}

/* The short successor of the last key: its first byte that can be raised is,
 * and the rest cut off. */
static void last_block(struct bt_tf_table_writer *w)
{
	size_t i;

	for (i = 0; i < w->last.len; i++)
		if ((unsigned char)w->last.data[i] != 0xff) {
			w->last.data[i]++;
			w->last.len = i + 1;
			break;
		}
	end_block(w, w->last.data != NULL ? w->last.data : "", w->last.len);
}

int bt_tf_table_writer_end(struct bt_tf_table_writer *w)
{
	struct bt_buf footer = BT_BUF_INIT, meta = BT_BUF_INIT;

	if (!w->last.oom)
		last_block(w);
	put_block(w, &meta, NULL, 0, &footer);
	put_block(w, &w->index, w->index_restarts, w->n_index, &footer);
	while (footer.len < BT_TF_TABLE_FOOTER - 8 && !footer.oom)
		bt_buf_putc(&footer, 0);
	bt_buf_put(&footer, bt_tf_table_magic, 8);
	w->failed = w->failed || footer.oom || w->last.oom;
	bt_buf_put(&w->file, footer.data, footer.len);
	bt_buf_clear(&footer);
	bt_buf_clear(&meta);
	return w->failed || w->file.oom ? BT_ENOMEM : BT_OK;
}

void bt_tf_table_writer_clear(struct bt_tf_table_writer *w)
{
	bt_buf_clear(&w->file);
	bt_buf_clear(&w->block);
	bt_buf_clear(&w->index);
	bt_buf_clear(&w->last);
	free(w->restarts);
	free(w->index_restarts);
	memset(w, 0, sizeof(*w));
}

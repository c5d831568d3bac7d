/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/*
 * Any bytes as the index of a TensorFlow checkpoint. A byte of options, a byte
 * that says how many are the data, the data, the rest: an index as it is, or
 * entries of a block, as they are or as Snappy, that get what they need around
 * them, or a graph of objects over a few variables.
 */
#include "list.h"

#include "base/crc32c.h"
#include "ckpt/cast.h"
#include "ckpt/open.h"
#include "format/protobuf_wire.h"

#define MAGIC "\x57\xfb\x80\x8b\x24\x75\x47\xdb"
#define VALUE "/.ATTRIBUTES/VARIABLE_VALUE"

/* Appends a block with its type and checksum. */
static void put_block(struct bt_buf *b, const void *data, size_t n, int type)
{
	size_t at = b->len;
	uint32_t crc;

	bt_buf_put(b, data, n);
	bt_buf_putc(b, (char)type);
	crc = bt_crc32c_mask(bt_crc32c(0, b->data + at, n + 1));
	bt_buf_put(b, &crc, 4);
}

/* A table of one block. */
static void make_index(struct bt_buf *b, const void *data, size_t n, int type)
{
	static const uint8_t end[8] = {0, 0, 0, 0, 1, 0, 0, 0};
	struct bt_buf place = BT_BUF_INIT, index = BT_BUF_INIT;
	size_t at;

	put_block(b, data, n, type);
	bt_pb_put_varint(&place, 0);
	bt_pb_put_varint(&place, n);
	bt_buf_put(&index, "\0\1", 2);
	bt_pb_put_varint(&index, place.len);
	bt_buf_putc(&index, 'z');
	bt_buf_put(&index, place.data, place.len);
	bt_buf_put(&index, end, 8);
	at = b->len;
	put_block(b, index.data, index.len, 0);
	bt_buf_reset(&place);
	bt_buf_put(&place, "\0\0", 2);
	bt_pb_put_varint(&place, at);
	bt_pb_put_varint(&place, index.len);
	while (place.len < 40)
		bt_buf_putc(&place, 0);
	bt_buf_put(b, place.data, place.len);
	bt_buf_put(b, MAGIC, 8);
	bt_buf_clear(&place);
	bt_buf_clear(&index);
}

static void put_entry(struct bt_buf *b, const char *key, const struct bt_buf *v)
{
	bt_pb_put_varint(b, 0);
	bt_pb_put_varint(b, strlen(key));
	bt_pb_put_varint(b, v->len);
	bt_buf_puts(b, key);
	bt_buf_put(b, v->data, v->len);
}

/* Entries of a graph, whose text is at the front of the data, and of variables
 * "a", "b", ... of two bytes. */
static void make_graph(struct bt_buf *b, struct bt_buf *file, const void *graph,
                       size_t n)
{
	struct bt_buf v = BT_BUF_INIT;
	uint32_t length = (uint32_t)n, sum, crc;
	char key[] = "a" VALUE;
	int i;

	crc = bt_crc32c(0, &length, 4);
	sum = bt_crc32c_mask(crc);
	bt_pb_put_varint(file, n);
	bt_buf_put(file, &sum, 4);
	bt_buf_put(file, graph, n);
	bt_buf_put(&v, "\x08\1\x1a\2\x08\1", 6);
	put_entry(b, "", &v);
	bt_buf_reset(&v);
	bt_buf_put(&v, "\x08\7\x12\0\x28", 5);
	bt_pb_put_varint(&v, file->len);
	put_entry(b, "_CHECKPOINTABLE_OBJECT_GRAPH", &v);
	for (i = 0; i < 8; i++) {
		bt_buf_reset(&v);
		bt_buf_put(&v, "\x08\6\x12\x08\x12\2\x08\2\x12\2\x08\1\x20",
		           13);
		bt_pb_put_varint(&v, file->len);
		bt_buf_put(&v, "\x28\2", 2);
		bt_buf_put(file, "\1\2", 2);
		key[0] = (char)('a' + i);
		put_entry(b, key, &v);
	}
	bt_buf_clear(&v);
}

/* Both ways to the bytes of tensor i give the same. */
static void make(const struct bt_tensor_source *s, size_t i)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_out *out;
	const void *data;
	uint32_t crc;
	int e;

	out = bt_out_memory(&b);
	e = s->put(s->ctx, i, out, &crc, NULL);
	if (e == BT_OK)
		e = bt_out_commit(out, NULL);
	else
		bt_out_abandon(out);
	if ((s->bytes(s->ctx, i, &data, NULL) == BT_OK) != (e == BT_OK))
		abort();
	if (e == BT_OK && (b.len != s->tensors[i].bytes ||
	                   crc != bt_crc32c(0, b.data, b.len) ||
	                   (b.len > 0 && memcmp(b.data, data, b.len) != 0)))
		abort();
	bt_buf_clear(&b);
}

static void use(const struct bt_ckpt *c)
{
	struct bt_named_list l;
	struct bt_cast *r;
	size_t i, k;

	for (k = 0; k < 3; k++) {
		if (bt_names_init(&l, c, NULL) != BT_OK)
			return;
		if (bt_names_hf(&l, c, NULL) == BT_OK &&
		    (k == 0 ||
		     bt_names_to(&l, k == 1 ? BT_NAMES_TF1 : BT_NAMES_TF2,
		                 "bert", 1, NULL) == BT_OK) &&
		    bt_cast_new(&l, k == 0 ? BT_DTYPES : BT_DTYPE_BF16, &r,
		                NULL) == BT_OK) {
			for (i = 0; i < l.n; i++)
				make(bt_cast_source(r), i);
			bt_cast_free(r);
		}
		bt_names_clear(&l);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t end[8] = {0, 0, 0, 0, 1, 0, 0, 0};
	struct bt_buf index = BT_BUF_INIT, block = BT_BUF_INIT;
	struct bt_buf file = BT_BUF_INIT;
	struct bt_error err = {0};
	unsigned how = fuzz_byte(&data, &size) % 4;
	size_t n = fuzz_byte(&data, &size);
	struct bt_ckpt *c;

	n = n < size ? n : size;
	if (how == 3) {
		make_graph(&block, &file, data, size);
		bt_buf_put(&block, end, 8);
		make_index(&index, block.data, block.len, 0);
	} else {
		bt_buf_put(&file, data, n);
		bt_buf_put(&block, data + n, size - n);
		if (how == 0)
			bt_buf_put(&index, block.data, block.len);
		if (how == 1)
			bt_buf_put(&block, end, 8);
		if (how > 0)
			make_index(&index, block.data, block.len, how == 2);
	}
	if (index.len > 0) {
		fuzz_put("t.index", index.data, index.len);
		fuzz_put("t.data-00000-of-00001", file.data, file.len);
		if (fuzz_told(bt_ckpt_open("t", &c, &err), &err) == BT_OK) {
			fuzz_list(c);
			use(c);
			bt_ckpt_close(c);
		}
	}
	bt_buf_clear(&index);
	bt_buf_clear(&block);
	bt_buf_clear(&file);
	return 0;
}

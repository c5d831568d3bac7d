/* SPDX-License-Identifier: MIT */
/* Writing GGUF, version 3; see gguf.c. */
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/gguf_int.h"
#include "ckpt_format/writer.h"

#define ALIGN ((size_t)32)
#define NAME_MAX_BYTES 63 /* what llama.cpp keeps of a name */
#define RANK_MAX 4
#define Q8_0 8

/* The number of a type, -1: there is none. */
static int type_of(enum bt_dtype d)
{
	int i;

	for (i = 0; i < BT_GGUF_TYPES; i++)
		if (bt_gguf_types[i].dtype == d)
			return (int)bt_gguf_types[i].number;
	return -1;
}

static int check(const struct bt_tensor *t, struct bt_error *err)
{
	if (type_of(t->dtype) < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' is of type %s, which GGUF "
		                    "does not have",
		                    t->name, bt_dtype_name(t->dtype));
	if (t->rank > RANK_MAX || strlen(t->name) > NAME_MAX_BYTES)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' has more than %d "
		                    "dimensions, or a name of more than %d "
		                    "bytes, which GGUF does not hold",
		                    t->name, RANK_MAX, NAME_MAX_BYTES);
	return BT_OK;
}

/* Everything before the data. */
static void make_head(struct bt_buf *b, const struct bt_tensor_source *s,
                      const struct bt_tensor_source *to, bool q8,
                      const struct bt_gguf_notes *notes)
{
	const struct bt_tensor *t;
	uint64_t offset = 0;
	size_t i;
	int d;

	bt_buf_put(b, "GGUF", 4);
	bt_buf_uint(b, 3, 4);
	bt_buf_uint(b, s->count, 8);
	bt_buf_uint(b, notes->n, 8);
	bt_buf_put(b, notes->b.data, notes->b.len);
	for (i = 0; i < s->count; i++) {
		t = &s->tensors[i];
		bt_buf_uint(b, strlen(t->name), 8);
		bt_buf_puts(b, t->name);
		bt_buf_uint(b, (uint64_t)t->rank, 4);
		for (d = t->rank - 1; d >= 0; d--)
			bt_buf_uint(b, (uint64_t)t->shape[d], 8);
		bt_buf_uint(
		    b,
		    q8 && bt_gguf_packs(t) ? Q8_0 : (uint64_t)type_of(t->dtype),
		    4);
		bt_buf_uint(b, offset, 8);
		offset += bt_round_up(to->tensors[i].bytes, ALIGN);
	}
	while (b->len % ALIGN != 0 && !b->oom)
		bt_buf_putc(b, 0);
	b->oom |= notes->b.oom;
}

int bt_gguf_write(const struct bt_tensor_source *s, const char *path,
                  const char *from, bool q8, struct bt_error *err)
{
	const struct bt_tensor_source *to = s;
	struct bt_gguf_q8 *packed = NULL;
	struct bt_gguf_notes notes = {BT_BUF_INIT, 0};
	struct bt_buf head = BT_BUF_INIT;
	int r = BT_OK;
	size_t i;

	for (i = 0; i < s->count && r == BT_OK; i++)
		r = check(&s->tensors[i], err);
	if (r == BT_OK)
		r = bt_tensor_source_check_names(s, err);
	if (r == BT_OK)
		r = bt_gguf_describe(from, s, &notes, err);
	if (r == BT_OK && q8) {
		r = bt_gguf_q8_new(s, &packed, err);
		if (r == BT_OK)
			to = bt_gguf_q8_source(packed);
	}
	if (r == BT_OK) {
		make_head(&head, s, to, q8, &notes);
		r = bt_tensor_source_save(to, path, &head, ALIGN, err);
	}
	bt_gguf_q8_free(packed);
	bt_buf_clear(&notes.b);
	bt_buf_clear(&head);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* Writing GGUF, version 3; see gguf.c. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/gguf_int.h"
#include "ckpt_format/writer.h"
#include "io/out.h"

#define ALIGN ((size_t)32)
#define NAME_MAX_BYTES 63 /* what llama.cpp keeps of a name */
#define RANK_MAX 4

/* The number of a type, -1: there is none. */
static int type_of(enum bt_dtype d)
{
	switch (d) {
	case BT_DTYPE_F32:
		return 0;
	case BT_DTYPE_F16:
		return 1;
	case BT_DTYPE_I8:
		return 24;
	case BT_DTYPE_I16:
		return 25;
	case BT_DTYPE_I32:
		return 26;
	case BT_DTYPE_I64:
		return 27;
	case BT_DTYPE_F64:
		return 28;
	case BT_DTYPE_BF16:
		return 30;
	default:
		return -1;
	}
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

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_all(const struct bt_tensor_source *s, struct bt_error *err)
{
	const char **names = bt_array(s->count, sizeof(*names));
	size_t i;
	int r = BT_OK;

	if (names == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	for (i = 0; i < s->count && r == BT_OK; i++) {
		names[i] = s->tensors[i].name;
		r = check(&s->tensors[i], err);
	}
	if (s->count > 1 && r == BT_OK)
		qsort(names, s->count, sizeof(*names), by_name);
	for (i = 1; i < s->count && r == BT_OK; i++)
		if (strcmp(names[i], names[i - 1]) == 0)
			r = bt_error_set(err, BT_EFORMAT,
			                 "two tensors cannot be named '%.100s'",
			                 names[i]);
	free(names);
	return r;
}

static void put(struct bt_buf *b, uint64_t v, size_t n)
{
	bt_buf_put(b, &v, n);
}

/* Everything before the data. */
static void make_head(struct bt_buf *b, const struct bt_tensor_source *s,
                      const struct bt_gguf_notes *notes)
{
	const struct bt_tensor *t;
	uint64_t offset = 0;
	size_t i;
	int d;

	bt_buf_put(b, "GGUF", 4);
	put(b, 3, 4);
	put(b, s->count, 8);
	put(b, notes->n, 8);
	if (notes->b.len > 0)
		bt_buf_put(b, notes->b.data, notes->b.len);
	for (i = 0; i < s->count; i++) {
		t = &s->tensors[i];
		put(b, strlen(t->name), 8);
		bt_buf_puts(b, t->name);
		put(b, (uint64_t)t->rank, 4);
		for (d = t->rank - 1; d >= 0; d--)
			put(b, (uint64_t)t->shape[d], 8);
		put(b, (uint64_t)type_of(t->dtype), 4);
		put(b, offset, 8);
		offset += bt_round_up(t->bytes, ALIGN);
	}
	while (b->len % ALIGN != 0 && !b->oom)
		bt_buf_putc(b, 0);
	b->oom |= notes->b.oom;
}

static int write_data(struct bt_out *out, const struct bt_tensor_source *s,
                      struct bt_error *err)
{
	static const char zeros[ALIGN];
	size_t i, n;
	int r = BT_OK;

	for (i = 0; i < s->count && r == BT_OK; i++) {
		n = s->tensors[i].bytes;
		r = bt_tensor_source_put(s, i, out, NULL, err);
		if (r == BT_OK)
			r = bt_out_write(out, zeros, bt_round_up(n, ALIGN) - n,
			                 err);
	}
	return r;
}

int bt_gguf_write(const struct bt_tensor_source *s, const char *path,
                  const char *from, struct bt_error *err)
{
	struct bt_gguf_notes notes = {BT_BUF_INIT, 0};
	struct bt_buf head = BT_BUF_INIT;
	struct bt_out *out;
	int r = check_all(s, err);

	if (r == BT_OK)
		r = bt_gguf_describe(from, &notes, err);
	if (r == BT_OK) {
		make_head(&head, s, &notes);
		if (head.oom)
			r = bt_error_nomem(err, "writing a checkpoint");
	}
	if (r == BT_OK)
		r = bt_out_open(path, BT_OUT_BINARY, &out, err);
	if (r == BT_OK) {
		bt_tensor_source_begin(s, out);
		r = bt_out_write(out, head.data, head.len, err);
		if (r == BT_OK)
			r = write_data(out, s, err);
		if (r == BT_OK)
			r = bt_out_commit(out, err);
		else
			bt_out_abandon(out);
	}
	bt_buf_clear(&notes.b);
	bt_buf_clear(&head);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* The notes of a GGUF file that is written. */
#include <stdio.h>
#include <string.h>

#include "ckpt_format/gguf_int.h"

void bt_gguf_put_text(struct bt_buf *b, const char *s, size_t n)
{
	bt_buf_uint(b, n, 8);
	bt_buf_put(b, s, n);
}

static void key(struct bt_gguf_notes *n, const char *name, uint32_t type)
{
	bt_gguf_put_text(&n->b, name, strlen(name));
	bt_buf_uint(&n->b, type, 4);
	n->n++;
}

void bt_gguf_note_text(struct bt_gguf_notes *n, const char *name, const char *v)
{
	key(n, name, BT_GGUF_STRING);
	bt_gguf_put_text(&n->b, v, strlen(v));
}

void bt_gguf_note_u32(struct bt_gguf_notes *n, const char *name, uint32_t v)
{
	key(n, name, BT_GGUF_U32);
	bt_buf_uint(&n->b, v, 4);
}

void bt_gguf_note_f32(struct bt_gguf_notes *n, const char *name, double v)
{
	float f = (float)v;

	key(n, name, BT_GGUF_F32);
	bt_buf_put(&n->b, &f, sizeof(f));
}

void bt_gguf_note_bool(struct bt_gguf_notes *n, const char *name, bool v)
{
	key(n, name, BT_GGUF_BOOL);
	bt_buf_putc(&n->b, v ? 1 : 0);
}

void bt_gguf_note_array(struct bt_gguf_notes *n, const char *name,
                        uint32_t type, const struct bt_buf *items,
                        uint64_t count)
{
	key(n, name, BT_GGUF_ARRAY);
	bt_buf_uint(&n->b, type, 4);
	bt_buf_uint(&n->b, count, 8);
	bt_buf_put(&n->b, items->data, items->len);
	n->b.oom |= items->oom;
}

void bt_gguf_tokens_add(struct bt_gguf_tokens *t, const char *s, size_t n,
                        uint32_t kind)
{
	bt_gguf_put_text(&t->text, s, n);
	bt_buf_uint(&t->kinds, kind, 4);
	t->n++;
}

void bt_gguf_tokens_fill(struct bt_gguf_tokens *t, uint64_t rows)
{
	char name[32];

	while (t->n < rows && !t->text.oom) {
		snprintf(name, sizeof(name), "[PAD%llu]",
		         (unsigned long long)t->n);
		bt_gguf_tokens_add(t, name, strlen(name), BT_GGUF_UNUSED);
	}
}

void bt_gguf_tokens_note(struct bt_gguf_tokens *t, struct bt_gguf_notes *n)
{
	bt_gguf_note_array(n, "tokenizer.ggml.tokens", BT_GGUF_STRING, &t->text,
	                   t->n);
	bt_gguf_note_array(n, "tokenizer.ggml.token_type", BT_GGUF_I32,
	                   &t->kinds, t->n);
	if (t->scores.len > 0)
		bt_gguf_note_array(n, "tokenizer.ggml.scores", BT_GGUF_F32,
		                   &t->scores, t->n);
	bt_buf_clear(&t->text);
	bt_buf_clear(&t->kinds);
	bt_buf_clear(&t->scores);
	*t = (struct bt_gguf_tokens){.n = 0};
}

const char *bt_gguf_role(struct bt_span token)
{
	static const char *const roles[][2] = {
	    {"[UNK]", "tokenizer.ggml.unknown_token_id"},
	    {"<unk>", "tokenizer.ggml.unknown_token_id"},
	    {"[PAD]", "tokenizer.ggml.padding_token_id"},
	    {"<pad>", "tokenizer.ggml.padding_token_id"},
	    {"<|pad|>", "tokenizer.ggml.padding_token_id"},
	    {"[MASK]", "tokenizer.ggml.mask_token_id"},
	    {"<mask>", "tokenizer.ggml.mask_token_id"},
	    {"<|mask|>", "tokenizer.ggml.mask_token_id"}};
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (bt_span_equal(token, bt_span(roles[i][0])))
			return roles[i][1];
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* What a GGUF file says of a BERT model, beside its tensors. */
#include <stdlib.h>
#include <string.h>

#include "base/span.h"
#include "ckpt_format/gguf_int.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/in.h"
#include "io/path.h"
#include "tensor/checkpoint_reader.h"

#define VOCAB_MAX ((size_t)64 << 20)

enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9 };
enum { NORMAL = 1, CONTROL = 3 }; /* kinds of tokens */

static void put_text(struct bt_buf *b, const char *s, size_t n)
{
	bt_buf_uint(b, n, 8);
	bt_buf_put(b, s, n);
}

static void key(struct bt_gguf_notes *n, const char *name, uint32_t type)
{
	put_text(&n->b, name, strlen(name));
	bt_buf_uint(&n->b, type, 4);
	n->n++;
}

static void note_text(struct bt_gguf_notes *n, const char *name, const char *v)
{
	key(n, name, STRING);
	put_text(&n->b, v, strlen(v));
}

static void note_u32(struct bt_gguf_notes *n, const char *name, uint32_t v)
{
	key(n, name, U32);
	bt_buf_uint(&n->b, v, 4);
}

static void array(struct bt_gguf_notes *n, const char *name, uint32_t type,
                  const struct bt_buf *items, uint64_t count)
{
	key(n, name, ARRAY);
	bt_buf_uint(&n->b, type, 4);
	bt_buf_uint(&n->b, count, 8);
	bt_buf_put(&n->b, items->data, items->len);
	n->b.oom |= items->oom;
}

static int note_config(struct bt_gguf_notes *n, const json_t *o,
                       struct bt_error *err)
{
	static const struct {
		const char *key, *note;
	} sizes[] = {
	    {"num_hidden_layers", "bert.block_count"},
	    {"max_position_embeddings", "bert.context_length"},
	    {"hidden_size", "bert.embedding_length"},
	    {"intermediate_size", "bert.feed_forward_length"},
	    {"num_attention_heads", "bert.attention.head_count"},
	    {"type_vocab_size", "tokenizer.ggml.token_type_count"},
	};
	double eps = 1e-12;
	int64_t v;
	float f;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && r == BT_OK; i++) {
		v = -1;
		r = bt_json_int(o, sizes[i].key, 0, UINT32_MAX, &v, err);
		if (r == BT_OK && v >= 0)
			note_u32(n, sizes[i].note, (uint32_t)v);
	}
	if (r == BT_OK)
		r = bt_json_real(o, "layer_norm_eps", 0, 1, &eps, err);
	f = (float)eps;
	key(n, "bert.attention.layer_norm_epsilon", F32);
	bt_buf_put(&n->b, &f, sizeof(f));
	key(n, "bert.attention.causal", BOOL);
	bt_buf_putc(&n->b, 0);
	return r;
}

/* The note that a special token's number has, or NULL. */
static const char *special(const char *s, size_t n)
{
	static const char *const tokens[][2] = {
	    {"[UNK]", "tokenizer.ggml.unknown_token_id"},
	    {"[CLS]", "tokenizer.ggml.bos_token_id"},
	    {"[SEP]", "tokenizer.ggml.seperator_token_id"}, /* so spelled */
	    {"[PAD]", "tokenizer.ggml.padding_token_id"},
	    {"[MASK]", "tokenizer.ggml.mask_token_id"}};
	size_t i;

	for (i = 0; i < 5; i++)
		if (bt_span_equal((struct bt_span){s, n},
		                  bt_span(tokens[i][0])))
			return tokens[i][1];
	return NULL;
}

/* A token begins with a mark where a word does, and has no ## where not. */
static void put_token(struct bt_buf *b, const char *s, size_t n)
{
	static const char mark[] = "\xe2\x96\x81";

	if (special(s, n) != NULL) {
		put_text(b, s, n);
	} else if (n >= 2 && memcmp(s, "##", 2) == 0) {
		put_text(b, s + 2, n - 2);
	} else {
		bt_buf_uint(b, n + 3, 8);
		bt_buf_put(b, mark, 3);
		bt_buf_put(b, s, n);
	}
}

static void note_vocab(struct bt_gguf_notes *n, const char *data, size_t len)
{
	struct bt_buf tokens = BT_BUF_INIT, kinds = BT_BUF_INIT;
	const char *p = data, *end = data + len, *line;
	uint32_t count = 0;
	size_t k;

	for (; p < end; count++) {
		line = memchr(p, '\n', (size_t)(end - p));
		line = line != NULL ? line : end;
		k = (size_t)(line - p);
		k -= k > 0 && p[k - 1] == '\r';
		put_token(&tokens, p, k);
		bt_buf_uint(&kinds, special(p, k) != NULL ? CONTROL : NORMAL,
		            4);
		if (special(p, k) != NULL)
			note_u32(n, special(p, k), count);
		p = line + 1;
	}
	note_text(n, "tokenizer.ggml.model", "bert");
	note_text(n, "tokenizer.ggml.pre", "default");
	array(n, "tokenizer.ggml.tokens", STRING, &tokens, count);
	array(n, "tokenizer.ggml.token_type", I32, &kinds, count);
	bt_buf_clear(&tokens);
	bt_buf_clear(&kinds);
}

/* Notes the list of tokens of a directory, if there is one. */
static int find_vocab(const char *dir, struct bt_gguf_notes *n,
                      struct bt_error *err)
{
	const struct bt_model_file *f;
	char *path, *data;
	size_t len;
	int r = bt_model_files_find(dir, BT_USE_WORDPIECE, &f, &path, err);

	if (r != BT_OK)
		return r;
	if (f == NULL)
		path = bt_path_join(dir, BT_FILE_KERAS_VOCAB);
	if (f != NULL || bt_path_is_file(path)) {
		r = bt_in_whole(path, VOCAB_MAX, &data, &len, err);
		if (r == BT_OK) {
			note_vocab(n, data, len);
			free(data);
		}
	}
	free(path);
	return r;
}

int bt_gguf_describe(const char *from, struct bt_gguf_notes *n,
                     struct bt_error *err)
{
	char *dir = bt_path_of(from);
	json_t *o;
	int r = bt_hf_config_find(dir, &o, NULL, err);

	note_text(n, "general.architecture", "bert");
	note_text(n, "general.type", "model");
	if (r == BT_OK && o != NULL)
		r = note_config(n, o, err);
	json_decref(o);
	if (r == BT_OK)
		r = find_vocab(dir, n, err);
	free(dir);
	return r;
}

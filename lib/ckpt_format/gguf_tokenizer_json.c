/* SPDX-License-Identifier: MIT */
/* What a GGUF file says of a tokenizer whose model is BPE over bytes, which
 * llama.cpp calls gpt2, or Unigram, which it calls t5. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt_format/gguf_int.h"
#include "format/base64.h"
#include "format/json.h"

#define IDS_MAX ((uint64_t)1 << 22) /* where the model does not say */

struct word {
	struct bt_span text;
	uint32_t kind; /* 0: there is none of this id */
	float score;
};

struct words {
	struct word *v;
	size_t n, cap;
	uint64_t most; /* ids of the model */
};

static int unreadable(const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "%s is not as the package tokenizers writes it",
	                    what);
}

static int put(struct words *w, const json_t *id, const json_t *text,
               uint32_t kind, struct bt_error *err)
{
	json_int_t i = json_is_integer(id) ? json_integer_value(id) : -1;
	size_t n;

	if (i < 0 || !json_is_string(text))
		return unreadable("a token", err);
	if ((uint64_t)i >= w->most)
		return bt_error_set(err, BT_EFORMAT,
		                    "the token '%.100s' has the id %lld, of "
		                    "which the model has %llu",
		                    json_string_value(text), (long long)i,
		                    (unsigned long long)w->most);
	n = (size_t)i + 1;
	if (n > w->n) {
		if (bt_grow(&w->v, &w->cap, n, sizeof(*w->v)) != BT_OK)
			return bt_error_nomem(err, "reading a vocabulary");
		memset(w->v + w->n, 0, (n - w->n) * sizeof(*w->v));
		w->n = n;
	}
	w->v[i].text = bt_json_text(text);
	w->v[i].kind = kind;
	return BT_OK;
}

/* {"token": id, ...} */
static int read_ids(json_t *vocab, struct words *w, struct bt_error *err)
{
	const char *key;
	json_t *id, *text;
	int r = BT_OK;
	size_t len;

	json_object_keylen_foreach(vocab, key, len, id)
	{
		/* borrowed keys live as long as the object */
		text = json_stringn_nocheck(key, len);
		r = put(w, id, text, BT_GGUF_NORMAL, err);
		if (r == BT_OK)
			w->v[json_integer_value(id)].text =
			    (struct bt_span){key, len};
		json_decref(text);
		if (r != BT_OK)
			break;
	}
	return r;
}

/* [["piece", score], ...] */
static int read_scores(const json_t *model, struct words *w,
                       struct bt_error *err)
{
	const json_t *list = json_object_get(model, "vocab"), *pair, *id;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < json_array_size(list) && r == BT_OK; i++) {
		pair = json_array_get(list, i);
		id = json_integer((json_int_t)i);
		r = put(w, id, json_array_get(pair, 0), BT_GGUF_NORMAL, err);
		json_decref((json_t *)id);
		if (r == BT_OK)
			w->v[i].score =
			    (float)json_number_value(json_array_get(pair, 1));
	}
	id = json_object_get(model, "unk_id");
	if (r == BT_OK && json_is_integer(id) && json_integer_value(id) >= 0 &&
	    (size_t)json_integer_value(id) < w->n)
		w->v[json_integer_value(id)].kind = BT_GGUF_UNKNOWN;
	return r;
}

static int read_added(const json_t *o, struct words *w, struct bt_error *err)
{
	const json_t *list = json_object_get(o, "added_tokens"), *t;
	int64_t id;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < json_array_size(list) && r == BT_OK; i++) {
		t = json_array_get(list, i);
		id = json_integer_value(json_object_get(t, "id"));
		if (id >= 0 && (size_t)id < w->n &&
		    w->v[id].kind == BT_GGUF_UNKNOWN)
			continue;
		r = put(w, json_object_get(t, "id"),
		        json_object_get(t, "content"),
		        json_is_true(json_object_get(t, "special"))
		            ? BT_GGUF_CONTROL
		            : BT_GGUF_USER,
		        err);
	}
	return r;
}

static void note_words(const struct words *w, uint64_t rows, bool scored,
                       struct bt_gguf_notes *n)
{
	struct bt_gguf_tokens t = {.n = 0};
	float score;
	size_t i;

	for (i = 0; i < w->n; i++) {
		if (w->v[i].kind == 0) {
			bt_gguf_tokens_fill(&t, t.n + 1);
			continue;
		}
		if (w->v[i].kind != BT_GGUF_NORMAL &&
		    bt_gguf_role(w->v[i].text) != NULL)
			bt_gguf_note_u32(n, bt_gguf_role(w->v[i].text),
			                 (uint32_t)i);
		bt_gguf_tokens_add(&t, w->v[i].text.p, w->v[i].text.n,
		                   w->v[i].kind);
	}
	bt_gguf_tokens_fill(&t, rows);
	for (i = 0; scored && i < t.n; i++) {
		score = i < w->n && w->v[i].kind != 0 ? w->v[i].score : -10000;
		bt_buf_put(&t.scores, &score, sizeof(score));
	}
	bt_gguf_tokens_note(&t, n);
}

/* "a b", or in later files ["a", "b"]. */
static int note_merges(const json_t *model, struct bt_gguf_notes *n,
                       struct bt_error *err)
{
	const json_t *list = json_object_get(model, "merges"), *m;
	struct bt_buf all = BT_BUF_INIT, one = BT_BUF_INIT;
	struct bt_span a, b;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < json_array_size(list) && r == BT_OK; i++) {
		m = json_array_get(list, i);
		bt_buf_reset(&one);
		a = bt_json_text(json_is_array(m) ? json_array_get(m, 0) : m);
		b = bt_json_text(json_array_get(m, 1));
		if (a.p == NULL || (json_is_array(m) && b.p == NULL))
			r = unreadable("a merge", err);
		bt_buf_put(&one, a.p, a.n);
		if (b.p != NULL) {
			bt_buf_putc(&one, ' ');
			bt_buf_put(&one, b.p, b.n);
		}
		bt_gguf_put_text(&all, bt_buf_at(&one, 0), one.len);
	}
	bt_gguf_note_array(n, "tokenizer.ggml.merges", BT_GGUF_STRING, &all, i);
	bt_buf_clear(&one);
	bt_buf_clear(&all);
	return r;
}

/* The component of that type, which may be one of a sequence, or NULL. */
static const json_t *component(const json_t *o, const char *list,
                               const char *type)
{
	const char *is = json_string_value(json_object_get(o, "type"));
	const json_t *all = json_object_get(o, list), *found;
	size_t i;

	if (bt_str_is(is, type))
		return o;
	for (i = 0; i < json_array_size(all); i++) {
		found = component(json_array_get(all, i), list, type);
		if (found != NULL)
			return found;
	}
	return NULL;
}

static void note_end(struct bt_gguf_notes *n, bool first, const json_t *id)
{
	const char *key = first ? "tokenizer.ggml.bos_token_id"
	                        : "tokenizer.ggml.eos_token_id";

	bt_gguf_note_bool(n,
	                  first ? "tokenizer.ggml.add_bos_token"
	                        : "tokenizer.ggml.add_eos_token",
	                  json_is_integer(id));
	if (!json_is_integer(id))
		return;
	bt_gguf_note_u32(n, key, (uint32_t)json_integer_value(id));
	if (!first)
		bt_gguf_note_u32(n, "tokenizer.ggml.seperator_token_id",
		                 (uint32_t)json_integer_value(id));
}

/* The id of a piece of a template that is a special token, or NULL. */
static const json_t *template_id(const json_t *template, const json_t *piece)
{
	const json_t *token = json_object_get(piece, "SpecialToken");
	const char *name = json_string_value(json_object_get(token, "id"));
	const json_t *all = json_object_get(template, "special_tokens");

	if (name == NULL)
		return NULL;
	return json_array_get(
	    json_object_get(json_object_get(all, name), "ids"), 0);
}

/* What goes around a text. */
static int note_ends(const json_t *o, struct bt_gguf_notes *n,
                     struct bt_error *err)
{
	static const char *const pairs[] = {"RobertaProcessing",
	                                    "BertProcessing"};
	const json_t *post = json_object_get(o, "post_processor"), *p, *s;
	size_t i, k;

	for (i = 0; i < 2; i++) {
		p = component(post, "processors", pairs[i]);
		if (p == NULL)
			continue;
		note_end(n, true, json_array_get(json_object_get(p, "cls"), 1));
		note_end(n, false,
		         json_array_get(json_object_get(p, "sep"), 1));
		return BT_OK;
	}
	p = component(post, "processors", "TemplateProcessing");
	s = json_object_get(p, "single");
	k = json_array_size(s);
	if (k > 3)
		return bt_error_set(err, BT_EFORMAT,
		                    "its template has %zu tokens around a "
		                    "text, of which llama.cpp knows two",
		                    k - 1);
	note_end(n, true, template_id(p, json_array_get(s, 0)));
	note_end(n, false,
	         k > 0 ? template_id(p, json_array_get(s, k - 1)) : NULL);
	return BT_OK;
}

/* llama.cpp's word for how texts are split, or NULL. */
static const char *splitter(const json_t *o)
{
	const json_t *pre = json_object_get(o, "pre_tokenizer");
	const json_t *bytes = component(pre, "pretokenizers", "ByteLevel");
	const json_t *split = component(pre, "pretokenizers", "Split");
	const json_t *regex =
	    json_object_get(json_object_get(split, "pattern"), "Regex");
	const char *pattern = json_string_value(regex);

	if (bytes == NULL)
		return NULL;
	if (split == NULL &&
	    !json_is_false(json_object_get(bytes, "use_regex")))
		return "gpt-2";
	return pattern != NULL && strstr(pattern, "\\p{N}{1,3}") != NULL
	           ? "llama-bpe"
	           : NULL;
}

static int note_bpe(const json_t *o, uint64_t rows, struct bt_gguf_notes *n,
                    struct words *w, struct bt_error *err)
{
	const json_t *model = json_object_get(o, "model");
	const json_t *pre = json_object_get(o, "pre_tokenizer");
	const json_t *bytes = component(pre, "pretokenizers", "ByteLevel");
	int r;

	if (splitter(o) == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "its BPE is not over bytes behind a "
		                    "pattern of GPT-2 or of Llama 3, which are "
		                    "what is written for llama.cpp");
	r = read_ids(json_object_get(model, "vocab"), w, err);
	if (r != BT_OK || (r = read_added(o, w, err)))
		return r;
	bt_gguf_note_text(n, "tokenizer.ggml.model", "gpt2");
	bt_gguf_note_text(n, "tokenizer.ggml.pre", splitter(o));
	bt_gguf_note_bool(
	    n, "tokenizer.ggml.add_space_prefix",
	    json_is_true(json_object_get(bytes, "add_prefix_space")));
	note_words(w, rows, false, n);
	return note_merges(model, n, err);
}

static int note_unigram(const json_t *o, uint64_t rows, struct bt_gguf_notes *n,
                        struct words *w, struct bt_error *err)
{
	const json_t *norm = component(json_object_get(o, "normalizer"),
	                               "normalizers", "Precompiled");
	struct bt_span map =
	    bt_json_text(json_object_get(norm, "precompiled_charsmap"));
	struct bt_buf b = BT_BUF_INIT;
	int r = read_scores(json_object_get(o, "model"), w, err);

	if (r != BT_OK || (r = read_added(o, w, err)))
		return r;
	bt_gguf_note_text(n, "tokenizer.ggml.model", "t5");
	bt_gguf_note_text(n, "tokenizer.ggml.pre", "default");
	bt_gguf_note_bool(n, "tokenizer.ggml.add_space_prefix", true);
	bt_gguf_note_bool(n, "tokenizer.ggml.remove_extra_whitespaces", true);
	note_words(w, rows, true, n);
	if (map.n > 0) {
		if (bt_base64_get(&b, map.p, map.n) != BT_OK)
			r = unreadable("precompiled_charsmap", err);
		bt_gguf_note_array(n, "tokenizer.ggml.precompiled_charsmap",
		                   BT_GGUF_U8, &b, b.len);
	}
	bt_buf_clear(&b);
	return r;
}

int bt_gguf_note_tokenizer_json(const json_t *o, uint64_t rows,
                                struct bt_gguf_notes *n, struct bt_error *err)
{
	const json_t *model = json_object_get(o, "model");
	const char *type = json_string_value(json_object_get(model, "type"));
	struct words w = {NULL, 0, 0, rows > 0 ? rows : IDS_MAX};
	int r;

	if (bt_str_is(type, "Unigram"))
		r = note_unigram(o, rows, n, &w, err);
	else if (json_object_get(model, "merges") != NULL)
		r = note_bpe(o, rows, n, &w, err);
	else
		r = bt_error_set(err, BT_EFORMAT,
		                 "its model is '%.100s': BPE and Unigram are "
		                 "written for llama.cpp, and WordPiece of a "
		                 "vocab.txt",
		                 type != NULL ? type : "");
	if (r == BT_OK)
		r = note_ends(o, n, err);
	free(w.v);
	return r;
}

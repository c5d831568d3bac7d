/* SPDX-License-Identifier: MIT */
/* The models BPE of tokenizer.json, and of vocab.json with merges.txt. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/charset.h"
#include "format/json.h"
#include "io/in.h"
#include "tokenizer/bpe.h"
#include "tokenizer_file/tokenizer_json_int.h"

#define MAX_FILE ((size_t)64 << 20)

static int list_merges(const json_t *merges, struct bt_fast_vocab *bulk,
                       struct bt_merges *l, struct bt_error *err)
{
	struct bt_span a, b;
	size_t i;
	json_t *v;
	int r;

	if (bulk->has_merges) {
		*l = bulk->merges;
		memset(&bulk->merges, 0, sizeof(bulk->merges));
		return BT_OK;
	}
	if (!json_is_array(merges))
		return bt_error_set(err, BT_EFORMAT, "the model has no merges");
	json_array_foreach(merges, i, v)
	{
		a = bt_json_text(json_array_get(v, 0));
		b = bt_json_text(json_array_get(v, 1));
		if (json_is_string(v))
			r = bt_merges_add_line(l, bt_json_text(v), err);
		else if (a.p != NULL && b.p != NULL && json_array_size(v) == 2)
			r = bt_merges_add(l, a, b, err);
		else
			r = bt_error_set(err, BT_EFORMAT, "not two tokens");
		if (r != BT_OK)
			return bt_error_prefix(err, "merges[%zu]", i);
	}
	return BT_OK;
}

int bt_tok_set_bpe(struct bt_tok *t, const struct bt_bpe_merge *merge, size_t n,
                   const struct bt_bpe_opts *o, struct bt_error *err)
{
	struct bt_tok_crc all = {.crc = 0};
	size_t i;

	for (i = 0; i < n; i++) {
		bt_tok_crc_put(&all, merge[i].a, ' ');
		bt_tok_crc_put(&all, merge[i].b, '\n');
	}
	t->kind = BT_TOK_BPE;
	bt_buf_printf(&t->steps, "bpe=%08x unk=%d %d%d%d%d prefix=%08x:%08x",
	              bt_tok_crc_end(&all), (int)o->unknown, o->bytes,
	              o->fuse_unk, o->byte_fallback, o->ignore_merges,
	              bt_tok_crc_more(0, o->prefix.p, o->prefix.n),
	              bt_tok_crc_more(0, o->suffix.p, o->suffix.n));
	return bt_tok_model_bpe(&t->vocab, merge, n, o, &t->model, err);
}

/* Sets the id of the unknown token and the name of its role. */
static int set_unknown(struct bt_tok *t, const char *name,
                       struct bt_bpe_opts *o, struct bt_error *err)
{
	o->unknown = -1;
	if (name == NULL)
		return BT_OK;
	o->unknown = (int32_t)bt_vocab_find(&t->vocab, bt_span(name));
	if (o->unknown < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "unk_token '%.100s' is not in the "
		                    "vocabulary",
		                    name);
	return bt_tok_set_role(t, BT_TOK_UNK, bt_span(name), err);
}

static int read_flags(const json_t *o, struct bt_bpe_opts *b,
                      struct bt_error *err)
{
	double dropout = 0;
	int r;

	if ((r = bt_json_bool(o, "fuse_unk", &b->fuse_unk, err)) ||
	    (r = bt_json_bool(o, "byte_fallback", &b->byte_fallback, err)) ||
	    (r = bt_json_bool(o, "ignore_merges", &b->ignore_merges, err)) ||
	    (r = bt_json_real(o, "dropout", 0, 1, &dropout, err)))
		return r;
	if (dropout != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "'dropout' of the model is not supported: "
		                    "ids would be random");
	return BT_OK;
}

int bt_tok_json_bpe(struct bt_tok *t, json_t *o, struct bt_fast_vocab *bulk,
                    struct bt_error *err)
{
	static const char *const known[] = {"type",
	                                    "dropout",
	                                    "unk_token",
	                                    "continuing_subword_prefix",
	                                    "end_of_word_suffix",
	                                    "fuse_unk",
	                                    "byte_fallback",
	                                    "ignore_merges",
	                                    "vocab",
	                                    "merges",
	                                    NULL};
	const char *unk = NULL, *prefix = "", *suffix = "";
	struct bt_bpe_opts b = {.bytes = t->bytes.on};
	struct bt_merges l = {0};
	json_t *vocab = json_object_get(o, "vocab");
	int r;

	if ((r = bt_tok_only("model", o, known, err)) ||
	    (r = read_flags(o, &b, err)) ||
	    (r = bt_json_str(o, "unk_token", &unk, err)) ||
	    (r = bt_json_str(o, "continuing_subword_prefix", &prefix, err)) ||
	    (r = bt_json_str(o, "end_of_word_suffix", &suffix, err)) ||
	    (r = bt_tok_json_vocab(t, vocab, bulk, err)) ||
	    (r = set_unknown(t, unk, &b, err)))
		return r;
	r = list_merges(json_object_get(o, "merges"), bulk, &l, err);
	b.prefix = bt_span(prefix);
	b.suffix = bt_span(suffix);
	/* where its tokens would stand is not defined there */
	if (r == BT_OK && b.byte_fallback &&
	    (b.bytes || b.prefix.n + b.suffix.n > 0))
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "'byte_fallback' of the model is not supported "
		    "with ByteLevel, a prefix or a suffix");
	if (r == BT_OK)
		r = bt_tok_set_bpe(t, l.merge, l.n, &b, err);
	free(l.merge);
	return r;
}

static int list_lines(const char *p, size_t n, struct bt_merges *l,
                      struct bt_error *err)
{
	const char *end = p + n, *nl;
	struct bt_span s;
	size_t line, good;
	int r;

	for (line = 1; p < end; line++, p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		s.p = p;
		s.n = (size_t)(nl - p);
		if (s.n > 0 && s.p[s.n - 1] == '\r')
			s.n--;
		good = bt_charset_check(BT_CHARSET_UTF8, s.p, s.n);
		if (good != s.n)
			return bt_error_set(err, BT_EFORMAT,
			                    "line %zu is not valid UTF-8 "
			                    "(byte %zu of the line)",
			                    line, good);
		if (s.n == 0 && nl + 1 >= end)
			return BT_OK; /* a blank line at the end */
		r = bt_merges_add_line(l, s, err);
		if (r != BT_OK)
			return bt_error_prefix(err, "line %zu", line);
	}
	return BT_OK;
}

static int read_vocab(struct bt_tok *t, const char *path, struct bt_error *err)
{
	struct bt_fast_vocab bulk;
	json_t *o = NULL;
	int r = bt_fast_vocab_read_vocab(path, &bulk, &o, err);

	if (r != BT_OK)
		return r;
	r = bt_tok_json_vocab(t, o, &bulk, err);
	t->model_tokens = t->vocab.n;
	json_decref(o);
	bt_fast_vocab_clear(&bulk);
	return r == BT_OK ? BT_OK : bt_error_prefix(err, "'%s'", path);
}

int bt_tok_read_merges(struct bt_tok *t, const char *vocab, const char *merges,
                       struct bt_error *err)
{
	struct bt_bpe_opts b = {
	    .bytes = true, .unknown = -1, .prefix = {"", 0}, .suffix = {"", 0}};
	struct bt_merges l = {0};
	char *data = NULL;
	size_t n = 0;
	int r = read_vocab(t, vocab, err);

	if (r == BT_OK)
		r = bt_in_whole(merges, MAX_FILE, &data, &n, err);
	if (r != BT_OK)
		return r;
	t->bytes.on = t->bytes.split = t->bytes.top = true;
	t->bert_norm = t->bert_split = false;
	t->flags = (struct bt_tok_flags){0, 0, 0, 0};
	t->frame = BT_TEMPLATE_KIND_ROBERTA;
	t->class_name = "RobertaTokenizer";
	t->trim.on = true;
	r = list_lines(data, n, &l, err);
	if (r == BT_OK)
		r = bt_tok_set_bpe(t, l.merge, l.n, &b, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", merges);
	free(l.merge);
	free(data);
	return r == BT_OK ? bt_tok_guess_roles(t, err) : r;
}

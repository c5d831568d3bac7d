/* SPDX-License-Identifier: MIT */
/* A SentencePiece model as a tokenizer.json: its normalizers and the like, and
 * the whole of it. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "format/base64.h"
#include "tokenizer_file/export_json_int.h"
#include "tokenizer_file/sentencepiece_open_int.h"

static int add_step(json_t *list, json_t *step)
{
	return json_array_append_new(list, step);
}

static int add_replace(json_t *list, const char *kind, const char *pattern,
                       const char *content)
{
	return add_step(list,
	                json_pack("{ss s{ss} ss}", "type", "Replace", "pattern",
	                          kind, pattern, "content", content));
}

static int add_simple(json_t *list, const char *type)
{
	return add_step(list, json_pack("{ss}", "type", type));
}

static int add_strip(json_t *list, bool left)
{
	return add_step(list, json_pack("{ss sb sb}", "type", "Strip",
	                                "strip_left", left, "strip_right", 1));
}

static int add_albert(json_t *list, const struct bt_spm_settings *s)
{
	int bad = add_replace(list, "String", "``", "\"");

	bad |= add_replace(list, "String", "''", "\"");
	if (!s->keep_accents) {
		bad |= add_simple(list, "NFKD");
		bad |= add_simple(list, "StripAccents");
	}
	if (s->lower)
		bad |= add_simple(list, "Lowercase");
	return bad;
}

static int add_charsmap(json_t *list, const struct bt_spm_proto *m)
{
	struct bt_buf b = BT_BUF_INIT;
	int bad = 1;

	if (m->charsmap.n == 0)
		return 0;
	bt_base64_put(&b, m->charsmap.p, m->charsmap.n);
	if (!b.oom)
		bad = add_step(
		    list, json_pack("{ss ss%}", "type", "Precompiled",
		                    "precompiled_charsmap", b.data, b.len));
	bt_buf_clear(&b);
	return bad;
}

json_t *bt_spm_normalizer(const struct bt_spm_proto *m,
                          const struct bt_spm_settings *s)
{
	enum bt_spm_clean clean = s->family->clean;
	json_t *list;
	int bad = 0;

	if (clean == BT_SPM_CLEAN_NONE)
		return json_null();
	list = json_array();
	if (clean == BT_SPM_CLEAN_ALBERT)
		bad |= add_albert(list, s);
	if (clean == BT_SPM_CLEAN_DEBERTA && s->lower)
		bad |= add_simple(list, "Lowercase");
	if (clean == BT_SPM_CLEAN_DEBERTA)
		bad |= add_strip(list, true);
	bad |= add_charsmap(list, m);
	if (clean == BT_SPM_CLEAN_XLMR)
		bad |= add_strip(list, false);
	bad |= add_replace(list, "Regex", " {2,}",
	                   clean == BT_SPM_CLEAN_XLMR ? BT_SPM_MARK : " ");
	if (bad) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{ss so}", "type", "Sequence", "normalizers", list);
}

static json_t *make_metaspace(const char *scheme, bool split)
{
	return json_pack("{ss ss ss sb}", "type", "Metaspace", "replacement",
	                 BT_SPM_MARK, "prepend_scheme", scheme, "split", split);
}

json_t *bt_spm_pretok(const struct bt_spm_settings *s)
{
	json_t *space;

	if (s->family->clean == BT_SPM_CLEAN_NONE)
		return make_metaspace(!s->prefix  ? "never"
		                      : s->legacy ? "always"
		                                  : "first",
		                      false);
	space = make_metaspace("always", true);
	if (s->family->clean != BT_SPM_CLEAN_DEBERTA || !s->split_by_punct)
		return space;
	return json_pack("{ss s[{ss ss} o]}", "type", "Sequence",
	                 "pretokenizers", "type", "Punctuation", "behavior",
	                 "Isolated", space);
}

json_t *bt_spm_decoder(const struct bt_spm_settings *s)
{
	json_t *list;
	int bad;

	if (s->family->clean != BT_SPM_CLEAN_NONE)
		return make_metaspace("always", true);
	list = json_array();
	bad = add_replace(list, "String", BT_SPM_MARK, " ");
	bad |= add_simple(list, "ByteFallback");
	bad |= add_simple(list, "Fuse");
	if (s->prefix)
		bad |= add_step(list, json_pack("{ss ss si si}", "type",
		                                "Strip", "content", " ",
		                                "start", 1, "stop", 0));
	if (bad) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{ss so}", "type", "Sequence", "decoders", list);
}

static json_t *make_pieces(const struct bt_tok *t, const double *score)
{
	json_t *list = json_array();
	struct bt_span s;
	size_t i;
	int bad = list == NULL;

	for (i = 0; i < t->model_tokens; i++) {
		s = t->vocab.token[i];
		bad |= json_array_append_new(
		    list, json_pack("[s% f]", s.p, s.n, score[i]));
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *make_merges(const struct bt_bpe_merge *m, size_t n)
{
	json_t *list = json_array();
	size_t i;
	int bad = list == NULL;

	for (i = 0; i < n; i++)
		bad |= json_array_append_new(
		    list, json_pack("[s% s%]", m[i].a.p, m[i].a.n, m[i].b.p,
		                    m[i].b.n));
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *make_unigram(const struct bt_tok *t, int unknown,
                            const double *score)
{
	return json_pack("{ss si so sb}", "type", "Unigram", "unk_id", unknown,
	                 "vocab", make_pieces(t, score), "byte_fallback", 0);
}

static json_t *make_bpe(const struct bt_tok *t, const struct bt_spm_proto *m,
                        bool llama, const struct bt_bpe_merge *merge, size_t n)
{
	struct bt_span unk = m->piece[m->unk_id].text;
	json_t *unknown = llama ? json_null() : json_stringn(unk.p, unk.n);

	return json_pack("{ss sn so sn sn sb sb sb so so}", "type", "BPE",
	                 "dropout", "unk_token", unknown,
	                 "continuing_subword_prefix", "end_of_word_suffix",
	                 "fuse_unk", 1, "byte_fallback", llama, "ignore_merges",
	                 0, "vocab", bt_tok_export_vocab(t), "merges",
	                 make_merges(merge, n));
}

static int make_model(const struct bt_tok *t, const struct bt_spm_proto *m,
                      const struct bt_spm_family *f, json_t **model,
                      struct bt_error *err)
{
	double *score = bt_array(m->n + 8, sizeof(*score));
	bool llama = f->clean == BT_SPM_CLEAN_NONE;
	struct bt_bpe_merge *merge = NULL;
	struct bt_vocab v = {0};
	size_t n = 0;
	int r;

	if (score == NULL)
		return bt_error_nomem(err, "writing a tokenizer");
	r = bt_spm_vocab(m, f, &v, score, err);
	if (r == BT_OK && v.n != t->model_tokens)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' has changed since it was read", t->spm);
	if (r == BT_OK && m->kind == BT_SPM_BPE)
		r = bt_vocab_index(&v, 0, err);
	if (r == BT_OK && m->kind == BT_SPM_BPE)
		r = bt_spm_merges(&v, score, llama, &merge, &n, err);
	if (r == BT_OK)
		*model = m->kind == BT_SPM_BPE
		             ? make_bpe(t, m, llama, merge, n)
		             : make_unigram(t, bt_spm_unknown(m, f), score);
	bt_vocab_clear(&v);
	free(merge);
	free(score);
	return r;
}

int bt_spm_json(const struct bt_tok *t, json_t **o, struct bt_error *err)
{
	struct bt_spm_settings s;
	json_t *model = NULL;
	struct bt_spm_proto m;
	int r = bt_spm_load(t, &m, &s, err);

	if (r != BT_OK)
		return r;
	r = make_model(t, &m, s.family, &model, err);
	if (r == BT_OK)
		*o = json_pack("{ss sn sn so so so so so so}", "version", "1.0",
		               "truncation", "padding", "added_tokens",
		               bt_tok_export_added(t), "normalizer",
		               bt_spm_normalizer(&m, &s), "pre_tokenizer",
		               bt_spm_pretok(&s), "post_processor",
		               bt_tok_export_template(t), "decoder",
		               bt_spm_decoder(&s), "model", model);
	bt_spm_proto_clear(&m);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* A SentencePiece model as a whole tokenizer.json. */
#include <stdlib.h>

#include "base/mem.h"
#include "format/json.h"
#include "tokenizer_file/export_json_int.h"
#include "tokenizer_file/sentencepiece_open_int.h"

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
	return bt_json_whole(list, bad);
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
	return bt_json_whole(list, bad);
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

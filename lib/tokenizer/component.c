/* SPDX-License-Identifier: MIT */
#include "tokenizer/component_int.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tokenizer/wordpiece.h"

void bt_normalizer_free(struct bt_normalizer *norm)
{
	if (norm != NULL && norm->ops->free != NULL)
		norm->ops->free(norm);
	else
		free(norm);
}

void bt_pre_tokenizer_free(struct bt_pre_tokenizer *pretok)
{
	if (pretok != NULL && pretok->ops->free != NULL)
		pretok->ops->free(pretok);
	else
		free(pretok);
}

void bt_tok_model_free(struct bt_tok_model *model)
{
	if (model != NULL && model->ops->free != NULL)
		model->ops->free(model);
	else
		free(model);
}

struct norm {
	struct bt_normalizer part;
	struct bt_bert_normalizer *table;
};

static int norm_run(const struct bt_normalizer *norm, const uint8_t *text,
                    size_t from, size_t to, struct bt_offset_text *out)
{
	const struct norm *n = (const struct norm *)norm;

	return bt_bert_normalizer_run(n->table, text, from, to, out);
}

static void norm_free(struct bt_normalizer *norm)
{
	bt_bert_normalizer_free(((struct norm *)norm)->table);
	free(norm);
}

int bt_normalizer_bert(const struct bt_bert_normalizer_opts *opts,
                       struct bt_normalizer **norm, struct bt_error *err)
{
	static const struct bt_normalizer_ops ops = {norm_run, norm_free};
	struct norm *n = bt_array0(1, sizeof(*n));
	int r;

	n->part.ops = &ops;
	r = bt_bert_normalizer_new(opts, &n->table, err);
	if (r != BT_OK) {
		free(n);
		return r;
	}
	*norm = &n->part;
	return BT_OK;
}

const struct bt_bert_normalizer *
bt_normalizer_bert_table(const struct bt_normalizer *norm)
{
	return ((const struct norm *)norm)->table;
}

struct model {
	struct bt_tok_model part;
	struct bt_wordpiece wp;
};

static int model_cut(const struct bt_tok_model *model, void *work,
                     const uint8_t *text, size_t from, size_t to,
                     struct bt_pieces *out)
{
	const struct model *m = (const struct model *)model;

	return bt_wordpiece_encode(&m->wp, work, text, from, to, out);
}

static int model_cut_words(const struct bt_tok_model *model, void *work,
                           const uint8_t *text, size_t end,
                           const struct bt_word_range *word, size_t n,
                           struct bt_pieces *out)
{
	const struct model *m = (const struct model *)model;

	return bt_wordpiece_encode_words(&m->wp, work, text, end, word, n, out);
}

static int model_work_new(const struct bt_tok_model *model, void **work)
{
	struct bt_wordpiece_work *w = bt_array0(1, sizeof(*w));

	(void)model;
	if (bt_word_cache_init(&w->words, BT_WORD_BITS) != BT_OK) {
		free(w);
		return BT_ENOMEM;
	}
	*work = w;
	return BT_OK;
}

static void model_work_free(void *work)
{
	if (work != NULL)
		bt_wordpiece_work_clear(work);
	free(work);
}

struct bt_tok_model *bt_tok_model_wordpiece(const struct bt_vocab *vocab,
                                            struct bt_span prefix,
                                            int32_t unknown, size_t max_chars)
{
	static const struct bt_tok_model_ops ops = {
	    model_cut, model_cut_words, model_work_new, model_work_free, NULL};
	struct model *m = bt_array0(1, sizeof(*m));

	m->part.ops = &ops;
	bt_wordpiece_init(&m->wp, vocab, prefix, unknown, max_chars);
	return &m->part;
}

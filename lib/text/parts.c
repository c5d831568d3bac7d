/* SPDX-License-Identifier: MIT */
#include "text/parts_int.h"

#include <stdlib.h>

#include "base/mem.h"
#include "text/wordpiece.h"

void bt_norm_free(struct bt_norm *norm)
{
	if (norm != NULL)
		norm->ops->free(norm);
}

void bt_pretok_free(struct bt_pretok *pretok)
{
	if (pretok != NULL)
		pretok->ops->free(pretok);
}

void bt_model_free(struct bt_model *model)
{
	if (model != NULL)
		model->ops->free(model);
}

struct norm {
	struct bt_norm part;
	struct bt_bertnorm *table;
};

static int norm_run(const struct bt_norm *norm, const uint8_t *text,
                    size_t from, size_t to, struct bt_normed *out)
{
	const struct norm *n = (const struct norm *)norm;

	return bt_bertnorm_run(n->table, text, from, to, out);
}

static void norm_free(struct bt_norm *norm)
{
	bt_bertnorm_free(((struct norm *)norm)->table);
	free(norm);
}

int bt_norm_bert(const struct bt_bertnorm_opts *opts, struct bt_norm **norm,
                 struct bt_error *err)
{
	static const struct bt_norm_ops ops = {norm_run, norm_free};
	struct norm *n = bt_array0(1, sizeof(*n));
	int r;

	if (n == NULL)
		return bt_error_nomem(err, "making character tables");
	n->part.ops = &ops;
	r = bt_bertnorm_new(opts, &n->table, err);
	if (r != BT_OK) {
		free(n);
		return r;
	}
	*norm = &n->part;
	return BT_OK;
}

const struct bt_bertnorm *bt_norm_bert_table(const struct bt_norm *norm)
{
	return ((const struct norm *)norm)->table;
}

struct pretok {
	struct bt_pretok part;
	const struct bt_bertnorm *kinds;
};

/* Cuts at white space and around punctuation. */
static int pretok_run(const struct bt_pretok *pretok, struct bt_run *run,
                      const struct bt_view *v, size_t from, size_t to, int next)
{
	const struct bt_bertnorm *kinds =
	    ((const struct pretok *)pretok)->kinds;
	const uint8_t *text = v->text;
	size_t word = from, at;
	enum bt_char_kind kind;
	unsigned len;

	for (at = from; at < to; at += len) {
		kind = bt_bertnorm_kind(kinds, text + at, &len);
		if (kind == BT_CHAR_WORD)
			continue;
		if (word < at && bt_run_next(run, v, word, at, next) != BT_OK)
			return BT_ENOMEM;
		word = at + len;
		if (kind == BT_CHAR_PUNCT &&
		    bt_run_next(run, v, at, word, next) != BT_OK)
			return BT_ENOMEM;
	}
	return word < to ? bt_run_next(run, v, word, to, next) : BT_OK;
}

static void pretok_free(struct bt_pretok *pretok)
{
	free(pretok);
}

int bt_pretok_bert(const struct bt_bertnorm *kinds, struct bt_pretok **pretok,
                   struct bt_error *err)
{
	static const struct bt_pretok_ops ops = {pretok_run, pretok_free};
	struct pretok *p = bt_array0(1, sizeof(*p));

	if (p == NULL)
		return bt_error_nomem(err, "opening a tokenizer");
	p->part.ops = &ops;
	p->kinds = kinds;
	*pretok = &p->part;
	return BT_OK;
}

struct model {
	struct bt_model part;
	struct bt_wordpiece wp;
};

static int model_cut(const struct bt_model *model, void *work,
                     const uint8_t *text, size_t from, size_t to,
                     struct bt_pieces *out)
{
	const struct model *m = (const struct model *)model;

	return bt_wordpiece_cut(&m->wp, work, text, from, to, out);
}

static int model_work_new(const struct bt_model *model, void **work)
{
	struct bt_wordpiece_work *w = bt_array0(1, sizeof(*w));

	(void)model;
	if (w == NULL)
		return BT_ENOMEM;
	*work = w;
	return BT_OK;
}

static void model_work_free(void *work)
{
	if (work != NULL)
		bt_wordpiece_work_clear(work);
	free(work);
}

static void model_free(struct bt_model *model)
{
	free(model);
}

int bt_model_wordpiece(const struct bt_vocab *vocab, struct bt_span prefix,
                       int32_t unknown, size_t max_chars,
                       struct bt_model **model, struct bt_error *err)
{
	static const struct bt_model_ops ops = {model_cut, model_work_new,
	                                        model_work_free, model_free};
	struct model *m = bt_array0(1, sizeof(*m));

	if (m == NULL)
		return bt_error_nomem(err, "opening a tokenizer");
	m->part.ops = &ops;
	bt_wordpiece_init(&m->wp, vocab, prefix, unknown, max_chars);
	*model = &m->part;
	return BT_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * A directory that holds a SentencePiece model and no tokenizer.json. Which
 * tokens stand before its pieces, how text is normalised and what is put around
 * it is a matter of the model's family; each is what the conversion to a fast
 * tokenizer in Hugging Face's transformers makes of it.
 */
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "io/json.h"
#include "text/spmodel.h"
#include "text/steps_int.h"
#include "text/tok_int.h"
#include "text/utf8.h"

#define MARK "\xe2\x96\x81" /* U+2581 */

/* A token before the pieces, or behind them. */
struct extra {
	const char *text;
	double score;
};

struct family {
	const char *type;  /* model_type of config.json */
	const char *class; /* tokenizer_class, without "Fast" */
	struct extra before[6];
	size_t drop; /* pieces that those stand for */
	const char *mask;
	bool mask_piece; /* the mask is a piece, the last */
	bool mask_lstrip;
	const char *role[BT_TOK_ROLES];
	bool roberta; /* how pairs are put together; else as BERT */
	const char *special[3];
};

/* Order of role[]: unknown, cls, sep, pad, mask. */
static const struct family families[] = {
    {"xlm-roberta",
     "XLMRobertaTokenizer",
     {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}, {NULL, 0}},
     3,
     "<mask>",
     true,
     true,
     {"<unk>", "<s>", "</s>", "<pad>", "<mask>"},
     true,
     {NULL}},
    {"camembert",
     "CamembertTokenizer",
     {{"<s>NOTUSED", 0},
      {"<pad>", 0},
      {"</s>NOTUSED", 0},
      {"<unk>", 0},
      {"<unk>NOTUSED", -100},
      {NULL, 0}},
     1,
     "<mask>",
     true,
     true,
     {"<unk>", "<s>", "</s>", "<pad>", "<mask>"},
     true,
     {"<s>NOTUSED", "</s>NOTUSED", NULL}},
    {"albert",
     "AlbertTokenizer",
     {{NULL, 0}},
     0,
     "[MASK]",
     false,
     true,
     {"<unk>", "[CLS]", "[SEP]", "<pad>", "[MASK]"},
     false,
     {NULL}},
    {"deberta-v2",
     "DebertaV2Tokenizer",
     {{NULL, 0}},
     0,
     "[MASK]",
     false,
     false,
     {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"},
     false,
     {NULL}},
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* What tokenizer_config.json says. */
struct settings {
	const struct family *family;
	int lower, keep_accents, split_by_punct;
};

static bool is_class(const char *name, const char *class)
{
	size_t n = strlen(class);

	return strncmp(name, class, n) == 0 &&
	       (name[n] == '\0' || strcmp(name + n, "Fast") == 0);
}

/* The family that the files name: by the tokenizer's class, where that is
 * stated, else by the model's type. */
static int find_family(const struct bt_tok *t, const json_t *config,
                       const json_t *model, const struct family **family,
                       struct bt_error *err)
{
	const char *class = NULL, *type = NULL;
	size_t i;
	int r = bt_json_str(config, "tokenizer_class", &class, err);

	if (r == BT_OK)
		r = bt_json_str(model, "model_type", &type, err);
	if (r != BT_OK)
		return r;
	for (i = 0; i < FAMILIES; i++)
		if (class != NULL
		        ? is_class(class, families[i].class)
		        : type != NULL && strcmp(type, families[i].type) == 0)
			break;
	if (i < FAMILIES) {
		*family = &families[i];
		return BT_OK;
	}
	if (class == NULL && type == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' holds a SentencePiece model, and "
		                    "neither tokenizer_class in "
		                    "tokenizer_config.json nor model_type in "
		                    "config.json says whose",
		                    t->path);
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s': %s '%.100s' with a SentencePiece model and "
	                    "without a tokenizer.json is not supported",
	                    t->path,
	                    class != NULL ? "tokenizer_class" : "model_type",
	                    class != NULL ? class : type);
}

static int load(const struct bt_tok *t, const char *name, json_t **o,
                struct bt_error *err)
{
	char *path = bt_tok_file(t->path, name);
	int r = BT_OK;

	if (path == NULL)
		return bt_error_nomem(err, "reading a tokenizer");
	if (bt_tok_exists(path))
		r = bt_json_load(path, o, err);
	free(path);
	return r;
}

static int read_settings(const struct bt_tok *t, struct settings *s,
                         struct bt_error *err)
{
	json_t *config = NULL, *model = NULL;
	int r = load(t, "tokenizer_config.json", &config, err);

	if (r == BT_OK)
		r = load(t, "config.json", &model, err);
	if (r == BT_OK)
		r = find_family(t, config, model, &s->family, err);
	if (r == BT_OK)
		s->lower = strcmp(s->family->type, "albert") == 0;
	if (r == BT_OK)
		r = bt_json_bool(config, "do_lower_case", &s->lower, err);
	if (r == BT_OK)
		r = bt_json_bool(config, "keep_accents", &s->keep_accents, err);
	if (r == BT_OK)
		r = bt_json_bool(config, "split_by_punct", &s->split_by_punct,
		                 err);
	json_decref(config);
	json_decref(model);
	if (r == BT_OK && s->split_by_punct)
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "'%s': split_by_punct is not supported without "
		    "a tokenizer.json",
		    t->path);
	return r;
}

/* ALBERT's conversion keeps off pieces of a digit and a comma. */
static bool ends_number(struct bt_span s)
{
	const uint8_t *p = (const uint8_t *)s.p, *last;

	if (s.n < 2 || p[s.n - 1] != ',')
		return false;
	last = bt_utf8_back(p + s.n - 1);
	return utf8proc_category((utf8proc_int32_t)bt_utf8_get(last)) ==
	       UTF8PROC_CATEGORY_ND;
}

static int put(struct bt_tok *t, double *score, struct bt_span text,
               double value, struct bt_error *err)
{
	score[t->vocab.n] = value;
	return bt_vocab_put(&t->vocab, t->vocab.n, text, err);
}

/* The family's tokens and the pieces, in the order of their ids. */
static int put_all(struct bt_tok *t, const struct bt_spmodel *m,
                   const struct family *f, double *score, struct bt_error *err)
{
	bool albert = strcmp(f->type, "albert") == 0;
	const struct bt_sp_piece *p;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && f->before[i].text != NULL; i++)
		r = put(t, score, bt_span(f->before[i].text),
		        f->before[i].score, err);
	for (i = f->drop; r == BT_OK && i < m->n; i++) {
		p = &m->piece[i];
		r = put(t, score, p->text,
		        (double)p->score -
		            (albert && ends_number(p->text) ? 100 : 0),
		        err);
	}
	if (r == BT_OK && f->mask_piece)
		r = put(t, score, bt_span(f->mask), 0, err);
	return r;
}

static int make_model(struct bt_tok *t, const struct bt_spmodel *m,
                      const struct family *f, struct bt_error *err)
{
	double *score = bt_array(m->n + 8, sizeof(*score));
	int unknown = f->before[0].text != NULL ? 3 : m->unk_id;
	int r;

	if (score == NULL)
		return bt_error_nomem(err, "reading a vocabulary");
	r = put_all(t, m, f, score, err);
	if (r != BT_OK) {
		free(score);
		return r;
	}
	return bt_tok_set_unigram(t, score, unknown, false, err);
}

static int add_token(struct bt_tok *t, struct bt_span text,
                     struct bt_error *err)
{
	struct bt_added_token token = {
	    .content = text, .id = -1, .special = true};

	return bt_tok_add(t, &token, err);
}

/* Pieces that are never found by their scores; the family's own tokens. */
static int add_tokens(struct bt_tok *t, const struct bt_spmodel *m,
                      const struct family *f, struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = f->drop; r == BT_OK && i < m->n; i++)
		if ((m->piece[i].type == BT_SP_CONTROL ||
		     m->piece[i].type == BT_SP_USER) &&
		    !bt_span_equal(m->piece[i].text, bt_span(f->mask)))
			r = add_token(t, m->piece[i].text, err);
	for (i = 0; r == BT_OK && f->special[i] != NULL; i++)
		r = add_token(t, bt_span(f->special[i]), err);
	for (i = 0; r == BT_OK && i < BT_TOK_ROLES; i++)
		r = bt_tok_set_role(t, (enum bt_tok_role)i, bt_span(f->role[i]),
		                    err);
	t->mask_lstrip = f->mask_lstrip;
	/* the mask gets its flags where the configuration is read; DeBERTa's
	 * is no piece */
	if (r == BT_OK && bt_vocab_find(&t->vocab, bt_span(f->mask)) < 0)
		r = add_token(t, bt_span(f->mask), err);
	return r;
}

static int add_precompiled(struct bt_tok *t, const struct bt_spmodel *m,
                           struct bt_error *err)
{
	struct bt_norm *norm = NULL;
	int r;

	if (m->charsmap.n == 0)
		return BT_OK;
	r = bt_norm_precompiled(m->charsmap.p, m->charsmap.n, false, &norm,
	                        err);
	return r == BT_OK
	           ? bt_tok_add_norm(t, norm, err, "precompiled=%08x",
	                             bt_tok_crc(m->charsmap.p, m->charsmap.n))
	           : r;
}

static int add_albert(struct bt_tok *t, const struct settings *s,
                      struct bt_error *err)
{
	struct bt_span quote = bt_span("\"");
	int r = bt_tok_add_replace(t, bt_span("``"), false, quote, err);

	if (r == BT_OK)
		r = bt_tok_add_replace(t, bt_span("''"), false, quote, err);
	if (r == BT_OK && !s->keep_accents)
		r = bt_tok_add_form(t, BT_NFKD, err);
	if (r == BT_OK && !s->keep_accents)
		r = bt_tok_add_simple(t, BT_NORM_STRIP_ACCENTS, err);
	if (r == BT_OK && s->lower)
		r = bt_tok_add_simple(t, BT_NORM_LOWERCASE, err);
	return r;
}

/* The normalizers, and Metaspace. */
static int add_steps(struct bt_tok *t, const struct bt_spmodel *m,
                     const struct settings *s, struct bt_error *err)
{
	const char *type = s->family->type, *blank = " ";
	struct bt_span runs = bt_span(" {2,}");
	int r = BT_OK;

	if (strcmp(type, "albert") == 0)
		r = add_albert(t, s, err);
	if (strcmp(type, "deberta-v2") == 0) {
		if (s->lower)
			r = bt_tok_add_simple(t, BT_NORM_LOWERCASE, err);
		if (r == BT_OK)
			r = bt_tok_add_strip(t, true, true, err);
	}
	if (r == BT_OK)
		r = add_precompiled(t, m, err);
	if (r == BT_OK && s->family->roberta) {
		r = bt_tok_add_strip(t, false, true, err);
		blank = MARK;
	}
	if (r == BT_OK)
		r = bt_tok_add_replace(t, runs, true, bt_span(blank), err);
	if (r == BT_OK)
		r = bt_tok_add_metaspace(t, bt_span(MARK), BT_PREPEND_ALWAYS,
		                         true, err);
	return r;
}

static int build(struct bt_tok *t, const struct bt_spmodel *m,
                 const struct settings *s, struct bt_error *err)
{
	int r;

	if (m->kind != BT_SP_UNIGRAM)
		return bt_error_set(err, BT_EFORMAT,
		                    "models other than Unigram are not "
		                    "supported without a tokenizer.json");
	if (m->n <= s->family->drop)
		return bt_error_set(err, BT_EFORMAT, "there are %zu pieces",
		                    m->n);
	t->flags = (struct bt_tok_flags){0, 0, 0, 0};
	t->bert_norm = t->bert_split = false;
	t->is_spm = true;
	t->class_name = s->family->class;
	t->frame = s->family->roberta ? BT_FRAME_ROBERTA : BT_FRAME_BERT;
	r = add_steps(t, m, s, err);
	if (r == BT_OK)
		r = make_model(t, m, s->family, err);
	t->model_tokens = t->vocab.n;
	return r == BT_OK ? add_tokens(t, m, s->family, err) : r;
}

int bt_tok_read_spm(struct bt_tok *t, const char *path, struct bt_error *err)
{
	struct settings s = {NULL, 0, 0, 0};
	struct bt_spmodel m;
	int r = read_settings(t, &s, err);

	if (r == BT_OK)
		r = bt_spmodel_read(&m, path, err);
	if (r != BT_OK)
		return r;
	r = build(t, &m, &s, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	bt_spmodel_clear(&m);
	return r;
}

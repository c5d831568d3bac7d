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
#include "base/str.h"
#include "base/utf8.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "tokenizer_file/sentencepiece_open_int.h"
#include "tokenizer_file/tokenizer_json_int.h"

/* Order of role[]: unknown, cls, sep, pad, mask. */
static const struct bt_spm_family families[] = {
    {"xlm-roberta",
     "XLMRobertaTokenizer",
     {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}, {NULL, 0}},
     3,
     "<mask>",
     true,
     true,
     {"<unk>", "<s>", "</s>", "<pad>", "<mask>"},
     BT_TEMPLATE_KIND_ROBERTA,
     BT_SPM_CLEAN_XLMR,
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
     BT_TEMPLATE_KIND_ROBERTA,
     BT_SPM_CLEAN_XLMR,
     {"<s>NOTUSED", "</s>NOTUSED", NULL}},
    {"albert",
     "AlbertTokenizer",
     {{NULL, 0}},
     0,
     "[MASK]",
     false,
     true,
     {"<unk>", "[CLS]", "[SEP]", "<pad>", "[MASK]"},
     BT_TEMPLATE_KIND_BERT,
     BT_SPM_CLEAN_ALBERT,
     {NULL}},
    {"deberta-v2",
     "DebertaV2Tokenizer",
     {{NULL, 0}},
     0,
     "[MASK]",
     false,
     false,
     {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"},
     BT_TEMPLATE_KIND_BERT,
     BT_SPM_CLEAN_DEBERTA,
     {NULL}},
    {"llama",
     "LlamaTokenizer",
     {{NULL, 0}},
     0,
     NULL,
     false,
     false,
     {"<unk>", NULL, NULL, "<pad>", NULL},
     BT_TEMPLATE_KIND_ENDS,
     BT_SPM_CLEAN_NONE,
     {NULL}},
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static bool is_class(const char *name, const char *class)
{
	size_t n = strlen(class);

	return strncmp(name, class, n) == 0 &&
	       (name[n] == '\0' || strcmp(name + n, "Fast") == 0);
}

/* The family that the files name: by the tokenizer's class, where that is
 * stated, else by the model's type. */
static int find_family(const struct bt_tok *t, const json_t *config,
                       const json_t *model, const struct bt_spm_family **family,
                       struct bt_error *err)
{
	const char *class = NULL, *type = NULL;
	size_t i;
	int r = bt_json_str(config, "tokenizer_class", &class, err);

	if (r == BT_OK)
		r = bt_json_str(model, "model_type", &type, err);
	if (r != BT_OK)
		return r;
	if (type != NULL && class != NULL &&
	    (strcmp(class, "PreTrainedTokenizerFast") == 0 ||
	     strcmp(class, "TokenizersBackend") == 0))
		class = NULL; /* any family's */
	for (i = 0; i < FAMILIES; i++)
		if (class != NULL ? is_class(class, families[i].class)
		                  : bt_str_is(type, families[i].type))
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

/* The name of a token that a text begins or ends with. */
static int read_end(struct bt_tok *t, const json_t *config, const char *key,
                    const char *usual, enum bt_tok_role role,
                    struct bt_error *err)
{
	const json_t *v = json_object_get(config, key);
	struct bt_added_token token = {.content = bt_span(usual)};
	int r = BT_OK;

	if (v != NULL && !json_is_null(v))
		r = bt_tok_read_added(v, &token, err);
	return r == BT_OK ? bt_tok_set_role(t, role, token.content, err) : r;
}

/* Llama's configuration may rename its tokens. */
static int read_ends(struct bt_tok *t, struct bt_error *err)
{
	json_t *config = NULL;
	int r = bt_hf_config_tokenizer(t->path, &config, err);

	if (r == BT_OK)
		r = read_end(t, config, "bos_token", "<s>", BT_TOK_CLS, err);
	if (r == BT_OK)
		r = read_end(t, config, "eos_token", "</s>", BT_TOK_SEP, err);
	json_decref(config);
	return r;
}

static int read_flags(const json_t *config, struct bt_spm_settings *s,
                      struct bt_error *err)
{
	const struct {
		const char *key;
		bool *value;
	} flag[] = {{"do_lower_case", &s->lower},
	            {"keep_accents", &s->keep_accents},
	            {"split_by_punct", &s->split_by_punct},
	            /* Llama's */
	            {"add_prefix_space", &s->prefix},
	            {"legacy", &s->legacy},
	            {"add_bos_token", &s->bos},
	            {"add_eos_token", &s->eos}};
	int n = s->family->frame == BT_TEMPLATE_KIND_ENDS ? 7 : 3;
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < n; i++)
		r = bt_json_bool(config, flag[i].key, flag[i].value, err);
	return r;
}

static int read_settings(const struct bt_tok *t, struct bt_spm_settings *s,
                         struct bt_error *err)
{
	json_t *config = NULL, *model = NULL;
	int r = bt_hf_config_tokenizer(t->path, &config, err);

	*s = (struct bt_spm_settings){.prefix = true};
	if (r == BT_OK)
		r = bt_hf_config_find(t->path, &model, NULL, err);
	if (r == BT_OK)
		r = find_family(t, config, model, &s->family, err);
	if (r == BT_OK) {
		s->lower = s->family->clean == BT_SPM_CLEAN_ALBERT;
		r = read_flags(config, s, err);
	}
	json_decref(config);
	json_decref(model);
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

int bt_spm_vocab(const struct bt_spm_proto *m, const struct bt_spm_family *f,
                 struct bt_vocab *v, double *score, struct bt_error *err)
{
	bool albert = f->clean == BT_SPM_CLEAN_ALBERT;
	const struct bt_spm_piece *p;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && f->before[i].text != NULL; i++) {
		score[v->n] = f->before[i].score;
		r = bt_vocab_add(v, bt_span(f->before[i].text), err);
	}
	for (i = f->drop; r == BT_OK && i < m->n; i++) {
		p = &m->piece[i];
		score[v->n] = (double)p->score -
		              (albert && ends_number(p->text) ? 100 : 0);
		r = bt_vocab_add(v, p->text, err);
	}
	if (r == BT_OK && f->mask_piece) {
		score[v->n] = 0;
		r = bt_vocab_add(v, bt_span(f->mask), err);
	}
	return r;
}

int bt_spm_unknown(const struct bt_spm_proto *m, const struct bt_spm_family *f)
{
	return f->before[0].text != NULL ? 3 : m->unk_id;
}

/* What is unknown is bytes in Llama's family, else the model's token. */
static int set_bpe(struct bt_tok *t, const struct bt_spm_proto *m,
                   const struct bt_spm_family *f, const double *score,
                   struct bt_error *err)
{
	bool llama = f->clean == BT_SPM_CLEAN_NONE;
	struct bt_span unk = m->piece[m->unk_id].text;
	struct bt_bpe_opts b = {.fuse_unk = true,
	                        .byte_fallback = llama,
	                        .unknown = -1,
	                        .prefix = {"", 0},
	                        .suffix = {"", 0}};
	struct bt_bpe_merge *merge = NULL;
	size_t n = 0;
	int r = bt_vocab_index(&t->vocab, 0, err);

	if (r == BT_OK && !llama) {
		b.unknown = (int32_t)bt_vocab_find(&t->vocab, unk);
		if (b.unknown < 0)
			r = bt_error_set(err, BT_EFORMAT,
			                 "its unknown token '%.*s' is not in "
			                 "the vocabulary",
			                 (int)(unk.n < 100 ? unk.n : 100),
			                 unk.p);
	}
	if (r == BT_OK)
		r = bt_spm_merges(&t->vocab, score, llama, &merge, &n, err);
	if (r == BT_OK)
		r = bt_tok_set_bpe(t, merge, n, &b, err);
	free(merge);
	return r;
}

static int make_model(struct bt_tok *t, const struct bt_spm_proto *m,
                      const struct bt_spm_family *f, struct bt_error *err)
{
	double *score = bt_array(m->n + 8, sizeof(*score));
	int r;

	if (score == NULL)
		return bt_error_nomem(err, "reading a vocabulary");
	r = bt_spm_vocab(m, f, &t->vocab, score, err);
	if (r == BT_OK && m->kind == BT_SPM_UNIGRAM)
		return bt_tok_set_unigram(t, score, bt_spm_unknown(m, f), false,
		                          err);
	if (r == BT_OK)
		r = set_bpe(t, m, f, score, err);
	free(score);
	return r;
}

static int add_token(struct bt_tok *t, struct bt_span text, bool special,
                     struct bt_error *err)
{
	struct bt_added_token token = {
	    .content = text, .id = -1, .special = special};

	return bt_tok_add(t, &token, err);
}

static int set_roles(struct bt_tok *t, const struct bt_spm_family *f,
                     struct bt_error *err)
{
	const char *pad = t->role_name[BT_TOK_SEP];
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < BT_TOK_ROLES; i++)
		if (f->role[i] != NULL)
			r = bt_tok_set_role(t, (enum bt_tok_role)i,
			                    bt_span(f->role[i]), err);
	/* Llama's models have no padding: as one does there */
	if (r == BT_OK && f->frame == BT_TEMPLATE_KIND_ENDS &&
	    bt_vocab_find(&t->vocab, bt_span(f->role[BT_TOK_PAD])) < 0)
		r = bt_tok_set_role(t, BT_TOK_PAD, bt_span(pad), err);
	return r;
}

/* Pieces that are never found by their scores; the family's own tokens. */
static int add_tokens(struct bt_tok *t, const struct bt_spm_proto *m,
                      const struct bt_spm_family *f, struct bt_error *err)
{
	struct bt_span mask = bt_span(f->mask != NULL ? f->mask : "");
	size_t i;
	int r = BT_OK;

	for (i = f->drop; r == BT_OK && i < m->n; i++)
		if ((m->piece[i].type == BT_SPM_CONTROL ||
		     m->piece[i].type == BT_SPM_USER) &&
		    !bt_span_equal(m->piece[i].text, mask))
			r = add_token(t, m->piece[i].text,
			              m->piece[i].type == BT_SPM_CONTROL, err);
	for (i = 0; r == BT_OK && f->special[i] != NULL; i++)
		r = add_token(t, bt_span(f->special[i]), true, err);
	if (r == BT_OK)
		r = set_roles(t, f, err);
	t->mask_lstrip = f->mask_lstrip;
	/* the mask gets its flags where the configuration is read; DeBERTa's
	 * is no piece */
	if (r == BT_OK && mask.n > 0 && bt_vocab_find(&t->vocab, mask) < 0)
		r = add_token(t, mask, true, err);
	return r;
}

/* The normalizers, pre-tokenizers and the decoder, as from tokenizer.json. */
static int add_steps(struct bt_tok *t, const struct bt_spm_proto *m,
                     const struct bt_spm_settings *s, struct bt_error *err)
{
	json_t *norm = bt_spm_normalizer(m, s), *pretok = bt_spm_pretok(s);
	json_t *decoder = bt_spm_decoder(s);
	int r = BT_OK;

	if (norm == NULL || pretok == NULL || decoder == NULL)
		r = bt_error_nomem(err, "opening a tokenizer");
	if (r == BT_OK)
		r = bt_tok_json_norm(t, norm, err);
	if (r == BT_OK)
		r = bt_tok_json_pretok(t, pretok, err);
	if (r == BT_OK)
		r = bt_decoder_read(&t->decode, decoder, err);
	json_decref(norm);
	json_decref(pretok);
	json_decref(decoder);
	return r;
}

static int build(struct bt_tok *t, const struct bt_spm_proto *m,
                 const struct bt_spm_settings *s, struct bt_error *err)
{
	bool llama = s->family->clean == BT_SPM_CLEAN_NONE;
	int r;

	if (m->kind != BT_SPM_BPE && (llama || m->kind != BT_SPM_UNIGRAM))
		return bt_error_set(err, BT_EFORMAT,
		                    "it is not a %s model, and other kinds are "
		                    "not supported for %s",
		                    llama ? "BPE" : "Unigram or BPE",
		                    s->family->class);
	if (m->n <= s->family->drop)
		return bt_error_set(err, BT_EFORMAT, "there are %zu pieces",
		                    m->n);
	t->flags = (struct bt_tok_flags){0, 0, 0, 0};
	t->bert_norm = t->bert_split = false;
	t->frame = s->family->frame;
	t->bos = s->bos;
	t->eos = s->eos;
	r = add_steps(t, m, s, err);
	if (r == BT_OK && t->frame == BT_TEMPLATE_KIND_ENDS)
		r = read_ends(t, err);
	if (r == BT_OK)
		r = make_model(t, m, s->family, err);
	t->model_tokens = t->vocab.n;
	return r == BT_OK ? add_tokens(t, m, s->family, err) : r;
}

int bt_spm_load(const struct bt_tok *t, struct bt_spm_proto *m,
                struct bt_spm_settings *s, struct bt_error *err)
{
	int r = read_settings(t, s, err);

	return r == BT_OK ? bt_spm_proto_read(m, t->spm, err) : r;
}

int bt_tok_read_spm(struct bt_tok *t, const char *path, struct bt_error *err)
{
	struct bt_spm_settings s;
	struct bt_spm_proto m;
	int r;

	t->spm = bt_strndup(path, strlen(path));
	r = bt_spm_load(t, &m, &s, err);
	if (r != BT_OK)
		return r;
	r = build(t, &m, &s, err);
	/* its pieces are tokens now */
	if (r == BT_OK && bt_vocab_own(&t->vocab, m.data) != BT_OK)
		r = bt_error_nomem(err, "reading a vocabulary");
	else if (r == BT_OK)
		m.data = NULL;
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	bt_spm_proto_clear(&m);
	return r;
}

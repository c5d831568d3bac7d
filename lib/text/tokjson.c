/* SPDX-License-Identifier: MIT */
/*
 * tokenizer.json, the file of Hugging Face's fast tokenizers. Its components
 * are refused by name unless they are those of BERT.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/json.h"
#include "text/tokjson_int.h"

int bt_tok_unsupported(const char *what, const json_t *o, struct bt_error *err)
{
	const char *type = json_string_value(json_object_get(o, "type"));

	if (o == NULL || json_is_null(o))
		return bt_error_set(err, BT_EFORMAT,
		                    "no %s: that is not supported", what);
	return bt_error_set(err, BT_EFORMAT,
	                    "%s of type %.100s is not supported", what,
	                    type != NULL ? type : "(none)");
}

bool bt_tok_is_type(const json_t *o, const char *type)
{
	const char *s = json_string_value(json_object_get(o, "type"));

	return s != NULL && strcmp(s, type) == 0;
}

int bt_tok_only(const char *what, json_t *o, const char *const *known,
                struct bt_error *err)
{
	const char *key;
	json_t *v;
	int i;

	json_object_foreach(o, key, v)
	{
		for (i = 0; known[i] != NULL; i++)
			if (strcmp(key, known[i]) == 0)
				break;
		if (known[i] == NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%.100s' of the %s is not "
			                    "supported",
			                    key, what);
	}
	return BT_OK;
}

static int read_normalizer(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	static const char *const known[] = {
	    "type",          "clean_text", "handle_chinese_chars",
	    "strip_accents", "lowercase",  NULL};
	struct bt_tok_flags f = {1, 1, BT_TOK_UNSET, 1};
	int r;

	if (o == NULL || json_is_null(o)) { /* text is taken as it is */
		t->flags = (struct bt_tok_flags){0, 0, 0, 0};
		return BT_OK;
	}
	if (!bt_tok_is_type(o, "BertNormalizer"))
		return bt_tok_unsupported("normalizer", o, err);
	r = bt_tok_only("normalizer", o, known, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "clean_text", &f.clean, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "handle_chinese_chars", &f.cjk, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "strip_accents", &f.strip, err);
	if (r == BT_OK)
		r = bt_json_bool(o, "lowercase", &f.lower, err);
	if (r == BT_OK)
		t->flags = f;
	return r;
}

/* A token and its id, for sorting. */
struct entry {
	int64_t id;
	struct bt_span s;
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int list_entries(json_t *vocab, struct entry *e, struct bt_error *err)
{
	const char *key;
	size_t i = 0;
	json_t *v;

	json_object_foreach(vocab, key, v)
	{
		e[i].s = bt_span(key);
		e[i].id = json_integer_value(v);
		if (!json_is_integer(v) || e[i].id < 0 ||
		    e[i].id >= (int64_t)BT_VOCAB_MAX)
			return bt_error_set(err, BT_EFORMAT,
			                    "the token '%.100s' has no id "
			                    "from 0 to %zu",
			                    key, BT_VOCAB_MAX - 1);
		i++;
	}
	return BT_OK;
}

static int read_vocab(struct bt_tok *t, json_t *vocab, struct bt_error *err)
{
	size_t n = json_object_size(vocab), i;
	struct entry *e;
	int r;

	if (!json_is_object(vocab) || n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the model has no vocabulary");
	e = bt_array(n, sizeof(*e));
	if (e == NULL)
		return bt_error_nomem(err, "reading a vocabulary");
	r = list_entries(vocab, e, err);
	if (r != BT_OK)
		goto out;
	qsort(e, n, sizeof(*e), compare);
	if (e[n - 1].id / 16 > (int64_t)n) {
		r = bt_error_set(err, BT_EFORMAT,
		                 "%zu tokens have ids up to %lld", n,
		                 (long long)e[n - 1].id);
		goto out;
	}
	for (i = 0; r == BT_OK && i < n; i++) {
		if (i > 0 && e[i].id == e[i - 1].id)
			r = bt_error_set(err, BT_EFORMAT,
			                 "the tokens '%.100s' and '%.100s' "
			                 "have the same id %lld",
			                 e[i - 1].s.p, e[i].s.p,
			                 (long long)e[i].id);
		else
			r = bt_vocab_put(&t->vocab, (size_t)e[i].id, e[i].s,
			                 err);
	}
	if (r == BT_OK)
		r = bt_vocab_index(&t->vocab, 0, err);
out:
	free(e);
	return r;
}

static int replace(char **s, const char *with, struct bt_error *err)
{
	char *copy = bt_strndup(with, strlen(with));

	if (copy == NULL)
		return bt_error_nomem(err, "reading a tokenizer");
	free(*s);
	*s = copy;
	return BT_OK;
}

static int read_model(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	static const char *const known[] = {"type",
	                                    "unk_token",
	                                    "continuing_subword_prefix",
	                                    "max_input_chars_per_word",
	                                    "vocab",
	                                    NULL};
	const char *unk = t->role_name[BT_TOK_UNK], *prefix = t->prefix;
	int r;

	/* files of 2019 have no type */
	if (!bt_tok_is_type(o, "WordPiece") &&
	    (json_object_get(o, "type") != NULL ||
	     json_object_get(o, "max_input_chars_per_word") == NULL))
		return bt_tok_unsupported("model", o, err);
	r = bt_tok_only("model", o, known, err);
	if (r == BT_OK)
		r = bt_json_str(o, "unk_token", &unk, err);
	if (r == BT_OK)
		r = bt_json_str(o, "continuing_subword_prefix", &prefix, err);
	if (r == BT_OK)
		r = bt_json_int(o, "max_input_chars_per_word", 1, INT32_MAX,
		                &t->max_chars, err);
	if (r == BT_OK)
		r = replace(&t->role_name[BT_TOK_UNK], unk, err);
	if (r == BT_OK)
		r = replace(&t->prefix, prefix, err);
	if (r == BT_OK)
		r = read_vocab(t, json_object_get(o, "vocab"), err);
	return r;
}

static int read_added(struct bt_tok *t, json_t *list, struct bt_error *err)
{
	struct bt_added_token token;
	int64_t id;
	size_t i;
	json_t *v;
	int r;

	json_array_foreach(list, i, v)
	{
		memset(&token, 0, sizeof(token));
		id = -1;
		r = bt_json_int(v, "id", 0, INT32_MAX, &id, err);
		if (r == BT_OK && id < 0)
			r = bt_error_set(err, BT_EFORMAT, "no 'id'");
		if (r == BT_OK)
			r = bt_tok_read_added(v, &token, err);
		token.id = (int32_t)id;
		if (r == BT_OK)
			r = bt_tok_add(t, &token, err);
		if (r != BT_OK)
			return bt_error_prefix(err, "added_tokens[%zu]", i);
	}
	return BT_OK;
}

static int bad_template(const char *why, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT, "post_processor: %s", why);
}

static int add_part(struct bt_tok_template *tp, int text, int64_t id,
                    int64_t type, struct bt_error *err)
{
	struct bt_tok_part *p = &tp->part[tp->n];

	if (tp->n == BT_TOK_PARTS)
		return bad_template("the template has too many parts", err);
	p->text = (int8_t)text;
	p->id = (int32_t)id;
	p->type = (uint8_t)type;
	tp->n++;
	return BT_OK;
}

/* The ids of a special token: {name: {"ids": [...]}}. */
static int add_specials(struct bt_tok *t, struct bt_tok_template *tp,
                        const json_t *specials, const char *name, int64_t type,
                        struct bt_error *err)
{
	json_t *ids = json_object_get(json_object_get(specials, name), "ids");
	json_t *v;
	size_t i;
	int r;

	if (json_array_size(ids) == 0)
		return bad_template("a special token without ids", err);
	json_array_foreach(ids, i, v)
	{
		if (!json_is_integer(v) || json_integer_value(v) < 0 ||
		    json_integer_value(v) >= (int64_t)t->vocab.n)
			return bad_template("an id outside the vocabulary",
			                    err);
		r = add_part(tp, -1, json_integer_value(v), type, err);
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}

static int read_part(struct bt_tok *t, struct bt_tok_template *tp,
                     const json_t *part, const json_t *specials,
                     struct bt_error *err)
{
	const json_t *o = json_object_get(part, "SpecialToken");
	bool special = o != NULL;
	const char *id = NULL;
	int64_t type = 0;
	int r;

	if (o == NULL)
		o = json_object_get(part, "Sequence");
	r = bt_json_str(o, "id", &id, err);
	if (r == BT_OK)
		r = bt_json_int(o, "type_id", 0, UINT8_MAX, &type, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "post_processor");
	if (id == NULL)
		return bad_template("a part without an id", err);
	if (special)
		return add_specials(t, tp, specials, id, type, err);
	if (strcmp(id, "A") != 0 && strcmp(id, "B") != 0)
		return bad_template("a sequence that is neither A nor B", err);
	return add_part(tp, *id == 'B', 0, type, err);
}

/* texts: how many the template is for; each must stand in it once. */
static int read_template(struct bt_tok *t, struct bt_tok_template *tp,
                         const json_t *list, const json_t *specials, int texts,
                         struct bt_error *err)
{
	int seen[2] = {0, 0}, i, r;
	size_t k;
	json_t *v;

	json_array_foreach(list, k, v)
	{
		r = read_part(t, tp, v, specials, err);
		if (r != BT_OK)
			return r;
	}
	for (i = 0; i < tp->n; i++)
		if (tp->part[i].text >= 0)
			seen[tp->part[i].text]++;
	if (seen[0] != 1 || seen[1] != texts - 1)
		return bad_template("a template that does not hold each text "
		                    "once",
		                    err);
	return BT_OK;
}

/* {"sep": ["[SEP]", 102], "cls": ["[CLS]", 101]} names the roles only. */
static int read_bert_roles(struct bt_tok *t, const json_t *o,
                           struct bt_error *err)
{
	static const enum bt_tok_role role[] = {BT_TOK_SEP, BT_TOK_CLS};
	static const char *const key[] = {"sep", "cls"};
	const char *name;
	int i, r;

	for (i = 0; i < 2; i++) {
		name = json_string_value(
		    json_array_get(json_object_get(o, key[i]), 0));
		if (name == NULL)
			return bad_template("BertProcessing without its tokens",
			                    err);
		r = replace(&t->role_name[role[i]], name, err);
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}

static int read_post_processor(struct bt_tok *t, const json_t *o,
                               struct bt_error *err)
{
	const json_t *specials = json_object_get(o, "special_tokens");
	int r;

	/* none: transformers gives BERT's tokenizers their template */
	if (o == NULL || json_is_null(o))
		return BT_OK;
	if (bt_tok_is_type(o, "BertProcessing"))
		return read_bert_roles(t, o, err);
	if (!bt_tok_is_type(o, "TemplateProcessing"))
		return bt_tok_unsupported("post_processor", o, err);
	r = read_template(t, &t->one, json_object_get(o, "single"), specials, 1,
	                  err);
	if (r == BT_OK)
		r = read_template(t, &t->pair, json_object_get(o, "pair"),
		                  specials, 2, err);
	return r;
}

/* A BERT's model, normalizer and pre-tokenizer. */
static int read_bert(struct bt_tok *t, json_t *model, json_t *norm,
                     json_t *pretok, struct bt_error *err)
{
	int r = read_model(t, model, err);

	if (r == BT_OK)
		r = read_normalizer(t, norm, err);
	if (r == BT_OK && !bt_tok_is_type(pretok, "BertPreTokenizer"))
		r = bt_tok_unsupported("pre_tokenizer", pretok, err);
	return r;
}

static int read_unigram(struct bt_tok *t, json_t *model, json_t *norm,
                        json_t *pretok, struct bt_error *err)
{
	int r = bt_tok_json_unigram(t, model, err);

	if (r == BT_OK)
		r = bt_tok_json_norm(t, norm, err);
	if (r == BT_OK)
		r = bt_tok_json_pretok(t, pretok, err);
	return r;
}

/* True for a model whose vocabulary is a list: files of 2019 have no type. */
static bool is_unigram(const json_t *o)
{
	return bt_tok_is_type(o, "Unigram") ||
	       (json_object_get(o, "type") == NULL &&
	        json_is_array(json_object_get(o, "vocab")));
}

static int read_components(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	json_t *model = json_object_get(o, "model");
	json_t *norm = json_object_get(o, "normalizer");
	json_t *pretok = json_object_get(o, "pre_tokenizer");
	int r = is_unigram(model) ? read_unigram(t, model, norm, pretok, err)
	                          : read_bert(t, model, norm, pretok, err);

	t->model_tokens = t->vocab.n;
	if (r == BT_OK)
		r = read_added(t, json_object_get(o, "added_tokens"), err);
	if (r == BT_OK)
		r = read_post_processor(t, json_object_get(o, "post_processor"),
		                        err);
	if (r == BT_OK && t->kind != BT_TOK_WORDPIECE)
		r = bt_tok_guess_roles(t, err);
	return r;
}

int bt_tok_read_json(struct bt_tok *t, const char *path, struct bt_error *err)
{
	json_t *o;
	int r = bt_json_load(path, &o, err);

	if (r != BT_OK)
		return r;
	t->is_json = true;
	r = read_components(t, o, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	json_decref(o);
	return r;
}

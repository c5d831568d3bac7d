/* SPDX-License-Identifier: MIT */
/* Added tokens, as the files of a tokenizer list them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "format/json.h"
#include "tokenizer_file/reader.h"

int bt_tok_read_added(const json_t *o, struct bt_added_token *token,
                      struct bt_error *err)
{
	const struct {
		const char *key;
		bool *value;
	} flag[] = {{"lstrip", &token->lstrip},
	            {"rstrip", &token->rstrip},
	            {"single_word", &token->single_word},
	            {"normalized", &token->normalized},
	            {"special", &token->special},
	            {0}};
	const json_t *content = o;
	int i, r = BT_OK;

	if (json_is_object(o)) {
		content = json_object_get(o, "content");
		for (i = 0; r == BT_OK && flag[i].key != NULL; i++)
			r = bt_json_bool(o, flag[i].key, flag[i].value, err);
	}
	if (r != BT_OK)
		return r;
	if (!json_is_string(content) || json_string_length(content) == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "a token is neither a string nor an object "
		                    "with 'content'");
	token->content = bt_json_text(content);
	return BT_OK;
}

int bt_tok_add(struct bt_tok *t, const struct bt_added_token *token,
               struct bt_error *err)
{
	struct bt_added_token a = *token;
	int64_t id = bt_vocab_find(&t->vocab, a.content);
	size_t i;
	int r;

	for (i = 0; i < t->tokens; i++)
		if (bt_span_equal(t->token[i].content, a.content)) {
			t->token[i].special |= a.special;
			return BT_OK;
		}
	if (id < 0)
		id = (int64_t)t->vocab.n;
	if (a.id >= 0 && a.id != id)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "the added token '%.*s' has the id %d, "
		    "expected %lld",
		    (int)(a.content.n < 100 ? a.content.n : 100), a.content.p,
		    (int)a.id, (long long)id);
	if (t->tokens == BT_TOK_ADDED_MAX || t->vocab.n == BT_VOCAB_MAX)
		return bt_error_set(err, BT_ELIMIT, "too many added tokens");
	a.id = (int32_t)id;
	if ((size_t)id == t->vocab.n) {
		r = bt_vocab_put(&t->vocab, (size_t)id, a.content, err);
		if (r != BT_OK)
			return r;
	}
	a.content = t->vocab.token[id];
	r = bt_grow(&t->token, &t->tokens_cap, t->tokens + 1,
	            sizeof(*t->token));
	if (r != BT_OK)
		return bt_error_nomem(err, "reading a tokenizer");
	t->token[t->tokens++] = a;
	return BT_OK;
}

static int add_special(struct bt_tok *t, const json_t *o, const char *key,
                       struct bt_error *err)
{
	struct bt_added_token token = {.id = -1};
	int r = bt_tok_read_added(o, &token, err);

	token.special = true;
	if (r == BT_OK)
		r = bt_tok_add(t, &token, err);
	return r == BT_OK ? BT_OK : bt_error_prefix(err, "'%s'", key);
}

/* A list of strings or objects, or an object of them. */
int bt_tok_add_list(struct bt_tok *t, json_t *o, const char *key,
                    struct bt_error *err)
{
	json_t *list = json_object_get(o, key), *v;
	const char *name;
	size_t i;
	int r = BT_OK;

	json_object_foreach(list, name, v)
	{
		if (r == BT_OK)
			r = add_special(t, v, key, err);
	}
	json_array_foreach(list, i, v)
	{
		if (r == BT_OK)
			r = add_special(t, v, key, err);
	}
	return r;
}

/* Tokens that come with ids, put in the order of these. */
static int add_sorted(struct bt_tok *t, struct bt_added_token *list, size_t n,
                      struct bt_error *err)
{
	struct bt_added_token x;
	size_t i, k;
	int r = BT_OK;

	for (i = 1; i < n; i++) {
		x = list[i];
		for (k = i; k > 0 && list[k - 1].id > x.id; k--)
			list[k] = list[k - 1];
		list[k] = x;
	}
	for (i = 0; r == BT_OK && i < n; i++)
		r = bt_tok_add(t, &list[i], err);
	return r;
}

/* {"id": {"content": ...}} or, with specials, {"token": id}. */
int bt_tok_add_table(struct bt_tok *t, json_t *table, const json_t *specials,
                     struct bt_error *err)
{
	bool by_token = specials != NULL;
	size_t n = json_object_size(table), k = 0;
	struct bt_added_token *list;
	const char *key;
	int64_t id;
	json_t *v;
	int r = BT_OK;

	if (n == 0)
		return BT_OK;
	if (n > BT_TOK_ADDED_MAX)
		return bt_error_set(err, BT_ELIMIT, "too many added tokens");
	list = bt_array0(n, sizeof(*list));
	json_object_foreach(table, key, v)
	{
		id = by_token ? json_integer_value(v) : -1;
		list[k].special = json_object_get(specials, key) != NULL;
		list[k].normalized = by_token && !list[k].special;
		list[k].content = bt_span(key);
		if (by_token ? !json_is_integer(v) || id < 0 || id > INT32_MAX
		             : bt_parse_i64(key, 0, INT32_MAX, &id) != BT_OK) {
			r = bt_error_set(err, BT_EFORMAT, "'%.100s' has no id",
			                 key);
			break;
		}
		list[k].id = (int32_t)id;
		if (!by_token)
			r = bt_tok_read_added(v, &list[k], err);
		if (r != BT_OK)
			break;
		k++;
	}
	if (r == BT_OK)
		r = add_sorted(t, list, k, err);
	free(list);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* Words, tags and ids of sentences. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hint.h"
#include "base/mem.h"
#include "format/json.h"
#include "table/conll_int.h"

int bt_conll_texts_add(struct bt_conll_texts *t, struct bt_span s)
{
	if (bt_grow(&t->end, &t->cap, t->n + 1, sizeof(*t->end)) != BT_OK)
		return BT_ENOMEM;
	bt_buf_put(&t->bytes, s.p, s.n);
	t->end[t->n++] = t->bytes.len;
	return t->bytes.oom ? BT_ENOMEM : BT_OK;
}

int bt_conll_texts_append(struct bt_conll_texts *t,
                          const struct bt_conll_texts *more)
{
	size_t i, at = 0;
	int e = BT_OK;

	for (i = 0; i < more->n && e == BT_OK; at = more->end[i++])
		e = bt_conll_texts_add(
		    t, (struct bt_span){bt_buf_at(&more->bytes, at),
		                        more->end[i] - at});
	return e;
}

void bt_conll_texts_forget(struct bt_conll_texts *t)
{
	bt_buf_reset(&t->bytes);
	t->n = 0;
}

void bt_conll_texts_clear(struct bt_conll_texts *t)
{
	bt_buf_clear(&t->bytes);
	free(t->end);
}

int bt_conll_texts_list(struct bt_conll_texts *t, const json_t *list,
                        const char *key, struct bt_error *err)
{
	char number[24];
	struct bt_span s;
	const json_t *v;
	size_t i;

	if (!json_is_array(list))
		return bt_error_set(err, BT_EFORMAT, "'%s' is not a list", key);
	json_array_foreach((json_t *)list, i, v)
	{
		s = bt_json_text(v);
		if (json_is_integer(v)) {
			snprintf(number, sizeof(number), "%lld",
			         (long long)json_integer_value(v));
			s = bt_span(number);
		}
		if (s.p == NULL || s.n == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s': value %zu is not a text",
			                    key, i + 1);
		if (bt_conll_texts_add(t, s) != BT_OK)
			return bt_error_nomem(err, "reading a sentence");
	}
	return BT_OK;
}

void bt_conll_put_id(struct bt_buf *b, const json_t *id)
{
	if (json_is_string(id))
		bt_buf_put(b, json_string_value(id), json_string_length(id));
	else if (json_is_integer(id))
		bt_buf_printf(b, "%lld", (long long)json_integer_value(id));
}

int bt_conll_sentence_append(struct bt_conll_sentence *s,
                             const struct bt_conll_sentence *next)
{
	static const struct bt_span nothing = {"", 0};
	int e = BT_OK;

	if (next->lines.n > 0)
		e = bt_conll_texts_add(&s->lines, nothing);
	if (e == BT_OK)
		e = bt_conll_texts_append(&s->lines, &next->lines);
	if (e == BT_OK)
		e = bt_conll_texts_append(&s->words, &next->words);
	return e == BT_OK ? bt_conll_texts_append(&s->tags, &next->tags) : e;
}

int bt_conll_sentence_read(struct bt_conll_sentence *s, const json_t *o,
                           const char *word, const char *tag, bool tagged,
                           struct bt_error *err)
{
	bool named = tag != NULL;
	const json_t *tags;
	int e = BT_OK;

	if (word == NULL)
		word = "tokens";
	if (!named)
		tag = json_object_get(o, "tags") != NULL ? "tags" : "ner_tags";
	bt_conll_put_id(&s->id, json_object_get(o, "id"));
	if (json_object_get(o, word) == NULL)
		return bt_error_hint(
		    err,
		    json_object_get(o, "data") != NULL ||
		            json_object_get(o, "question") != NULL
		        ? BT_HINT_READ_QUESTIONS
		        : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT, "has no key '%s'", word));
	e = bt_conll_texts_list(&s->words, json_object_get(o, word), word, err);
	tags = tagged ? json_object_get(o, tag) : NULL;
	if (e == BT_OK && tags == NULL && named && tagged)
		e = bt_error_set(err, BT_EFORMAT, "has no key '%s'", tag);
	if (e == BT_OK && tags != NULL)
		e = bt_conll_texts_list(&s->tags, tags, tag, err);
	if (e == BT_OK && s->words.n == 0)
		e = bt_error_set(err, BT_EFORMAT, "has no words");
	if (e == BT_OK && tags != NULL && s->tags.n != s->words.n)
		e = bt_error_set(err, BT_EFORMAT, "has %zu words, but %zu tags",
		                 s->words.n, s->tags.n);
	return e;
}

void bt_conll_sentence_forget(struct bt_conll_sentence *s)
{
	bt_conll_texts_forget(&s->words);
	bt_conll_texts_forget(&s->tags);
	bt_conll_texts_forget(&s->lines);
	bt_buf_reset(&s->doc);
	bt_buf_reset(&s->id);
}

void bt_conll_sentence_clear(struct bt_conll_sentence *s)
{
	bt_conll_texts_clear(&s->words);
	bt_conll_texts_clear(&s->tags);
	bt_conll_texts_clear(&s->lines);
	free(s->number);
	bt_buf_clear(&s->doc);
	bt_buf_clear(&s->id);
}

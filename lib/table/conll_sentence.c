/* SPDX-License-Identifier: MIT */
/* Sentences, as objects of JSON have them. */
#include <stdlib.h>

#include "base/hint.h"
#include "format/json.h"
#include "table/conll_int.h"

#define KEYS_SHOWN 200 /* bytes */

/* Appends the id of a sentence, a text or a whole number. */
static void put_id(struct bt_buf *b, const json_t *id)
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

const char *bt_conll_word_key(const struct bt_conll_opts *o)
{
	if (bt_conll_has_texts(o))
		return o->text != NULL ? o->text : "text";
	return o->word != NULL ? o->word : "tokens";
}

static int no_key(const json_t *o, const char *key, enum bt_hint hint,
                  struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)o, name, v)
	{
		if (b.len > KEYS_SHOWN) {
			bt_buf_puts(&b, ", ...");
			break;
		}
		bt_buf_printf(&b, "%s'%s'",
		              b.len > 0 ? ", " : "; its keys are ", name);
	}
	bt_error_set(err, BT_EFORMAT, "has no key '%s'%s", key, bt_buf_str(&b));
	bt_buf_clear(&b);
	return bt_error_hint(err, hint, BT_EFORMAT);
}

/* What reads an object that has no list of words. */
static enum bt_hint other_reader(const json_t *o)
{
	if (json_object_get(o, "data") != NULL ||
	    json_object_get(o, "question") != NULL)
		return BT_HINT_READ_QUESTIONS;
	return json_is_string(json_object_get(o, "text"))
	           ? BT_HINT_TEXTS_OR_SPANS
	           : BT_HINT_NONE;
}

/* As programs that write tables have a text without spans. */
static bool is_nothing(const json_t *list)
{
	return json_is_null(list) ||
	       (json_is_string(list) && json_string_length(list) == 0);
}

static int read_text(struct bt_conll_sentence *s, const json_t *o,
                     const struct bt_conll_opts *opts, struct bt_error *err)
{
	const char *key = bt_conll_word_key(opts);
	bool tagged = opts->spans != NULL && !opts->no_tags;
	const json_t *text = json_object_get(o, key), *list = NULL;

	if (text == NULL)
		return no_key(o, key, BT_HINT_TEXT_OF_SPANS, err);
	if (!json_is_string(text))
		return bt_error_set(err, BT_EFORMAT, "'%s' is not a text", key);
	if (tagged)
		list = json_object_get(o, opts->spans);
	if (tagged && list == NULL)
		return no_key(o, opts->spans, BT_HINT_NONE, err);
	if (tagged && !json_is_array(list) && !is_nothing(list))
		return bt_error_set(err, BT_EFORMAT, "'%s' is not a list",
		                    opts->spans);
	return bt_conll_spans_read(s, bt_json_text(text), list, err);
}

static int read_lists(struct bt_conll_sentence *s, const json_t *o,
                      const struct bt_conll_opts *opts, struct bt_error *err)
{
	const char *word = bt_conll_word_key(opts), *tag = opts->tag;
	const json_t *tags;
	int e;

	if (tag == NULL)
		tag = json_object_get(o, "tags") != NULL ? "tags" : "ner_tags";
	if (json_object_get(o, word) == NULL)
		return no_key(o, word, other_reader(o), err);
	e = bt_conll_texts_list(&s->words, json_object_get(o, word), word, err);
	tags = opts->no_tags ? NULL : json_object_get(o, tag);
	if (e == BT_OK && tags == NULL && opts->tag != NULL && !opts->no_tags)
		e = no_key(o, tag, BT_HINT_NONE, err);
	if (e == BT_OK && tags != NULL)
		e = bt_conll_texts_list(&s->tags, tags, tag, err);
	if (e == BT_OK && s->words.n > 0 && tags != NULL &&
	    s->tags.n != s->words.n)
		e = bt_error_set(err, BT_EFORMAT, "has %zu words, but %zu tags",
		                 s->words.n, s->tags.n);
	return e;
}

int bt_conll_sentence_read(struct bt_conll_sentence *s, const json_t *o,
                           const struct bt_conll_opts *opts,
                           struct bt_error *err)
{
	const json_t *id =
	    json_object_get(o, opts->id != NULL ? opts->id : "id");
	int e;

	if (id == NULL && opts->id != NULL)
		return no_key(o, opts->id, BT_HINT_NONE, err);
	put_id(&s->id, id);
	e = bt_conll_has_texts(opts) ? read_text(s, o, opts, err)
	                             : read_lists(s, o, opts, err);
	if (e == BT_OK && s->words.n == 0)
		e = bt_error_set(err, BT_EFORMAT, "has no words");
	return e;
}

void bt_conll_sentence_forget(struct bt_conll_sentence *s)
{
	bt_conll_texts_forget(&s->words);
	bt_conll_texts_forget(&s->tags);
	bt_conll_texts_forget(&s->lines);
	bt_buf_reset(&s->text);
	bt_buf_reset(&s->doc);
	bt_buf_reset(&s->id);
}

void bt_conll_sentence_clear(struct bt_conll_sentence *s)
{
	bt_conll_texts_clear(&s->words);
	bt_conll_texts_clear(&s->tags);
	bt_conll_texts_clear(&s->lines);
	free(s->number);
	bt_buf_clear(&s->text);
	bt_buf_clear(&s->doc);
	bt_buf_clear(&s->id);
}

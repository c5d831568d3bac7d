/* SPDX-License-Identifier: MIT */
/* The post-processors of tokenizer.json: where the special tokens go. */
#include <string.h>

#include "format/json.h"
#include "tokenizer_file/tokenizer_json_int.h"

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
	static const char *const known[] = {"!id", "!ids", "!tokens", NULL};
	json_t *special = json_object_get(specials, name);
	json_t *ids = json_object_get(special, "ids");
	json_t *v;
	size_t i;
	int r = special != NULL
	            ? bt_tok_has("special token", special, known, err)
	            : BT_OK;

	if (r != BT_OK)
		return bt_error_prefix(err, "post_processor");
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
	if (id == NULL || json_object_get(o, "type_id") == NULL)
		return bad_template("a part without an id or type_id", err);
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

/* {"sep": ["[SEP]", 102], "cls": ["[CLS]", 101]} names the roles. The package
 * takes the number as it is. */
static int read_bert_roles(struct bt_tok *t, const json_t *o,
                           struct bt_error *err)
{
	static const enum bt_tok_role role[] = {BT_TOK_SEP, BT_TOK_CLS};
	static const char *const key[] = {"sep", "cls"};
	const json_t *pair, *id;
	struct bt_span name;
	int i, r;

	for (i = 0; i < 2; i++) {
		pair = json_object_get(o, key[i]);
		name = bt_json_text(json_array_get(pair, 0));
		id = json_array_get(pair, 1);
		if (name.p == NULL || !json_is_integer(id))
			return bad_template("a processor without its tokens",
			                    err);
		if (json_integer_value(id) != bt_tok_id(t, name))
			return bad_template("a token has another id than in "
			                    "the vocabulary",
			                    err);
		r = bt_tok_set_role(t, role[i], name, err);
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}

static int read_trim(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	int r;

	t->trim.on = t->trim.prefix = true;
	r = bt_json_bool(o, "trim_offsets", &t->trim.on, err);
	return r == BT_OK
	           ? bt_json_bool(o, "add_prefix_space", &t->trim.prefix, err)
	           : r;
}

/* The package tells the two by their members, whatever their types. */
static int read_ends(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	bool roberta = bt_tok_is_type(o, "RobertaProcessing");
	const json_t *trim = json_object_get(o, "trim_offsets");
	const json_t *prefix = json_object_get(o, "add_prefix_space");
	int r;

	if (roberta && (!json_is_boolean(trim) || !json_is_boolean(prefix)))
		return bad_template("RobertaProcessing without 'trim_offsets' "
		                    "or 'add_prefix_space'",
		                    err);
	if (!roberta && (trim != NULL || prefix != NULL))
		return bad_template("BertProcessing with 'trim_offsets' or "
		                    "'add_prefix_space'",
		                    err);
	t->frame = roberta ? BT_TEMPLATE_KIND_ROBERTA : BT_TEMPLATE_KIND_BERT;
	r = roberta ? read_trim(t, o, err) : BT_OK;
	return r == BT_OK ? read_bert_roles(t, o, err) : r;
}

static int read_processor(struct bt_tok *t, json_t *o, int depth,
                          struct bt_error *err)
{
	static const char *const known[] = {"type",
	                                    "processors",
	                                    "add_prefix_space",
	                                    "trim_offsets",
	                                    "use_regex",
	                                    "sep",
	                                    "cls",
	                                    "single",
	                                    "pair",
	                                    "special_tokens",
	                                    NULL};
	static const char *const bytes[] = {"type", "!add_prefix_space",
	                                    "!trim_offsets", "use_regex", NULL};
	const json_t *specials = json_object_get(o, "special_tokens");
	json_t *v;
	size_t i;
	int r = BT_OK;

	if (bt_tok_is_type(o, "Sequence") && depth < 4) {
		r = bt_tok_list("post_processor", o, "processors", err);
		json_array_foreach(json_object_get(o, "processors"), i, v)
		{
			if (r == BT_OK)
				r = read_processor(t, v, depth + 1, err);
		}
		return r;
	}
	if (json_object_get(o, "type") != NULL)
		r = bt_tok_only("post_processor", o, known, err);
	if (r != BT_OK)
		return r;
	if (bt_tok_is_type(o, "ByteLevel")) {
		r = bt_tok_only("post_processor", o, bytes, err);
		return r == BT_OK ? read_trim(t, o, err) : r;
	}
	if (t->one.n != 0 || t->frame != BT_TEMPLATE_KIND_NONE)
		return bad_template("more than one template", err);
	if (bt_tok_is_type(o, "BertProcessing") ||
	    bt_tok_is_type(o, "RobertaProcessing"))
		return read_ends(t, o, err);
	if (!bt_tok_is_type(o, "TemplateProcessing"))
		return bt_tok_unsupported("post_processor", o, err);
	r = read_template(t, &t->one, json_object_get(o, "single"), specials, 1,
	                  err);
	if (r == BT_OK)
		r = read_template(t, &t->pair, json_object_get(o, "pair"),
		                  specials, 2, err);
	return r;
}

int bt_tok_json_post(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	/* none: transformers gives BERT's tokenizers their template */
	if (o == NULL || json_is_null(o))
		return BT_OK;
	return read_processor(t, o, 0, err);
}

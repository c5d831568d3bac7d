/* SPDX-License-Identifier: MIT */
/* Parts of a tokenizer.json that is written, whatever the model. */

#include "format/json.h"
#include "tokenizer_file/export_json_int.h"

static json_t *text(struct bt_span s)
{
	return json_stringn(s.p != NULL ? s.p : "", s.n);
}

json_t *bt_tok_export_token(const struct bt_tok *t, int32_t id)
{
	return text(bt_tok_token(t, id));
}

json_t *bt_tok_export_vocab(const struct bt_tok *t)
{
	json_t *o = json_object();
	struct bt_span s;
	size_t i;
	int bad = o == NULL;

	for (i = 0; i < t->model_tokens; i++) {
		s = t->vocab.token[i];
		if (s.n > 0) /* else there is none of the id */
			bad |= json_object_setn_new(
			    o, s.p, s.n, json_integer((json_int_t)i));
	}
	return bt_json_whole(o, bad);
}

json_t *bt_tok_export_added(const struct bt_tok *t)
{
	const struct bt_added_token *a;
	json_t *list = json_array();
	size_t i;
	int bad = list == NULL;

	for (i = 0; i < t->tokens; i++) {
		a = &t->token[i];
		bad |= json_array_append_new(
		    list, json_pack("{si so sb sb sb sb sb}", "id", (int)a->id,
		                    "content", text(a->content), "single_word",
		                    a->single_word, "lstrip", a->lstrip,
		                    "rstrip", a->rstrip, "normalized",
		                    a->normalized, "special", a->special));
	}
	return bt_json_whole(list, bad);
}

static json_t *make_template(const struct bt_tok *t,
                             const struct bt_tok_template *tp)
{
	const struct bt_tok_part *p;
	json_t *list = json_array(), *v;
	int i, bad = list == NULL;

	for (i = 0; i < tp->n; i++) {
		p = &tp->part[i];
		if (p->text < 0)
			v = json_pack("{s{so si}}", "SpecialToken", "id",
			              bt_tok_export_token(t, p->id), "type_id",
			              (int)p->type);
		else
			v = json_pack("{s{ss si}}", "Sequence", "id",
			              p->text == 0 ? "A" : "B", "type_id",
			              (int)p->type);
		bad |= json_array_append_new(list, v);
	}
	return bt_json_whole(list, bad);
}

/* What each special token of a template is. */
static int name_specials(const struct bt_tok *t,
                         const struct bt_tok_template *tp, json_t *to)
{
	struct bt_span s;
	int i, bad = 0;

	for (i = 0; i < tp->n; i++) {
		if (tp->part[i].text >= 0)
			continue;
		s = bt_tok_token(t, tp->part[i].id);
		bad |= json_object_setn_new(
		    to, s.p, s.n,
		    json_pack("{so s[i] s[o]}", "id", text(s), "ids",
		              (int)tp->part[i].id, "tokens", text(s)));
	}
	return bad;
}

json_t *bt_tok_export_template(const struct bt_tok *t)
{
	json_t *specials = json_object();
	json_t *one = make_template(t, &t->one);
	json_t *pair = make_template(t, &t->pair);

	if (specials == NULL || name_specials(t, &t->one, specials) != 0 ||
	    name_specials(t, &t->pair, specials) != 0) {
		json_decref(specials);
		specials = NULL;
	}
	return json_pack("{ss so so so}", "type", "TemplateProcessing",
	                 "single", one, "pair", pair, "special_tokens",
	                 specials);
}

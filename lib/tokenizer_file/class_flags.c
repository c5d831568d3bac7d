/* SPDX-License-Identifier: MIT */
/* Classes of SentencePiece's tokenizers, whose flags in tokenizer_config.json
 * go before tokenizer.json, as in transformers. */
#include "format/hf_config.h"
#include "tokenizer_file/reader.h"
#include "tokenizer_file/tokenizer_json_int.h"

static const char *const like_albert[] = {"Albert", NULL};
static const char *const like_xlmr[] = {"XLMRoberta", "Camembert", "Albert",
                                        NULL};

static int set_scheme(json_t *o, bool prefix)
{
	json_t *parts = json_object_get(o, "pretokenizers"), *v;
	size_t i;
	int bad = 0;

	json_array_foreach(parts, i, v) bad |= set_scheme(v, prefix);
	if (!bt_tok_is_type(o, "Metaspace"))
		return bad;
	json_object_del(o, "add_prefix_space");
	return bad |
	       json_object_set_new(o, "prepend_scheme",
	                           json_string(prefix ? "always" : "never"));
}

/* Lower case stands before what is precompiled, or last. */
static int set_lower(json_t *o, bool lower)
{
	json_t *parts = json_object_get(o, "normalizers"), *v;
	size_t i, end = json_array_size(parts);
	bool has = false;

	json_array_foreach(parts, i, v)
	{
		if (bt_tok_is_type(v, "Lowercase")) {
			has = true;
			if (!lower)
				json_array_remove(parts, i--);
		} else if (bt_tok_is_type(v, "Precompiled") && i < end) {
			end = i;
		}
	}
	if (parts == NULL || !lower || has)
		return 0;
	return json_array_insert_new(parts, end,
	                             json_pack("{ss}", "type", "Lowercase"));
}

int bt_tok_class_flags(const struct bt_tok *t, json_t *file,
                       struct bt_error *err)
{
	const char *class;
	const json_t *prefix, *lower;
	json_t *o = NULL;
	int r, bad = 0;

	if (!t->is_dir)
		return BT_OK;
	r = bt_hf_config_tokenizer(t->path, &o, err);
	/* what else it is has been refused, or will be */
	class = json_string_value(json_object_get(o, "tokenizer_class"));
	if (class == NULL)
		class = "";
	prefix = json_object_get(o, "add_prefix_space");
	lower = json_object_get(o, "do_lower_case");
	if (r == BT_OK && json_is_boolean(prefix) &&
	    bt_tok_is_class(class, like_xlmr))
		bad = set_scheme(json_object_get(file, "pre_tokenizer"),
		                 json_is_true(prefix)) |
		      set_scheme(json_object_get(file, "decoder"),
		                 json_is_true(prefix));
	if (r == BT_OK && json_is_boolean(lower) &&
	    bt_tok_is_class(class, like_albert))
		bad |= set_lower(json_object_get(file, "normalizer"),
		                 json_is_true(lower));
	json_decref(o);
	return bad ? bt_error_nomem(err, "reading a tokenizer") : r;
}

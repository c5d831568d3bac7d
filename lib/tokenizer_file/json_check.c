/* SPDX-License-Identifier: MIT */
/* Types and members of components that are checked, and refused by name. */
#include <string.h>

#include "format/json.h"
#include "tokenizer_file/tokenizer_json_int.h"

int bt_tok_unsupported(const char *what, const json_t *o, struct bt_error *err)
{
	const char *type = json_string_value(json_object_get(o, "type"));

	if (o == NULL || json_is_null(o))
		return bt_error_set(err, BT_EFORMAT,
		                    "a file without a %s is not supported",
		                    what);
	return bt_error_set(err, BT_EFORMAT,
	                    "%s of type %.100s is not supported", what,
	                    type != NULL ? type : "(none)");
}

bool bt_tok_is_type(const json_t *o, const char *type)
{
	struct bt_span s = bt_json_text(json_object_get(o, "type"));

	return s.p != NULL && bt_span_equal(s, bt_span(type));
}

int bt_tok_list(const char *what, const json_t *o, const char *key,
                struct bt_error *err)
{
	return json_is_array(json_object_get(o, key))
	           ? BT_OK
	           : bt_error_set(err, BT_EFORMAT,
	                          "'%s' of the %s is not a list", key, what);
}

int bt_tok_has(const char *what, const json_t *o, const char *const *known,
               struct bt_error *err)
{
	for (; *known != NULL; known++)
		if (**known == '!' && json_object_get(o, *known + 1) == NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "the %s lacks '%s'", what,
			                    *known + 1);
	return BT_OK;
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
			if (strcmp(key, known[i] + (known[i][0] == '!')) == 0)
				break;
		if (known[i] == NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%.100s' of the %s is not "
			                    "supported",
			                    key, what);
	}
	return bt_tok_has(what, o, known, err);
}

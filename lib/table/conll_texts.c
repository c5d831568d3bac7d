/* SPDX-License-Identifier: MIT */
/* Words, tags and lines of sentences. */
#include <stdio.h>
#include <stdlib.h>

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

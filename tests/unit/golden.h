/* SPDX-License-Identifier: MIT */
/* For tests of tokenizers: recorded encodings, as JSON objects with text, ids,
 * types, start, end. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#include "base/span.h"
#include "tokenizer/tokenizer.h"

/* tests/data/DIR/NAME; lives until the next call but three */
static inline const char *data_path(const char *dir, const char *name)
{
	static char path[4][500];
	static int k;

	k = (k + 1) % 4;
	snprintf(path[k], sizeof(path[k]), "%s/tests/data/%s/%s",
	         getenv("TEST_TOP"), dir, name);
	return path[k];
}

static inline struct bt_span text_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	struct bt_span s = {json_string_value(v), json_string_length(v)};

	return s;
}

static inline long long number(const json_t *c, const char *key, size_t i)
{
	return json_integer_value(json_array_get(json_object_get(c, key), i));
}

/* True if the encoding is what the case c wants. */
static inline bool is_wanted(const struct bt_encoding *e, const json_t *c)
{
	size_t i;

	if (e->n != json_array_size(json_object_get(c, "ids")))
		return false;
	for (i = 0; i < e->n; i++)
		if (e->ids[i] != number(c, "ids", i) ||
		    e->types[i] != number(c, "types", i) ||
		    e->start[i] != number(c, "start", i) ||
		    e->end[i] != number(c, "end", i))
			return false;
	return true;
}

/* All cases, which must be more than that many, with a's and b's texts, cut to
 * "max" tokens where that is not 0. */
static inline void check_as(const char *name, const json_t *cases, size_t than,
                            const struct bt_tok *t,
                            bool (*wanted)(const struct bt_encoding *e,
                                           const json_t *c))
{
	struct bt_tok_encode_opts how = {.special = true, .offsets = true};
	struct bt_error err = {0};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	size_t i, b;
	json_t *c;

	assert_true(json_array_size(cases) > than);
	assert_ok(bt_tok_scratch_new(t, &s, &err));
	json_array_foreach(cases, i, c)
	{
		how.max_length =
		    (size_t)json_integer_value(json_object_get(c, "max"));
		assert_ok(bt_tok_encode(t, s, text_of(c, "a"), text_of(c, "b"),
		                        &how, &e, &err));
		if (wanted(&e, c))
			continue;
		for (b = 0; b < e.n; b++)
			print_error("%d:%u-%u ", (int)e.ids[b], e.start[b],
			            e.end[b]);
		fail_msg("%s: %s", name, json_dumps(c, JSON_COMPACT));
	}
	bt_tok_scratch_free(s);
}

/* The same, wanted to the last offset. */
static inline void check_encodings(const char *name, const json_t *cases,
                                   size_t than, const struct bt_tok *t)
{
	check_as(name, cases, than, t, is_wanted);
}

#endif

/* SPDX-License-Identifier: MIT */
#include "table/tag_scheme.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_tag_scheme_init(struct bt_tag_scheme *s, const char *text, bool repair,
                       struct bt_error *err)
{
	const char *colon = strchr(text, ':');
	size_t n = colon != NULL ? (size_t)(colon - text) : strlen(text);
	char from[16] = "";

	memset(s, 0, sizeof(*s));
	s->repair = repair;
	if (n < sizeof(from))
		memcpy(from, text, n);
	s->from = bt_entity_scheme(n < sizeof(from) ? from : text, err);
	s->to = colon != NULL && s->from != NULL
	            ? bt_entity_scheme(colon + 1, err)
	            : s->from;
	return s->to != NULL ? BT_OK : BT_EARG;
}

void bt_tag_scheme_clear(struct bt_tag_scheme *s)
{
	bt_labels_clear(&s->types);
	free(s->tag);
	free(s->letter);
}

/* Reads the tags, and the letters that `from` gives their entities. */
static int read_tags(struct bt_tag_scheme *s, const struct bt_span *tag,
                     size_t n, size_t *wrong, struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	if (bt_grow(&s->tag, &s->cap, n, sizeof(*s->tag)) != BT_OK ||
	    bt_grow(&s->letter, &s->letter_cap, n, 1) != BT_OK)
		return bt_error_nomem(err, "reading a sentence");
	for (i = 0; i < n && r == BT_OK; i++) {
		*wrong = i;
		if (!bt_entity_has_part(tag[i]))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the tag '%.*s' is neither O nor a letter of "
			    "B, I, E, S, L, U and a type, like B-PER",
			    (int)(tag[i].n < 60 ? tag[i].n : 60), tag[i].p);
		r = bt_entity_tag(tag[i], &s->types, &s->tag[i], err);
	}
	if (r == BT_OK)
		bt_entity_write(s->from, s->tag, n, s->letter);
	return r;
}

/* Compares the letters with those that `from` gives. */
static int check(struct bt_tag_scheme *s, const struct bt_span *tag, size_t n,
                 size_t *wrong, struct bt_error *err)
{
	size_t i;
	int type;

	for (i = 0; i < n; i++) {
		if (tag[i].p[0] == s->letter[i])
			continue;
		*wrong = i;
		type = (int)(tag[i].n < 60 ? tag[i].n : 60) - 2;
		if (!s->repair)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the tag '%c-%.*s' does not follow the scheme %s, "
			    "which has '%c-%.*s' here",
			    tag[i].p[0], type, tag[i].p + 2,
			    bt_entity_scheme_name(s->from), s->letter[i], type,
			    tag[i].p + 2);
		s->repaired++;
	}
	return BT_OK;
}

int bt_tag_scheme_write(struct bt_tag_scheme *s, const struct bt_span *tag,
                        size_t n, struct bt_buf *out, size_t *end,
                        size_t *wrong, struct bt_error *err)
{
	size_t i;
	int r = read_tags(s, tag, n, wrong, err);

	if (r == BT_OK)
		r = check(s, tag, n, wrong, err);
	if (r != BT_OK)
		return r;
	bt_entity_write(s->to, s->tag, n, s->letter);
	for (i = 0; i < n; i++) {
		bt_buf_putc(out, s->letter[i]);
		bt_buf_put(out, tag[i].p + 1, tag[i].n - 1);
		end[i] = out->len;
	}
	return out->oom ? bt_error_nomem(err, "reading a sentence") : BT_OK;
}

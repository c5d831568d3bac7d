/* SPDX-License-Identifier: MIT */
/* Labels from the command line or a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "format/charset.h"
#include "io/in.h"
#include "record/labels.h"

#define MAX_FILE ((size_t)64 << 20)

static int add(struct bt_labels *l, struct bt_span name, struct bt_error *err)
{
	int before = l->n, r;

	if (name.n == 0)
		return bt_error_set(err, BT_EFORMAT, "label %d is empty",
		                    l->n + 1);
	if (bt_charset_check(BT_CHARSET_UTF8, name.p, name.n) != name.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "label %d is not valid UTF-8", l->n + 1);
	r = bt_labels_add(l, name, err);
	if (r < 0)
		return r;
	if (l->n == before)
		return bt_error_set(err, BT_EFORMAT,
		                    "label '%.*s' stands there twice",
		                    (int)(name.n < 100 ? name.n : 100), name.p);
	return BT_OK;
}

/* Pieces of s between separators. In lines, a CR at the end and empty lines
 * count for nothing. */
static int add_pieces(const char *s, size_t n, char separator,
                      struct bt_labels *l, struct bt_error *err)
{
	const char *end = s + n, *next;
	struct bt_span piece;
	int r = BT_OK;

	for (; r == BT_OK && s <= end; s = next + 1) {
		next = s < end ? memchr(s, separator, (size_t)(end - s)) : NULL;
		if (next == NULL)
			next = end;
		piece.p = s;
		piece.n = (size_t)(next - s);
		if (separator == '\n' && piece.n > 0 && next[-1] == '\r')
			piece.n--;
		if (piece.n > 0 || separator != '\n')
			r = add(l, piece, err);
	}
	return r;
}

static int add_array(const json_t *a, struct bt_labels *l, struct bt_error *err)
{
	struct bt_span name;
	const json_t *v;
	int r = BT_OK;
	size_t i;

	for (i = 0; r == BT_OK && i < json_array_size(a); i++) {
		v = json_array_get(a, i);
		if (!json_is_string(v))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "entry %zu of the array is not a text", i);
		name.p = json_string_value(v);
		name.n = json_string_length(v);
		r = add(l, name, err);
	}
	return r;
}

static int add_json(const char *s, size_t n, struct bt_labels *l,
                    struct bt_error *err)
{
	json_error_t why;
	json_t *v = json_loadb(s, n, JSON_REJECT_DUPLICATES, &why);
	const json_t *list;
	int r;

	if (v == NULL)
		return bt_error_set(err, BT_EFORMAT, "line %d: %s", why.line,
		                    why.text);
	list = json_is_array(v) ? v : json_object_get(v, "label_list");
	r = json_is_array(list) ? add_array(list, l, err)
	                        : bt_labels_from_json(v, l, err);
	json_decref(v);
	return r;
}

static int add_file(const char *path, struct bt_labels *l, struct bt_error *err)
{
	size_t n = 0, at;
	char *data = NULL;
	int r = bt_in_whole(path, MAX_FILE, &data, &n, err);

	if (r != BT_OK)
		return r;
	at = n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	n -= at;
	if (n > 0 && (data[at] == '[' || data[at] == '{'))
		r = add_json(data + at, n, l, err);
	else
		r = add_pieces(data + at, n, '\n', l, err);
	free(data);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	return r;
}

int bt_labels_parse(const char *given, struct bt_labels *l,
                    struct bt_error *err)
{
	bool list = strchr(given, ',') != NULL;
	int r;

	memset(l, 0, sizeof(*l));
	if (list)
		r = add_pieces(given, strlen(given), ',', l, err);
	else
		r = add_file(given, l, err);
	if (r == BT_OK && l->n < 2)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' names %d label%s, expected at least two",
		                 given, l->n, bt_plural((uint64_t)l->n));
	if (r == BT_OK)
		return r;
	bt_labels_clear(l);
	if (list && err != NULL && err->code == BT_EFORMAT)
		err->code = BT_EARG; /* of the command line, not of a file */
	return bt_error_prefix(err, "cannot use the labels%s",
	                       list ? " given (labels with commas need a "
	                              "file, with one per line)"
	                            : "");
}

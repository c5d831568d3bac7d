/* SPDX-License-Identifier: MIT */
#include "record/labels.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "format/escape.h"
#include "format/json.h"
#include "format/model_files.h"

#define NONE (-2) /* number of a label before its first record */

void bt_labels_clear(struct bt_labels *l)
{
	int i;

	for (i = 0; i < l->n; i++)
		free(l->name[i]);
	free(l->name);
	free(l->given);
	bt_string_set_free(l->set);
	memset(l, 0, sizeof(*l));
}

static int find(const struct bt_labels *l, struct bt_span name)
{
	size_t i;

	return l->set != NULL && bt_string_set_find(l->set, name, &i) ? (int)i
	                                                              : -1;
}

/* Whether label i has no name but its number, as Hugging Face writes it. */
static bool is_numbered(const struct bt_labels *l, int64_t i)
{
	char name[32];

	snprintf(name, sizeof(name), "LABEL_%lld", (long long)i);
	return strcmp(l->name[i], name) == 0;
}

int bt_labels_find(const struct bt_labels *l, struct bt_span name)
{
	int i = find(l, name);
	char text[24], number[24];
	int64_t v;

	if (i >= 0 || !bt_span_str(name, text, sizeof(text)) ||
	    bt_parse_i64(text, 0, l->n - 1, &v) != BT_OK || !is_numbered(l, v))
		return i;
	snprintf(number, sizeof(number), "%lld", (long long)v);
	return strcmp(text, number) == 0 ? (int)v : -1;
}

bool bt_labels_are_unnamed(const struct bt_labels *l)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (!is_numbered(l, i))
			return false;
	return true;
}

bool bt_labels_are_numbers(const struct bt_labels *l)
{
	int64_t v;
	int i;

	for (i = 0; i < l->n; i++)
		if (bt_parse_i64(l->name[i], INT64_MIN, INT64_MAX, &v) != BT_OK)
			return false;
	return true;
}

int bt_labels_width(const struct bt_labels *l)
{
	int i, n, width = 12;

	for (i = 0; i < l->n; i++) {
		n = (int)strlen(l->name[i]);
		width = n > width && n <= 60 ? n : width;
	}
	return width;
}

void bt_labels_put(struct bt_buf *out, const struct bt_labels *l, int i,
                   int width)
{
	size_t from = out->len;

	bt_escape_line(out, bt_span(l->name[i]), 0);
	while (out->len < from + (size_t)width && !out->oom)
		bt_buf_putc(out, ' ');
}

int bt_labels_add(struct bt_labels *l, struct bt_span name,
                  struct bt_error *err)
{
	int i = find(l, name);
	size_t n = (size_t)l->n + 1;
	char *copy;

	if (i >= 0)
		return i;
	if (name.n > 0 && memchr(name.p, '\0', name.n) != NULL)
		return bt_error_set(err, BT_EFORMAT, "label holds a NUL byte");
	if (l->n == BT_LABELS_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than %d different labels",
		                    BT_LABELS_MAX);
	if (l->set == NULL)
		l->set = bt_string_set_new();
	copy = bt_strndup(name.p, name.n);
	if (copy == NULL ||
	    bt_grow(&l->name, &l->cap, n, sizeof(*l->name)) != BT_OK ||
	    bt_grow(&l->given, &l->given_cap, n, sizeof(*l->given)) != BT_OK ||
	    bt_string_set_add(l->set, name, NULL) != BT_OK) {
		free(copy);
		return bt_error_nomem(err, "collecting labels");
	}
	l->given[l->n] = NONE;
	l->name[l->n] = copy;
	return l->n++;
}

/* Gives l the labels of new, unless r is an error; l needs no memory freed. */
static int settle(struct bt_labels *l, struct bt_labels *new, int r)
{
	if (r < 0)
		bt_labels_clear(new);
	else
		*l = *new;
	return r < 0 ? r : BT_OK;
}

void bt_labels_given(struct bt_labels *l, int i, int64_t number)
{
	if (l->given[i] == NONE)
		l->given[i] = number;
	l->mixed |= number < 0 || l->given[i] != number;
}

struct entry {
	char *name;
	int64_t number;
	int old;
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name,
	              ((const struct entry *)b)->name);
}

/* "1" and "01" are different labels, so bytes decide between equal numbers. */
static int by_number(const void *a, const void *b)
{
	int64_t x = ((const struct entry *)a)->number;
	int64_t y = ((const struct entry *)b)->number;

	return x != y ? (x > y) - (x < y) : by_bytes(a, b);
}

/* Sorts by the numbers that the labels were given. False if that makes no
 * order. */
static bool sort_given(const struct bt_labels *l, struct entry *e)
{
	int i;

	for (i = 0; i < l->n; i++) {
		e[i].number = l->given[i];
		if (l->mixed || e[i].number < 0)
			return false;
	}
	if (l->n > 1)
		qsort(e, (size_t)l->n, sizeof(*e), by_number);
	for (i = 1; i < l->n; i++)
		if (e[i].number == e[i - 1].number)
			return false;
	return true;
}

static void sort_names(const struct bt_labels *l, struct entry *e)
{
	bool numbers = true;
	int i;

	for (i = 0; i < l->n; i++)
		if (bt_parse_i64(e[i].name, INT64_MIN, INT64_MAX,
		                 &e[i].number) != BT_OK)
			numbers = false;
	if (l->n > 1)
		qsort(e, (size_t)l->n, sizeof(*e),
		      numbers ? by_number : by_bytes);
}

int bt_labels_sort(struct bt_labels *l, int *map, struct bt_error *err)
{
	struct entry *e = bt_array((size_t)l->n, sizeof(*e));
	struct bt_labels sorted = {0};
	int i, r = BT_OK;

	if (e == NULL)
		return bt_error_nomem(err, "collecting labels");
	for (i = 0; i < l->n; i++) {
		e[i].name = l->name[i];
		e[i].old = i;
	}
	if (!sort_given(l, e))
		sort_names(l, e);
	for (i = 0; i < l->n && r >= 0; i++) {
		r = bt_labels_add(&sorted, bt_span(e[i].name), err);
		if (map != NULL)
			map[e[i].old] = i;
	}
	free(e);
	if (r >= 0)
		bt_labels_clear(l);
	return settle(l, &sorted, r);
}

/* The number that the records gave label i: its text, where they gave that
 * alone. */
static int number_of(const struct bt_labels *l, int i, int n, int *number,
                     struct bt_error *err)
{
	int64_t v = l->given[i];

	if (v == NONE && bt_parse_i64(l->name[i], 0, INT64_MAX, &v) != BT_OK)
		v = -1;
	if (v < 0 || l->mixed)
		return bt_error_set(err, BT_EFORMAT,
		                    "the records do not all say in label_ids "
		                    "which class '%.100s' is",
		                    l->name[i]);
	if (v >= n)
		return bt_error_set(err, BT_EFORMAT,
		                    "label_ids holds %lld, and of %d classes "
		                    "the last is %d",
		                    (long long)v, n, n - 1);
	*number = (int)v;
	return BT_OK;
}

/* name[number] of all n labels from l, NULL where l has none; fills map. */
static int place_names(const struct bt_labels *l, int n, int *map,
                       const char **name, struct bt_error *err)
{
	int i, k = 0, r = BT_OK;

	for (i = 0; i < l->n && r == BT_OK; i++) {
		r = number_of(l, i, n, &k, err);
		if (r == BT_OK && name[k] != NULL)
			r = bt_error_set(err, BT_EFORMAT,
			                 "the labels '%.100s' and '%.100s' "
			                 "both have the number %d",
			                 name[k], l->name[i], k);
		if (r == BT_OK) {
			name[k] = l->name[i];
			map[i] = k;
		}
	}
	return r;
}

/* True if no label says its number. */
static bool has_no_numbers(const struct bt_labels *l)
{
	int64_t v;
	int i;

	for (i = 0; i < l->n; i++)
		if (l->given[i] >= 0 ||
		    (l->given[i] == NONE &&
		     bt_parse_i64(l->name[i], 0, INT64_MAX, &v) == BT_OK))
			return false;
	return l->n > 0;
}

int bt_labels_place(struct bt_labels *l, int n, int *map, struct bt_error *err)
{
	const char **name;
	struct bt_labels placed = {0};
	char own[16];
	int i, at, r;

	if (has_no_numbers(l) && l->n == n)
		return bt_labels_sort(l, map, err);
	if (has_no_numbers(l))
		return bt_error_set(err, BT_EFORMAT,
		                    "the records have %d labels without "
		                    "numbers (label_ids), and %d are asked for",
		                    l->n, n);
	name = bt_array0((size_t)n, sizeof(*name));
	if (name == NULL)
		return bt_error_nomem(err, "collecting labels");
	r = place_names(l, n, map, name, err);
	for (i = 0; i < n && r == BT_OK; i++) {
		snprintf(own, sizeof(own), "%d", i);
		at = bt_labels_add(
		    &placed, bt_span(name[i] != NULL ? name[i] : own), err);
		if (at < 0)
			r = at;
		else if (at != i)
			r = bt_error_set(err, BT_EFORMAT,
			                 "the label '%s' stands for two "
			                 "classes, %d and %d",
			                 placed.name[at], at, i);
	}
	free(name);
	if (r == BT_OK)
		bt_labels_clear(l);
	return settle(l, &placed, r);
}

int bt_labels_from_json(const json_t *config, struct bt_labels *l,
                        struct bt_error *err)
{
	const json_t *o = json_object_get(config, "id2label"), *v;
	struct bt_labels new = {0};
	char key[16], number[24];
	const char *name;
	int i, n, r = BT_OK;

	if (o == NULL || json_is_null(o))
		return settle(l, &new, BT_OK);
	if (!json_is_object(o) || json_object_size(o) > BT_LABELS_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "'id2label' is not an object of labels");
	n = (int)json_object_size(o);
	for (i = 0; i < n && r >= 0; i++) {
		snprintf(key, sizeof(key), "%d", i);
		v = json_object_get(o, key);
		name = json_string_value(v);
		if (json_is_integer(v)) { /* of {0: 0, 1: 1} in Python */
			snprintf(number, sizeof(number), "%lld",
			         (long long)json_integer_value(v));
			name = number;
		}
		if (name == NULL)
			r = bt_error_set(err, BT_EFORMAT,
			                 "'id2label' has %d labels, but no "
			                 "text for '%d'",
			                 n, i);
		else
			r = bt_labels_add(&new, bt_span(name), err);
		if (r >= 0 && r != i)
			r = bt_error_set(err, BT_EFORMAT,
			                 "'id2label' has the label '%s' twice",
			                 name);
	}
	return settle(l, &new, r);
}

int bt_labels_numbered(struct bt_labels *l, const char *prefix, int64_t n,
                       struct bt_error *err)
{
	char name[40];
	int64_t i;
	int r = BT_OK;

	for (i = 0; i < n && r >= 0; i++) {
		snprintf(name, sizeof(name), "%s%lld", prefix, (long long)i);
		r = bt_labels_add(l, bt_span(name), err);
	}
	return r < 0 ? r : BT_OK;
}

int bt_labels_load(const char *dir, struct bt_labels *l, struct bt_error *err)
{
	char *in = bt_model_files_encoder(dir);
	struct bt_buf path = BT_BUF_INIT;
	json_t *o = NULL;
	int r = BT_OK;

	memset(l, 0, sizeof(*l));
	bt_buf_printf(&path, "%s/" BT_FILE_CONFIG, in);
	free(in);
	if (access(bt_buf_str(&path), F_OK) == 0)
		r = bt_json_load(path.data, &o, err);
	if (r == BT_OK && o != NULL &&
	    (r = bt_labels_from_json(o, l, err)) != BT_OK)
		bt_error_prefix(err, "'%s'", path.data);
	json_decref(o);
	bt_buf_clear(&path);
	return r;
}

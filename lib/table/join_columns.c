/* SPDX-License-Identifier: MIT */
/* Which columns options name, and which of them are those of joined files. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "table/join_int.h"

#define OBJECT_MAX ((size_t)1 << 20) /* bytes of the first one to look at */

bool bt_table_may_number(const struct bt_table_opts *opts)
{
	return bt_str_is(opts->id, "row") && !opts->id_of_several;
}

void bt_table_columns_named(const struct bt_table_opts *opts,
                            bt_table_named_fn *fn, void *arg)
{
	const char *lists[] = {opts->text != NULL ? opts->text : "text",
	                       opts->label, opts->keep, opts->choices,
	                       opts->pair};
	const char *single[] = {opts->id, opts->weight, opts->choice_names}, *p;
	size_t i, n;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (p = lists[i]; p != NULL;
		     p = p[n] != '\0' ? p + n + 1 : NULL) {
			n = strcspn(p, ",");
			fn(arg, (struct bt_span){p, n});
		}
	for (i = 0; i < sizeof(single) / sizeof(*single); i++)
		if (single[i] != NULL &&
		    (single[i] != opts->id || !bt_table_may_number(opts)))
			fn(arg, bt_span(single[i]));
	for (i = 0; i < opts->n_where; i++)
		fn(arg, opts->where[i].column);
}

/* The table that word is a column of: the one with the longest name of its
 * column of keys, which a dot follows. */
static struct bt_joined_table *table_of(const struct bt_joins *j,
                                        struct bt_span word)
{
	struct bt_joined_table *best = NULL;
	struct bt_span c;
	size_t i;

	for (i = 0; i < j->n; i++) {
		c = j->join[i].first->column;
		if (word.n > c.n + 1 && word.p[c.n] == '.' &&
		    memcmp(word.p, c.p, c.n) == 0 &&
		    (best == NULL || c.n > best->first->column.n))
			best = &j->join[i];
	}
	return best;
}

static bool find_name(const struct bt_joined_table *t, struct bt_span word,
                      size_t *at)
{
	for (*at = 0; *at < t->n; (*at)++)
		if (bt_span_equal(t->names[*at], word))
			return true;
	return false;
}

bool bt_joins_find(const struct bt_joins *j, struct bt_span word, size_t *at)
{
	const struct bt_joined_table *t = j != NULL ? table_of(j, word) : NULL;

	if (t == NULL || !find_name(t, word, at))
		return false;
	*at += t->at;
	return true;
}

size_t bt_joins_count(const struct bt_joins *j)
{
	return j != NULL ? j->n : 0;
}

struct bt_span bt_joins_column(const struct bt_joins *j, size_t i)
{
	return j->join[i].first->column;
}

struct bt_span bt_joins_name(const struct bt_joins *j, size_t at)
{
	size_t i = 0;

	while (at - j->join[i].at >= j->join[i].n)
		i++;
	return j->join[i].names[at - j->join[i].at];
}

/* The table of a file, a new one where it is the first by its column. */
struct bt_joined_table *bt_joins_of_file(struct bt_joins *j,
                                         const struct bt_table_join *file)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		if (bt_span_equal(j->join[i].first->column, file->column))
			return &j->join[i];
	j->join[j->n].first = file;
	return &j->join[j->n++];
}

static void want(void *arg, struct bt_span column)
{
	struct bt_joins *j = arg;
	struct bt_joined_table *t = table_of(j, column);
	size_t at;

	if (t != NULL && !find_name(t, column, &at) &&
	    bt_grow(&t->names, &t->cap, t->n + 1, sizeof(*t->names)) == BT_OK)
		t->names[t->n++] = column;
}

int bt_joins_new(const struct bt_table_opts *opts, struct bt_joins **joins,
                 struct bt_error *err)
{
	struct bt_joins *j;
	struct bt_joined_table *t;
	size_t i;

	*joins = NULL;
	if (opts->n_joins == 0)
		return BT_OK;
	*joins = j = bt_array0(1, sizeof(*j));
	j->join = bt_array0(opts->n_joins, sizeof(*j->join));
	for (i = 0; i < opts->n_joins; i++)
		bt_joins_of_file(j, &opts->joins[i])->files++;
	bt_table_columns_named(opts, want, j);
	for (i = 0; i < j->n; i++) {
		t = &j->join[i];
		t->at = j->columns;
		j->columns += t->n;
		if (t->n == 0)
			return bt_error_set(
			    err, BT_EARG,
			    "nothing is to be read of '%s': no column "
			    "'%.*s.NAME' is asked for",
			    t->first->path, (int)t->first->column.n,
			    t->first->column.p);
	}
	return BT_OK;
}

/* The first object's key like those that are looked for, or its first one. */
static void choose_key(const json_t *object, struct bt_span like,
                       struct bt_buf *name)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *names[] = {NULL, "_id", "id"}, *first;
	size_t i = 0;

	bt_buf_put(&b, like.p, like.n);
	names[0] = bt_buf_str(&b);
	while (i < 3 && json_object_get(object, names[i]) == NULL)
		i++;
	first = json_object_iter_key(json_object_iter((json_t *)object));
	bt_buf_puts(name, i < 3 ? names[i] : first != NULL ? first : "_id");
	bt_buf_clear(&b);
}

int bt_table_json_key(struct bt_in *in, struct bt_table_opts *opts,
                      struct bt_buf *name, struct bt_error *err)
{
	const uint8_t *p, *brace;
	json_t *object = NULL;
	size_t got, want = 4096;
	int r;

	if (opts->key_of == NULL)
		return BT_OK;
	do {
		r = bt_in_some(in, want, &p, &got, err);
		if (r != BT_OK)
			return r;
		brace = memchr(p, '{', got);
		if (brace != NULL)
			object = json_loadb((const char *)brace,
			                    got - (size_t)(brace - p),
			                    JSON_DISABLE_EOF_CHECK, NULL);
		want *= 4;
	} while (object == NULL && got >= want / 4 && want <= OBJECT_MAX);
	choose_key(object, *opts->key_of, name);
	json_decref(object);
	opts->text = bt_buf_str(name);
	opts->key_of = NULL;
	return BT_OK;
}

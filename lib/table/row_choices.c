/* SPDX-License-Identifier: MIT */
/* The choices of a question: a column each, or a list. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "table/table_int.h"

#define SHOWN 100 /* bytes of a label in a message */

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static int set_room(struct bt_span **list, size_t *cap, size_t n,
                    struct bt_error *err)
{
	return bt_grow(list, cap, n, sizeof(**list)) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "reading a row");
}

/* The values of a list, as format/jsonl.h gives it, or of one that is null;
 * what: "choices". */
static int split_list(struct bt_table_maker *m, const char *what,
                      struct bt_span v, struct bt_span **list, size_t *cap,
                      size_t *n, struct bt_error *err)
{
	const char *p = v.p, *next;
	size_t left;
	int r;

	*n = 0;
	if (v.p == NULL)
		return BT_OK;
	if (!bt_table_is_list(v)) {
		m->fault = BT_TABLE_CHOICES;
		return bt_error_set(err, BT_EFORMAT,
		                    "the %s are '%.*s', expected a list", what,
		                    (int)(v.n < SHOWN ? v.n : SHOWN), v.p);
	}
	for (p++; (left = v.n - (size_t)(p - v.p)) > 0; p = next + 1) {
		next = memchr(p, '\0', left);
		r = set_room(list, cap, *n + 1, err);
		if (r != BT_OK)
			return r;
		(*list)[(*n)++] = (struct bt_span){p, (size_t)(next - p)};
	}
	return BT_OK;
}

/* Letters where the list has no names. */
static int name_list(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	size_t column = m->columns->choice_list_names, n_names = n, i;
	int r;

	m->fault = BT_TABLE_CHOICES;
	if (column != BT_TABLE_ABSENT) {
		r = split_list(m, "choices' names", m->fields[column],
		               &m->names, &m->names_cap, &n_names, err);
		if (r == BT_OK && n_names != n)
			r = bt_error_set(err, BT_EFORMAT,
			                 "there are %zu choices and %zu names "
			                 "of them",
			                 n, n_names);
		return r;
	}
	if (n > strlen(LETTERS))
		return bt_error_hint(
		    err, BT_HINT_CHOICE_NAMES,
		    bt_error_set(err, BT_EFORMAT,
		                 "the question has %zu choices, more than "
		                 "letters to name them",
		                 n));
	r = set_room(&m->names, &m->names_cap, n, err);
	for (i = 0; r == BT_OK && i < n; i++)
		m->names[i] = (struct bt_span){&LETTERS[i], 1};
	return r;
}

/* The choices and their names, as they are in the row. */
static int gather(struct bt_table_maker *m, size_t *n, struct bt_error *err)
{
	const struct bt_table_columns *c = m->columns;
	size_t i;
	int r;

	if (c->n_choice == 1) {
		r = split_list(m, "choices", m->fields[c->choice[0]],
		               &m->choices, &m->choices_cap, n, err);
		if (r == BT_OK)
			r = name_list(m, *n, err);
		m->rec->names = m->names;
		return r;
	}
	*n = c->n_choice;
	r = set_room(&m->choices, &m->choices_cap, *n, err);
	for (i = 0; r == BT_OK && i < *n; i++)
		m->choices[i] = m->fields[c->choice[i]];
	m->rec->names = c->choice_names;
	return r;
}

static bool is_empty(struct bt_span v)
{
	return v.p == NULL || v.n == 0;
}

/* How many there are: the last ones may be empty. */
static int count_choices(struct bt_table_maker *m, size_t *n,
                         struct bt_error *err)
{
	const struct bt_span *name = m->rec->names;
	size_t i;

	while (*n > 0 && is_empty(m->choices[*n - 1]))
		(*n)--;
	m->fault = BT_TABLE_CHOICES;
	for (i = 0; i < *n; i++)
		if (is_empty(m->choices[i]))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the choice '%.*s' is empty, and the ones behind "
			    "it are not",
			    (int)name[i].n, name[i].p);
	if (*n < 2)
		return bt_error_set(err, BT_EFORMAT, "the question has %s",
		                    *n == 1 ? "but one choice" : "no choices");
	m->fault = BT_TABLE_FAULTS;
	return BT_OK;
}

/* Fails where the name of choice i is none, or is that of one before, too. */
static int check_name(struct bt_table_maker *m, size_t i,
                      struct bt_string_set *seen, struct bt_error *err)
{
	struct bt_span name = m->rec->names[i];
	size_t k;
	int r = bt_table_add_field(m, BT_CHOICE, name, true, &name, err);

	if (r != BT_OK)
		return r;
	if (bt_string_set_add(seen, name, &k) != BT_OK)
		return bt_error_nomem(err, "reading a row");
	if (name.n > 0 && k == i)
		return BT_OK;
	m->fault = BT_TABLE_CHOICES;
	return name.n == 0
	           ? bt_error_set(err, BT_EFORMAT, "a choice's name is empty")
	           : bt_error_set(
	                 err, BT_EFORMAT, "two choices have the name '%.*s'",
	                 (int)(name.n < SHOWN ? name.n : SHOWN), name.p);
}

/* The names of a list, each of its own row. */
static int check_names(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	struct bt_string_set *seen = bt_string_set_new();
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < n; i++)
		r = check_name(m, i, seen, err);
	bt_string_set_free(seen);
	return r;
}

/* What is converted is gathered first, for its place may change. */
static int convert(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	bool as_it_is = m->opts->charset == BT_CHARSET_UTF8;
	struct bt_buf *b = &m->parts[BT_CHOICE];
	struct bt_span whole;
	size_t i, before, at = 0;
	int r = BT_OK;

	bt_buf_reset(b);
	for (i = 0; r == BT_OK && i < n; i++) {
		before = b->len;
		r = bt_table_add_field(m, BT_CHOICE, m->choices[i], true,
		                       &whole, err);
		if (r == BT_OK && !as_it_is)
			m->choices[i].n = b->len - before;
	}
	for (i = 0; r == BT_OK && i < n && !as_it_is; at += m->choices[i++].n)
		m->choices[i].p = bt_buf_at(b, at);
	return r;
}

/* Of what is HTML. */
static int make_plain(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	struct bt_buf *b = &m->parts[BT_LIST];
	size_t i, before, at = 0;

	bt_buf_reset(b);
	for (i = 0; i < n; i++) {
		before = b->len;
		bt_table_put_plain(b, m->choices[i]);
		m->choices[i].n = b->len - before;
	}
	if (b->oom)
		return bt_error_nomem(err, "reading a row");
	for (i = 0; i < n; at += m->choices[i++].n)
		m->choices[i].p = bt_buf_at(b, at);
	return BT_OK;
}

/* Whether a choice's name is a whole number, so that labels that are numbers
 * are names, too. */
static bool named_by_number(const struct bt_span *name, size_t n)
{
	char digits[24];
	uint64_t k;
	size_t i;

	for (i = 0; i < n; i++)
		if (bt_span_str(name[i], digits, sizeof(digits)) &&
		    bt_parse_u64(digits, &k) == BT_OK)
			return true;
	return false;
}

/* The label is a choice's name or, where names are not numbers, its number. */
static int name_label(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	size_t named = m->columns->n_choice > 1 ? m->columns->n_choice : n, i;
	const struct bt_span *name = m->rec->names;
	struct bt_span *label = &m->rec->label;
	bool by_number = !named_by_number(name, named);
	char digits[24];
	uint64_t k;

	for (i = 0; i < n; i++)
		if (bt_span_equal(name[i], *label))
			return BT_OK;
	if (by_number && bt_span_str(*label, digits, sizeof(digits)) &&
	    bt_parse_u64(digits, &k) == BT_OK && k < n) {
		m->numbers_of_choices++;
		m->first_choices += k == 0;
		*label = name[k];
		return BT_OK;
	}
	m->fault = BT_TABLE_UNKNOWN;
	return bt_error_hint(
	    err, BT_HINT_MAP_LABEL,
	    bt_error_set(
	        err, BT_EFORMAT,
	        "the label '%.*s' is not one of the %zu choices, '%.*s' to "
	        "'%.*s'%s",
	        (int)(label->n < SHOWN ? label->n : SHOWN), label->p, n,
	        (int)name[0].n, name[0].p, (int)name[n - 1].n, name[n - 1].p,
	        by_number ? ", or the number of one, from 0" : ""));
}

/* The same in each row. A data set's row may have no label, or one with a
 * number, which is not the candidate's. */
static int set_candidates(struct bt_table_maker *m, struct bt_error *err)
{
	const struct bt_candidates *c = m->opts->candidates;

	m->rec->names = c->name;
	m->rec->choices = c->text;
	m->rec->n_names = c->n;
	m->rec->has_label_id = false;
	return m->rec->label.p != NULL ? name_label(m, c->n, err) : BT_OK;
}

int bt_table_make_choices(struct bt_table_maker *m, struct bt_error *err)
{
	size_t n;
	int r;

	if (m->opts->candidates != NULL)
		return set_candidates(m, err);
	r = gather(m, &n, err);
	if (r == BT_OK)
		r = count_choices(m, &n, err);
	if (r == BT_OK && m->columns->choice_list_names != BT_TABLE_ABSENT)
		r = check_names(m, n, err);
	if (r == BT_OK)
		r = convert(m, n, err);
	if (r == BT_OK && m->opts->html)
		r = make_plain(m, n, err);
	if (r == BT_OK && m->columns->n_label > 0)
		r = name_label(m, n, err);
	m->rec->choices = m->choices;
	m->rec->n_names = n;
	return r;
}

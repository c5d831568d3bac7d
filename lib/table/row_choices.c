/* SPDX-License-Identifier: MIT */
/* The choices of a question, a column each. */
#include "base/mem.h"
#include "base/num.h"
#include "table/table_int.h"

#define SHOWN 100 /* bytes of a label in a message */

static bool is_empty(const struct bt_table_maker *m, size_t i)
{
	struct bt_span v = m->fields[m->columns->choice[i]];

	return v.p == NULL || v.n == 0;
}

/* How many there are: the last ones may be empty. */
static int count_choices(struct bt_table_maker *m, size_t *n,
                         struct bt_error *err)
{
	const struct bt_table_columns *c = m->columns;
	size_t i;

	*n = c->n_choice;
	while (*n > 0 && is_empty(m, *n - 1))
		(*n)--;
	m->fault = BT_TABLE_CHOICES;
	for (i = 0; i < *n; i++)
		if (is_empty(m, i))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the choice '%.*s' is empty, and the ones behind "
			    "it are not",
			    (int)c->choice_names[i].n, c->choice_names[i].p);
	if (*n < 2)
		return bt_error_set(err, BT_EFORMAT, "the question has %s",
		                    *n == 1 ? "but one choice" : "no choices");
	m->fault = BT_TABLE_FAULTS;
	return BT_OK;
}

/* What is converted is gathered first, for its place may change. */
static int take_choices(struct bt_table_maker *m, size_t n,
                        struct bt_error *err)
{
	bool as_it_is = m->opts->charset == BT_CHARSET_UTF8;
	struct bt_buf *b = &m->parts[BT_CHOICE];
	struct bt_span v, whole;
	size_t i, before, at = 0;
	int r = BT_OK;

	if (bt_grow(&m->choices, &m->choices_cap, n, sizeof(*m->choices)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading a row");
	bt_buf_reset(b);
	for (i = 0; r == BT_OK && i < n; i++) {
		v = m->fields[m->columns->choice[i]];
		before = b->len;
		r = bt_table_add_field(m, BT_CHOICE, v, true, &whole, err);
		if (r == BT_OK && !as_it_is)
			v.n = b->len - before;
		m->choices[i] = v;
	}
	for (i = 0; r == BT_OK && i < n && !as_it_is; at += m->choices[i++].n)
		m->choices[i].p = bt_buf_at(b, at);
	return r;
}

/* Whether a choice's name is a whole number, so that labels that are numbers
 * are names, too. */
static bool named_by_number(const struct bt_table_columns *c)
{
	char digits[24];
	uint64_t k;
	size_t i;

	for (i = 0; i < c->n_choice; i++)
		if (bt_span_str(c->choice_names[i], digits, sizeof(digits)) &&
		    bt_parse_u64(digits, &k) == BT_OK)
			return true;
	return false;
}

/* The label is a choice's name or, where names are not numbers, its number. */
static int name_label(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	const struct bt_span *name = m->columns->choice_names;
	struct bt_span *label = &m->rec->label;
	bool by_number = !named_by_number(m->columns);
	char digits[24];
	uint64_t k;
	size_t i;

	for (i = 0; !m->rec->several && i < n; i++)
		if (bt_span_equal(name[i], *label))
			return BT_OK;
	if (by_number && !m->rec->several &&
	    bt_span_str(*label, digits, sizeof(digits)) &&
	    bt_parse_u64(digits, &k) == BT_OK && k < n) {
		*label = name[k];
		return BT_OK;
	}
	m->fault = BT_TABLE_UNKNOWN;
	return bt_error_set(
	    err, BT_EFORMAT,
	    "the label '%.*s' is not one of the %zu choices, '%.*s' to "
	    "'%.*s'%s",
	    (int)(label->n < SHOWN ? label->n : SHOWN),
	    label->p != NULL ? label->p : "", n, (int)name[0].n, name[0].p,
	    (int)name[n - 1].n, name[n - 1].p,
	    by_number ? ", or the number of one, from 0" : "");
}

int bt_table_make_choices(struct bt_table_maker *m, struct bt_error *err)
{
	size_t n;
	int r = count_choices(m, &n, err);

	if (r == BT_OK)
		r = take_choices(m, n, err);
	if (r == BT_OK && m->columns->n_label > 0)
		r = name_label(m, n, err);
	m->rec->choices = m->choices;
	m->rec->names = m->columns->choice_names;
	m->rec->n_names = n;
	return r;
}

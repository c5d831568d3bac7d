/* SPDX-License-Identifier: MIT */
/*
 * A row as a JSON object. The levels of a column's values tell how much of the
 * path to each is there, and which list it goes on with; columns of the same
 * list must agree about that.
 */
#include "format/escape.h"
#include "parquet/parquet_int.h"
#include "parquet/value_text.h"

struct maker {
	struct bt_parquet *p;
	struct bt_buf scratch;
	struct bt_error *err;
};

static int make(struct maker *m, size_t i, json_t **v);

static const struct bt_parquet_node *node_at(const struct maker *m, size_t i)
{
	return &m->p->schema.nodes[i];
}

static int damaged(struct maker *m)
{
	return bt_error_set(m->err, BT_ECORRUPT,
	                    "columns disagree about a list's length");
}

static bool is_wanted(const struct maker *m, const struct bt_parquet_node *node)
{
	size_t k;

	for (k = 0; k < node->n_leaves; k++)
		if (m->p->column[node->leaf + k] != NULL)
			return true;
	return false;
}

/* The next entry of the first wanted column below a node; NULL: there are no
 * more. */
static const struct bt_parquet_entry *peek(const struct maker *m,
                                           const struct bt_parquet_node *node)
{
	const struct bt_parquet_column *c = NULL;
	size_t leaf;

	for (leaf = node->leaf; c == NULL; leaf++)
		c = m->p->column[leaf];
	leaf--;
	return m->p->used[leaf] < c->n ? &c->row[m->p->used[leaf]] : NULL;
}

/* Passes over one entry of each column below a node, which is not there. */
static int pass(struct maker *m, const struct bt_parquet_node *node)
{
	const struct bt_parquet_column *c;
	size_t k, leaf;

	for (k = 0; k < node->n_leaves; k++) {
		leaf = node->leaf + k;
		c = m->p->column[leaf];
		if (c == NULL)
			continue;
		if (m->p->used[leaf] == c->n ||
		    c->row[m->p->used[leaf]].def >= node->def)
			return damaged(m);
		m->p->used[leaf]++;
	}
	return BT_OK;
}

static int make_value(struct maker *m, const struct bt_parquet_node *node,
                      json_t **v)
{
	struct bt_parquet *p = m->p;
	size_t leaf = node->leaf;
	const struct bt_string_set *classes = p->schema.leaves[leaf].classes;
	struct bt_span value = p->column[leaf]->row[p->used[leaf]++].value;

	if (value.p == NULL)
		return damaged(m);
	*v = bt_parquet_value_json(node, classes, value, &m->scratch);
	if (*v == NULL && p->lenient)
		*v =
		    node->kind == BT_PARQUET_IS_TEXT
		        ? bt_escape_json(value)
		        : bt_parquet_value_json(node, NULL, value, &m->scratch);
	if (*v != NULL)
		return BT_OK;
	return bt_parquet_bad_value(
	    p, leaf,
	    node->kind == BT_PARQUET_IS_TEXT      ? BT_PARQUET_CHARSET
	    : node->kind == BT_PARQUET_IS_DECIMAL ? BT_PARQUET_DECIMAL
	                                          : BT_PARQUET_CLASS,
	    m->err);
}

/* The members of a column below node number i. */
static int make_members(struct maker *m, size_t i, json_t **v)
{
	const struct bt_parquet_node *child;
	size_t k, end = node_at(m, i)->next;
	json_t *member;
	int r = BT_OK;

	*v = json_object();
	for (k = i + 1; r == BT_OK && k < end; k = child->next) {
		child = node_at(m, k);
		if (!is_wanted(m, child))
			continue;
		member = NULL;
		r = make(m, k, &member);
		if (r != BT_OK)
			json_decref(member);
		else if (json_object_setn_new(*v, child->name.p, child->name.n,
		                              member) != 0)
			r = bt_error_set(m->err, BT_EFORMAT,
			                 "a column's name is not valid UTF-8");
	}
	return r;
}

/* What is there: a value, an object, or a list by its only child. */
static int make_content(struct maker *m, size_t i, json_t **v)
{
	const struct bt_parquet_node *node = node_at(m, i), *child;

	if (node->type >= 0)
		return make_value(m, node, v);
	child = node_at(m, i + 1); /* it has one that is wanted */
	if (child->next == node->next && (node->wrapper || child->hidden))
		return make(m, i + 1, v);
	return make_members(m, i, v);
}

static int make_list(struct maker *m, size_t i, json_t **v)
{
	const struct bt_parquet_node *node = node_at(m, i);
	const struct bt_parquet_entry *e;
	json_t *element;
	int r;

	*v = json_array();
	if (peek(m, node)->def < node->def)
		return pass(m, node);
	do {
		element = NULL;
		r = make_content(m, i, &element);
		if (r != BT_OK)
			json_decref(element);
		else if (json_array_append_new(*v, element) != 0)
			r = bt_error_nomem(m->err, "reading a row");
		e = peek(m, node);
	} while (r == BT_OK && e != NULL && e->rep == node->rep);
	return r;
}

static int make(struct maker *m, size_t i, json_t **v)
{
	const struct bt_parquet_node *node = node_at(m, i);
	const struct bt_parquet_entry *e = peek(m, node);

	if (e == NULL)
		return damaged(m);
	if (node->repeated)
		return make_list(m, i, v);
	if (node->optional && e->def < node->def) {
		*v = json_null();
		return pass(m, node);
	}
	return make_content(m, i, v);
}

int bt_parquet_make_object(struct bt_parquet *p, bool lenient, json_t **object,
                           struct bt_error *err)
{
	struct maker m = {p, BT_BUF_INIT, err};
	json_t *o = NULL;
	size_t i, leaf;
	int r = BT_OK;

	p->lenient = lenient;
	for (i = 0; r == BT_OK && i < p->n_wanted; i++) {
		leaf = p->wanted[i];
		p->used[leaf] = 0;
		if (p->column[leaf]->large)
			r = bt_parquet_bad_value(p, leaf, BT_PARQUET_LARGE,
			                         err);
	}
	if (r == BT_OK)
		r = make_members(&m, 0, &o);
	for (i = 0; r == BT_OK && i < p->n_wanted; i++) {
		leaf = p->wanted[i];
		if (p->used[leaf] != p->column[leaf]->n)
			r = damaged(&m);
	}
	bt_buf_clear(&m.scratch);
	if (r != BT_OK) {
		json_decref(o);
		return r;
	}
	*object = o;
	return BT_OK;
}
